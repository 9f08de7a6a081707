/* What the turn page knows: the rows the server gave it, what is selected, and which set of rows is shown. */
import { useLooks } from "./model.js";

export const $ = (id) => document.getElementById(id);
export const data = JSON.parse($("turn-data").textContent);
export const query = new URLSearchParams(location.search);
export const log = $("log");
export const replay = $("replay");
useLooks(data.looks, data.owners);
/** A call as the page brings it: what is nothing was left out. */
export const NOTHING = {
  call_id: "", plane: "", state: "", reason: "", owner: "", owner_source: "", owner_reason: "", args: "", args_verdict: "", answers: [],
};
const NUMBERS = "number occurrence turn run limit_ms start_seq end_seq closed_seq start_at end_at closed_at args_length answer_seq answer_at changed";
for (const name of NUMBERS.split(" ")) NOTHING[name] = 0;

/** The part of the timeline that the address names: seconds, or events where there are no times. */
function viewOf(unit) {
  const [from, to] = ["from", "to"].map((name) => Number(query.get(name) || NaN) * (unit === "ms" ? 1000 : 1));
  return to > (from || 0) ? [from || 0, to] : null;
}

export const page = {
  pk: data.turn.id,
  turn: data.turn,
  live: data.live,
  /** Calls are still to come (thin.js): what counts them waits. */
  partial: data.thin,
  skew: data.now - Date.now(),
  calls: new Map(data.calls.map((c) => [c.id, { ...NOTHING, ...c }])),
  findings: new Map(data.findings.map((f) => [f.id, f])),
  runs: new Map(data.runs.map((r) => [r.id, r])),
  pace: data.pace,
  scrub: data.scrub,
  seq: null,
  tab: ["transcript", "state"].find((name) => name === query.get("tab")) || "tools",
  panel: "findings",
  view: viewOf(data.pace.unit),
  by: data.by,
  filter: query.get("calls") || "",
  q: data.events.filter.text,
  most: 120,
  kinds: new Set(data.events.only),
  call: Number(query.get("call")) || 0,
  finding: 0,
  event: data.selected,
  repaired: null,
  headline: data.headline.text,
  set: null,
};
/** What is drawn: the stored rows, or those of the repaired turn. */
export const original = () => ({ calls: page.calls, findings: page.findings, pace: page.pace, scrub: page.scrub });
export const onOriginal = () => page.set.calls === page.calls;
/** Where the frames that are shown are asked for. */
export const here = () => `/turns/${page.pk}/${onOriginal() ? "" : "repaired/"}`;
page.set = original();

/** Rows of a map in order of their number. */
export const list = (map) => [...map.values()].sort((a, b) => (a.number || 0) - (b.number || 0) || a.id - b.id);

/** Write what is on screen into the address, soon; `opened`: so that one can go back. */
let opening = null;
export function remember(opened = false) {
  if (opening === null)
    import("./address.js").then((address) => {
      address.remember(opening);
      opening = null;
    });
  opening ||= opened;
}
