"""R04 silent-stop: the run finished, nothing is pending, and a person was shown no answer.

## What it sees
Judged once, when a run finishes as a success with no call waiting and no interrupt: an error when it showed
nothing at all (no text, no result of a call or of the run, no activity), a warning when it had results but no
text after the last one. Not where the run failed, was cut off, or was not seen to open.

## Why it matters
The most common complaint there is: it looked for a tool, looked again, and stopped. A turn that ends without
an answer, an error or a question is a fault of its own.

## Seen in
- stories/3a-vanished-tool-silent-stop.jsonl
- agui/12-parallel-interleaved-ok.jsonl (a warning: the invented run stops at a result)
- rules/r04-silent-stop.jsonl

## Repair
None: what was never said cannot be put back. Its cause often can.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_FINISHED, WAITING, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R04", "silent-stop", f.ERROR
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.state != RUN_FINISHED or run.inferred or run.interrupts or _pending(thread, run):
        return ()
    nothing = not run.text_length and not run.results and not run.activity_seq
    on_a_result = bool(run.results) and run.last_result_seq > max(run.last_text_seq, run.activity_seq)
    if not nothing and not on_a_result:
        return ()
    if nothing:
        told = (
            f"Run {f.run_subject(run)} finished and showed nothing at all: no text, no result, no question."
        )
    elif not run.text_length:
        told = f"Run {f.run_subject(run)} finished without a word of text."
    else:
        told = f"Run {f.run_subject(run)} finished on a result: no text came after it."
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY if nothing else f.WARNING,
            told,
            seqs=(run.start_seq, run.last_result_seq, run.end_seq),
            culprit=(f.PRODUCER, "it finished the run as a success"),
            repair="None: what was never said cannot be put back.",
        ),
    )


def _pending(thread: Thread, run: Run) -> bool:
    """Whether a call of the run waits for somebody, be it that a server's empty result holds its place."""
    if any(thread.calls[number - 1].state == WAITING for number in run.open_calls):
        return True
    return any(call is not None and call.held_place for call in map(thread.latest, run.pending or ()))
