/* The command palette: everything that can be done here by name, and everywhere one can go. <dialog>, a combobox over a
   listbox: the focus stays in the box, arrow keys choose, Enter does. */
import { html, nothing, render } from "../vendor/lit-html.js";
import { icon, shown, visible } from "./text.js";

const PLACES = [
  ["Overview", "/", "g o"], ["Channels", "/channels/", "g c"], ["Threads", "/threads/", "g t"], ["Turns", "/turns/", "g u"],
  ["Findings", "/findings/", "g f"], ["Rules", "/rules/", ""], ["Import", "/import/", ""], ["Connect an agent", "/connect/", ""],
  ["Settings", "/settings/", ""], ["Keyboard", "/help/keys/", "?"],
];
const MOST = 12;

let dialog = null;
let state = { items: [], found: [], at: 0, text: "" };

/** Letters in order, the tighter the better; 0 is no match. */
function score(name, text) {
  const low = name.toLowerCase();
  if (!text) return 1;
  if (low.includes(text)) return 1000 - low.indexOf(text) - low.length / 100;
  let at = -1;
  let gaps = 0;
  for (const char of text) {
    const next = low.indexOf(char, at + 1);
    if (next < 0) return 0;
    gaps += next - at - 1;
    at = next;
  }
  return Math.max(200 - gaps, 1);
}

function find() {
  const text = state.text.trim().toLowerCase();
  const seq = /^#?([\d,]+)$/.exec(text)?.[1].replaceAll(",", "");
  const extra = seq && state.goTo ? [{ name: `Go to event #${Number(seq)}`, icon: "arrow-down", act: () => state.goTo(Number(seq)) }] : [];
  if (text && !seq) extra.push({ name: `Find “${state.text.trim()}” everywhere`, icon: "search", act: () => location.assign(`/find/?q=${encodeURIComponent(state.text.trim())}`) });
  const ranked = state.items.map((item) => [score(`${item.name} ${item.hint || ""}`, text), item]).filter(([n]) => n > 0);
  ranked.sort((a, b) => b[0] - a[0]);
  const rest = ranked.slice(0, MOST).map(([, item]) => item);
  state.found = seq ? [...extra, ...rest] : [...rest, ...extra];
  state.at = 0;
  view();
}

function view() {
  render(
    html`<div class="find">${icon("search")}<input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${state.found.length ? `palette-${state.at}` : nothing} aria-label="Command" placeholder="A command, a tool, #731" autocomplete="off" spellcheck="false" .value=${state.text}></div>
<ul id="palette-list" role="listbox" aria-label="Commands">${state.found.map((item, i) => html`<li id=${`palette-${i}`} role="option" aria-selected=${String(i === state.at)} data-at=${i} class=${item.look ? "s-" + item.look : ""}>${icon(item.icon || "chevron-right")}<span>${shown(item.name)}</span>${item.hint ? html`<small>${shown(item.hint)}</small>` : nothing}<i></i>${(item.keys || "").split(" ").filter(Boolean).map((key) => html`<kbd>${key}</kbd>`)}</li>`)}</ul>${state.found.length ? nothing : html`<p class="none">Nothing is called that.</p>`}`,
    dialog,
  );
  dialog.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
}

function choose(index) {
  const item = state.found[index];
  if (!item) return;
  dialog.close();
  item.act();
}

function make() {
  dialog = document.createElement("dialog");
  dialog.id = "palette";
  dialog.setAttribute("aria-label", "Commands");
  document.body.append(dialog);
  dialog.addEventListener("input", (event) => {
    state.text = event.target.value;
    find();
  });
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      state.at = (state.at + by + state.found.length) % Math.max(state.found.length, 1);
      view();
    } else if (event.key === "Enter") choose(state.at);
    else if (event.key === "Escape") dialog.close();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]");
    if (at) choose(Number(at.dataset.at));
    else if (event.target === dialog) dialog.close();
  });
}

/** `items`: {name, hint, icon, look, keys, act}; `goTo(seq)` where there are events. */
export function openPalette(items = [], goTo = null) {
  if (!dialog) make();
  const places = PLACES.filter(([, path]) => path !== location.pathname).map(([name, path, keys]) => ({ name: `Go to ${name}`, icon: "chevron-right", keys, act: () => location.assign(path) }));
  state = { items: [...items, ...places].map((item) => ({ ...item, name: visible(item.name) })), found: [], at: 0, text: "", goTo };
  find();
  dialog.showModal();
  dialog.querySelector("input").focus();
}
