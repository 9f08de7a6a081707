"""R14 wrong-finish-reason: why the model stopped contradicts what it said.

## What it sees
A finish reason in an event's metadata or in a run's result: `stop` with a complete call that nobody has
answered, or `tool_calls` of a run without a single call.

## Why it matters
Clients and loops decide by it: on `stop` the tool is never run, on `tool_calls` they wait for one.

## Seen in
- rules/r14-wrong-finish-reason.jsonl

## Repair
None: the reason stays as it came.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..reasons import CALLS, STOP
from ..thread import RUN_FINISHED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R14", "wrong-finish-reason", f.WARNING
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.finish_reason or run.state != RUN_FINISHED:
        return ()
    left = [call for call in (thread.calls[number - 1] for number in run.open_calls) if call.end_seq]
    if run.finish_reason in STOP and left:
        told = f"Its model stopped with {run.finish_reason}, and {f.listed(map(f.named, left))} is open."
    elif run.finish_reason in CALLS and not run.started:
        told = f"Its model stopped with {run.finish_reason}, and called nothing."
    else:
        return ()
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"Run {f.run_subject(run)}: {told[0].lower()}{told[1:]}",
            seqs=(run.finish_seq, run.end_seq, *(call.start_seq for call in left[:4])),
            call=left[0].number if left else 0,
            culprit=(f.ADAPTER, "it maps the provider's finish reasons in a way of its own"),
            repair="None: the reason stays as it came.",
            fold=run.finish_reason,
        ),
    )
