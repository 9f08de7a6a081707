/* Everything on screen is in the address: written when it changes, and opened from it when the page begins. What is
   opened makes an entry that one can go back from; what only moves does not. */
import { draw } from "./drawing.js";
import { seqOf } from "./model.js";
import { data, list, log, page, query, replay } from "./state.js";
import { showEvent, showView } from "./views.js";

const VIEWS = { findings: "findings", events: "events", repaired: "diff" };
/** Whether one view is shown at a time, so that which one it is says something. */
const narrow = () => [".mtabs a", ".mid a"].some((one) => document.querySelector(one).offsetParent);

/** A finding by its code and which of these it is in the turn, as C02-1: a row's own number is another after a rebuild. */
const nameOf = (finding) => `${finding.code}-${list(page.set.findings).filter((f) => f.code === finding.code).indexOf(finding) + 1}`;

let range = [];

export function remember(opened) {
  const params = new URLSearchParams();
  const put = (name, value) => value && params.set(name, value);
  const { unit, start } = page.set.pace;
  const spell = (n) => String(Number((unit === "ms" ? n / 1000 : n).toFixed(3)));
  if (range.length && range[0] !== page.event) {
    log.range = range = [];
    log.draw();
  }
  const found = page.set.findings.get(page.finding);
  put("event", range.join("..") || page.event);
  put("call", page.call);
  put("finding", found && nameOf(found));
  put("calls", page.filter);
  put("lanes", page.by !== data.by && page.by);
  put("from", page.view && spell(page.view[0]));
  put("to", page.view && spell(page.view[1]));
  put("t", replay.seq && !replay.playing && spell(replay.time - (unit === "ms" ? start : 0)));
  put("frames", replay.frames !== "original" && replay.frames);
  put("live", replay.following && page.event && "1");
  put("q", page.q);
  put("kind", [...page.kinds].join(","));
  put("tab", page.tab !== "tools" && page.tab);
  put("panel", page.panel !== "findings" ? page.panel : narrow() && VIEWS[document.querySelector(".work").dataset.view]);
  const text = params.toString();
  const url = text ? `?${text}` : location.pathname;
  if (opened && url !== location.search) {
    history.replaceState(1, "");
    history.pushState(1, "", url);
  } else history.replaceState(1, "", url);
}

/** What the address names, once the page is there. */
export async function open({ show }) {
  const ends = (query.get("event") || "").split("..").map(Number);
  if (ends[1] > ends[0]) log.range = range = ends;
  if (query.get("frames") === "repaired") {
    await show("repaired");
    page.event = data.selected;
    log.select(page.event, { quiet: true });
  }
  const { pace } = page.set;
  const at = Number(query.get("t"));
  const time = pace.unit === "ms" ? pace.start + at * 1000 : null;
  if (at > 0) replay.moveTo(seqOf(pace, time ?? at), time);
  const found = list(page.set.findings).find((f) => nameOf(f) === query.get("finding"));
  if (found) page.finding = found.id;
  const panel = query.get("panel");
  const view = Object.keys(VIEWS).find((name) => VIEWS[name] === panel);
  if (view) showView(view);
  else if (panel === "event" || panel === "raw") {
    showView("findings");
    page.event ||= data.events.selected || page.set.pace.last;
    showEvent(page.event, panel);
  } else if (found) showView("findings");
  else if (query.has("event") && !query.has("call")) showView("events");
  log.draw();
  draw();
  remember();
  if (found) requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(`finding-${found.id}`)?.scrollIntoView({ block: "nearest" })));
}
