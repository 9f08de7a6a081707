"""Part of the fold: what is legal and refused by clients of before 1.0 (S10). Called by it alone."""

from __future__ import annotations

from itertools import islice

from .events import Event
from .thread import Run, Thread

LATEST = 8
"""How many open calls are looked at for one whose arguments are arriving."""

ABSENT = ("S03", "TEXT_MESSAGE_CONTENT", "delta", "missing")
"""Of the thread's oddities: the producer leaves the text out, which is another matter than an empty one."""


def streaming(thread: Thread, run: Run) -> bool:
    """Whether the arguments of an unanswered call of the run are arriving, as far as its latest tell."""
    if run.started <= run.ended:
        return False
    latest = islice(reversed(run.open_calls), LATEST)
    return any(thread.calls[number - 1].args is not None for number in latest)


def note(thread: Thread, run: Run, kind: str, event: Event) -> None:
    """Once per run and kind."""
    if kind not in run.risks and not (kind == "empty text" and ABSENT in thread.oddities):
        run.risks[kind] = event.seq
        thread.unusual = True
