"""The server is killed while it takes a stream in, again and again; the producer comes back each time.

Whatever was acknowledged is there, and nothing is there twice. On SQLite and on PostgreSQL.
"""

from __future__ import annotations

import asyncio
import json
import random
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests import streams
from tests.services import free_port
from tests.serving import Served, served

EACH = 20
"""Frames of one message."""


class Producer:
    """Numbers its frames, remembers what was acknowledged, and goes on where the server says."""

    def __init__(self, count: int) -> None:
        body = [event for n in range(count) for event in streams.event("CUSTOM", name="n", value=n)]
        self.frames = streams.run_started() + body + streams.finished()
        self.acked = 0

    def message(self, after: int) -> bytes:
        wanted = enumerate(self.frames[after : after + EACH], after + 1)
        return streams.ndjson({"n": n, "event": event} for n, event in wanted)

    async def run(self, server: Served) -> None:
        """Send until everything is acknowledged, or the line breaks."""
        async with connect(server.ws("/ws/ingest/acme/"), compression=None) as socket:
            await socket.send(
                json.dumps({"turnscope": 1, "dialect": "ag_ui", "stream": "s1", "after": self.acked})
            )
            after = json.loads(await socket.recv())["after"]
            assert after >= self.acked, f"{self.acked} were acknowledged and {after} are there"
            sending = asyncio.create_task(self._send(socket, after))
            try:
                while self.acked < len(self.frames):
                    self.acked = json.loads(await socket.recv())["ack"]
            finally:
                sending.cancel()

    async def _send(self, socket: Any, after: int) -> None:
        while after < len(self.frames):
            await socket.send(self.message(after), text=True)
            after += EACH
            await asyncio.sleep(0.002)  # so that the kill falls somewhere in between


async def killed(home: Path, kills: int, count: int, settings: Mapping[str, str], seed: int = 1) -> None:
    """Kill the server `kills` times while `count` frames come in, and look at what is there in the end."""
    producer, when, port = Producer(count), random.Random(seed), free_port()
    for _ in range(kills):
        with served(home, port=port, settings=settings) as server:
            running = asyncio.create_task(producer.run(server))
            await asyncio.wait({running}, timeout=when.uniform(0.02, 0.25))
            server.process.kill()
            server.process.wait()
            try:
                await running
            except (ConnectionClosed, InvalidHandshake, OSError):
                pass
    with served(home, port=port, settings=settings) as server:
        await producer.run(server)
        assert await asyncio.to_thread(events, server) == producer.frames


def events(server: Served, channel: str = "acme") -> list[Any]:
    """Every event of the channel's one turn, as the bytes that came."""
    (turn,) = get(server, f"/api/channels/{channel}/")["turns"]
    (run,) = get(server, f"/api/turns/{turn['id']}/")["runs"]
    with urllib.request.urlopen(f"{server.url}/api/runs/{run['id']}/events") as answer:
        return [json.loads(line) for line in answer]


def get(server: Served, path: str) -> Any:
    with urllib.request.urlopen(server.url + path) as answer:
        return json.load(answer)


async def test_a_killed_server_loses_no_acknowledged_frame_and_doubles_none(tmp_path: Path) -> None:
    await killed(tmp_path / "home", kills=2, count=1_500, settings={})


@pytest.mark.prove
@pytest.mark.timeout(900)
async def test_fifty_kills_on_sqlite(tmp_path: Path) -> None:
    await killed(tmp_path / "home", kills=50, count=40_000, settings={}, seed=2)


@pytest.mark.prove
@pytest.mark.timeout(900)
async def test_kills_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    settings = {"TURNSCOPE_DATABASE_URL": postgres_url}
    await killed(tmp_path / "home", kills=20, count=20_000, settings=settings, seed=3)
