"""What deviates from AG-UI is read as it was meant, and noted; and what is no event says why."""

from __future__ import annotations

from typing import Any

import pytest
from ag_ui_samples import odd, read

from turnscope.core import events as e
from turnscope.core.dialects import ag_ui
from turnscope.core.framing import Decoded


@pytest.mark.parametrize(
    ("value", "event", "path", "problem"),
    [
        (
            {"type": "TOOL_CALL_RESULT", "tool_call_id": "c", "messageId": "m", "content": "x"},
            e.CallResult("c", "x", "m"), "tool_call_id", "snake case",
        ),
        (
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "result": "x"},
            e.CallResult("c", "x", "m"), "content", "named result",
        ),
        (
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "x"},
            e.CallResult("c", "x"), "messageId", "missing",
        ),
        (
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": {"a": 1}},
            e.CallResult("c", {"a": 1}, "m"), "content", "not a string",
        ),
        (
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n", "parentMessageId": None},
            e.CallStart("c", "n"), "parentMessageId", "null",
        ),
        (
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": {"a": 1}},
            e.CallArgs("c", '{"a":1}'), "delta", "not a string",
        ),
        (
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "subagentRunId": None},
            e.TextDelta("m", "x"), "subagentRunId", "null",
        ),
        ({"type": "TEXT_MESSAGE_END", "messageId": 7}, e.TextEnd("7"), "messageId", "not a string"),
        ({"type": "run_error", "message": "m"}, e.RunFailed("m"), "type", "wrong case"),
        ({"type": "RUN_ERROR", "error": "m"}, e.RunFailed("m"), "message", "named error"),
        (
            {"type": "RUN_STARTED", "data": {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}},
            e.RunStarted("t", "r"), "data", "fields one level down",
        ),
        (
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": "cancelled"},
            e.RunFinished("t", "r", "cancelled"), "outcome", "not an object",
        ),
    ],
)  # fmt: skip
def test_what_deviates_is_read_as_it_was_meant_after_a_note(
    value: Any, event: e.Event, path: str, problem: str
):
    assert read(value) == [e.Odd(event_type(value), path, problem), event]


def event_type(value: Any) -> str:
    return str(value["type"]).upper()


@pytest.mark.parametrize("spelled", ["RunStarted", "runStarted", "run_started", "Run_Started"])
def test_a_type_in_another_case_is_read_as_what_it_is_and_names_its_thread(spelled: str):
    value = {"type": spelled, "threadId": "t", "runId": "r"}
    assert read(value) == [e.Odd("RUN_STARTED", "type", "wrong case"), e.RunStarted("t", "r")]
    assert ag_ui.thread_of(value, None) == "t"
    assert ag_ui.kind(value) == ag_ui.kind({"type": "RUN_STARTED"})


def test_unknown_fields_are_never_odd():
    assert read(
        {"type": "TEXT_MESSAGE_END", "messageId": "m", "message": 1, "_offset_ms": 0.5, "x": None}
    ) == [e.TextEnd("m")]


@pytest.mark.parametrize(
    ("fields", "stamp", "problem"),
    [
        ({"timestamp": 1_770_363_247}, 1_770_363_247_000, None),
        ({"timestamp": 1_770_363_247_123_456}, 1_770_363_247_123, None),
        ({"timestamp": 1_770_363_247_123_456_789}, 1_770_363_247_123, "out of range"),
        ({"timestamp": "2026-02-06T07:34:07.250Z"}, 1_770_363_247_250, "not an integer"),
        ({"timestamp": None}, None, "null"),
        ({"_timestamp": 25_376.5}, 25_376_500, None),
        ({}, None, None),
    ],
)
@pytest.mark.parametrize("type_", ["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"])
def test_times_of_any_unit_become_milliseconds(
    fields: Any, stamp: int | None, problem: str | None, type_: str
):
    found = read({"type": type_, "messageId": "m", "delta": "x"} | fields)
    assert {event.stamp for event in found} == {stamp}
    assert odd(found) == ([("timestamp", problem)] if problem else [])


def test_thinking_events_of_before_1_0_are_reasoning_and_named_as_legacy():
    found = read(*({"type": f"THINKING_{rest}", "delta": "hm"} for rest in (
        "START", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "END")))  # fmt: skip
    assert [event.legacy for event in found if isinstance(event, e.Unknown)] == [True] * 5
    assert [type(event) for event in found if not isinstance(event, e.Unknown)] == [
        e.ReasoningStart, e.ReasoningMessageStart, e.ReasoningDelta, e.ReasoningMessageEnd, e.ReasoningEnd
    ]  # fmt: skip
    assert len({event.id for event in found if not isinstance(event, e.Unknown)}) == 1


def test_a_binary_part_of_before_1_0_is_legacy_by_its_exact_path():
    part = {"type": "binary", "mimeType": "image/png", "data": "AA=="}
    message = {"id": "u1", "role": "user", "content": [{"type": "text", "text": "This:"}, part]}
    found = read({"type": "MESSAGES_SNAPSHOT", "messages": [message]})
    assert odd(found) == [("messages[0].content[1].type", "legacy")]


def test_a_type_nobody_defined_is_unknown():
    assert read({"type": "USAGE_METADATA", "timestamp": 1_796_000_000_040}) == [
        e.Unknown("USAGE_METADATA", stamp=1_796_000_000_040)
    ]


@pytest.mark.parametrize("value", [None, 1, "x", [], [{"type": "RAW"}], {}, {"type": 1}, {"messages": []}])
def test_json_that_is_no_event_is_unread_with_a_reason(value: Any):
    (found,) = read(value)
    assert isinstance(found, e.Unread) and found.reason


def test_framing_alone_makes_no_event_and_what_is_unreadable_one():
    reader = ag_ui.Reader()
    assert reader.read(Decoded(blank=True)) == []
    assert reader.read(Decoded(reason="not UTF-8")) == [e.Unread("not UTF-8")]
