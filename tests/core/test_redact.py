"""Redaction: no value survives, and what calls are paired and judged by does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import streams
from tests.corpora import CORPUS
from turnscope.core.picture import read_file
from turnscope.core.redact import Mask, Redactor, masked, masked_text

SECRET = "Jane Doe, card 4242 4242"
WORDS = re.compile(r"Jane|Doe|4242")
NESTED = {"customer": {"name": SECRET, "id": SECRET, "paid": False, "age": 42, "tags": [SECRET, None]}}


def redacted(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    one = Redactor()
    return [json.loads(one.frame(json.dumps(event).encode())) for event in events]


def test_no_value_survives_whatever_event_brings_it() -> None:
    arguments = json.dumps(NESTED)
    call = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": arguments}}
    messages = [
        {"id": "u1", "role": "user", "content": SECRET},
        {"id": "u2", "role": "user", "content": [
            {"type": "text", "text": SECRET}, {"type": "image", "source": {"type": "url", "value": SECRET}}]},
        {"id": "a1", "role": "assistant", "content": SECRET, "toolCalls": [call]},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": arguments, "error": SECRET},
    ]  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {
            "messages": messages, "state": NESTED, "forwardedProps": NESTED,
            "context": [{"description": SECRET, "value": SECRET}],
            "tools": [{"name": "pay", "description": SECRET, "parameters": {"secret": SECRET}}]}},
        *[{"type": "TOOL_CALL_ARGS", "toolCallId": "c2", "delta": piece}
          for piece in re.findall(".{1,5}", arguments)],
        {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c2", "content": arguments},
        {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c2", "content": SECRET},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": SECRET},
        {"type": "STATE_SNAPSHOT", "snapshot": NESTED},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/customer/name", "value": SECRET}]},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        {"type": "CUSTOM", "name": "n", "value": NESTED},
        {"type": "RAW", "event": NESTED, "source": SECRET},
        {"type": "RUN_ERROR", "message": SECRET, "code": "rate_limit"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "result": SECRET,
         "outcome": {"type": "interrupt", "interrupts": [
             {"id": "i1", "reason": SECRET, "message": SECRET, "toolCallId": "c1", "metadata": NESTED}]}},
        {"evidence": {"toolCallId": "c1", "phase": "result", "at": 1, "content": NESTED}},
        {"type": "NOBODY_KNOWS_THIS", "field": {"name": SECRET}},
    ]  # fmt: skip
    text = json.dumps(redacted(events))
    assert not WORDS.search(text), WORDS.search(text)
    unread = Redactor().frame(b'{"type": "TEXT_MESSAGE_CONTENT", "delta": "' + SECRET.encode())
    assert unread == b"x" * (43 + len(SECRET))


def test_names_ids_types_and_times_stay() -> None:
    events = streams.timed(streams.run_with_input(streams.user("go")) + streams.call("c1", "pay")
                           + streams.result("c1", "ok") + streams.finished(pending=["c9"]))  # fmt: skip
    for before, after in zip(events, redacted(events), strict=True):
        for key in before.keys() & {"type", "threadId", "runId", "toolCallId", "toolCallName", "timestamp"}:
            assert after[key] == before[key]
    assert json.dumps(redacted(events)).count('"c9"') == json.dumps(events).count('"c9"') > 0


def test_arguments_stay_json_with_their_keys_types_and_lengths_however_they_were_cut() -> None:
    text = (
        '{"to": "J\\u00e4ne \\"D\\"", "sum": -12.5e3, "ok": false, "no": null, "all": [1, "ab", {"k": ""}]}'
    )
    want = {"to": "xxxxxxxx", "sum": -11.1e1, "ok": True, "no": None, "all": [1, "xx", {"k": ""}]}
    for size in (1, 2, 3, 7, 1000):
        mask = Mask()
        out = "".join(mask.feed(text[at : at + size]) for at in range(0, len(text), size))
        assert json.loads(out) == want


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def shape(value: Any) -> Any:
    """Types, keys and lengths alone."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return len(value) if isinstance(value, str) else type(value).__name__


@given(JSONS)
def test_a_text_of_json_is_masked_into_json_of_the_same_shape(value: Any) -> None:
    if isinstance(value, dict | list):
        assert shape(json.loads(masked_text(json.dumps(value, ensure_ascii=False)))) == shape(value)


@given(st.integers())
def test_a_number_keeps_its_sign_and_its_digits_count(number: int) -> None:
    assert re.sub(r"\d", "1", str(number)) == str(masked(number))


@given(st.lists(st.text()))
def test_no_letter_of_what_is_no_json_survives_outside_keys(pieces: list[str]) -> None:
    mask = Mask()
    text = "".join(mask.feed(piece.replace('"', "")) for piece in pieces)
    assert not re.search(r"[^xtruenl1eE+\-.{}\[\],:\s]", text)


@given(st.binary())
def test_no_frame_is_too_odd(raw: bytes) -> None:
    assert b"\n" not in Redactor().frame(raw)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("stories/*.jsonl")), ids=lambda path: path.stem)
def test_a_redacted_story_pairs_its_calls_as_before(path: Path) -> None:
    data, one = path.read_bytes(), Redactor()
    lines = [one.frame(line) for line in data.splitlines()]
    before, after = read_file(data), read_file(b"\n".join(line for line in lines if line) + b"\n")
    assert [thread.name for thread in before.threads] == [thread.name for thread in after.threads]
    for old, new in zip(before.threads, after.threads, strict=True):
        calls = [
            [(call.id, call.name, call.state, call.owner) for call in one.picture.thread.calls]
            for one in (old, new)
        ]
        assert calls[0] == calls[1]
