"""S06 state-patch-failed: a patch of the state, or of an activity, does not apply.

## What it sees
A JSON Patch (RFC 6902) tried on the state as it then stood: the one the run was given, the last snapshot, and
every patch since. The operation and path that fail, and what stands there. States are held up to 128 KiB a
thread; of larger ones nothing is said. One finding per operation, path and reason, with a count.

## Why it matters
The official client warns in its console and skips the whole patch: from there on the interface shows another
state than the agent has, and no one is told.

## Seen in
- agui/31-state-delta-missing-path.jsonl (CopilotKit/CopilotKit#4934, ag-ui-protocol/ag-ui#2242)
- rules/s06-state-patch-failed.jsonl

## Repair
None: what the state should be, only the agent knows. A snapshot before the first patch prevents most.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S06", "state-patch-failed", f.WARNING
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY: tuple[str, ...] = ()

WHY = {
    "nothing there": "nothing stands there",
    "test failed": "something else stands there",
    "no place for it": "what stands there has no place for it",
}


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    met = f"It met {f.shown(odd.detail, 80)}." if odd.detail else "No snapshot came before it."
    why = WHY.get(odd.problem, "it fails")
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY,
            f"{odd.type} does not apply: {f.shown(odd.path, 100)}, and {why}. {met}",
            culprit=(f.PRODUCER, "its patches start from a state that nobody was sent"),
            repair="None: only the agent knows the state. A snapshot before the first patch prevents it.",
        ),
    )
