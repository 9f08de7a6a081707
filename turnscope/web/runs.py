"""One run as the journal kept it: its frames, and what the repair of the stream makes of them.

What arrived is never re-serialised where its own bytes can go out. Counterparts: `core/repair/stream.py`,
which knows no rows; `mended.py`, for the history; `api.py` and `replays.py`, which send what is made here.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from django.http import Http404

from turnscope.core import framing
from turnscope.core.events import Event, Frame, Opened
from turnscope.core.kinds import KINDS, MARK
from turnscope.core.picture import Intake
from turnscope.core.redact import Redactor
from turnscope.core.repair.stream import repair_stream
from turnscope.store import history, marks, reading
from turnscope.store.models import Run, Turn

SILENT = (KINDS["INPUT"], KINDS["BLANK"])
"""Kinds that are no event of the run's stream: an input seen on its own, framing alone."""
BLOCK = re.compile(rb"(?:\xef\xbb\xbf)?(?::|(?:data|event|id|retry)[:\r\n])")


def row(pk: int) -> Run:
    """The run. Raises Http404."""
    found = Run.objects.select_related("thread__channel").filter(pk=pk).first()
    if found is None:
        raise Http404(f"There is no run {pk} here.")
    return found


def of_turn(pk: int) -> list[Run]:
    """The runs of a turn, in order. Raises Http404."""
    turn = Turn.objects.filter(pk=pk).first()
    if turn is None:
        raise Http404(f"There is no turn {pk} here.")
    rows = Run.objects.select_related("thread__channel").order_by("number")
    return list(rows.filter(thread_id=turn.thread_id, turn=turn.number))


# ---------------------------------------------------------------- as it came


def frames(run: Run, first: int = 0, last: int = 0) -> Iterator[Frame]:
    """The frames that its stream brought while it ran, marks left out; within seqs first..last if given."""
    begin, end = max(run.start_seq, first), max(run.end_seq, run.last_seq)
    for frame in reading.read(run.thread_id, begin - 1, min(end, last) if last else end):
        if frame.stream == run.stream and frame.kind < MARK and frame.kind not in SILENT:
            yield frame


def originals(run: Run) -> Iterator[bytes]:
    """Its events, each as JSON on one line, byte for byte where the frame holds nothing else."""
    return (b" ".join(payload(frame.raw).splitlines()) for frame in frames(run))


def payload(raw: bytes) -> bytes:
    """The event in a frame, out of its framing and envelope. What cannot be read stays as it is."""
    decoded = framing.decode(raw)
    stripped = raw.strip()
    whole = stripped[:1] == b"{" and stripped[-1:] == b"}"  # not an array's element with its comma
    if decoded.reason or (decoded.envelope is None and whole):
        return stripped
    return dumps(decoded.value)


def sse(frame: Frame) -> bytes:
    """The frame as an SSE block: the block that came, or its JSON behind `data:`."""
    stripped = frame.raw.strip()
    if BLOCK.match(stripped) and framing.decode(frame.raw).envelope is None:
        return stripped + b"\n\n"
    return block(payload(frame.raw))


def block(data: bytes) -> bytes:
    """An SSE block of these bytes."""
    return b"".join(b"data: " + line + b"\n" for line in data.splitlines() or [b""]) + b"\n"


def dumps(value: Any) -> bytes:
    """Compact JSON of any decoded value: orjson refuses lone surrogates, big integers and NaN."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")


# ---------------------------------------------------------------- repaired


def redacted(thread: int, last: int) -> Iterator[Event]:
    """The events of a thread up to a seq, of frames without their values (`core/redact.py`)."""
    readers, redactors = history.Readers(), defaultdict[int, Redactor](Redactor)
    for frame in reading.read(thread, 0, last):
        if frame.n:
            frame.raw = redactors[frame.stream].frame(frame.raw)
        for event in readers.read(frame):
            event.seq, event.at, event.stream = frame.seq, frame.at, frame.stream
            yield event


def events(
    thread: int, last: int, only: frozenset[int] | None = None
) -> Iterator[tuple[Frame, Any, list[Event]]]:
    """(frame, its value, its events) of a thread up to a seq, read again as they were read on arrival.

    `only` some kinds of frames, which should stand for themselves.
    """
    readers: dict[int, Intake] = {}
    for frame in reading.read(thread, 0, last, only):
        if frame.kind >= MARK and not frame.n:
            found = [marks.read(frame.kind, frame.raw)]
            value = None
            opened = found[0]
            if isinstance(opened, Opened):
                readers.setdefault(frame.stream, Intake(opened.dialect, recording=opened.recording))
        else:
            reader = readers.setdefault(frame.stream, Intake("ag_ui"))
            placed = reader.place(frame.raw)
            value, found = placed.decoded.value, reader.read(placed, 0)
        for event in found:
            event.seq, event.at, event.stream = frame.seq, frame.at, frame.stream
        yield frame, value, found


def repaired(run: Run) -> Iterator[tuple[int, bytes]]:
    """Its events as a strict client accepts them: when (ms, 0 unknown), and JSON on one line."""
    for _, at, data in repaired_all([run]):
        yield at, data


def repaired_all(some: Sequence[Run]) -> Iterator[tuple[Run, int, bytes]]:
    """The same of several runs of one thread, in order; the thread is read once."""
    if not some:
        return
    read = list(events(some[0].thread_id, max(max(run.end_seq, run.last_seq) for run in some)))
    for run in some:
        context: list[Event] = []
        own: list[tuple[Any, list[Event]]] = []
        for frame, value, found in read:
            mark = frame.kind >= MARK
            if frame.seq < run.start_seq:
                context += found
            elif frame.seq > max(run.end_seq, run.last_seq):
                break
            elif mark or (frame.stream == run.stream and frame.kind not in SILENT):
                own.append((None if mark else value, found))
        for event in repair_stream(own, run.thread.settings, context=context).events:
            at = event.get("timestamp")
            yield run, at if isinstance(at, int) else 0, dumps(event)
