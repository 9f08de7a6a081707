"""C25 mixed-arguments: a history carries a call with other arguments than were streamed.

## What it sees
A call whose arguments in a snapshot or an input are another value than the streamed ones: replayed as `{}`,
a sibling's, or simply different. The order of keys and 1 for 1.0 are no difference. Silent where the streamed
arguments were no object (C11), and for a call that was approved: a person may have changed them. All calls
replayed as `{}` are told once.

## Why it matters
The model reads that it asked for something else than what ran, and answers accordingly.

## Seen in
- rules/c25-mixed-arguments.jsonl
- rules/c25-mixed-arguments-empty.jsonl

## Repair
None: which of the two ran, only the agent knows.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..arguments import NO_ARGUMENTS
from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C25", "mixed-arguments", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY: tuple[str, ...] = ()
NEIGHBOURS = 8
"""How far a sibling is looked for whose arguments they are, in calls before and after."""


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.args_differ_seq or call.args_verdict not in ("object", "empty") or call.resumed:
        return ()
    if call.history_digest == call.args_digest:
        return ()
    emptied, owner = call.history_digest == NO_ARGUMENTS, _whose(thread, call)
    if emptied:
        streamed = f.many(call.args_length, "character")
        told = f"A history carries {f.named(call)} with no arguments; {streamed} of them were streamed."
    elif owner is not None:
        told = (
            f"A history carries {f.named(call)} with the arguments of {f.named(owner)} ({f.shown(owner.id)})."
        )
    elif call.args_digest == NO_ARGUMENTS:
        told = f"{f.named(call)} was streamed without arguments, and a history carries some."
    else:
        told = f"A history carries {f.named(call)} with other arguments than were streamed."
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            told,
            seqs=(call.start_seq, call.end_seq, call.args_differ_seq),
            culprit=(f.ADAPTER, "it writes histories from something else than what it streams"),
            repair="None: which of the two ran, only the agent knows.",
            fold="no arguments" if emptied else "",
        ),
    )


def _whose(thread: Thread, call: Call) -> Call | None:
    """The sibling whose arguments the history gives it."""
    near = thread.calls[max(0, call.number - 1 - NEIGHBOURS) : call.number + NEIGHBOURS]
    return next(
        (
            one
            for one in near
            if one is not call and one.run == call.run and one.args_digest == call.history_digest
        ),
        None,
    )
