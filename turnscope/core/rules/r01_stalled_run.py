"""R01 stalled-run: the run is open, and its stream has said nothing for too long.

## What it sees
An open run on a live stream without a frame for longer than the silence limit (60 s unless the channel says
otherwise), where no call that runs or waits explains the silence. It is silence on the wire that counts,
never the length of a run: one may run for an hour and be healthy. Only a tick of the clock opens it; the
next frame or the end of the run closes it. Never on a recording.

## Why it matters
A connection that stays open proves nothing. Without a limit on silence, a dead agent looks like a slow one.

## Seen in
- rules/r01-stalled-run.jsonl

ag-ui-protocol/ag-ui#2300 as its users saw it live. A recording cannot show it: time is what it sees.

## Repair
None while the run is open: it may still speak. A run that is cut off is R02, and its stream can be closed.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..runs import policy_of
from ..thread import RUN_OPEN, RUNNING, WAITING, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R01", "stalled-run", f.ERROR
SUBJECT, ASKED = "run", "ticked"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not stalled(thread, run, now):
        return ()
    limit = policy_of(thread).silence
    told = (
        f"Run {f.run_subject(run)} has been silent for longer than {f.seconds(limit)}, the limit, "
        "and no open call explains it."
    )
    sending = next((n for n in run.open_calls if thread.calls[n - 1].state == "streaming"), 0)
    if sending:
        told += f" The arguments of {f.named(thread.calls[sending - 1])} stopped half way."
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            told,
            seqs=(run.start_seq, run.last_seq),
            call=sending,
            culprit=(f.PRODUCER, "its stream is open and it sends nothing"),
            repair="Nothing to mend while the run is open.",
        ),
    )


def stalled(thread: Thread, run: Run, now: int) -> bool:
    """Whether the run is past the silence limit at `now`, and nobody is known to be at work on a call."""
    if run.state != RUN_OPEN or run.stream not in thread.streams:
        return False
    view = thread.streams[run.stream]
    if view.recording or view.closed or view.run != run.number:
        return False
    if now - run.last_at < policy_of(thread).silence:
        return False
    return not any(thread.calls[number - 1].state in (RUNNING, WAITING) for number in run.open_calls)
