/* The timeline: which part of it is in sight, and how. A turn of few bars is drawn as SVG (chart.js), one of many on a
   canvas (lanes.js); zooming and panning draw it alone, from what was shown last. */
import { html, nothing, render } from "../vendor/lit-html.js";
import { draw as drawChart, ruler } from "./chart.js";
import { seqOf } from "./model.js";
import { $, page, remember, replay } from "./state.js";
import { duration, lookIcon, shown } from "./text.js";
import { axis, playhead, waterfall } from "./waterfall.js";

const MANY = 150;
/** Calls from which there are more than 300 bars. */
const NEAREST = 10;

const host = $("waterfall");
let last = null;
let lanes = null;
let whole = 1;
let waiting = false;

/** Draw: the dressed calls, the pace, the time that is `now`, and where a replay stands. */
export function timeline(given) {
  last = given;
  paint();
}
function again() {
  if (waiting || !last) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    paint();
  });
}

function paint() {
  const { calls, pace, now, live, seq, end, cursor } = last;
  const many = calls.length > MANY;
  const texts = seq === null ? pace.texts : pace.texts.filter(([a]) => a <= end).map(([a, b]) => [a, Math.min(b, end)]);
  const cut = seq === null ? null : end;
  const w = waterfall(calls, {
    start: pace.start, end: pace.end, now, unit: pace.unit, by: page.by, gaps: pace.gaps, texts, live, cut, view: page.view, bare: many,
    ended: last.ended && (seq === null || last.ended.seq <= seq) ? last.ended : null,
  });
  whole = w.whole;
  const at = cursor === null ? null : playhead(w, cursor);
  const span = pace.unit === "ms" ? ` over ${duration(pace.end - pace.start)}` : "";
  const label = `Waterfall of ${last.count} tool calls${span}${page.view ? ", a part of it" : ""}`;
  if (!many) {
    clear();
    if (lanes) {
      lanes.root.remove();
      lanes = null;
    }
    render(drawChart(w, { at, current: page.call, label }), host);
  } else canvas(w, { at, calls, cut: cut ?? (live ? now : pace.end), label });
  host.classList.toggle("zoomed", Boolean(page.view));
  $("unzoom").hidden = !page.view;
}

/** The server's drawing goes once; lit-html keeps the place from then on. */
let cleared = false;
function clear() {
  if (!cleared) host.replaceChildren();
  cleared = true;
}

let of = null;
let rows = [];
let brush = null;
function canvas(w, { at, calls, cut, label }) {
  if (!brush) {
    brush = import("./lanes.js").then((module) => {
      brush = module;
      again();
    });
    return;
  }
  if (!brush.Lanes) return;
  if (!lanes) {
    clear();
    render(nothing, host);
    lanes = new brush.Lanes(host);
  }
  if (of !== calls || rows.by !== w.by) {
    const scale = axis(w.from, w.end, w.unit, w.live);
    rows = brush.laid(calls, { unit: w.unit, by: w.by, scale, now: cut });
    rows.by = w.by;
    of = calls;
  }
  render(html`${ruler(w, at, rows.length)}${lanes.root}`, host);
  lanes.show(w, rows, { at, current: page.call, label, texts: w.texts, gaps: w.gaps });
}

// ---------------------------------------------------------------- zoom and pan

const seen = () => page.view || [0, whole];

/** Into the address once it rests: a browser refuses hundreds of these, and each costs a frame 2 ms. */
let writing = 0;
function rested() {
  clearTimeout(writing);
  writing = setTimeout(remember, 150);
}
function look(low, high) {
  const length = Math.min(Math.max(high - low, NEAREST), whole);
  const from = Math.max(Math.min(low, whole - length), 0);
  page.view = length >= whole * 0.999 ? null : [from, from + length];
  again();
  rested();
}
/** Show a `factor`-th of what is in sight, around a place in it (0 to 1). */
export function zoom(factor, around = 0.5) {
  const [low, high] = seen();
  const middle = low + (high - low) * around;
  look(middle - (middle - low) / factor, middle + (high - middle) / factor);
}
export function pan(share) {
  const [low, high] = seen();
  const by = (high - low) * share;
  look(low + by, high + by);
}
export function unzoom() {
  page.view = null;
  again();
  rested();
}

const box = () => host.querySelector(".lanes .tl > :last-child")?.getBoundingClientRect();
const within = (event, at = box()) => (at ? (event.clientX - at.left) / at.width : -1);
const timeAt = (share) => {
  const [low, high] = seen();
  return last.pace.start + low + (high - low) * share;
};

host.addEventListener("wheel", (event) => {
  const share = within(event);
  if (share < 0) return;
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.ctrlKey || event.metaKey || event.altKey) zoom(Math.exp(-event.deltaY / 240), share);
  else if (page.view && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) pan(sideways / 900);
  else return;
  event.preventDefault();
}, { passive: false });

/** Dragging: on the ruler the playhead, with Shift the part to look at; on the bars the part in sight. */
let drag = null;
host.addEventListener("pointerdown", (event) => {
  if (event.button || !last || within(event) < 0) return;
  const onRuler = event.target.closest(".head");
  drag = { from: within(event), x: event.clientX, mode: event.shiftKey ? "range" : onRuler ? "head" : page.view ? "pan" : "", view: seen(), moved: false };
  if (drag.mode === "head") head(event);
});
function head(event) {
  replay.pause();
  replay.moveTo(seqOf(last.pace, timeAt(Math.max(Math.min(within(event), 1), 0))));
}
addEventListener("pointermove", (event) => {
  if (!drag) return;
  if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
  if (!drag.moved) return;
  const [low, high] = drag.view;
  if (drag.mode === "head") head(event);
  if (drag.mode === "pan") look(low - (within(event) - drag.from) * (high - low), high - (within(event) - drag.from) * (high - low));
});
addEventListener("pointerup", (event) => {
  const { mode, moved, from, view: [low, high] } = drag || { view: [] };
  drag = null;
  if (!moved || mode !== "range") return;
  const [a, b] = [from, within(event)].sort((x, y) => x - y);
  look(low + a * (high - low), low + b * (high - low));
});
host.addEventListener("dblclick", () => unzoom());
$("unzoom").addEventListener("click", unzoom);

// ---------------------------------------------------------------- lanes by key, and what a bar is

host.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  const on = event.target.closest("a.lane");
  if (!by || !on) return;
  event.preventDefault();
  const known = lanes ? rows : [...host.querySelectorAll("a.lane")].map((a) => ({ number: Number(a.dataset.number) }));
  const index = known.findIndex((l) => l.number === Number(on.dataset.number));
  const next = known[Math.max(Math.min(index + by, known.length - 1), 0)];
  if (lanes) {
    lanes.root.scrollTop = Math.max((known.indexOf(next) - 5) * 20, 0);
    lanes.paint();
  }
  const link = host.querySelector(`a.lane[data-number="${next.number}"]`);
  on.tabIndex = -1;
  if (link) {
    link.tabIndex = 0;
    link.focus();
  }
});

/** The number of the call under the pointer. */
function under(event) {
  if (event.target.matches("canvas")) return lanes.hit(event.offsetX, event.offsetY);
  return Number(event.target.closest(".lanes g[data-number]")?.dataset.number) || 0;
}
export const callUnder = (event) => (host.contains(event.target) && !event.target.closest("a") ? under(event) : 0);

const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
let about = 0;
host.addEventListener("pointermove", (event) => {
  const number = drag?.moved || event.pointerType === "touch" ? 0 : callUnder(event);
  tip.hidden = !number;
  host.classList.toggle("over", Boolean(number));
  if (!number) return (about = 0);
  if (number !== about) {
    about = number;
    const c = last.calls.find((one) => one.number === number);
    if (c?.thin) setTimeout(() => about === number && page.more([c]).then(() => (about = 0)), 150);
    if (c && !c.later) render(html`<b class=${"s-" + c.look}>${lookIcon(c.icon)}${shown(c.name)}<i>${c.word}</i></b><code>${shown(c.args.slice(0, 90))}</code><span>${c.took} · ${c.owner}${c.note ? html` · ${shown(c.note)}` : nothing}</span>`, tip);
  }
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const top = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
  tip.style.transform = `translate(${Math.max(left, 8)}px, ${top}px)`;
});
host.addEventListener("pointerleave", () => ((tip.hidden = true), (about = 0)));
