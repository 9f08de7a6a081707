"""S07 out-of-order: an end or a piece of something that is not open, or a start of what is open already.

## What it sees
A piece or an end for a text, a reasoning, a step or a subagent that is not open; a start for one that is; a
call ended twice, or pieces and an end of a call that nobody ever speaks of again; a first chunk without the
tool's name. Content after the run's end is R08, fragments of a known call are C11, a result without its call
is C07. One finding per kind and type of event, with a count of runs.

## Why it matters
Something got lost or came twice, after a reconnect for one: what people see is not what was said. The
official client throws.

## Seen in
- rules/s07-out-of-order.jsonl

## Repair
Stream: pieces and ends of what is not open are dropped, and so is a second start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ..thread import ORPHAN, RUN_OPEN, Run, Thread, Trouble
from . import finding as f

CODE, NAME, SEVERITY = "S07", "out-of-order", f.WARNING
SUBJECT, ASKED = "run", "touched"
NEEDS = "trouble"
REPAIRED_BY = (f.STREAM,)
LATEST = 4
"""How many troubles are looked at, newest first: those that just happened are among them."""
LOOKED_AT = 1000
"""How many are looked at once the run has ended, for calls that never came."""

TOLD = {
    "end-without-start": "The end of {what} came, which is not open.",
    "delta-without-start": "A piece of {what} came, which is not open.",
    "start-twice": "{What} was started while it was open.",
    "end-twice": "{What} was ended twice.",
    "nameless-chunk": "The first chunk of {what} does not name its tool.",
}
WORDS = {"Text": "text", "Reas": "reasoning", "Step": "step", "Suba": "subagent", "Call": "call"}
"""The first letters of an event's class -> what it speaks of."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.troubles:
        return ()
    told = [one for one in islice(reversed(run.troubles.values()), LATEST) if one.seq == thread.last_seq]
    told = [one for one in told if one.kind in TOLD and not _waits(one) and not 0 < run.end_seq < one.seq]
    if run.state != RUN_OPEN and run.changed == thread.last_seq and run.end_seq in (0, thread.last_seq):
        told += _never_came(thread, run)
    return [_found(thread, run, one) for one in told]


def _waits(trouble: Trouble) -> bool:
    """Whether only the run's end shows what it was: its call may come later."""
    return trouble.type in ("CallArgs", "CallEnd") and trouble.kind != "end-twice"


def _never_came(thread: Thread, run: Run) -> Iterator[Trouble]:
    for one in islice(run.troubles.values(), LOOKED_AT):
        if one.kind in TOLD and _waits(one):
            call = thread.latest(one.about)
            if call is None or (not call.start_seq and call.state != ORPHAN):
                yield one


def _found(thread: Thread, run: Run, one: Trouble) -> f.Finding:
    what = f"{WORDS.get(one.type[:4], 'something')} {f.shown(one.about)}".rstrip()
    return f.Finding(
        CODE,
        NAME,
        SEVERITY,
        f"#{one.seq}",
        1,
        (one.seq,),
        f.PRODUCER,
        "it sends the parts of a message in an order of its own, or lost some of them",
        TOLD[one.kind].format(what=what, What=what[:1].upper() + what[1:]),
        "Pieces and ends of what is not open are dropped, and so is a second start.",
        run.turn,
        run.number,
        fold=f"{one.kind} {one.type}",
    )
