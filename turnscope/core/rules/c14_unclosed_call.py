"""C14 unclosed-call: the run finished while a call's arguments were still arriving.

## What it sees
A START without an END when its run finished, whatever the outcome. Not at an error, an abort or the end of
a file. If an interrupt names the call it waits for a person all the same: only its END is missing.

## Why it matters
The official client throws at RUN_FINISHED and shows the whole turn as failed, although everything else
worked. The arguments are a fragment: nothing can have run on them.

## Seen in
- agui/03-run-finished-open-tool-call.jsonl (ag-ui-protocol/ag-ui#2024)
- rules/c14-unclosed-call.jsonl

## Repair
Stream: END, and an answer where nobody waits, before the terminal. History: a call whose arguments never
completed is not yet a call, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_CANCELLED, RUN_FINISHED, RUN_INTERRUPTED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C14", "unclosed-call", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.plane != "stream" or not call.start_seq or not call.run:
        return ()
    run = thread.runs[call.run - 1]
    if not run.end_seq or call.start_seq > run.end_seq or 0 < call.end_seq <= run.end_seq:
        return ()
    # A cancelled run of another dialect is an abort: what it left behind is no fault of its own.
    finished = run.state in (RUN_FINISHED, RUN_INTERRUPTED)
    if not finished and not (run.state == RUN_CANCELLED and run.dialect == "ag_ui"):
        return ()
    far = (
        f"{f.many(call.args_length, 'character')} of arguments had arrived"
        if call.args_length
        else "no arguments had arrived"
    )
    told = f"Run {f.run_subject(run)} finished while {f.named(call)} was open: {far}, and no END."
    if call.interrupt is not None:
        told += " It waits for a person; only its END is missing."
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            told,
            seqs=(call.start_seq, call.last_args_seq, run.end_seq),
            culprit=(f.PRODUCER, "it finished the run without ending the call it had started"),
            repair="END, and an answer where nobody waits, before the terminal; left out of the history.",
        ),
    )
