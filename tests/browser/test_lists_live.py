"""Lists while a producer streams: rows that come, wait and change, and the overview's figures."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests import streams
from tests.browser.waiting import at_rest, comes_to
from tests.serving import served, turnscope


def ask(agent, name: str, question: str, *more) -> None:
    agent.send(streams.run_with_input(streams.user(question), run=f"run-{name}", thread=f"thread-{name}"))
    for events in more:
        agent.send(events)


def test_new_turns_wait_while_the_reader_has_paused_and_come_when_told(opened, producer):
    with producer("paused", "paused-0") as agent:
        ask(agent, "first", "The first one?")
        page = opened("/channels/paused/")
        expect(page.locator("#live")).to_have_text("Live")
        page.keyboard.press("f")
        expect(page.get_by_role("button", name="Paused")).to_have_attribute("aria-pressed", "true")
        ask(agent, "second", "The second one?")
        expect(page.locator("#newer")).to_have_text("1 new")
        expect(page.locator(".trow")).to_have_count(1)
        page.locator("#newer").click()
        expect(page.locator(".trow")).to_have_count(2)
        expect(page.locator(".trow").first).to_contain_text("The second one?")
        expect(page.locator("#newer")).to_be_hidden()


def test_new_turns_wait_while_the_reader_is_further_down(opened, producer):
    with producer("scrolled", "scrolled-0") as agent:
        for number in range(30):
            ask(agent, f"s{number}", f"Question {number}?")
        page = opened("/channels/scrolled/")
        expect(page.locator(".trow")).to_have_count(30)
        page.locator("main").evaluate("main => main.scrollTop = 900")
        row = page.locator(".trow", has_text="Question 10?")
        seen = at_rest(page, row.bounding_box)
        ask(agent, "late", "One more?")
        expect(page.locator("#newer")).to_have_text("1 new")
        assert at_rest(page, row.bounding_box) == seen
        page.locator("#newer").click()
        expect(page.locator(".trow").first).to_contain_text("One more?")
        comes_to(page, lambda: page.locator("main").evaluate("main => main.scrollTop"), 0)


def test_a_filtered_channel_stays_filtered_while_turns_come_in(opened, producer):
    with producer("sieved", "sieved-0") as agent:
        ask(agent, "a", "Please search.", streams.call("sieve-1", "search_mail"))
        page = opened("/channels/sieved/?q=tool:search_*")
        expect(page.locator(".trow")).to_have_count(1)
        ask(agent, "b", "Something else.", streams.call("sieve-2", "pay"))
        ask(agent, "c", "Please search again.", streams.call("sieve-3", "search_web"))
        expect(page.locator(".trow")).to_have_count(2)
        expect(page.locator(".trow").first).to_contain_text("Please search again.")
        agent.send(streams.result("sieve-3") + streams.finished("run-c", "thread-c"))
        expect(page.locator(".trow").first).to_contain_text("Finished")


def test_a_thread_draws_its_turns_in_miniature_as_they_grow(opened, producer):
    with producer("grown", "grown-0") as agent:
        ask(agent, "g", "How many?", streams.call("grow-1", "count_them"))
        page = opened("/channels/grown/")
        page.locator(".trow small a").first.click()
        expect(page).to_have_url(re.compile(r"/threads/\d+/"))
        agent.send(streams.result("grow-1") + streams.call("grow-2", "count_again"))
        expect(page.locator(".fall rect.b")).to_have_count(2)
        expect(page.locator(".trow")).to_contain_text("1 open")


def test_the_overview_shows_what_runs_now_and_how_fast_it_comes(opened, producer):
    page = opened("/")
    with producer("overview", "overview-0") as agent:
        ask(agent, "o", "What is on now?", streams.call("over-1", "look_up"))
        row = page.locator("#live-rows .trow", has_text="What is on now?")
        expect(row).to_be_visible()
        expect(page.locator("[data-rate]")).not_to_have_text("0")
        focus = page.locator("#new-rows .what a").first
        focus.focus()
        agent.send(streams.result("over-1") + streams.finished("run-o", "thread-o"))
        expect(row).to_have_count(0)
        expect(page.locator("#new-rows .trow", has_text="What is on now?")).to_contain_text("Finished")


@pytest.mark.prove
def test_empty_pages_show_the_first_event_by_themselves(opened, tmp_path):
    home = tmp_path / "empty"
    turnscope(home, "channel", "nothing-yet", "--create")
    with served(home) as server:
        pages = [opened(f"{server.url}{path}") for path in ("/channels/nothing-yet/", "/")]
        for page in pages:
            expect(page.get_by_role("heading", level=2).first).to_contain_text("Nothing has arrived")
        pages[0].request.post(
            f"{server.url}/api/channels/nothing-yet/frames",
            data=streams.ndjson(streams.run_with_input(streams.user("Hello?"))),
        )
        for page in pages:
            expect(page.locator(".trow").first).to_contain_text("Hello?")
            page.goto("about:blank")


def test_a_list_of_findings_says_how_many_are_new_and_an_open_call_is_shown_as_it_goes(opened, producer):
    with producer("found", "found-0") as agent:
        ask(agent, "f", "What is wrong?", streams.call("found-1", "look_up"))
        page = opened("/findings/?q=channel:found")
        call = opened("/find/?q=found-1")
        call.goto(re.sub(r"\?.*", "calls/1/", call.url))
        expect(call.locator(".headline .word")).to_have_text("running")
        agent.send(streams.failed("The model is gone."))
        expect(page.locator("#newer")).to_have_text("1 new")
        page.locator("#newer").click()
        expect(page.locator('[data-finding="R05"]')).to_be_visible()
        expect(call.locator(".headline .word")).to_have_text("aborted")


def test_a_row_whose_age_has_ticked_is_drawn_again_when_its_turn_goes_on(opened, producer):
    """What keeps ages true took lit-html's nodes away: from then on the row stood still."""
    with producer("ageing", "ageing-0") as agent:
        page = opened("/channels/ageing/")
        expect(page.locator("#live")).to_have_text("Live")
        ask(agent, "old", "How old?", streams.call("ageing-1", "look"))
        row = page.locator(".trow")
        expect(row).to_contain_text("1 started")
        agent.send(streams.call("ageing-2", "look"))
        expect(row).to_contain_text("2 started")
        expect(row.locator("time")).to_have_text(re.compile("^now"))
        page.evaluate("""() => {
          const real = Date.now;
          Date.now = () => real() + 40_000;
          document.dispatchEvent(new Event("visibilitychange"));
        }""")
        expect(row.locator("time")).to_have_text(re.compile("^4[0-9] s ago"))
        agent.send(streams.failed("It broke."))
        expect(row).to_contain_text("Failed")
        expect(row).to_contain_text("1 error")
        expect(row.locator(".fix")).to_be_visible()
        expect(row.locator("time")).to_have_text(re.compile("^4[0-9] s ago"))
