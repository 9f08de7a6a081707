"""C20 unapproved-execution: a call ran although nobody approved it.

## What it sees
A call that was declined and whose host saw it run, or whose result is neither marked as an error, nor quotes
the person's reason, nor says in words that nothing was run; a streamed result for a gated call, in a run
whose input approves nothing; a second result after one approval was sent again. A run whose input is not
known may have been approved: then it is quiet.

## Why it matters
The gate did not hold. What ran may be what the person said no to.

## Seen in
- rules/c20-unapproved-execution.jsonl

## Repair
None: what ran, ran. The result stays as it came.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import wording
from ..thread import Answer, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C20", "unapproved-execution", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.interrupt is None or not call.answers:
        return ()
    streamed = [one for one in call.answers if one.plane == "stream" and not one.preliminary]
    declined = call.approved is False and not call.approved_seq  # yes and no for one question is C08
    seen = declined and any(phase in ("start", "result") for phase, _ in call.evidence)
    ran = next((one for one in streamed if seen or not (one.error or _refusal(call, one))), None)
    if ran is None:
        return ()
    if seen:
        told = f"{f.named(call)} was declined, and the host saw it run."
    elif declined:
        told = f"{f.named(call)} was declined, and a result says that it ran: {f.shown(ran.excerpt)}"
    elif call.resumed is None and _never_asked(thread, call, ran):
        told = f"{f.named(call)} was gated by interrupt {f.shown(call.interrupt)}, and ran unapproved."
    elif call.approved_again and streamed[-1].seq > call.approved_again:
        told = f"The approval of {f.named(call)} was used twice: a second result came for it."
        ran = streamed[-1]
    else:
        return ()
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            told,
            seqs=(call.start_seq, call.approved_again, ran.seq),
            culprit=(f.ADAPTER, "its gate did not hold the call"),
            repair="None: what ran, ran. The result stays as it came.",
        ),
    )


def _refusal(call: Call, told: Answer) -> bool:
    """Whether a result says that nothing was run: it gives the person's reason back, or says so in words."""
    return bool(call.refusal and call.refusal in told.excerpt) or wording.refused(told.excerpt)


def _never_asked(thread: Thread, call: Call, ran: Answer) -> bool:
    """Whether the run that ran it has an input, which approves nothing, and no history decided it."""
    raised = thread.interrupts.get(call.interrupt or "", (0, None))[0]
    if not ran.run or not raised or ran.run <= raised:
        return False
    if any(one.plane == "history" for one in call.answers):
        return False
    run = thread.runs[ran.run - 1]
    return run.has_input and not run.resume
