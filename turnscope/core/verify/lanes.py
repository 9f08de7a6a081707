"""Chunks into what they stand for, or a refusal: transformChunks of `@ag-ui/client` 1.0.0. Part of `verify`.

One open stream per lane; a lane is a subagent (None: the parent). Its strict counterpart to
`dialects/ag_ui/lanes.py`, which reads on where this refuses.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnscope.core.verify.books import Refused, Values, named

NO_ID, NO_NAME = "no id", "no name"
"""Kinds of refusal: a first chunk that does not say whose it is, or of which tool."""


@dataclass(frozen=True, slots=True)
class _Kind:
    word: str
    key: str
    opener: str
    more: str
    end: str
    fixed: tuple[str, ...]
    """Fields of the opening chunk that later ones may repeat and not change."""


_KINDS = {
    "TEXT_MESSAGE_CHUNK": _Kind(
        "text message",
        "messageId",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        ("role", "name"),
    ),
    "TOOL_CALL_CHUNK": _Kind(
        "tool call",
        "toolCallId",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        ("toolCallName", "parentMessageId"),
    ),
    "REASONING_MESSAGE_CHUNK": _Kind(
        "reasoning message",
        "messageId",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        (),
    ),
}
CLOSES_ALL = frozenset(("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"))
CLOSES_NONE = frozenset(
    ("RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED")
)


@dataclass(slots=True)
class Lane:
    """A stream that a chunk has opened and nothing has closed."""

    kind: _Kind
    id: str
    agent: str | None
    fields: Values

    def end(self) -> Values:
        return {"type": self.kind.end, self.kind.key: self.id, "subagentRunId": self.agent}


class Lanes:
    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open: dict[str | None, Lane] = {}

    def expand(self, event: Values) -> list[Values] | Refused:
        """The events the client would verify in place of this one."""
        type_ = event["type"]
        kind = _KINDS.get(type_)
        if kind is not None:
            return self._chunk(type_, kind, event)
        if not self.open or type_ in CLOSES_NONE:
            return [event]
        if type_ in CLOSES_ALL:
            ends = [lane.end() for lane in self.open.values()]
            self.open.clear()
            return [*ends, event]
        return [*self._close(event.get("subagentRunId")), event]

    def continues(self, type_: str, chunk: Values) -> str | None:
        """The id a chunk of the parent's goes on with; None if it opens something, or nothing can go on."""
        lane, kind = self.open.get(None), _KINDS[type_]
        if lane is None or lane.kind is not kind:
            return None
        return lane.id if chunk.get(kind.key, lane.id) == lane.id else None

    def _close(self, owner: str | None) -> list[Values]:
        lane = self.open.pop(owner, None)
        return [] if lane is None else [lane.end()]

    def _chunk(self, type_: str, kind: _Kind, event: Values) -> list[Values] | Refused:
        id_, agent = event.get(kind.key), event.get("subagentRunId")
        owner = self._owner(type_, kind, id_, agent)
        if isinstance(owner, tuple):
            return owner
        lane, made = self.open.get(owner), list[Values]()
        if lane is not None and lane.kind is kind and (id_ is None or id_ == lane.id):
            for field in kind.fixed:
                told, first = event.get(field), lane.fields.get(field)
                if told is not None and told != first:
                    return _differs(kind, lane.id, field, told, first)
        else:
            made += self._close(owner)
            if id_ is None:
                return (NO_ID, type_, f"First {type_} must have a {kind.key}")
            if kind.key == "toolCallId" and event.get("toolCallName") is None:
                return (NO_NAME, id_, "First TOOL_CALL_CHUNK must have a toolCallName")
            lane = self._opened(kind, id_, event)
            self.open[owner] = lane
            made.append({**lane.fields, "type": kind.opener, kind.key: id_, "subagentRunId": agent})
        if (
            event.get("delta") is not None
            or event.get("rawEvent") is not None
            or (not made and "metadata" in event)
        ):
            tag = agent if agent is not None else lane.agent
            made.append({"type": kind.more, kind.key: lane.id, "subagentRunId": tag})
        return made

    def _opened(self, kind: _Kind, id_: str, event: Values) -> Lane:
        fields = {field: event.get(field) for field in kind.fixed}
        if "role" in fields and fields["role"] is None:
            fields["role"] = "assistant"
        return Lane(kind, id_, event.get("subagentRunId"), fields)

    def _owner(self, type_: str, kind: _Kind, id_: str | None, agent: str | None) -> str | None | Refused:
        """Whose lane a chunk belongs to, or that it cannot be told."""
        if id_ is not None:
            for owner, lane in self.open.items():
                if lane.kind is kind and lane.id == id_:
                    if agent is not None and agent != owner:
                        return (
                            "another owner",
                            id_,
                            f"Cannot continue {kind.word} '{id_}': chunk subagentRunId '{agent}' does not"
                            f" match the open stream's subagent '{named(owner)}'.",
                        )
                    return owner
            return agent
        if agent is not None:
            return agent
        parent = self.open.get(None)
        if parent is not None and parent.kind is kind:
            return None
        owners = [owner for owner, lane in self.open.items() if lane.kind is kind]
        if len(owners) > 1:
            return (
                NO_ID,
                type_,
                f"Ambiguous {type_}: it carries neither a {kind.key} nor a subagentRunId, but {len(owners)}"
                f" lanes have an open {kind.word}. Attribute the chunk to the subagent it belongs to.",
            )
        return owners[0] if owners else None


def _differs(kind: _Kind, id_: str, field: str, told: str, first: str | None) -> Refused:
    established = "(absent)" if first is None else f"'{first}'"
    return (
        "changed",
        id_,
        f"Cannot continue {kind.word} '{id_}': chunk {field} '{told}' does not match the open stream's"
        f" {field} {established}.",
    )
