"""Conversations and what their repairs make of them, worked out once for each state of a thread.

Reading a long thread and repairing it for a dozen targets takes seconds, and a person under stress clicks
between them. What is kept is kept in memory, a little of it, by the thread and the seq it was read up to:
a frame more is another conversation.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Generic, TypeVar

from turnscope.core import repair
from turnscope.core.repair import Repaired, Transcript
from turnscope.store.models import Run, Thread, Turn

from . import runs, words
from .choices import ALL, Chosen

Dict = dict[str, Any]
V = TypeVar("V")


class Kept(Generic[V]):
    """The newest so many of what was worked out. Two who ask at once may both work."""

    all: ClassVar[list[Kept[Any]]] = []

    def __init__(self, most: int) -> None:
        self.all.append(self)
        self.most = most
        self._found: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def make(self, key: Hashable, work: Callable[[], V]) -> V:
        found = self.get(key)
        if found is None:
            found = work()
            with self._lock:
                self._found[key] = found
                while len(self._found) > self.most:
                    self._found.popitem(last=False)
        return found

    def clear(self) -> None:
        with self._lock:
            self._found.clear()


def forget() -> None:
    """Nothing is kept any more: for a process that changes its database, as tests do."""
    for one in Kept.all:
        one.clear()


_transcripts: Kept[Transcript] = Kept(3)
_repairs: Kept[Repaired] = Kept(6)
_verdicts: Kept[Dict] = Kept(512)

Where = tuple[int, ...]
"""A thread, and the seq it is read up to; with a third number it is read without its values."""


def of_turn(turn: Turn, *, redact: bool = False) -> Where:
    """The whole conversation, as it would be sent now."""
    return (turn.thread_id, turn.thread.last_seq, *((1,) if redact else ()))


def of_run(run: Run) -> Where:
    """The conversation after a run."""
    return run.thread_id, max(run.end_seq, run.last_seq)


def transcript(where: Where) -> Transcript:
    """As costly as the thread is long, the first time. Not to be changed."""

    thread, last, *redact = where

    def read() -> Transcript:
        if redact:
            return repair.from_events(runs.redacted(thread, last))
        past = runs.events(thread, last)
        return repair.from_events(event for _, _, events in past for event in events)

    return _transcripts.make(where, read)


def repaired(where: Where, chosen: Chosen) -> Repaired:
    """Not to be changed."""

    def mend() -> Repaired:
        read = transcript(where)
        named = tuple(one for one in chosen.cancel if one != ALL)
        done = repair.repair(read, chosen.target, **chosen.arguments(), cancel=named)
        if ALL in chosen.cancel and done.pending:
            done = repair.repair(read, chosen.target, **chosen.arguments(), cancel=done.pending)
        return done

    return _repairs.make((where, chosen), mend)


LONG = 10_000
"""Events from which on a conversation is not read before a page's first byte: a tenth of a second's work."""


def known(where: Where, chosen: Chosen) -> bool:
    """Whether a page may wait for this repair: the conversation is short, or was read."""
    read = _transcripts.get(where) is not None or _repairs.get((where, chosen)) is not None
    return read or where[1] < LONG


def verdict(where: Where, chosen: Chosen, *, work: bool = True) -> Dict | None:
    """What a target makes of the conversation, in a few words; None where it would have to be worked out."""
    if not work:
        return _verdicts.get((where, chosen))
    return _verdicts.make((where, chosen), lambda: _judged(repaired(where, chosen)))


def _judged(done: Repaired) -> Dict:
    made = [change for change in done.changes if change.action != "kept"]
    lossy = sum(1 for change in made if change.lossy)
    if done.blockers:
        word, look, icon = "blocked", "sev-error", "circle-x"
    elif done.pending:
        word, look, icon = (
            f"waits for {words.plural(len(done.pending), 'answer')}",
            "sev-warning",
            "circle-pause",
        )
    else:
        word = words.plural(len(made), "change") if made else "accepts it as it is"
        look, icon = "sev-ok s-ok", "wrench" if made else "check"
    why = done.blockers[0].message if done.blockers else ""
    if lossy and not why:
        why = f"{words.plural(lossy, 'thing')} said {'is' if lossy == 1 else 'are'} lost"
    return {
        "name": done.target, "title": repair.TARGETS[done.target].title, "sendable": done.sendable,
        "blocked": len(done.blockers), "pending": len(done.pending), "changes": len(made), "lossy": lossy,
        "word": word, "look": look, "icon": icon, "why": why,
    }  # fmt: skip


def turns_of(thread: Thread, seqs: set[int]) -> dict[int, int]:
    """Seq -> the turn that holds its event, for links: a change may rest on any of the conversation."""
    rows = Turn.objects.filter(thread=thread).order_by("first_seq").values_list("first_seq", "last_seq", "pk")
    found: dict[int, int] = {}
    wanted = sorted(seqs)
    at = 0
    for first, last, pk in rows:
        while at < len(wanted) and wanted[at] <= last:
            if wanted[at] >= first:
                found[wanted[at]] = pk
            at += 1
    return found


# ---------------------------------------------------------------- in words


def targets() -> list[Dict]:
    return [{"name": name, "title": target.title} for name, target in repair.TARGETS.items()]


def told(done: Repaired, stream: Dict) -> Dict:
    """What the repair did, in words and records."""
    made = [change for change in done.changes if change.action != "kept"]
    kept = [change for change in done.changes if change.action == "kept"]
    parts = [words.plural(len(made), "change") if made else "no change"]
    if kept:
        parts.append(f"{len(kept)} waiting")
    if stream.get("made"):
        parts.append("history and stream")
    blocked = [
        {"code": b.code, "call_id": b.call_id, "message": b.message, "offers": list(b.offers)}
        for b in done.blockers
    ]
    why = blocked[0]["message"] if blocked else ""
    if not why and done.pending:
        why = f"{words.plural(len(done.pending), 'call')} may still be answered."
    return {
        "summary": " · ".join(parts),
        "sendable": done.sendable,
        "why": why,
        "changes": [change.as_json() for change in done.changes],
        "blockers": blocked,
        "pending": list(done.pending),
    }
