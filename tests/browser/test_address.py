"""What is on screen is in the address, and an address opens what it names: with scripts, and without."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import told
from tests.browser.conftest import NARROW
from tests.browser.test_turn_page import MAIL, in_hand, turn_with
from tests.browser.waiting import address, at_rest, comes_to

LOST = "fleet-dropped-result"


def named(opened, stream: str = MAIL, **options) -> str:
    """The address of a turn of the demo, without a query."""
    page = opened(f"/find/?q={told.unanswered(stream)[0][0]}", **options)
    return page.url.split("?")[0]


def seqs(page: Page) -> list[int]:
    rows = page.locator("#log .ev.span:not([hidden])")
    return [int(row.get_attribute("data-seq") or 0) for row in rows.all()]


def test_a_finding_is_named_in_the_address_and_a_link_leads_back_to_it(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    page.keyboard.press("J")
    expect(page).to_have_url(re.compile(r"finding=C03-1\b"))
    page.goto(address(page))
    expect(page.locator('[data-finding="C03"]')).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(r"finding=C03-1\b"))


def test_one_goes_back_from_an_event_to_what_was_open_before(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    before = page.url
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(r"event="))
    page.keyboard.press("Enter")
    expect(page.locator("#event .facts")).to_be_visible()
    expect(page).to_have_url(re.compile(r"panel=event"))
    page.go_back()
    expect(page.locator("#findings")).to_be_visible()
    assert address(page).split("?")[0] == before.split("?")[0]


def test_the_repaired_turn_stays_repaired_when_its_address_is_opened(opened):
    page = turn_with(opened, told.unanswered(LOST)[0][0])
    page.locator('#replay [data-frames="repaired"]').click()
    expect(page).to_have_url(re.compile(r"frames=repaired"))
    page.keyboard.press(",")
    expect(page).to_have_url(re.compile(r"t=[\d.]+"))
    page.keyboard.press("Escape")
    page.locator("#log .ev.made:not([hidden])").click()
    expect(page.locator("#event .facts")).to_contain_text("TOOL_CALL_RESULT")
    told_ = page.locator("#headline").inner_text()
    page.goto(address(page))
    expect(page.locator('#replay [data-frames="repaired"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#headline")).to_have_text(told_)
    expect(page.locator("#event .facts")).to_contain_text("TOOL_CALL_RESULT")
    expect(page.locator("#log .ev.made:not([hidden])")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_range_of_events_is_marked(opened, *, scripts: bool):
    url = named(opened)
    page = opened(f"{url}?event=40..43", java_script_enabled=scripts)
    expect(page.locator('#log .ev[aria-selected="true"]')).to_have_attribute("data-seq", "40")
    expect(page.locator("#log .ev.span:not([hidden])")).to_have_count(4)
    comes_to(page, lambda: seqs(page), [40, 41, 42, 43])
    if scripts:
        in_hand(page)
        page.keyboard.press("j")
        expect(page).to_have_url(re.compile(r"event=41(&|$)"))
        expect(page.locator('#log .ev.span[data-seq="40"]:not([hidden])')).to_have_count(0)


@pytest.mark.parametrize(
    ("query", "place"),
    [("panel=diff", "#repaired"), ("panel=findings", "#findings"), ("event=40", "#log"),
     ("event=40&panel=event", "#event"), ("call=1", "#cards")],
)  # fmt: skip
def test_on_a_small_screen_the_address_opens_the_view_it_names(opened, query: str, place: str):
    url = named(opened, size=NARROW)
    page = opened(f"{url}?{query}", size=NARROW)
    expect(page.locator(place)).to_be_visible()
    page.wait_for_load_state("networkidle")
    for other in {"#log", "#cards", "#repaired"} - {place}:
        expect(page.locator(other)).to_be_hidden()


def test_a_view_of_a_small_screen_stays_when_the_page_is_read_again(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0], size=NARROW)
    page.get_by_role("navigation", name="Views").get_by_text("Repaired").click()
    expect(page).to_have_url(re.compile(r"panel=diff"))
    page.reload()
    expect(page.locator("#repaired")).to_be_visible()


@pytest.mark.parametrize("panel", ["event", "raw"])
def test_without_scripts_an_event_is_opened_by_its_address(opened, panel: str):
    url = named(opened)
    page = opened(f"{url}?event=40", java_script_enabled=False)
    page.locator(f'[data-panel="{panel}"]').click()
    place = page.locator(f"#{panel}")
    expect(place).to_be_visible()
    frame = told.events(MAIL)[40 - 1 - marks_before(page, 40)]
    expect(place.locator("pre")).to_contain_text(f'"type":{" " if panel == "event" else ""}')
    expect(place.locator("pre")).to_contain_text(frame["type"])
    expect(page.locator("#findings")).to_be_hidden()


def marks_before(page: Page, seq: int) -> int:
    """How many of the journal's own marks stand before an event of the list."""
    twin = page.request.get(page.url.split("?")[0] + "events.json?limit=512").json()
    first = twin["first"] - 1
    return first + sum(1 for row in twin["rows"] if row["seq"] < seq and row["mark"])


def test_without_scripts_a_finding_is_marked_and_a_filter_kept_from_page_to_page(opened):
    url = named(opened)
    page = opened(f"{url}?finding=C03-1", java_script_enabled=False)
    expect(page.locator('[data-finding="C03"]')).to_have_attribute("aria-current", "true")
    page.goto(f"{url}?event=4&q=type:TOOL_CALL_ARGS")
    expect(page.locator("#matching")).to_contain_text(" shown of ")
    page.get_by_role("link", name="later").click()
    kinds = page.locator("#rows .ev .k")
    comes_to(page, lambda: set(kinds.all_inner_texts()), {"TOOL_CALL_ARGS"})


def test_without_scripts_the_events_page_opens_one_and_lists_those_of_a_call(opened):
    [(call, _), *_] = told.unanswered(MAIL)
    url = named(opened)
    page = opened(f"{url}events/?call={call}&event=3", java_script_enabled=False)
    expect(page.locator("#event pre")).to_be_visible()
    comes_to(page, lambda: set(page.locator("#rows .ev .id").all_inner_texts()), {call})


def test_every_panel_shows_the_repaired_turn_while_it_is_played(opened):
    """The list and its filter, one event, and the messages: each with what the repair answered."""
    [(call, _)] = [one for one in told.unanswered(LOST) if one[1] == "set_operating_mode"]
    page = turn_with(opened, call)
    results = sum(1 for one in told.events(LOST) if one.get("type") == "TOOL_CALL_RESULT")
    page.locator('#replay [data-frames="repaired"]').click()
    page.locator("#filter").fill("type:TOOL_CALL_RESULT")
    expect(page.locator("#matching")).to_have_text(re.compile(rf"^{results + 1} of \d+$"))
    page.locator("#filter").fill(f"type:TOOL_CALL_RESULT call:{call}")
    expect(page.locator("#matching")).to_have_text(re.compile(r"^1 of \d+$"))
    page.locator("#filter").press("Enter")
    page.locator("#log .ev.made:not([hidden])").click()
    expect(page.locator("#event .facts")).to_contain_text(call)
    page.locator('[data-tab="transcript"]').click()
    expect(page.locator("#transcript .msg").last).to_be_visible()
    answered = at_rest(page, page.locator("#transcript .msg", has_text="tool").count)
    page.locator('#replay [data-frames="original"]').click()
    expect(page.locator("#transcript .msg", has_text="tool")).not_to_have_count(answered)
