"""S02 unknown-event: a type of event that this dialect does not define.

## What it sees
A frame that names a type the protocol has no such event for. Legacy types (THINKING_*) are read as what
they became, and named, all in one finding; others are one per type. With a count and the first three frames.

## Why it matters
A strict consumer drops it, a stricter one fails. What a newer or private event says is not in the picture.

## Seen in
- agui/44-legacy-thinking-events.jsonl (ag-ui-protocol/ag-ui#1055)
- rules/s02-unknown-event.jsonl

## Repair
Stream: legacy types are translated, others are left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import named_too, of_oddity, place

CODE, NAME, SEVERITY = "S02", "unknown-event", f.WARNING
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY = (f.STREAM,)


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    if odd.legacy:
        told = f"Events of an older protocol were read as what replaced them: {place(odd)}."
        culprit, repair = "it speaks an older protocol", "Translated to the types that replaced them."
    else:
        told = f"{f.shown(odd.type) or 'An event without a type'} is no type that this dialect defines."
        culprit, repair = "it sends a type of its own", "Left out of the repaired stream."
    return (
        of_oddity((CODE, NAME), thread, odd, SEVERITY, told, culprit=(f.PRODUCER, culprit), repair=repair),
    )


def joined(found: f.Finding, told: f.Finding, places: int) -> str:
    """The sentence when another type joins the group."""
    return named_too(found, told, places)
