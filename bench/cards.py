"""Live cards and the live tail in a headless Chromium: from a producer's send to the frame that shows it.

Each delta carries the time it was sent; the page looks at every frame which is the newest that stands there.
So the way is measured whole: socket, journal, commit, hint, patch, paint.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.agent import CARDS, HERTZ, Agent, deltas, paced, stamp
from bench.data import full
from bench.page import Seen, chromium, share
from bench.rows import Row
from tests.serving import Served, served

SECONDS = 8
TAILS = {10_000: (250.0, 40.0), 30_000: (400.0, 100.0)}
"""Events a second -> (must, aim) in ms of send to paint p95."""
LONG = 60, 600
"""Seconds of the tail after which the page's heap is looked at: in a quick run, and in a full one."""

LOOK = """(selector) => {
  window.latencies_ = [];
  window.long_ = [];
  const watch = new PerformanceObserver((list) => long_.push(...list.getEntries().map((e) => e.duration)));
  watch.observe({ type: "longtask" });
  const painted = new MessageChannel();
  let newest = 0;
  const look = () => {
    let found = 0;
    for (const place of document.querySelectorAll(selector))
      for (const [, sent] of place.textContent.matchAll(/@(\\d{13})/g)) found = Math.max(found, Number(sent));
    if (found > newest) {
      painted.port1.postMessage(found);
      newest = found;
    }
    requestAnimationFrame(look);
  };
  painted.port2.onmessage = ({ data }) => latencies_.push(Date.now() - data);
  look();
}"""
"""What stands there is looked at before its frame is painted; a message sent then is heard afterwards."""


def measure(folder: Path, count: int) -> list[Row]:
    long = LONG[full(count)]
    with served(folder / "cards") as server, chromium() as browser:
        quick, slow = TAILS
        return [
            *_cards(server, browser),
            *_tail(server, browser, slow, SECONDS),
            *_tail(server, browser, quick, long, heap=True),
        ]


def _opened(server: Served, browser: Any, call: str, selector: str) -> Seen:
    seen = Seen(browser, server.url)
    seen.page.goto(f"/find/?q={call}")
    seen.page.locator(".pill.live").wait_for()
    seen.page.evaluate(LOOK, selector)
    return seen


def _sent(seen: Seen, send: Callable[[int], None], seconds: float) -> tuple[list[float], list[float]]:
    """Send at the pace; how long each newest took to be seen, and the main thread's long tasks, in ms."""
    sender = threading.Thread(target=paced, args=(send, seconds))
    sender.start()
    seen.page.wait_for_timeout(seconds * 1000)
    sender.join()
    latencies, long = seen.page.evaluate("[latencies_, long_]")
    if not latencies:
        raise RuntimeError("nothing of what was sent came to be seen")
    return latencies, long


def _cards(server: Served, browser: Any) -> list[Row]:
    agent = Agent(server.port, "cards")
    agent.cards()
    seen = _opened(server, browser, "card-7", "#cards .r2")
    seen.page.wait_for_timeout(1000)
    before = seen.counter("TaskDuration")
    latencies, long = _sent(seen, lambda tick: agent.send(*deltas(tick)), SECONDS)
    busy = (seen.counter("TaskDuration") - before) / SECONDS
    seen.context.close()
    name = f"{CARDS} cards at {HERTZ} Hz, send to paint"
    note = f"main thread {busy:.0%}, {len(latencies)} frames with news"
    longest = f"longest of {len(long)} over 50 ms: {max(long):.0f} ms" if long else "none over 50 ms either"
    return [
        Row(f"{name} p50", share(latencies, 0.5), "ms", 60, 20),
        Row(f"{name} p95", share(latencies, 0.95), "ms", 100, 50, note=note),
        Row(f"{name} p99", share(latencies, 0.99), "ms", 200, 100),
        Row("long tasks over 100 ms", sum(took > 100 for took in long), "", 3, 0, note=longest),
    ]


def _tail(server: Served, browser: Any, rate: int, seconds: float, *, heap: bool = False) -> list[Row]:
    agent = Agent(server.port, f"tail-{rate}")
    message = f"tail-{rate}-m"
    agent.send(
        {"type": "RUN_STARTED", **agent.about},
        {"type": "TOOL_CALL_START", "toolCallId": f"tail-{rate}", "toolCallName": "tail"},
        {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"},
    )
    seen = _opened(server, browser, f"tail-{rate}", "#log .ev .p")
    seen.page.keyboard.press("f")
    start = f'{{"type": "TEXT_MESSAGE_CONTENT", "messageId": "{message}", "delta": "'

    def send(tick: int) -> None:
        now = stamp()
        agent.lines("\n".join(f'{start}{n} {now}"}}' for n in range(rate // HERTZ)).encode())

    latencies, long = _sent(seen, send, seconds)
    must, aim = TAILS[rate]
    p50, p99 = share(latencies, 0.5), share(latencies, 0.99)
    note = f"p50 {p50:.0f}, p99 {p99:.0f} ms over {seconds:.0f} s, {len(long)} long tasks"
    name = f"tail of {rate:,} events a second, send to paint p95"
    rows = [Row(name, share(latencies, 0.95), "ms", must, aim, note=note)]
    if heap:
        note = "" if seconds >= LONG[1] else f"--full has {LONG[1]} s"
        rows.append(Row(f"heap after {seconds:.0f} s of it", seen.heap_mb(), "MB", 16, 8, note=note))
    seen.context.close()
    return rows


if __name__ == "__main__":
    import tempfile

    from bench.rows import table

    with tempfile.TemporaryDirectory() as name:
        print(table(measure(Path(name), 0)))
