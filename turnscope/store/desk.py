"""The writer's desk: the threads and streams it has at hand, and how they come there.

A picture is a function of its thread's frames, so the desk may forget a thread at any time and read it
again: it is bounded, least recently used goes, and whatever a failed transaction left behind is dropped.
Only the holder of the journal's lock touches it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnscope.core.events import Event, Opened
from turnscope.core.fold import FOLD_VERSION
from turnscope.core.numbering import Numbering
from turnscope.core.picture import Intake, Picture

from . import marks
from .books import Books
from .history import Readers, add
from .models import Stream, Thread
from .reading import segments_between
from .segments import Sheet
from .text import digest, shown

ROOM = 64 * 1024 * 1024
"""How many bytes of pictures the desk holds, by estimate."""
STREAMS = 4096
"""How many streams it remembers; one that is forgotten is read from its row."""
LEAVE = 8
"""How many of the least recently used threads are looked at, to make room for one that is read."""
_BASE, _PER_CALL, _PER_RUN, _PER_MESSAGE = 6_000, 1_800, 2_400, 400


@dataclass(slots=True, eq=False)
class OpenThread:
    """A thread being written: its picture, its readers, and what is not written yet."""

    channel: int
    key: str
    name: str = ""
    name_key: str = ""
    """The producer's thread id as it is shown, and its digest; "" while nobody has named it."""
    id: int = 0
    """0: its row is made with its first frames."""
    base: int = 0
    """The last seq in the database, as far as this process knows."""
    picture: Picture = field(default_factory=Picture)
    readers: Readers = field(default_factory=Readers)
    books: Books = field(default_factory=Books)
    tail: Sheet = field(default_factory=lambda: Sheet(1))
    """Written frames in segments that are not full yet."""
    fresh: Sheet = field(default_factory=lambda: Sheet(1))
    """Frames that are not written yet."""
    feeds: set[int] = field(default_factory=set)
    """Streams whose first frame here is among the fresh ones."""
    rebuilt: bool = False
    """Its rows are an older fold's: all of them are written with the next frames."""

    @property
    def last_seq(self) -> int:
        return self.fresh.last_seq

    def view_open(self, stream: int) -> bool:
        """Whether the thread knows this stream and it is not closed."""
        view = self.picture.thread.streams.get(stream)
        return view is not None and not view.closed

    def opened_by(self, stream: int, dialect: str) -> bool:
        """Whether this stream is open here and read as this dialect."""
        reader = self.readers.get(stream)
        return self.view_open(stream) and reader is not None and reader.dialect.NAME == dialect

    def mark(self, mark: Event, at: int, stream: int) -> None:
        """Append one of the journal's own lines."""
        self.fresh.add(marks.KIND_OF[type(mark)], at, stream, 0, marks.spell(mark))
        self.picture.add(self.fresh.last_seq, at, stream, [mark])
        if isinstance(mark, Opened):
            self.readers.open(stream, mark)
            self.feeds.add(stream)

    def catch_up(self) -> None:
        """Take in what is stored beyond what the picture has. Raises Damaged."""
        for sheet in segments_between(self.id, self.base):
            for index in range(max(0, self.base + 1 - sheet.first_seq), len(sheet)):
                frame = sheet.frame(index)
                add(self.picture, frame.seq, frame.at, frame.stream, self.readers.read(frame))
            if sheet.full:
                self.tail = Sheet(sheet.last_seq + 1)
            elif len(self.tail) and self.tail.last_seq + 1 == sheet.first_seq:
                self.tail.extend(sheet)
            else:
                self.tail = sheet
            self.base = sheet.last_seq
        self.fresh = Sheet(self.base + 1)
        if not len(self.tail):
            self.tail = Sheet(self.base + 1)

    @property
    def weight(self) -> int:
        """Bytes of memory, estimated: the picture holds no payload but a state, so counts tell."""
        thread = self.picture.thread
        messages = len(thread.messages) + len(thread.known) + len(thread.users)
        return (
            _BASE + _PER_CALL * len(thread.calls) + _PER_RUN * (len(thread.runs) + len(thread.turns))
            + _PER_MESSAGE * messages + 4 * thread.documents.total
            + 1_000 * len(self.picture.judge.findings) + self.tail.size
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class OpenStream:
    """A stream being written: its lease, its numbers, where its frames go."""

    id: int
    channel: int
    key: str
    name: str
    dialect: str
    """`auto` until its first frames have told."""
    recording: bool
    lease: str
    numbering: Numbering
    frames: int
    """Stored frames, and those that are about to be."""
    base: int
    """How many of them the database has."""
    home: str = ""
    """Key of the thread that its frames go to when they name none; "" while there is none."""
    confidence: float = 1.0
    intake: Intake | None = None
    closed: bool = False
    _named: tuple[str, str] = ("", "")
    """The last name whose key was asked for, and that key."""

    @classmethod
    def of(cls, row: Stream, home: str) -> OpenStream:
        """The stream as its row tells; `home` is the key of its thread."""
        stream = cls(
            row.pk, row.channel_id, row.key, row.name, row.dialect, row.recording, row.lease,
            Numbering(row.last_n, row.numbered), row.frames, row.frames, home, closed=bool(row.closed_at),
        )  # fmt: skip
        return stream

    @property
    def own_key(self) -> str:
        """Key of the thread it is as long as it has named none."""
        return digest("stream", self.key)

    def thread_key(self, name: str | None) -> str:
        """Key of the thread that a frame naming this one goes to: a recording's threads are its own."""
        if name is None:
            return self.home or self.own_key
        if name != self._named[0]:
            self._named = (name, digest("thread", self.key if self.recording else "", name))
        return self._named[1]


class Desk:
    """Threads by (channel, key) and by id, streams by id."""

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.streams: dict[int, OpenStream] = {}
        self._threads: OrderedDict[tuple[int, str], OpenThread] = OrderedDict()
        self._keys: dict[int, tuple[int, str]] = {}
        self._weights: dict[tuple[int, str], int] = {}
        self._total = 0

    def __len__(self) -> int:
        return len(self._threads)

    def __contains__(self, thread_id: int) -> bool:
        return thread_id in self._keys

    def thread(self, channel: int, key: str) -> OpenThread | None:
        """The thread of this key, from the desk or the database; None if there is none."""
        found = self._threads.get((channel, key))
        if found is not None:
            self._threads.move_to_end((channel, key))
            return found
        row = Thread.objects.filter(channel_id=channel, key=key).first()
        return self._load(row) if row is not None else None

    def by_id(self, thread_id: int) -> OpenThread:
        """Raises Thread.DoesNotExist."""
        key = self._keys.get(thread_id)
        if key is not None:
            self._threads.move_to_end(key)
            return self._threads[key]
        return self._load(Thread.objects.get(pk=thread_id))

    def _load(self, row: Thread) -> OpenThread:
        thread = read_thread(row)
        self._weigh(thread)
        self._make_room(LEAVE)
        return thread

    def put(self, thread: OpenThread) -> None:
        place = (thread.channel, thread.key)
        self._threads[place] = thread
        self._threads.move_to_end(place)
        if thread.id:
            self._keys[thread.id] = place

    def rename(self, thread: OpenThread, key: str, name: str) -> None:
        self._forget((thread.channel, thread.key))
        thread.key, thread.name, thread.name_key = key, shown(name), digest(name)
        self.put(thread)

    def drop(self, threads: Iterable[OpenThread]) -> None:
        """Forget these threads: the next one who asks reads them from the database."""
        for thread in threads:
            self._forget((thread.channel, thread.key))
            self._keys.pop(thread.id, None)

    def _forget(self, place: tuple[int, str]) -> None:
        self._total -= self._weights.pop(place, 0)
        thread = self._threads.pop(place, None)
        if thread is not None:
            self._keys.pop(thread.id, None)

    def stream(self, stream_id: int) -> OpenStream:
        """The stream, from the desk or the database. Raises Stream.DoesNotExist."""
        found = self.streams.get(stream_id)
        if found is None:
            row = Stream.objects.select_related("thread").get(pk=stream_id)
            found = self.streams[stream_id] = OpenStream.of(row, row.thread.key if row.thread else "")
        return found

    def settle(self, threads: Iterable[OpenThread]) -> None:
        """These threads are written; what was not used for long may go."""
        for thread in threads:
            self._weigh(thread)
        self._make_room(len(self._threads) - 1)
        while len(self.streams) > STREAMS:
            self.streams.pop(next(iter(self.streams)))

    def _weigh(self, thread: OpenThread) -> None:
        """Put it on top."""
        self.put(thread)
        place, weight = (thread.channel, thread.key), thread.weight
        self._total += weight - self._weights.get(place, 0)
        self._weights[place] = weight

    def _make_room(self, most: int) -> None:
        """The least recently used threads go until the rest fits; at most so many are looked at.

        One with frames to write stays, on top: it is in use. So no batch is gone through again and again.
        """
        for _ in range(min(most, len(self._threads) - 1)):
            if self._total <= self.room:
                return
            place, oldest = next(iter(self._threads.items()))
            if len(oldest.fresh):
                self._threads.move_to_end(place)
            else:
                self._forget(place)


def read_thread(row: Thread, *, rebuild: bool = False) -> OpenThread:
    """A thread as its stored frames tell. Raises Damaged."""
    thread = OpenThread(row.channel_id, row.key, row.name, row.name_key, row.pk)
    thread.catch_up()
    thread.rebuilt = rebuild or row.fold_version != FOLD_VERSION
    if not thread.rebuilt:
        thread.books.enter(thread.picture, thread.picture.drain())
    return thread
