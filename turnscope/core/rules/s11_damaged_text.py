"""S11 damaged-text: characters of a text were lost on the way.

## What it sees
A replacement character (U+FFFD), or one half of a character (a lone surrogate), in a text, in arguments or in
a result: bytes of one character were split over two frames and decoded apart, or were no UTF-8 to begin with.
One finding per place and kind, with a count.

## Why it matters
The text is not what was written, and no one can put it back. Half a character makes strict readers refuse the
whole frame.

## Seen in
- rules/s11-damaged-text.jsonl

## Repair
None: what was lost is gone. A streaming decoder at the producer prevents it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S11", "damaged-text", f.WARNING
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY: tuple[str, ...] = ()

WHERE = {"text": "A text", "arguments": "The arguments of a call", "result": "A result"}


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    a = "half a character" if odd.problem == "half a character" else f"a {odd.problem}"
    more = f" ({f.shown(odd.detail)})" if odd.detail else ""
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY,
            f"{WHERE.get(odd.type, 'Something')} came with {a}: part of it was lost on the way{more}.",
            culprit=(f.PRODUCER, "it decodes bytes frame by frame, or they were no UTF-8"),
            repair="None: what was lost is gone.",
        ),
    )
