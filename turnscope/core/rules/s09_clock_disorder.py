"""S09 clock-disorder: timestamps that go back, or that are not in milliseconds.

## What it sees
An event more than a second older than the one before it in its stream; timestamps in seconds or microseconds,
by their size. They are read all the same. One finding per kind and type of event, with a count.

## Why it matters
For a recording they are the only clock: how long a call took, and what came first, is as good as they are.

## Seen in
- rules/s09-clock-disorder.jsonl

## Repair
None: times stay as they came.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S09", "clock-disorder", f.INFO
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    what = "goes back by more than a second" if odd.problem == "goes back" else f"is {odd.problem}"
    found = of_oddity(
        (CODE, NAME),
        thread,
        odd,
        SEVERITY,
        f"The timestamp of {f.shown(odd.type)} {what}.",
        culprit=(f.PRODUCER, "its clock, or whoever writes it down"),
        repair="None: times stay as they came.",
    )
    found.fold = odd.problem
    return (found,)
