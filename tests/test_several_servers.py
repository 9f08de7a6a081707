"""Two servers behind one database, as behind a load balancer: either may be asked, either may fall."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests import streams
from tests.serving import Served, served
from tests.test_faults_server import events, get

pytestmark = [pytest.mark.prove, pytest.mark.timeout(180)]

RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()


@pytest.fixture
def two(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[tuple[Served, Served]]:
    settings = {"TURNSCOPE_DATABASE_URL": postgres_url, "TURNSCOPE_REDIS_URL": redis_url}
    with (
        served(tmp_path / "one", settings=settings) as one,
        served(tmp_path / "other", settings=settings) as other,
    ):
        yield one, other


async def greet(producer: ClientConnection, stream: str) -> int:
    await producer.send(json.dumps({"turnscope": 1, "dialect": "ag_ui", "stream": stream, "after": None}))
    return int(json.loads(await producer.recv())["after"])


async def send(producer: ClientConnection, part: list[streams.Event], first: int) -> None:
    lines = streams.ndjson({"n": n, "event": event} for n, event in enumerate(part, first))
    await producer.send(lines, text=True)
    while json.loads(await producer.recv())["ack"] < first + len(part) - 1:
        pass


def dial(server: Served, path: str) -> Any:
    return connect(server.ws(path), compression=None)


async def test_a_viewer_of_one_sees_what_comes_in_at_the_other(two: tuple[Served, Served]) -> None:
    one, other = two
    async with dial(one, "/ws/ingest/watched/") as producer:
        await greet(producer, "s1")
        await send(producer, RUN[:2], 1)
        (turn,) = get(other, "/api/channels/watched/")["turns"]
        async with dial(other, f"/ws/threads/{turn['thread']}/?after={turn['last_seq']}") as viewer:
            await send(producer, RUN[2:], 3)
            async with asyncio.timeout(20):
                assert json.loads(await viewer.recv())["rows"][0] == turn["last_seq"] + 1


async def test_a_stream_goes_on_at_the_other_when_one_is_killed(two: tuple[Served, Served]) -> None:
    one, other = two
    async with dial(one, "/ws/ingest/goes-on/") as producer:
        await greet(producer, "s1")
        await send(producer, RUN[:3], 1)
        one.process.kill()
        one.process.wait()
    async with dial(other, "/ws/ingest/goes-on/") as producer:
        assert await greet(producer, "s1") == 3
        await send(producer, RUN[3:], 4)
    assert await asyncio.to_thread(events, other, "goes-on") == RUN


async def test_two_streams_of_one_thread_may_come_in_at_different_servers(two: tuple[Served, Served]) -> None:
    """Each writer reads what the other wrote, folds it, and numbers its frames behind it."""
    one, other = two
    async with dial(one, "/ws/ingest/both/") as first, dial(other, "/ws/ingest/both/") as second:
        await greet(first, "a")
        await greet(second, "b")
        await send(first, streams.run_started(run="r1"), 1)
        await send(second, streams.run_started(run="r2"), 1)
        await asyncio.gather(*(
            send_many(producer, call) for producer, call in ((first, "a"), (second, "b"))
        ))  # fmt: skip
    (thread,) = {turn["thread"] for turn in get(one, "/api/channels/both/")["turns"]}
    seqs, after = [], 0
    while True:
        page = get(one, f"/api/threads/{thread}/frames?after={after}&limit=500")
        seqs += [frame["seq"] for frame in page["frames"]]
        after = page["more"]
        if not after:
            break
    assert seqs == list(range(1, page["last_seq"] + 1))
    kinds = get(one, f"/api/threads/{thread}/frames?kind=TOOL_CALL_START&limit=500")["frames"]
    assert sorted(frame["call"] for frame in kinds) == sorted(
        f"{side}{n}" for side in "ab" for n in range(40)
    )


async def send_many(producer: ClientConnection, side: str) -> None:
    for n in range(40):
        await send(producer, streams.call_started(f"{side}{n}"), n + 2)


async def test_a_stream_that_moves_is_refused_where_it_was(two: tuple[Served, Served]) -> None:
    one, other = two
    async with dial(one, "/ws/ingest/moves/") as first, dial(other, "/ws/ingest/moves/") as second:
        await greet(first, "s1")
        await send(first, RUN[:2], 1)
        assert await greet(second, "s1") == 2
        await first.send(streams.ndjson([{"n": 3, "event": RUN[2]}]), text=True)
        with pytest.raises(Exception, match="4410"):
            await first.recv()
        await send(second, RUN[2:], 3)
    assert await asyncio.to_thread(lambda: len(get(other, "/api/channels/moves/")["turns"])) == 1
