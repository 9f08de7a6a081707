"""One call on a page of its own: its arguments as they streamed, its answers whole, and its events only.

Rows keep excerpts; here the frames are read. What belongs to the call is told by the id in the frame itself,
since a column holds a cut one. Bounded: a call of a million deltas shows the first of them, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import Http404

from turnscope.core import framing
from turnscope.core.events import Frame
from turnscope.core.kinds import KINDS
from turnscope.store.models import Call, Turn

from . import log, pace, show, turnpage, waterfall, words
from .pages import turn_row

Dict = dict[str, Any]

EVENTS = 400
"""Events of a call that its page lists."""
LOOKED = 50_000
"""Tool frames that are looked through for them."""
PIECES = 300
"""Pieces of arguments that are told apart."""
TEXT = 64_000
"""Characters of arguments, or of one answer, shown at once."""

START, ARGS, CHUNK = KINDS["TOOL_CALL_START"], KINDS["TOOL_CALL_ARGS"], KINDS["TOOL_CALL_CHUNK"]
END, RESULT = KINDS["TOOL_CALL_END"], KINDS["TOOL_CALL_RESULT"]
TOOLS = frozenset((START, ARGS, CHUNK, END, RESULT, KINDS["EVIDENCE"]))


def call_page(turn: int, number: int) -> Dict:
    """Everything the page shows. Raises Http404."""
    row = turn_row(turn)
    calls, found, runs = turnpage.turn_parts(row)
    numbers = [item["number"] for item in calls]
    if number not in numbers:
        raise Http404(f"There is no call {number} in this turn.")
    item = calls[numbers.index(number)]
    measured = pace.pace(row.thread_id, row.first_seq, row.last_seq)
    live = bool(show.turn(row)["live"] and row.thread.live)
    now = turnpage.now_ms() if live else measured["end"]
    frames = list(events_of(row, item))
    shown = [
        {**show.frame(frame), "time": _time(frame, measured)} for frame in sorted(frames, key=_seq)[:EVENTS]
    ]
    mine = [one for one in found if one["call"] == number]
    return {
        "channel": {"slug": row.thread.channel.slug},
        "thread": show.thread(row.thread),
        "turn": show.turn(row),
        "run": next((run for run in runs if run["number"] == item["run"]), None),
        "call": {**item, "took": turnpage.took(item, measured, now)},
        "means": words.STATES[item["look"]].means,
        "limit": words.short(item["limit_ms"]) if item["limit_ms"] else "none",
        "args": arguments(frames, item, measured),
        "answers": [answer(frames, one, item) for one in item["answers"]],
        "findings": show.grouped(mine),
        "events": shown,
        "more_events": len(frames) > EVENTS,
        "drawn": drawn(item, measured, now, live=live),
        "prev": _beside(numbers, number, -1),
        "next": _beside(numbers, number, 1),
        "live": live,
    }


def turn_of(turn: int, number: int) -> int:
    """The id of the turn of this conversation that has the call; 0: none has. Raises Http404."""
    row = turn_row(turn)
    number_of = (
        Call.objects.filter(thread_id=row.thread_id, number=number).values_list("turn", flat=True).first()
    )
    own = Turn.objects.filter(thread_id=row.thread_id, number=number_of or 0).values_list("pk", flat=True)
    return own.first() or 0


def _seq(frame: Frame) -> int:
    return frame.seq


def _beside(numbers: list[int], number: int, step: int) -> int:
    at = numbers.index(number) + step
    return numbers[at] if 0 <= at < len(numbers) else 0


def _time(frame: Frame, measured: Dict) -> int | None:
    return frame.at - measured["start"] if frame.at and measured["unit"] == "ms" else None


# ---------------------------------------------------------------- its frames


def events_of(turn: Turn, item: Dict) -> Iterator[Frame]:
    """The frames that announce, feed, end or answer the call; those of its answers last."""
    seqs = [one["seq"] for one in item["answers"]]
    first = item["start_seq"] or min(seqs, default=turn.first_seq)
    last = max([turn.last_seq, item["closed_seq"], *seqs])
    wanted = _id(turn, item)
    seen: set[int] = set()
    current: Any = None
    for looked, frame in enumerate(log.read(turn.thread_id, first - 1, last, TOOLS)):
        if looked >= LOOKED or len(seen) > EVENTS:
            break
        value = framing.decode(frame.raw).value
        told = told_id(value)
        if frame.kind == CHUNK:
            current = told if told is not None else current
            told = current
        if told == wanted and wanted is not None:
            seen.add(frame.seq)
            yield frame
            if frame.kind == START and len(seen) > 1 and frame.seq != item["start_seq"]:
                return  # the id came again: what follows is another call's
    for seq in seqs:
        if seq not in seen:
            seen.add(seq)
            yield from log.read(turn.thread_id, seq - 1, seq)


def _id(turn: Turn, item: Dict) -> Any:
    """The id as its first frame has it: a column may hold a cut or escaped one."""
    if item["start_seq"]:
        frame = next(log.read(turn.thread_id, item["start_seq"] - 1, item["start_seq"]), None)
        told = told_id(framing.decode(frame.raw).value) if frame is not None else None
        if told is not None:
            return told
    return item["call_id"]


def told_id(value: Any) -> Any:
    """The call's id in an event; None where it names none."""
    if not isinstance(value, dict):
        return None
    told = value.get("toolCallId", value.get("tool_call_id"))
    return told if isinstance(told, str) else None


# ---------------------------------------------------------------- what it was given, what it gave


def arguments(frames: list[Frame], item: Dict, measured: Dict) -> Dict:
    """The argument text in the pieces it came in, and the same laid out when it is JSON."""
    pieces: list[Dict] = []
    length = 0
    for frame in frames:
        if frame.kind not in (ARGS, CHUNK) or length > TEXT:
            continue
        value = framing.decode(frame.raw).value
        delta = value.get("delta") if isinstance(value, dict) else None
        if not isinstance(delta, str) or not delta:
            continue
        length += len(delta)
        if len(pieces) < PIECES:
            pieces.append({"seq": frame.seq, "time": _time(frame, measured), "text": delta})
        else:
            pieces[-1]["text"] += delta
    text = "".join(piece["text"] for piece in pieces) or item["args"]
    return {
        "text": text[:TEXT],
        "pieces": pieces if len(pieces) > 1 and length <= TEXT else [],
        "pretty": log.laid_out(text) if len(text) <= TEXT else "",
        "cut": len(text) > TEXT,
        "verdict": item["args_verdict"],
        "length": item["args_length"],
    }


def answer(frames: list[Frame], one: Dict, item: Dict) -> Dict:
    """One answer with its text whole, from the frame that brought it."""
    frame = next((frame for frame in frames if frame.seq == one["seq"]), None)
    text = content_of(framing.decode(frame.raw).value, item["call_id"]) if frame is not None else None
    if text is None:
        text = one["excerpt"]
    return {**one, "text": text[:TEXT], "cut": len(text) > TEXT, "pretty": log.laid_out(text[:TEXT])}


def content_of(value: Any, call: str) -> str | None:
    """The result's text in an event: its own content, or that of a message in a history."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("content"), str):
        return str(value["content"])
    given = value.get("input")
    messages = (given if isinstance(given, dict) else value).get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and told_id(message) == call and isinstance(message.get("content"), str):
            return str(message["content"])
    return None


def drawn(item: Dict, measured: Dict, now: int, *, live: bool) -> Dict:
    """The call's own lane of the waterfall."""
    scale = waterfall.axis(measured["start"], max(measured["end"], now), measured["unit"], live=live)
    return {"ticks": scale["ticks"], "bars": waterfall.bars(item, scale, now)}
