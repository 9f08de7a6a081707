"""AG-UI streams damaged at random: what producers, adapters, relays and old libraries do to them.

All choices come from one `Random`, so that a seed names a stream. `RICH` holds what the corpus is thin on:
subagents, chunks in several lanes, reasoning, activities, snapshots with owners, types of before 1.0.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, TypeAlias

from tests.streams import Event, call, event, failed, finished, interrupt, result, resume, run_started, text

Json: TypeAlias = Any

IDS = (
    "messageId",
    "toolCallId",
    "parentMessageId",
    "subagentRunId",
    "stepName",
    "entityId",
    "parentSubagentRunId",
)
AGENTS = ("sub-1", "sub-2", "")
ODD_VALUES: tuple[Json, ...] = (
    None,
    "",
    "x",
    7,
    1.5,
    2**60,
    True,
    [],
    {},
    [None],
    {"type": "nope"},
    ["a", 3],
)


def _tagged(events: list[Event], agent: str) -> list[Event]:
    return [{**one, "subagentRunId": agent} for one in events]


def _chunk(kind: str, **fields: Json) -> list[Event]:
    return event(f"{kind}_CHUNK", **fields)


def _history() -> list[Event]:
    return [
        {"id": "u1", "role": "user", "content": [
            {"type": "text", "text": "Look."},
            {"type": "image", "source": {"type": "url", "value": "https://a.example/a"}, "metadata": None},
            {"type": "binary", "mimeType": "image/png", "data": "aGk=", "filename": "a.png"},
        ]},
        {"id": "m1", "role": "assistant", "content": "Yes.", "subagentRunId": "sub-1", "toolCalls": [
            {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}},
        ]},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": "done", "error": "none"},
        {"id": "r1", "role": "reasoning", "content": "Hm.", "subagentRunId": "sub-2"},
        {"id": "a1", "role": "activity", "activityType": "plan", "content": {"steps": []}},
        {"id": "s1", "role": "system", "content": "Be kind.", "name": "rules", "metadata": {"k": None}},
    ]  # fmt: skip


def _reasoning(id_: str = "r1") -> list[Event]:
    return [
        *event("REASONING_START", messageId=id_),
        *event("REASONING_MESSAGE_START", messageId=id_, role="reasoning"),
        *event("REASONING_MESSAGE_CONTENT", messageId=id_, delta="Hm."),
        *event("REASONING_MESSAGE_END", messageId=id_),
        *event("REASONING_ENCRYPTED_VALUE", subtype="message", entityId=id_, encryptedValue="e"),
        *event("REASONING_END", messageId=id_),
    ]


def _thinking() -> list[Event]:
    return [
        *event("THINKING_START", title="Plan"),
        *event("THINKING_TEXT_MESSAGE_START"),
        *event("THINKING_TEXT_MESSAGE_CONTENT", delta="Hm."),
        *event("THINKING_TEXT_MESSAGE_END"),
        *event("THINKING_END"),
    ]


def _input() -> Event:
    return {
        "threadId": "thread-1", "runId": "run-1", "messages": _history(), "state": {"n": 1},
        "forwardedProps": None,
        "tools": [{"name": "lookup", "description": "Looks it up", "parameters": None}],
        "context": [{"description": "where", "value": "here"}], "resume": [resume()],
    }  # fmt: skip


RICH: dict[str, list[Event]] = {
    "subagents": [
        *run_started(input=_input(), protocolVersion="1.0"),
        *event("STEP_STARTED", stepName="tools"),
        *event("SUBAGENT_STARTED", subagentRunId="sub-1", name="helper"),
        *event("STEP_STARTED", stepName="tools", subagentRunId="sub-1"),
        *_tagged(text(id="m2"), "sub-1"),
        *_tagged(call("c2", parentMessageId="m2"), "sub-1"),
        *event("SUBAGENT_STARTED", subagentRunId="sub-2", name="other", parentSubagentRunId="sub-1"),
        *_tagged(_reasoning("r2"), "sub-2"),
        *event("SUBAGENT_ERROR", subagentRunId="sub-2", message="gone"),
        *event("STEP_FINISHED", stepName="tools", subagentRunId="sub-1"),
        *event("SUBAGENT_FINISHED", subagentRunId="sub-1",
               outcome={"type": "suspended", "interruptIds": ["i"]}),
        *result("c2", subagentRunId="sub-1"),
        *event("STEP_FINISHED", stepName="tools"),
        *finished(interrupts=[{**interrupt("i", "c2"), "subagentRunId": "sub-1"}]),
    ],
    "chunks": [
        *run_started(),
        *_chunk("TEXT_MESSAGE", messageId="m1", role="assistant", delta="One "),
        *_chunk("TEXT_MESSAGE", delta="two"),
        *_chunk("TEXT_MESSAGE", messageId="m2", subagentRunId="sub-1", delta="Mine"),
        *_chunk("REASONING_MESSAGE", messageId="r1", subagentRunId="sub-2", delta="Hm"),
        *_chunk("TEXT_MESSAGE", delta=" three"),
        *_chunk("TEXT_MESSAGE", subagentRunId="sub-1", delta=" too"),
        *_chunk("TOOL_CALL", toolCallId="c1", toolCallName="lookup", parentMessageId=None, delta="{"),
        *_chunk("TOOL_CALL", toolCallId="c1", toolCallName="lookup", delta="}"),
        *_chunk("REASONING_MESSAGE", subagentRunId="sub-2", metadata={"usage": 1}),
        *result(),
        *_chunk("TEXT_MESSAGE", messageId="m3", name="bot"),
        *_chunk("TEXT_MESSAGE", rawEvent={"k": 1}),
        *finished(),
    ],
    "states and histories": [
        *run_started(input=_input()),
        *event("STATE_SNAPSHOT", snapshot=None),
        *event("STATE_DELTA", delta=[{"op": "add", "path": "/a", "value": None},
                                     {"op": "remove", "path": "/a"}]),
        *event("ACTIVITY_SNAPSHOT", messageId="a1", activityType="plan", content={"n": 1}, replace=False),
        *event("ACTIVITY_SNAPSHOT", messageId="a2", activityType="plan", content={}, subagentRunId="sub-1"),
        *event("ACTIVITY_DELTA", messageId="a2", activityType="plan", subagentRunId="sub-1",
               patch=[{"op": "move", "from": "/a", "path": "/b"}]),
        *event("MESSAGES_SNAPSHOT", messages=_history()),
        *event("TEXT_MESSAGE_START", messageId="m1", subagentRunId="sub-1"),
        *event("TEXT_MESSAGE_END", messageId="m1"),
        *event("REASONING_ENCRYPTED_VALUE", subtype="tool-call", entityId="c1", encryptedValue="e"),
        *event("CUSTOM", name="x", value=None),
        *event("RAW", event={"type": "message"}, source="model"),
        *result("c9", content=[{"type": "text", "text": "found"}, {"type": "hologram"}], role="tool"),
        *finished(outcome=None, result=None, usage=[{"model": "m", "inputTokens": 3}]),
        *failed("late"),
    ],
    "of old": [
        *run_started(), *_thinking(), *_reasoning("r0"), *_thinking(), *text(), *call(parentMessageId=None),
        *finished(),
        *run_started("run-2"), *_thinking(), *failed(),
        *run_started("run-3"), *text(id="m9"), *finished("run-3", outcome={"type": "cancelled"}),
    ],
}  # fmt: skip


# ---------------------------------------------------------------- damage


def mutant(random: Random, streams: Sequence[list[Event]]) -> list[Event]:
    """One stream, damaged in one to four ways."""
    stream = copy.deepcopy(random.choice(streams))
    for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
        random.choice(_ACCIDENTS)(random, stream, streams)
        if not stream:
            break
    return stream


def mutants(seed: int, count: int, streams: Sequence[list[Event]]) -> Iterator[list[Event]]:
    random = Random(seed)
    for _ in range(count):
        yield mutant(random, streams)


def _drop(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    del stream[random.randrange(len(stream))]


def _duplicate(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    at = random.randrange(len(stream))
    stream.insert(random.choice((at, random.randrange(len(stream) + 1))), copy.deepcopy(stream[at]))


def _swap(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    one, other = random.randrange(len(stream)), random.randrange(len(stream))
    stream[one], stream[other] = stream[other], stream[one]


def _cut(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    at = random.randrange(len(stream) + 1)
    if random.random() < 0.5:
        del stream[at:]
    else:
        del stream[:at]


def _splice(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    other = random.choice(streams)
    at, size = random.randrange(len(other)), random.choice((1, 1, 2, len(other)))
    into = random.randrange(len(stream) + 1)
    stream[into:into] = copy.deepcopy(other[at : at + size])


def _rename(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    """An id takes the value of another one of its kind."""
    key = random.choice(IDS)
    having = [one for one in stream if key in one]
    if len(having) > 1:
        random.choice(having)[key] = random.choice(having)[key]


def _retag(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    one = random.choice(stream)
    if random.random() < 0.4:
        one.pop("subagentRunId", None)
    else:
        one["subagentRunId"] = random.choice(AGENTS)


def _retype(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    one = random.choice(stream)
    one["type"] = random.choice(
        (random.choice(random.choice(streams))["type"], str(one.get("type")).lower(), "NEW")
    )


def _spots(value: Json) -> Iterator[tuple[Json, Json]]:
    """Every (container, key) of a value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _spots(value[key])


def _spot(random: Random, stream: list[Event]) -> tuple[Json, Json]:
    spots = [spot for spot in _spots(random.choice(stream)) if spot[1] != "type" or random.random() < 0.1]
    return random.choice(spots) if spots else ({"x": 0}, "x")


def _null(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    holder, key = _spot(random, stream)
    holder[key] = None


def _lose_field(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    holder, key = _spot(random, stream)
    del holder[key]


def _odd_value(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    holder, key = _spot(random, stream)
    holder[key] = copy.deepcopy(random.choice(ODD_VALUES))


def _odd_field(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    one = random.choice(stream)
    key = random.choice(
        ("timestamp", "rawEvent", "metadata", "role", "name", "result", "usage", "extra", "toString")
    )
    one[key] = copy.deepcopy(random.choice(ODD_VALUES))


def _end_or_begin(random: Random, stream: list[Event], streams: Sequence[list[Event]]) -> None:
    ends = (run_started("run-9"), finished(), failed())
    at = random.choice((len(stream), random.randrange(len(stream) + 1)))
    stream[at:at] = copy.deepcopy(random.choice(ends))


_ACCIDENTS: tuple[Callable[[Random, list[Event], Sequence[list[Event]]], None], ...] = (
    _drop,
    _drop,
    _duplicate,
    _swap,
    _cut,
    _splice,
    _splice,
    _rename,
    _rename,
    _retag,
    _retag,
    _retype,
    _null,
    _lose_field,
    _odd_value,
    _odd_value,
    _odd_field,
    _end_or_begin,
)
