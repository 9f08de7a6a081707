"""T01 about what is no call's: messages without a word, and results whose calls nobody knows.

The validator judges the messages themselves, as the target spells them: both must say the same, for every
target.
"""

from __future__ import annotations

from typing import Any

import pytest
from judged import read

from tests.streams import assistant, call, event, finished, result, run_with_input, text, tool, user
from turnscope.core.repair import TARGETS, from_events, shapes, validate
from turnscope.core.repair.convert import converted
from turnscope.core.repair.transcript import copied

SILENT = {"empty_text", "empty_message", "orphan_result"}
NEXT = user("And then?", "u9")
EMPTY = event("TEXT_MESSAGE_START", messageId="m0", role="assistant") + event(
    "TEXT_MESSAGE_END", messageId="m0"
)
PART = {"type": "text", "text": ""}


def asked(*messages: Any, **fields: Any) -> list[dict[str, Any]]:
    frames = run_with_input(*messages)
    frames[0]["input"].update(fields)
    return frames


STREAMS: dict[str, list[dict[str, Any]]] = {
    "an assistant's empty text": asked(user(), assistant(content=""), NEXT)
    + text("Well.", "m2")
    + finished(),
    "an assistant's blank text": asked(user(), assistant(content=" \n"), NEXT)
    + text("Well.", "m2")
    + finished(),
    "a user's empty text": asked(user(""), assistant(content="Yes?"), NEXT)
    + text("Well.", "m2")
    + finished(),
    "an empty part": asked({**user(), "content": [PART]}, assistant(content="Yes?"), NEXT)
    + text("Well.", "m2")
    + finished(),
    "an assistant's text with something in it": asked(user(), assistant(content="Yes?"), NEXT)
    + text("Well.", "m2")
    + finished(),
    "a text opened and closed with nothing in it": asked(user()) + EMPTY + text("Well.", "m2") + finished(),
    "a text with nothing in it that goes on": asked(user()) + EMPTY + text("Well.", "m0") + finished(),
    "a result whose call was trimmed away": asked(tool("c7"), NEXT) + text("Well.", "m2") + finished(),
}


def refused(stream: list[dict[str, Any]], target: str) -> bool:
    return "T01" in {one.code for one in read(stream, {"target": target}).picture.findings}


def invalid(stream: list[dict[str, Any]], target: str) -> bool:
    thread = read(stream)
    transcript = from_events(thread.events, thread.picture.thread)
    shape = shapes.by_name(TARGETS[target].shapes[0])
    messages = copied(transcript.messages)
    if shape.NAME != transcript.shape:
        messages, _, _ = converted(messages, shape)
    written = [raw for message in messages for raw in shapes.written(shape, message)]
    return bool(SILENT & {problem.code for problem in validate(target, written)})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("what", STREAMS)
def test_it_is_refused_where_the_validator_refuses_the_messages(what: str, target: str) -> None:
    assert refused(STREAMS[what], target) == invalid(STREAMS[what], target)


ID = "callabc01"
CALLED: dict[str, list[dict[str, Any]]] = {
    "in a history": asked(user(), assistant((ID, "lookup", "{}")), tool(ID), NEXT)
    + text("Well.", "m2")
    + finished(),
    "in the stream": asked(user())
    + EMPTY
    + call(ID, parentMessageId="m0")
    + result(ID)
    + text("Well.", "m2")
    + finished(),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("where", CALLED)
def test_a_message_that_calls_needs_no_word(where: str, target: str) -> None:
    assert not refused(CALLED[where], target)


def test_the_sentence_names_the_place_and_the_targets_rule() -> None:
    stream = STREAMS["an assistant's empty text"]
    (seen,) = read(stream, {"target": "bedrock"}).picture.findings
    assert (seen.code, seen.severity, seen.root) == ("T01", "error", True)
    assert "a message has no text (messages[1])" in seen.message


@pytest.mark.parametrize(
    "reference",
    [
        {"forwardedProps": {"previous_response_id": "resp_1"}},
        {"state": {"previousResponseId": "resp_1"}},
        {"previous_response_id": "resp_1"},
    ],
)
def test_a_result_without_its_call_is_quiet_where_a_previous_response_is_referred_to(reference: Any) -> None:
    stream = asked(tool("c7"), NEXT, **reference) + text("Well.", "m2") + finished()
    assert not refused(stream, "openai_responses")
    assert refused(asked(tool("c7"), NEXT) + text("Well.", "m2") + finished(), "openai_responses")
