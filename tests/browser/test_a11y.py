"""Every page, in both themes and both sizes: no violation that axe-core knows, and none wider than a phone.

`make test` looks at each page once, at the next one in the next look; `make prove` at each in all four.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests import streams
from tests.browser import told
from tests.browser.conftest import NARROW, WIDE
from tests.browser.waiting import comes_true

BROKEN = f"/find/?q={told.unanswered('mail-28-started-26-answered')[0][0]}"
HEALTHY = f"/find/?q={told.calls('desk-healthy')[0][0]}"

PAGES = {
    "overview": "/",
    "channels": "/channels/",
    "channel": "/channels/demo/",
    "channel, filtered": "/channels/demo/?q=tool:filter_*+nope:x",
    "turns": "/turns/",
    "threads": "/threads/",
    "thread": "/threads/2/",
    "events": "/turns/4/events/",
    "call": "/turns/4/calls/1/",
    "diff": "/turns/4/diff/?change=1",
    "diff in one column": "/turns/4/diff/?mode=unified",
    "compare": "/compare/?a=1&b=2",
    "nothing to compare": "/compare/",
    "settings": "/settings/",
    "retention": "/retention/?channel=demo",
    "removal": "/retention/channel/1/",
    "settings of a channel": "/settings/demo/?said=saved",
    "import": "/import/",
    "patterns": "/patterns",
    "broken turn": BROKEN,
    "healthy turn": HEALTHY,
    "findings": "/findings/",
    "findings, closed too": "/findings/?show=all",
    "find": "/find/?q=nothing-of-this-name",
    "found": "/find/?q=the",
    "an event opened": "/turns/4/events/?event=20",
    "an export": "/turns/4/export/",
    "rules": "/rules/",
    "rule": "/rules/C03/",
    "connect": "/connect/",
    "keys": "/help/keys/",
}


LOOKS = [(theme, size) for theme in ("dark", "light") for size in (WIDE, NARROW)]


def violations(page: Page, looks: Sequence[tuple[str, Any]] = LOOKS) -> list[str]:
    """In each look, each violation with where it is, so that a failure says what to mend."""
    found = []
    for theme, size in looks:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size(size)
        wider = page.locator("main").evaluate("main => main.scrollWidth - main.clientWidth")
        if wider > 0:
            found.append(f"{theme} {size['width']}: the page is {wider} px wider than its place")
        for one in Axe().run(page).response["violations"]:
            found += [
                f"{theme} {size['width']}: {one['id']}: {one['help']} {node['target']}"
                for node in one["nodes"]
            ]
    return found


SLOW = ("patterns", "nothing to compare", "diff in one column", "channel, filtered", "findings, closed too")
"""Variants, and a page as long as twenty: looked at by `make prove` alone."""
QUICK = {name: (place, path) for place, (name, path) in enumerate(PAGES.items()) if name not in SLOW}


@pytest.mark.parametrize(("place", "path"), QUICK.values(), ids=QUICK)
def test_axe_finds_nothing_on_the_page(opened, place, path):
    assert violations(opened(path), [LOOKS[place % len(LOOKS)]]) == []


@pytest.mark.prove
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_axe_finds_nothing_on_the_page_in_any_look(opened, path):
    assert violations(opened(path)) == []


def test_axe_finds_nothing_on_an_open_mute_and_on_what_is_wrong_with_settings(opened):
    page = opened("/findings/", expected=422)
    page.locator(".mutes summary").first.click()
    assert violations(page, LOOKS[:1]) == []
    page.goto("/settings/demo/")
    page.locator('[name="silence"]').fill("soon")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("alert").wait_for()
    assert violations(page, LOOKS[2:3]) == []


def test_axe_finds_nothing_on_the_page_of_an_error_and_of_an_import(opened, tmp_path):
    page = opened("/turns/999999/", expected=404)
    assert violations(page, LOOKS[3:]) == []
    recorded = tmp_path / "one.jsonl"
    recorded.write_bytes(streams.ndjson(streams.run_started("axe", "axe")) + b"{this is cut\n")
    page.goto("/import/")
    page.get_by_label("file").set_input_files(recorded)
    page.get_by_label("channel, made if it is not there").fill("imported")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("h2", has_text="Done")).to_be_visible()
    assert violations(page, LOOKS[1:2]) == []


def test_axe_finds_nothing_on_the_export_page(opened):
    page = opened(BROKEN)
    page.goto(page.url.split("?")[0] + "export/")
    assert violations(page) == []


def test_axe_finds_nothing_where_a_repaired_turn_is_played(opened):
    page = opened(BROKEN)
    page.locator("[data-replay-repaired]").click()
    page.locator("#replay-url").wait_for()
    page.keyboard.press(" ")
    assert violations(page) == []


STATES = {
    "transcript": "&tab=transcript",
    "state": "&tab=state",
    "event": "&event=40&panel=event",
    "raw": "&event=40&panel=raw",
    "filtered, with a problem": "&q=tool:Read+stauts:ok",
    "zoomed and packed": "&from=3&to=9&lanes=packed",
    "replayed": "&t=12",
}


@pytest.mark.parametrize("query", STATES.values(), ids=STATES)
def test_axe_finds_nothing_in_any_state_of_a_turn(opened, query):
    page = opened(BROKEN)
    page.goto(page.url.split("?")[0] + "?" + query.lstrip("&"))
    page.wait_for_load_state("networkidle")
    assert violations(page) == []


def test_axe_finds_nothing_in_the_palette(opened):
    page = opened(BROKEN)
    page.get_by_role("slider", name="Playhead").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Command").fill("to")
    assert violations(page) == []


def test_forced_colours_keep_what_tells_states_apart(opened):
    """Icons, words and textures say it; a colour that is taken away is not missed."""
    page = opened(BROKEN, forced_colors="active")
    page.get_by_role("slider", name="Playhead").wait_for()
    expect(page.locator("#cards .card").first.locator(".st")).to_have_text("unanswered")
    open_bars = page.locator("#waterfall rect[fill='url(#p-unanswered)']")
    comes_true(page, open_bars.count, lambda count: count >= 2)
    assert violations(page) == []


def test_at_twice_the_size_nothing_is_lost_and_nothing_scrolls_sideways(opened):
    """200 % zoom of 1440 by 900 is a page of 720 by 450."""
    page = opened(BROKEN, size={"width": 720, "height": 450})
    page.get_by_role("slider", name="Playhead").wait_for()
    comes_true(page, lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"), bool)
    for name in ("Events", "Findings", "Tools"):
        page.get_by_role("navigation", name="Views").get_by_text(name).click()
    expect(page.locator("#cards .card").first).to_be_visible()
