"""The journal: append, mark, tick, read, rebuild. The only writer of frames and of what follows from them.

One lock, one writer per process; of several processes each writes the streams it holds (see `posting.py` for
how they keep out of each other's way). All of it is synchronous: the web calls it on a thread of its own.
An append returns after the commit: what it acknowledges survives a power cut.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from turnscope.core.dialects import DIALECTS
from turnscope.core.events import Event, Frame, Tick
from turnscope.core.fold import FOLD_VERSION
from turnscope.core.picture import Picture

from . import reading
from .desk import Desk, OpenThread, read_thread
from .leases import Leases
from .models import Channel, Stream, Thread
from .placing import AUTO, Batch, Incoming
from .posting import Replaced, Stale, in_force, post
from .retelling import Retelling
from .segments import Damaged
from .text import digest, shown

__all__ = ["Incoming", "Journal", "Receipt", "Replaced", "StreamHandle", "Unknown", "get_journal", "shown"]

log = logging.getLogger("turnscope.store")

ATTEMPTS = 8
"""How often a batch that another writer forestalled is numbered anew."""

TOGETHER = 256
"""How many threads of a stream are closed in one commit."""

READ = 128
"""How many live threads one look at the clock reads that are not at hand: thousands would take its writer's
time for a minute."""

Listener = Callable[[int, int, int, int], None]
"""Called after a commit with (thread id, its last seq, channel id, the channel's change number)."""


class Unknown(LookupError):
    """No such channel, or no such dialect."""


@dataclass(frozen=True, slots=True)
class StreamHandle:
    """A stream that this caller may append to, until another hello takes it over."""

    id: int
    channel_id: int
    last_n: int
    """The last number stored: a producer goes on from the next."""
    lease: str
    dialect: str
    recording: bool


@dataclass(slots=True)
class Receipt:
    """What became of one batch. Given after the commit."""

    ack: int
    """The stream's last number: cumulative."""
    seq: int
    """The seq of the last frame, in its thread; 0 when nothing was stored."""
    threads: dict[int, int] = field(default_factory=dict)
    """Thread id -> its last seq, of every thread that grew."""
    frames: int = 0
    """How many were stored; those sent before are not."""
    events: int = 0
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """(place in the stream, reason) of frames that could not be read. They are stored all the same."""
    dialect: str = "auto"
    confidence: float = 0.0


class Journal:
    """See the module."""

    def __init__(self, *, room: int | None = None) -> None:
        self.lock = threading.RLock()
        self.desk = Desk(room) if room else Desk()
        self.listeners: list[Listener] = []
        self.leases = Leases()
        self._settings: dict[int, dict[str, Any]] = {}
        self._retelling = Retelling()
        self._damaged: set[int] = set()
        self._looked = 0
        """The last thread that a look at the clock had to read: the next look goes on behind it."""

    # ------------------------------------------------------------ streams

    def open_stream(
        self, channel: str, *, key: str | None = None, dialect: str = "auto", recording: bool = False,
        name: str = "", create: bool = False,
    ) -> StreamHandle:  # fmt: skip
        """Take the stream of this producer's key; any earlier holder is refused from now on.

        Without a key it is a new stream. Raises Unknown for a dialect that is none, and for a channel that is
        not there unless `create` is set.
        """
        if dialect != AUTO and all(dialect != known.NAME for known in DIALECTS):
            raise Unknown(f"there is no dialect {dialect!r}")
        with self.lock:
            now = clock()
            lease = self.leases.new(now)
            with transaction.atomic():
                owner = self._channel(channel, create=create)
                stream, _ = Stream.objects.get_or_create(
                    channel=owner,
                    key=digest("stream", key) if key is not None else secrets.token_hex(16),
                    defaults={
                        "name": shown(name or key or ""), "dialect": dialect, "recording": recording,
                        "opened_at": now,
                    },
                )  # fmt: skip
                stream.lease, stream.closed_at, stream.closed_why = lease, 0, ""
                if stream.dialect == "auto":
                    stream.dialect = dialect
                stream.save(update_fields=["lease", "closed_at", "closed_why", "dialect"])
            self.desk.streams.pop(stream.pk, None)
            return StreamHandle(stream.pk, owner.pk, stream.last_n, lease, stream.dialect, stream.recording)

    def _channel(self, slug: str, *, create: bool) -> Channel:
        if create:
            return Channel.objects.get_or_create(slug=slug)[0]
        try:
            return Channel.objects.get(slug=slug)
        except Channel.DoesNotExist:
            raise Unknown(f"there is no channel {slug!r}") from None

    def close_stream(self, handle: StreamHandle, why: str) -> None:
        """The stream is over: `end`, `lost`, `left`, `shutdown`. Nothing if another has taken it over."""
        with self.lock:
            self._close(handle.id, handle.lease, why, clock())

    def _close(self, stream_id: int, lease: str, why: str, now: int) -> list[int]:
        """The threads it was open in."""
        if not Stream.objects.filter(pk=stream_id, lease=lease).exists():
            return []

        changed: list[int] = []
        threads = reading.threads_of(stream_id)
        for start in range(0, len(threads), TOGETHER):

            def closing(batch: Batch, some: list[int] = threads[start : start + TOGETHER]) -> None:
                stream = self.desk.stream(stream_id)
                for thread_id in some:
                    batch.close(stream, self.desk.by_id(thread_id), why, now)

            changed += [thread.id for thread in self._commit(closing).threads]
        Stream.objects.filter(pk=stream_id, lease=lease).update(
            lease="", closed_at=max(now, 1), closed_why=why
        )
        self.desk.streams.pop(stream_id, None)
        return changed

    # ------------------------------------------------------------ frames

    def append(self, handle: StreamHandle, frames: Sequence[Incoming]) -> Receipt:
        """Store one batch; returns after the commit. Raises Replaced, and what the database raises."""
        (receipt,) = self.append_many([(handle, frames)])
        if isinstance(receipt, Replaced):
            raise receipt
        return receipt

    def append_many(
        self, batches: Sequence[tuple[StreamHandle, Sequence[Incoming]]]
    ) -> list[Receipt | Replaced]:
        """Store the batches of several streams in one transaction; the answer to each, in order.

        A stream that was taken over gets its Replaced; the others are stored.
        """
        answers: list[Receipt | Replaced | None] = [None] * len(batches)
        with self.lock:
            while True:
                todo = [index for index, answer in enumerate(answers) if answer is None]
                if not todo:
                    return [answer for answer in answers if answer is not None]
                receipts: dict[int, Receipt] = {}

                def placing(
                    batch: Batch, todo: list[int] = todo, receipts: dict[int, Receipt] = receipts
                ) -> None:
                    for index in todo:
                        handle, frames = batches[index]
                        stream = self.desk.stream(handle.id)
                        if stream.lease != handle.lease:
                            raise Replaced(handle.id)
                        receipts[index] = Receipt(0, 0)
                        batch.append(stream, frames, receipts[index])

                try:
                    batch = self._commit(placing)
                except Replaced as replaced:
                    for index in todo:
                        if batches[index][0].id == replaced.stream_id:
                            answers[index] = replaced
                    continue
                for index in todo:
                    grown = batch.grown.get(batches[index][0].id, {})
                    receipts[index].threads = {thread.id: thread.base for thread in grown.values()}
                    answers[index] = receipts[index]

    def mark(self, thread_id: int, mark: Event) -> int:
        """Append one of the journal's own lines to a thread; its seq. `mark.at` 0 means now."""

        def marking(batch: Batch) -> None:
            thread = self.desk.by_id(thread_id)
            batch.mark(thread, mark, mark.at or clock(), mark.stream)

        with self.lock:
            return self._commit(marking).threads[0].base

    def tick(self, now: int) -> list[int]:
        """Look at the clock (ms): the threads whose verdicts it changed, each with a mark that says so.

        Also takes leave of streams whose process has gone, lets new settings judge open runs, and threads at
        rest be told by what their channel counts now.
        """
        with self.lock:
            changed = []
            for stream_id, lease in self.leases.beat(now):
                changed += self._close(stream_id, lease, "lost", now)
            self._settings.clear()
            marked = self._commit(lambda batch: self._look(batch, now)).threads
            if due := self._retelling.take():
                marked += self._commit(lambda batch: self._retell(batch, due)).threads
            return changed + [thread.id for thread in marked]

    def _retell(self, batch: Batch, due: Iterable[int]) -> None:
        """Put these threads at rest under their channel's settings."""
        for thread_id in due:
            try:
                thread = self.desk.by_id(thread_id)
            except (Damaged, Thread.DoesNotExist):
                continue  # opening it says so
            batch.settle_settings(thread, thread.picture.thread.now)

    def _look(self, batch: Batch, now: int) -> None:
        """Mark every live thread whose verdicts depend on it being `now`."""
        live = dict(Thread.objects.filter(live=True).values_list("pk", "last_seq"))
        for thread_id in self._in_turn(live):
            try:
                thread = self._current(thread_id, live[thread_id])
            except Damaged as why:
                if thread_id not in self._damaged:  # said once, not every second
                    self._damaged.add(thread_id)
                    log.error("thread %s cannot be watched: %s", thread_id, why)
                continue
            batch.settle_settings(thread, now)
            if thread.picture.due(now):
                batch.mark(thread, Tick(), now, 0)

    def _in_turn(self, live: Collection[int]) -> list[int]:
        """Those at hand, and so many of the others that the writer has time for its frames."""
        away = sorted(thread_id for thread_id in live if thread_id not in self.desk)
        at = bisect(away, self._looked)
        some = (away[at:] + away[:at])[:READ]
        self._looked = some[-1] if some else 0
        return [thread_id for thread_id in live if thread_id in self.desk] + some

    def _current(self, thread_id: int, last_seq: int) -> OpenThread:
        """The thread, with what other processes have written up to `last_seq`."""
        thread = self.desk.by_id(thread_id)
        if thread.base < last_seq:
            self.desk.drop([thread])
            thread = self.desk.by_id(thread_id)
        return thread

    # ------------------------------------------------------------ one commit

    def _commit(self, fill: Callable[[Batch], None]) -> Batch:
        """Fill a batch and write it; again from the stored state when another writer was first."""
        for attempt in range(ATTEMPTS):
            batch = Batch(self.desk, self._settings_of)
            try:
                fill(batch)
                if not batch.threads and not batch.streams:
                    return batch
                changes = post(batch.threads, batch.streams, self._settings)
            except BaseException as failure:
                # What was folded is not in the database: the next one who asks reads it from there.
                self.desk.drop(batch.threads)
                for stream in batch.streams:
                    self.desk.streams.pop(stream.id, None)
                if not isinstance(failure, Stale) or attempt == ATTEMPTS - 1:
                    raise
                continue
            self.desk.settle(batch.threads)
            self.leases.seen(clock())
            self._tell(batch.threads, changes)
            return batch
        raise AssertionError("unreachable")

    def _settings_of(self, channel: int) -> dict[str, Any]:
        found = self._settings.get(channel)
        if found is None:
            found = in_force(Channel.objects.values_list("settings", flat=True).get(pk=channel))
            self._settings[channel] = found
        return found

    def settings_changed(self, channel_id: int) -> None:
        """The channel's settings were saved: they judge the next frame, and open runs at the next tick."""
        with self.lock:
            self._settings.pop(channel_id, None)

    def _tell(self, threads: Iterable[OpenThread], changes: dict[int, int]) -> None:
        for thread in threads:
            for listener in self.listeners:
                try:
                    listener(thread.id, thread.base, thread.channel, changes[thread.channel])
                except Exception:
                    log.exception("a listener failed; what it was told of is stored")

    def forget(self, thread_ids: Iterable[int]) -> None:
        """These threads are gone from the database."""
        with self.lock:
            self.desk.drop([self.desk.by_id(number) for number in thread_ids if number in self.desk])

    # ------------------------------------------------------------ reading

    def read(
        self, thread_id: int, after: int = 0, until: int | None = None, kinds: Collection[int] | None = None
    ) -> Iterator[Frame]:
        """See `reading.read`."""
        return reading.read(thread_id, after, until, kinds)

    def raw(self, stream_id: int) -> Iterator[bytes]:
        """See `reading.raw`."""
        return reading.raw(stream_id)

    def count(self, thread_id: int) -> int:
        """See `reading.count`."""
        return reading.count(thread_id)

    def picture(self, thread_id: int) -> Picture:
        """The picture as it stands; private to the writer, so read it under `lock`, and never change it."""
        with self.lock:
            self.refresh(thread_id)
            return self._current(thread_id, reading.count(thread_id)).picture

    def refresh(self, thread_id: int) -> bool:
        """Rebuild the thread if an older fold made its rows; whether it did. Raises Thread.DoesNotExist."""
        if Thread.objects.values_list("fold_version", flat=True).get(pk=thread_id) == FOLD_VERSION:
            return False
        self.rebuild(thread_id)
        return True

    def rebuild(self, thread_id: int) -> None:
        """Make every derived row of the thread anew from its frames. Raises Thread.DoesNotExist, Damaged."""
        read = [read_thread(Thread.objects.get(pk=thread_id), rebuild=True)]
        """Read before the lock is taken; read again where somebody wrote meanwhile."""

        def rebuilding(batch: Batch) -> None:
            thread = read.pop() if read else read_thread(Thread.objects.get(pk=thread_id), rebuild=True)
            if thread_id in self.desk:
                self.desk.drop([self.desk.by_id(thread_id)])
            batch.take(thread)

        with self.lock:
            self._commit(rebuilding)


def clock() -> int:
    """Now, in ms since 1970."""
    return time.time_ns() // 1_000_000


_journal: Journal | None = None
_making = threading.Lock()


def get_journal() -> Journal:
    """The process's one journal."""
    global _journal
    with _making:
        if _journal is None:
            _journal = Journal()
        return _journal
