"""Stored frames with their events again: each read as it was on arrival.

A thread's frames are enough: the marks among them say which stream is read by which dialect. Used by the
writer's desk, and by whoever wants the events themselves (repair, transcripts, replay).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from turnscope.core.events import Event, Frame, Opened, Unread
from turnscope.core.kinds import MARK
from turnscope.core.picture import Intake, Picture, Placed

from . import marks, reading
from .segments import Damaged

log = logging.getLogger("turnscope.store")


class Readers(dict[int, Intake]):
    """Stream -> what reads its frames in one thread."""

    def open(self, stream: int, opened: Opened) -> None:
        """A stream that comes back goes on with its reader; one whose dialect is told late gets a new one."""
        reader = self.get(stream)
        if reader is None or reader.dialect.NAME != opened.dialect:
            try:
                self[stream] = Intake(opened.dialect, recording=opened.recording)
            except KeyError as error:
                raise Damaged(f"this version does not read {opened.dialect!r}") from error

    def read(self, frame: Frame) -> list[Event]:
        """The events of a stored frame or mark, not stamped yet. Frames must come in order, each once."""
        if frame.kind >= MARK and not frame.n:
            mark = marks.read(frame.kind, frame.raw)
            if isinstance(mark, Opened):
                self.open(frame.stream, mark)
            return [mark]
        reader = self.get(frame.stream)
        if reader is None:
            raise Damaged(f"nothing says how the stream of frame {frame.seq} is read")
        placed = reader.place(frame.raw)
        events = read(reader, placed)
        reader.clock(events, placed, 0, frame.at)
        return events


def read(reader: Intake, placed: Placed) -> list[Event]:
    """The frame's events. A mistake of ours in reading it becomes a finding, and stops nothing."""
    try:
        return reader.read(placed, 0)
    except Exception as error:
        log.exception("a frame could not be read")
        return [Unread(f"our reader failed: {type(error).__name__}")]


def add(picture: Picture, seq: int, at: int, stream: int, events: Sequence[Event]) -> None:
    """Fold and judge. A mistake of ours costs the events of this frame, the same whenever it is reread."""
    try:
        picture.add(seq, at, stream, events)
    except Exception as error:
        log.exception("frame %s could not be folded", seq)
        picture.add(seq, at, stream, [Unread(f"our fold failed: {type(error).__name__}")])


def frames(thread_id: int, until: int | None = None) -> Iterator[Frame]:
    """Every frame and mark of a thread up to a seq, each with its stamped events. Raises Damaged."""
    readers = Readers()
    for frame in reading.read(thread_id, 0, until):
        frame.events = readers.read(frame)
        for event in frame.events:
            event.seq, event.at, event.stream = frame.seq, frame.at, frame.stream
        yield frame
