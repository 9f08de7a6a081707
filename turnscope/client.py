"""Record an agent's events in Turnscope while it works.

    recorder = Recorder("http://127.0.0.1:8000", "acme-support")
    for event in agent.run(question):
        recorder.send(event)
        yield event
    recorder.close()

`send` never waits and never raises: a thread of its own numbers the events, sends them in batches, waits
for acknowledgements and resumes where the server left off. When the server is away, events wait in memory
up to a bound; beyond it they are lost, counted in `lost`, and the server sees the hole in the numbers.
The same object serves synchronous and asynchronous code. It imports nothing else of Turnscope.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import inspect
import json
import logging
import random
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

logger = logging.getLogger("turnscope.client")

LINES, BATCH = 1_000, 256 * 1024
"""What one message holds at most: lines, and bytes (a single larger line goes alone)."""
LARGEST = 16 * 1024**2
"""Bytes of the largest event that is sent: the server's own default."""
BUFFER = 32 * 1024**2
"""Bytes that may wait for the server."""
BACKOFF = (0.25, 8.0)
"""Seconds between two attempts to connect: the first, and the longest."""
OPEN_WITHIN = 5.0
"""Seconds for a connection and its first answer."""

NEAR = ("localhost", "127.0.0.1", "::1")
"""Hosts that are reached without the proxy of the environment."""

Phase: TypeAlias = Literal["start", "result", "error"]
FINAL = (4400, 4401, 4404, 4409, 4410, 4413)
"""Close codes after which coming again would change nothing (4410: another connection has this stream)."""


class Refused(Exception):
    """The server will not take this stream, and says why."""


class Recorder:
    """Sends one stream of events to a channel.

    `stream` is your own id for it: a later process that gives the same id continues the stream. Without
    one it is a new stream, which resumes as long as this object lives. `token` is the channel's.
    """

    def __init__(
        self,
        server: str,
        channel: str,
        *,
        stream: str | None = None,
        dialect: str = "ag_ui",
        token: str | None = None,
        buffer: int = BUFFER,
    ) -> None:
        parts = urlsplit(server)
        scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
        path = f"{parts.path.rstrip('/')}/ws/ingest/{quote(channel, safe='')}/"
        self.url = urlunsplit((scheme, parts.netloc, path, "", ""))
        self.stream = stream or f"client-{uuid.uuid4().hex}"
        self.dialect = dialect
        self.lost = 0
        """Events that were not kept: too large, or the server was away for too long."""
        self.refused = ""
        """Why the server will not take the stream; "" while it does. Then nothing more is sent or kept."""
        self._token = token
        self._room = buffer
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, bytes]] = deque()
        """(number, line without it) of what is not acknowledged."""
        self._size = 0
        self._sent = 0
        """How many of them are under way."""
        self._last = 0
        """The last number given, counted from `_base`."""
        self._base: int | None = None
        """What the server had of this stream when we first met it; None: not met yet."""
        self._met = False
        """The server has answered on this connection."""
        self._acked = threading.Condition(self._lock)
        self._stopping = False
        self._telling = threading.RLock()
        """Held while something is logged: a recorder that is closed says nothing more."""
        self._news: asyncio.Event | None = None
        self._halt: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="turnscope-recorder", daemon=True)
        self._thread.start()
        atexit.register(self.close, 2.0)

    # ------------------------------------------------------------ what a host calls

    def send(self, event: Any, *, thread: str | None = None, run: str | None = None) -> None:
        """Record one event: a mapping, a pydantic model, JSON text, or an SSE block of it.

        `thread` and `run` say whose it is where the event does not and several share this recorder.
        """
        fields = {"threadId": thread, "runId": run}
        names = "".join(f'"{key}":{json.dumps(value)},' for key, value in fields.items() if value is not None)
        self._add(names, event)

    def evidence(self, call: str, phase: Phase, content: Any = None, *, thread: str | None = None) -> None:
        """Say what this host saw of a tool: that it started, what came out, how it failed."""
        seen = {"toolCallId": call, "phase": phase, "at": _now(), "content": content}
        self.send({"evidence": seen}, thread=thread)

    def capture(
        self, tool: Callable[..., Any], *, call_id: str = "tool_call_id", thread: str | None = None
    ) -> Callable[..., Any]:
        """The same tool, and evidence of each call: its start, its result or its error.

        The call's id comes as the keyword argument `call_id`, which is handed on if the tool takes it.
        A call without an id is not recorded. What the tool returns or raises is untouched.
        """
        parameters: Mapping[str, inspect.Parameter] = {}
        with suppress(TypeError, ValueError):  # a builtin does not tell
            parameters = inspect.signature(tool).parameters
        takes = call_id in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())

        @contextmanager
        def watched(arguments: dict[str, Any]) -> Iterator[list[Any]]:
            call = arguments.get(call_id) if takes else arguments.pop(call_id, None)
            result: list[Any] = []
            if not isinstance(call, str):
                yield result
                return
            self.evidence(call, "start", thread=thread)
            try:
                yield result
            except BaseException as error:
                self.evidence(call, "error", f"{type(error).__name__}: {error}", thread=thread)
                raise
            self.evidence(call, "result", result[0], thread=thread)

        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def captured_async(*args: Any, **arguments: Any) -> Any:
                with watched(arguments) as result:
                    result.append(await tool(*args, **arguments))
                return result[0]

            return captured_async

        @functools.wraps(tool)
        def captured(*args: Any, **arguments: Any) -> Any:
            with watched(arguments) as result:
                result.append(tool(*args, **arguments))
            return result[0]

        return captured

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything is stored; whether it is. False at once when the server refuses."""
        with self._acked:
            self._acked.wait_for(lambda: not self._waiting or bool(self.refused), timeout)
            return not self._waiting and not self.refused

    async def flushed(self, seconds: float = 5.0) -> bool:
        """The same for asynchronous code."""
        return await asyncio.to_thread(self.flush, seconds)

    def close(self, timeout: float = 5.0) -> bool:
        """Flush, and end the stream. Whether everything is stored."""
        stored = self.flush(timeout)
        with self._telling:
            self._stopping = True
        self._set(self._halt)
        self._set(self._news)
        self._thread.join(timeout)
        with self._lock:
            self.lost += len(self._waiting)
            self._waiting.clear()
        atexit.unregister(self.close)
        return stored

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------ the queue

    def _add(self, names: str, event: Any) -> None:
        try:
            line = f'"at":{_now()},{names}"event":{spell(event)}}}\n'.encode()
        except Exception:
            logger.exception("An event could not be spelled as JSON; it is not recorded.")
            line = b""
        with self._lock:
            self._last += 1
            if not line or len(line) > LARGEST or self._size + len(line) > self._room or self.refused:
                self.lost += 1
                return
            self._waiting.append((self._last, line))
            self._size += len(line)
        self._set(self._news)

    def _set(self, flag: asyncio.Event | None) -> None:
        if self._loop is not None and flag is not None:
            with suppress(RuntimeError):  # the thread has just ended
                self._loop.call_soon_threadsafe(flag.set)

    def _stored(self, n: int) -> None:
        """Everything up to the server's `n` is stored."""
        base = self._base or 0
        with self._acked:
            while self._waiting and self._waiting[0][0] + base <= n:
                self._size -= len(self._waiting.popleft()[1])
                self._sent = max(0, self._sent - 1)
            self._acked.notify_all()

    def _batch(self, room: int) -> tuple[int, bytes] | None:
        """The next message and its last number, of at most about `room` bytes. None: nothing waits."""
        base = self._base or 0
        lines: list[bytes] = []
        size = n = 0
        with self._lock:
            for index in range(self._sent, min(len(self._waiting), self._sent + LINES)):
                number, line = self._waiting[index]
                if lines and size + len(line) > min(BATCH, room):
                    break
                n = base + number
                lines.append(b'{"n":%d,' % n + line)
                size += len(lines[-1])
            self._sent += len(lines)
        return (n, b"".join(lines)) if lines else None

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            asyncio.run(self._keep_connected())
        except Exception as error:
            self._give_up(f"the recorder failed: {error!r}", error)

    async def _keep_connected(self) -> None:
        self._loop, self._news, self._halt = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        pause, told = BACKOFF[0], False
        while not self._stopping:
            try:
                await self._connection()
                return
            except Refused as why:
                self._give_up(str(why))
                return
            except (OSError, WebSocketException, TimeoutError) as error:
                if not told:
                    self._tell(logging.WARNING, "%s cannot be reached (%s); events wait.", self.url, error)
                told = True
            if self._met:
                pause, told = BACKOFF[0], False
            with suppress(TimeoutError):
                await asyncio.wait_for(self._halt.wait(), pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, BACKOFF[1])

    def _tell(self, level: int, message: str, *values: object, error: Exception | None = None) -> None:
        """Log it, unless the host has closed us: its handlers may be gone by then."""
        with self._telling:
            if not self._stopping:
                logger.log(level, message, *values, exc_info=error)

    def _give_up(self, why: str, error: Exception | None = None) -> None:
        self._tell(logging.WARNING if error is None else logging.ERROR, "Not recorded: %s", why, error=error)
        with self._acked:
            self.refused = why
            self.lost += len(self._waiting)
            self._waiting.clear()
            self._size = self._sent = 0
            self._acked.notify_all()

    async def _connection(self) -> None:
        """One connection, until it breaks (raises) or the recorder stops (returns)."""
        self._met = False
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else None
        try:
            async with connect(
                self.url,
                additional_headers=headers,
                open_timeout=OPEN_WITHIN,
                compression=None,
                proxy=None if urlsplit(self.url).hostname in NEAR else True,
            ) as socket:
                window = await self._greet(socket)
                self._met = True
                under_way: deque[tuple[int, int]] = deque()
                reading = asyncio.create_task(self._read(socket, under_way))
                try:
                    await self._write(socket, window, under_way, reading)
                finally:
                    reading.cancel()
        except ConnectionClosed as closed:
            received = closed.rcvd
            if received is not None and received.code in FINAL:
                raise Refused(f"{received.code} {received.reason}") from closed
            raise
        except InvalidStatus as answer:
            if answer.response.status_code in (400, 401, 403, 404):
                raise Refused(f"the server answers {answer.response.status_code}") from answer
            raise

    async def _greet(self, socket: ClientConnection) -> Mapping[str, int]:
        """Say hello and learn where the server is; the window it wishes."""
        hello = {"turnscope": 1, "dialect": self.dialect, "stream": self.stream, "after": self._base}
        await socket.send(json.dumps(hello))
        ready = json.loads(await asyncio.wait_for(socket.recv(), OPEN_WITHIN))
        if self._base is None:
            self._base = int(ready["after"])
        self._sent = 0
        self._stored(int(ready["after"]))
        window: Mapping[str, int] = ready.get("window", {})
        return window

    async def _write(
        self,
        socket: ClientConnection,
        window: Mapping[str, int],
        under_way: deque[tuple[int, int]],
        reading: asyncio.Task[None],
    ) -> None:
        news = self._news
        assert news is not None
        messages, room = window.get("frames", 8), window.get("bytes", 2 * 1024**2)
        while not self._stopping:
            if reading.done():
                await reading
            news.clear()
            left = room - sum(size for _, size in under_way)
            batch = self._batch(left) if len(under_way) < messages and left > 0 else None
            if batch is not None:
                under_way.append((batch[0], len(batch[1])))
                await socket.send(batch[1], text=True)
            else:
                await news.wait()

    async def _read(self, socket: ClientConnection, under_way: deque[tuple[int, int]]) -> None:
        assert self._news is not None
        try:
            async for message in socket:
                n = json.loads(message).get("ack")
                if isinstance(n, int):
                    while under_way and under_way[0][0] <= n:
                        under_way.popleft()
                    self._stored(n)
                    self._news.set()
            raise ConnectionError("the server closed the connection")
        finally:
            self._news.set()


def spell(event: Any) -> str:
    """An event as one JSON object on one line. Text that is one stays as it is; other text is sent as RAW."""
    if hasattr(event, "model_dump_json"):
        return str(event.model_dump_json(by_alias=True, exclude_none=True))
    if isinstance(event, bytes | bytearray):
        event = bytes(event).decode("utf-8", "replace")
    if not isinstance(event, str):
        return _dumps(event if isinstance(event, Mapping) else {"type": "RAW", "event": event})
    text = event.strip()
    if text.startswith("data:"):
        text = "\n".join(line[5:].strip() for line in text.splitlines() if line.startswith("data:"))
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return _dumps({"type": "RAW", "event": event})
    return text if "\n" not in text else _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, default=str, separators=(",", ":"))


def _now() -> int:
    return time.time_ns() // 1_000_000
