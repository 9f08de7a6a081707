"""The pages beside the turn page: one call, original beside repaired, all events."""

from __future__ import annotations

import json
import re
import time

import pytest
from django.test import Client

from tests.streams import call, finished, result, run_started, run_with_input, user
from tests.test_pages import of, page, story, words
from turnscope.store import models
from turnscope.web import assets, linediff

# ---------------------------------------------------------------- one call


@pytest.mark.django_db
def test_a_call_has_a_page_with_its_arguments_its_answer_and_only_its_events(client: Client):
    turn = of(
        run_started()
        + [
            {"type": "TOOL_CALL_START", "toolCallId": "call-1", "toolCallName": "look_up"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "call-1", "delta": '{"city":'},
            {"type": "TOOL_CALL_START", "toolCallId": "call-2", "toolCallName": "other"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "call-1", "delta": ' "Bern"}'},
            {"type": "TOOL_CALL_END", "toolCallId": "call-1"},
        ]
        + result("call-1", "x" * 5000)
        + finished()
    )
    text = page(client, f"/turns/{turn.pk}/calls/1/")
    assert "As streamed, in 2 pieces" in words(text)
    assert "x" * 5000 in text
    twin = json.loads(page(client, f"/turns/{turn.pk}/calls/1.json"))
    assert twin["args"]["text"] == '{"city": "Bern"}'
    assert [piece["text"] for piece in twin["args"]["pieces"]] == ['{"city":', ' "Bern"}']
    assert {row["call"] for row in twin["events"]} == {"call-1"}
    assert len(twin["events"]) == 5


@pytest.mark.django_db
def test_chunks_without_an_id_belong_to_the_chunk_before(client: Client):
    turn = of(
        run_started()
        + [
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "call-1", "toolCallName": "a", "delta": '{"n":'},
            {"type": "TOOL_CALL_CHUNK", "delta": "1}"},
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "call-2", "toolCallName": "b", "delta": "{}"},
        ]
        + finished()
    )
    twin = json.loads(page(client, f"/turns/{turn.pk}/calls/1.json"))
    assert twin["args"]["text"] == '{"n":1}'


@pytest.mark.django_db
def test_a_call_that_nobody_answered_says_so_and_leads_to_its_repair(client: Client):
    turn = story("2a")
    number = models.Call.objects.filter(state="unanswered").order_by("number").first().number
    text = page(client, f"/turns/{turn.pk}/calls/{number}/")
    assert "Nobody answered." in words(text)
    assert f'href="/turns/{turn.pk}/diff/"' in text


@pytest.mark.django_db
def test_a_call_of_another_turn_is_not_here(client: Client):
    turn = story("2a")
    assert page(client, f"/turns/{turn.pk}/calls/999/", 404)


@pytest.mark.django_db
def test_a_result_in_a_history_is_shown_whole(client: Client):
    """Story 1a answers two of its calls in the next run's input."""
    turn = story("1a")
    first = models.Turn.objects.filter(thread=turn.thread).order_by("number").first()
    for row in models.Call.objects.filter(thread=turn.thread, turn=first.number):
        twin = json.loads(page(client, f"/turns/{first.pk}/calls/{row.number}.json"))
        for stored, shown in zip(row.answers, twin["answers"], strict=True):
            assert len(shown["text"]) == stored["length"]


# ---------------------------------------------------------------- original beside repaired


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["split", "unified"])
def test_every_change_is_numbered_and_stands_where_it_was_made(client: Client, mode: str):
    turn = story("2a")
    twin = json.loads(page(client, f"/turns/{turn.pk}/diff.json?target=openai_chat"))
    assert [one["n"] for one in twin["changes"]] == list(range(1, len(twin["changes"]) + 1))
    assert len([one for one in twin["changes"] if not one["kept"]]) >= 2
    placed = {n for block in twin["blocks"] for n in block.get("changes", ())}
    assert placed == {one["n"] for one in twin["changes"]}
    text = page(client, f"/turns/{turn.pk}/diff/?target=openai_chat&change=1&mode={mode}")
    assert 'id="c1"' in text
    assert "current" in text


@pytest.mark.django_db
def test_a_conversation_that_needs_no_repair_says_so(client: Client):
    turn = of(run_started() + call("call-1", "a") + result("call-1", "ok") + finished())
    assert "The repair changed nothing" in words(page(client, f"/turns/{turn.pk}/diff/"))


def test_words_that_differ_are_marked_on_both_sides():
    [row], cut = linediff.lines(["answers TOOL ok"], ["answers TOOL lost"], time.monotonic() + 1)
    assert (row["kind"], cut) == ("both", False)
    assert "".join(text for _, text in row["left"]) == "answers TOOL ok"
    assert [text for own, text in row["right"] if own] == ["lost"]


def test_lines_written_to_be_slow_to_compare_are_given_up_at_once():
    began = time.monotonic()
    old, new = ["}", "{"] * 5000, ["{", "}", "{"] * 4000
    rows, cut = linediff.lines(old, new, began + 10)
    assert cut
    assert len(rows) == len(old) + len(new)
    assert time.monotonic() - began < 1


def test_when_the_time_is_up_texts_stand_whole():
    rows, cut = linediff.lines(["a", "b"], ["a", "c"], time.monotonic() - 1)
    assert cut
    assert [row["kind"] for row in rows] == ["del", "del", "add", "add"]


# ---------------------------------------------------------------- all events


@pytest.mark.django_db
def test_events_are_paged_without_scripts_and_none_is_lost(client: Client):
    turn = story("2a")
    seen: list[int] = []
    path = f"/turns/{turn.pk}/events/"
    while path:
        text = page(client, path)
        seen += [int(seq) for seq in re.findall(r'id="e\d+" [^>]*data-seq="(\d+)"', text)]
        onward = re.search(r'href="([^"]+)" rel="next"', text)
        path = f"/turns/{turn.pk}/events/{onward[1].replace('&amp;', '&')}" if onward else ""
    assert seen == list(range(turn.first_seq, turn.last_seq + 1))


@pytest.mark.django_db
def test_a_filter_that_nothing_fits_says_how_to_clear_it(client: Client):
    turn = story("2a")
    text = page(client, f"/turns/{turn.pk}/events/?q=nothing-has-this-in-it")
    assert "No event matches" in words(text)
    assert 'href="?"' in text


@pytest.mark.django_db
def test_the_events_of_a_turn_are_filtered_by_the_language_before_any_script(client: Client):
    turn = story("2a")
    text = page(client, f"/turns/{turn.pk}/events/?q=type:TOOL_CALL_RESULT")
    kinds = re.findall(r"<i>(TOOL_CALL_|\w*_)</i>(\w+)", text)
    assert kinds
    assert set(kinds) == {("TOOL_CALL_", "RESULT")}
    assert "There is no “nope:”" in words(page(client, f"/turns/{turn.pk}/events/?q=nope:x"))


@pytest.mark.parametrize("page_", ["site", "events-page", "turn-page"])
def test_a_page_weighs_no_more_than_it_may(page_: str):
    def zipped(name: str) -> int:
        found = assets.asset(name)
        assert found is not None
        return len(found.packed["gzip"])

    assert zipped(f"css/{page_}.css") <= 10_000
    assert zipped(f"js/{page_}.js") <= 35_000


@pytest.mark.django_db
def test_a_finding_leads_to_its_call_in_whatever_turn_that_is(client: Client):
    story("2a")
    [one] = json.loads(page(client, "/findings.json?q=rule:C03"))["findings"]
    assert f"/calls/{one['call']}/" in one["call_url"]
    assert one["call_url"] in page(client, "/findings/?q=rule:C03")
    page(client, one["call_url"])
    asked, again = user("One.", "u1"), user("Two.", "u2")
    last = of(
        run_with_input(asked, run="r-1") + call("only-1", "a") + result("only-1", "ok") + finished("r-1")
        + run_with_input(asked, again, run="r-2") + finished("r-2")
    )  # fmt: skip
    first = last.thread.turn_set.get(number=1)
    assert first.pk != last.pk
    number = models.Call.objects.get(thread=last.thread).number
    answer = client.get(f"/turns/{last.pk}/calls/{number}/")
    assert answer["Location"] == f"/turns/{first.pk}/calls/{number}/"
