"""The events of a turn at full height: filtered, walked through by keys, and growing while the turn runs."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests import streams
from tests.browser import told
from tests.browser.waiting import address

MAIL = "mail-28-started-26-answered"


def events_of(page) -> str:
    turn = re.search(r"/turns/\d+/", page.request.get(f"/find/?q={told.calls(MAIL)[0][0]}").url)[0]
    return f"{turn}events/"


def test_a_line_of_the_language_leaves_its_events_and_an_event_is_inspected_by_keys(opened):
    page = opened("/channels/demo/")
    page.goto(events_of(page))
    box = page.get_by_role("searchbox", name="Filter")
    box.fill("type:TOOL_CALL_RESULT")
    box.press("Enter")
    results = [event for event in told.events(MAIL) if event.get("type") == "TOOL_CALL_RESULT"]
    expect(page.locator("#matching")).to_contain_text(f"{len(results)} of ")
    expect(page).to_have_url(re.compile("q=type%3ATOOL_CALL_RESULT"))
    page.locator("#log").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    aside = page.get_by_role("complementary", name="The event")
    expect(aside).to_contain_text("TOOL_CALL_RESULT")
    expect(aside).to_contain_text(results[1]["toolCallId"])
    expect(page).to_have_url(re.compile(r"event=\d+"))
    shown = address(page)
    page.keyboard.press("Escape")
    expect(aside).to_be_hidden()
    page.goto(shown)
    expect(aside).to_contain_text(results[1]["toolCallId"])
    expect(aside.locator("[data-copy]").first).to_be_visible()  # drawn by the scripts
    expect(aside.locator("dl.facts")).to_have_count(1)


def test_events_that_come_while_it_is_open_are_in_the_list(opened, producer):
    with producer("full", "full-0") as agent:
        agent.send(streams.run_with_input(streams.user("Go on."), run="full-run", thread="full-thread"))
        page = opened("/channels/full/")
        page.locator(".trow .what a").first.click()
        expect(page).to_have_url(re.compile(r"/turns/\d+/"))
        page.goto(page.url.split("?")[0] + "events/")
        before = int(page.locator("#matching").inner_text())
        page.keyboard.press("f")
        agent.send(streams.text("One. Two. Three.", pieces=3) + streams.finished("full-run", "full-thread"))
        expect(page.locator("#matching")).to_have_text(str(before + 6))
        expect(page.locator("#log .ev").last).to_contain_text("FINISHED")


def test_n_and_p_go_from_call_to_call_of_those_that_the_filter_leaves(opened):
    page = opened("/channels/demo/")
    page.goto(events_of(page))
    expect(page.locator("#log .ev").first).to_be_visible()
    (first, _), (second, _), *_ = told.calls(MAIL)
    row = page.locator('#log .ev[aria-selected="true"]:not([hidden])')
    page.locator("#log").focus()
    page.keyboard.press("g")
    page.keyboard.press("g")
    for key, call in (("n", first), ("n", second), ("p", first)):
        page.keyboard.press(key)
        expect(row).to_contain_text("TOOL_CALL_START")
        expect(row).to_contain_text(call[:6])
        expect(page.locator("#at-event")).to_have_text(f"#{row.get_attribute('data-seq')}")
    page.keyboard.press(".")
    expect(row).not_to_contain_text("TOOL_CALL_START")
    page.keyboard.press(",")
    expect(row).to_contain_text("TOOL_CALL_START")
    box = page.get_by_role("searchbox", name="Filter")
    box.fill("tool:ToolSearch")
    box.press("Enter")
    expect(page.locator("#matching")).to_contain_text(" of ")
    page.locator("#log").focus()
    page.keyboard.press("n")
    asked = next(call for call, tool in told.calls(MAIL)[1:] if tool == "ToolSearch")
    expect(page.locator("#event")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#event")).to_contain_text(asked)
