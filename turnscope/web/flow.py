"""How much may be under way: what was received and is not dealt with, what was written and not taken.

Bounds memory from both sides of a connection without closing it. Knows nothing of frames or sockets'
contents. Counterpart: `server.py`, which gives every connection one of these and obeys them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO, Protocol

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

HIGH = 4 * 1024**2
"""Bytes one socket may have unread before its reading pauses: a window of 2 MiB fits twice."""
LOW = 1024**2
"""Where reading goes on: a writer that was slow has a megabyte in hand while the peer wakes up."""
ALL_HIGH = 24 * 1024**2
"""The same over all sockets: many floods at once cost no more than this and LOW for each socket."""
ALL_LOW = 12 * 1024**2

CHUNK = 65536
"""Bytes of a body handed to the application at a time."""

METER = "turnscope.meter"
"""Where an application finds its connection's Meter: `scope["extensions"][METER]`."""


class Pausable(Protocol):
    """A transport that can stop reading; Twisted's can."""

    def pauseProducing(self) -> object: ...
    def resumeProducing(self) -> object: ...


class Gate:
    """What all sockets together have received and nobody has dealt with, and who is paused for it."""

    def __init__(self) -> None:
        self.total = 0
        self.paused: set[Meter] = set()

    def settle(self) -> None:
        """Let those read on who may."""
        if self.total <= ALL_LOW:
            for meter in [one for one in self.paused if one.unread <= LOW]:
                meter.resume()


class Meter:
    """One socket's share. By default a message is dealt with when the next one is asked for.

    An application that queues what it receives sets `held` and says itself when bytes are `done`.
    """

    def __init__(self, gate: Gate, transport: Pausable) -> None:
        self.gate = gate
        self.transport = transport
        self.unread = 0
        self.held = False
        self.paused = False
        self.resumed_at = 0.0
        """On the monotonic clock, in seconds; 0: reading was never paused."""
        self._asked = 0
        self._over = False

    def received(self, size: int) -> None:
        """Bytes came off the wire. Pauses reading where that is too much."""
        if self._over:
            return
        self.unread += size
        self.gate.total += size
        crowded = self.gate.total > ALL_HIGH and self.unread > LOW
        if not self.paused and (self.unread > HIGH or crowded):
            self.paused = True
            self.gate.paused.add(self)
            self.transport.pauseProducing()

    def done(self, size: int) -> None:
        """Bytes were dealt with: stored, or thrown away."""
        size = min(size, self.unread)
        self.unread -= size
        self.gate.total -= size
        if self.gate.paused:
            self.gate.settle()

    def resume(self) -> None:
        """Read on. Called by the gate."""
        self.paused = False
        self.resumed_at = time.monotonic()
        self.gate.paused.discard(self)
        self.transport.resumeProducing()

    def finished(self) -> None:
        """The application is over: nobody will deal with the rest."""
        self._over = True
        self.done(self.unread)
        self.gate.paused.discard(self)

    def over(self, receive: Receive) -> Receive:
        """The same `receive`, metered."""

        async def metered() -> Message:
            if not self.held:
                self.done(self._asked)
            message = await receive()
            if message["type"] == "websocket.receive":
                self._asked = len(message.get("bytes") or b"")
            return message

        return metered


class Body:
    """A request's body, read from its file as the application asks for it, not all at once into a queue."""

    def __init__(self, content: BinaryIO, size: int) -> None:
        self.content = content
        self.left = size
        self._told = False

    def over(self, receive: Receive) -> Receive:
        """The same `receive`: first the body, then what the server says (that the peer has gone)."""

        async def read() -> Message:
            if not self._told:
                chunk = self.content.read(CHUNK) if self.left else b""
                self.left -= len(chunk)
                self._told = not self.left or not chunk
                return {"type": "http.request", "body": chunk, "more_body": not self._told}
            while True:
                message = await receive()
                # The server's own copy of the body is empty: this one was given instead.
                if message["type"] != "http.request":
                    return message

        return read

    def finished(self) -> None:
        """The application is over."""
        self.content.close()


class Valve:
    """Whether the peer takes what is written to it. `passed` waits while it is shut.

    A push producer, as Twisted calls it: the transport turns it by the state of its buffer.
    """

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()

    def pauseProducing(self) -> None:
        self._open.clear()

    def resumeProducing(self) -> None:
        self._open.set()

    def stopProducing(self) -> None:
        """The peer has gone: nobody waits for it."""
        self._open.set()

    async def passed(self) -> None:
        await self._open.wait()
