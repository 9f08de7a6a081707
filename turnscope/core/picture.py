"""The picture and its findings, kept in step; and a whole file read without a database.

`Picture` is one thread's; the journal feeds it frame by frame, `read_file` feeds one per thread of a
file in the very same way, marks included, so that a page and `turnscope findings FILE` always agree.
`Intake` is one stream's reader: it says which thread a frame belongs to and makes its events.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from . import dialects, framing
from .bursts import Burst, fold_burst, read_burst
from .events import DELTAS, Closed, Event, Frame, Gap, Json, Opened, SettingsInForce, Unread
from .fold import apply, lost
from .kinds import KINDS
from .numbering import Numbering
from .rules.finding import Finding
from .rules.judge import Judge
from .thread import RUN_OPEN, Call, Ref, Run, Thread, Turn

BLANK = KINDS["BLANK"]
UNREADABLE = KINDS["UNREADABLE"]
LATEST = 2**53
"""A time from here on is none: no column and no browser could hold it."""
TELL_EVERY = 5000
"""How many chunks of a file are read between two words on the progress."""
GUESS_FROM = 20
"""How many frames a dialect is guessed from."""


@dataclass(slots=True)
class Changes:
    """What changed since the last time it was asked."""

    turns: list[Turn]
    runs: list[Run]
    calls: list[Call]
    findings: list[Finding]


class Picture:
    """One thread and its findings."""

    def __init__(self, thread: Thread | None = None) -> None:
        self.thread = thread if thread is not None else Thread()
        self.judge = Judge(self.thread)
        self._touched: set[Ref] = set()
        self._last: tuple[Ref, ...] = ()
        """What the last event touched: a message's deltas touch the same entities again and again."""

    def add(self, seq: int, at: int, stream: int, events: Iterable[Event]) -> None:
        """Stamp, fold and judge the events of one frame (or one mark)."""
        thread, judge, touched = self.thread, self.judge, self._touched
        for event in events:
            event.seq, event.at, event.stream = seq, at, stream
            refs = apply(thread, event)
            if refs is not self._last:
                touched.update(refs)
                self._last = refs
            if type(event) not in DELTAS or thread.unusual:
                thread.unusual = False
                judge.judge(event, refs)
        thread.last_seq = seq

    def add_burst(self, seq: int, ats: Sequence[int], stream: int, burst: Burst) -> None:
        """`add` for the frames of a burst, the first at `seq`."""
        refs = fold_burst(self.thread, burst, seq, ats, stream)
        if refs is None:
            for place in range(len(burst)):
                self.add(seq + place, ats[place], stream, (burst.event_at(place),))
        elif refs is not self._last:
            self._touched.update(refs)
            self._last = refs

    def drain(self) -> Changes:
        """The entities that changed since the last call, each once, oldest first."""
        self._touched.update(("turn", number) for number in self.judge.turns())
        thread, touched = self.thread, sorted(self._touched)
        self._touched.clear()
        self._last = ()
        return Changes(
            [thread.turns[n - 1] for kind, n in touched if kind == "turn"],
            [thread.runs[n - 1] for kind, n in touched if kind == "run"],
            [thread.calls[n - 1] for kind, n in touched if kind == "call"],
            self.judge.changed(),
        )

    @property
    def findings(self) -> list[Finding]:
        """Those that stand."""
        return [finding for finding in self.judge.findings.values() if not finding.closed_seq]

    def live(self) -> bool:
        """Whether time alone can still change a verdict: live, a run is open or somebody is due."""
        thread = self.thread
        return (
            any(
                view.run and not view.recording and thread.runs[view.run - 1].state == RUN_OPEN
                for view in thread.streams.values()
            )
            or self.judge.waits()
        )

    def due(self, now: int) -> bool:
        """Whether a tick at `now` (ms) would find something overdue that no verdict says yet."""
        thread = self.thread
        for view in thread.streams.values():
            run = thread.runs[view.run - 1] if view.run else None
            if run is not None and run.state == RUN_OPEN and not view.recording and lost(thread, run, now):
                return True
        return self.judge.due(now)


# ---------------------------------------------------------------- one stream


@dataclass(slots=True)
class Placed:
    """A frame, decoded, and where it belongs."""

    decoded: framing.Decoded
    thread: str | None
    """The thread it names, or the stream's current one; None while the stream has named none."""
    kind: int
    n: int | None
    """The producer's own number, from an envelope."""
    sent_at: int | None
    """The producer's time from an envelope, ms."""


class Intake:
    """One stream's reader: frames to threads and events. Its state is a function of the frames."""

    def __init__(self, dialect: str, *, recording: bool = False, thread: str | None = None) -> None:
        self.dialect: ModuleType = dialects.by_name(dialect)
        self.recording = recording
        self.thread = thread
        self._readers: dict[Any, Any] = {}
        self._last_at: dict[Any, int] = {}

    def place(self, raw: bytes) -> Placed:
        decoded = framing.decode(raw)
        if decoded.blank:
            return Placed(decoded, self.thread, BLANK, None, None)
        if decoded.reason:
            return Placed(decoded, self.thread, UNREADABLE, None, None)
        envelope = decoded.envelope
        named = self.dialect.thread_of(decoded.value, envelope, nameless=self.thread is None)
        if envelope is None:
            if named is not None:
                self.thread = named
            return Placed(decoded, self.thread, self.dialect.kind(decoded.value), None, None)
        if named is not None and envelope.thread is None:
            self.thread = named
        thread = named if named is not None else self.thread
        return Placed(decoded, thread, self.dialect.kind(decoded.value), envelope.n, envelope.at)

    def read(self, placed: Placed, key: Any) -> list[Event]:
        """The frame's events. `key` is whatever identifies the thread it was placed in."""
        decoded = placed.decoded
        if decoded.blank:
            return []
        if decoded.reason:
            return [Unread(decoded.reason)]
        reader = self._readers.get(key)
        if reader is None:
            reader = self._readers[key] = dialects.reader(self.dialect)
        events: list[Event] = reader.read(decoded)
        return events

    def burst(self, raws: Sequence[bytes], start: int, due: int, key: Any) -> Burst | None:
        """The plain deltas that begin at `start` and belong to the stream's current thread; else None.

        The short way for nine frames in ten. What it declines goes the long way: `place`, then `read`.
        `due` is the producer's next number, if it numbers its frames.
        """
        reader = self._readers.get(key)
        if not hasattr(reader, "delta"):
            return None
        return read_burst(reader, raws, start, due, recording=self.recording)

    def clock(self, events: list[Event], placed: Placed, key: Any, arrival: int) -> int:
        """When it happened: arrival for a live stream, a recording's own time (0 while it has given none)."""
        if not self.recording:
            return arrival
        stamp = next((event.stamp for event in events if event.stamp is not None), placed.sent_at)
        return self.stamped(stamp, key)

    def stamped_all(self, stamps: list[int | None], key: Any) -> list[int]:
        """`stamped` for frames that follow one another."""
        known = [stamp for stamp in stamps if stamp is not None]
        if len(known) == len(stamps) and min(known) >= 0 and max(known) < LATEST:
            self._last_at[key] = known[-1]
            return known
        return [self.stamped(stamp, key) for stamp in stamps]

    def stamped(self, stamp: int | None, key: Any) -> int:
        """The time of a recording's frame with this stamp; the last usable one where this is not."""
        if stamp is None or not 0 <= stamp < LATEST:
            return self._last_at.get(key, 0)
        self._last_at[key] = stamp
        return stamp


# ---------------------------------------------------------------- a whole file


@dataclass(slots=True)
class ReadThread:
    """One thread of a file."""

    name: str | None
    picture: Picture
    frames: list[Frame] = field(default_factory=list)
    """Marks included, each with its events."""
    lines: array[int] = field(default_factory=lambda: array("L"))
    """Of the file, by seq - 1; 0 for a mark. Lines count from 1."""
    last_seq: int = 0

    @property
    def events(self) -> Iterator[Event]:
        return (event for frame in self.frames for event in frame.events)


@dataclass(slots=True)
class Reading:
    """What a file says."""

    dialect: str
    confidence: float
    frames: int
    rejected: list[tuple[int, str]]
    """(line, reason) of what could not be read; lines count from 1."""
    threads: list[ReadThread]

    @property
    def findings(self) -> list[Finding]:
        return [finding for thread in self.threads for finding in thread.picture.findings]


def guess(chunks: list[bytes]) -> tuple[str, float]:
    """(dialect, confidence) of a stream from its first frames."""
    values: list[Json] = []
    for raw in chunks[: GUESS_FROM * 2]:
        decoded = framing.decode(raw)
        if not decoded.blank and not decoded.reason:
            values.append(decoded.value)
        if len(values) >= GUESS_FROM:
            break
    name, confidence = dialects.guess(values)
    return str(name), float(confidence)


def read_file(
    data: bytes,
    *,
    settings: dict[str, Any] | None = None,
    dialect: str = "auto",
    name: str = "",
    keep_frames: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Reading:
    """Read a recording whole. Never raises for what is in it. `progress` hears (chunks read, of how many)."""
    chunks = framing.split(data)
    guessed, confidence = guess(chunks) if dialect == "auto" else (dialect, 1.0)
    reading = Reading(guessed, confidence, 0, [], [])
    file = _File(chunks, reading, settings, name, keep_frames=keep_frames)
    at = told = 0
    while at < len(chunks):
        if progress is not None and at >= told + TELL_EVERY:
            told = at
            progress(at, len(chunks))
        thread, straight = file.one(at)
        at += 1
        while straight and (count := file.burst(thread, at)):
            at += count
    for thread in reading.threads:
        _mark(thread, Closed("end"), keep_frames=keep_frames)
    return reading


class _File:
    """A file on its way into pictures: where it stands, and the threads it has named."""

    def __init__(
        self,
        chunks: list[bytes],
        reading: Reading,
        settings: dict[str, Any] | None,
        name: str,
        *,
        keep_frames: bool,
    ) -> None:
        self.chunks, self.reading, self.keep_frames = chunks, reading, keep_frames
        self.name, self.settings = name, settings
        self.intake = Intake(reading.dialect, recording=True)
        self.numbering = Numbering()
        self.line = 1
        self.by_name: dict[str | None, ReadThread] = {}

    def one(self, at: int) -> tuple[ReadThread, bool]:
        """The chunk at `at`, the long way: its thread, and whether plain deltas behind it go there too."""
        raw, intake, reading = self.chunks[at], self.intake, self.reading
        placed = intake.place(raw)
        thread = self.by_name.get(placed.thread) or self._thread(placed.thread)
        if gap := self.numbering.take(placed.n):
            _mark(thread, gap, keep_frames=self.keep_frames)
        events = intake.read(placed, id(thread))
        when = intake.clock(events, placed, id(thread), 0)
        thread.last_seq += 1
        thread.lines.append(self.line)
        thread.picture.add(thread.last_seq, when, 1, events)
        if self.keep_frames:
            thread.frames.append(Frame(thread.last_seq, when, 1, at + 1, placed.kind, raw, events))
        if placed.kind != BLANK:
            reading.frames += 1
        if placed.decoded.reason:
            reading.rejected.append((self.line, placed.decoded.reason))
        self.line += raw.count(b"\n")
        return thread, placed.thread == intake.thread and not self.keep_frames

    def burst(self, thread: ReadThread, at: int) -> int:
        """The plain deltas that stand at `at`, at once; how many they were."""
        burst = self.intake.burst(self.chunks, at, 0, id(thread)) if at < len(self.chunks) else None
        if burst is None:
            return 0
        count, line = len(burst), self.line
        for raw in self.chunks[at : at + count]:
            thread.lines.append(line)
            line += raw.count(b"\n")
        self.line = line
        ats = self.intake.stamped_all(burst.stamps, id(thread))
        thread.picture.add_burst(thread.last_seq + 1, ats, 1, burst)
        thread.last_seq += count
        self.reading.frames += count
        self.numbering.count(count)
        return count

    def _thread(self, name: str | None) -> ReadThread:
        """The thread of this name, opened: the nameless one takes the first name that comes."""
        nameless = self.by_name.get(None)
        if name is not None and nameless is not None and nameless.name is None:
            nameless.name = name
            self.by_name[name] = nameless
            return nameless
        thread = self.by_name[name] = ReadThread(name, Picture())
        self.reading.threads.append(thread)
        opened = Opened(self.reading.dialect, recording=True, name=self.name)
        _mark(thread, opened, keep_frames=self.keep_frames)
        if self.settings:
            _mark(thread, SettingsInForce(self.settings), keep_frames=self.keep_frames)
        return thread


def _mark(thread: ReadThread, mark: Event, *, keep_frames: bool) -> None:
    thread.last_seq += 1
    thread.lines.append(0)
    at = thread.picture.thread.now
    thread.picture.add(thread.last_seq, at, 1, [mark])
    if keep_frames:
        kind = {Opened: "OPENED", SettingsInForce: "SETTINGS", Closed: "CLOSED", Gap: "GAP"}[type(mark)]
        thread.frames.append(Frame(thread.last_seq, at, 1, 0, KINDS[kind], b"", [mark]))
