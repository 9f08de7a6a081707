/* Which view is open on the left (tools, transcript, state) and on the right (findings, one event, its raw text), and
   on a small screen. What these show of one moment is asked of the server, at most every so often while it moves. */
import { html } from "../vendor/lit-html.js";
import { into } from "./drawing.js";
import { say } from "./live.js";
import { $, here, log, onOriginal, page, remember } from "./state.js";
import { count } from "./text.js";

const PANELS = ["findings", "event", "raw"];
const TABS = { tools: "cards", transcript: "transcript", state: "state" };
const OFTEN = 250;

export function panel(name) {
  const opened = name !== "findings" && name !== page.panel;
  page.panel = name;
  for (const tab of $("panel-tabs").querySelectorAll("[data-panel]")) {
    tab.setAttribute("aria-selected", String(tab.dataset.panel === name));
    if (name !== "findings") tab.hidden = false;
  }
  for (const other of PANELS) $(other).hidden = other !== name;
  remember(opened);
}

/** The event that is open, in the view that is open; `name` opens one. */
export async function showEvent(seq, name = page.panel === "raw" ? "raw" : "event") {
  panel(name);
  $("panel-tabs").querySelector('[data-panel="event"]').textContent = `Event #${count(seq)}`;
  const url = `${here()}events/${seq}/`;
  try {
    const view = await import("./payload.js");
    const e = await (await fetch(url)).json();
    if (page.event !== seq) return;
    into("event", view.event(e, url, page.set.pace));
    into("raw", view.raw(e, url));
  } catch {
    into(name, html`<p class="none"><b>This event could not be read.</b> <a class="ref" href=${`${url}?raw=1`} download>As it arrived</a></p>`);
  }
}

export function showTab(name) {
  page.tab = name;
  for (const link of document.querySelectorAll("[data-tab]")) link.setAttribute("aria-selected", String(link.dataset.tab === name));
  for (const [tab, id] of Object.entries(TABS)) $(id).hidden = tab !== name;
  moment();
  remember();
}

let asked = 0;
let shown = "";
let timer = 0;
/** Bring the transcript or the state to the seq that is looked at. */
export function moment() {
  if (page.tab === "tools" || timer) return;
  timer = setTimeout(ask, Math.max(asked + OFTEN - performance.now(), 0));
}
async function ask() {
  timer = 0;
  asked = performance.now();
  const { tab } = page;
  const at = page.seq ?? (onOriginal() ? page.turn.last_seq : page.set.pace.last);
  const key = `${here()}${tab}.json?at=${at}`;
  if (tab === "tools" || key === shown) return;
  shown = key;
  try {
    const [answer, view] = await Promise.all([fetch(key), import("./moments.js")]);
    const told = await answer.json();
    if (shown !== key) return;
    into(TABS[tab], tab === "state" ? view.state(told) : view.transcript(told, page.pk));
    if (page.seq === null) $(TABS[tab]).scrollTop = tab === "transcript" ? $(TABS[tab]).scrollHeight : 0;
  } catch {
    shown = "";
    say(`The ${tab} could not be read`);
  }
}

export function showView(name) {
  document.querySelector(".work").dataset.view = name;
  for (const other of document.querySelectorAll("nav [data-view]")) {
    if (other.dataset.view === name) other.setAttribute("aria-current", other.closest(".mtabs") ? "page" : "true");
    else other.removeAttribute("aria-current");
  }
  if (name === "findings") panel("findings");
  log.draw();
  remember();
}
