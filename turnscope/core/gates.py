"""Part of the fold: approvals. When they expire, which of several was left unanswered, which was used again.

Called by `fold.py` alone, beside `runs.py` (an interrupt makes its call wait) and `history.py` (a resume
entry decides it).
"""

from __future__ import annotations

from .events import Event, Resume, RunFinished
from .framing import milliseconds
from .thread import Ref, Thread


def raised(thread: Thread, event: RunFinished) -> None:
    """A run stopped at interrupts: until when each may be answered."""
    for one in event.interrupts:
        known = one.call is not None and one.expires is not None
        call = thread.latest(one.call or "") if known else None
        if call is not None and call.interrupt == one.id:
            call.expires = milliseconds(one.expires) or 0


def resumed(thread: Thread, resume: tuple[Resume, ...], event: Event) -> tuple[Ref, ...]:
    """A run resumes: interrupts of that run that it leaves unanswered, approvals that were used before."""
    refs: list[Ref] = []
    answered = dict.fromkeys(entry.interrupt for entry in resume)
    for number in dict.fromkeys(thread.interrupts.get(id_, (0, None))[0] for id_ in answered):
        for id_ in thread.runs[number - 1].interrupts if number else ():
            call_id = thread.interrupts[id_][1]
            call = thread.latest(call_id) if id_ not in answered and call_id is not None else None
            if call is not None and call.resumed is None and call.waits_behind == "interrupt":
                call.partial_seq = call.changed = event.seq
                refs += call.refs
    for id_ in answered:
        call_id = thread.interrupts.get(id_, (0, None))[1]
        call = thread.latest(call_id) if call_id is not None else None
        if call is None or not any(one.plane == "stream" and one.seq < event.seq for one in call.answers):
            continue
        if call.approved:
            call.approved_again, call.changed = event.seq, event.seq
            refs += call.refs
    return tuple(refs)
