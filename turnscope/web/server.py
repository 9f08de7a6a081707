"""The server that `turnscope serve` runs: daphne's, with bounds.

daphne 4.2.3 caps a websocket message at 1 MiB, closes every socket after a day, queues received messages
and written answers without bound, and puts a whole request body into memory before the application sees
it. Here reading pauses while what was received waits (`flow.py`), `send` waits while the peer does not
read, a body is bounded while it comes in and read from disk, and whoever stops the server lets it finish.

It imports Twisted's reactor: only `serve` imports this module. Counterpart: `turnscope/asgi.py`, which any
ASGI server can run; the bounds then are that server's.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any, cast

from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.server import Server as DaphneServer
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet import defer, reactor
from twisted.internet.endpoints import serverFromString
from twisted.logger import globalLogBeginner
from twisted.web import http

from turnscope.web.flow import METER, Body, Gate, Meter, Valve

logger = logging.getLogger("turnscope.server")
twisted = cast("Any", reactor)

TOO_LARGE = 4413
RESTARTING = 1012

IN_MEMORY = 1024**2
"""Bytes of a body kept in memory; a larger one goes to a temporary file."""
BEFORE_OPEN = 65536
"""Bytes taken from a socket before the application has accepted it."""
LINGER = 2.0
"""Seconds a refused sender may go on sending before the line is cut, so that it reads the refusal."""
FINISH = 5.0
"""Seconds that storing what was received may take when the server stops."""
FAREWELL = 1.0
"""Seconds that sockets have to answer the close, and applications to end."""

Application = Callable[..., Awaitable[None]]


def body_limit(path: bytes, frames: int, files: int) -> int:
    """Bytes a request to `path` may bring: `files` for the import of a file, else `frames`."""
    return files if path.split(b"?", 1)[0].rstrip(b"/").endswith(b"/import") else frames


class Request(WebRequest):
    """An HTTP request: bounded while it comes in, and slow to write to a peer that does not read."""

    refused = False
    taken = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.valve = Valve()

    def gotLength(self, length: int | None) -> None:
        self.limit = body_limit(self.channel._path, self.server.body_limit, self.server.file_limit)
        self.content = SpooledTemporaryFile(IN_MEMORY)
        if length is not None and length > self.limit:
            self.refuse()

    def handleContentChunk(self, data: bytes) -> None:
        self.taken += len(data)
        if not self.refused and self.taken > self.limit:
            self.refuse()
        if not self.refused:
            self.content.write(data)

    def refuse(self) -> None:
        """Answer 413 at once, hear the sender out for a moment, cut the line."""
        self.refused = True
        error = {
            "code": "too_large",
            "message": f"A body may have {self.limit} bytes; send parts, import the file or use the socket.",
            "detail": {"limit": self.limit},
        }
        body = json.dumps({"error": error}).encode()
        head = (
            b"HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\nConnection: close\r\n"
            b"X-Content-Type-Options: nosniff\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        transport = self.channel.transport
        transport.write(head + body)
        self.channel.setTimeout(None)
        twisted.callLater(LINGER, transport.abortConnection)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        # Not Twisted's own: that one parses forms by reading the whole body into memory, several times.
        if self.refused:
            self.channel.loseConnection()
            return
        self.method, self.uri, self.clientproto = command, path, version
        self.path = path.split(b"?", 1)[0]
        self.args = cast("dict[bytes, list[bytes]]", {})
        self.content.seek(0)
        self.process()

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start" and self.channel is not None and not self.producer:
            self.registerProducer(self.valve, True)  # noqa: FBT003  Twisted's signature
        super().handle_reply(message)

    def finish(self) -> None:
        if self.producer:
            self.unregisterProducer()
        super().finish()

    def connectionLost(self, reason: Any) -> None:
        self.valve.stopProducing()
        super().connectionLost(reason)


class Socket(WebSocketProtocol):
    """A websocket: large messages, no daily close, reading paused while the application is behind.

    A message is handed on as the bytes that came, text or not: what is read is JSON either way, and text
    that is not UTF-8 is evidence to keep, not a reason to hang up.
    """

    meter: Meter

    def __init__(self) -> None:
        super().__init__()
        self.valve = Valve()

    def dataReceived(self, data: bytes) -> None:
        if self.state == self.STATE_CONNECTING and len(self.data) + len(data) > BEFORE_OPEN:
            self.transport.abortConnection()
            return
        super().dataReceived(data)

    def processHandshake(self) -> None:
        # Once: what comes before the application has answered is kept for later, not read as a second one.
        if not hasattr(self, "request"):
            super().processHandshake()

    def onOpen(self) -> None:
        # The HTTP channel that opened this line was told of the buffer's state until now.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self.valve, True)  # noqa: FBT003  Twisted's signature
        super().onOpen()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: FBT001  autobahn's signature
        if self.muted or self.state != self.STATE_OPEN:
            return
        self.last_ping = time.time()
        self.meter.received(len(payload))
        self.application_queue.put_nowait({"type": "websocket.receive", "bytes": payload})

    def _max_message_size_exceeded(self, size: int, limit: int, reason: str) -> None:
        # autobahn drops the line; a producer should learn why. What still comes of the message is not kept.
        self.failedByMe = True
        self.say_close(TOO_LARGE, f"a message may have {limit} bytes")

    def serverClose(self, code: int | None = None, reason: str = "") -> None:
        self.say_close(code or 1000, reason)

    def say_close(self, code: int, reason: str = "") -> None:
        """Close with any code; `sendClose` allows few."""
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(code, reason.encode()[:120] or None)
            # The answer to a close comes behind what is still unread: a paused line would never hear it.
            self.transport.resumeProducing()

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close" and self.state != self.STATE_CONNECTING:
            self.serverClose(message.get("code"), message.get("reason") or "")
        else:
            super().handle_reply(message)

    def check_timeouts(self) -> None:
        if not self.meter.paused:
            super().check_timeouts()

    def onAutoPingTimeout(self) -> None:
        # While reading was paused the peer's pong lay unread: that says nothing about the peer.
        if self.meter.paused or time.monotonic() - self.meter.resumed_at < self.server.ping_timeout:
            self.autoPingTimeoutCall = self.autoPingPending = None
        else:
            super().onAutoPingTimeout()

    def onClose(self, *args: Any) -> None:
        self.valve.stopProducing()
        super().onClose(*args)


class Requests(HTTPFactory):
    """Makes our requests instead of daphne's."""

    def buildProtocol(self, addr: Any) -> Any:
        protocol: Any = http.HTTPFactory.buildProtocol(self, addr)
        protocol.requestFactory = Request
        return protocol


class Sockets(WebSocketFactory):
    protocol = Socket


class Server(DaphneServer):
    """daphne's server over our requests and sockets.

    `before_stop` is awaited when a signal has come and reading has ceased: it stores what was received.
    `failure` says why it is not listening, once `run` has returned without serving.
    """

    def __init__(
        self,
        application: Application,
        *,
        host: str,
        port: int,
        message_limit: int,
        body_limit: int,
        file_limit: int,
        ready: Callable[[int], None] | None = None,
        before_stop: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(
            self._metered,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            websocket_timeout=-1,
            websocket_max_message_size=message_limit,
            websocket_max_frame_size=message_limit,
            application_close_timeout=60,
            server_name="",
        )
        self.inner = application
        self.body_limit = body_limit
        self.file_limit = file_limit
        self.ready = ready
        self.before_stop = before_stop
        self.gate = Gate()
        self.ports: list[Any] = []
        self.failure = ""
        self._kept: set[asyncio.Future[Any]] = set()

    def keep(self, task: asyncio.Future[Any]) -> None:
        """Something that runs beside the server, and is cancelled when it stops."""
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)

    # ------------------------------------------------------------ starting

    def run(self) -> None:
        """Serve until a signal comes. daphne's own, with our factories; it has no seam for them."""
        self.connections: dict[Any, dict[str, Any]] = {}
        self.http_factory = Requests(self)
        self.ws_factory = Sockets(self, server="")
        self.ws_factory.setProtocolOptions(
            autoPingTimeout=self.ping_timeout,
            allowNullOrigin=True,  # who may come in is decided by access.py
            openHandshakeTimeout=self.websocket_handshake_timeout,
            maxMessagePayloadSize=self.websocket_max_message_size,
            maxFramePayloadSize=self.websocket_max_frame_size,
            utf8validateIncoming=False,
        )
        silence = cast("Any", [lambda _: None])
        globalLogBeginner.beginLoggingTo(silence, redirectStandardIO=False, discardBuffer=True)
        twisted.callLater(1, self.application_checker)
        twisted.callLater(2, self.timeout_checker)
        for description in self.endpoints:
            listening = serverFromString(twisted, description).listen(self.http_factory)
            listening.addCallbacks(self.listen_success, self.listen_error)
        if self.failure:
            return
        asyncio.set_event_loop(twisted._asyncioEventloop)
        twisted.addSystemEventTrigger("before", "shutdown", self.kill_all_applications)
        if self.ready is not None:
            twisted.callWhenRunning(self.ready, self.ports[0].getHost().port)
        twisted.run()

    def listen_success(self, port: Any) -> None:
        self.ports.append(port)
        super().listen_success(port)

    def listen_error(self, failure: Any) -> None:
        self.failure = failure.getErrorMessage()

    # ------------------------------------------------------------ one connection

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        inbox: Meter | Body
        if scope["type"] == "websocket":
            inbox = protocol.meter = Meter(self.gate, protocol.transport)
            scope["extensions"] = {METER: inbox}
        else:
            content, protocol.content = protocol.content, BytesIO()
            inbox = Body(content, protocol.taken)
        scope["turnscope.inbox"] = inbox
        return super().create_application(protocol, scope)

    async def _metered(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        inbox = scope.pop("turnscope.inbox")
        try:
            await self.inner(scope, inbox.over(receive), send)
        finally:
            inbox.finished()

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        await super().handle_reply(protocol, message)
        if message["type"] in ("websocket.send", "http.response.body"):
            await protocol.valve.passed()

    # ------------------------------------------------------------ stopping

    def kill_all_applications(self) -> Any:
        """Called by Twisted before it stops the reactor; it waits for what this returns."""
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._leave()))

    async def _leave(self) -> None:
        for port in self.ports:
            port.stopListening()
        for task in self._kept:
            task.cancel()
        sockets = [one for one in self.connections if isinstance(one, Socket) and hasattr(one, "meter")]
        for socket in sockets:
            socket.transport.pauseProducing()
        if self.before_stop is not None:
            try:
                async with asyncio.timeout(FINISH):
                    await self.before_stop()
            except Exception:
                logger.exception("What came last may not have been stored. It was not acknowledged.")
        for socket in sockets:
            socket.say_close(RESTARTING, "the server stops")
        running = [
            cast("asyncio.Future[None]", details["application_instance"])
            for details in self.connections.values()
            if "application_instance" in details and not details["application_instance"].done()
        ]
        if running:
            _, late = await asyncio.wait(running, timeout=FAREWELL)
            for application in late:
                application.cancel()
            if late:
                await asyncio.wait(late, timeout=FAREWELL)
