/* Moments as lists tell them: how long ago, kept true while the page is open. The exact time, in the reader's own
   zone, stands in the title, and unseen beside it for those who listen. */
import { html } from "../vendor/lit-html.js";

const OFTEN = 5000;
const DAY = 86400;
/** What counts from nothing, as recordings may, is no date. */
const DATED = 946684800000;

const exact = (ms) => new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** `now`, `40 s ago`, `4 min ago`, `22 h ago`, `1 d 3 h ago`; older than a month, the day (turnscope/web/words.py). */
export function ago(ms, now = Date.now()) {
  if (ms < DATED) return "no date";
  const s = Math.floor(Math.max(now - ms, 0) / 1000);
  if (s < 60) return s < 10 ? "now" : `${s} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < DAY) return `${Math.floor(s / 3600)} h ago`;
  if (s >= 30 * DAY) return new Date(ms).toISOString().slice(0, 10);
  const hours = Math.floor((s % DAY) / 3600);
  return `${Math.floor(s / DAY)} d ${hours ? `${hours} h ` : ""}ago`;
}

export function when(ms) {
  if (ms < DATED) return ago(ms);
  const at = exact(ms);
  return html`<time datetime=${new Date(ms).toISOString()} title=${at} data-here=${at}><span .textContent=${ago(ms)}></span><span class="vh" .textContent=${`, ${at}`}></span></time>`;
}

/** Those that the server drew get the reader's zone; all of them tick. What scripts drew is set as a property, since a
    template whose nodes are replaced under it can be drawn no more; drawing it again may leave an older age. */
export function tick(root = document) {
  for (const place of root.querySelectorAll("time[datetime]")) {
    const ms = Date.parse(place.dateTime);
    const [told, spelled] = place.children;
    if (Number.isNaN(ms) || !spelled) continue;
    if (!place.dataset.here) {
      place.dataset.here = place.title = exact(ms);
      spelled.textContent = `, ${place.title}`;
    }
    const words = ago(ms);
    if (told.textContent !== words) told.textContent = words;
  }
}
/** Keep every moment of this page true. */
export function keep() {
  setInterval(() => document.hidden || tick(), OFTEN);
  document.addEventListener("visibilitychange", () => document.hidden || tick());
  tick();
}
