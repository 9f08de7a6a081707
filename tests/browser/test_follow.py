"""A list that follows what comes stops at a reader's least step up, and counts what came since."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests import streams
from tests.browser.test_turn_page import in_hand

RUN = {"run": "follow-run", "thread": "follow"}


def pieces(many: int) -> list[dict]:
    return [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "follow-m", "delta": f"word {n} "} for n in range(many)
    ]


@pytest.mark.parametrize("way", ["wheel", "key"])
def test_the_least_step_up_stops_following_and_new_rows_are_counted(opened, producer, way: str):
    ids = {name: f"{text}-{way}" for name, text in RUN.items()}
    with producer("follow", f"follow-{way}") as agent:
        agent.send(streams.run_started(**ids))
        agent.send(streams.event("TEXT_MESSAGE_START", messageId="follow-m", role="assistant"))
        agent.send(pieces(60))
        page: Page = opened(f"/find/?q={ids['run']}")
        in_hand(page)
        page.keyboard.press("f")
        follow = page.locator("[data-follow]")
        expect(follow).to_have_attribute("aria-pressed", "true")
        agent.send(pieces(5))
        expect(page.locator("#log .ev:not([hidden])").last).to_contain_text("word 4")
        page.locator("#log").hover()
        if way == "wheel":
            page.mouse.wheel(0, -8)
        else:
            page.keyboard.press("k")
        expect(follow).to_have_attribute("aria-pressed", "false")
        agent.send(pieces(7))
        newest = page.locator("[data-newest]")
        expect(newest).to_have_text(re.compile("7 new"))
        newest.click()
        expect(follow).to_have_attribute("aria-pressed", "true")
        expect(newest).to_be_hidden()
        agent.send(streams.event("TEXT_MESSAGE_END", messageId="follow-m") + streams.finished(**ids))


def test_a_new_row_that_stands_in_sight_is_not_told_of(opened, producer):
    with producer("follow", "follow-short") as agent:
        agent.send(streams.run_started("follow-short", "follow-short"))
        page: Page = opened("/find/?q=follow-short")
        in_hand(page)
        agent.send(pieces(3))
        expect(page.locator("#log .ev:not([hidden])").last).to_contain_text("word 2")
        expect(page.locator("[data-newest]")).to_be_hidden()
        expect(page.locator("[data-follow]")).to_have_attribute("aria-pressed", "false")


def test_that_the_newest_is_followed_is_in_the_address(opened, producer):
    with producer("follow", "follow-address") as agent:
        agent.send(streams.run_started("follow-address", "follow-address") + pieces(5))
        page = opened("/find/?q=follow-address")
        in_hand(page)
        page.keyboard.press("f")
        expect(page).to_have_url(re.compile(r"event=\d+.*live=1"))
        page.reload()
        expect(page.locator("[data-follow]")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("f")
        expect(page).not_to_have_url(re.compile("live=1"))
