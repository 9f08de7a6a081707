"""A line of the filter language lets through the events it speaks of, and they reach the page packed."""

from __future__ import annotations

import json
from array import array
from typing import Any

import pytest
from django.test import Client

from tests import streams
from tests.journals import recorded
from turnscope.store.journal import Journal
from turnscope.store.models import Turn
from turnscope.web import asked, filters, sifting, spread

pytestmark = pytest.mark.django_db

SAID = 'A "quoted" thing, über all'


def unpacked(data: bytes) -> tuple[dict[str, Any], list[int]]:
    """(the query as understood, the seqs) of an answer, read as its description says."""
    size = int.from_bytes(data[:4], "little")
    head, numbers = json.loads(data[4 : 4 + size]), array("I", data[4 + size :]).tolist()
    seqs: list[int] = []
    at = 0
    while at < len(numbers):
        count = numbers[at] & ~sifting.RANGES
        some = numbers[at + 1 : at + 1 + count]
        if numbers[at] & sifting.RANGES:
            seqs += [
                seq for low, high in zip(some[::2], some[1::2], strict=True) for seq in range(low, high + 1)
            ]
        else:
            seqs += some
        at += 1 + count
    return head, seqs


@pytest.fixture
def turn() -> Turn:
    """Two searches and a mail, the second search failed; text between; the mail is never answered."""
    events = (
        streams.run_with_input(streams.user("Go"))
        + streams.call("c1", "search_docs", {"q": "lift"})
        + streams.result("c1", "3 found")
        + streams.text(SAID, id="m1", pieces=1)
        + streams.call("c2", "search_mail", {"q": SAID})
        + streams.call("c3", "send_mail", {"to": "ann"})
        + streams.result("c2", "none")
        + streams.finished()
    )
    recorded(Journal(), streams.ndjson(streams.timed(events)))
    return Turn.objects.get()


def kinds_of(turn: Turn, line: str) -> list[tuple[str, str]]:
    """(what of the kind, call) of each event that a line lets through."""
    sieve = asked.sieve_of(turn, filters.parse(line))
    seqs = [seq for some in sieve.seqs() for seq in some]
    shown = sifting.picked(turn.thread_id, seqs)
    assert [row["seq"] for row in shown] == seqs
    return [(row["kind"].rpartition("_")[2], row["call"]) for row in shown]


def test_a_tool_lets_through_the_events_of_its_calls(turn: Turn):
    assert kinds_of(turn, "tool:search_d*") == [
        ("START", "c1"), ("ARGS", "c1"), ("END", "c1"), ("RESULT", "c1")
    ]  # fmt: skip
    assert {call for _, call in kinds_of(turn, "tool:search_*")} == {"c1", "c2"}


def test_terms_narrow_each_other(turn: Turn):
    assert kinds_of(turn, "tool:search_* type:*_RESULT") == [("RESULT", "c1"), ("RESULT", "c2")]
    assert kinds_of(turn, "call:c2 -type:*_ARGS,*_RESULT") == [("START", "c2"), ("END", "c2")]


def test_a_status_is_that_of_the_call(turn: Turn):
    assert {call for _, call in kinds_of(turn, "status:open")} == {"c3"}
    assert {call for _, call in kinds_of(turn, "status:ok")} == {"c1", "c2"}


def test_a_minus_lets_through_what_is_of_no_call_at_all(turn: Turn):
    without = kinds_of(turn, "-tool:*")
    assert without
    assert not [call for _, call in without if call]


def test_a_rule_lets_through_its_evidence(turn: Turn):
    [finding] = turn.thread.findings.filter(code="C02")
    sieve = asked.sieve_of(turn, filters.parse("rule:C02"))
    assert [seq for some in sieve.seqs() for seq in some] == sorted(finding.seqs)


@pytest.mark.parametrize("line", [SAID, SAID.upper(), "über", "ÜBER ALL"])
def test_a_text_is_found_as_it_is_and_as_json_spells_it_once_and_twice(turn: Turn, line: str):
    spelled = line.replace('"', '\\"')
    assert {kind for kind, _ in kinds_of(turn, f'text:"{spelled}"')} >= {"CONTENT", "ARGS"}


PARALLEL = [
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "search"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "Level 2 was n"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"q": "cold'},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "ot"},
    {"type": "TOOL_CALL_ARGS", "delta": ' ro\\nom"', "toolCallId": "c1"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": " FOUND"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "}"},
]
"""A message and a call's arguments, each in pieces, one piece of each in turn."""


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ('text:"not found"', [6]),
        ('text:"NOT F"', [6]),
        ('text:"2 was not"', [4]),
        ('text:"cold ro"', [5]),
        ('text:"cold"', [3]),
        ('text:"found}"', []),
        ('text:"not found","cold ro"', [5, 6]),
        ('text:"not found" type:TOOL_*', []),
        ('text:"cold ro" tool:search', [5]),
        ('type:*_CONTENT -text:"not found"', [2, 4]),
        ('text:"om\\"}"', [7]),
    ],
)
def test_a_text_that_came_in_pieces_is_found_at_the_piece_that_ends_it(line: str, ends: list[int]):
    recorded(Journal(), streams.ndjson(streams.run_started() + PARALLEL + streams.finished()))
    turn = Turn.objects.get()
    sieve = asked.sieve_of(turn, filters.parse(line))
    begin = turn.last_seq - len(PARALLEL)
    assert [seq - begin for some in sieve.seqs() for seq in some] == ends


def test_a_text_that_overlaps_itself_is_found_in_each_place(turn: Turn):
    """`aba` in `aba` and across it and `ba`: counting those beside each other would miss the second."""
    pieces = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m9", "delta": text} for text in ("xaba", "bax")]
    recorded(Journal(), streams.ndjson(streams.run_started(thread="other") + pieces))
    other = Turn.objects.exclude(pk=turn.pk).get()
    sieve = asked.sieve_of(other, filters.parse("text:aba"))
    assert [other.last_seq - seq for some in sieve.seqs() for seq in some] == [1, 0]


def test_a_frame_written_to_be_slow_is_looked_through_at_once():
    """Ids without a piece behind them, thirty thousand in one frame: each might have begun one."""
    ids = b'"messageId": "m", ' * 30_000
    data = b'{"type": "CUSTOM", ' + ids.lower() + b'"delta":  "not fo"}'
    assert spread._grouped(data) == {b"m": [b"not fo"]}


def test_pieces_far_apart_are_put_together_wherever_the_looking_begins():
    """In several segments, with another message between, and asked for from the middle on."""

    def piece(id_: str, text: str) -> dict[str, Any]:
        return {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": text}

    between = [piece("m2", "la") for _ in range(300)]
    events = [piece("m1", "Drop "), *between, piece("m1", "the ta"), *between, piece("m1", "ble now")]
    recorded(Journal(), streams.ndjson(streams.run_started() + events + streams.finished()))
    turn = Turn.objects.get()
    end = turn.last_seq - 1
    sieve = asked.sieve_of(turn, filters.parse('text:"drop the table"'))
    assert [seq for some in sieve.seqs() for seq in some] == [end]
    later = asked.sieve_of(turn, filters.parse('text:"the table"'))
    assert [seq for some in later.seqs(end - 1) for seq in some] == [end]
    assert later.window(before=end + 1, limit=5) == [end]


def test_a_text_that_stands_nowhere_finds_nothing(turn: Turn):
    assert kinds_of(turn, "text:nowhere") == []
    assert len(kinds_of(turn, "-text:nowhere")) == turn.last_seq - turn.first_seq + 1


def test_places_bound_the_list(turn: Turn):
    low, high = turn.first_seq, turn.last_seq

    def seqs(line: str) -> list[int]:
        return [seq for some in asked.sieve_of(turn, filters.parse(line)).seqs() for seq in some]

    assert seqs(f"after:{low + 2} before:#{low + 6}") == [low + 3, low + 4, low + 5]
    assert seqs(f"-after:{low + 2}") == [low, low + 1, low + 2]
    late = seqs("after:1ms")
    assert late
    assert late[-1] >= high - 1
    assert set(late).isdisjoint(seqs("before:1ms"))


def test_a_window_goes_both_ways(turn: Turn):
    sieve = asked.sieve_of(turn, filters.parse("tool:search_*"))
    every = [seq for some in sieve.seqs() for seq in some]
    assert sieve.window(after=every[1], limit=3) == every[2:5]
    assert sieve.window(before=every[5], limit=3) == every[2:5]


@pytest.mark.parametrize(
    ("seqs", "numbers"),
    [([1, 5, 9], 3), (list(range(1, 1000)), 2), ([1, 2], 2), ([], 0), ([*range(9), 100, 102], 6)],
)
def test_a_block_takes_whichever_form_is_shorter(seqs: list[int], numbers: int):
    data = sifting.block(seqs)
    assert len(data) == 4 + numbers * 4
    assert unpacked((2).to_bytes(4, "little") + b"{}" + data)[1] == seqs


def test_the_answer_tells_how_the_line_was_understood(turn: Turn, client: Client):
    answer = client.get(f"/turns/{turn.pk}/matches", {"q": "tool:search_d* colour:red"})
    head, seqs = unpacked(b"".join(answer))
    assert [term["source"] for term in head["terms"]] == ["tool:search_d*"]
    assert head["problems"][0]["start"] == 15
    assert len(seqs) == 4


def test_rows_are_given_by_their_seqs(turn: Turn, client: Client):
    wanted = [turn.first_seq, turn.first_seq + 3, turn.last_seq]
    steps = [str(wanted[0]), "3", f"{wanted[2] - wanted[1]:x}"]
    answer = client.get(f"/turns/{turn.pk}/rows.json", {"seqs": ",".join(steps)}).json()
    assert [row["seq"] for row in answer["rows"]] == wanted
    assert client.get(f"/turns/{turn.pk}/rows.json", {"seqs": "zz,-1,,x'"}).json() == {"rows": []}


def test_the_first_match_leaves_before_anything_behind_it_is_looked_at():
    looked: list[int] = []

    class Behind:
        def seqs(self, after: int):
            for seq in range(1, 100):
                looked.append(seq)
                yield [seq] if seq > 2 else []

    answer = sifting.blocks(filters.parse("", filters.EVENTS), Behind())
    next(answer)
    assert array("I", next(answer)).tolist() == [1, 3] and looked == [1, 2, 3]
