"""A batch on its way: frames into threads, numbered, read and folded. Nothing is written here.

Where a frame belongs is decided once and for ever. A stream that has named no thread is its own thread; the
first name renames that thread, unless a thread of the name exists: then earlier frames stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from turnscope.core.dialects import FALLBACK
from turnscope.core.events import Closed, Event, Opened, SettingsInForce
from turnscope.core.picture import Intake, guess

from . import history
from .desk import Desk, OpenStream, OpenThread
from .text import digest, shown

AUTO = "auto"
"""The dialect of a stream that has not told it; it is read as the likeliest one meanwhile."""


@dataclass(slots=True)
class Incoming:
    """One frame as it came off the wire."""

    raw: bytes
    at: int
    """Arrival, ms since 1970."""
    n: int | None = None
    """The producer's number, where it stands beside the frame instead of in it."""


class Told(Protocol):
    """The part of a receipt that placing fills in."""

    ack: int
    seq: int
    frames: int
    events: int
    rejected: list[tuple[int, str]]
    dialect: str
    confidence: float


@dataclass(slots=True)
class Batch:
    """What one transaction will write."""

    desk: Desk
    settings_of: Callable[[int], dict[str, Any]]
    """Channel id -> the settings that judge its threads now."""
    threads: list[OpenThread] = field(default_factory=list)
    streams: list[OpenStream] = field(default_factory=list)

    grown: dict[int, dict[str, OpenThread]] = field(default_factory=dict)
    """Stream -> the threads its frames went to, by key."""
    taken: set[OpenThread] = field(default_factory=set)
    """`threads` again, to ask: a batch may have thousands."""

    # ------------------------------------------------------------ frames

    def append(self, stream: OpenStream, frames: Sequence[Incoming], told: Told) -> None:
        """Place, read and fold these frames; what became of them is told."""
        if stream not in self.streams:
            self.streams.append(stream)
        intake, before, at = self._intake(stream, frames), stream.frames, 0
        raws = [frame.raw for frame in frames]
        bare = {frame.n for frame in frames} <= {None}
        thread: OpenThread | None = None
        while at < len(frames):
            thread, straight = self._place(stream, intake, frames[at], thread, told)
            at += 1
            while (
                bare
                and straight
                and thread is not None
                and (count := self._burst(stream, thread, frames, raws, at))
            ):
                at += count
        told.events += stream.frames - before
        told.frames += stream.frames - before
        told.ack, told.dialect, told.confidence = (
            stream.numbering.last,
            intake.dialect.NAME,
            stream.confidence,
        )
        if thread is not None:
            told.seq = thread.last_seq

    def _burst(
        self,
        stream: OpenStream,
        thread: OpenThread,
        frames: Sequence[Incoming],
        raws: list[bytes],
        start: int,
    ) -> int:
        """Take in the plain deltas of one text or call that stand at `start`. How many they were."""
        if start >= len(raws):
            return 0
        reader, numbering = thread.readers[stream.id], stream.numbering
        burst = reader.burst(raws, start, numbering.due, 0)
        if burst is None:
            return 0
        count = len(burst)
        if stream.recording:
            ats = reader.stamped_all(burst.stamps, 0)
        else:
            ats = [frame.at for frame in frames[start : start + count]]
        thread.picture.add_burst(thread.last_seq + 1, ats, stream.id, burst)
        thread.fresh.add_run(
            bytes((burst.kind,)) * count, ats, stream.id, stream.frames + 1, raws[start : start + count]
        )
        stream.frames += count
        numbering.count(count, numbered=burst.numbered)
        return count

    def _place(
        self, stream: OpenStream, intake: Intake, frame: Incoming, thread: OpenThread | None, told: Told
    ) -> tuple[OpenThread | None, bool]:
        """One frame by the long way. The thread it went to (the one before, where it was sent before), and
        whether the stream's plain deltas go there as well."""
        named = intake.thread
        placed = intake.place(frame.raw)
        n = frame.n if frame.n is not None else placed.n
        if n is not None and not stream.recording and stream.numbering.seen(n):
            intake.thread = named
            return thread, False
        gap = stream.numbering.take(n)
        thread = self._arrive(stream, intake, placed.thread, frame.at, thread)
        if gap is not None:
            thread.mark(gap, thread.picture.thread.now if stream.recording else frame.at, stream.id)
        reader = thread.readers[stream.id]
        events = history.read(reader, placed)
        at = reader.clock(events, placed, 0, frame.at)
        stream.frames += 1
        thread.fresh.add(placed.kind, at, stream.id, stream.frames, frame.raw)
        history.add(thread.picture, thread.last_seq, at, stream.id, events)
        told.events += len(events) - 1
        if placed.decoded.reason:
            told.rejected.append((stream.frames, placed.decoded.reason))
        return thread, placed.thread == intake.thread

    def _intake(self, stream: OpenStream, frames: Sequence[Incoming]) -> Intake:
        """The stream's reader; its dialect is guessed from the first frames that tell anything."""
        dialect, before = stream.dialect, stream.intake
        if dialect == AUTO:
            dialect, stream.confidence = guess([frame.raw for frame in frames])
            if stream.confidence > FALLBACK:
                stream.dialect = dialect
        if before is not None and before.dialect.NAME == dialect:
            return before
        stream.intake = Intake(dialect, recording=stream.recording, thread=before.thread if before else None)
        return stream.intake

    def _arrive(
        self, stream: OpenStream, intake: Intake, name: str | None, at: int, last: OpenThread | None
    ) -> OpenThread:
        """The thread that a frame of this stream naming `name` goes to, opened to the stream."""
        key = stream.thread_key(name)
        known = last if last is not None and last.key == key else None
        thread = known or (self._home(stream) if name is None else self._named(stream, name))
        if not stream.home or (name is not None and name == intake.thread):
            stream.home = thread.key
        if known is not None:
            return known
        self.take(thread)
        self.grown.setdefault(stream.id, {})[thread.key] = thread
        if stream.recording:
            at = thread.picture.thread.now
        if not thread.opened_by(stream.id, intake.dialect.NAME):
            thread.mark(Opened(intake.dialect.NAME, stream.recording, stream.name), at, stream.id)
        self.settle_settings(thread, at, stream.id)
        return thread

    def _home(self, stream: OpenStream) -> OpenThread:
        key = stream.home or stream.own_key
        return self.desk.thread(stream.channel, key) or OpenThread(stream.channel, key)

    def _named(self, stream: OpenStream, name: str) -> OpenThread:
        key = stream.thread_key(name)
        found = self.desk.thread(stream.channel, key)
        if found is not None:
            return found
        if stream.home == stream.own_key:
            nameless = self._home(stream)
            self.desk.rename(nameless, key, name)
            stream.home = key
            return nameless
        return OpenThread(stream.channel, key, shown(name), digest(name))

    # ------------------------------------------------------------ marks

    def take(self, thread: OpenThread) -> None:
        """The transaction writes this thread."""
        if thread not in self.taken:
            self.taken.add(thread)
            self.threads.append(thread)
            self.desk.put(thread)

    def mark(self, thread: OpenThread, mark: Event, at: int, stream: int) -> None:
        self.take(thread)
        thread.mark(mark, at, stream)

    def settle_settings(self, thread: OpenThread, at: int, stream: int = 0) -> None:
        """If the channel's settings are not those the thread is judged by, they are from here on."""
        settings = self.settings_of(thread.channel)
        if settings != thread.picture.thread.settings:
            self.mark(thread, SettingsInForce(settings), at, stream)

    def close(self, stream: OpenStream, thread: OpenThread, why: str, now: int) -> None:
        """The stream is over for this thread, if it was open in it."""
        if thread.view_open(stream.id):
            at = thread.picture.thread.now if stream.recording else now
            self.mark(thread, Closed(why), at, stream.id)
