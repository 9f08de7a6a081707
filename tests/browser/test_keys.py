"""The keys that the page of keys promises."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import told
from tests.browser.test_turn_page import MAIL, in_hand, turn_with
from tests.browser.waiting import address, comes_to, comes_true


def selected(page: Page) -> int:
    row = page.locator('#log .ev[aria-selected="true"]')
    expect(row).to_have_count(1)
    return int(row.get_attribute("data-seq") or 0)


def test_j_and_k_move_through_the_events_and_the_address_follows(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    before = selected(page)
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(rf"event={before + 1}\b"))
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile(rf"event={before - 1}\b"))
    comes_to(page, lambda: selected(page), before - 1)


def test_capital_j_goes_to_the_next_finding_and_n_to_the_next_call(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    page.keyboard.press("J")
    expect(page.locator('[data-finding][aria-current="true"]')).to_have_count(1)
    page.keyboard.press("n")
    expect(page.locator('#cards [data-call][aria-current="true"]')).to_have_count(1)


def test_g_g_and_capital_g_go_to_the_ends(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    page.keyboard.press("g")
    page.keyboard.press("g")
    first = selected(page)
    page.keyboard.press("G")
    expect(page.locator("#row-of")).to_have_text(re.compile(r"Row (\d+) of \1$"))
    comes_true(page, lambda: selected(page), lambda last: last - first > 200)


def test_space_plays_and_escape_returns_to_the_end(opened):
    page = turn_with(opened, told.calls("desk-healthy")[0][0])
    page.locator("main").click(position={"x": 1, "y": 1})
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press(" ")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_slash_goes_to_the_find_box_where_letters_are_letters(opened):
    page = turn_with(opened, told.calls("desk-healthy")[0][0])
    before = address(page)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox").first).to_be_focused()
    page.keyboard.type("jkt?")
    expect(page.get_by_role("searchbox").first).to_have_value("jkt?")
    assert address(page) == before


def test_brackets_turn_the_pages_and_g_c_leads_to_the_channels(opened):
    page = turn_with(opened, told.calls("desk-healthy")[0][0])
    expect(page.get_by_role("heading", level=1)).to_have_text("Turn 1")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_have_text("Turn 2")
    in_hand(page)
    page.keyboard.press("[")
    expect(page.get_by_role("heading", level=1)).to_have_text("Turn 1")
    in_hand(page)
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile(r"/channels/$"))


def test_t_switches_the_theme_and_the_next_page_remembers(opened):
    page = opened("/", theme="dark")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.goto("/findings/")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_the_keys_can_be_switched_off(opened):
    page = opened("/help/keys/")
    page.locator("#keys-on").uncheck()
    page.goto("/")
    page.keyboard.press("t")
    expect(page.locator("html")).not_to_have_attribute("data-theme", re.compile("."))


def test_a_question_mark_shows_the_keys(opened):
    page = opened("/")
    page.keyboard.press("?")
    expect(page).to_have_url(re.compile(r"/help/keys/$"))


def test_a_list_is_walked_to_its_ends_and_findings_one_by_one(opened):
    page = opened("/findings/")
    links = page.locator("main .frow b a")
    page.keyboard.press("G")
    expect(links.last).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("g")
    expect(links.first).to_be_focused()
    page.keyboard.press("J")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("K")
    expect(links.first).to_be_focused()


def test_what_was_found_is_walked_too(opened):
    page = opened("/find/?q=the")
    page.keyboard.press("j")
    expect(page.locator("main a.name").first).to_be_focused()


@pytest.mark.parametrize("beside", ["events/", "calls/1/", "diff/", "export/"])
def test_every_page_of_a_turn_leads_back_to_it_and_to_its_export(opened, beside: str):
    page = opened("/turns/4/" + beside)
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile(r"/turns/4/export/$"))
    page.goto("/turns/4/" + beside)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/turns/4/(\?|$)"))


def copied(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_on_the_page_of_events_c_copies_the_event_as_it_came(opened):
    page = opened("/turns/4/events/", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("g")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page.locator("#said")).to_have_text("Copied")
    arrived = page.request.get(f"/turns/4/events/{selected(page)}/?raw=1").text()
    comes_to(page, lambda: copied(page), arrived)


@pytest.mark.parametrize("path", ["/turns/{}/events/", "/turns/{}/"])
def test_two_hundred_rows_around_an_event_are_copied_as_text(opened, path: str):
    """What the browser's own search cannot see, since only some sixty rows are in the page."""
    allowed = {"permissions": ["clipboard-read", "clipboard-write"]}
    page = opened(f"/find/?q={told.unanswered(MAIL)[0][0]}", **allowed)
    turn = re.search(r"/turns/(\d+)/", page.url)
    assert turn
    page.goto(path.format(turn[1]) + "?event=120")
    expect(page.locator('#log .ev[aria-selected="true"]:not([hidden])')).to_have_count(1)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Command").fill("copy 200 rows")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Copied")
    lines = copied(page).splitlines()
    assert [int(line.split("\t")[0]) for line in lines] == list(range(20, 220))
    twin = page.request.get(f"/turns/{turn[1]}/events.json?after=119&limit=1").json()["rows"][0]
    assert lines[100].split("\t")[2:] == [twin["kind"], twin["call"], twin["payload"]]


def test_every_speed_is_in_the_palette(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    for asked, shown in (("play at 16", "16×"), ("play at 0.25", "¼×")):
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Command").fill(asked)
        page.keyboard.press("Enter")
        speed = page.get_by_role("group", name="Speed").locator('[aria-pressed="true"]').first
        expect(speed).to_have_text(shown)


def test_space_pauses_the_repaired_turn_when_its_dialog_was_closed(opened):
    """The focus is back on the link that began it, which a space does not follow."""
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    page.locator("[data-replay-repaired]").focus()
    page.keyboard.press("Enter")
    page.locator("#take [data-close]").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-replay-repaired]")).to_be_focused()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
