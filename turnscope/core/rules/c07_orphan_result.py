"""C07 orphan-result: a result for a call that nobody announced.

## What it sees
A result whose call was started in no run of the thread and stands in no history. If an interrupt named the
call, the adapter held its announcement back and dropped it when the run was suspended. A warning when a
later snapshot or input does carry the call.
A result whose START stands in an earlier run is fine.

## Why it matters
Nothing is drawn for it: the client appends a tool message without an owner, and the model API refuses a
result that answers no call.

## Seen in
- agui/07-orphan-result-after-resume.jsonl (ag-ui-protocol/ag-ui#2668)
- agui/10-end-without-start.jsonl (agentscope-ai/agentscope-java#418)
- rules/c07-orphan-result.jsonl

## Repair
Stream and transcript: START, ARGS and END are restored where an interrupt or a snapshot recorded the name and
the arguments; else the result is dropped, and the change says so. A call is never invented.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import ORPHAN, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C07", "orphan-result", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.state != ORPHAN or not call.answers:
        return ()
    result = call.answers[0]
    severity, who = SEVERITY, (f.ADAPTER, "it sent a result for a call it never announced")
    told = f"A result came for {f.named(call)}, a call that nobody announced."
    ended = _ended(thread, call)
    if call.interrupt is not None:
        told += f" Interrupt {f.shown(call.interrupt)} named it: its START was dropped at the suspend."
        who = (f.ADAPTER, "it held the call back for an interrupt and dropped its START")
    elif call.history_seq:
        severity = f.WARNING
        told += " A later history does carry it."
    elif ended:
        told += " Its END came as well, without a START."
    return (
        f.of_call(
            (CODE, NAME),
            call,
            severity,
            told,
            seqs=(ended, result.seq, call.history_seq),
            culprit=who,
            repair="Its START is restored from recorded evidence if there is any; else it is dropped.",
        ),
    )


def _ended(thread: Thread, call: Call) -> int:
    """The seq of an END that came for it without a START; 0: none."""
    if not call.run:
        return 0
    trouble = thread.runs[call.run - 1].troubles.get(("end-without-start", call.id, "CallEnd"))
    return trouble.seq if trouble is not None else 0
