"""C21 wrong-pending-list: the list of pending calls is not the list of calls that wait.

## What it sees
A RUN_FINISHED whose `pendingToolCallIds` names a call that was answered or that nobody announced, or misses
an open call of the client's. Also a run that stops at one interrupt which names one of several open calls of
the same tool: the others wait behind it, and nobody is asked about them. Calls of other tools may wait there.

## Why it matters
Clients take the list as it is: an answered call asks for an approval that nobody needs, and a missing one
is never executed.

## Seen in
- stories/3b-answered-in-snapshot-only-and-reported-pending.jsonl
- rules/c21-wrong-pending-list.jsonl
- rules/c21-wrong-pending-list-one-question.jsonl

## Repair
Stream: the list is computed anew from the calls themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import RUN_INTERRUPTED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C21", "wrong-pending-list", f.WARNING
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY = (f.STREAM,)

WORDS = {
    "answered": "names {}, answered before",
    "unknown": "names {}, which nobody announced",
    "missing": "misses {}, which the client is to answer",
}


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.pending_wrong:
        return _one_for_several(thread, run)
    parts, seqs, first = [], [run.end_seq], 0
    for kind, words in WORDS.items():
        ids = [id_ for id_, wrong in run.pending_wrong if wrong == kind]
        calls = [thread.latest(id_) for id_ in ids]
        if ids:
            names = (
                f.named(call) if call is not None else f.shown(id_)
                for id_, call in zip(ids, calls, strict=True)
            )
            parts.append(words.replace("{}", f.listed(names)))
        seqs += [call.start_seq for call in calls[:3] if call is not None]
        first = first or next((call.number for call in calls if call is not None), 0)
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"The pending list of run {f.run_subject(run)} {f.listed(parts)}.",
            seqs=seqs,
            call=first,
            culprit=(f.ADAPTER, "it makes the list from something else than the stream"),
            repair="The list is computed anew from the calls.",
        ),
    )


def _one_for_several(thread: Thread, run: Run) -> Iterable[f.Finding]:
    """One question for several calls of the tool it is about."""
    if run.state != RUN_INTERRUPTED or len(run.interrupts) != 1 or len(run.interrupt_calls) != 1:
        return ()
    asked = thread.latest(run.interrupt_calls[0])
    if asked is None or asked.number not in run.open_calls:
        return ()
    calls = [thread.calls[number - 1] for number in run.open_calls]
    beside = [call for call in calls if call is not asked and call.name == asked.name and call.end_seq]
    if not beside:
        return ()
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"Run {f.run_subject(run)} asks once, about one of {len(beside) + 1} calls of {f.named(asked)}: "
            "the others wait behind it, and nobody is asked about them.",
            seqs=(asked.start_seq, *(call.start_seq for call in beside[:5]), run.end_seq),
            call=asked.number,
            culprit=(f.ADAPTER, "it raises one interrupt for several calls"),
            repair="None: only the agent can ask about the others.",
        ),
    )
