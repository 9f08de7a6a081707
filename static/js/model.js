/* What a turn's rows say, now or at any seq: the browser's half of turnscope/web/show.py. No fold here: each
   call, run and finding row knows the seqs at which it changed. */
import { plural, said, short, size } from "./text.js";

const WAITS = { client: "client", person: "person", background: "job" };
const OPEN = new Set(["running", "waiting", "streaming"]);
const BAD_ARGS = new Set(["cut", "two documents", "not an object", "not JSON", "fragment after the end"]);
const ORDER = { error: 0, warning: 1, info: 2 };
const rank = (severity) => ORDER[severity] ?? 3;

let looks = {};
let owners = {};
/** The tables of states and of owners' icons, as the page brings them. */
export const useLooks = (table, icons = {}) => ([looks, owners] = [table, icons]);
export const lookOf = (key) => looks[key] || looks.wait || { word: key, icon: "circle-dot", rank: 9 };

function stateAt(call, seq) {
  if (call.closed_seq && seq >= call.closed_seq) return call.final || call.state;
  if (call.end_seq && seq >= call.end_seq) return WAITS[call.owner] ? "waiting" : "running";
  return "streaming";
}

function lookFor(state, owner, hanging) {
  if (hanging) return "hanging";
  if (state === "waiting") return WAITS[owner] || "wait";
  return looks[state] ? state : "wait";
}

function note(call, look) {
  const answer = call.answers.find((a) => a.seq === call.answer_seq);
  if (BAD_ARGS.has(call.args_verdict)) return `arguments: ${call.args_verdict}`;
  if (look === "streaming") return plural(call.args_length, "character");
  if (["running", "hanging", "client", "job"].includes(look)) return call.limit_ms ? `limit ${short(call.limit_ms)}` : "no limit";
  if (look === "failed" && answer) return said(answer.excerpt);
  if ((look === "ok" || look === "settled") && answer)
    return size(answer.length) + (answer.plane === "stream" ? "" : `, by ${answer.source}`);
  if (look === "unanswered" && call.end_at && call.closed_at > call.end_at) return `no answer for ${short(call.closed_at - call.end_at)}`;
  return look === "orphan" ? "result only" : call.reason;
}

/** A call with its look, note and codes, given its own findings; at `seq`, or as it stands (null). */
export function dressed(call, own, seq = null) {
  const mine = seq === null ? own : own.filter((f) => f.opened_seq <= seq);
  const standing = mine.filter((f) => !f.closed_seq || (seq !== null && f.closed_seq > seq));
  const final = call.final || call.state;
  const state = seq === null ? final : stateAt(call, seq);
  const look = lookFor(state, call.owner, standing.some((f) => f.code === "C01"));
  const sorted = [...standing].sort((a, b) => rank(a.severity) - rank(b.severity) || (a.code < b.code ? -1 : 1));
  const roots = sorted.filter((f) => !f.because_of.length);
  const last = call.answer_seq || call.closed_seq || call.end_seq;
  const seqs = [call.start_seq, last].filter((n) => n && (seq === null || n <= seq));
  return {
    ...call,
    final,
    state,
    look,
    word: lookOf(look).word,
    icon: lookOf(look).icon,
    owner_icon: owners[call.owner] || "circle-question-mark",
    owner_line: ["hanging", "unanswered", "orphan", "wait"].includes(look),
    codes: [...new Set((roots[0] ? roots : sorted.slice(0, 1)).map((f) => f.code))].slice(0, 3),
    seqs: [...new Set(seqs)],
    note: note(call, look),
    answered: call.answers.some((a) => !a.late && (seq === null || a.seq <= seq)),
    ended: Boolean(call.end_seq) && (seq === null || call.end_seq <= seq),
  };
}

/** The calls that were there at `seq`, dressed, in start order. */
export function callsAt(calls, findings, seq = null) {
  const there = (c) => seq === null || (c.start_seq || c.answer_seq || c.changed) <= seq;
  const of = new Map();
  for (const finding of findings) of.set(finding.call, [...(of.get(finding.call) || []), finding]);
  return calls.filter(there).map((c) => dressed(c, of.get(c.number) || [], seq));
}

export function worstFirst(calls) {
  return [...calls].sort(
    (a, b) => lookOf(a.look).rank - lookOf(b.look).rank || b.start_seq - a.start_seq || b.number - a.number,
  );
}

export function ledger(calls) {
  const known = calls.filter((c) => c.plane === "stream" && c.look !== "orphan");
  const done = known.filter((c) => c.answered);
  const open = known.filter((c) => !c.answered);
  const failed = done.filter((c) => c.look === "failed").length;
  const denied = done.filter((c) => c.look === "denied").length;
  const worst = worstFirst(open);
  const starts = open.map((c) => c.start_at).filter(Boolean);
  return {
    started: known.length,
    ended: known.filter((c) => c.ended).length,
    answered: done.length,
    open: open.length,
    detail: [failed && `${failed} failed`, denied && `${denied} denied`].filter(Boolean).join(" · "),
    oldest_at: starts.length ? Math.min(...starts) : 0,
    nobody: open.length > 0 && !open.some((c) => OPEN.has(c.state)),
    look: worst.length ? worst[0].look : "skipped",
    slots: known.map((c) => (c.answered ? c.look : "no")),
    open_slots: worst.map((c) => c.look),
  };
}

const keyOf = (f) => `${f.code}\n${f.subject}\n${f.occurrence}`;

/** Roots, worst first, each with what it explains; closed ones last. `worst` is of what is not muted. */
export function grouped(findings, seq = null) {
  const there = findings
    .filter((f) => seq === null || f.opened_seq <= seq)
    .map((f) => (seq !== null && f.closed_seq > seq ? { ...f, closed_seq: 0 } : f));
  const byKey = new Map(there.map((f) => [keyOf(f), f]));
  const rootOf = (finding) => {
    const seen = new Set();
    let at = finding;
    while (at.because_of.length && !seen.has(keyOf(at))) {
      seen.add(keyOf(at));
      const above = at.because_of.map((cause) => byKey.get(keyOf(cause))).find(Boolean);
      if (!above) break;
      at = above;
    }
    return at;
  };
  const groups = new Map();
  for (const finding of there) {
    const root = rootOf(finding);
    const key = keyOf(root);
    if (!groups.has(key)) groups.set(key, { ...root, explains: [], worst: root.muted ? "" : root.severity });
    if (finding === root) continue;
    const group = groups.get(key);
    group.explains.push(finding);
    if (!finding.muted && rank(finding.severity) < rank(group.worst)) group.worst = finding.severity;
  }
  const late = (g) => Number(g.code === "R04" || g.code === "T01");
  return [...groups.values()].sort(
    (a, b) =>
      Number(Boolean(a.closed_seq)) - Number(Boolean(b.closed_seq)) ||
      rank(a.worst) - rank(b.worst) ||
      late(a) - late(b) ||
      a.opened_seq - b.opened_seq,
  );
}

// ---------------------------------------------------------------- seqs and times

/** When a seq came: from the samples of the turn's pace, evenly between two of them. */
export function timeOf(pace, seq) {
  const samples = pace.samples;
  if (!samples.length) return pace.start;
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (samples[mid][0] <= seq) low = mid + 1;
    else high = mid;
  }
  if (low === 0) return samples[0][1];
  if (low === samples.length) return samples[low - 1][1];
  const [[a, at], [b, bt]] = [samples[low - 1], samples[low]];
  return at + ((bt - at) * (seq - a)) / Math.max(b - a, 1);
}

/** The last seq that had come by a time. */
export function seqOf(pace, time) {
  const samples = pace.samples;
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (samples[mid][1] <= time) low = mid + 1;
    else high = mid;
  }
  if (low === 0) return pace.first;
  if (low === samples.length) return pace.last;
  const [[a, at], [b, bt]] = [samples[low - 1], samples[low]];
  return a + Math.floor(((b - a) * (time - at)) / Math.max(bt - at, 1));
}
