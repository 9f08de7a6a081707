"""R05 run-error: the run ended with an error.

## What it sees
RUN_ERROR, or what ends a run with an error in another dialect. Calls that were open are aborted and listed.
Known sentences of model APIs and frameworks are recognised (`sentences.py`): the sentence is put in plain
words, and linked to the call whose id it quotes.

## Why it matters
The error a person sees is mostly a symptom: the provider refuses a history that something else broke. The
quoted id leads to the very call.

## Seen in
- stories/4a-torn-down-tab-three-refusals.jsonl
- agui/06-run-error-dangling-call.jsonl (pydantic/pydantic-ai#4962)
- agui/27-dangling-call-in-next-input.jsonl (pydantic/pydantic-ai#3461)
- rules/r05-run-error.jsonl

## Repair
Stream and transcript: calls that were open are answered before the error. The error itself stays; its cause
may be mended.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import ABORTED, RUN_FAILED, Run, Thread
from . import finding as f
from . import sentences

CODE, NAME, SEVERITY = "R05", "run-error", f.ERROR
SUBJECT, ASKED = "run", "touched"
NEEDS = "over"
FINAL = True
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.state != RUN_FAILED:
        return ()
    known = sentences.match(run.error, run.error_code)
    quoted = sentences.quoted(thread, run.error)
    words = f.shown(run.error, 200).rstrip(".") or "it gave no message"
    code = f.shown(run.error_code)
    told = f"Run {f.run_subject(run)} failed: {words}" + (f" ({code})" if code and code not in words else "")
    told += "" if told.endswith(("!", "?")) else "."
    if known is not None:
        told += f" In plain words: {known.means}" + (f" ({f.named(quoted[0])})." if quoted else ".")
    cut = [call for n in list(run.open_calls)[:32] if (call := thread.calls[n - 1]).state == ABORTED]
    if cut:
        told += f" It cut off {f.owed(cut)}."
    refused = known is not None and known.about != sentences.OTHER
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            told,
            seqs=(*(call.start_seq for call in [*quoted[:2], *cut[:4]]), run.input_seq, run.end_seq),
            call=quoted[0].number if quoted else cut[0].number if cut else 0,
            culprit=(f.UNKNOWN, "the model API refused the history it was sent")
            if refused
            else (f.PRODUCER, "it reported the error itself"),
            repair="Open calls are answered before the error; the history is mended for its API.",
        ),
    )
