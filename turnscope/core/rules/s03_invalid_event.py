"""S03 invalid-event: an event that deviates from its definition, and was read all the same.

## What it sees
Missing or mistyped fields, null where a field should be absent, the wrong casing or an old name, with the
exact path. Readers are lenient, so that the event counts. A habit (a casing, null for absent, an old name) is
one finding; anything else is one per type, field and problem, with a count and the first three frames.
Unknown extra fields are never a finding.

## Why it matters
A strict client refuses the event, and with it the run.

## Seen in
- agui/19-null-optional-fields.jsonl (datarobot-oss/datarobot-genai#335)
- rules/s03-invalid-event.jsonl

## Repair
Stream: the event is written anew in the form the protocol defines.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import named_too, of_oddity, place

CODE, NAME, SEVERITY = "S03", "invalid-event", f.WARNING
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY = (f.STREAM,)


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY,
            f"Not as the protocol has it ({f.shown(odd.problem)}): {place(odd)}.",
            culprit=(f.PRODUCER, "it spells its events in another way"),
            repair="Written anew in the form the protocol defines.",
        ),
    )


def joined(found: f.Finding, told: f.Finding, places: int) -> str:
    """The sentence when another field joins the group."""
    return named_too(found, told, places)
