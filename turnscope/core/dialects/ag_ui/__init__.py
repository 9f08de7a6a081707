"""AG-UI 1.0 (https://docs.ag-ui.com), and what producers make of it.

Reads every event type, the THINKING types of before 1.0, CHUNK events expanded, a RunAgentInput on
its own (a recorded request body), and a host's evidence lines. Reading is lenient: what deviates is
read as it was meant and reported by an `Odd` before the event it speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from orjson import JSONDecodeError, loads

from turnscope.core.dialects.ag_ui.fields import HUMP, SAFE, Notes, take, text
from turnscope.core.dialects.ag_ui.lanes import CHUNKS, Lanes
from turnscope.core.dialects.ag_ui.messages import run_input
from turnscope.core.dialects.ag_ui.table import LEGACY, TYPES, Type, gather
from turnscope.core.events import (
    CallArgs,
    Event,
    Evidence,
    InputSeen,
    Json,
    Odd,
    ReasoningDelta,
    Refused,
    TextDelta,
    Unknown,
    Unread,
)
from turnscope.core.framing import Decoded, Envelope, milliseconds
from turnscope.core.kinds import KINDS
from turnscope.core.reasons import KEYS, FinishReason, reason_of
from turnscope.core.verify import Verifier
from turnscope.core.verify.books import Owners

NAME = "ag_ui"

_KINDS = {name: KINDS[name] for name in (*TYPES, *LEGACY)}
_Delta: TypeAlias = "type[TextDelta | CallArgs | ReasoningDelta]"
_DELTAS: tuple[tuple[str, str, _Delta], ...] = (
    ("TEXT_MESSAGE_CONTENT", "messageId", TextDelta),
    ("TOOL_CALL_ARGS", "toolCallId", CallArgs),
    ("REASONING_MESSAGE_CONTENT", "messageId", ReasoningDelta),
)
_CLOSES_ALL = frozenset(("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"))
_CLOSES_NONE = frozenset(
    ("RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED")
)
_INPUT = "RunAgentInput"
_DATES = 10**8
"""The smallest timestamp that is taken for a date, in seconds: what is smaller counts from nowhere."""
_EARLY = 10**11
"""The smallest timestamp that is taken for milliseconds without asking: 1973."""
_LATE = 10**14
BACK = 1000
"""How far a timestamp may go back before it is told, in ms: lanes of one stream may overtake one another."""
_REASONS = frozenset(KEYS)
_ODD = -1
LONGEST = 40
"""Of a type that is taken for one of ours in another case, in characters."""
_PARENT = "(parent)"
"""The very object says that there is no subagentRunId; an agent of that name is another object."""
_new = object.__new__


class _Everything(dict[str, None]):
    """Ids of which each is open: where nobody asks whether a strict client would take a delta."""

    def __contains__(self, key: object) -> bool:
        return True


_Hot: TypeAlias = dict[str, tuple[str, _Delta, int, dict[str, None], Owners]]
_UNASKED: _Hot = {type_: (key, cls, KINDS[type_], _Everything(), {}) for type_, key, cls in _DELTAS}


def thread_of(value: Json, envelope: Envelope | None, *, nameless: bool = False) -> str | None:
    """The thread this frame names. RUN_FINISHED's counts only for a stream that is still `nameless`."""
    if envelope is not None and envelope.thread is not None:
        return envelope.thread
    if type(value) is not dict:
        return None
    type_ = value.get("type")
    if type_ is None:
        names = _is_input(value)
    else:
        meant = type_ if type(type_) is not str or type_ in _KINDS else _cased(type_)
        names = meant == "RUN_STARTED" or (nameless and meant == "RUN_FINISHED")
    if names:
        for source in (value, value.get("data"), value.get("input")):
            if type(source) is dict:
                for key in ("threadId", "thread_id"):
                    if type(found := source.get(key)) is str and found:
                        return found
    return None


def kind(value: Json) -> int:
    """The frame's number in `core/kinds.py`."""
    if type(value) is not dict:
        return KINDS["UNREADABLE"]
    type_ = value.get("type")
    if type(type_) is str:
        known = _KINDS.get(type_)
        return known if known is not None else _KINDS.get(_cased(type_), KINDS["UNKNOWN"])
    if type(value.get("evidence")) is dict:
        return KINDS["EVIDENCE"]
    return KINDS["INPUT"] if _is_input(value) else KINDS["UNREADABLE"]


def _cased(type_: str) -> str:
    """A type in the protocol's own case: `run_started`, `runStarted` and `RunStarted` are RUN_STARTED."""
    return (type_ if type_.isupper() else HUMP.sub("_", type_[:LONGEST])).upper()


def share(values: Sequence[Json]) -> float:
    """How much of `values` is AG-UI's, 0 to 1."""
    own = sum(kind(value) >= KINDS["INPUT"] for value in values)
    return own / len(values) if values else 0.0


def _is_input(value: dict[str, Json]) -> bool:
    return type(value.get("messages")) is list and any(
        key in value for key in ("threadId", "runId", "thread_id", "run_id")
    )


class Reader:
    """One stream's frames of one thread into events. `read` never raises, whatever the value is."""

    __slots__ = ("_hot", "_lanes", "_latest", "_like", "_open", "_strict", "_strict_lanes", "_watches")

    def __init__(self, *, strict: bool = False) -> None:
        """`strict`: say too where the official client would give up, once per run (`Refused`)."""
        self._lanes = Lanes()
        self._open = self._lanes.open
        self._latest = 0
        """The last event's time that was no plain delta's."""
        self._like: tuple[str, str, str] = ("", "", "")
        """(type, key of the id, id) of the last plain delta."""
        self._watches = strict
        self._strict: Verifier | None = None
        self._strict_lanes: object = None
        self._hot = _UNASKED
        if strict:
            self._watch()

    def _watch(self) -> None:
        """A client of its own for what comes now."""
        self._strict = strict = Verifier()
        self._strict_lanes = strict.lanes
        self._hot = {type_: (key, cls, KINDS[type_], *strict.plain(type_)) for type_, key, cls in _DELTAS}

    def _refusal(self, value: dict[str, Json]) -> Refused | None:
        """Where the client gives up. It is gone then: the next run begins with one of its own."""
        if self._strict is None:
            return None
        found = self._strict.see(value)
        if found is None:
            return None
        self._strict, self._strict_lanes, self._hot = None, None, _UNASKED
        return Refused(found.type, found.kind, found.about, found.sentence)

    def read(self, decoded: Decoded) -> list[Event]:
        found = self.delta(decoded.value)
        return self._read(decoded) if found is None else [found[1]]

    def delta(self, value: Json) -> tuple[int, Event] | None:
        """(kind, event) of a value that is one plain delta, as nine in ten are; None: it takes `read`."""
        if type(value) is not dict or self._open or self._strict_lanes:
            return None
        try:
            hot = self._hot.get(value["type"])
            if hot is None:
                return None
            key, cls, kind_, opened, owners = hot
            id_, delta = value[key], value["delta"]
        except (KeyError, TypeError):
            return None
        agent, stamp = value.get("subagentRunId", _PARENT), value.get("timestamp")
        if type(id_) is not str or type(delta) is not str or type(agent) is not str or id_ not in opened:
            return None
        if type(stamp) is not int or not _EARLY <= stamp < _LATE:
            stamp = None if self._latest and "timestamp" not in value else _plain_stamp(value)
            if stamp == _ODD:
                return None
        if (agent is not _PARENT and owners.get(id_, agent) != agent) or (
            "metadata" in value
            and (type(value["metadata"]) is not dict or not _REASONS.isdisjoint(value["metadata"]))
        ):
            return None
        self._like = value["type"], key, id_
        # The slots by hand cost a third of the dataclass's __init__.
        event = _new(cls)
        event.seq = event.at = event.stream = 0
        event.stamp = stamp
        event.id = id_
        event.delta = delta
        event.agent = None if agent is _PARENT else agent
        return kind_, event

    def again(self, value: Json) -> tuple[str, int] | None:
        """(delta, stamp) of a value that says one more piece of what `delta` saw last, and nothing else.

        Nothing may have been read in between: what `delta` asked of its surroundings is not asked again.
        """
        type_, key, id_ = self._like
        if type(value) is not dict or len(value) != 4 or value.get("type") != type_ or value.get(key) != id_:
            return None
        delta, stamp = value.get("delta"), value.get("timestamp")
        if type(delta) is str and type(stamp) is int and _EARLY <= stamp < _LATE:
            return delta, stamp
        return None

    def along(self, raws: Sequence[bytes], at: int, deltas: list[str], stamps: list[int | None]) -> int:
        """`again` for the bare frames from `at` on, as long as it can tell; the place where it cannot."""
        type_, key, id_ = self._like
        delta, stamp = deltas.append, stamps.append
        for place in range(at, len(raws)):
            raw = raws[place]
            if raw[:1] != b"{":
                return place
            try:
                value = loads(raw)
                words, when = value["delta"], value["timestamp"]
                if value["type"] != type_ or value[key] != id_ or len(value) != 4:
                    return place
            except (JSONDecodeError, KeyError):
                return place
            if type(words) is not str or type(when) is not int or not _EARLY <= when < _LATE:
                return place
            delta(words)
            stamp(when)
        return len(raws)

    def pending(self) -> tuple[tuple[str, str, str | None], ...]:
        """(kind, id, agent) of what chunks have opened: the reader's only state."""
        return tuple((lane.kind, lane.id, agent) for agent, lane in self._open.items())

    def end(self) -> list[Event]:
        """The stream is lost or over: what chunks opened stays open, as the official client leaves it."""
        return []

    def _read(self, decoded: Decoded) -> list[Event]:
        value = decoded.value
        if decoded.blank:
            return []
        if decoded.reason:
            return [Unread(decoded.reason)]
        if type(value) is not dict:
            return [Unread("not an event: JSON, but no object")]
        type_ = value.get("type")
        if type(type_) is str:
            if type_ in CHUNKS and (event := self._lanes.more(type_, value)) is not None:
                known = self._strict is None or self._strict.continues(type_, value)
                if known and (stamp := _plain_stamp(value)) != _ODD:
                    event.stamp = None if self._latest and "timestamp" not in value else stamp
                    return [event]
            return self._event(type_, value)
        if type(value.get("evidence")) is dict:
            return _evidence(value["evidence"])
        if type_ is None and _is_input(value):
            if self._watches:
                self._watch()  # a request of its own
            return _input(value)
        return [Unread("not an event: no type" if type_ is None else "not an event: its type is no string")]

    def _event(self, type_: str, value: dict[str, Json]) -> list[Event]:
        notes = Notes()
        known = TYPES.get(type_) or LEGACY.get(type_)
        if known is None and (meant := _cased(type_)) in _KINDS:
            notes.add("type", "wrong case")
            type_ = meant
            known = TYPES.get(type_) or LEGACY.get(type_)
        stamp = _stamp(value, notes)
        if "timestamp" not in value:
            # A recorder's clock is another one: it serves only where the producer has none.
            stamp = None if self._latest else stamp
        elif stamp is not None:
            if self._watches:
                self._clock(value, stamp, notes)
            self._latest = stamp
        if known is None:
            return [Unknown(type_, stamp=stamp)]
        value = _opened(known, type_, value, notes)
        fields = gather(known, value, notes)
        made = self._made(type_, known, fields, notes)
        if "metadata" in value or type_ == "RUN_FINISHED":
            reason = reason_of(value.get("metadata"), value.get("result"))
            made = [FinishReason(reason), *made] if reason else made
        if self._watches:
            if self._strict is None and type_ == "RUN_STARTED":
                self._watch()
            if (refused := self._refusal(value)) is not None:
                made.append(refused)
        events: list[Event] = [Odd(type_, path, problem) for path, problem in notes.found]
        if type_ in LEGACY:
            events.append(Unknown(type_, legacy=True))
        events += made
        for event in events:
            event.stamp = stamp
        return events

    def _clock(self, value: dict[str, Json], stamp: int, notes: Notes) -> None:
        """What is odd about the time alone; its form is `_stamp`'s."""
        told = value.get("timestamp")
        if type(told) is int and _DATES <= told <= SAFE and not _EARLY <= told < _LATE:
            notes.add("timestamp", "in seconds" if told < _EARLY else "in microseconds")
        elif stamp < self._latest - BACK:
            notes.add("timestamp", "goes back")

    def _made(self, type_: str, known: Type, fields: dict[str, Json], notes: Notes) -> list[Event]:
        if known.make is None:
            return self._lanes.chunk(known.chunk, fields, notes)
        if not self._open or type_ in _CLOSES_NONE:
            return [known.make(fields)]
        if type_ in _CLOSES_ALL:
            return [*self._lanes.close_all(), known.make(fields)]
        return [*self._lanes.close(fields.get("subagentRunId")), known.make(fields)]


def strict_reader() -> Reader:
    """A Reader that says too what the official client would refuse."""
    return Reader(strict=True)


def _opened(known: Type, type_: str, value: dict[str, Json], notes: Notes) -> dict[str, Json]:
    """The event's fields; some recorders put them one level down, under `data`."""
    data = value.get("data")
    if type(data) is not dict or data.get("type") != type_:
        return value
    if all(field.name in value for field in known.fields if field.required):
        return value
    notes.add("data", "fields one level down")
    return {**data, **value}


def _plain_stamp(value: dict[str, Json]) -> int | None:
    """As `_stamp`; _ODD where that would have something to note."""
    if "timestamp" not in value:
        return milliseconds(value["_timestamp"]) if "_timestamp" in value else None
    stamp = value["timestamp"]
    return milliseconds(stamp) if type(stamp) is int and -SAFE <= stamp <= SAFE else _ODD


def _stamp(value: dict[str, Json], notes: Notes) -> int | None:
    """The producer's time in ms. A recorder's own `_timestamp` serves where the event has none."""
    if "timestamp" not in value:
        return milliseconds(value["_timestamp"]) if "_timestamp" in value else None
    stamp = value["timestamp"]
    if stamp is None:
        notes.add("timestamp", "null")
        return None
    if type(stamp) is int or (type(stamp) is float and stamp.is_integer()):
        if not -SAFE <= stamp <= SAFE:
            notes.add("timestamp", "out of range")
    else:
        notes.add("timestamp", "not an integer")
    return milliseconds(stamp)


def _input(value: dict[str, Json]) -> list[Event]:
    notes = Notes()
    told = run_input(value, "", notes)
    quiet = Notes()
    thread, run = (take(value, name, text, quiet) for name in ("threadId", "runId"))
    stamp = milliseconds(value.get("timestamp"))
    events: list[Event] = [Odd(_INPUT, path, problem, stamp=stamp) for path, problem in notes.found]
    if told is not None:
        events.append(InputSeen(thread, run, told, stamp=stamp))
    return events


def _evidence(told: dict[str, Json]) -> list[Event]:
    call = told.get("toolCallId", told.get("tool_call_id"))
    phase = told.get("phase")
    if type(call) is not str:
        return [Unread("evidence without a toolCallId")]
    if phase not in ("start", "result", "error"):
        return [Unread("evidence of no known phase: start, result or error")]
    when = milliseconds(told.get("at"))
    return [Evidence(call, phase, told.get("content"), when, stamp=when)]
