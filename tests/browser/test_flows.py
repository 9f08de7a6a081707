"""What people come for, from page to page: a finding to its repair, a file imported, settings that fit."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests import streams
from tests.browser import told
from tests.browser.waiting import comes_to, comes_true
from tests.serving import Served

LOST = "fleet-dropped-result"


def recording(thread: str, runs: int, broken: int = 0) -> bytes:
    """Runs of three calls each; in every `broken`-th one a line that cannot be read."""
    lines = []
    for number in range(runs):
        ids = {"run": f"{thread}-{number}", "thread": f"{thread}-{number // 20}"}
        lines.append(
            streams.ndjson(
                streams.run_with_input(streams.user(f"Question {number}", f"{thread}-u{number}"), **ids)
            )
        )
        for one in range(3):
            call = f"{thread}-{number}-{one}"
            lines.append(streams.ndjson(streams.call(call, "look_up") + streams.result(call)))
        if broken and number % broken == 0:
            lines.append(b"{this is cut\n")
        lines.append(streams.ndjson(streams.finished(**ids)))
    return b"".join(lines)


def test_from_the_overview_to_a_conversation_that_can_be_sent(opened, tmp_path):
    """Browse, finding, event, what the repair changes, download; judged by the recording, not by the page."""
    page = opened("/")
    page.get_by_role("link", name="Channels").first.click()
    page.get_by_role("link", name="demo", exact=True).first.click()
    page.get_by_role("searchbox", name="Filter").fill("rule:C02 tool:set_*")
    page.keyboard.press("Enter")
    expect(page.locator(".trow")).to_have_count(1)
    expect(page.locator(".chip.on")).to_have_count(2)
    page.locator(".trow .what a").first.click()
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    finding = page.locator('[data-finding="C02"]')
    expect(finding).to_contain_text("the adapter lost it")
    finding.locator(".ref").first.click()
    expect(page).to_have_url(re.compile(r"event=\d+"))
    turn = re.search(r"/turns/\d+/", page.url)[0]

    [(call, _)] = [one for one in told.unanswered(LOST) if one[1] == "set_operating_mode"]
    page.goto(f"{turn}diff/?target=openai_chat")
    page.locator(".changes a").first.click()
    expect(page).to_have_url(re.compile(r"change=1"))
    made = page.locator(".blk.current .side.add").first
    expect(made).to_be_visible()
    expect(
        page.locator(".blk.current ins, .blk.current .side.add").filter(has_text=call).first
    ).to_be_visible()

    page.goto(f"{turn}export/?target=openai_chat")
    with page.expect_download() as started:
        page.locator('a[href*="/download/transcript.json"]').first.click()
    messages = json.loads(started.value.path().read_text())
    called = [one["id"] for m in messages for one in m.get("tool_calls", [])]
    answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert sorted(called) == sorted(answered) == sorted(one for one, _ in told.calls(LOST))


def test_a_call_has_a_page_that_leads_to_its_neighbours_and_its_events(opened):
    page = opened(f"/find/?q={told.calls(LOST)[0][0]}")
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    turn = re.search(r"/turns/\d+/", page.url)[0]
    page.goto(f"{turn}calls/1/")
    expect(page.locator(".headline .nm")).to_have_text("set_operating_mode")
    expect(page.locator(".word", has_text="unanswered").first).to_be_visible()
    pieces = [
        e["delta"]
        for e in told.events(LOST)
        if e.get("toolCallId") == told.calls(LOST)[0][0] and "delta" in e
    ]
    expect(page.locator(".piece")).to_have_text(pieces)
    page.keyboard.press("]")
    expect(page.locator(".headline .nm")).to_have_text("filter_table")
    page.keyboard.press("[")
    expect(page.locator(".headline .nm")).to_have_text("set_operating_mode")
    page.locator(".evs a").last.click()
    expect(page).to_have_url(re.compile(r"\?event=\d+"))


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_file_is_imported_and_leads_to_what_is_in_it(opened, tmp_path, *, scripts: bool):
    path = tmp_path / "night.jsonl"
    path.write_bytes(recording(f"imported-{scripts}", 4, broken=3))
    page = opened("/import/", java_script_enabled=scripts)
    page.get_by_label("file").set_input_files(path)
    page.get_by_label("channel, made if it is not there").fill("imported")
    page.get_by_role("button", name="Import").click()
    expect(page).to_have_url(re.compile(r"/import/\d+/"))
    expect(page.locator("h2", has_text="Done")).to_be_visible(timeout=15_000)
    expect(page.locator("td.line")).to_have_count(2)
    page.get_by_role("link", name="Question 0").click()
    expect(page.locator(".trow")).to_have_count(4)


def test_an_import_says_how_far_it_is_and_survives_a_reload(opened, tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_bytes(recording("large", 1500, broken=250))
    page = opened("/import/")
    page.get_by_label("file").set_input_files(path)
    page.get_by_label("channel, made if it is not there").fill("large")
    page.get_by_role("button", name="Import").click()
    expect(page).to_have_url(re.compile(r"/import/\d+/"))
    expect(page.locator("[data-state^='reading'], [data-state^='waiting']")).to_be_visible()
    expect(page.locator("[data-events]")).not_to_have_text("0")
    events = int(page.locator("[data-events]").inner_text().replace(",", ""))
    page.reload()
    read = page.locator("[data-events]")
    comes_true(page, lambda: int(read.inner_text().replace(",", "")), lambda now: now >= events > 0)
    expect(page.locator("h2", has_text="Done")).to_be_visible(timeout=60_000)
    # The events are the lines of the file, and six of them could not be read.
    expect(page.locator("[data-rejected]")).to_have_text("6")
    comes_to(page, lambda: int(read.inner_text().replace(",", "")), len(path.read_bytes().splitlines()))


@pytest.mark.prove
def test_a_file_can_be_dropped_anywhere_on_the_import_page(opened):
    page = opened("/import/")
    page.get_by_label("channel, made if it is not there").fill("dropped")
    text = recording("dropped", 1).decode()
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.jsonl"));
          const drop = {dataTransfer: data, bubbles: true, cancelable: true};
          document.body.dispatchEvent(new DragEvent("drop", drop));
        }""",
        text,
    )
    expect(page).to_have_url(re.compile(r"/import/\d+/"))
    expect(page.locator("h1")).to_have_text("dropped.jsonl")


def test_a_finding_is_muted_with_a_reason_by_keys_alone_and_counted_again(opened, server: Served, producer):
    with producer("muted", "muted-1") as agent:
        agent.send(
            streams.run_with_input(streams.user("Mute me."), run="mute-run", thread="mute-thread")
            + streams.call("mute-1", "look_up") + streams.failed("The model is gone.")
        )  # fmt: skip
    page = opened("/findings/?q=channel:muted")
    row = page.locator('[data-finding="R05"]')
    expect(row).to_be_visible()
    row.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("seen before")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="is muted on muted")).to_be_visible()
    page.goto("/findings/?q=channel:muted")
    expect(page.locator('[data-finding="R05"]')).to_have_count(0)
    page.goto("/settings/muted/")
    expect(page.locator("#mutes")).to_contain_text("seen before")
    page.locator("#mutes").get_by_role("button", name="Count again").click()
    expect(page.get_by_role("status").filter(has_text="Counted again")).to_be_visible()
    page.goto("/findings/?q=channel:muted")
    expect(page.locator('[data-finding="R05"]')).to_be_visible()


def test_a_suggestion_is_accepted_with_one_click_and_a_wrong_limit_named_by_its_path(opened, producer):
    with producer("habit", "habit-1") as agent:
        for number in range(3):
            ids = {"run": f"habit-{number}", "thread": f"habit-{number}"}
            agent.send(
                streams.run_with_input(streams.user("Show it."), tools=["show_map"], **ids)
                + streams.call(f"habit-{number}", "show_map")
                + streams.finished(**ids, pending=[f"habit-{number}"])
                + streams.run_with_input(
                    streams.user("Show it."), {"role": "tool", "id": f"m-{number}", "content": "shown",
                                               "toolCallId": f"habit-{number}"},
                    run=f"habit-next-{number}", thread=f"habit-{number}", tools=["show_map"],
                )
                + streams.finished(f"habit-next-{number}", f"habit-{number}")
            )  # fmt: skip
    page = opened("/settings/habit/", expected=422)
    offer = page.locator("#suggested .offer", has_text="show_map was always answered by the browser")
    offer.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status").filter(has_text="Accepted")).to_be_visible()
    expect(page.locator('[name="owners.client"]')).to_have_value("show_map")
    page.locator('[name="tool_limits"]').fill("show_map = soon")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("limits.tools.show_map")
    page.locator('[name="tool_limits"]').fill("show_map = 90 s")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    expect(page.locator('[name="tool_limits"]')).to_have_value("show_map = 90 s")


def test_a_list_is_walked_and_left_by_keys_alone(opened):
    page = opened("/")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile(r"/channels/$"))
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/channels/[\w-]+/$"))
    page.goto("/channels/demo/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".trow .what b a").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    page.wait_for_load_state("networkidle")
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page).to_have_url(re.compile(r"/turns/\d+/diff/"))
    page.keyboard.press("?")
    expect(page).to_have_url(re.compile(r"/help/keys/"))
