"""S01 unreadable-frame: a frame that no parser could read.

## What it sees
A frame that is not JSON for either parser, not UTF-8, over the size limit or cut. It is kept as it came and
shown raw. One finding per reason, with a count and the first three frames.

## Why it matters
What it said is lost to every client: a missing END or result further on may have been in it. The official
client fails the whole stream.

## Seen in
- rules/s01-unreadable-frame.jsonl

## Repair
Stream: it is left out, and the change says so. Its bytes stay in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S01", "unreadable-frame", f.ERROR
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
            f"Frame #{odd.seqs[0]} could not be read: {f.shown(odd.problem, 120) or 'no parser takes it'}.",
            culprit=(f.PRODUCER, "it sent the frame, or the connection damaged it"),
            repair="Left out of the repaired stream; its bytes stay in the journal.",
        ),
    )
