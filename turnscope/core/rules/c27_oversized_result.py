"""C27 oversized-result: a result so large that it threatens the model's context, or the page.

## What it sees
A result past the channel's limit (256 KiB unless its settings say otherwise: `limits.result`, in bytes), with
its size. A result that several histories carry counts once.

## Why it matters
It is sent again with every further request, until the context is full and the model API refuses the history.

## Seen in
- rules/c27-oversized-result.jsonl

## Repair
None: what was said stays said. The tool can say less, or the harness can hand over a reference.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..runs import policy_of
from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C27", "oversized-result", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers:
        return ()
    limit = policy_of(thread).result
    large = next((one for one in call.answers if one.length > limit), None)
    if large is None:
        return ()
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"The result of {f.named(call)} has {f.size(large.length)}; the limit is {f.size(limit)}.",
            seqs=(call.start_seq, large.seq),
            culprit=(f.SERVER_TOOL, "it says more than a model can read"),
            repair="None: the tool can say less, or hand over a reference.",
        ),
    )
