"""C18 slow-call: the answer came, later than the limit allows.

## What it sees
A call that was answered after more time than the limit in force when it opened, counted from the end of its
arguments. It is what a late answer leaves behind when it closes a hanging call.

## Why it matters
Nothing is broken. A tool that is often slow wants another limit, or another look.

## Seen in
- rules/c18-slow-call.jsonl

## Repair
Nothing to mend. The channel's settings take a limit per tool.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C18", "slow-call", f.INFO
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or call.limit is None or not call.end_at:
        return ()
    answer = next((one for one in call.answers if not one.late and not one.preliminary), None)
    begun = max(call.end_at, thread.runs[call.resumed_run - 1].start_at if call.resumed_run else 0)
    if answer is None or not answer.at or answer.at - begun <= call.limit:
        return ()
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{f.named(call)} answered after {f.seconds(answer.at - begun)}; "
            f"its limit is {f.seconds(call.limit)} ({call.limit_source}).",
            seqs=(call.start_seq, call.end_seq, answer.seq),
            culprit=(f.UNKNOWN, f"the {call.owner} answered it" if call.owner else "nothing says who ran it"),
            repair="Nothing to mend: give the tool another limit in the channel's settings.",
        ),
    )
