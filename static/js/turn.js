/* The turn page. The server drew it whole; from here on the rows are held in the browser, and what changes is drawn
   again: by a live patch, by the playhead, by a filter. `state.js` holds, `drawing.js` draws, `acts.js` listens. */
import { render } from "../vendor/lit-html.js";
import { copyEvent, follow, selectCall, selectEvent, selectFinding } from "./acts.js";
import { draw, drawNow } from "./drawing.js";
import { refilter } from "./filtering.js";
import "./log.js";
import "./replay.js";
import { Tail, say } from "./live.js";
import * as panels from "./panels.js";
import { eventsOf, put } from "./patching.js";
import { $, data, here, list, log, onOriginal, original, page, query, remember, replay } from "./state.js";
import { count, plural, short } from "./text.js";
import { turnKeys } from "./turnkeys.js";
import { moment, panel } from "./views.js";

// ---------------------------------------------------------------- original or repaired

async function load(target = "") {
  const answer = await fetch(`/turns/${page.pk}/repaired.json?target=${encodeURIComponent(target)}`);
  page.repaired = await answer.json();
  render(panels.inspector(page.repaired, page.pk), takeInspector());
}
let inspector = null;
function takeInspector() {
  if (!inspector) {
    inspector = $("repaired");
    inspector.replaceChildren();
    inspector.addEventListener("change", (e) => e.target.matches("[data-target]") && load(e.target.value));
  }
  return inspector;
}

async function show(frames) {
  if (frames === "repaired") {
    if (!page.repaired) {
      say("Working out the repair");
      await load();
    }
    if (!page.repaired.calls) return say("There is no repaired stream for this turn");
    const { calls, findings, pace, scrub, rows, outcome: end } = page.repaired;
    page.set = {
      headline: `Repaired: ${page.repaired.summary}.`,
      calls: new Map(calls.map((c) => [c.id, c])), findings: new Map(findings.map((f) => [f.id, f])), pace, scrub, rows, outcome: end,
    };
  } else page.set = original();
  openLog();
  page.event = 0;
  log.selected = 0;
  replay.frames = frames;
  replay.pause();
  replay.moveTo(null);
  replay.open(page.set.pace, page.set.scrub);
  document.body.dataset.frames = frames;
  draw();
  moment();
  remember();
}

async function replayRepaired() {
  await show("repaired");
  (await import("./repaired.js")).openRepaired(page);
  if (replay.frames !== "repaired") return;
  replay.moveTo(page.set.pace.first);
  replay.play();
}

// ---------------------------------------------------------------- live

function openLog() {
  const { pace } = page.set;
  log.open({
    url: here(), first: pace.first, last: onOriginal() ? page.turn.last_seq : pace.last,
    rows: (page.set.rows || data.events.rows).filter((r) => r.seq), start: pace.start, timed: pace.unit === "ms", gaps: gapsOf(pace),
  });
  if (page.q || page.kinds.size) refilter();
}
const gapsOf = (pace) => pace.gaps.map(([a, b], i) => [a, b, pace.gap_seqs?.[i] || 0]);

let measuring = 0;
async function measure() {
  measuring = 0;
  const answer = await (await fetch(`/turns/${page.pk}/pace.json`)).json();
  page.pace = answer.pace;
  page.scrub = answer.scrub;
  page.skew = Math.max(page.skew, answer.now - Date.now());
  if (!onOriginal()) return;
  page.set = original();
  log.source.start = page.pace.start;
  log.source.timed = page.pace.unit === "ms";
  log.classList.toggle("wide", page.turn.last_seq >= 1e5 || page.pace.end - page.pace.start >= 6e5);
  log.regap(gapsOf(page.pace));
  replay.open(page.pace, page.scrub);
  draw();
}

const stores = { turns: new Map([[page.pk, page.turn]]), calls: page.calls, findings: page.findings, runs: page.runs };
const ours = (row) => row.turn === page.turn.number || row.id === page.pk;

/** What came while calls were still to come: what differs of a row needs the row. */
const held = [];
function apply(patches) {
  if (page.partial) return void held.push(...patches);
  let news = "";
  for (const patch of patches) {
    const known = new Set(page.findings.keys());
    const again = put(stores, patch, ours);
    if (again !== null) tail.restart(again);
    for (const found of Object.values(patch.findings || {})) {
      if (found.turn === page.turn.number && !known.has(found.id) && found.severity === "error") news = found.message;
    }
    for (const other of Object.values(patch.turns || {})) if (other.number === page.turn.number + 1) begun(other);
  }
  const heard = page.turn.last_at;
  page.turn = stores.turns.get(page.pk);
  page.live = page.turn.live;
  if (page.turn.last_at > heard) requestAnimationFrame(() => requestAnimationFrame(late));
  if (page.turn.headline) page.headline = page.turn.headline;
  if (news) say(news);
  if (onOriginal()) newRows(log.grow(page.turn.last_seq, eventsOf(patches)));
  $("events").textContent = count(page.turn.events);
  document.querySelector(".search input").placeholder = `Find in ${plural(page.turn.events, "event")}`;
  paced();
  if (!log.filtered) $("matching").textContent = count(page.turn.events);
  measuring ||= setTimeout(measure, page.pace.last < page.turn.first_seq + 50 ? 250 : Math.min(Math.max(page.turn.events / 50, 1500), 15000));
  if (replay.live && !page.live) ended();
  replay.live = page.live;
  drawNow();
  if (page.seq === null) moment();
}

/** How old the newest frame is by the time it is seen; told once a second. */
let told = 0;
function late() {
  const ms = Date.now() + page.skew - page.turn.last_at;
  if (performance.now() - told < 1000 || ms < 0) return;
  told = performance.now();
  $("lag").textContent = short(ms);
}

/** Events a second of late, while the turn is live. */
const seen = [];
function paced() {
  const at = performance.now();
  seen.push([at, page.turn.events]);
  while (seen.length > 1 && at - seen[0][0] > 3000) seen.shift();
  const [from, events] = seen[0];
  if (at - from > 800) $("rate").textContent = `${count(Math.round(((page.turn.events - events) / (at - from)) * 1000))}/s`;
}

/** The next turn of the thread has begun while this one was watched. */
function begun(turn) {
  const nav = document.querySelector(".nav");
  if (nav.querySelector('[rel="next"]')) return;
  const link = document.createElement("a");
  Object.assign(link, { href: `/turns/${turn.id}/`, rel: "next", title: "Next turn" });
  link.append(...nav.lastElementChild.childNodes);
  link.firstElementChild.after(String(turn.number));
  nav.lastElementChild.replaceWith(link);
  say(`Turn ${turn.number} has begun`);
}

/** What has come in below while a reader looks elsewhere. */
let unseen = 0;
function newRows(grown) {
  const button = document.querySelector("[data-newest]");
  const inSight = log.following || page.seq !== null || log.scrollTop + log.clientHeight >= log.scrollHeight;
  unseen = inSight ? 0 : unseen + grown;
  button.hidden = !unseen;
  button.lastElementChild.textContent = `${count(unseen)} new`;
}
document.querySelector("[data-newest]").addEventListener("click", () => {
  unseen = 0;
  newRows(0);
  if (page.live) follow(true);
  else log.toEnd();
});

function ended() {
  follow(false);
  $("live").className = "pill";
  $("live").lastElementChild.textContent = `Ended ${new Date().toLocaleTimeString()}`;
  load().catch(() => {});
}

function status(word) {
  const pill = $("live");
  if (!page.live && word !== "gone") return;
  pill.className = `pill ${word === "live" ? "live" : "lost"}`;
  pill.lastElementChild.textContent = { live: "Live", lost: "Reconnecting" }[word] || word;
}

/** A long turn's calls. */
async function thin() {
  const { bring, more } = await import("./thin.js");
  page.more = more;
  try {
    await bring();
    if (held.length) apply(held.splice(0));
  } catch {
    setTimeout(thin, 2000);
  }
}

openLog();
if (data.events.selected) log.select(data.events.selected, { quiet: true });
log.related = list(page.calls).find((c) => c.number === page.call)?.call_id || "";
replay.live = page.live;
replay.open(page.pace, page.scrub);
replay.addEventListener("frames", (e) => show(e.detail));
document.addEventListener("replay-repaired", replayRepaired);
turnKeys({ page, log, replay, selectCall, selectFinding, selectEvent, copyEvent, panel, follow });
for (const place of document.querySelectorAll("[data-copy-link]")) place.hidden = false;
if (page.live) follow(!page.event || query.has("live"));
if (location.search) import("./address.js").then((address) => address.open({ show }));
addEventListener("popstate", (e) => e.state && location.reload());
if (data.thin) thin();
draw();
moment();
const newest = !data.next;
const tail = page.live || newest ? new Tail(`/ws/threads/${data.thread.id}/`, data.seq, { paint: apply, status, fields: true, rows: () => log.wants }) : null;
setInterval(() => page.live && page.seq === null && onOriginal() && draw(), 1000);
const LONG = 20000;
/** Comparing reads the whole thread: for a long one only when asked. */
if (page.turn.events < LONG) (window.requestIdleCallback || setTimeout)(() => load().catch(() => {}));
