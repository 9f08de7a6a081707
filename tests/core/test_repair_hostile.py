"""What real software got wrong in types and ids: repaired or refused in words, and never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.mended import mended
from turnscope.core.repair import CHOICES, TARGETS, repair, shapes
from turnscope.core.verify import Verifier

RUN = {"threadId": "t", "runId": "r"}
WRONG: list[Any] = [None, True, 7, 1e308, "c1", {}, {"a": 1}, [], [None], [[]], [{"type": {}}]]


@pytest.mark.parametrize(
    "key", ["tool_calls", "invalid_tool_calls", "additional_kwargs", "content", "type", "id"]
)
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_langchain_message_with_a_field_of_any_type_is_repaired_for_every_target(
    key: str, value: Any
) -> None:
    messages = [
        {"type": "human", "content": "a"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "n", "args": {}, "id": "c1"}], key: value},
        {"type": "human", "content": "b"},
    ]
    for target in TARGETS:
        json.dumps(repair(shapes.read(messages, "langchain"), target).messages)


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_an_item_of_responses_of_any_type_is_repaired_for_every_target(value: Any) -> None:
    items = [
        {"type": "message", "role": "user", "content": "a"},
        {"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "n", "arguments": "{}"},
        {"type": value, "role": "assistant", "content": "ok", "id": "x"},
    ]
    for target in TARGETS:
        json.dumps(repair(shapes.read(items, "openai_responses"), target).messages)


@pytest.mark.parametrize("thinking", CHOICES["thinking"])
def test_every_choice_about_thinking_is_one_for_thinking_that_is_bound(thinking: str) -> None:
    messages = [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "n", "input": {}},
            ],
        },
        {"role": "user", "content": "stop"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "plan", "signature": "sig"},
                {"type": "text", "text": "so"},
            ],
        },
        {"role": "user", "content": "and?"},
    ]
    done = repair(shapes.read(messages), "anthropic", thinking=thinking)
    assert "thinking_invalidated" in {change.code for change in done.changes}
    kept = "thinking" in json.dumps(done.messages)
    assert kept is (thinking != "strip_after_first_change")
    assert any("drop_block" in note for note in done.notes) is (thinking in ("request_drop_block", "echo"))


OPEN: dict[str, list[dict[str, Any]]] = {
    "a call": [{"type": "TOOL_CALL_START", "toolCallId": "", "toolCallName": "n"}],
    "a text": [{"type": "TEXT_MESSAGE_START", "messageId": "", "role": "assistant"}],
    "a thought": [
        {"type": "REASONING_START", "messageId": ""},
        {"type": "REASONING_MESSAGE_START", "messageId": "", "role": "reasoning"},
    ],
    "a subagent": [{"type": "SUBAGENT_STARTED", "subagentRunId": "", "name": "n"}],
}


@pytest.mark.parametrize("terminal", ["RUN_FINISHED", "RUN_ERROR", None])
@pytest.mark.parametrize("events", OPEN.values(), ids=OPEN)
def test_what_was_opened_under_an_empty_id_is_closed_under_it(
    events: list[dict[str, Any]], terminal: str | None
) -> None:
    """The client takes the empty string for an id, and refuses a run that ends while it is open."""
    ends = {"RUN_FINISHED": {**RUN}, "RUN_ERROR": {"message": "no"}}
    stream = [{"type": "RUN_STARTED", **RUN}, *events]
    stream += [{"type": terminal, **ends[terminal]}] if terminal else []
    done = mended(stream)
    client = Verifier()
    assert [client.see(event) for event in done.events] == [None] * len(done.events)
    assert mended(done.events).events == done.events


@pytest.mark.parametrize("kind", [{}, {"type": None}, {"type": "tool"}], ids=["none", "null", "another"])
def test_a_call_of_a_history_gets_the_type_that_the_client_insists_on(kind: dict[str, Any]) -> None:
    call = {"id": "c1", "function": {"name": "n", "arguments": "{}"}, **kind}
    messages = [
        {"id": "u1", "role": "user", "content": "go"},
        {"id": "m1", "role": "assistant", "toolCalls": [call]},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": "done"},
    ]
    said = {"messages": messages, "tools": [], **RUN}
    for stream in (
        [{"type": "RUN_STARTED", **RUN, "input": said}, {"type": "RUN_FINISHED", **RUN}],
        [
            {"type": "RUN_STARTED", **RUN},
            {"type": "MESSAGES_SNAPSHOT", "messages": messages},
            {"type": "RUN_FINISHED", **RUN},
        ],
    ):
        client = Verifier()
        assert any(client.see(event) for event in stream)
        done, client = mended(stream), Verifier()
        assert [client.see(event) for event in done.events] == [None] * len(done.events)
        assert "invalid_event" in {change.code for change in done.changes}


@pytest.mark.parametrize(
    ("contents", "kept"),
    [
        (["one", "one"], "one"),
        (["one", "two"], "one"),
        (
            ["TOOL_OUTCOME_UNKNOWN: no result was recorded for this tool call. retry: check first", "two"],
            "two",
        ),
    ],
    ids=["the same", "another", "in place of the real one"],
)
@pytest.mark.parametrize("ended", [True, False])
def test_of_two_results_that_came_before_the_end_of_their_call_one_is_sent(
    contents: list[str], kept: str, *, ended: bool
) -> None:
    results = [
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "messageId": f"r{n}", "content": content}
        for n, content in enumerate(contents)
    ]
    stream = [
        {"type": "RUN_STARTED", **RUN},
        {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "n"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{}"},
        *results,
        *([{"type": "TOOL_CALL_END", "toolCallId": "c1"}] if ended else []),
        {"type": "RUN_FINISHED", **RUN},
    ]
    done = mended(stream)
    assert [event["content"] for event in done.events if event["type"] == "TOOL_CALL_RESULT"] == [kept]
    assert "duplicate_result" in {change.code for change in done.changes}
    assert mended(done.events).events == done.events
