"""C10 result-out-of-order: a result came before the call it answers was complete.

## What it sees
A result in the stream before the END of its call, or before its START. Results of several calls may come in
any order, and later text may come before a result: neither is meant.

## Why it matters
What ran, if its arguments had not all arrived? A client that acts at END runs the call a second time.

## Seen in
- rules/c10-result-out-of-order.jsonl

## Repair
Stream: the result is moved behind the END of its call. History: behind its call.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C10", "result-out-of-order", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or not call.start_seq:
        return ()
    early = call.answers[0]
    if early.plane != "stream" or (early.after_end and early.seq >= call.start_seq):
        return ()
    what = "was started" if early.seq < call.start_seq else "had ended its arguments"
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"The result of {f.named(call)} came before the call {what}.",
            seqs=(early.seq, call.start_seq, call.end_seq),
            culprit=(f.PRODUCER, "it sends the result ahead of the call"),
            repair="The result is moved behind its call.",
        ),
    )
