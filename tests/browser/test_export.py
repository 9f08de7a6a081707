"""The export page as people use it: read, chosen, copied, taken away, by mouse and by keyboard alone."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import told
from tests.browser.conftest import NARROW, WIDE
from tests.browser.test_a11y import violations
from tests.browser.waiting import at_rest, comes_true
from tests.streams import (
    assistant,
    call,
    finished,
    ndjson,
    result,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)
from turnscope.core.repair import TARGETS

BROKEN = f"/find/?q={told.unanswered('mail-28-started-26-answered')[0][0]}"
HOSTILE = '"><img src=x onerror=alert(1)>'


def exported(page: Page, query: str = "") -> Page:
    page.goto(page.url.split("?")[0] + f"export/{query}")
    return page


def rows(page: Page) -> list[str]:
    return page.locator("section[aria-labelledby=targets] .target").all_inner_texts()


def test_every_target_says_what_it_makes_of_the_conversation(opened) -> None:
    page = exported(opened(BROKEN))
    expect(page.locator("[data-verdict]")).to_have_count(0)
    said = at_rest(page, lambda: rows(page))
    assert len(said) == len(TARGETS)
    assert all("change" in one or "blocked" in one or "accepts" in one for one in said)
    assert any("Mistral insists" in one for one in said if one.startswith("Mistral"))


def test_without_scripts_each_row_is_a_link_that_works_it_out(opened) -> None:
    page = exported(opened(BROKEN, java_script_enabled=False))
    page.locator(".target", has_text="Anthropic Messages").click()
    expect(page.locator("#for")).to_have_text("Repaired transcript for Anthropic Messages")
    expect(page.locator("#messages")).to_have_value(re.compile("tool_use"))


def test_the_list_is_copied_and_taken_away_under_its_own_name(opened, tmp_path: Path) -> None:
    page = exported(opened(BROKEN, permissions=["clipboard-read", "clipboard-write"]), "?target=anthropic")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator("#said")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    with page.expect_download() as taken:
        page.get_by_role("link", name="JSON", exact=True).click()
    assert taken.value.suggested_filename.endswith("-anthropic.json")
    taken.value.save_as(tmp_path / "taken.json")
    assert json.loads((tmp_path / "taken.json").read_text()) == copied
    with page.expect_download() as record:
        page.get_by_role("link", name="With reasons").click()
    record.value.save_as(tmp_path / "record.json")
    made = json.loads((tmp_path / "record.json").read_text())
    assert made["messages"] == copied and made["changes"]


def test_a_change_leads_to_the_event_that_proves_it_and_faces_its_message(opened) -> None:
    page = exported(opened(BROKEN))
    first = page.locator("#change-1")
    expect(first).to_contain_text("rule answered")
    page.locator(".blk a.cn", has_text="1").first.click()
    expect(page).to_have_url(re.compile("#change-1$"))
    link = first.locator("a.ref").first
    seq = link.inner_text().lstrip("#").replace(",", "")
    link.click()
    expect(page).to_have_url(re.compile(rf"event={seq}\b"))
    expect(page.locator("#at-event")).to_have_text(f"#{int(seq):,}")


def test_by_keyboard_alone_a_target_is_chosen_and_a_choice_made(opened) -> None:
    page = exported(opened(BROKEN))
    page.locator(".target", has_text="OpenAI Responses").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#for")).to_have_text("Repaired transcript for OpenAI Responses")
    page.locator("summary", has_text="More choices").focus()
    page.keyboard.press("Enter")
    late = page.get_by_label("A result behind its window")
    late.focus()
    late.select_option("quote")
    page.get_by_role("button", name="Repair again").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**late=quote**")
    expect(page.get_by_label("A result behind its window")).to_have_value("quote")
    expect(page.locator("#for")).to_have_text("Repaired transcript for OpenAI Responses")


def test_each_run_of_a_turn_has_an_address_to_copy(opened, producer) -> None:
    asked = assistant(("c-two", "pick", "{}"))
    with producer("demo", "two-runs") as agent:
        agent.send(run_with_input(user("two runs"), thread="two-runs") + call("c-two", "pick"))
        agent.send(finished(thread="two-runs", pending=["c-two"]))
        agent.send(run_with_input(user("two runs"), asked, tool("c-two"), run="run-2", thread="two-runs"))
        agent.send(text() + finished("run-2", "two-runs"))
    page = exported(opened("/find/?q=c-two", permissions=["clipboard-read", "clipboard-write"]))
    expect(page.locator("#replay-url")).to_contain_text("/replay/turn/")
    expect(page.locator('code[id^="replay-"]')).to_have_count(3)
    page.get_by_role("button", name="Copy the address of run").last.click()
    comes_true(page, lambda: page.evaluate("navigator.clipboard.readText()"), lambda text: "/replay/" in text)
    assert violations(page) == []


def test_what_is_waited_for_is_cancelled_by_a_click_and_waited_for_again(opened, producer) -> None:
    with producer("demo", "waits") as agent:
        agent.send(run_with_input(user("waits"), thread="waits") + call("c-waits", "pick"))
        agent.send(finished(thread="waits", pending=["c-waits"]))
    page = exported(opened("/find/?q=c-waits"), "?target=openai_chat")
    expect(page.get_by_text("Not ready to send")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Cancel 1 call").click()
    expect(page.get_by_text("Ready to send", exact=True)).to_be_visible()
    expect(page.locator("#messages")).to_have_value(re.compile("TOOL_CANCELLED"))
    page.get_by_role("link", name="Wait for the answers again").click()
    expect(page.get_by_text("Not ready to send")).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_hostile_names_stay_in_their_place_and_nothing_hangs_over(opened, producer, size) -> None:
    long = "call_" + "x" * 300
    with producer("demo", "hostile-export") as agent:
        agent.send(
            run_started(run=HOSTILE, thread=HOSTILE) + call("c-hostile", HOSTILE) + call(long, "l" * 200)
        )
        agent.send(text(HOSTILE * 9) + result(long) + finished(HOSTILE, HOSTILE))
    page = exported(opened("/find/?q=c-hostile", size=size), "?target=mistral")
    expect(page.locator("#for")).to_be_visible()
    expect(page.locator("img[src='x']")).to_have_count(0)
    comes_true(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= size["width"], bool)
    assert violations(page) == []


@pytest.mark.parametrize("where", ["export", "diff"])
def test_a_long_conversation_shows_at_once_and_is_then_whole(opened, server, where: str) -> None:
    events = run_started(f"long-{where}", f"long-{where}") + call("c1") + text("word " * 3)
    events += [{"type": "CUSTOM", "name": "n", "value": n} for n in range(10_000)]
    page = opened("/")
    answer = page.request.post(
        f"{server.url}/api/channels/long/frames?recording=1",
        data=ndjson(events + finished(f"long-{where}", f"long-{where}")),
    )
    still = opened("/", java_script_enabled=False)
    still.goto(answer.json()["threads"][0]["runs"][0]["url"])
    base = still.url.split("?")[0]
    still.goto(f"{base}{where}/?target=openai_chat")
    expect(still.get_by_text("Not read yet")).to_be_visible()
    page.goto(f"{base}{where}/?target=openai_chat")
    expect(page.get_by_text("Not read yet")).to_have_count(0)
    expect(page.locator("main")).to_contain_text(
        "TOOL_OUTCOME_UNKNOWN" if where == "diff" else "Ready to send"
    )
    still.get_by_role("link", name="Work it out").click()
    expect(still.get_by_text("Not read yet")).to_have_count(0)


def test_the_switch_takes_the_words_off_the_page_and_out_of_the_bundle(opened, tmp_path: Path) -> None:
    page = exported(opened(BROKEN), "?target=anthropic")
    asked = "November workshop"
    expect(page.locator("#messages")).to_have_value(re.compile(asked))
    page.get_by_role("group", name="Values in every file and on this page").get_by_text("replaced").click()
    expect(page.get_by_role("link", name="replaced")).to_have_attribute("aria-current", "true")
    expect(page.locator("#messages")).not_to_have_value(re.compile(asked))
    with page.expect_download() as taken:
        page.get_by_role("link", name="All of it").click()
    assert taken.value.suggested_filename.endswith("-redacted.zip")
    taken.value.save_as(tmp_path / "turn.zip")
    with zipfile.ZipFile(tmp_path / "turn.zip") as archive:
        for name in archive.namelist():
            assert asked not in archive.read(name).decode(), name
        assert b"ToolSearch" in archive.read("stream.jsonl")


def test_the_page_to_read_shows_without_a_server(opened, browser, tmp_path: Path) -> None:
    page = exported(opened(BROKEN))
    with page.expect_download() as taken:
        page.get_by_role("link", name="as one page without scripts").click()
    taken.value.save_as(tmp_path / "turn.html")
    alone = browser.new_page()
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "turn.html").as_uri())
    expect(alone.get_by_role("heading", name="Conversation")).to_be_visible()
    expect(alone.get_by_text("calls ToolSearch").first).to_be_visible()
    assert len(asked) == 1
    alone.close()
