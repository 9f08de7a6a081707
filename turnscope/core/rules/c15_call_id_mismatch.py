"""C15 call-id-mismatch: ids that should be one call's are not the same.

## What it sees
An END or a result under an id that is an open call's with something before or behind it; a call started
without an id; pieces of one call, each under an id of its own, whose arguments make sense together only; a
snapshot that carries a streamed call under a new id. Ids that only count on (call-1, call-10) are not alike.

## Why it matters
Everything that is paired by id comes apart: the call stays open, its result is nobody's, and every client
shows two half cards for one call.

## Seen in
- rules/c15-call-id-mismatch.jsonl
- rules/c15-call-id-mismatch-pieces.jsonl
- rules/c15-call-id-mismatch-snapshot.jsonl

## Repair
None of its own: ids are never rewritten. What it leaves behind is repaired: the stray result is dropped and
the call is answered as one that nobody answered.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C15", "call-id-mismatch", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY: tuple[str, ...] = ()

TOLD = {
    "result": "A result came for {other}, while {call} ({id}) is open: the ids are one with something added.",
    "end": "The end of {other} came, while {call} ({id}) is open: the ids are one with something added.",
    "empty": "{call} was started without an id: nothing can answer it.",
    "pieces": "{call} came in {count} pieces, each under an id of its own: together their arguments are one.",
    "snapshot": "A snapshot carries {call} under another id ({other}) than the stream did ({id}).",
}
CULPRITS = {
    "pieces": (f.ADAPTER, "it makes a new id for every piece of a call"),
    "snapshot": (f.ADAPTER, "it makes new ids for its snapshots"),
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.mismatch:
        return ()
    told = TOLD[call.mismatch].format(
        call=f.named(call),
        id=f.shown(call.id),
        other=f.shown(call.mismatch_ids[0]) or "no id at all",
        count=len(call.mismatch_ids) + 1,
    )
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            told,
            seqs=(call.start_seq, *call.mismatch_seqs[:6]),
            culprit=CULPRITS.get(call.mismatch, (f.ADAPTER, "it does not keep the id of the call")),
            repair="None: ids are never rewritten. What it leaves open is answered, what strays is dropped.",
        ),
    )
