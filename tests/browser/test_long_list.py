"""A list of more rows than a browser can be high: each of them can still be brought into sight."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import told
from tests.browser.test_turn_page import FLEET, turn_with
from tests.browser.waiting import comes_to, comes_true

ROWS = 5_000_000
IN_SIGHT = """(log) => {
  const box = log.getBoundingClientRect();
  return [...log.querySelectorAll(".ev:not(.ghost):not([hidden])")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top >= box.top - 1 && bottom <= box.bottom + 1;
  }).map((row) => Number(row.dataset.seq));
}"""


def answered(route: Route) -> None:
    """Any rows that are asked for."""
    asked = parse_qs(urlsplit(route.request.url).query)
    after, limit = int(asked["after"][0]), int(asked["limit"][0])
    row = {"at": 0, "kind": "CUSTOM", "mark": False, "icon": "radio", "call": "", "payload": "", "bytes": 9}
    route.fulfill(body=json.dumps({"rows": [{**row, "seq": after + 1 + n} for n in range(limit)]}))


@pytest.fixture
def page(opened) -> Page:
    page = turn_with(opened, told.calls(FLEET)[0][0])
    page.route("**/events.json*", answered)
    page.evaluate(
        """(last) => {
          const log = document.getElementById("log");
          log.open({ ...log.source, first: 1, last, rows: [], gaps: [], timed: false });
        }""",
        ROWS,
    )
    return page


def in_sight(page: Page) -> list[int]:
    """The rows that are whole in sight, once they are drawn where the list stands now."""
    log = page.locator("#log")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(log.locator(".ev:not([hidden])").first).not_to_have_class("ev ghost")
    page.wait_for_function("() => !document.querySelector('#log .ev.ghost:not([hidden])')")
    return log.evaluate(IN_SIGHT)


def test_its_first_and_its_last_row_are_seen_at_its_ends(page):
    page.evaluate("document.getElementById('log').scrollTop = 0")
    comes_to(page, lambda: in_sight(page)[:1], [1])
    page.evaluate("document.getElementById('log').toEnd()")
    comes_to(page, lambda: in_sight(page)[-1:], [ROWS])


@pytest.mark.parametrize("seq", [2, 4_000_000, 4_000_060, ROWS - 300, ROWS])
def test_a_row_that_is_gone_to_is_seen_whole(page, seq):
    page.evaluate("document.getElementById('log').select(4000000)")
    in_sight(page)
    page.evaluate("(seq) => document.getElementById('log').select(seq)", seq)
    comes_true(page, lambda: in_sight(page), lambda rows: seq in rows)


def test_scrolling_by_hand_leaves_out_no_row(page):
    """A tick of the wheel goes on by less than what is in sight."""
    page.evaluate("document.getElementById('log').select(3000000)")
    before = comes_true(page, lambda: in_sight(page), lambda rows: 3_000_000 in rows)
    page.locator("#log").hover()
    for _ in range(5):
        page.mouse.wheel(0, 220)
        now = comes_true(page, lambda: in_sight(page), lambda rows, old=before: rows[0] != old[0])
        assert before[0] < now[0] <= before[-1]
        before = now
