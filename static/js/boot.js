/* What every page does: theme, find box, copying, and the keys that work everywhere.
   Pages work without it. */
import { bind, start } from "./keys.js";
import { say } from "./live.js";

const root = document.documentElement;

function dark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
function switchTheme() {
  root.dataset.theme = dark() ? "light" : "dark";
  document.cookie = `theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
}

/** Copy a text and say so in place. */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Copied");
  if (!button || button.dataset.done) return;
  const place = button.querySelector(".lbl") || [...button.childNodes].filter((n) => n.nodeType === 3 && n.data.trim()).pop();
  const before = place?.textContent;
  button.dataset.done = "";
  if (place) place.textContent = "Copied";
  setTimeout(() => {
    delete button.dataset.done;
    if (place) place.textContent = before;
  }, 1400);
}

export async function copyFile(url, button) {
  const answer = await fetch(url);
  if (answer.ok) copy(await answer.text(), button);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy],[data-copy-link],[data-copy-from],[data-copy-url],[data-theme-switch]");
  if (!button) return;
  if ("themeSwitch" in button.dataset) return switchTheme();
  event.preventDefault();
  if (button.dataset.copyUrl) return copyFile(button.dataset.copyUrl, button);
  const from = button.dataset.copyFrom && document.getElementById(button.dataset.copyFrom);
  copy("copyLink" in button.dataset ? location.href : from ? from.value || from.textContent : button.dataset.copy, button);
});

for (const place of document.querySelectorAll("[data-theme-switch],[data-copy-link],[data-copy-from],[data-copy-url],[data-copy]")) place.hidden = false;

/** What the palette offers here: a function that gives {items, goTo}, or a promise of it. */
let offered = () => ({ items: [], goTo: null });
export function offer(give) {
  offered = give;
}
async function palette() {
  const { openPalette } = await import("./palette.js");
  const { items, goTo } = await offered();
  const here = [
    { name: "Light or dark", icon: "sun-moon", keys: "t", act: switchTheme },
    { name: "Copy a link to this", icon: "link", keys: "y", act: () => copy(location.href, document.querySelector("[data-copy-link]")) },
  ];
  openPalette([...items, ...here], goTo);
}
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  palette();
});

/** From row to row of a list, by whole lists to its ends; the turn page and its events have lists of their own. */
function walk(by) {
  const rows = [...document.querySelectorAll("main .trow .what b a, main .frow b a, main a.name")].filter((a) => a.offsetParent);
  if (!rows.length) return false;
  const at = rows.indexOf(document.activeElement);
  const from = at < 0 && by < 0 ? rows.length : at;
  const next = rows[Math.max(0, Math.min(from + by, rows.length - 1))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

for (const [key, by] of [["j", 1], ["k", -1], ["J", 1], ["K", -1], ["g g", -1e9], ["G", 1e9]]) bind(key, "row", () => walk(by));
bind(":", "commands", palette);
bind("/", "find", () => document.querySelector(".search input")?.select());
bind("t", "theme", switchTheme);
bind("y", "copy link", () => copy(location.href, document.querySelector("[data-copy-link]")));
bind("?", "keys", () => location.assign("/help/keys/"));
for (const [key, path] of [["c", "channels/"], ["f", "findings/"], ["t", "threads/"], ["u", "turns/"], ["o", ""]]) bind(`g ${key}`, path, () => location.assign(`/${path}`));
/** On the pages of a turn. */
const turn = /^\/turns\/\d+\//.exec(location.pathname)?.[0];
if (turn) {
  for (const [key, path] of [["e", "export/"], ["g d", "diff/"], ["Escape", ""]]) bind(key, path, () => location.assign(turn + path));
}
bind("[", "previous", () => document.querySelector('a[rel="prev"]')?.click());
bind("]", "next", () => document.querySelector('a[rel="next"]')?.click());
start();

if (document.querySelector("ts-channel,ts-overview,ts-import,ts-polled")) import("./channel.js");
if (document.querySelector("main time")) import("./times.js").then((times) => times.keep());
if (document.querySelector("[data-verdict]")) import("./verdicts.js");
