"""The turn page tells a person what happened within a minute, and every word of it can be asserted."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests import streams
from tests.browser import told
from tests.browser.waiting import address, comes_to, comes_true

MAIL = "mail-28-started-26-answered"
FLEET = "fleet-dropped-result"


def turn_with(opened, call: str, **options) -> Page:
    """The turn that holds a call, found by the call's id as a person would."""
    page = opened(f"/find/?q={call}", **options)
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    in_hand(page)
    return page


def in_hand(page: Page) -> None:
    """Wait until the page's scripts have it: the server draws no playhead that can be moved."""
    expect(page.get_by_role("slider", name="Playhead")).to_be_visible()


def card(page: Page, call: str):
    return page.locator(f'#cards [data-call="{call}"]')


def test_28_started_and_26_answered_are_seen_at_a_glance(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    ledger = page.get_by_role("group", name="Ledger")
    expect(ledger.locator('[data-calls="started"]')).to_contain_text("28 started")
    expect(ledger.locator('[data-calls="answered"]')).to_contain_text("26 answered")
    expect(ledger.locator('[data-calls="open"]')).to_contain_text("2 open")


def test_a_long_title_gives_way_to_the_name_of_the_channel(opened, producer):
    run = {"run": "long-title", "thread": "long-title"}
    with producer("acme-support-eu", "long-title") as agent:
        asked = streams.user("Please look up every order that was late last month. " * 4)
        agent.send(streams.run_with_input(asked, **run) + streams.call("titled-1"))
    page = turn_with(opened, "titled-1")
    crumb = page.locator(".crumb")
    for name, whole in (("acme-support-eu", True), (asked["content"][:20], False)):
        link = crumb.get_by_role("link", name=name)
        comes_to(page, lambda link=link: link.evaluate("it => it.scrollWidth <= it.clientWidth"), whole)


def test_the_two_open_calls_are_named_with_who_owes_them(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    page.locator('#ledger [data-calls="open"]').click()
    expect(page.locator("#cards [data-call]")).to_have_count(2)
    for (call, tool), owner in zip(told.unanswered(MAIL), ("server", "harness"), strict=True):
        expect(card(page, call)).to_have_attribute("data-state", "unanswered")
        expect(card(page, call)).to_have_attribute("data-owner", owner)
        expect(card(page, call)).to_contain_text(tool)


def test_the_page_says_that_the_run_ended_on_the_harness_own_call(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    finding = page.locator('[data-finding="C03"]')
    expect(finding).to_contain_text("ToolSearch")
    expect(finding.get_by_role("listitem").filter(has_text="fetch_thread was never answered")).to_be_visible()
    expect(page.locator("#headline")).to_contain_text("ToolSearch")


def test_a_dropped_server_result_is_told_from_its_answered_siblings(opened):
    states = {"set_operating_mode": "unanswered", "filter_table": "ok", "highlight_rows": "ok"}
    page = turn_with(opened, told.calls(FLEET)[0][0])
    for call, tool in told.calls(FLEET):
        expect(card(page, call)).to_have_attribute("data-state", states[tool])
    expect(page.locator('[data-finding="C02"]')).to_contain_text("The tool answered in 0.8")


def test_a_finding_leads_to_the_event_that_shows_it(opened):
    page = turn_with(opened, told.calls(FLEET)[0][0])
    link = page.locator('[data-finding="C02"] a[data-seq]').first
    seq = link.get_attribute("data-seq")
    link.click()
    expect(page).to_have_url(re.compile(rf"[?&]event={seq}\b"))
    row = page.locator(f'#log .ev[data-seq="{seq}"]')
    expect(row).to_have_attribute("aria-selected", "true")
    expect(row).to_be_in_viewport()


def test_a_link_to_an_event_opens_on_that_event(opened):
    page = turn_with(opened, told.unanswered(MAIL)[0][0])
    path = re.sub(r"\?.*", "", page.url)
    other = opened(f"{path}?event=40")
    expect(other.locator('#log .ev[data-seq="40"]')).to_have_attribute("aria-selected", "true")
    expect(other.locator('#log .ev[data-seq="40"]')).to_be_in_viewport()


def test_replay_repaired_plays_the_turn_and_names_the_address_for_a_client(opened):
    page = turn_with(opened, told.calls(FLEET)[0][0])
    page.locator("[data-replay-repaired]").click()
    address = page.locator("#replay-url")
    expect(address).to_have_text(re.compile(r"^http://127\.0\.0\.1:\d+/replay/\d+/ag_ui/\?.*repaired=1"))
    expect(page.locator("body")).to_have_attribute("data-frames", "repaired")
    expect(card(page, told.calls(FLEET)[0][0])).to_have_attribute("data-state", re.compile("^(ok|settled)$"))

    answer = page.request.get(address.inner_text())
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [line[6:] for line in answer.text().splitlines() if line.startswith("data: ")]
    results = {
        event["toolCallId"]: event["content"]
        for event in map(json.loads, lines)
        if event["type"] == "TOOL_CALL_RESULT"
    }
    assert json.loads(results[told.calls(FLEET)[0][0]]) == {"changed": 5, "unreachable": ["cr-2-04"]}


def test_the_repaired_transcript_is_copied_with_every_call_answered(opened):
    page = turn_with(opened, told.calls(FLEET)[0][0], permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-replay-repaired]").click()
    page.locator("#take [data-copy-transcript]").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    messages = json.loads(page.evaluate("navigator.clipboard.readText()"))
    asked = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert sorted(asked) == sorted(answered) == sorted(id for id, _ in told.calls(FLEET))


def test_the_id_on_a_card_leads_to_the_page_of_its_call(opened):
    call, tool = told.unanswered(MAIL)[0]
    page = turn_with(opened, call)
    link = card(page, call).get_by_role("link", name=call)
    link.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/turns/\d+/calls/\d+/$"))
    expect(page.get_by_role("heading", name=tool)).to_be_visible()


def test_c_copies_the_selected_event_as_it_arrived_though_it_is_not_open(opened):
    page = turn_with(opened, told.calls(MAIL)[0][0], permissions=["clipboard-read", "clipboard-write"])
    page.locator("#log").focus()
    before = address(page)
    page.keyboard.press("j")
    expect(page).not_to_have_url(before)
    seq = re.search(r"event=(\d+)", address(page))
    assert seq is not None
    page.keyboard.press("c")
    expect(page.locator("#said")).to_have_text("Copied")
    raw = page.request.get(f"{page.url.split('?')[0]}events/{seq[1]}/?raw=1").text()
    comes_to(page, lambda: page.evaluate("navigator.clipboard.readText()"), raw)
    assert json.loads(raw.removeprefix("data:"))["type"]
    expect(page.locator("#event")).to_be_hidden()


def test_stepping_shows_the_cards_as_they_were(opened):
    call = told.calls("desk-healthy")[0][0]
    page = turn_with(opened, call)
    expect(card(page, call)).to_have_attribute("data-state", "ok")
    page.get_by_role("button", name="To start").click()
    expect(page.locator("#cards [data-call]")).to_have_count(0)
    page.locator("#cards, #log").first.focus()
    for _ in range(200):
        page.get_by_role("button", name="Step forward").click()
        if card(page, call).count():
            break
    expect(card(page, call)).to_have_attribute("data-state", "streaming")


def test_a_narrow_screen_shows_one_view_at_a_time_and_never_scrolls_sideways(opened):
    page = turn_with(opened, told.calls(FLEET)[0][0], size={"width": 390, "height": 844})
    expect(page.locator("#cards")).to_be_visible()
    page.get_by_role("navigation", name="Views").get_by_text("Findings").click()
    expect(page.locator('[data-finding="C02"]')).to_be_visible()
    comes_true(page, lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"), bool)


def test_without_scripts_the_page_still_tells_everything(opened):
    page = opened(f"/find/?q={told.unanswered(MAIL)[0][0]}", java_script_enabled=False)
    expect(page.get_by_role("group", name="Ledger")).to_contain_text("28 started")
    expect(page.locator('[data-finding="C03"]')).to_be_visible()
    expect(page.locator('#rows [aria-selected="true"]')).to_be_visible()
