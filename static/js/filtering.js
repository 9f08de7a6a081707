/* The filter of the event list: a line of the filter language and the kinds that are switched on. The server reads
   the line and says what it could not understand; nothing is parsed here. */
import { html } from "../vendor/lit-html.js";
import { into } from "./drawing.js";
import { $, log, onOriginal, page, remember } from "./state.js";
import { count, icon, shown } from "./text.js";

const box = $("filter");
const TYPED = 350;

function matching() {
  const all = count(onOriginal() ? page.turn.events : log.source.last);
  $("matching").textContent = log.filtered ? `${count(log.length)} of ${all}` : all;
}

/** The words before, in and after what is wrong, and why. */
function problem(text, { start, end, message }) {
  return html`<p>${icon("triangle-alert")}<span>${shown(text.slice(Math.max(start - 24, 0), start))}<mark>${shown(text.slice(start, end))}</mark>${shown(text.slice(end, end + 24))}</span> ${shown(message)}</p>`;
}
function told(head) {
  const problems = head?.problems || [];
  $("filter-says").hidden = !problems.length;
  box.toggleAttribute("aria-invalid", problems.length > 0);
  if (problems.length) into("filter-says", html`${problems.map((one) => problem(head.text, one))}`);
}

/** Ask anew; how many events match. */
export async function refilter() {
  const params = new URLSearchParams();
  if (page.q) params.set("q", page.q);
  if (page.kinds.size) params.set("kind", [...page.kinds].join(","));
  remember();
  $("filters").classList.toggle("busy", Boolean(params.size));
  try {
    const found = await log.filter(params.toString(), matching);
    told(found?.head);
    matching();
    return found ? found.length : page.turn.events;
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    return 0;
  } finally {
    $("filters").classList.remove("busy");
  }
}

/** Let only events through that a line speaks of. */
export function filterBy(line) {
  page.q = box.value = line.trim();
  return refilter();
}

export function filterKind(kind) {
  if (!page.kinds.delete(kind)) page.kinds.add(kind);
  for (const chip of document.querySelectorAll("#filters [data-kind]")) chip.classList.toggle("on", page.kinds.has(chip.dataset.kind));
  return refilter();
}

let timer = 0;
box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => box.value.trim() !== page.q && filterBy(box.value), TYPED);
});
$("filters").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  filterBy(box.value);
  log.focus({ preventScroll: true });
});
box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !box.value) return;
  event.stopPropagation();
  filterBy("");
});
$("filter-words").addEventListener("pointerdown", (event) => {
  const word = event.target.closest("[data-word]")?.dataset.word;
  if (!word) return;
  event.preventDefault();
  box.value = `${box.value.trim()} ${word}:`.trimStart();
  box.focus();
});
log.addEventListener("more", matching);
