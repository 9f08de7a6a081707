"""What arrives is on the open page at once: no reload, no lost event."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests import streams
from tests.browser.waiting import comes_true
from tests.serving import served
from turnscope.demo import player


def test_a_new_turn_appears_on_the_open_channel_page(opened, producer):
    page = opened("/channels/demo/")
    asked = "Which lift is out of order this morning?"
    with producer("demo", "live-channel") as agent:
        agent.send(streams.run_with_input(streams.user(asked), thread="live-channel"))
        expect(page.get_by_role("link", name=asked).first).to_be_visible()


def test_a_card_goes_from_streaming_to_running_to_ok_before_the_viewers_eyes(opened, producer):
    run = {"run": "live-run", "thread": "live-cards"}
    with producer("demo", "live-cards") as agent:
        agent.send(
            streams.run_with_input(streams.user("Look it up."), **run) + streams.call_started("live-1")
        )
        page = opened("/find/?q=live-1")
        expect(page).to_have_url(re.compile(r"/turns/\d+/"))
        card = page.locator('#cards [data-call="live-1"]')
        expect(card).to_have_attribute("data-state", "streaming")

        agent.send(streams.arguments("live-1", '{"q": "lift"}') + streams.call_ended("live-1"))
        expect(card).to_have_attribute("data-state", "running")
        expect(page.locator('[data-calls="open"]')).to_contain_text("1 open")

        agent.send(streams.result("live-1"))
        expect(card).to_have_attribute("data-state", "ok")
        expect(page.locator('[data-calls="open"]')).to_contain_text("0 open")

        agent.send(streams.text("It is lift 2.") + streams.finished(**run))
        expect(page.locator("#outcome")).to_contain_text("Finished")
        expect(page.locator("#log .ev").last).to_contain_text("FINISHED")


def test_a_live_page_says_how_old_a_frame_is_when_it_is_seen(opened, producer):
    run = {"run": "lag-run", "thread": "lag"}
    with producer("demo", "lag") as agent:
        agent.send(streams.run_with_input(streams.user("Now?"), **run) + streams.call_started("lag-1"))
        page = opened("/find/?q=lag-1")
        expect(page.locator("#live")).to_contain_text("Live")

        def lag_after_one_more() -> str:
            agent.send(streams.arguments("lag-1", "[1"))
            page.wait_for_timeout(200)
            return page.locator("#lag").inner_text()

        comes_true(page, lag_after_one_more, lambda lag: bool(re.fullmatch(r"\d+(\.\d)? m?s", lag)))
        agent.send(streams.failed(**run))
        expect(page.locator("#live")).to_contain_text("Ended")
        expect(page.locator("#lag")).to_be_hidden()
        box = page.get_by_role("searchbox", name="Find: any id")
        expect(box).to_have_attribute("placeholder", f"Find in {page.locator('#events').inner_text()} events")


def test_a_card_past_its_limit_is_seen_hanging_and_its_answer_ends_that(opened, producer):
    run = {"run": "slow-run", "thread": "live-slow"}
    with producer("demo", "live-slow") as agent:
        agent.send(
            streams.run_with_input(streams.user("Look long."), **run)
            + streams.call("slow-1", "query_history")
        )
        page = opened("/find/?q=slow-1")
        card = page.locator('#cards [data-call="slow-1"]')
        expect(card).to_have_attribute("data-state", "running")
        expect(card).to_have_attribute("data-hanging", "", timeout=20_000)
        expect(page.locator('[data-finding="C01"]')).to_contain_text("query_history")
        agent.send(streams.result("slow-1") + streams.text("There.") + streams.finished(**run))
        expect(card).to_have_attribute("data-state", "ok")
        expect(card).not_to_have_attribute("data-hanging", "")


def test_a_call_the_browser_owes_is_shown_waiting_and_not_as_a_fault(opened, producer):
    with producer("demo", "live-wait") as agent:
        agent.send(
            streams.run_with_input(
                streams.user("Show it."), run="wait-run", thread="live-wait", tools=["show"]
            )
            + streams.call("wait-1", "show")
            + streams.finished("wait-run", "live-wait", pending=["wait-1"])
        )
    page = opened("/find/?q=wait-1")
    card = page.locator('#cards [data-call="wait-1"]')
    expect(card).to_have_attribute("data-state", "waiting")
    expect(card).to_have_attribute("data-owner", "client")
    expect(page.locator("#findings")).to_contain_text("No findings")


def test_who_follows_is_shown_the_newest_rows_without_asking_for_them_and_older_ones_when_they_are_looked_at(
    opened, producer
):
    run = {"run": "tail-run", "thread": "live-tail"}
    with producer("demo", "live-tail") as agent:
        agent.send(streams.run_with_input(streams.user("Go on."), **run) + streams.call_started("tail-1"))
        page = opened("/find/?q=tail-1")
        expect(page.locator("#live")).to_contain_text("Live")
        page.keyboard.press("f")
        last = page.locator("#log .ev:not([hidden]):not(.ghost)", has_text="piece")
        agent.send(streams.arguments("tail-1", "piece 0, "))  # what the page is sent first has no rows
        expect(last.last).to_contain_text("piece 0, ")
        page.wait_for_timeout(300)

        asked: list[str] = []
        page.on(
            "request", lambda request: asked.append(request.url) if "events.json" in request.url else None
        )
        for n in range(1, 6):
            agent.send(streams.arguments("tail-1", f"piece {n}, "))
            expect(last.last).to_contain_text(f"piece {n}, ")
        burst = [event for n in range(6, 400) for event in streams.arguments("tail-1", f"piece {n}, ")]
        agent.send_at_once(burst)
        expect(last.last).to_contain_text("piece 399, ")
        assert asked == []

        page.locator("#log").evaluate("(log) => log.select(200)")
        row = page.locator('#log .ev:not(.ghost)[data-seq="200"]')
        expect(row).to_contain_text("piece")
        comes_true(page, lambda: len(asked), lambda count: count > 0)
        expect(page.locator("#log .ev.ghost:not([hidden])")).to_have_count(0)


def test_the_demo_plays_a_conversation_before_the_viewers_eyes(opened, tmp_path):
    with served(tmp_path / "played", "--demo") as server:
        page = opened(f"{server.url}/channels/demo/")
        page.get_by_role("link", name=player.TOPICS[0].question).first.click()
        card = page.locator("#cards [data-call]", has_text="query_history")
        expect(card).to_have_attribute("data-state", "streaming", timeout=20_000)
        expect(card).to_have_attribute("data-state", "running")
        page.goto("/")
