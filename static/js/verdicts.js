/* The export page's table: what there was no time for when the page was made is asked for, a target after the other,
   so that a long conversation is repaired once at a time. Without it each row is a link that works it out. Of one that
   was too long to be read for the first byte, the same is asked for the page itself, which is then shown whole. */
import { html, render } from "../vendor/lit-html.js";
import { icon, shown } from "./text.js";

async function fill(row) {
  const answer = await fetch(row.dataset.verdict);
  if (!answer.ok) return;
  const told = await answer.json();
  const [mark, , small] = row.children;
  row.className = `target ${told.look}`;
  mark.replaceChildren();
  render(icon(told.icon), mark);
  small.textContent = told.word;
  if (told.why) {
    const why = document.createElement("small");
    why.className = "why";
    render(html`${shown(told.why.slice(0, 160))}`, why);
    row.append(why);
  }
  delete row.dataset.verdict;
}

async function fillAll() {
  const whole = document.querySelector("[data-whole]");
  if (whole) {
    const answer = await fetch(whole.dataset.whole);
    if (answer.ok) location.replace(whole.href);
    return;
  }
  for (const row of document.querySelectorAll("[data-verdict]")) await fill(row);
}
fillAll().catch(() => {});
