"""C03 ended-on-harness-call: the run ended for the caller on a call that only the harness can answer.

## What it sees
A finished run that leaves a call open which the harness itself runs (named by the channel's settings or a
preset), with no open call of the client's or a person's beside it: nobody outside will answer, so the
harness waits for a message that never comes. A server call open beside it is C02, explained by this.
With a client's call open it is a hand-over, and quiet, until the next run fails to answer: then C02.

## Why it matters
The conversation stops with no answer and no error.

## Seen in
- stories/2a-28-started-26-answered.jsonl
- stories/2b-ended-on-harness-call.jsonl
- rules/c03-ended-on-harness-call.jsonl

## Repair
Stream and transcript: the call is answered as not executed. The repaired stream ends the run as RUN_ERROR
RUN_ENDED_EARLY.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import HARNESS, RUN_FINISHED, UNANSWERED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C03", "ended-on-harness-call", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "rest"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.owner != HARNESS or call.state != UNANSWERED or call.waits_behind is not None:
        return ()
    if call.plane != "stream" or not call.run or call.answered:
        return ()
    run = thread.runs[call.run - 1]
    if run.state != RUN_FINISHED:
        return ()
    message = (
        f"Run {f.run_subject(run)} ended for the caller on the harness's own call {f.named(call)}: "
        "nobody will answer it now. Clients may call this RUN_ENDED_EARLY."
    )
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            message,
            seqs=(call.start_seq, call.end_seq, run.end_seq),
            culprit=(
                f.ADAPTER,
                f"it ended the run although the harness runs {f.named(call)} itself ({call.owner_reason})",
            ),
            repair="Answered as not executed in stream and transcript; the repaired stream ends as RUN_ERROR "
            "RUN_ENDED_EARLY.",
        ),
    )
