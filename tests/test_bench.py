"""What the bench is fed and how it judges; its figures themselves are no test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ag_ui.core import Event as OfficialEvent
from pydantic import TypeAdapter

from bench import __main__ as benches
from bench import data, diff, resume
from bench.rows import Rate, Row, table
from bench.wire import batches, frame

DELTAS = ("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS")


def test_the_events_are_as_large_and_as_many_deltas_as_the_bar_says():
    lines = list(data.lines(50_000))
    deltas = sum(json.loads(line)["type"] in DELTAS for line in lines)
    assert sum(map(len, lines)) / len(lines) == pytest.approx(206, rel=0.03)
    assert deltas / len(lines) == pytest.approx(0.93, abs=0.01)


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others():
    assert list(data.lines(500, seed=7)) == list(data.lines(500, seed=7))
    assert list(data.lines(500, seed=7)) != list(data.lines(500, seed=8))


def test_the_official_models_accept_the_events():
    official: TypeAdapter[Any] = TypeAdapter(OfficialEvent)
    for line in data.lines(1_000):
        official.validate_json(line)


@pytest.mark.parametrize(
    ("value", "higher", "verdict"),
    [
        (1.6, True, "aim"),
        (1.2, True, "must"),
        (0.5, True, "SHORT by 50%"),
        (None, True, "not there yet"),
        (0.9, False, "aim"),
        (3.0, False, "SHORT by 200%"),
    ],
)
def test_a_figure_is_held_against_must_and_aim(value, higher, verdict):
    row = Row("import", value, "R", 1.0, 1.5 if higher else 0.9, higher=higher)
    assert row.verdict() == verdict
    assert verdict in table([row])


def test_what_must_be_none_at_all_is_short_by_how_many_there_are():
    assert Row("seqs lost", 3, "", 0, 0).verdict() == "SHORT by 3"
    assert Row("seqs lost", 0, "", 0, 0).verdict() == "aim"


def test_events_per_second_become_a_ratio_to_the_bare_script():
    row = Row("import", 300_000, "R", 1.0, 1.5, per_cpu=500_000).in_units_of(Rate(200_000, 250_000))
    assert row.value == 1.5
    assert "2.00 R by processor time" in row.note


def test_a_prepared_message_is_one_that_a_websocket_server_reads_back():
    from websockets.frames import Frame
    from websockets.streams import StreamReader

    for size in (5, 500, 70_000):
        sent = b"x" * size
        reader = StreamReader()
        reader.feed_data(frame(sent))
        parsing = Frame.parse(reader.read_exact, mask=True)
        with pytest.raises(StopIteration) as done:
            while True:
                next(parsing)
        assert bytes(done.value.value.data) == sent


def test_lines_are_cut_into_messages_and_none_is_lost():
    lines = [b"%d\n" % number for number in range(25)]
    cut = [b"".join(lines[at : at + 10]) for at in (0, 10, 20)]
    assert list(batches(lines, 10)) == [frame(part) for part in cut]


def test_what_a_viewer_lacks_is_lost_and_what_it_has_twice_or_unasked_is_doubled():
    assert resume.missing([1, 2, 3], [3, 1, 2]) == (0, 0)
    assert resume.missing([1, 2, 3], [1, 3, 3, 4]) == (1, 2)
    assert resume.numbers([(1, "RUN_STARTED"), (2, 'CUSTOM{"value": "<17>"}')]) == ["<17>"]


def test_a_conversation_to_be_compared_has_as_many_lines_as_are_asked_for_and_lacks_a_tenth_of_its_answers():
    started, finished = diff.conversation("c", 5_000)
    official: TypeAdapter[Any] = TypeAdapter(OfficialEvent)
    assert official.validate_python(started) and official.validate_python(finished)
    messages = started["input"]["messages"]
    calls = [call for message in messages for call in message.get("toolCalls", ())]
    text = sum(len(message["content"].splitlines()) for message in messages)
    answers = sum(message["role"] == "tool" for message in messages)
    assert text + len(calls) == pytest.approx(5_000, abs=12)
    assert answers == len(calls) - len(calls) // 10


def test_a_bench_that_fails_is_told_and_takes_no_other_with_it(tmp_path, monkeypatch, capsys):
    def failing(folder, count):
        raise AssertionError("first\nthe page is gone")

    measured = Row("another", 1.0, "ms", 2, 1)
    monkeypatch.setattr(benches, "BENCHES", {"failing": failing, "other": lambda folder, count: [measured]})
    _, failed, other = benches.run(tmp_path, 100, ["failing", "other"])
    assert (failed.name, failed.value, failed.note) == ("failing", None, "the page is gone")
    assert failed.verdict() == "not there yet"
    assert other is measured
    assert "the page is gone" in capsys.readouterr().err
