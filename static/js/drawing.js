/* Draws the turn page from its state, once per animation frame; what comes live at once. */
import { html, render } from "../vendor/lit-html.js";
import { callsAt, grouped, ledger, lookOf, timeOf, worstFirst } from "./model.js";
import * as panels from "./panels.js";
import { $, list, log, onOriginal, page, replay } from "./state.js";
import { count, duration, lookIcon, plural, shown } from "./text.js";
import { timeline } from "./timeline.js";

/** Clear the server's drawing once; lit-html keeps the place from then on. */
const taken = new Set();
export function into(id, view) {
  const place = $(id);
  if (!taken.has(id)) {
    place.replaceChildren();
    taken.add(id);
  }
  render(view, place);
}

const now = () => (page.live && replay.frames === "original" ? Date.now() + page.skew : page.set.pace.end);

function took(call, end) {
  const { pace } = page.set;
  if (pace.unit !== "ms" || !(call.start_at || call.answer_at)) return "";
  if (call.look === "orphan" || !call.start_at) return `+${duration(call.answer_at - pace.start)}`;
  const open = !call.closed_at || ["streaming", "running", "waiting"].includes(call.state);
  return duration((open ? end : call.closed_at) - call.start_at);
}

const FILTERS = {
  started: () => true,
  ended: (c) => c.ended,
  answered: (c) => c.answered,
  open: (c) => !c.answered,
};

let waiting = 0;
export function draw() {
  waiting ||= requestAnimationFrame(drawNow);
}
/** Before the next frame, instead of in it. */
export function drawNow() {
  cancelAnimationFrame(waiting);
  waiting = 0;
  if (!page.partial) paint();
}

function paint() {
  const { pace } = page.set;
  const { seq } = page;
  const findings = list(page.set.findings);
  const end = seq === null ? now() : replay.time;
  const calls = callsAt(list(page.set.calls), findings, seq);
  for (const call of calls) {
    call.took = took(call, end);
    if (call.thin) call.note = "";
  }
  const wanted = FILTERS[page.filter] ? calls.filter(FILTERS[page.filter]) : calls;
  const groups = grouped(findings, seq);
  const live = page.live && onOriginal();
  const cursor = seq !== null ? end : page.event ? timeOf(pace, page.event) : null;
  into("cards", panels.cards(worstFirst(wanted), page.call, page.filter, page.most, inSight));
  watchCards();
  page.more?.(calls.filter((c) => c.thin && (inSight.has(c.number) || c.number === page.call)));
  if (pace.unit === "ms") $("elapsed").textContent = duration(end - pace.start);
  const same = live && seq === null && restful(calls, findings);
  if (same) return;
  // While replaying every lane keeps its place: what is yet to come has a name and no bar.
  const there = new Set(calls.map((c) => c.number));
  const later = seq === null ? [] : list(page.set.calls).filter((c) => !there.has(c.number));
  const lanes = later.length ? [...calls, ...later.map((c) => ({ ...c, later: true, look: "later", icon: "circle-dot", codes: [], seqs: [] }))] : calls;
  timeline({ calls: lanes, count: calls.length, pace, seq, end, live, now: now(), cursor, ended: ended() });
  markEvents(calls);
  into("ledger", panels.ledger(ledger(calls), end, page.filter));
  into("findings", panels.findings(groups, page.finding, live, seq !== null));
  into("finding-counts", panels.findingCounts(groups));
  $("card-count").textContent = count(wanted.length);
  outcome(calls, seq);
  drawHeadline(seq === null || seq >= pace.last ? page.set.headline || page.headline : asOf(groups, calls, seq));
  legend(worstFirst(calls));
}

const TELLING = new Set(["hanging", "unanswered", "orphan", "failed", "denied", "aborted", "client", "person", "job"]);
/** In the event list, what decides about a call wears its look; where nothing came after, it says so. */
function markEvents(calls) {
  const marks = new Map();
  for (const c of calls) {
    if (!TELLING.has(c.look)) continue;
    const seq = c.answer_seq || c.end_seq || c.start_seq;
    if (seq) marks.set(seq, { look: c.look, icon: c.icon, text: c.answer_seq ? "" : " ← last event of this call" });
  }
  log.marks = marks;
  log.draw();
}

const ENDS = { finished: "RUN_FINISHED", interrupted: "RUN_FINISHED", failed: "RUN_ERROR" };
/** How the turn's last run ended; null if it has not, or where another turn is shown. */
function ended() {
  const run = onOriginal() ? list(page.runs).pop() : null;
  if (!run?.end_seq || !ENDS[run.state]) return null;
  const { pace } = page.set;
  return { at: (pace.unit === "ms" ? run.end_at : run.end_seq) || pace.end, seq: run.end_seq, label: ENDS[run.state], look: page.turn.outcome.look };
}

const REST = 200;
let rested = 0;
let resting = 0;
let stood = "";
/** Whether nothing but time and streaming text has changed since a moment ago: the rest of the page can wait for it. */
function restful(calls, findings) {
  const sign = [
    page.call, page.by, page.event, page.filter, page.finding, page.view?.join(), page.headline, calls.length,
    findings.reduce((sum, f) => sum + f.changed, 0), calls.map((c) => c.look).join(),
  ].join("|");
  const wait = rested + REST - performance.now();
  if (sign === stood && wait > 0) {
    resting ||= setTimeout(() => ((resting = 0), draw()), wait);
    return true;
  }
  stood = sign;
  rested = performance.now();
  return false;
}

/** Numbers of the cards in sight; others are drawn when they come into it, or when their state changes. */
const inSight = new Set();
const sight = new IntersectionObserver((entries) => {
  let came = false;
  for (const { target, isIntersecting } of entries) {
    const number = Number(target.dataset.number);
    if (!isIntersecting) inSight.delete(number);
    else if (!inSight.has(number)) came = Boolean(inSight.add(number));
  }
  if (came) draw();
}, { rootMargin: "80px" });
const watched = new WeakSet();
let watchedCount = 0;
function watchCards() {
  const cards = $("cards").children;
  if (cards.length === watchedCount) return;
  watchedCount = cards.length;
  for (const card of cards) if (!watched.has(card) && watched.add(card)) sight.observe(card);
}

/** The sentence while replaying: what a reader would have been told then. */
function asOf(groups, calls, seq) {
  const standing = groups.find((g) => !g.closed_seq);
  const open = calls.filter((c) => !c.answered).length;
  const told = standing ? standing.message : `${plural(calls.length, "call")} started, ${open} open.`;
  return `At event #${count(seq)}: ${told}`;
}

/** The states in use, each with the swatch and icon of the pop-over that shows all of them. */
let inUse = "";
function legend(calls) {
  const looks = [...new Set(calls.map((c) => c.look))].slice(0, 7);
  if (looks.join() === inUse) return;
  inUse = looks.join();
  const shown_ = looks.map((look) => {
    const from = document.querySelector(`#legend .s-${look}`);
    const span = document.createElement("span");
    span.className = `s-${look}`;
    if (from) span.append(...[...from.querySelectorAll(":scope > svg")].map((n) => n.cloneNode(true)), from.querySelector("b").textContent);
    return span;
  });
  const place = document.querySelector(".legend");
  place.replaceChildren(...shown_, ...place.querySelectorAll("[data-gap]"));
}

function outcome(calls, seq) {
  let shown_ = page.turn.outcome;
  if (seq !== null && seq < page.set.pace.last) {
    const look = calls.some((c) => c.look === "hanging") ? "hanging" : "running";
    const { word, icon } = lookOf(look);
    shown_ = { word: word[0].toUpperCase() + word.slice(1), look, icon };
  } else if (page.set.outcome) shown_ = page.set.outcome;
  $("outcome").className = `v s-${shown_.look}`;
  into("outcome", html`<span class="st">${lookIcon(shown_.icon)}${shown_.word}</span>`);
}

let said = null;
export function drawHeadline(text) {
  if (text === said) return;
  said = text;
  const cut = Math.max(text.indexOf(". "), 0) || Math.max(text.indexOf("; "), 0);
  const at = text.length > 90 && cut ? cut + 1 : text.length;
  into("headline", html`<b>${shown(text.slice(0, at))}</b> ${shown(text.slice(at).trim())}`);
}
