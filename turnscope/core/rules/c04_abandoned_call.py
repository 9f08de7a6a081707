"""C04 abandoned-call: the client's or a person's call was still open when the conversation moved on.

## What it sees
A call known to be the client's or a person's, without an answer when a later user message came, or a run
whose input carries the call without its answer and no resume for it. Its window has closed: an answer that
comes now is C06.

## Why it matters
The page that owed the answer was closed or reloaded, and every later request carries the open call: the
model API refuses them all until it is mended.

## Seen in
- stories/4a-torn-down-tab-three-refusals.jsonl
- rules/c04-abandoned-call.jsonl

## Repair
In the history: answered as not executed (policy `answer`) or dropped with its call (policy `drop`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import CLIENT, PERSON, UNANSWERED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C04", "abandoned-call", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "rest"
REPAIRED_BY = (f.TRANSCRIPT,)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if (
        not call.moved_on_seq
        or call.state != UNANSWERED
        or call.owner not in (CLIENT, PERSON)
        or call.answered
    ):
        return ()
    waited = f"{f.named(call)} waited for the {'browser' if call.owner == CLIENT else 'person'}'s answer"
    after = f" in run {f.run_subject(thread.runs[call.moved_on_run - 1])}" if call.moved_on_run else ""
    if call.owner == CLIENT:
        why = f"the client owed it ({call.owner_reason}); its page may have been closed or reloaded"
    else:
        why = f"a person owed it ({call.owner_reason}) and wrote something else instead"
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{waited}, and the conversation went on without it{after}.",
            seqs=(call.start_seq, call.end_seq, call.moved_on_seq),
            culprit=(f.CLIENT if call.owner == CLIENT else f.PERSON, why),
            repair="Answered as not executed in the history, or dropped with its call under policy “drop”.",
        ),
    )
