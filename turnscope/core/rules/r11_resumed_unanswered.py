"""R11 resumed-unanswered: the approval was answered, the run went through, and no outcome was recorded.

## What it sees
A call that an interrupt named and a resume answered, without a result when the resumed run finished: an
error if it was approved, a warning if it was refused. A tool of the client's is not meant: the approval
releases it, and the client answers later.

## Why it matters
The person said yes, and nobody knows whether it was done: the result was swallowed on resume, or the tool
never ran. A later request carries the open call and is refused.

## Seen in
- agui/25-approved-call-no-result.jsonl (microsoft/agent-framework#4589, #3034)
- rules/r11-resumed-unanswered.jsonl

## Repair
Stream and transcript: answered with the captured result if a host recorded one, else as of unknown outcome; a
refused call as denied.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import CLIENT, DENIED, RUN_FINISHED, UNANSWERED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R11", "resumed-unanswered", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "rest"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if (
        call.resumed is None
        or not call.resumed_run
        or call.state not in (UNANSWERED, DENIED)
        or call.answered
    ):
        return ()
    run = thread.runs[call.resumed_run - 1]
    if run.state != RUN_FINISHED or call.owner == CLIENT:
        return ()
    refused = call.approved is False or call.resumed == "cancelled"
    told = (
        f"{f.named(call)} was {'refused' if refused else 'approved'}, and run {f.run_subject(run)} finished "
        f"{'without recording it' if refused else 'without its result'}."
    )
    return (
        f.of_call(
            (CODE, NAME),
            call,
            f.WARNING if refused else SEVERITY,
            told,
            run=run.number,
            seqs=(call.start_seq, run.start_seq, run.end_seq),
            culprit=(f.ADAPTER, "it resumed the run and sent no outcome for the call"),
            repair="Answered as denied."
            if refused
            else "Answered with the captured result if there is one, else as of unknown outcome.",
            fold="refused" if refused else "",
        ),
    )
