"""R13 no-follow-up: the answers came after the run had ended, and no run followed.

## What it sees
Live: the last run of a thread finished while calls waited; since then each of them was answered, or a host
saw its result, and for as long as a stream may be silent no run has come to use the answers.

## Why it matters
The person sees finished cards and no reply. The client, or the job, was to ask for the next run.

## Seen in
- rules/r13-no-follow-up.jsonl

## Repair
None: the next run is somebody's to start.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..runs import policy_of
from ..thread import RUN_FINISHED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R13", "no-follow-up", f.WARNING
SUBJECT, ASKED = "run", "ticked"
REPAIRED_BY: tuple[str, ...] = ()
LOOKED_AT = 200
"""How many calls of its turn are looked at, the newest first."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not overdue_run(thread, run, now):
        return ()
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"The answers came after run {f.run_subject(run)} had ended, and no run followed within "
            f"{f.seconds(policy_of(thread).silence)}.",
            seqs=(run.start_seq, run.end_seq),
            culprit=(f.CLIENT, "it has the answers and asks for no run"),
            repair="None: the next run is somebody's to start.",
        ),
    )


def overdue_run(thread: Thread, run: Run, now: int) -> bool:
    """Whether its answers have waited for a run as long as a stream may be silent."""
    since = answered_since(thread, run)
    return since > 0 and now - since >= policy_of(thread).silence


def answered_since(thread: Thread, run: Run) -> int:
    """When the last call the run had left waiting was answered, in ms; 0: it is not so, or a run followed."""
    if run.state != RUN_FINISHED or run.number != len(thread.runs):
        return 0
    view = thread.streams.get(run.stream)
    if view is None or view.recording:
        return 0
    latest = 0
    for number in thread.turns[run.turn - 1].calls[-LOOKED_AT:]:
        call = thread.calls[number - 1]
        if call.run != run.number:
            continue
        after = [one.at for one in call.answers if one.seq > run.end_seq and not one.preliminary]
        after += [at for phase, at in call.evidence if phase in ("result", "error") and at >= run.end_at]
        if after:
            latest = max(latest, *after)
        elif not call.answered and call.open:
            return 0
    return latest
