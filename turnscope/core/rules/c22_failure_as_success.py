"""C22 failure-as-success: a result that says in words that nothing came of the call, and no flag does.

## What it sees
A result that begins with the words runtimes use for an error, an abort or a call they did not run, with no
flag and no object that says so. A call that was not run is shown as skipped. A result with an error flag, or
an object that calls itself an error, is none; nor is one that another result replaces, nor what a repair
writes.

## Why it matters
The card is green, and whatever counts successes counts it. A model may take the words for data.

## Seen in
- rules/c22-failure-as-success.jsonl

## Repair
None: the text stays as it came. The tool message's `error`, or an object with one, says it to everybody.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import wording
from ..thread import OK, SKIPPED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C22", "failure-as-success", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()

TOLD = {
    wording.FAILED: "failed",
    wording.STOPPED: "was stopped",
    wording.SKIPPED: "was not run",
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or call.state not in (OK, SKIPPED):
        return ()
    counting = [one for one in call.answers if not one.late and not one.preliminary]
    word = wording.said(counting[0].excerpt) if counting else ""
    if not word or len(counting) > 1 or counting[0].error:
        return ()
    answer = counting[0]
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"The result of {f.named(call)} says that it {TOLD[word]}, and no flag does: "
            f"{f.shown(answer.excerpt)}",
            seqs=(call.start_seq, answer.seq),
            culprit=(f.ADAPTER, "it passes on the text of a failure and not that it was one"),
            repair="None: the text stays as it came. An `error` beside it would say it to everybody.",
        ),
    )
