"""The page of a turn of many calls brings few of them, and does with them all that a short turn's does."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests import streams
from tests.browser.waiting import comes_to

LONG = 400


@pytest.fixture
def long_turn(opened, server) -> Page:
    """So many calls, each with arguments of its own; every hundredth has failed, the last is open."""
    events = streams.run_started("long-run", "long")
    for n in range(LONG):
        events += streams.call(f"long-{n}", f"tool_{n % 9}", {"place": f"shelf {n}"})
        if n % 100 == 50:
            events += streams.result(f"long-{n}", json.dumps({"error": f"shelf {n} is empty"}))
        elif n < LONG - 1:
            events += streams.result(f"long-{n}", f"found {n}")
    body = streams.ndjson(streams.timed(events + streams.finished("long-run", "long")))
    page = opened("/")
    answer = page.request.post(f"{server.url}/api/channels/long/frames?recording=1", data=body)
    page.goto(answer.json()["threads"][0]["runs"][0]["url"].split("?")[0])
    expect(page.get_by_role("slider", name="Playhead")).to_be_visible()
    return page


def card(page: Page, n: int):
    return page.locator(f'#cards [data-call="long-{n}"]')


def test_it_brings_few_calls_and_counts_all(long_turn: Page):
    expect(long_turn.locator('#ledger [data-calls="started"]')).to_contain_text(f"{LONG} started")
    expect(long_turn.get_by_role("img", name=re.compile(f"Waterfall of {LONG} tool calls"))).to_be_visible()
    expect(long_turn.locator("#card-count")).to_have_text(str(LONG))
    first = long_turn.locator("#cards [data-call]").first
    expect(first).to_have_attribute("data-state", "unanswered")
    brought = long_turn.evaluate("JSON.parse(document.getElementById('turn-data').textContent).calls.length")
    assert brought < LONG / 2


def test_a_card_says_all_it_has_to_say_once_it_is_in_sight(long_turn: Page):
    expect(card(long_turn, LONG - 2)).to_contain_text(f"shelf {LONG - 2}")
    long_turn.get_by_role("button", name=re.compile("Show .* more")).click()
    expect(long_turn.locator("#cards [data-call]")).to_have_count(LONG)
    card(long_turn, 0).scroll_into_view_if_needed()
    expect(card(long_turn, 0)).to_contain_text("shelf 0")
    expect(card(long_turn, 0)).to_contain_text("7 B")


def test_a_call_is_chosen_by_its_event_and_its_card_is_whole(long_turn: Page):
    long_turn.locator("#log .ev", has_text="long-3").first.click()
    expect(card(long_turn, 3)).to_have_attribute("aria-current", "true")
    expect(card(long_turn, 3)).to_contain_text("shelf 3")
    expect(card(long_turn, 3)).not_to_contain_text("NaN")


def test_a_replay_shows_the_calls_of_its_moment(long_turn: Page):
    long_turn.get_by_role("slider", name="Playhead").fill("250")
    expect(long_turn.locator("#headline")).to_contain_text("At event")
    started = long_turn.locator('#ledger [data-calls="started"] b')
    expect(started).to_have_text(re.compile(r"^(9\d|10\d)$"))
    last = long_turn.locator("#cards [data-call]").first
    number = int(last.get_attribute("data-call").removeprefix("long-"))
    expect(last).to_contain_text(f"shelf {number}")


def test_a_bar_of_any_call_says_its_arguments(long_turn: Page):
    canvas = long_turn.locator("#waterfall canvas")
    expect(canvas).to_be_visible()
    box = canvas.bounding_box()
    assert box is not None
    for x in range(4, 200):
        long_turn.mouse.move(box["x"] + x / 2, box["y"] + 30)
        if long_turn.locator(".tip").is_visible():
            break
    for shift in (0.5, 0) * 4:
        long_turn.mouse.move(box["x"] + x / 2 + shift, box["y"] + 30)
        long_turn.wait_for_timeout(200)
    expect(long_turn.locator(".tip")).to_contain_text("shelf")


def test_what_comes_live_before_the_calls_have_come_is_not_lost(opened, producer):
    run = {"run": "late-run", "thread": "late"}
    with producer("late", "late-1") as agent:
        agent.send(streams.run_started(**run) + streams.call_started("late-x", "tool"))
        for n in range(210):
            agent.send(streams.call(f"late-{n}", "tool"))
        other = opened("/find/?q=late-209")
        expect(other.locator("#live")).to_contain_text("Live")
        agent.send(streams.arguments("late-x", '{"a"'))
        other.wait_for_timeout(300)
        page = opened("/")
        held = []
        page.route("**/calls.json", lambda route: held.append((route, route.fetch())))
        page.goto(other.url.split("?")[0])
        expect(page.locator("#live")).to_contain_text("Live")
        agent.send(streams.result("late-2"))
        page.wait_for_timeout(300)
        agent.send(streams.arguments("late-x", ": 1}") + streams.call_ended("late-x"))
        agent.send(streams.result("late-x"))
        page.wait_for_timeout(300)
        comes_to(page, lambda: len(held), 1)
        ((route, answer),) = held
        route.fulfill(response=answer)
        expect(page.locator('#ledger [data-calls="started"] b')).to_have_text("211")
        expect(page.locator('#ledger [data-calls="answered"] b')).to_have_text("2")
