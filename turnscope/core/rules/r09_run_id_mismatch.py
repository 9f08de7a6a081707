"""R09 run-id-mismatch: the terminal names another run.

## What it sees
A RUN_FINISHED whose run id is not the one its RUN_STARTED had, in the same stream.

## Why it matters
Consumers that key by run id think the run never ended. Adapters that pass on a framework's inner id do this
in every run, so it is told once per thread, with a count.

## Seen in
- agui/22-run-id-mismatch.jsonl (ag-ui-protocol/ag-ui#1582)
- rules/r09-run-id-mismatch.jsonl

## Repair
Stream: the terminal gets the id its run was opened with.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R09", "run-id-mismatch", f.WARNING
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY = (f.STREAM,)


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.terminal_id is None:
        return ()
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"Run {f.run_subject(run)} was ended under another id: {f.shown(run.terminal_id)}.",
            seqs=(run.start_seq, run.end_seq),
            culprit=(f.ADAPTER, "it gives the terminal an id of its own"),
            repair="The terminal gets the id of its run.",
            fold="terminal",
        ),
    )
