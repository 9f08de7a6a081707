"""Where producers come in: the websocket `/ws/ingest/<channel>/`.

Speaks the protocol (hello, ready, acks, close codes), stamps arrival and hands messages on; knows nothing
of dialects or rows, and never closes over what a frame holds. Plain ASGI instead of a channels consumer:
that one starts two tasks and hops a thread for every message. Counterparts: `writer.py`, `client.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import orjson
from channels.db import database_sync_to_async

from turnscope.core import dialects
from turnscope.store.journal import Receipt, Replaced, StreamHandle

from . import access
from .flow import METER, Message, Meter, Receive
from .writer import NotOpen, Writer, get_writer, now_ms, tell

PROTOCOL = 1
WINDOW = {"frames": 8, "bytes": 2 * 1024**2}
"""What a producer should have unacknowledged at most: more only adds latency."""
HARD = 64 * 1024**2
"""Bytes one socket may have unwritten. Under our own server reading pauses long before (`flow.py`)."""
HELLO = 65536
"""Longest first message that is looked at as a hello, in bytes."""
GRACE = 10.0
"""Seconds that a named stream whose line broke has to come back, before it counts as lost."""

NORMAL, GOING_AWAY, TRY_AGAIN = 1000, 1001, 1013
BAD_HELLO, NOT_ALLOWED, NO_CHANNEL, VERSION, REPLACED = 4400, 4401, 4404, 4409, 4410
MESSAGE_TOO_LARGE, TOO_MUCH = 4413, 4429


class Hello(NamedTuple):
    """What a producer says first."""

    stream: str | None
    """Its own id for this stream; None: it cannot resume."""
    dialect: str


class Bye(NamedTuple):
    """Why the socket closes."""

    code: int
    reason: str


def hello(data: bytes) -> Hello | Bye | None:
    """The hello in a first message; None when it is something else, which then is the first frame."""
    if len(data) > HELLO or b'"turnscope"' not in data:
        return None
    try:
        value = loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "turnscope" not in value:
        return None
    if value["turnscope"] != PROTOCOL:
        return Bye(VERSION, f"this server speaks version {PROTOCOL} of the protocol")
    stream, dialect, after = value.get("stream"), value.get("dialect", "auto"), value.get("after")
    if stream is not None and (not isinstance(stream, str) or not stream):
        return Bye(BAD_HELLO, "`stream` must be a text of your own choice, or null")
    if dialect != "auto" and dialect not in [module.NAME for module in dialects.DIALECTS]:
        return Bye(BAD_HELLO, "`dialect` is not one we know; `auto` always works")
    if after is not None and (not isinstance(after, int) or isinstance(after, bool) or after < 0):
        return Bye(BAD_HELLO, "`after` must be the last number you had acknowledged, or null")
    return Hello(stream, dialect)


def loads(data: bytes) -> Any:
    """JSON, with what orjson refuses and others send: half of a character in a name of their own."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


class Ingest:
    """One producer's connection."""

    open: dict[int, Ingest] = {}
    """By stream: who brings it. Only the writer's thread touches it."""

    def __init__(self, scope: dict[str, Any], send: access.Send, writer: Writer | None = None) -> None:
        self.scope = scope
        self.send = send
        self.channel: str = scope["url_route"]["kwargs"]["channel"]
        self.writer = writer or get_writer()
        self.loop = asyncio.get_running_loop()
        self.handle: StreamHandle | None = None
        self.ours: StreamHandle | None = None
        """The stream that is ours to close: still so when its frames could not be stored."""
        self.named = False
        self.waiting = 0
        """Bytes handed on and not yet stored."""
        self.meter: Meter | None = (scope.get("extensions") or {}).get(METER)
        self._ack: dict[str, int] | None = None
        self._speaking: asyncio.Task[None] | None = None
        self._bye: Bye | None = None
        self._settled = asyncio.Event()
        """Another connection has taken the stream over."""

    # ------------------------------------------------------------ the conversation

    async def converse(self, receive: Receive) -> None:
        """From the handshake to the close."""
        await receive()
        await self.send({"type": "websocket.accept", "subprotocol": access.subprotocol(self.scope)})
        if not access.SLUG.fullmatch(self.channel):
            await self.close(Bye(NO_CHANNEL, "there is no such channel"))
            return
        if not await database_sync_to_async(access.may_send)(self.scope, self.channel):
            await self.close(Bye(NOT_ALLOWED, "this needs a token of the channel"))
            return
        if self.meter is not None:
            self.meter.held = True
        code = 0
        try:
            code = await self._listen(receive)
        finally:
            await self._leave(code)

    async def _listen(self, receive: Receive) -> int:
        """Take messages until the socket closes; the code it closed with."""
        first = True
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return int(message.get("code") or 0)
            data = content(message)
            if first:
                first = False
                said = hello(data)
                if not await self._begin(said):
                    continue
                if said is not None:
                    self._done(len(data))
                    continue
            self._take(data)

    async def _begin(self, said: Hello | Bye | None) -> bool:
        """Open the stream and say so. False: the socket closes instead."""
        if isinstance(said, Bye):
            await self.close(said)
            return False
        try:
            after = await self.writer.call(self._open, said or Hello(None, "auto"))
        except LookupError:
            await self.close(Bye(NO_CHANNEL, "there is no such channel"))
            return False
        except Exception:
            await self.close(Bye(TRY_AGAIN, "the stream could not be opened"))
            raise
        if said is not None:
            self.named = said.stream is not None
            await self._text({"ready": True, "after": after, "window": WINDOW})
        return True

    def _take(self, data: bytes) -> None:
        if self._bye is not None:
            self._done(len(data))
            return
        self.waiting += len(data)
        if self.waiting > HARD:
            self.close_soon(Bye(TOO_MUCH, "too much is unwritten: wait for acks"))
        self.writer.put(self, data, now_ms())

    def _done(self, size: int) -> None:
        if self.meter is not None:
            self.meter.done(size)

    async def _leave(self, code: int) -> None:
        """The line is gone: close the stream, or wait for its producer to come back with it.

        When the server stops, a stream that can be resumed stays open: it is where the next one goes on.
        """
        why = "left" if code in (NORMAL, GOING_AWAY) else "lost"
        if self.named and why == "lost" and not self.writer.leaving:
            try:
                async with asyncio.timeout(GRACE):
                    await self._settled.wait()
            except TimeoutError:
                pass
        if not (self.named and self.writer.leaving):
            await self.writer.call(self._close, "shutdown" if self.writer.leaving else why)

    # ------------------------------------------------------------ in the writer's thread

    def _open(self, said: Hello) -> int:
        handle = self.writer.journal.open_stream(
            self.channel,
            key=said.stream,
            dialect=said.dialect,
            create=access.loopback(self.scope),
        )
        before = Ingest.open.get(handle.id)
        if before is not None:
            before.handle = before.ours = None
            tell(before.loop, before.replaced)
        Ingest.open[handle.id] = self
        self.handle = self.ours = handle
        return handle.last_n

    def _close(self, why: str) -> None:
        if self.ours is not None:
            handle, self.handle, self.ours = self.ours, None, None
            if Ingest.open.get(handle.id) is self:
                del Ingest.open[handle.id]
            self.writer.journal.close_stream(handle, why)

    # ------------------------------------------------------------ what the writer says

    def stored(self, receipt: Receipt, size: int) -> None:
        """Committed: acknowledge. A peer that does not read is told the latest when it reads again."""
        self.waiting -= size
        self._done(size)
        self._ack = {"ack": receipt.ack, "seq": receipt.seq}
        if self._speaking is None or self._speaking.done():
            self._speaking = self.loop.create_task(self._speak())

    def failed(self, error: Exception, size: int) -> None:
        """Not kept, so not acknowledged: the producer comes again and resumes."""
        self.waiting -= size
        self._done(size)
        if isinstance(error, Replaced):
            self.replaced()
        elif not isinstance(error, NotOpen):
            self.close_soon(Bye(TRY_AGAIN, "the frames could not be stored"))

    def replaced(self) -> None:
        """Another connection brings this stream now."""
        self._settled.set()
        self.close_soon(Bye(REPLACED, "another connection has taken this stream over"))

    # ------------------------------------------------------------ saying things

    async def _speak(self) -> None:
        while self._ack is not None and self._bye is None:
            ack, self._ack = self._ack, None
            await self._text(ack)

    async def _text(self, value: dict[str, Any]) -> None:
        await self.send({"type": "websocket.send", "text": orjson.dumps(value).decode()})

    def close_soon(self, bye: Bye) -> None:
        """Close from where nothing can be awaited."""
        if self._bye is None:
            self._closing = self.loop.create_task(self.close(bye))

    async def close(self, bye: Bye) -> None:
        """Say why and close. Again: nothing."""
        if self._bye is None:
            self._bye = bye
            await self.send({"type": "websocket.close", "code": bye.code, "reason": bye.reason})


def content(message: Message) -> bytes:
    """The bytes of a received message; our own server gives them as they came."""
    data = message.get("bytes")
    return data if data is not None else message["text"].encode("utf-8", "surrogatepass")


async def ingest(scope: dict[str, Any], receive: Receive, send: access.Send) -> None:
    """The ASGI application of `/ws/ingest/<channel>/`."""
    await Ingest(scope, send).converse(receive)


async def nowhere(scope: dict[str, Any], receive: Receive, send: access.Send) -> None:
    """A socket path that leads to nothing."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": NO_CHANNEL, "reason": "nothing is at this path"})


async def converse_here(
    channel: str, play: Callable[[Callable[[str], Awaitable[None]]], Awaitable[None]]
) -> None:
    """Let a producer of this process in by the same door as any other: `play` is given a `send`."""
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    headers = [(b"host", b"localhost")]
    scope = {"type": "websocket", "headers": headers, "url_route": {"kwargs": {"channel": channel}}}

    async def nobody_listens(message: Message) -> None:
        pass

    async def send(text: str) -> None:
        inbox.put_nowait({"type": "websocket.receive", "text": text})

    inbox.put_nowait({"type": "websocket.connect"})
    door = asyncio.ensure_future(ingest(scope, inbox.get, nobody_listens))
    try:
        await play(send)
    finally:
        inbox.put_nowait({"type": "websocket.disconnect", "code": NORMAL})
        await door
