"""C24 partial-output: only preliminary output of a call was ever seen.

## What it sees
A call whose every result is marked preliminary, once its run has ended. While the run goes on, preliminary
output is normal.

## Why it matters
The card shows an answer and the model has none: the next request carries a call without a result.

## Seen in
No stream of the corpus: AG-UI has no preliminary results. tests/core/test_rules_ids.py builds one.

## Repair
As for any call that nobody answered.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_OPEN, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C24", "partial-output", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or not call.run or not all(one.preliminary for one in call.answers):
        return ()
    if thread.runs[call.run - 1].state == RUN_OPEN:
        return ()
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{f.named(call)} only ever gave preliminary output; its run has ended.",
            seqs=(call.start_seq, call.answers[-1].seq),
            culprit=(f.SERVER_TOOL, "its last word never came"),
            repair="As for any call that nobody answered.",
        ),
    )
