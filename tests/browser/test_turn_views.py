"""The timeline, a moment's transcript and state, one event's payload, and the palette."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests import streams
from tests.browser import told
from tests.browser.test_turn_page import MAIL, in_hand, turn_with
from tests.browser.waiting import address, at_rest, comes_true

BASKET = {"basket": [{"sku": "k-1"}], "big": 12345678901234567890, "odd": "gnp\u202egpj.exe"}


def mail(opened, **options) -> Page:
    return turn_with(opened, told.unanswered(MAIL)[0][0], **options)


# ---------------------------------------------------------------- the timeline


def test_plus_zooms_minus_and_nought_go_back_and_the_address_keeps_it(opened):
    page = mail(opened)
    bars = page.locator("#waterfall .lanes rect.b.ok")
    before = at_rest(page, bars.count)
    for _ in range(4):
        page.keyboard.press("+")
    expect(page).to_have_url(re.compile(r"from=[\d.]+&to=[\d.]+"))
    expect(page.locator("#unzoom")).to_be_visible()
    comes_true(page, bars.count, lambda now: now < before)
    other = opened(address(page))
    expect(other.locator("#unzoom")).to_be_visible()
    expect(other.locator("#waterfall .lanes rect.b.ok")).to_have_count(bars.count())
    page.keyboard.press("0")
    expect(page.locator("#unzoom")).to_be_hidden()
    expect(bars).to_have_count(before)


def test_packed_lanes_are_as_many_as_calls_ran_at_once(opened):
    page = mail(opened)
    page.locator('[data-lanes="packed"]').click()
    lanes = page.locator("#waterfall a.lane")
    expect(lanes.first).to_contain_text("1 at a time")
    comes_true(page, lanes.count, lambda count: 2 <= count <= 6)


def test_the_legend_says_what_the_hatched_gap_is(opened):
    """Drawn by the server, and kept when the scripts draw the states in use."""
    page = mail(opened)
    expect(page.locator("#waterfall .gap").first).to_be_attached()
    expect(page.locator(".legend").first).to_contain_text("unanswered")
    expect(page.locator(".legend").first).to_contain_text("quiet")
    page.get_by_role("slider", name="Playhead").fill("400")
    expect(page.locator("#headline")).to_contain_text("At event")
    expect(page.locator(".legend").first).to_contain_text("quiet")


def test_lanes_are_walked_with_arrow_keys_and_only_one_is_in_the_tab_order(opened):
    page = mail(opened)
    lanes = page.locator("#waterfall a.lane")
    expect(page.locator('#waterfall a.lane[tabindex="0"]')).to_have_count(1)
    page.locator('#waterfall a.lane[tabindex="0"]').focus()
    page.keyboard.press("Home")
    expect(lanes.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(lanes.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(lanes.last).to_be_focused()


def test_a_bar_says_what_it_is_and_leads_to_its_card(opened):
    page = mail(opened)
    bar = page.locator("#waterfall g[data-number] rect.b.unanswered").first
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    expect(page.locator(".tip")).to_contain_text("unanswered")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator('#cards [data-state="unanswered"][aria-current="true"]')).to_have_count(1)


def test_the_ruler_moves_the_playhead(opened):
    page = mail(opened)
    page.locator("#waterfall .head svg").first.click(position={"x": 300, "y": 10})
    expect(page.locator("#outcome")).to_contain_text("Running")
    expect(page).to_have_url(re.compile(r"[?&]t=[\d.]+"))
    other = opened(address(page))
    expect(other.locator("#clock, .clock").first).to_contain_text(
        page.locator(".clock").inner_text().split(" ")[0]
    )


def test_many_bars_are_on_a_canvas_whose_twin_is_text(opened, server, producer):
    events = streams.run_started("many-run", "many")
    for n in range(200):
        events += streams.call(f"many-{n}", f"tool_{n % 20:02d}") + streams.result(f"many-{n}")
    body = streams.ndjson(streams.timed(events + streams.finished("many-run", "many")))
    page = opened("/")
    answer = page.request.post(f"{server.url}/api/channels/many/frames?recording=1", data=body)
    page.goto(answer.json()["threads"][0]["runs"][0]["url"])
    in_hand(page)
    canvas = page.get_by_role("img", name=re.compile("Waterfall of 200 tool calls.*: 200 ok"))
    expect(canvas).to_be_visible()
    expect(page.locator("#waterfall svg.g rect.b")).to_have_count(0)
    drawn = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(Boolean)"
    comes_true(page, lambda: canvas.evaluate(drawn), bool)
    box = canvas.bounding_box()
    assert box is not None
    found = False
    for x in range(20, int(box["width"]), 4):
        page.mouse.move(box["x"] + x, box["y"] + 30)
        found = page.locator(".tip").is_visible()
        if found:
            break
    assert found
    expect(page.locator(".tip")).to_contain_text("tool_00")
    page.locator('[data-lanes="call"]').click()
    expect(page.locator("#waterfall a.lane").first).to_contain_text("tool_00")
    comes_true(page, page.locator("#waterfall a.lane").count, lambda count: 1 <= count <= 20)
    page.locator('#waterfall a.lane[tabindex="0"]').focus()
    page.keyboard.press("End")
    expect(page.locator("#waterfall a.lane").last).to_be_focused()
    expect(page.locator("#waterfall a.lane").last).to_contain_text("tool_19")


# ---------------------------------------------------------------- a moment


def test_the_transcript_is_that_of_the_moment(opened):
    page = mail(opened)
    page.locator('[data-tab="transcript"]').click()
    expect(page.locator("#transcript .msg").first).to_contain_text("November workshop")
    before = at_rest(page, page.locator("#transcript .msg").count)
    assert before > 10
    page.get_by_role("button", name="To start").click()
    expect(page.locator("#transcript .msg")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#transcript .msg")).to_have_count(before)


def test_the_state_is_that_of_the_moment_and_a_refused_patch_is_named(opened, producer):
    with producer("demo", "state-page") as agent:
        agent.send(
            streams.run_started("sp-run", "sp")
            + streams.event("STATE_SNAPSHOT", snapshot=BASKET)
            + streams.event(
                "STATE_DELTA", delta=[{"op": "add", "path": "/basket/-", "value": {"sku": "k-2"}}]
            )
            + streams.event("STATE_DELTA", delta=[{"op": "replace", "path": "/none/x", "value": 1}])
            + streams.finished("sp-run", "sp")
        )
    page = opened("/find/?q=sp-run")
    in_hand(page)
    page.locator('[data-tab="state"]').click()
    state = page.locator("#state")
    expect(state).to_contain_text("12345678901234567890")
    expect(state.locator(".u")).to_have_text("U+202E")
    expect(state).to_contain_text("Refused, and left as it was:")
    expect(state.locator("details", has_text="basket").locator("summary").nth(1)).to_contain_text("[2]")
    seq = int(state.locator(".doc .h [data-seq]").get_attribute("data-seq"))
    page.locator(f'#log .ev[data-seq="{seq - 2}"]').click()
    page.goto(re.sub(r"\?.*", "", page.url) + "?tab=state&t=0.000001")


def test_without_scripts_the_state_is_there_too(opened):
    page = opened("/", java_script_enabled=False)
    page.goto(f"/find/?q={told.unanswered(MAIL)[0][0]}")
    page.goto(page.url.split("?")[0] + "?tab=state")
    expect(page.locator("#state")).to_contain_text("No state.")


# ---------------------------------------------------------------- one event


def test_an_event_is_a_tree_raw_and_copied_three_ways(opened, producer):
    value = {"n": 12345678901234567890, "twice": 1, "odd": 'a\u200bb"c'}
    with producer("demo", "payload-page") as agent:
        agent.send(
            streams.run_started("pp-run", "pp")
            + streams.event("CUSTOM", name="note", value=value)
            + streams.finished("pp-run", "pp")
        )
    page = opened("/find/?q=pp-run", permissions=["clipboard-read", "clipboard-write"])
    in_hand(page)
    page.locator("#log .ev", has_text="CUSTOM").click()
    tree = page.locator("#event .tree")
    expect(tree).to_contain_text("12345678901234567890")
    expect(tree.locator(".u")).to_have_text("U+200B")
    expect(page.locator("#event .facts")).to_contain_text("1 hidden character")

    def copied(name: str) -> str:
        page.locator("#event").get_by_role("button", name=name).click()
        expect(page.locator("#event [data-done]")).to_have_count(1)
        text = page.evaluate("navigator.clipboard.readText()")
        expect(page.locator("#event [data-done]")).to_have_count(0)
        return str(text)

    raw = copied("Copy raw")
    assert json.loads(raw)["value"] == value
    assert "\u200b" in raw or "\\u200b" in raw
    assert "\u200b" not in copied("Escaped")
    scope: dict[str, str] = {}
    exec(copied("Fixture"), scope)
    assert scope["FRAME"] == raw
    page.locator('[data-panel="raw"]').click()
    expect(page.locator("#raw pre")).to_contain_text('"name"')


# ---------------------------------------------------------------- the palette


def test_the_palette_does_what_is_called(opened):
    page = mail(opened)
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Command")
    expect(box).to_be_focused()
    box.fill("transcript")
    expect(page.locator('#palette [aria-selected="true"]')).to_contain_text("transcript")
    page.keyboard.press("Enter")
    expect(page.locator("#transcript")).to_be_visible()
    page.keyboard.press(":")
    box.fill("#40")
    page.keyboard.press("Enter")
    expect(page.locator('#log .ev[data-seq="40"]')).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+k")
    expect(box).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


def test_the_last_event_of_a_call_that_nobody_answered_says_so(opened):
    page = mail(opened)
    call = told.unanswered(MAIL)[0][0]
    last = page.locator("#log .ev:not([hidden])", has_text="last event of this call")
    expect(last.first).to_be_visible()
    page.locator("#filter").fill(f"call:{call}")
    page.locator("#filter").press("Enter")
    expect(last).to_have_count(1)
    expect(last).to_contain_text("TOOL_CALL_END")


# ---------------------------------------------------------------- replay


def test_scrubbing_brings_every_panel_to_the_moment_and_escape_back(opened):
    page = mail(opened)
    before = page.locator("#ledger").inner_text()
    page.get_by_role("slider", name="Playhead").fill("400")
    expect(page.locator("#outcome")).to_contain_text("Running")
    expect(page.locator("#headline")).to_contain_text("At event #")
    expect(page.locator('[data-calls="started"]')).not_to_contain_text("28")
    expect(page.locator("#findings")).to_contain_text("No findings up to here.")
    expect(page.locator("#log .ev.later:not([hidden])").first).to_be_visible()
    lanes = page.locator("#waterfall a.lane").count()
    page.keyboard.press(".")
    page.keyboard.press("Escape")
    expect(page.locator("#ledger")).to_have_text(re.compile(re.escape(before.split()[0])))
    expect(page.locator("#waterfall a.lane")).to_have_count(lanes)
    expect(page.locator("#findings")).to_contain_text("Ended on harness call")


def test_the_repaired_turn_is_played_at_any_speed_and_left_again(opened):
    page = mail(opened)
    page.locator('[data-frames="repaired"]').click()
    expect(page.locator("body")).to_have_attribute("data-frames", "repaired")
    expect(page.locator('[data-calls="open"]')).to_contain_text("0 open")
    page.get_by_role("button", name="To start").click()
    page.keyboard.press(">")
    page.keyboard.press(">")
    expect(page.get_by_role("button", name="4×")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Skip gaps").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#cards [data-call]").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.locator('[data-frames="original"]').click()
    expect(page.locator('[data-calls="open"]')).to_contain_text("2 open")
