/* What the palette offers on a turn's page. */
import { around } from "./around.js";
import { copy } from "./boot.js";
import { unzoom } from "./timeline.js";

export function commands({ page, log, replay, selectCall, selectFinding, roots, calls }) {
  const click = (selector) => () => document.querySelector(selector)?.click();
  return {
    goTo: (seq) => log.select(seq),
    items: [
      { name: "Replay repaired", icon: "wrench", act: click("[data-replay-repaired]") },
      { name: "Play or pause", icon: "play", keys: "space", act: () => replay.play() },
      ...[0.25, 0.5, 1, 2, 4, 8, 16].map((n) => ({ name: `Play at ${n}×`, icon: "play", keys: "< >", act: () => replay.setSpeed(n) })),
      { name: "Skip quiet time while playing", icon: "skip-forward", act: () => replay.toggle("skip") },
      ...["original", "repaired"].map((name) => ({ name: `Show the ${name} turn`, icon: "git-compare", act: click(`[data-frames="${name}"]`) })),
      ...["tools", "transcript", "state"].map((name) => ({ name: `Show ${name}`, icon: "layers", act: click(`[data-tab="${name}"]`) })),
      ...["call", "packed", "tool"].map((name) => ({ name: `Timeline: ${{ call: "a lane for each call", packed: "packed", tool: "by tool" }[name]}`, icon: "activity", act: click(`[data-lanes="${name}"]`) })),
      { name: "All of the timeline", icon: "activity", keys: "0", act: unzoom },
      around(log, copy),
      { name: "Filter events", icon: "list-filter", act: () => document.getElementById("filter").focus() },
      { name: "Export", icon: "download", keys: "e", act: () => location.assign(`/turns/${page.pk}/export/`) },
      { name: "Compare original and repaired", icon: "git-compare", keys: "g d", act: () => location.assign(`/turns/${page.pk}/diff/`) },
      ...roots.map((f) => ({ name: f.title, hint: f.code, icon: f.icon, act: () => selectFinding(f.id) })),
      ...calls.slice(0, 500).map((c) => ({ name: c.name, hint: `${c.call_id} ${c.word}`, icon: c.icon, look: c.look, act: () => selectCall(c.number) })),
    ],
  };
}
