"""Part of the fold: ids that should be one and are not. Called by `calls.py` and `history.py` alone.

A result or an end under a variant of an open call's id; pieces of one call, each under an id of its own; a
snapshot that gives a call another id than the stream did. It is noted on the call that is meant (C15).
"""

from __future__ import annotations

from collections.abc import Container
from itertools import islice

from .arguments import UNUSABLE, verdict
from .events import Event, HistoryCall, HistoryMessage
from .thread import Call, Glue, Ref, Run, Thread

LOOKED_AT = 32
"""How many calls are looked at for the one that is meant, the newest first."""
SHORTEST, PLAIN = 3, 8
"""Characters of an id that another may contain; and without a mark between the two parts."""
PIECES, ROOM = 200, 65_536
"""How many calls in a row, and how many characters of theirs, are tried as pieces of one."""


def variant(one: str, other: str) -> bool:
    """Whether one id is the other with something before or behind it."""
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST or len(short) == len(long):
        return False
    if long.startswith(short):
        rest = long[len(short) :]
        mark = rest[0]
    elif long.endswith(short):
        rest = long[: -len(short)]
        mark = rest[-1]
    else:
        return False
    return not mark.isalnum() or (len(short) >= PLAIN and not rest.isdigit())


def meant(thread: Thread, event: Event, id_: str, what: str) -> tuple[Ref, ...]:
    """Something came under an id that nobody announced: the open call it was meant for, if one is like it."""
    for number in islice(reversed(thread.open_calls), LOOKED_AT):
        call = thread.calls[number - 1]
        if variant(call.id, id_):
            note(call, event, what, id_)
            return (call.ref,)
    return ()


def note(call: Call, event: Event, what: str, id_: str) -> None:
    call.mismatch = call.mismatch or what
    if id_ not in call.mismatch_ids and len(call.mismatch_ids) < LOOKED_AT:
        call.mismatch_ids += (id_,)
    call.mismatch_seqs.append(event.seq)
    call.changed = event.seq


def glue(thread: Thread, run: Run, call: Call, text: str, event: Event) -> tuple[Ref, ...]:
    """The arguments of a call are complete: whether it and those before it are pieces of one."""
    if call.args_verdict not in UNUSABLE:
        run.glue = None
        return ()
    so_far = run.glue
    if so_far is None or so_far.name != call.name or so_far.length + len(text) > ROOM:
        so_far = run.glue = Glue(call.name)
    so_far.calls.append(call.number)
    so_far.texts.append(text)
    so_far.length += len(text)
    if not 1 < len(so_far.calls) <= PIECES or verdict("".join(so_far.texts))[0] != "object":
        return ()
    first = thread.calls[so_far.calls[0] - 1]
    first.mismatch = first.mismatch or "pieces"
    for number in so_far.calls[1:]:
        piece = thread.calls[number - 1]
        note(first, event, "pieces", piece.id)
        first.mismatch_seqs[-1] = piece.start_seq
    run.glue = None
    return (first.ref, *(("call", number) for number in so_far.calls[1:]))


def reminted(
    thread: Thread, message: HistoryMessage, told: HistoryCall, carried: Container[str], event: Event
) -> int:
    """The number of the streamed call that a snapshot carries under another id; 0: none."""
    for call in islice(reversed(thread.calls), LOOKED_AT):
        if call.plane != "stream" or call.name != told.name or not call.end_seq:
            continue
        if call.history_seq or call.id in carried or call.mismatch == "snapshot":
            continue
        here = message.id in (call.parent, call.id) or (not call.answered and call.parent is None)
        if here and verdict(told.arguments)[2] == call.args_digest:
            note(call, event, "snapshot", told.id)
            return call.number
    return 0
