/* Single-key shortcuts: off while typing, off with modifiers, off for good where a reader says so (WCAG 2.1.4:
   the switch is on /help/keys/). Two-key ones are written `g c`. */

const bound = new Map();
let lead = "";
let timer = 0;

export const enabled = () => {
  try {
    return localStorage.getItem("keys") !== "off";
  } catch {
    return true;
  }
};
export function enable(on) {
  try {
    localStorage.setItem("keys", on ? "on" : "off");
  } catch {
    /* a browser that keeps nothing */
  }
}

/** `act` may answer false: not here, let the browser have the key. */
export function bind(key, what, act) {
  bound.set(key, act);
}

const typing = (at) => at.closest("input:not([type=range]):not([type=checkbox]),textarea,select,[contenteditable]");

function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target instanceof Element ? event.target : document.body;
  if (typing(at)) {
    if (event.key === "Escape") at.blur();
    return;
  }
  if (!enabled() && event.key !== "Escape") return;
  // A link is followed by Enter alone: the space is free there.
  if (event.key === " " && at.closest("button,summary,[role=tab]")) return;
  if (event.key === "Enter" && at.closest("button,a,summary,[role=tab]")) return;
  const key = lead ? `${lead} ${event.key}` : event.key;
  clearTimeout(timer);
  lead = "";
  if (bound.has(key)) {
    if (bound.get(key)(event) !== false) event.preventDefault();
  } else if ([...bound.keys()].some((known) => known.startsWith(`${event.key} `))) {
    lead = event.key;
    timer = setTimeout(() => (lead = ""), 900);
  }
}

let started = false;
export function start() {
  if (started) return;
  started = true;
  document.addEventListener("keydown", press);
  const box = document.getElementById("keys-on");
  if (!box) return;
  box.checked = enabled();
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.addEventListener("change", () => enable(box.checked));
}
