"""CHUNK events into the START, delta and END events they stand for.

One open stream per lane; a lane is an agent (None: the parent). The rules are those of the official
client's transformChunks at 1.0.0, except that where it throws, this notes the deviation and goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnscope.core.dialects.ag_ui.fields import Notes, snake
from turnscope.core.events import (
    CallArgs,
    CallEnd,
    CallStart,
    Event,
    Json,
    ReasoningDelta,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    TextDelta,
    TextEnd,
    TextStart,
)

TEXT, REASONING, CALL = "text", "reasoning", "call"

CHUNKS = {
    "TEXT_MESSAGE_CHUNK": (TEXT, "messageId"),
    "REASONING_MESSAGE_CHUNK": (REASONING, "messageId"),
    "TOOL_CALL_CHUNK": (CALL, "toolCallId"),
}


@dataclass(slots=True)
class _Lane:
    kind: str
    id: str
    agent: str | None
    """As the chunk that opened it had it."""
    fixed: dict[str, Json]
    """Fields of the opening chunk that later ones may repeat and not change."""


class Lanes:
    """The streams that chunks have opened and nothing has closed: a reader's only state."""

    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open: dict[str | None, _Lane] = {}

    def close(self, agent: str | None) -> list[Event]:
        """Any other event of the same agent ends what its chunks opened."""
        lane = self.open.pop(agent, None)
        return [] if lane is None else [_end(lane)]

    def close_all(self) -> list[Event]:
        ends: list[Event] = [_end(lane) for lane in self.open.values()]
        self.open.clear()
        return ends

    def more(self, type_: str, value: dict[str, Json]) -> Event | None:
        """The delta of a plain chunk that continues the parent's stream; None for every other chunk."""
        lane = self.open.get(None)
        kind, key = CHUNKS[type_]
        if lane is None or lane.kind != kind or snake(key) in value or value.get(key, lane.id) != lane.id:
            return None
        delta = value.get("delta")
        if type(delta) is not str or "subagentRunId" in value or "metadata" in value:
            return None
        if any(name in value or snake(name) in value for name in lane.fixed):
            return None
        return _delta(lane, delta, lane.agent)

    def chunk(self, kind: str, fields: dict[str, Json], notes: Notes) -> list[Event]:
        """The events of one chunk. `fields` as `table.gather` gives them."""
        key = "toolCallId" if kind == CALL else "messageId"
        id_, agent, delta = fields[key], fields["subagentRunId"], fields["delta"]
        owner = self._owner(kind, key, id_, agent, notes)
        events: list[Event] = []
        lane = self.open.get(owner)
        if lane is not None and lane.kind == kind and (id_ is None or id_ == lane.id):
            for name, first in lane.fixed.items():
                if fields[name] is not None and fields[name] != first:
                    notes.add(name, "differs from the chunk that opened it")
        else:
            events += self.close(owner)
            lane = self._begin(kind, key, fields, notes)
            self.open[owner] = lane
            events.append(_start(lane))
        if delta is not None:
            events.append(_delta(lane, delta, agent if agent is not None else lane.agent))
        return events

    def _begin(self, kind: str, key: str, fields: dict[str, Json], notes: Notes) -> _Lane:
        if fields[key] is None:
            notes.add(key, "missing")
        fixed: dict[str, Json] = {}
        if kind == TEXT:
            fixed = {"role": fields["role"] or "assistant", "name": fields["name"]}
        elif kind == CALL:
            if fields["toolCallName"] is None:
                notes.add("toolCallName", "missing")
            fixed = {"toolCallName": fields["toolCallName"], "parentMessageId": fields["parentMessageId"]}
        return _Lane(kind, fields[key] or "", fields["subagentRunId"], fixed)

    def _owner(self, kind: str, key: str, id_: str | None, agent: str | None, notes: Notes) -> str | None:
        """Whose lane a chunk belongs to."""
        if id_ is not None:
            for owner, lane in self.open.items():
                if lane.kind == kind and lane.id == id_:
                    if agent is not None and agent != owner:
                        notes.add("subagentRunId", "differs from the chunk that opened it")
                    return owner
            return agent
        if agent is not None:
            return agent
        parent = self.open.get(None)
        if parent is not None and parent.kind == kind:
            return None
        owners = [owner for owner, lane in self.open.items() if lane.kind == kind]
        if len(owners) > 1:
            notes.add(key, "missing where several streams are open")
        return owners[0] if owners else None


def _start(lane: _Lane) -> Event:
    if lane.kind == TEXT:
        return TextStart(lane.id, lane.fixed["role"], lane.fixed["name"], lane.agent, expanded=True)
    if lane.kind == CALL:
        name, parent = lane.fixed["toolCallName"] or "", lane.fixed["parentMessageId"]
        return CallStart(lane.id, name, parent, lane.agent, expanded=True)
    return ReasoningMessageStart(lane.id, lane.agent, expanded=True)


def _delta(lane: _Lane, delta: str, agent: str | None) -> Event:
    if lane.kind == TEXT:
        return TextDelta(lane.id, delta, agent)
    if lane.kind == CALL:
        return CallArgs(lane.id, delta, agent)
    return ReasoningDelta(lane.id, delta, agent)


def _end(lane: _Lane) -> Event:
    if lane.kind == TEXT:
        return TextEnd(lane.id, lane.agent, expanded=True)
    if lane.kind == CALL:
        return CallEnd(lane.id, lane.agent, expanded=True)
    return ReasoningMessageEnd(lane.id, lane.agent, expanded=True)
