"""R06 poisoned-thread: run after run fails the same way on the same history.

## What it sees
Two or more runs in a row that fail with the same error on the same history, new user messages aside. It
says since when. It closes when a run of the thread does not fail that way.

## Why it matters
No message can succeed until the history is repaired: the person writes again and again, and every attempt
sends the same poison back.

## Seen in
- stories/4a-torn-down-tab-three-refusals.jsonl
- rules/r06-poisoned-thread.jsonl

## Repair
History: what the runs' errors complain of is mended for the API that refused it; then the next message goes
through.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_FAILED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R06", "poisoned-thread", f.ERROR
SUBJECT, ASKED = "run", "ended"
STANDS_FOR = "thread"
REPAIRED_BY = (f.TRANSCRIPT,)


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.failing_since or run.state != RUN_FAILED:
        return ()
    first = thread.runs[run.failing_since - 1]
    row = run.number - first.number + 1
    span = f", for {f.seconds(run.end_at - first.end_at)}" if run.end_at > first.end_at > 0 else ""
    told = (
        f"{row} runs in a row failed alike on the same history, since run {f.run_subject(first)}{span}: "
        "no message can succeed until it is repaired."
    )
    found = f.of_run(
        (CODE, NAME),
        first,
        SEVERITY,
        told,
        seqs=(first.start_seq, first.end_seq, run.start_seq, run.end_seq),
        culprit=(f.UNKNOWN, "whoever sends the history sends it unmended each time"),
        repair="Repair the transcript for the API that refuses it; the next message then goes through.",
    )
    found.turn, found.count = run.turn, row
    return (found,)
