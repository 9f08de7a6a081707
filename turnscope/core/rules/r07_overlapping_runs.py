"""R07 overlapping-runs: a run opened before the previous one had ended.

## What it sees
RUN_STARTED in a stream whose run is still open: under another id, which cuts the first one off, or under
the same id, which announces it twice. Two streams of one thread may run at once.

## Why it matters
The official client throws at the second RUN_STARTED, and nothing of it is shown.

## Seen in
- agui/34-run-started-while-active.jsonl (ag-ui-protocol/ag-ui#1582, CopilotKit/CopilotKit#3482)
- rules/r07-overlapping-runs.jsonl

## Repair
Stream: the first run is closed with a terminal before the second opens; a second announcement is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R07", "overlapping-runs", f.WARNING
SUBJECT, ASKED = "run", "touched"
FINAL = True
REPAIRED_BY = (f.STREAM,)


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.overrun_by:
        other = thread.runs[run.overrun_by - 1]
        told = f"Run {f.run_subject(other)} opened before run {f.run_subject(run)} had ended."
        return (_found(run, told, other.start_seq, "overrun"),)
    if run.troubles and run.id:
        twice = run.troubles.get(("overlap", run.id, "RunStarted"))
        if twice is not None:
            return (
                _found(run, f"Run {f.run_subject(run)} was announced twice.", twice.seq, "announced twice"),
            )
    return ()


def _found(run: Run, told: str, seq: int, fold: str) -> f.Finding:
    return f.of_run(
        (CODE, NAME),
        run,
        SEVERITY,
        told,
        seqs=(run.start_seq, seq),
        culprit=(f.PRODUCER, "it opened a run without ending the one before"),
        repair="The first run is closed before the second opens.",
        fold=fold,
    )
