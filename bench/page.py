"""Chromium as the benches use it: a page, what it weighs, what its main thread does, what its frames cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.process import Absent
from tests.serving import Served

WIDE = {"width": 1440, "height": 900}

DRAWN = """
window.drawn_ = new Map();
const timed = (callback) => function (...given) {
  const from = performance.now();
  try {
    return callback.apply(this, given);
  } finally {
    const frame = document.timeline.currentTime;
    drawn_.set(frame, (drawn_.get(frame) ?? 0) + performance.now() - from);
  }
};
const asked = window.requestAnimationFrame;
window.requestAnimationFrame = (callback) => asked(timed(callback));
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, heard, how) {
  const ours = type === "scroll" && typeof heard === "function";
  return listen.call(this, type, ours ? timed(heard) : heard, how);
};
"""
"""Before a page's own scripts: `drawn_` has the ms of callbacks and listeners of scrolling, by frame."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, or Absent."""
    try:
        from playwright.sync_api import sync_playwright

        from tests.chromium import NO_CHROMIUM, find
    except ImportError as lack:
        raise Absent(f"playwright is not installed: {lack}") from lack
    found = find()
    if found is None:
        raise Absent(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Seen:
    """A page, and Chromium's counters of it."""

    def __init__(self, browser: Any, url: str) -> None:
        self.context = browser.new_context(viewport=WIDE, base_url=url)
        self.page = self.context.new_page()
        self.tools = self.context.new_cdp_session(self.page)
        self.tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.tools.send("Network.enable")
        self.sent: dict[str, tuple[str, str]] = {}
        self.weights: dict[str, int] = {}
        self.requests = 0
        self.tools.on("Network.requestWillBeSent", self._asked)
        self.tools.on("Network.loadingFinished", self._came)

    def _asked(self, event: Any) -> None:
        if event["request"]["url"].startswith("http"):
            self.requests += 1
            self.sent[event["requestId"]] = (event.get("type", ""), event["request"]["url"])

    def _came(self, event: Any) -> None:
        kind, _ = self.sent.get(event["requestId"], ("", ""))
        self.weights[kind] = self.weights.get(kind, 0) + int(event["encodedDataLength"])

    def counter(self, name: str) -> float:
        found = {one["name"]: one["value"] for one in self.tools.send("Performance.getMetrics")["metrics"]}
        return float(found[name])

    def heap_mb(self) -> float:
        self.tools.send("HeapProfiler.collectGarbage")
        return self.counter("JSHeapUsedSize") / 1e6


def share(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def turn_of(server: Served, browser: Any, channel: str) -> int:
    """The longest turn of a channel."""
    context = browser.new_context()
    turns = context.request.get(f"{server.url}/channels/{channel}.json").json()["turns"]
    context.close()
    return int(max(turns, key=lambda turn: turn["events"])["id"])
