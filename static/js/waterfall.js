/* The waterfall as numbers: the browser's half of turnscope/web/waterfall.py, held to it by a test. Positions are in %,
   so nothing is measured. Drawn by chart.js (SVG), or by lanes.js (canvas) where there are many bars. */
import { lookOf } from "./model.js";
import { clock, count, duration, plural, short, visible } from "./text.js";

const LANE = 20;
const MARGIN = 0.06;
const NEAREST = 10;
const APART = 0.004;
export const NAMELESS = "no name";
const MODES = new Set(["call", "packed", "tool"]);
const SOLO = 16;
const SEEN = 0.0008;
const LIVE_LEAST = 10000;
const TAILS = {
  streaming: "caret", running: "arrow", client: "arrow", person: "arrow", job: "arrow", wait: "arrow",
  hanging: "arrow", failed: "cross", aborted: "torn", settled: "stop", unanswered: "dots",
};
const OPEN = new Set(["streaming", "running", "client", "person", "job", "wait", "hanging"]);

const percent = (value) => `${Number(Math.max(Math.min(value, 100), 0).toFixed(3))}%`;
const number = (text) => Number(text.slice(0, -1));
export const position = (scale, at) => ((at - scale.start) / scale.length) * 100;

function step(length) {
  const nice = length < 60000 ? [1, 2, 5, 10, 100] : [1.2, 3, 6, 12, 100];
  const power = 10 ** Math.floor(Math.log10(Math.max(length / 12, 1)));
  return nice.map((n) => n * power).find((n) => n * 12 >= length);
}

export function axis(start, end, unit, live, view) {
  let whole = Math.max(end - start, 1) * (1 + MARGIN);
  if (live) whole = LIVE_LEAST * 1.25 ** Math.max(Math.ceil(Math.log(whole / LIVE_LEAST) / Math.log(1.25)), 0);
  let [low, high] = view ? [Math.max(view[0], 0), Math.min(view[1], whole)] : [0, whole];
  if (high - low < NEAREST) [low, high] = [0, whole];
  const length = high - low;
  const by = step(length);
  const ticks = [];
  for (let n = Math.ceil(low / by); n * by <= high; n++) {
    const at = n * by;
    let label = unit === "ms" ? `${Number((at / 1000).toPrecision(6))} s` : `#${count(start + Math.round(at))}`;
    if (unit === "ms" && by >= 60000) label = at ? short(at) : "0 min";
    const place = (at - low) / length;
    const minor = n % 2 === 1 || place > 0.985 - 0.025 * label.length;
    if (place > 0.995 - 0.0055 * label.length) label = "";
    ticks.push({ x: percent(place * 100), label, minor });
  }
  return { start: start + low, end, length, unit, ticks, from: start, whole };
}

/** (start, end of arguments, end of bar) of a call on the axis; what came after `now` is not drawn. */
export function points(call, unit, now) {
  const kind = unit === "ms" ? "at" : "seq";
  const start = call[`start_${kind}`];
  const ended = call.ended === false ? 0 : call[`end_${kind}`];
  let closed = call[`closed_${kind}`];
  if (OPEN.has(call.look) || !closed) closed = now;
  return [start, ended, Math.max(Math.min(closed, now), ended || start)];
}

function bar(look, start, end, scale, tail) {
  let x = position(scale, start);
  let x2 = position(scale, end);
  if (x2 < 0 || x > 100) return null;
  const ends = x2 > 100 ? "" : (tail ?? TAILS[look] ?? "");
  [x, x2] = [Math.max(x, 0), Math.min(x2, 100)];
  return {
    look, x: percent(x), w: percent(Math.max(x2 - x, 0.15)), x2: percent(x2), tail: ends, label: "", kind: "", width: 0,
    limit: "", at: percent(x),
  };
}

function bars(call, scale, now) {
  const look = call.look;
  if (call.later) return [];
  if (look === "orphan") {
    const at = position(scale, (scale.unit === "ms" ? call.answer_at : call.answer_seq) || scale.from);
    if (at < 0 || at > 100) return [];
    const x = percent(at);
    return [{ look, x, w: "0%", x2: x, tail: "diamond", label: "result without start", kind: "after", width: 0, number: call.number }];
  }
  const [start, ended, closed] = points(call, scale.unit, now);
  const out = ended && (ended - start) / scale.length >= SEEN
    ? [bar("streaming", start, ended, scale, ""), bar(look, ended, closed, scale)]
    : [bar(look, start, closed, scale)];
  const last = out[out.length - 1];
  if (last) limit(last, call, ended || start, scale);
  if (last) name(last, call, closed - (ended || start), scale);
  return out.filter(Boolean).map((one) => ({ ...one, number: call.number }));
}

/** Whether its bar shows where it passed its limit. */
export const overdue = (call, unit) => unit === "ms" && call.limit_ms && (call.look === "hanging" || call.codes.includes("C18"));

function limit(drawn, call, since, scale) {
  if (!overdue(call, scale.unit)) return;
  const x = position(scale, since + call.limit_ms);
  if (x < number(drawn.x) || x > number(drawn.x2)) return;
  drawn.limit = percent(x);
  if (x <= 80) drawn.at = drawn.limit;
}

function name(drawn, call, lasted, scale) {
  const timed = scale.unit === "ms";
  const room = number(drawn.x2) < 80;
  if (call.look === "hanging" && timed) [drawn.label, drawn.kind] = [`no answer for ${duration(lasted)}`, "box"];
  else if (["client", "person", "job", "wait"].includes(call.look) && number(drawn.w) > 12)
    [drawn.label, drawn.kind] = [call.word, "box"];
  else if (call.look === "failed" && room) [drawn.label, drawn.kind] = [visible(call.note.slice(0, 24)), "cross"];
  else if (call.codes.includes("C18") && timed && room) [drawn.label, drawn.kind] = [`slow · ${duration(lasted)}`, "quiet"];
  if (drawn.kind === "box") {
    drawn.width = Math.round(drawn.label.length * 5.1) + 10;
    if (number(drawn.x) > 80) drawn.label = drawn.kind = "";
  }
}

function took(call, unit, now) {
  if (unit !== "ms" || call.look === "orphan" || call.later || !call.start_at) return "";
  const [start, , closed] = points(call, unit, now);
  return duration(closed - start);
}

/** [label, calls] of each lane that holds several: by tool, or as few as hold every call beside what it overlaps. */
export function groupsOf(calls, by, scale, now) {
  if (by !== "packed") {
    const groups = new Map();
    for (const call of calls) {
      if (!groups.has(call.name)) groups.set(call.name, []);
      groups.get(call.name).push(call);
    }
    return [...groups];
  }
  const apart = scale.whole * APART;
  const ends = [];
  const groups = [];
  for (const call of calls) {
    const timed = scale.unit === "ms";
    const at = timed ? call.answer_at : call.answer_seq;
    const [start, , end] = call.look === "orphan" ? [at, 0, at] : points(call, scale.unit, now);
    let place = ends.findIndex((last) => last + apart <= start);
    if (place < 0) place = groups.push([]) - 1;
    ends[place] = end;
    groups[place].push(call);
  }
  return groups.map((group, i) => [i ? `${i + 1} at once` : "1 at a time", group]);
}

function lanes(calls, scale, now, by) {
  if (by === "call")
    return calls.map((c, i) => ({
      y: (i + 1) * LANE, look: c.look, icon: c.icon, label: c.name || c.call_id, number: c.number,
      detail: took(c, scale.unit, now), bars: bars(c, scale, now),
    }));
  return groupsOf(calls, by, scale, now).map(([tool, group], i) => {
    const begun = group.filter((c) => !c.later);
    const worst = [...(begun.length ? begun : group)].sort((a, b) => lookOf(a.look).rank - lookOf(b.look).rank || a.number - b.number)[0];
    const drawn = group.flatMap((call) => bars(call, scale, now));
    for (const one of drawn) one.label = one.kind = "";
    return {
      y: (i + 1) * LANE, look: worst.look, icon: worst.icon, label: tool || NAMELESS, number: worst.number,
      detail: begun.length ? `${begun.filter((c) => c.answered).length} of ${begun.length}` : "", bars: drawn,
    };
  });
}

/** Everything the drawing needs; see turnscope/web/waterfall.py. */
export function waterfall(calls, { start, end, now, unit, by = "", gaps = [], texts = [], live = false, cut = null, view = null, bare = false, ended = null }) {
  const scale = axis(start, Math.max(end, live ? now : end), unit, live, view);
  const reach = cut ?? (live ? now : end);
  const mode = MODES.has(by) ? by : calls.length > SOLO ? "tool" : "call";
  const spans = (call, a, b) => {
    if (call.look === "orphan" || call.later) return false;
    const [from, , to] = points(call, unit, now);
    return from <= a && to >= b;
  };
  const inSight = ([a, b]) => position(scale, b) >= 0 && position(scale, a) <= 100;
  const quiet = gaps.filter(inSight).map(([a, b]) => {
    const x = Math.max(position(scale, a), 0);
    const x2 = Math.min(position(scale, b), 100);
    const waiting = calls.filter((c) => spans(c, a, b)).length;
    let label = `${duration(b - a)} quiet`;
    if (waiting && x2 - x > 13) label += ` · ${plural(waiting, "open call")}`;
    return {
      x: percent(x), w: percent(x2 - x), x2: percent(x2), mid: percent((x + x2) / 2),
      label: x2 - x > 8 ? label : "", half: Math.round(label.length * 2.65) + 8,
    };
  });
  const spoken = texts.filter(inSight).map(([a, b]) => {
    const x = Math.max(position(scale, a), 0);
    return { x: percent(x), w: percent(Math.max(position(scale, b) - x, 0.2)) };
  });
  const rows = bare ? [] : lanes(calls, scale, reach, mode);
  const edge = position(scale, live ? now : end);
  return {
    unit, by: mode, start: scale.start, end, length: scale.length, from: start, whole: scale.whole, ticks: scale.ticks, lanes: rows, gaps: quiet, texts: spoken,
    said: unit === "ms" && texts.length ? duration(texts.reduce((sum, [a, b]) => sum + b - a, 0)) : "",
    height: (rows.length + 1) * LANE, edge: percent(edge), rest: percent(100 - edge), live,
    stop: stop(ended, scale),
  };
}

/** Where the last run ended, and with which event; null out of sight. */
function stop(ended, scale) {
  const x = ended ? position(scale, ended.at) : -1;
  return x >= 0 && x <= 100 ? { x: percent(x), label: ended.label, look: ended.look, left: x > 20 } : null;
}

/** Where the playhead stands, and what its flag says; null out of sight. */
export function playhead(w, time) {
  const x = position(w, time);
  if (x < 0 || x > 100) return null;
  const label = w.unit === "ms" ? clock(time - w.from) : `#${Math.round(time)}`;
  return { x: percent(x), label, half: Math.max(Math.ceil(label.length * 3.1) + 6, 25) };
}
