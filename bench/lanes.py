"""The timeline of many calls in a headless Chromium: what a frame costs while it is zoomed, and hovering.

A turn of 10,000 calls, and one of 100,000, where most bars are narrower than a pixel and drawn as one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import data
from bench.page import Seen, chromium, share, turn_of
from bench.rows import Row
from tests.serving import Served, served, turnscope

MARKS = {10_000: (12.0, 8.0), 100_000: (16.0, 12.0)}
"""Calls -> (must, aim) in ms of the main thread per frame."""
FRAMES = 180

ZOOM = """async (frames) => {
  const pane = document.querySelector("#waterfall canvas");
  const box = pane.getBoundingClientRect();
  const at = { clientX: box.left + box.width / 3, clientY: box.top + 50, bubbles: true, cancelable: true };
  for (let i = 0; i < frames; i++) {
    pane.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: i % 60 < 30 ? -30 : 30, ctrlKey: true }));
    await new Promise(requestAnimationFrame);
  }
}"""
HOVER = """async (times) => {
  const pane = document.querySelector("#waterfall canvas");
  const box = pane.getBoundingClientRect();
  const took = [];
  for (let i = 0; i < times; i++) {
    const x = box.left + Math.random() * box.width;
    const y = box.top + Math.random() * box.height;
    const from = performance.now();
    pane.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
    took.push(performance.now() - from);
    if (i % 10 === 0) await new Promise(requestAnimationFrame);
  }
  return took;
}"""


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "lanes"
    for calls in MARKS:
        turnscope(home, "ingest", str(data.many_calls(calls, folder)), "--channel", f"calls-{calls}")
    with served(home) as server, chromium() as browser:
        return [row for calls in MARKS for row in _lanes(browser, server, calls)]


def _lanes(browser: Any, server: Served, calls: int) -> list[Row]:
    seen = Seen(browser, server.url)
    page = seen.page
    page.set_default_timeout(120_000)  # what is measured is how it moves, not how soon it is there
    page.goto(f"/turns/{turn_of(server, browser, f'calls-{calls}')}/")
    page.locator("#waterfall canvas").wait_for()
    page.wait_for_timeout(1500)
    rows = []
    must, aim = MARKS[calls]
    for by, what in (("tool", "by tool"), ("packed", "packed"), ("call", "a lane each")):
        page.locator(f'[data-lanes="{by}"]').click()
        page.wait_for_timeout(400)
        before = seen.counter("TaskDuration")
        page.evaluate(ZOOM, FRAMES)
        work = (seen.counter("TaskDuration") - before) / FRAMES * 1000
        rows.append(Row(f"waterfall, {calls:,} calls {what}, main thread per frame", work, "ms", must, aim))
    page.locator('[data-lanes="tool"]').click()
    page.wait_for_timeout(400)
    took = page.evaluate(HOVER, 300)
    rows.append(Row(f"waterfall, {calls:,} calls, hover p95", share(took, 0.95), "ms", 8, 4))
    seen.context.close()
    return rows


if __name__ == "__main__":
    import tempfile

    from bench.rows import table

    with tempfile.TemporaryDirectory() as name:
        print(table(measure(Path(name), 0)))
