"""S05 sequence-gap: the producer's own numbers do not follow each other.

## What it sees
Frames whose envelope carries a number that skips, repeats or goes back. A live producer may send again what
it does not know to have arrived: that is dropped, and no gap. One finding per thread and kind, with a count.

## Why it matters
Frames are missing, or stand in another order than they happened: what is unanswered here may have been
answered in one of them.

## Seen in
- rules/s05-sequence-gap.jsonl

## Repair
None: what did not arrive cannot be put back. The producer can send it again.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S05", "sequence-gap", f.ERROR
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    what = "are missing" if odd.problem == "missing" else "came again or out of order"
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY,
            f"Frames {what}: {odd.detail}.",
            culprit=(f.PRODUCER, "its own numbers say so; the network may have lost them"),
            repair="None: the producer can send again what did not arrive.",
        ),
    )
