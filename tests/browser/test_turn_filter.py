"""The filter of a turn's events: what a line lets through, what it hides, and what it cannot mean."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser import told
from tests.browser.test_turn_page import MAIL, in_hand, turn_with
from tests.browser.waiting import comes_to


def mail(opened, **options) -> Page:
    return turn_with(opened, told.unanswered(MAIL)[0][0], **options)


def kinds(page: Page) -> set[str]:
    return set(page.locator("#log .ev:not([hidden]) .k").all_inner_texts())


def filter_by(page: Page, line: str) -> None:
    page.locator("#filter").fill(line)
    page.locator("#filter").press("Enter")


def test_a_line_lets_through_what_it_speaks_of_and_the_address_says_it(opened):
    page = mail(opened)
    filter_by(page, "tool:label_* type:*_RESULT")
    expect(page.locator("#matching")).to_have_text("3 of 233")
    expect(page.locator("#log .ev:not([hidden])")).to_have_count(3)
    comes_to(page, lambda: kinds(page), {"TOOL_CALL_RESULT"})
    expect(page).to_have_url(re.compile(r"q=tool%3Alabel_\*\+type%3A\*_RESULT"))
    other = opened(page.url)
    expect(other.locator("#matching")).to_have_text("3 of 233")


def test_lines_between_rows_say_how_much_is_hidden(opened):
    page = mail(opened)
    filter_by(page, "status:unanswered type:*_START")
    expect(page.locator("#log .gaprow.left:not([hidden])").first).to_contain_text(
        "events hidden by the filter"
    )


def test_what_cannot_be_understood_is_underlined_and_the_rest_holds(opened):
    page = mail(opened)
    filter_by(page, "tool:Read stauts:ok")
    expect(page.locator("#filter-says mark")).to_have_text("stauts")
    expect(page.locator("#filter-says")).to_contain_text("did you mean “status:”?")
    expect(page.locator("#filter")).to_have_attribute("aria-invalid", "")
    expect(page.locator("#matching")).to_have_text(re.compile(r"^\d+ of 233$"))
    filter_by(page, "tool:Read")
    expect(page.locator("#filter-says")).to_be_hidden()


def test_chips_switch_kinds_on_and_off_beside_the_line(opened):
    page = mail(opened)
    page.locator('[data-kind="runs"]').click()
    expect(page.locator("#matching")).to_have_text(re.compile(r"^\d of 233$"))
    comes_to(page, lambda: {kind[:4] for kind in kinds(page)}, {"RUN_"})
    page.locator('[data-kind="runs"]').click()
    expect(page.locator("#matching")).to_have_text("233")


def test_nothing_matching_is_said_in_the_count_and_escape_clears(opened):
    page = mail(opened)
    filter_by(page, "text:nowhere-in-there")
    expect(page.locator("#matching")).to_have_text("0 of 233")
    page.locator("#filter").press("Escape")
    expect(page.locator("#matching")).to_have_text("233")
    expect(page).not_to_have_url(re.compile("q="))


def test_a_click_on_a_row_of_a_filtered_list_opens_that_event(opened):
    page = mail(opened)
    filter_by(page, "type:RUN_FINISHED")
    page.locator("#log .ev:not([hidden])").first.click()
    expect(page.locator("#event")).to_contain_text("RUN_FINISHED")


def test_a_list_that_is_filtered_grows_with_what_it_lets_through(opened, producer):
    from tests import streams

    with producer("demo", "filter-live") as agent:
        agent.send(streams.run_started("fl-run", "fl") + streams.call("fl-1", "first_tool"))
        page = opened("/find/?q=fl-1")
        in_hand(page)
        filter_by(page, "type:*_START tool:first_*,second_*")
        expect(page.locator("#log .ev:not([hidden])")).to_have_count(1)
        agent.send(streams.text("Words.") + streams.call_started("fl-2", "second_tool"))
        expect(page.locator("#log .ev:not([hidden])")).to_have_count(2)
        agent.send(streams.call_ended("fl-2") + streams.finished("fl-run", "fl"))


def test_without_scripts_the_server_filters(opened):
    page = opened("/", java_script_enabled=False)
    page.goto(f"/find/?q={told.unanswered(MAIL)[0][0]}")
    page.goto(page.url.split("?")[0] + "?q=tool:Read+type:*_RESULT+nope:x")
    expect(page.locator("#rows .ev")).to_have_count(3)
    expect(page.locator("#filter-says")).to_contain_text("There is no “nope:”")
