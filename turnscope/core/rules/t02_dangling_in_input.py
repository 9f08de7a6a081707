"""T02 dangling-in-input: a run was sent a history with a call that nobody answers.

## What it sees
A run's input that carries a call without a result where one counts, and that nothing is about to answer: no
resume entry, and it is not the harness's own after a hand-over. A result that comes too late is C06. When
every result is gone at once it names the shape: a relay that strips tool messages and keeps the calls.

## Why it matters
This is the poison itself, on its way to the model API: most of them refuse the whole request.

## Seen in
- stories/4d-relay-stripped-every-result.jsonl
- stories/1b-server-result-dropped-then-refused.jsonl
- agui/27-dangling-call-in-next-input.jsonl (pydantic/pydantic-ai#3461)
- rules/t02-dangling-in-input.jsonl

## Repair
History: answered or dropped, by the channel's policy, before it is sent.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "T02", "dangling-in-input", f.ERROR
SUBJECT, ASKED = "run", "touched"
FINAL = True
REPAIRED_BY = (f.TRANSCRIPT,)
LOOKED_AT = 100
"""How many of the calls are named or counted by name."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.input_dangling:
        return ()
    calls = [call for id_ in run.input_dangling[:LOOKED_AT] if (call := thread.latest(id_)) is not None]
    count = len(run.input_dangling)
    told = (
        f"Run {f.run_subject(run)} was sent a history in which {f.many(count, 'call')} "
        f"{'has' if count == 1 else 'have'} no result: {f.tally(f.named(call) for call in calls)}."
    )
    culprit = (f.CLIENT, "whoever sent the run's input sent the history unmended")
    if run.input_calls > 1 and not run.input_answers:
        told += (
            f" All {run.input_calls} calls lost their results at once: a relay stripped the tool messages."
        )
        culprit = (f.ADAPTER, "a relay between client and agent strips tool messages and keeps the calls")
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            told,
            seqs=(*(call.start_seq for call in calls[:6]), run.input_seq),
            culprit=culprit,
            call=calls[0].number if calls else 0,
            repair="Answered or dropped in the history, by the channel's policy, before it is sent.",
        ),
    )
