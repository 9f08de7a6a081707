"""C06 late-result: the answer came after the window for it had closed.

## What it sees
A result that stands behind the next user, system or developer message of the history it belongs to, and no
other answer before it. Judged on the history as the client builds it, not on the order of events: a result
that arrives behind later text in the stream is put behind its call, and is fine.

## Why it matters
A model API walks the history in order and refuses it the moment a message arrives with a call open. A check
that asks only whether there is a result somewhere later lets it through.

## Seen in
- stories/4b-late-result-after-user.jsonl
- rules/c06-late-result.jsonl

## Repair
In the history: moved to its call, or dropped with it under policy `drop`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import CLIENT, PERSON, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C06", "late-result", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY = (f.TRANSCRIPT,)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or call.answered:
        return ()
    late = next((answer for answer in call.answers if answer.late), None)
    if late is None:
        return ()
    culprit = {CLIENT: f.CLIENT, PERSON: f.PERSON}.get(call.owner, f.UNKNOWN)
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"The result of {f.named(call)} came too late, behind the next message, where it answers nothing."
            + (f" {f.OWED[call.owner].capitalize()} owed it." if call.owner in f.OWED else ""),
            seqs=(call.start_seq, call.end_seq, late.seq),
            culprit=(culprit, f"it was the {call.owner}'s to answer ({call.owner_reason})"),
            repair="Moved to its call in the history, or dropped with it under policy “drop”.",
        ),
    )
