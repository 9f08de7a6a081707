"""What scripts draw is what the server drew: a page does not change when they arrive."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import told
from tests.browser.waiting import at_rest

STREAMS = [
    "mail-28-started-26-answered", "fleet-dropped-result", "desk-healthy", "billing-approval-pending",
    "warehouse-batch-one-failed",
]  # fmt: skip

DRAWN = """() => {
  const words = (id) => document.getElementById(id).textContent.replace(/\\s+/g, " ").trim();
  const drawn = "rect,line,path,a,article,section";
  const shape = (id, names) => [...document.getElementById(id).querySelectorAll(drawn)]
    .filter((e) => !e.matches(".ph,.phb,.selrow,.odd"))  // the playhead is the scripts' own
    .map((e) => [e.tagName, ...names.map((name) => e.getAttribute(name))].join(" "));
  const look = ["class", "x", "x1", "width", "height", "d", "fill", "data-state", "data-owner",
    "data-number"];
  return {
    texts: ["cards", "ledger", "findings", "headline", "outcome", "elapsed"].map(words),
    cards: shape("cards", look), ledger: shape("ledger", look), findings: shape("findings", look),
    waterfall: shape("waterfall", look),
  };
}"""


def close(one: list[str], other: list[str]) -> bool:
    """The same but for the last digit of a rounded percentage."""
    number = re.compile(r"[\d.]+(?=%)")
    return [number.sub("n", line) for line in one] == [number.sub("n", line) for line in other] and all(
        abs(float(a) - float(b)) <= 0.0015
        for left, right in zip(one, other, strict=True)
        for a, b in zip(number.findall(left), number.findall(right), strict=True)
    )


def drawn(page: Page) -> dict[str, list[str]]:
    found: dict[str, list[str]] = page.evaluate(DRAWN)
    return found


@pytest.mark.parametrize("stream", STREAMS)
def test_scripts_draw_what_the_server_drew(opened, stream):
    path = f"/find/?q={told.calls(stream)[0][0]}"
    # A page without scripts cannot be asked: it is loaded with them, and they never arrive.
    held = opened("/connect/")
    held.route("**/assets/*/js/*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    held.goto(path)
    alive = opened(path)
    expect(alive.locator("ts-replay input")).to_be_attached()
    before = at_rest(held, lambda: drawn(held))
    after = at_rest(alive, lambda: drawn(alive))
    assert before["texts"] == after["texts"]
    for part in ("cards", "ledger", "findings", "waterfall"):
        assert close(before[part], after[part]), [
            pair for pair in zip(before[part], after[part], strict=False) if pair[0] != pair[1]
        ][:3]
