"""Part of the fold: kinds of deviation and where they were met (S01 to S11). Called by it alone."""

from __future__ import annotations

from . import hidden, runs
from .events import CallResult, CallStart, Event, Json
from .thread import Call, Oddity, Ref, Thread
from .verify import INVALID
from .verify.lanes import NO_ID, NO_NAME

LONGEST = 200
"""Of a path, type or problem kept with an oddity, in characters."""

CLOCK = ("goes back", "in seconds", "in microseconds")
"""Problems of a timestamp that are no deviation of its form: S09, not S03."""

Kind = tuple[str, str, str, str]
"""(code, type, path, problem)"""


def note(thread: Thread, event: Event, key: Kind, detail: str = "") -> tuple[Ref, ...]:
    """One more of its kind; what that touched."""
    view = runs.view_of(thread, event)
    odd = thread.oddities.get(key)
    if key[0] == "S03":
        seq, before = thread.deviations
        thread.deviations = (event.seq, (*before, key) if seq == event.seq else (key,))
    if odd is None:
        odd = Oddity(len(thread.oddities) + 1, *key, [], 0, view.run, detail=detail[:LONGEST])
        thread.oddities[key] = odd
        if (cause := _cause(thread, event, key)) is not None:
            thread.refused_for[odd.number] = cause
    odd.count += 1
    if len(odd.seqs) < 3 and event.seq not in odd.seqs:
        odd.seqs.append(event.seq)
    odd.legacy = odd.problem == "legacy" and odd.code == "S02"
    if not view.run:
        return (odd.ref, ("thread", 0))
    run = thread.runs[view.run - 1]
    runs.touch_run(thread, run, event)
    return (odd.ref, *run.refs)


def _cause(thread: Thread, event: Event, key: Kind) -> Kind | None:
    """What a client refuses a frame's form for: the deviation of that field, else the frame's first one."""
    seq, keys = thread.deviations
    if key[0] != "S04" or key[3] not in (INVALID, NO_ID, NO_NAME) or seq != event.seq:
        return None
    if key[3] != INVALID:
        return next((one for one in keys if one[3] == "missing"), None)
    wanted = key[2].replace("_", "").lower()
    return next((one for one in keys if one[2].replace("_", "").lower() == wanted), keys[0])


# ---------------------------------------------------------------- characters


def names(thread: Thread, event: CallStart) -> tuple[Ref, ...]:
    """Whether characters hide in a call's id or in its tool's name."""
    refs: tuple[Ref, ...] = ()
    for what, text in (("tool name", event.name), ("call id", event.id)):
        kind, detail = hidden.in_name(text)
        if kind:
            refs += note(thread, event, ("S08", what, "", kind), f"{detail} in {text}")
    return refs


def arguments(thread: Thread, call: Call, event: Event) -> tuple[Ref, ...]:
    """What was found in the arguments of a call, which are complete."""
    refs: tuple[Ref, ...] = ()
    if call.hidden[0]:
        detail = f"{call.hidden[1]} in those of {call.name}"
        refs += note(thread, event, ("S08", "arguments", "", call.hidden[0]), detail)
    if call.damaged:
        refs += note(thread, event, ("S11", "arguments", "", call.damaged), f"in those of {call.name}")
    return refs


def result(thread: Thread, event: CallResult) -> tuple[Ref, ...]:
    """Whether characters hide in a result, or were lost."""
    refs: tuple[Ref, ...] = ()
    for text in _texts(event.content):
        if text.isascii() and "\\u" not in text:
            continue
        call = thread.latest(event.id)
        of = f"in that of {call.name if call is not None and call.name else event.id}"
        kind, detail = hidden.in_text(text)
        if kind:
            refs += note(thread, event, ("S08", "result", "", kind), f"{detail} {of}")
        if lost := hidden.damaged(text):
            refs += note(thread, event, ("S11", "result", "", lost), of)
    return refs


def _texts(content: Json) -> tuple[str, ...]:
    if isinstance(content, str):
        return (content,)
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return tuple(text for text in texts if isinstance(text, str))


def text(thread: Thread, event: Event, what: str, told: str) -> tuple[Ref, ...]:
    """Whether a piece of text lost characters."""
    lost = hidden.damaged(told)
    if not lost:
        return ()
    thread.unusual = True
    return note(thread, event, ("S11", what, "", lost))
