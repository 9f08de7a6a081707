"""CHUNK events: expanded as the official client's transformChunks does at 1.0.0, whose answers these are."""

from __future__ import annotations

from typing import Any

import pytest
from ag_ui_samples import odd, read, shape

from turnscope.core import events as e
from turnscope.core.dialects import ag_ui
from turnscope.core.framing import Decoded


def chunk(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"{kind}_CHUNK", **fields}


TEXT, CALL = "TEXT_MESSAGE", "TOOL_CALL"
RAW, CUSTOM = {"type": "RAW", "event": 1}, {"type": "CUSTOM", "name": "n", "value": 1}


def test_a_chunk_opens_continues_and_ends_when_another_event_of_its_lane_comes():
    found = read(
        chunk(TEXT, messageId="m1", delta="a"), chunk(TEXT, delta="b"), RAW, chunk(TEXT, delta="c"), CUSTOM
    )
    assert [shape(event) for event in found if not isinstance(event, e.Raw)] == [
        ("TextStart", "m1", "assistant", None, None, True),
        ("TextDelta", "m1", "a", None),
        ("TextDelta", "m1", "b", None),
        ("TextDelta", "m1", "c", None),
        ("TextEnd", "m1", None, True),
        ("Custom", "n", 1, None),
    ]


def test_a_chunk_with_a_new_id_or_of_another_kind_ends_the_one_before():
    found = read(
        chunk(TEXT, messageId="m1", delta="a"),
        chunk(CALL, toolCallId="c1", toolCallName="look", parentMessageId="m1", delta="{"),
        chunk(CALL, toolCallId="c1", delta="}"),
        chunk(CALL, toolCallId="c2", toolCallName="look"),
        chunk("REASONING_MESSAGE", messageId="r1", delta="hm"),
    )
    assert [shape(event)[:2] for event in found] == [
        ("TextStart", "m1"), ("TextDelta", "m1"), ("TextEnd", "m1"),
        ("CallStart", "c1"), ("CallArgs", "c1"), ("CallArgs", "c1"), ("CallEnd", "c1"),
        ("CallStart", "c2"), ("CallEnd", "c2"),
        ("ReasoningMessageStart", "r1"), ("ReasoningDelta", "r1"),
    ]  # fmt: skip
    assert found[3] == e.CallStart("c1", "look", "m1", expanded=True)


def test_each_agent_has_its_own_lane_and_run_level_events_close_them_all():
    finished = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
    found = read(
        chunk(TEXT, messageId="m1", delta="a"),
        chunk(TEXT, messageId="m2", delta="b", subagentRunId="s1"),
        {**CUSTOM, "subagentRunId": "s2"},
        chunk(TEXT, messageId="m1", delta="c"),
        chunk(TEXT, messageId="m2", delta="d"),
        finished,
    )
    assert [shape(event) for event in found if isinstance(event, (e.TextDelta, e.TextEnd))] == [
        ("TextDelta", "m1", "a", None),
        ("TextDelta", "m2", "b", "s1"),
        ("TextDelta", "m1", "c", None),
        ("TextDelta", "m2", "d", "s1"),
        ("TextEnd", "m1", None, True),
        ("TextEnd", "m2", "s1", True),
    ]


def test_what_only_keeps_a_chunk_stream_alive_says_nothing():
    assert read(chunk(TEXT, messageId="m1"), chunk(TEXT, messageId="m1"), chunk(TEXT))[1:] == []


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ([chunk(TEXT, delta="a")], "messageId"),
        ([chunk(CALL, toolCallId="c", delta="a")], "toolCallName"),
        ([chunk(TEXT, messageId="m", delta="a"), chunk(TEXT, role="user", delta="b")], "role"),
        (
            [
                chunk(TEXT, messageId="m", subagentRunId="a"),
                chunk(TEXT, messageId="n", subagentRunId="b"),
                chunk(TEXT, delta="x"),
            ],
            "messageId",
        ),
    ],
)
def test_a_chunk_over_which_the_official_client_throws_is_odd_and_read_all_the_same(values: Any, path: str):
    found = read(*values)
    assert [where for where, _ in odd(found)] == [path]
    assert any(isinstance(event, (e.TextDelta, e.CallArgs)) for event in found)


def test_chunks_stay_open_at_the_end_of_a_stream():
    reader = ag_ui.Reader()
    reader.read(Decoded(chunk(TEXT, messageId="m1", delta="a")))
    assert reader.end() == []
    assert reader.pending() == (("text", "m1", None),)


def test_a_reader_rebuilt_from_the_same_frames_continues_as_if_it_had_never_stopped():
    values = [chunk(TEXT, messageId="m1", delta="a"), chunk(TEXT, delta="b"), chunk(TEXT, delta="c"), CUSTOM]
    whole = read(*values)
    for cut in range(len(values)):
        rebuilt = ag_ui.Reader()
        for value in values[:cut]:
            rebuilt.read(Decoded(value))
        rest = [event for value in values[cut:] for event in rebuilt.read(Decoded(value))]
        assert rest == whole[len(whole) - len(rest) :]
