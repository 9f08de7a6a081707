/* What a reader does on the turn page: selecting, filtering, switching tabs. */
import { copyFile } from "./boot.js";
import { draw } from "./drawing.js";
import { filterBy, filterKind } from "./filtering.js";
import { $, here, list, log, page, remember, replay } from "./state.js";
import { count } from "./text.js";
import { callUnder } from "./timeline.js";
import { moment, panel, showEvent, showTab, showView } from "./views.js";

export function selectEvent(seq, { open = false } = {}) {
  page.event = seq;
  log.selected = seq;
  const row = log.row(seq);
  log.related = row ? row.call : log.related;
  $("at-event").textContent = `#${count(seq)}`;
  $("row-of").textContent = `Row ${count(log.indexOf(seq) + 1)} of ${count(log.length)}`;
  if (row?.call) page.call = list(page.set.calls).filter((c) => c.call_id === row.call).pop()?.number || page.call;
  log.draw();
  draw();
  remember();
  if (open || page.panel !== "findings") showEvent(seq);
}

export function selectCall(number) {
  page.call = number;
  const call = list(page.set.calls).find((c) => c.number === number);
  if (!call) return;
  log.related = call.call_id;
  const seq = call.start_seq || call.answer_seq;
  if (seq) log.select(seq);
  draw();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.querySelector(`#cards [data-number="${number}"]`)?.scrollIntoView({ block: "nearest" });
    document.querySelector(`#waterfall a[data-number="${number}"]`)?.scrollIntoView({ block: "nearest" });
  }));
}

export function selectFinding(id) {
  page.finding = id;
  const finding = page.set.findings.get(id);
  if (finding?.call) page.call = finding.call;
  if (finding?.seqs.length) log.select(finding.seqs[0]);
  panel("findings");
  draw();
  requestAnimationFrame(() => requestAnimationFrame(() => $(`finding-${id}`)?.scrollIntoView({ block: "nearest" })));
}

// ---------------------------------------------------------------- what a reader does

document.addEventListener("click", (event) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const bar = callUnder(event);
  if (bar) return selectCall(bar);
  const at = event.target.closest("[data-seq],[data-calls],[data-lanes],[data-tab],[data-panel],[data-view],[data-kind],a.lane,.card,.f,[data-replay-repaired],[data-copy-transcript],[data-more-cards]");
  if (!at || at.closest("ts-log .ev") || event.target.closest("a.code,a.id,summary,button:not([data-copy-transcript],[data-more-cards]),.pop")) return;
  const { seq, calls, lanes, tab, panel: name, view, kind, number } = at.dataset;
  if (!at.matches(".card,.f")) event.preventDefault();
  if (seq) {
    const events = document.querySelector('.mtabs [data-view="events"]');
    if (events.offsetParent) showView("events");
    return log.select(Number(seq));
  }
  if (at.matches(".card") && event.target.closest("a")) event.preventDefault();
  if (calls !== undefined) page.filter = page.filter === calls ? "" : calls;
  if (lanes) {
    page.by = lanes;
    for (const link of document.querySelectorAll("[data-lanes]")) link.setAttribute("aria-current", String(link === at));
  }
  if (tab) showTab(tab);
  if (name === "findings") panel(name);
  else if (name) return showEvent(page.event || page.set.pace.last, name);
  if (view) showView(view);
  if (kind) return filterKind(kind);
  if (number) return selectCall(Number(number));
  if (at.matches(".f")) return selectFinding(Number(at.id.replace("finding-", "")));
  if ("replayRepaired" in at.dataset) return document.dispatchEvent(new Event("replay-repaired"));
  if ("moreCards" in at.dataset) page.most = Infinity;
  if ("copyTranscript" in at.dataset) return copyTranscript(at);
  draw();
  remember();
});

const copyTranscript = (button) =>
  copyFile(`/turns/${page.pk}/download/transcript.json?target=${encodeURIComponent(page.repaired?.target || "")}`, button);

/** The selected event as it arrived, whether it is open or not. */
export function copyEvent() {
  if (page.event) copyFile(`${here()}events/${page.event}/?raw=1`);
}

/** The find box first looks through this turn's events; what is not there is looked for everywhere. */
const box = document.querySelector(".search");
box.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = box.elements.q.value.trim();
  const found = await filterBy(text);
  if (text && !found) return box.submit();
  if (text) log.select(log.seqAt(Math.max(log.indexOf(page.event), 0)));
});
box.elements.q.addEventListener("search", () => box.elements.q.value || filterBy(""));

log.addEventListener("choose", (e) => selectEvent(e.detail.seq, e.detail));
log.addEventListener("unfollow", () => follow(false));
replay.addEventListener("move", (e) => {
  page.seq = e.detail;
  log.playTo(e.detail);
  if (e.detail !== null) follow(false);
  draw();
  moment();
  if (!replay.playing) remember();
});
replay.addEventListener("follow", () => follow(!replay.following));

export function follow(on) {
  replay.following = on && page.live;
  log.following = replay.following;
  if (replay.following) {
    replay.moveTo(null);
    log.toEnd();
  }
  replay.draw();
  remember();
}
