"""The one thread that writes: whatever is pending, over all sockets, becomes one commit.

It hops no thread per message, speaks no protocol and reads no frame; an acknowledgement is for its
source to send. Once a second it lets the journal look at the clock. Counterparts: `sockets.py`, which
puts messages in, and `store/journal.py`, which keeps them.
"""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Protocol

from django.db import InterfaceError, OperationalError, close_old_connections, connections

from turnscope.core import framing
from turnscope.store import jobs
from turnscope.store.journal import Incoming, Journal, Receipt, Replaced, StreamHandle, get_journal
from turnscope.store.posting import Stale

logger = logging.getLogger("turnscope.writer")

COMMIT = 1024**2
"""Bytes that go into one commit at most: what bounds the time until the first of them is acknowledged."""
FRAMES = 8_000
"""Frames that go into one commit at most: one message may be millions of blank lines."""
PIECE = 256 * 1024
"""Bytes of a message that are cut into frames at a time."""
PAUSES = (0.05, 0.2, 0.8)
"""Seconds, at most, before a batch that other processes forestalled is tried again."""
WATCH = 1.0
"""Seconds between two looks at the clock."""


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Source(Protocol):
    """Who puts messages in, and hears what became of them, in its own event loop."""

    loop: asyncio.AbstractEventLoop
    handle: StreamHandle | None
    """None: no stream is open, or somebody has taken it over; what it sent is not kept."""

    def stored(self, receipt: Receipt, size: int) -> None:
        """`size` bytes of messages are committed."""

    def failed(self, error: Exception, size: int) -> None:
        """`size` bytes of messages could not be kept."""


class NotOpen(Exception):
    """The stream was not open any more when its frames' turn came: taken over, or broken before."""


class Put:
    """A message that waits to be written."""

    __slots__ = ("at", "data", "source")

    def __init__(self, source: Source, data: bytes, at: int) -> None:
        self.source, self.data, self.at = source, data, at


class Call:
    """Something to do in the writer's thread, after what was put before and before what comes after."""

    __slots__ = ("function", "future", "loop")

    def __init__(self, function: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        self.function, self.future, self.loop = function, future, future.get_loop()


class Writer:
    """Start it, put messages in, stop it; a stopped one has written everything it was given."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal or get_journal()
        self._pending: deque[Put | Call] = deque()
        self._wake = threading.Condition()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._next_look = 0.0
        self.leaving = False
        """The server stops: streams that end now end for that reason."""

    # ------------------------------------------------------------ from the event loop

    def start(self) -> None:
        """Begin to write and to watch. Again: nothing."""
        with self._wake:
            if self._thread is None:
                self._stopping = False
                self._thread = threading.Thread(target=self._run, name="turnscope-writer", daemon=True)
                self._thread.start()

    def put(self, source: Source, data: bytes, at: int) -> None:
        """Have a message written. Never waits; `source` hears of it."""
        self._add(Put(source, data, at))

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What `function` returns or raises, called in order with the messages."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._add(Call(lambda: function(*args), future))
        return await future

    async def drain(self) -> None:
        """Wait until everything put so far is committed."""
        await self.call(lambda: None)

    def stop(self) -> None:
        """Write what is pending and end. Waits for it."""
        with self._wake:
            thread, self._thread = self._thread, None
            self._stopping = True
            self._wake.notify()
        if thread is not None:
            thread.join()

    def _add(self, item: Put | Call) -> None:
        if self._thread is None:
            self.start()
        with self._wake:
            self._pending.append(item)
            self._wake.notify()

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        try:
            while self._step():
                pass
        finally:
            connections.close_all()

    def _step(self) -> bool:
        """One commit, one call or one look at the clock. False: it is over."""
        with self._wake:
            while not self._pending and not self._stopping:
                left = self._next_look - time.monotonic()
                if left <= 0:
                    break
                self._wake.wait(left)
            if not self._pending and self._stopping:
                return False
            taken = self._take()
        if isinstance(taken, Call):
            self._answer(taken)
        elif taken:
            try:
                self._write(taken)
            except Exception as error:  # a mistake of ours must not end the thread that everybody waits for
                self._give_up(taken, self._say(error))
        if time.monotonic() >= self._next_look:
            self._look()
        return True

    def _take(self) -> list[Put] | Call:
        """The next call, or the messages before it that fit into one commit."""
        puts: list[Put] = []
        size = 0
        while self._pending and (not puts or size < COMMIT):
            item = self._pending[0]
            if isinstance(item, Call):
                if not puts:
                    self._pending.popleft()
                    return item
                break
            self._pending.popleft()
            puts.append(item)
            size += len(item.data)
        return puts

    def _look(self) -> None:
        try:
            close_old_connections()
            self.journal.tick(now_ms())
            jobs.adopt()
        except Exception:
            logger.exception("The watch could not look at the open runs; it tries again.")
        self._next_look = time.monotonic() + WATCH

    def _answer(self, call: Call) -> None:
        try:
            result = call.function()
        except Exception as error:
            tell(call.loop, _settle, call.future, None, error)
        else:
            tell(call.loop, _settle, call.future, result, None)

    def _write(self, puts: list[Put]) -> None:
        """One commit of all, several where they are too many frames, and word to each source."""
        frames: dict[Source, list[Incoming]] = {}
        sizes: dict[Source, int] = {}
        became: dict[Source, Receipt | Exception] = {}
        left = FRAMES
        for put in puts:
            frames.setdefault(put.source, [])
            sizes[put.source] = sizes.get(put.source, 0) + len(put.data)
            raws = pieces(put.data)
            while put.source.handle is not None and (some := list(islice(raws, left))):
                frames.setdefault(put.source, []).extend(Incoming(raw, put.at) for raw in some)
                left -= len(some)
                if not left:
                    self._enter(frames, became)
                    frames, left = {}, FRAMES
        self._enter(frames, became)
        told: dict[asyncio.AbstractEventLoop, list[tuple[Source, Receipt | Exception, int]]] = {}
        for source, outcome in became.items():
            told.setdefault(source.loop, []).append((source, outcome, sizes[source]))
        for loop, outcomes in told.items():
            tell(loop, _report, outcomes)

    def _enter(self, frames: dict[Source, list[Incoming]], became: dict[Source, Receipt | Exception]) -> None:
        """One commit, and what became of each source: its last receipt, or what went wrong first."""
        for source, outcome in self._keep(frames):
            if isinstance(outcome, Exception):
                # Nothing that comes behind a hole is kept: an ack of it would cover the hole.
                source.handle = None
            if not isinstance(became.get(source), Exception):
                became[source] = outcome

    def _give_up(self, puts: list[Put], error: Exception) -> None:
        for put in puts:
            put.source.handle = None
            tell(put.source.loop, put.source.failed, error, len(put.data))

    def _keep(self, frames: dict[Source, list[Incoming]]) -> list[tuple[Source, Receipt | Exception]]:
        """What became of each source's frames. What cannot be written together is tried apart."""
        batches = [
            (source, source.handle, mine) for source, mine in frames.items() if source.handle is not None
        ]
        kept: list[tuple[Source, Receipt | Exception]] = [
            (source, NotOpen()) for source in frames if source.handle is None
        ]
        try:
            answers = self._append([(handle, mine) for _, handle, mine in batches])
        except Exception as error:
            # A lost connection leaves open whether it was committed: to try again might store things twice.
            # Who numbers its frames comes back, and learns what is there.
            if len(batches) == 1 or isinstance(error, OperationalError | InterfaceError):
                self._say(error)
                return kept + [(source, error) for source, _, _ in batches]
        else:
            return kept + [(source, answer) for (source, _, _), answer in zip(batches, answers, strict=True)]
        for source, handle, mine in batches:
            try:
                kept.append((source, self._append([(handle, mine)])[0]))
            except Exception as error:
                kept.append((source, self._say(error)))
        return kept

    def _append(self, batches: list[tuple[StreamHandle, list[Incoming]]]) -> list[Receipt | Replaced]:
        """Store the batches; again a moment later where another process was faster time after time."""
        for pause in PAUSES:
            try:
                return self.journal.append_many(batches)
            except Stale:
                time.sleep(random.uniform(0, pause))
        return self.journal.append_many(batches)

    def _say(self, error: Exception) -> Exception:
        logger.error("Frames could not be stored, and were not acknowledged: %s", error, exc_info=error)
        close_old_connections()
        return error


def pieces(data: bytes) -> Iterator[bytes]:
    """`framing.split`, a piece of the message at a time."""
    if len(data) <= PIECE:
        yield from framing.split(data)
        return
    splitter = framing.Splitter()
    for start in range(0, len(data), PIECE):
        yield from splitter.feed(data[start : start + PIECE])
    yield from splitter.flush()


def tell(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *args: Any) -> None:
    """Have `function` called in a loop that may be closed by now."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        pass  # The loop is closed: nobody is left to hear it.


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


def _report(outcomes: list[tuple[Source, Receipt | Exception, int]]) -> None:
    for source, outcome, size in outcomes:
        if isinstance(outcome, Exception):
            source.failed(outcome, size)
        else:
            source.stored(outcome, size)


_writer: Writer | None = None


def get_writer() -> Writer:
    """The process's own."""
    global _writer
    if _writer is None:
        _writer = Writer()
    return _writer
