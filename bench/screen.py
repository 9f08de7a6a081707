"""The turn page in a headless Chromium: what it weighs, how soon it is there, and how it moves.

A turn of one run with as many events as the bench has. Times are what the page itself sees: frames by
requestAnimationFrame, drawing by the time its callbacks take, work of the main thread by Chromium's own
counters. Headless, without a GPU, so frames are slower than in front of a person.

`python -m bench.screen 10000000` measures another size; ten million events take some minutes to be read in,
so that no run of the whole bench has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import data
from bench.page import DRAWN, Seen, chromium, share, turn_of
from bench.rows import Row
from tests.serving import Served, served, turnscope

LOADS = 7
"""Times that the page is opened, by a browser that has none of its files."""
LARGEST = 10_000_000
"""Rows that the list is to scroll."""

OBSERVED = """
window.seen_ = {};
const look = () => {
  const there = (rows) => document.querySelector(rows + " .ev .p")?.textContent;
  if (!seen_.row && there("#rows")) seen_.row = performance.now();
  if (!seen_.ready && there("#rows.pooled")) seen_.ready = performance.now();
  if (!seen_.ready) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
SCROLL = """async ({ frames, by }) => {
  const log = document.getElementById("log");
  const next = () => new Promise(requestAnimationFrame);
  log.scrollTop = 0;
  let before = await next();
  const took = [];
  for (let i = 0; i < frames; i++) {
    log.scrollTop = by ? log.scrollTop + by : Math.random() * log.scrollHeight;
    const now = await next();
    took.push(Math.round((now - before) * 10) / 10);  // as fine as Chromium's clock
    before = now;
  }
  return took;
}"""
JUMP = """async ({ times, last }) => {
  const log = document.getElementById("log");
  const took = [];
  for (let i = 0; i < times; i++) {
    const seq = 1 + Math.floor(Math.random() * last);
    const from = performance.now();
    log.select(seq, { quiet: true });
    while (!log.row(seq) || !log.querySelector(`.ev[data-seq="${seq}"]:not(.ghost)`)) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - from > 5000) break;
    }
    took.push(performance.now() - from);
  }
  return took;
}"""
FILTER = """async (line) => {
  const box = document.getElementById("filter");
  const form = document.getElementById("filters");
  const settle = async (from, done) => {
    while (!done() && performance.now() - from < 20000) await new Promise(requestAnimationFrame);
    return performance.now() - from;
  };
  box.value = line;
  const from = performance.now();
  form.requestSubmit();
  const log = document.getElementById("log");
  const row = ".ev:not(.ghost):not([hidden])";
  const first = await settle(from, () => log.filtered && log.length && log.querySelector(row));
  const all = await settle(from, () => !form.classList.contains("busy"));
  const found = log.length;
  box.value = "";
  form.requestSubmit();
  await settle(performance.now(), () => !log.filtered);
  return [first, all, found];
}"""


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "screen"
    turnscope(home, "ingest", str(data.one_run(count, folder)), "--channel", "bench")
    turnscope(home, "ingest", str(data.file(300, folder)), "--channel", "plain")
    with served(home) as server, chromium() as browser:
        return [*_weights(browser, server), *_rows(browser, server, count)]


def _weights(browser: Any, server: Served) -> list[Row]:
    """Of a turn as most are; one of many calls asks for the canvas as well."""
    seen = Seen(browser, server.url)
    seen.page.goto(f"/turns/{turn_of(server, browser, 'plain')}/")
    seen.page.wait_for_timeout(2500)
    kilo = {kind: size / 1000 for kind, size in seen.weights.items()}
    seen.context.close()
    return [
        Row("turn page: requests", seen.requests, "", 12, 12),
        Row("turn page: scripts over the wire", kilo.get("Script", 0), "kB", 35, 35),
        Row("turn page: style sheets over the wire", kilo.get("Stylesheet", 0), "kB", 10, 10),
        Row("turn page: fonts", kilo.get("Font", 0), "kB", 90, 90),
    ]


def _rows(browser: Any, server: Served, count: int) -> list[Row]:
    turn = turn_of(server, browser, "bench")
    loads = []
    for _ in range(LOADS + 1):
        seen = Seen(browser, server.url)
        page = seen.page
        page.add_init_script(OBSERVED)
        page.add_init_script(DRAWN)
        page.goto(f"/turns/{turn}/")
        loads.append(page.wait_for_function("seen_.ready && seen_").json_value())
        if len(loads) <= LOADS:
            seen.context.close()
    del loads[0]  # what the server loads at its first page is loaded
    page.wait_for_timeout(2500)
    first, ready = (sorted(load[what] for load in loads) for what in ("row", "ready"))
    note = f"in the HTML, with navigation; slowest of {LOADS}: {first[-1]:.0f} ms"
    rows = [
        Row(f"first row of {count:,} on the screen, p50", share(first, 0.5), "ms", 300, 150, note=note),
        Row(
            "scripts have the page, p50",
            share(ready, 0.5),
            "ms",
            600,
            300,
            note=f"slowest: {ready[-1]:.0f} ms",
        ),
    ]
    frames, work = 240, 0.0
    larger = "" if count >= LARGEST else f"; {LARGEST:,} not in this run"
    for name, by in (("40 px a frame", 40), ("3,000 px a frame", 3000), ("random jumps", 0)):
        page.evaluate("drawn_.clear()")
        before = seen.counter("TaskDuration")
        took = page.evaluate(SCROLL, {"frames": frames, "by": by})
        work = (seen.counter("TaskDuration") - before) / frames * 1000
        drawn = page.evaluate("[...drawn_.values()].filter((took) => took > 0)")
        name = f"scroll {count:,}, {name}"
        p50, drawn50 = share(took, 0.5), share(drawn, 0.5)
        rows += [
            Row(f"{name}, p95", share(took, 0.95), "ms", 33.5, 16.8, note=f"p50 {p50:.1f} ms{larger}"),
            Row(f"{name}, p99", share(took, 0.99), "ms", 50, 33),
            Row(f"{name}, drawing p95", share(drawn, 0.95), "ms", 4, 2, note=f"p50 {drawn50:.1f} ms"),
        ]
    rows.append(Row("scroll, main thread per frame at random jumps", work, "ms", 12, 6))
    nodes = page.evaluate("document.getElementById('log').querySelectorAll('*').length")
    rows.append(Row("scroll, elements of the list", nodes, "", 700, 500))
    rows.append(Row("heap after it", seen.heap_mb(), "MB", 12, 8))
    took = page.evaluate(JUMP, {"times": 40, "last": count})
    rows.append(
        Row("jump to any event, p95", share(took, 0.95), "ms", 80, 50, note=f"p50 {share(took, 0.5):.0f} ms")
    )
    part = count / 1_000_000
    for name, line, must, aim in (
        ("by kind", "type:TOOL_CALL_END", min(120 * part + 60, 120), min(60 * part + 30, 60)),
        ("by tool", "tool:find_*", min(400 * part + 60, 400), min(60 * part + 30, 60)),
        ("by text, none but the last", "text:needle-at-the-end", min(1200 * part + 60, 600), 150),
        ("by text, many", "text:cracked,glass", 300, 150),
    ):  # fmt: skip
        first, all_, found = page.evaluate(FILTER, line)
        note = f"all {found:,} after {all_:.0f} ms"
        rows.append(Row(f"filter {name}, first rows", first, "ms", must, aim, note=note))
    seen.context.close()
    return rows


if __name__ == "__main__":
    import sys
    import tempfile

    from bench.rows import table

    with tempfile.TemporaryDirectory() as name:
        print(table(measure(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)))
