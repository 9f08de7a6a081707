"""T03 unmendable: the repair for the API that refuses the history would have to change an id.

## What it sees
Beside T01, and for the same target: a call whose id it does not take (too long, other characters), or an id
that names two calls where it wants each once. No repair changes an id: results, logs and approvals outside
the conversation refer to it.

## Why it matters
Everything else that is refused can be mended. Here a person has to choose, and it is better to hear so before
the next message fails.

## Seen in
- rules/t03-unmendable.jsonl

## Repair
None that is safe. What remains: another target, the call and its result told as text, or a map of ids kept
by whoever sends the history.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..thread import Thread
from . import finding as f
from . import refusals as r

CODE, NAME, SEVERITY = "T03", "unmendable", f.ERROR
SUBJECT, ASKED = "thread", "rested"
REPAIRED_BY: tuple[str, ...] = ()
LOOKED_AT = 1000
"""How many refused calls are searched for an id that is refused."""
REMAINS = "None without changing an id. What remains: another target, the pair told as text, a map of ids."


def check(thread: Thread, subject: Thread, now: int) -> Iterable[f.Finding]:
    refusals = thread.refusals
    if refusals is None or not refusals.of or refusals.said:
        return ()
    bound = [
        (thread.calls[number - 1], one)
        for number, found in islice(refusals.of.items(), LOOKED_AT)
        for one in found[:1]
        if one.kind in r.IDS
    ]
    if not bound:
        return ()
    call, first = bound[0]
    target = refusals.target
    told = (
        f"No repair makes {target.title} take {f.named(call)}: {first.what}, "
        f"and {target.rule(first.rule).says}. An id is never changed."
    )
    if len(bound) > 1:
        told += f" Likewise {f.tally(f.named(other) for other, _ in bound[1:])}."
    return (r.of_thread((CODE, NAME), thread, [one for one, _ in bound], told, REMAINS),)
