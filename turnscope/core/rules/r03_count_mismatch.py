"""R03 count-mismatch: calls are missing from the count, and no finding says why.

## What it sees
Once, when a run finishes: its starts minus its answers minus those who wait, less every call that another
finding speaks of. What is left over is an unexplained remainder. The numbers themselves (28 started, 26
answered, which two) are the ledger bar's, on every page.

## Why it matters
A remainder is a bug report, against the stream or against these rules: the ledger must always add up.

## Seen in
Nowhere yet, and that is the point: no stream of the corpus leaves a remainder.

## Repair
Stream and transcript: the calls left over are answered like any other.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_FINISHED, RUN_INTERRUPTED, WAITING, Call, Run, Thread
from . import (
    c02_unanswered_call,
    c03_ended_on_harness_call,
    c04_abandoned_call,
    c06_late_result,
    c09_duplicate_call,
    c11_unparsable_arguments,
    c13_vanished_tool,
    c14_unclosed_call,
    c15_call_id_mismatch,
    r11_resumed_unanswered,
)  # fmt: skip
from . import finding as f

CODE, NAME, SEVERITY = "R03", "count-mismatch", f.ERROR
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)

COVERED_BY = (
    c02_unanswered_call, c03_ended_on_harness_call, c04_abandoned_call, c06_late_result, c09_duplicate_call,
    c11_unparsable_arguments, c13_vanished_tool, c14_unclosed_call, c15_call_id_mismatch,
    r11_resumed_unanswered,
)  # fmt: skip
"""The rules that say of a call why nobody answered it."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.state not in (RUN_FINISHED, RUN_INTERRUPTED) or not run.open_calls:
        return ()
    calls = [thread.calls[number - 1] for number in run.open_calls]
    left = [call for call in calls if not _explained(thread, call, now)]
    if not left:
        return ()
    waits = sum(call.state == WAITING for call in calls)
    told = (
        f"Run {f.run_subject(run)}: {run.started} started, {run.started - len(calls)} answered, "
        f"{f.many(waits, 'wait')}: nothing explains {f.listed(f.named(call) for call in left)}."
    )
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            told,
            call=left[0].number,
            seqs=(*(call.start_seq for call in left[:6]), run.end_seq),
            culprit=(f.UNKNOWN, "no rule knows this case: please report it"),
            repair="The calls left over are answered in stream and transcript.",
        ),
    )


def _explained(thread: Thread, call: Call, now: int) -> bool:
    return call.answered or call.state == WAITING or any(rule.check(thread, call, now) for rule in COVERED_BY)
