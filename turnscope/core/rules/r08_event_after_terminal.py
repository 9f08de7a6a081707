"""R08 event-after-terminal: something came after the run had ended.

## What it sees
Content after RUN_FINISHED or RUN_ERROR, without a new RUN_STARTED: a late result, a stray delta, a second
RUN_FINISHED. An error; a RUN_FINISHED right after RUN_ERROR, which adds nothing, is a warning and is
explained by the error.

## Why it matters
The official client throws at it. A result that comes late must ride a run of its own.

## Seen in
- agui/35-result-after-run-finished.jsonl (CopilotKit/CopilotKit#5812)
- agui/23-finished-after-error.jsonl (agentscope-ai/agentscope-java#2642)
- rules/r08-event-after-terminal.jsonl

## Repair
Stream: a late result is moved before the terminal, or into a run of its own; the rest is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..thread import Run, Thread, Trouble
from . import finding as f

CODE, NAME, SEVERITY = "R08", "event-after-terminal", f.ERROR
SUBJECT, ASKED = "run", "touched"
NEEDS = "trouble"
FINAL = True
REPAIRED_BY = (f.STREAM,)
LATEST = 8
"""How many troubles are looked at, newest first: the one that just happened is among them."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.troubles or not run.end_seq:
        return ()
    newest = list(islice(reversed(run.troubles.values()), LATEST))
    after = next((one for one in reversed(newest) if one.kind == "after-terminal"), None)
    if after is not None:
        return (_content(thread, run, after),)
    second = next((one for one in newest if one.kind == "finished-after-error"), None)
    if second is None:
        return ()
    return (
        f.of_run(
            (CODE, NAME),
            run,
            f.WARNING,
            f"Run {f.run_subject(run)} was finished after it had failed.",
            seqs=(run.end_seq, second.seq),
            culprit=(f.PRODUCER, "it sends both terminals"),
            repair="The second terminal is dropped.",
            fold="finished after error",
        ),
    )


def _content(thread: Thread, run: Run, after: Trouble) -> f.Finding:
    what = WORDS.get(after.type, "An event")
    call = thread.latest(after.about) if after.type.startswith("Call") else None
    of = f" for {f.named(call)}" if call is not None else ""
    return f.of_run(
        (CODE, NAME),
        run,
        SEVERITY,
        f"{what}{of} came after run {f.run_subject(run)} had ended.",
        seqs=(run.end_seq, after.seq),
        call=call.number if call is not None else 0,
        culprit=(f.PRODUCER, "it sent content without opening a run"),
        repair="A late result is moved before the terminal or into a run of its own; the rest is dropped.",
    )


WORDS = {
    "CallResult": "A result", "CallStart": "A call", "CallArgs": "Arguments", "CallEnd": "The end of a call",
    "TextStart": "Text", "TextDelta": "Text", "TextEnd": "The end of a text",
    "RunFinished": "Another RUN_FINISHED",
    "RunFailed": "A RUN_ERROR", "MessagesSnapshot": "A snapshot", "StateSnapshot": "A state",
    "StatePatch": "A state",
    "StepStarted": "A step", "StepFinished": "The end of a step",
}  # fmt: skip
