"""C05 overdue-wait: a call that waits for the client, a person or a job, longer than it may.

## What it sees
Live: a call of the client's, a person's or a job's that waits past the limit of its owner. At rest: of
several interrupts of one run, one that the run which resumed the others left unanswered; and an approval that
had expired by the stream's own clock while it still waits. A wait without a limit is never overdue.

## Why it matters
Nobody is told that it is their turn: the tab was closed, the question was lost, or it cannot be answered any
more and blocks the thread.

## Seen in
- rules/c05-overdue-wait.jsonl
- rules/c05-overdue-wait-partial.jsonl

## Repair
Nothing to mend while somebody may still answer. An expired approval is cancelled to go on.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import BACKGROUND, CLIENT, PERSON, WAITING, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C05", "overdue-wait", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "rest"
REPAIRED_BY: tuple[str, ...] = ()

WHO = {
    CLIENT: ("the browser", f.CLIENT),
    PERSON: ("a person", f.PERSON),
    BACKGROUND: ("a job", f.SERVER_TOOL),
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.state != WAITING or call.owner not in WHO:
        return ()
    who, culprit = WHO[call.owner]
    if call.partial_seq and call.resumed is None:
        told = f"{f.named(call)} still waits for {who}: the run that resumed answered other interrupts only."
    elif 0 < call.expires < now and call.waits_behind == "interrupt":
        told = f"{f.named(call)} still waits for {who}, and its approval has expired."
    elif overdue_wait(thread, call, now):
        told = f"{f.named(call)} waits for {who} past its limit of {f.seconds(call.limit or 0)}."
    else:
        return ()
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            told,
            seqs=(call.start_seq, call.end_seq, call.partial_seq),
            culprit=(culprit, call.owner_reason),
            repair="Nothing to mend while somebody may still answer.",
        ),
    )


def overdue_wait(thread: Thread, call: Call, now: int) -> bool:
    """Whether it waits past its limit at `now`, on a live stream."""
    return may_become_overdue(thread, call) and now - _since(thread, call) >= (call.limit or 0)


def may_become_overdue(thread: Thread, call: Call) -> bool:
    """Whether time alone makes it overdue."""
    if call.state != WAITING or call.limit is None or call.owner not in WHO or not call.run:
        return False
    view = thread.streams.get(thread.runs[call.run - 1].stream)
    return view is not None and not view.recording


def _since(thread: Thread, call: Call) -> int:
    """When it began to wait: at its run's end, else when its arguments were complete."""
    return max(thread.runs[call.run - 1].end_at, call.end_at)
