"""Bursts: deltas of one text, reasoning or call that follow one another, read and folded in one go.

Nine events in ten are such, and all but the last only move a clock and a length. What comes of them is what
`Reader.read` and `fold.apply` make of them one by one (tests hold both equal); what is out of the ordinary
goes that way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orjson import JSONDecodeError, loads

from . import moved
from .events import CallArgs, Event, ReasoningDelta, TextDelta
from .framing import decode
from .hidden import damaged
from .thread import Ref, Run, Thread

Refs = tuple[Ref, ...]


@dataclass(slots=True)
class Burst:
    """Frames that follow one another, each one delta of the same text, reasoning or call."""

    kind: int
    event: Any
    """The first one's; the others differ in delta and stamp."""
    deltas: list[str]
    stamps: list[int | None]
    numbered: bool
    """Each came in an envelope, with the number that was due."""

    def __len__(self) -> int:
        return len(self.deltas)

    def event_at(self, place: int) -> Event:
        event: Event = replace(self.event, delta=self.deltas[place], stamp=self.stamps[place])
        return event


# ---------------------------------------------------------------- reading


def read_burst(reader: Any, raws: Sequence[bytes], start: int, due: int, *, recording: bool) -> Burst | None:
    """The burst that begins at `start`; None if the frame there is no plain delta.

    `due` is the number that the first frame bears if it is numbered; one that bears another ends the burst.
    """
    if b'"delta"' not in raws[start]:
        return None
    unwrap = _enveloped if raws[start].startswith(b'{"n"') and not recording else _bare
    first = reader.delta(unwrap(raws[start], due))
    if first is None:
        return None
    kind, event = first
    burst = Burst(kind, event, [event.delta], [event.stamp], unwrap is _enveloped)
    id_, agent, cls, due = event.id, event.agent, type(event), due - start
    again, deltas, stamps = reader.again, burst.deltas.append, burst.stamps.append
    then = start + 1
    if unwrap is _bare and agent is None:
        then = reader.along(raws, then, burst.deltas, burst.stamps)
    for place in range(then, len(raws)):
        value = unwrap(raws[place], due + place)
        more = again(value) if agent is None else None
        if more is not None:
            deltas(more[0])
            stamps(more[1])
            continue
        found = reader.delta(value)
        if found is None:
            break
        event = found[1]
        if event.id != id_ or type(event) is not cls or event.agent != agent:
            break
        deltas(event.delta)
        stamps(event.stamp)
    return burst


def _bare(raw: bytes, due: int) -> Any:
    """The value of a frame that is bare or an SSE block; None if it is neither, or not plainly so."""
    if raw[:1] == b"{":
        try:
            return loads(raw)
        except JSONDecodeError:
            return None
    if raw[:5] != b"data:":
        return None
    decoded = decode(raw)
    return None if decoded.reason or decoded.envelope is not None else decoded.value


def _enveloped(raw: bytes, due: int) -> Any:
    """The event in an envelope with nothing but the number that is due, and a time; else None."""
    try:
        value = loads(raw)
    except JSONDecodeError:
        return None
    n = value.get("n")
    if type(n) is not int or n != due or "event" not in value or len(value) != 2 + ("at" in value):
        return None
    return value["event"]


# ---------------------------------------------------------------- folding


def fold_burst(thread: Thread, burst: Burst, seq: int, ats: Sequence[int], stream: int) -> Refs | None:
    """Change the picture by a burst whose first delta is at `seq`; what it touched.

    None, and nothing is changed: it is not ordinary, apply its events one by one.
    """
    view = thread.streams.get(stream)
    if view is None or not view.run or thread.unusual:
        return None
    run = thread.runs[view.run - 1]
    if run.end_seq:
        return None
    refs = _GROW[type(burst.event)](thread, run, burst, seq)
    if refs is None:
        return None
    last, at = seq + len(burst) - 1, max(ats)
    turn = thread.turns[run.turn - 1]
    thread.last_seq = run.last_seq = run.changed = turn.last_seq = turn.changed = last
    thread.now = max(thread.now, at)
    run.last_at = max(run.last_at, at)
    turn.last_at = max(turn.last_at, at)
    return refs


def _text(thread: Thread, run: Run, burst: Burst, seq: int) -> Refs | None:
    start = run.open_texts.get(burst.event.id)
    text = "".join(burst.deltas)
    marked = run.watch is not None or "<" in text
    if start is None or marked or not all(burst.deltas) or damaged(text):
        return None
    if run.last_text_seq < start:
        moved.first(thread, run, burst.event.id, burst.deltas[0])
    run.text_length += len(text)
    run.last_text_seq = seq + len(burst) - 1
    return run.refs


def _reasoning(thread: Thread, run: Run, burst: Burst, seq: int) -> Refs | None:
    return run.refs if burst.event.id in run.open_reasoning else None


def _args(thread: Thread, run: Run, burst: Burst, seq: int) -> Refs | None:
    numbers = thread.by_id.get(burst.event.id)
    call = thread.calls[numbers[-1] - 1] if numbers else None
    if call is None or call.again is not None or call.args is None:
        return None
    call.args += burst.deltas
    call.args_length += sum(map(len, burst.deltas))
    call.changed = call.last_args_seq = seq + len(burst) - 1
    call.first_args_seq = call.first_args_seq or seq
    return call.refs if call.run == run.number else (*call.refs, *run.refs)


_GROW: dict[type[Event], Callable[[Thread, Run, Burst, int], Refs | None]] = {
    TextDelta: _text,
    ReasoningDelta: _reasoning,
    CallArgs: _args,
}
