"""R12 not-executed: a complete call that the runtime never ran, and why.

## What it sees
A call without a result after its run finished, where the finish reason says that the model was stopped
(length, content filter, interrupted), or where a call beside it was declined or could not be read, so that
the runtime ran none of them. Not the client's calls, nor a person's.

## Why it matters
It looks like a lost result, and is none: nothing happened. It may be asked again.

## Seen in
- rules/r12-not-executed.jsonl

## Repair
Stream and transcript: answered as not executed, right where the answer is due.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..arguments import UNUSABLE
from ..reasons import CUT
from ..thread import DENIED, Call, Thread
from . import c02_unanswered_call
from . import finding as f

CODE, NAME, SEVERITY = "R12", "not-executed", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)
NEIGHBOURS = 4
"""How far siblings are looked for, in calls before and after."""


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.answers or not call.run or call.args_verdict not in ("object", "empty"):
        return ()
    run = thread.runs[call.run - 1]
    if not run.end_seq or not c02_unanswered_call.check(thread, call, now):
        return ()
    if run.finish_reason in CUT:
        why, at = f"the model was stopped ({run.finish_reason})", run.finish_seq
        culprit = (f.MODEL, f"its finish reason is {run.finish_reason}")
    else:
        rejected = _rejected(thread, call)
        if rejected is None:
            return ()
        what = "was declined" if rejected.state == DENIED else "could not be read"
        why, at = f"{f.named(rejected)} beside it {what}", rejected.start_seq
        culprit = (f.HARNESS, "it runs all calls of a message or none")
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{f.named(call)} was never run: {why}.",
            seqs=(call.start_seq, call.end_seq, at, run.end_seq),
            culprit=culprit,
            repair="Answered as not executed, in stream and transcript.",
        ),
    )


def _rejected(thread: Thread, call: Call) -> Call | None:
    """A call of the same message that was declined, or whose arguments nothing could read."""
    if call.parent is None:
        return None
    near = thread.calls[max(0, call.number - 1 - NEIGHBOURS) : call.number + NEIGHBOURS]
    return next(
        (
            one
            for one in near
            if one is not call
            and (one.run, one.parent) == (call.run, call.parent)
            and (one.state == DENIED or (one.args_verdict in UNUSABLE and not one.answers))
        ),
        None,
    )
