/* The events of a turn at full height: the same list as on the turn page, one event beside it, the tail while it runs. */
import { html, render } from "../vendor/lit-html.js";
import { copy, copyFile, offer } from "./boot.js";
import { rows } from "./columns.js";
import { bind } from "./keys.js";
import { Tail } from "./live.js";
import "./log.js";
import { eventsOf } from "./patching.js";
import { event as drawn } from "./payload.js";
import { count, icon, shown } from "./text.js";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("events-data").textContent);
const log = $("log");
const form = $("filters");
const url = `/turns/${data.turn}/`;
let selected = data.selected;

log.open({
  url, first: data.first, last: data.last, rows: data.rows, start: data.start, timed: data.timed,
  gaps: data.gaps.map(([a, b], i) => [a, b, data.gap_seqs[i] || 0]),
});
for (const link of document.querySelectorAll(".foot .pages a")) link.hidden = true;

function remember() {
  const params = new URLSearchParams(new FormData(form));
  if (!params.get("q")) params.delete("q");
  if (selected) params.set("event", selected);
  history.replaceState(null, "", params.size ? `?${params}` : location.pathname);
}

const matching = () => {
  const all = log.source.last - log.source.first + 1;
  $("matching").textContent = log.filtered ? `${count(log.length)} of ${count(all)}` : count(all);
};

async function filter() {
  const params = new URLSearchParams(new FormData(form));
  const line = params.get("q").trim();
  const asks = line || params.get("kind");
  try {
    const found = await log.filter(asks ? params.toString() : "", matching);
    const problems = found?.head?.problems || [];
    render(html`${problems.length ? html`<div class="terms">${problems.map((p) => html`<span class="word sev-warning">${icon("triangle-alert")}${shown(p.message)}</span>`)}</div>` : ""}`, says);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
  matching();
  remember();
}
const says = document.createElement("div");
$("says").after(says);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  $("says").hidden = true;
  filter();
});
form.elements.q.addEventListener("search", () => form.elements.q.value || form.requestSubmit());
log.addEventListener("more", matching);

/** The server's drawing goes once; lit-html keeps the place from then on. */
let ours = false;
function put(view) {
  if (!ours) $("event").replaceChildren();
  ours = true;
  render(view, $("event"));
}
async function show(seq) {
  $("event").hidden = false;
  log.draw();
  try {
    const answer = await fetch(`${url}events/${seq}/`);
    const pace = { unit: data.timed ? "ms" : "seq", start: data.start };
    if (seq === selected) put(drawn(await answer.json(), `${url}events/${seq}/`, pace));
  } catch {
    put(html`<p class="none"><b>This event could not be read.</b></p>`);
  }
}
function select(seq, open) {
  selected = seq;
  $("at-event").textContent = `#${count(seq)}`;
  log.related = log.row(seq)?.call || "";
  log.draw();
  remember();
  if (open || !$("event").hidden) show(seq);
}
/** The event that begins the next call, or the one before, of those that the filter leaves. */
let calls = { upto: -1, begun: [] };
async function toCall(by) {
  const upto = log.source.last;
  if (calls.upto !== upto) calls = { upto, begun: rows(await (await fetch(`${url}calls.json`)).json(), {}).map((c) => c.start_seq) };
  const seen = calls.begun.filter((seq) => (by > 0 ? seq > selected : seq < selected) && log.seqAt(log.indexOf(seq)) === seq);
  if (seen.length) log.select(seen.at(by > 0 ? 0 : -1));
}
log.addEventListener("choose", (event) => select(event.detail.seq, event.detail.open));

bind("j", "next event", () => log.step(1));
bind("k", "previous event", () => log.step(-1));
bind("g g", "first event", () => log.select(log.seqAt(0)));
bind("G", "last event", () => log.select(log.seqAt(log.length - 1)));
bind(".", "next event", () => log.step(1));
bind(",", "previous event", () => log.step(-1));
bind("n", "next call", () => toCall(1));
bind("p", "previous call", () => toCall(-1));
bind("Enter", "inspect", () => (selected ? show(selected) : false));
bind("Escape", "close the event, or go back to the turn", () => {
  if ($("event").hidden) return location.assign(url);
  $("event").hidden = true;
  log.draw();
});
bind("c", "copy the event", () => (selected ? copyFile(`${url}events/${selected}/?raw=1`) : false));
offer(async () => (await import("./around.js")).offered(log, copy));

const button = $("follow");
function follow(on) {
  log.following = on;
  button?.setAttribute("aria-pressed", String(on));
  if (on) log.toEnd();
}
log.addEventListener("unfollow", () => follow(false));
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => follow(!log.following));
  bind("f", "follow newest", () => follow(!log.following));
}
if (data.live)
  new Tail(`/ws/threads/${data.thread}/`, data.seq, {
    status: () => {},
    fields: true,
    rows: () => log.wants,
    paint: (patches) => {
      const last = patches.map((patch) => patch.turns?.[data.turn] || patch.fields?.turns?.[data.turn]?.[1]).findLast((turn) => turn?.last_seq);
      if (last) log.grow(last.last_seq, eventsOf(patches));
      matching();
    },
  });

if (selected) {
  log.select(selected, { quiet: true });
  show(selected);
}
if (form.elements.q.value || form.elements.kind) {
  $("says").hidden = Boolean($("says").querySelector(".sev-warning"));
  filter();
}
