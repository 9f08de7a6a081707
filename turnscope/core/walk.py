"""One walk over a history: which calls it carries, which of them it answers, and where. Part of the fold.

A history is walked once, in order. A result counts if it stands before the next user, system or developer
message; one that stands later is late and answers nothing there. Other consumers have other windows: `Held`
keeps what stands between a call and its result, so that each may be asked by its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .inputs import HistoryMessage, Json

SPEAKERS = ("user", "system", "developer", "assistant")
KEPT = 8
"""How many messages that say nothing are noted of one history."""
BOUNDARY = ("user", "system", "developer")
"""Roles after which a result comes too late."""


@dataclass(slots=True)
class Held:
    """What the last history that replaced all before it says of each call: no text, no ids but the calls'."""

    seq: int
    calls: dict[str, int]
    """Call id -> index of the (last) message that makes it."""
    between: dict[str, tuple[str, ...]]
    """Call id -> roles of messages between the call and its first result; absent: it has no result."""
    twice: frozenset[str]
    """Calls with a second result."""
    again: frozenset[str]
    """Call ids that two messages of it use."""
    unannounced: dict[str, int]
    """Ids of results without a call -> index of the message."""
    blanks: tuple[tuple[int, str, str], ...] = ()
    """(index, role, how: see `blank`) of the first messages that say nothing and call nothing."""
    refers_back: bool = False
    """Its sender names an earlier response: what that holds is not told again."""


@dataclass(slots=True)
class Walk:
    """What one history says of its calls."""

    answered: dict[str, HistoryMessage] = field(default_factory=dict)
    late: dict[str, HistoryMessage] = field(default_factory=dict)
    twice: list[HistoryMessage] = field(default_factory=list)
    """Further results for a call that this history has answered already."""
    unannounced: list[HistoryMessage] = field(default_factory=list)
    """Results whose call this history does not carry."""
    open: dict[str, int] = field(default_factory=dict)
    """Call id -> index of its group, of calls without a result before the boundary."""
    groups: dict[str, int] = field(default_factory=dict)
    group_answers: dict[int, int] = field(default_factory=dict)
    carried: list[tuple[HistoryMessage, int]] = field(default_factory=list)
    """(assistant message, group) with calls."""
    between: dict[str, tuple[str, ...]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    lost: dict[str, int] = field(default_factory=dict)
    blanks: list[tuple[int, str, str]] = field(default_factory=list)

    def held(self, seq: int) -> Held:
        twice = frozenset(message.answers or "" for message in self.twice)
        again, blanks = frozenset(self.again), tuple(self.blanks)
        return Held(seq, self.groups, self.between, twice, again, self.lost, blanks)


def walk(messages: tuple[HistoryMessage, ...]) -> Walk:
    found = Walk()
    closed: set[str] = set()
    latest: dict[str, int] = {}
    """Role -> index of its last message that parts calls from their results."""
    behind_result = False
    for index, message in enumerate(messages):
        if message.calls:
            found.carried.append((message, index))
            _make(found, closed, message, index)
            if behind_result:
                latest["assistant"] = index
        elif message.role == "tool" and message.answers is not None:
            _answer(found, closed, latest, message, index)
        elif message.role in BOUNDARY:
            closed.update(found.open)
            latest[message.role] = index
        elif message.role == "assistant" and (message.content or behind_result):
            latest["assistant"] = index
        if not message.calls and message.role in SPEAKERS and len(found.blanks) < KEPT:
            kind = blank(message.content)
            if kind:
                found.blanks.append((index, message.role, kind))
        behind_result = message.role == "tool"
    return found


def blank(content: Json) -> str:
    """In which way a content says nothing (`none`, `empty`, `blank`); "" if it says something."""
    if content is None or content == []:
        return "none"
    texts = [content] if isinstance(content, str) else None
    parts = content if isinstance(content, list) else []
    if parts and all(isinstance(part, dict) and part.get("type") == "text" for part in parts):
        texts = [part.get("text") for part in parts]
    if texts is None or not all(isinstance(text, str) and not text.strip() for text in texts):
        return ""
    return "blank" if any(texts) else "empty"


def _make(found: Walk, closed: set[str], message: HistoryMessage, index: int) -> None:
    for call in message.calls:
        if found.groups.get(call.id, index) != index:
            found.again.add(call.id)
            found.between.pop(call.id, None)
        found.groups[call.id] = found.open[call.id] = index
        closed.discard(call.id)


def _answer(
    found: Walk, closed: set[str], latest: dict[str, int], message: HistoryMessage, index: int
) -> None:
    id_ = message.answers or ""
    if id_ in found.groups and id_ not in found.between:
        group = found.groups[id_]
        found.between[id_] = tuple(role for role, at in latest.items() if at > group)
    if id_ in closed:
        found.late[id_] = message
    elif id_ in found.open:
        group = found.open.pop(id_)
        found.answered[id_] = message
        found.group_answers[group] = found.group_answers.get(group, 0) + 1
    elif id_ in found.answered:
        found.twice.append(message)
    else:
        found.unannounced.append(message)
        found.lost[id_] = index
