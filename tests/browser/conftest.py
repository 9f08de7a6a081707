"""A browser, a server with the demo in it, and a page that fails its test for whatever went wrong unseen.

Playwright's own loop runs in this thread as long as it lives, so everything here ends with this package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from websockets.sync.client import connect

from tests.browser.waiting import PATIENCE
from tests.serving import Served, served, turnscope

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

SLOW = int(os.environ.get("PAGES_LATE", "0"))
"""ms by which every answer is late, on half the processor: there a test that reads too early fails."""

REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", event => {
  const where = `${event.sourceFile}:${event.lineNumber}`;
  console.error(`CSP: ${event.violatedDirective} refused ${event.blockedURI || "inline"} (${where})`);
});
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all browser tests, with the demo's recordings in the channel `demo`."""
    home = tmp_path_factory.mktemp("served")
    turnscope(home, "demo", "--reset")
    with served(home) as running:
        yield running


class Watched:
    """What went wrong on a page without anybody looking: errors in the console, refusals, failed requests."""

    def __init__(self, context: BrowserContext, *, scripts: bool, expected: int = 0) -> None:
        self.complaints: list[str] = []
        self.scripts = scripts
        self.expected = expected
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._said)
        context.on("weberror", lambda error: self.complaints.append(f"uncaught: {error.error}"))
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def _said(self, message: Any) -> None:
        told = f"status of {self.expected}" in message.text if self.expected else False
        if message.type in ("error", "warning") and not told:
            self.complaints.append(f"console {message.type}: {message.text}")

    def _failed(self, request: Any) -> None:
        # What the page itself gave up (an older range of rows, say) is no failure.
        # Nor is a script that the reader has forbidden.
        refused = request.failure == "csp" and not self.scripts
        if request.failure != "net::ERR_ABORTED" and not refused:
            self.complaints.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400 and response.status != self.expected:
            self.complaints.append(f"{response.status}: {response.url}")


def slow_down(context: BrowserContext, page: Page) -> None:
    if not SLOW:
        return
    session = context.new_cdp_session(page)
    line = {"offline": False, "latency": SLOW, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", line)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 2})


Opener = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, server: Served) -> Iterator[Opener]:
    """Open pages: `opened("/", theme="light", size=NARROW)`. At the end none may have complained.

    `expected` is the one refusal that a test is about.
    """
    contexts: list[tuple[BrowserContext, Watched]] = []

    def open_page(
        path: str = "/",
        *,
        theme: str = "dark",
        size: dict[str, int] = WIDE,
        expected: int = 0,
        **options: Any,
    ) -> Page:
        context = browser.new_context(
            base_url=server.url, viewport=size, color_scheme=theme, reduced_motion="reduce", **options
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(
            (context, Watched(context, scripts=options.get("java_script_enabled", True), expected=expected))
        )
        page = context.new_page()
        slow_down(context, page)
        page.goto(path)
        return page

    yield open_page
    complaints = [complaint for _, watched in contexts for complaint in watched.complaints]
    for context, _ in contexts:
        context.close()
    assert complaints == []


class Producer:
    """An agent that sends its events by the front door, one message each, and waits for each ack."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket

    def send(self, events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            self._socket.send(json.dumps(event))
            answer = json.loads(self._socket.recv(timeout=10))
            assert "ack" in answer, answer

    def send_at_once(self, events: Sequence[dict[str, Any]]) -> None:
        """All in one message."""
        self._socket.send("\n".join(map(json.dumps, events)))
        assert "ack" in json.loads(self._socket.recv(timeout=10))


@pytest.fixture
def producer(server: Served) -> Iterator[Callable[[str, str], Any]]:
    """`with producer("demo", "stream-1") as agent: agent.send(run_started() + ...)`."""

    @contextmanager
    def connected(channel: str, stream: str) -> Iterator[Producer]:
        with connect(server.ws(f"/ws/ingest/{channel}/")) as socket:
            socket.send(json.dumps({"turnscope": 1, "dialect": "ag_ui", "stream": stream, "after": None}))
            assert json.loads(socket.recv(timeout=10)).get("ready") is True
            yield Producer(socket)

    yield connected
