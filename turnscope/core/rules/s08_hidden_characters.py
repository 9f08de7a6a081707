"""S08 hidden-characters: a tool's name, an id, arguments or a result hold characters that nobody sees.

## What it sees
In names and ids: direction overrides, zero-width, tag and other unseen characters, and words whose letters
come from two scripts that look alike. In arguments and results: direction overrides, tag characters and
zero-width spaces, also where JSON spells them (`\\u202e`). Joiners of scripts and emoji, direction marks and
flags are none. One finding per place and kind, with a count.

## Why it matters
What a person approves is not what runs: `gnp.exe` reads as `exe.png`, and tags can carry a whole instruction
that only the model reads.

## Seen in
- rules/s08-hidden-characters.jsonl

## Repair
None: the text stays as it came. Every page shows such characters by their code.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S08", "hidden-characters", f.WARNING
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY: tuple[str, ...] = ()

WHERE = {
    "tool name": "a tool's name",
    "call id": "a call's id",
    "arguments": "the arguments of a call",
    "result": "a result",
}


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    model = odd.type in ("tool name", "arguments")
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY,
            f"Hidden in {WHERE.get(odd.type, 'a text')}: {odd.problem} ({f.shown(odd.detail)}).",
            culprit=(f.MODEL, "it wrote them, or was given them")
            if model
            else (f.SERVER_TOOL, "it sent them"),
            repair="None: the text stays as it came. Every page shows such characters by their code.",
        ),
    )
