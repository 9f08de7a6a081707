"""Turnscope as an ASGI application in the test's own event loop, with a journal and writer of its own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connections

from tests.streams import Event, ndjson

LOCAL = [(b"host", b"localhost:8000")]
WAIT = 5.0
"""Seconds for an answer; one takes some milliseconds."""


@pytest.fixture
def web(transactional_db: None) -> Iterator[Any]:
    """The application, over an empty database. Its journal and writer are new, and end with the test."""
    from turnscope.asgi import application
    from turnscope.store import journal
    from turnscope.web import live, sockets, writer

    def renew() -> None:
        journal._journal = writer._writer = live._hub = None
        sockets.Ingest.open.clear()

    renew()
    yield application
    if writer._writer is not None:
        writer._writer.stop()
    renew()
    # channels' communicator keeps connections from being closed while it runs.
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


class Socket(WebsocketCommunicator):
    """A socket of a test: patient, and with the words that tests use."""

    async def opens(self) -> bool:
        opened, _ = await self.connect(WAIT)
        return bool(opened)

    async def hears(self) -> Any:
        """The next message."""
        return await self.receive_json_from(WAIT)

    async def hears_until(self, key: str, value: int) -> Any:
        """The first message whose `key` has reached `value`."""
        while True:
            message = await self.hears()
            if message.get(key, -1) >= value:
                return message

    async def closed_with(self) -> int:
        """The code it is closed with; messages before are read over."""
        while (message := await self.receive_output(WAIT))["type"] != "websocket.close":
            pass
        return int(message["code"])

    async def says_hello(self, stream: str | None = "s1", **fields: Any) -> Any:
        await self.send_json_to(
            {"turnscope": 1, "dialect": "ag_ui", "stream": stream, "after": None, **fields}
        )
        return await self.hears()

    async def sends(self, events: Sequence[Event], first: int = 0) -> None:
        """One batch; numbered from `first` unless that is 0."""
        if first:
            events = [{"n": n, "event": event} for n, event in enumerate(events, first)]
        await self.send_to(text_data=ndjson(events).decode())


@asynccontextmanager
async def socket(
    application: Any, path: str, headers: Sequence[tuple[bytes, bytes]] = LOCAL, protocols: Sequence[str] = ()
) -> AsyncIterator[Socket]:
    """An open socket; it leaves at the end."""
    one = Socket(application, path, headers=list(headers), subprotocols=list(protocols))
    assert await one.opens()
    try:
        yield one
    finally:
        await one.disconnect(1000, WAIT)


async def in_thread(function: Any, *args: Any) -> Any:
    """What a blocking function returns: the database is asked this way."""
    return await database_sync_to_async(function)(*args)


def stored(channel: str = "acme") -> list[bytes]:
    """The raw frames of a channel's threads, marks left out."""
    from turnscope.core.kinds import MARK
    from turnscope.store import reading
    from turnscope.store.models import Thread

    threads = Thread.objects.filter(channel__slug=channel).order_by("pk").values_list("pk", flat=True)
    return [frame.raw for thread in threads for frame in reading.read(thread) if frame.kind < MARK]


def stored_events(channel: str = "acme") -> list[Any]:
    """The same, decoded."""
    return [json.loads(raw) for raw in stored(channel)]
