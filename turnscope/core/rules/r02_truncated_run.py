"""R02 truncated-run: the stream closed, and the run never ended.

## What it sees
A run that was seen to open and whose stream closed without RUN_FINISHED or RUN_ERROR: the end of a file at
once, a lost live connection after the grace for coming back (30 s). A run that the next one overran is R07.

## Why it matters
The official client resolves such a run as a success and keeps half a message.

## Seen in
- agui/04-truncated-no-terminal.jsonl (ag-ui-protocol/ag-ui#2300)
- rules/r02-truncated-run.jsonl

## Repair
Stream: what is open is closed, then one RUN_ERROR with the code INCOMPLETE_STREAM.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import ABORTED, RUN_TRUNCATED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R02", "truncated-run", f.ERROR
SUBJECT, ASKED = "run", "touched"
NEEDS = "over"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.state != RUN_TRUNCATED or run.overrun_by or run.inferred or run.end_seq:
        return ()
    view = thread.streams.get(run.stream)
    lost = view is not None and view.closed == "lost"
    how = "The connection was lost" if lost else "The stream ends"
    told = f"{how} with run {f.run_subject(run)} open: no event ended it."
    cut = [call for n in list(run.open_calls)[:8] if (call := thread.calls[n - 1]).state == ABORTED]
    if cut:
        told += f" It cut off {f.owed(cut)}."
    opened = [*run.open_texts.values(), *run.open_steps.values()][:4]
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            told,
            seqs=(run.start_seq, *opened, run.last_seq),
            culprit=(f.NETWORK, "the connection broke and did not come back")
            if lost
            else (f.PRODUCER, "its stream stops before the run's end; the connection may have been cut"),
            repair="What is open is closed, then one RUN_ERROR ends the run.",
        ),
    )
