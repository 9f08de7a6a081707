"""Streams repaired for tests: a recording read whole, then mended as the page and the command do it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.streams import Event as Frame
from tests.streams import ndjson
from turnscope.core import events as e
from turnscope.core.framing import decode
from turnscope.core.picture import read_file
from turnscope.core.repair.stream import StreamRepaired, repair_stream

CORPUS = Path(__file__).parent.parent / "corpus"
STREAMS = sorted([*CORPUS.glob("stories/*.jsonl"), *CORPUS.glob("agui/*.jsonl")])
STORIES: dict[str, Any] = json.loads((CORPUS / "stories" / "expected.json").read_text())


def settings_for(path: Path) -> dict[str, Any] | None:
    found: dict[str, Any] | None = STORIES.get(path.name, {}).get("settings")
    return found


def loaded(path: Path) -> list[Frame]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def frames_of(data: bytes) -> Iterator[tuple[Any, list[e.Event]]]:
    """(value, events) of every frame and mark of a recording."""
    for thread in read_file(data, dialect="ag_ui").threads:
        for frame in thread.frames:
            yield (decode(frame.raw).value if frame.raw else None), frame.events


def mended(stream: Sequence[Frame], settings: dict[str, Any] | None = None, **choices: Any) -> StreamRepaired:
    return repair_stream(frames_of(ndjson(stream)), settings, **choices)


def types(stream: Sequence[Frame]) -> list[str]:
    return [event["type"] for event in stream]


def added(done: StreamRepaired) -> list[Frame]:
    """The events the repair put in."""
    return [event for event in done.events if "synthetic" in event.get("metadata", {}).get("turnscope", {})]


# ---------------------------------------------------------------- any events in any order


def soup(random: Random) -> list[Frame]:
    """A stream as no producer would send it: few ids, so that they collide; now and then a field astray."""
    stream = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r1"}] if random.random() < 0.7 else []
    return stream + [_event(random) for _ in range(random.randint(3, 25))]


def _event(random: Random) -> Frame:
    kind = random.choice(list(_FIELDS))
    event: Frame = {"type": kind}
    for name, values in _FIELDS[kind].items():
        if random.random() < 0.92:
            event[name] = random.choice(values) if isinstance(values, list) else values(random)
    if not kind.startswith(("RUN", "SUBAGENT", "MESSAGES")) and random.random() < 0.2:
        event["subagentRunId"] = random.choice(["s1", "s2"])
    if random.random() < 0.05:
        event[random.choice(["subagentRunId", "messageId", "delta", "toolCallName", "metadata"])] = None
    return event


def _messages(random: Random) -> list[Frame]:
    out: list[Frame] = []
    for number in range(random.randint(0, 4)):
        role = random.choice(["user", "assistant", "tool", "reasoning", "activity", "bogus"])
        message: Frame = {"id": random.choice(["a", "b", "u1", f"z{number}"]), "role": role}
        if role == "tool":
            message |= {"toolCallId": random.choice("abc"), "content": random.choice(["done", None])}
        elif role == "activity":
            message |= {"activityType": "k", "content": {}}
        else:
            message["content"] = random.choice(["text", None])
        if role == "assistant" and random.random() < 0.6:
            function = {"name": "f", "arguments": random.choice(["{}", {}])}
            message["toolCalls"] = [{"id": random.choice("abc"), "type": "function", "function": function}]
        out.append(message)
    return out


def _input(random: Random) -> Frame:
    tools = [{"name": "f", "description": "d"}]
    return {"threadId": "t", "runId": "r1", "messages": _messages(random), "tools": tools, "context": []}


_ID, _RUN, _AGENT = ["a", "b", "c"], ["r1", "r2", "r3"], ["s1", "s2"]
_DELTA, _ARGS = ["x", ""], ["{}", '{"a":', "1}", ""]
_TOOL = ["f", "g", "ToolSearch"]
_OUTCOME = [
    {"type": "success", "pendingToolCallIds": ["a"]},
    {"type": "interrupt", "interrupts": [{"id": "i", "reason": "x", "toolCallId": "b"}]},
    {"type": "cancelled"},
    {"type": "odd"},
    None,
]
_FIELDS: dict[str, dict[str, Any]] = {
    "RUN_STARTED": {"threadId": ["t"], "runId": _RUN, "input": _input},
    "RUN_FINISHED": {"threadId": ["t"], "runId": _RUN, "outcome": _OUTCOME},
    "RUN_ERROR": {"message": ["no"]},
    "TEXT_MESSAGE_START": {"messageId": _ID, "role": ["assistant", "user", "bogus"]},
    "TEXT_MESSAGE_CONTENT": {"messageId": _ID, "delta": _DELTA},
    "TEXT_MESSAGE_END": {"messageId": _ID},
    "TEXT_MESSAGE_CHUNK": {"messageId": _ID, "delta": _DELTA},
    "TOOL_CALL_START": {"toolCallId": _ID, "toolCallName": _TOOL, "parentMessageId": _ID},
    "TOOL_CALL_ARGS": {"toolCallId": _ID, "delta": _ARGS},
    "TOOL_CALL_END": {"toolCallId": _ID},
    "TOOL_CALL_CHUNK": {"toolCallId": _ID, "toolCallName": _TOOL, "delta": _ARGS},
    "TOOL_CALL_RESULT": {"toolCallId": _ID, "messageId": ["t1", "a"], "content": ["ok", "", None, {"no": 1}]},
    "STEP_STARTED": {"stepName": _ID},
    "STEP_FINISHED": {"stepName": _ID},
    "REASONING_START": {"messageId": _ID},
    "REASONING_MESSAGE_START": {"messageId": _ID, "role": ["reasoning"]},
    "REASONING_MESSAGE_CONTENT": {"messageId": _ID, "delta": _DELTA},
    "REASONING_MESSAGE_CHUNK": {"messageId": _ID, "delta": _DELTA},
    "REASONING_MESSAGE_END": {"messageId": _ID},
    "REASONING_END": {"messageId": _ID},
    "SUBAGENT_STARTED": {"subagentRunId": _AGENT, "name": ["n"], "parentSubagentRunId": ["s1", "s9"]},
    "SUBAGENT_FINISHED": {"subagentRunId": _AGENT},
    "SUBAGENT_ERROR": {"subagentRunId": _AGENT, "message": ["no"]},
    "MESSAGES_SNAPSHOT": {"messages": _messages},
    "STATE_DELTA": {"delta": [[{"op": "add", "path": "/x", "value": 1}], [{"op": "bogus"}], "x"]},
    "ACTIVITY_SNAPSHOT": {"messageId": _ID, "activityType": ["k"], "content": [{}, "x"]},
    "ACTIVITY_DELTA": {"messageId": _ID, "activityType": ["k"], "patch": [[]]},
    "CUSTOM": {"name": ["n"], "value": [None, 1]},
    "THINKING_START": {},
    "THINKING_TEXT_MESSAGE_START": {},
    "THINKING_TEXT_MESSAGE_CONTENT": {"delta": ["x"]},
    "THINKING_END": {},
    "BOGUS": {},
}
