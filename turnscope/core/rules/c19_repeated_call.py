"""C19 repeated-call: the same call again and again, with the same result.

## What it sees
The same tool with the same arguments and the same result, three times or more in one turn. Told once for
each such call, with how often it came.

## Why it matters
The model learns nothing from the result and asks again: it burns money and time until a limit ends it.

## Seen in
- agui/42-repeated-identical-calls.jsonl (agno-agi/agno#3788, CopilotKit/CopilotKit#1696)
- rules/c19-repeated-call.jsonl

## Repair
None: what was called was called. The page folds the cards into one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C19", "repeated-call", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()
OFTEN = 3


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.repeats < OFTEN:
        return ()
    answer = next((one for one in call.answers if not one.late and not one.preliminary), None)
    if answer is None:
        return ()
    found = f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        f"{f.named(call)} was called {call.repeats} times in one turn with the same arguments, "
        "and always gave the same result.",
        seqs=(call.start_seq, answer.seq),
        culprit=(f.MODEL, "it asks again for what it was told"),
        repair="None: the calls were made.",
        fold=f"{call.turn} {call.name} {call.args_digest} {answer.digest}",
    )
    found.count = call.repeats
    return (found,)


def joined(found: f.Finding, told: f.Finding, places: int) -> str:
    """The sentence when it is called once more."""
    return told.message
