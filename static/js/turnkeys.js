/* The keys of the turn page. */
import { offer } from "./boot.js";
import { bind } from "./keys.js";
import { callsAt, grouped, worstFirst } from "./model.js";
import { unzoom, zoom } from "./timeline.js";

export function turnKeys({ page, log, replay, selectCall, selectFinding, selectEvent, copyEvent, panel, follow }) {
  const values = (map) => [...map.values()];
  const roots = () => grouped(values(page.set.findings), page.seq);
  const inOrder = () => worstFirst(callsAt(values(page.set.calls), values(page.set.findings), page.seq));

  /** The neighbour of what is selected in a list, by a key of its items. */
  const beside = (items, key, current, by) => {
    if (!items.length) return null;
    const index = items.findIndex((item) => item[key] === current);
    return items[index < 0 ? (by > 0 ? 0 : items.length - 1) : (index + by + items.length) % items.length];
  };

  bind("j", "next row", () => log.step(1));
  bind("k", "previous row", () => log.step(-1));
  for (const [key, by] of [["J", 1], ["K", -1]])
    bind(key, "finding", () => {
      const next = beside(roots(), "id", page.finding, by);
      if (next) selectFinding(next.id);
    });
  for (const [key, by] of [["n", 1], ["p", -1]])
    bind(key, "call", () => {
      const next = beside(inOrder(), "number", page.call, by);
      if (next) selectCall(next.number);
    });
  bind(" ", "play or pause", () => replay.play());
  bind(",", "step back", () => replay.back());
  bind(".", "step forward", () => replay.next());
  bind("<", "slower", () => replay.faster(-1));
  bind(">", "faster", () => replay.faster(1));
  bind("Escape", "back", () => {
    document.querySelector("dialog[open]")?.close();
    if (replay.seq !== null) replay.leave();
    else panel("findings");
  });
  bind("Enter", "inspect", () => (page.event ? selectEvent(page.event, { open: true }) : false));
  bind("+", "nearer", () => zoom(1.5));
  bind("=", "nearer", () => zoom(1.5));
  bind("-", "farther", () => zoom(1 / 1.5));
  bind("0", "all of it", unzoom);
  bind("g g", "first row", () => log.select(log.seqAt(0)));
  bind("G", "last row", () => log.select(log.seqAt(log.length - 1)));
  bind("f", "follow newest", () => follow(!replay.following));
  bind("c", "copy event", copyEvent);

  offer(async () => (await import("./commands.js")).commands({ page, log, replay, selectCall, selectFinding, roots: roots(), calls: inOrder() }));
}
