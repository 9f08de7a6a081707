"""The repaired turn is asked for as the original is: rows, a filter, one event, the messages of a moment."""

from __future__ import annotations

import json
from array import array

import pytest
from django.test import Client

from tests import streams
from tests.test_pages import of, page
from turnscope.store import models
from turnscope.web import played, sifting

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn() -> models.Turn:
    """A call whose answer never came, between two that were answered."""
    return of(
        streams.run_with_input(streams.user("Go"))
        + streams.call("c1", "search")
        + streams.result("c1", "three")
        + streams.call("c2", "book", {"seat": "12 A"})
        + streams.call("c3", "search")
        + streams.result("c3", "two")
        + streams.text("Booked, I think.", id="m1")
        + streams.finished()
    )


def twin(client: Client, turn: models.Turn, path: str) -> dict:
    return json.loads(page(client, f"/turns/{turn.pk}/{path}"))


def repaired(client: Client, turn: models.Turn) -> list[dict]:
    """The events as a client of the replay gets them: what the rows must show."""
    text = page(client, f"/turns/{turn.pk}/download/repaired.jsonl")
    return [json.loads(line) for line in text.splitlines()]


def test_its_rows_are_the_events_a_client_gets_and_say_which_were_made(client: Client, turn: models.Turn):
    told = twin(client, turn, "repaired/events.json")
    events = repaired(client, turn)
    assert [row["kind"] for row in told["rows"]] == [one["type"] for one in events]
    made = [row for row in told["rows"] if row["made"]]
    assert [(row["kind"], row["call"]) for row in made] == [("TOOL_CALL_RESULT", "c2")]
    part = twin(client, turn, "repaired/events.json?after=3&limit=2")
    assert [row["seq"] for row in part["rows"]] == [4, 5]


def test_a_filter_goes_through_the_repaired_turn(client: Client, turn: models.Turn):
    events = repaired(client, turn)
    results = [n for n, one in enumerate(events, 1) if one["type"] == "TOOL_CALL_RESULT"]
    rows = twin(client, turn, "repaired/events.json?q=type:*_RESULT")["rows"]
    assert [row["seq"] for row in rows] == results
    assert len(results) == 3
    answer = b"".join(client.get(f"/turns/{turn.pk}/repaired/matches?q=type:*_RESULT+tool:book"))
    size = int.from_bytes(answer[:4], "little")
    numbers = array("I", answer[4 + size :]).tolist()
    assert numbers[1] == next(n for n in results if events[n - 1]["toolCallId"] == "c2")
    assert numbers[0] & ~sifting.RANGES in (1, 2)


def test_one_event_is_given_whole_and_as_its_bytes(client: Client, turn: models.Turn):
    events = repaired(client, turn)
    whole = twin(client, turn, "repaired/events/2/")
    assert json.loads(whole["text"]) == events[1]
    raw = page(client, f"/turns/{turn.pk}/repaired/events/2/?raw=1")
    assert json.loads(raw) == events[1]
    assert client.get(f"/turns/{turn.pk}/repaired/events/9999/").status_code == 404


def test_the_messages_of_a_moment_hold_what_the_repair_answered(client: Client, turn: models.Turn):
    events = repaired(client, turn)
    made = next(n for n, one in enumerate(events, 1) if one.get("toolCallId") == "c2" and "content" in one)

    def results(at: int) -> list[str]:
        told = twin(client, turn, f"repaired/transcript.json?at={at}")
        return [part["text"] for one in told["messages"] if one["role"] == "tool" for part in one["parts"]]

    assert len(results(made)) == len(results(made - 1)) + 1
    assert any(text.startswith("TOOL_") for text in results(made))
    assert twin(client, turn, "repaired/state.json")["documents"] == []


def test_a_turn_of_more_than_twenty_thousand_events_is_played_a_page_at_a_time(client: Client):
    pieces = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "la"} for _ in range(21_000)]
    said = streams.event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
    turn = of(streams.run_started() + streams.call("c1", "book") + said + pieces
              + streams.event("TEXT_MESSAGE_END", messageId="m1") + streams.finished())  # fmt: skip
    told = twin(client, turn, "repaired.json")
    assert [call["call_id"] for call in told["calls"]] == ["c1"]
    assert told["pace"]["last"] > 21_000
    assert len(told["rows"]) == played.FIRST
    last = told["pace"]["last"]
    rows = twin(client, turn, f"repaired/events.json?after={last - 1}")["rows"]
    assert [(row["seq"], row["kind"]) for row in rows] == [(last, "RUN_FINISHED")]
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    number, spelled = 20_000, ""
    while number:
        number, rest = divmod(number, 36)
        spelled = digits[rest] + spelled
    rows = twin(client, turn, f"repaired/rows.json?seqs={spelled},1")["rows"]
    assert [row["seq"] for row in rows] == [20_000, 20_001]
