"""The one thread that writes: what it gathers, what it does with a failure, what it looks after meanwhile."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests import streams
from tests.web import LOCAL, WAIT, Socket, in_thread, socket, stored
from turnscope.web import sockets, writer

INGEST = "/ws/ingest/acme/"
RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()


async def test_what_many_sockets_send_at_once_is_one_commit(web: Any, monkeypatch: Any) -> None:
    """Group commit: while the writer is busy, batches of all sockets gather for the next transaction."""
    commits: list[int] = []
    busy, go = threading.Event(), threading.Event()
    real = writer.get_writer().journal.append_many

    def counted(batches: Any) -> Any:
        if not busy.is_set():
            busy.set()
            go.wait(WAIT)
        commits.append(len(batches))
        return real(batches)

    monkeypatch.setattr(writer.get_writer().journal, "append_many", counted)
    producers = [Socket(web, INGEST, headers=LOCAL) for _ in range(5)]
    for at, producer in enumerate(producers):
        await producer.opens()
        await producer.says_hello(stream=f"s{at}")
    await producers[0].sends(RUN[:1], first=1)
    await in_thread(busy.wait, WAIT)
    for at, producer in enumerate(producers):
        await producer.sends(streams.run_started(thread=f"t{at}"), first=2)
    await asyncio.sleep(0.1)
    go.set()
    for producer in producers:
        await producer.hears_until("ack", 2)
    assert commits == [1, 5]
    for producer in producers:
        await producer.disconnect()


async def test_frames_that_could_not_be_stored_are_not_acknowledged_nor_what_follows(
    web: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """An ack is cumulative: one for what came behind a hole would cover the hole."""
    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.says_hello()
    journal = writer.get_writer().journal

    def broken(*_: Any) -> Any:
        raise OSError("the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(journal, "append_many", broken)
        await producer.sends(RUN[:2], first=1)
        assert await producer.closed_with() == sockets.TRY_AGAIN
    await producer.sends(RUN[2:], first=3)
    await producer.disconnect()
    assert "the disk is full" in caplog.text
    assert await in_thread(stored) == []
    async with socket(web, INGEST) as again:
        assert (await again.says_hello())["after"] == 0


async def test_a_stream_that_could_not_be_stored_is_lost_once_nobody_came_back(
    web: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    from turnscope.store.models import Stream

    def broken(*_: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(sockets, "GRACE", 0.05)
    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.says_hello()
    with monkeypatch.context() as disk:
        disk.setattr(writer.get_writer().journal, "append_many", broken)
        await producer.sends(RUN[:2], first=1)
        assert await producer.closed_with() == sockets.TRY_AGAIN
    await producer.disconnect(1013, WAIT)
    assert await in_thread(lambda: Stream.objects.get().closed_why) == "lost"


async def test_one_broken_stream_does_not_stop_the_others(web: Any, monkeypatch: Any) -> None:
    journal = writer.get_writer().journal
    real = journal.append_many

    def many(batches: Any) -> Any:
        if any(b"poison" in frame.raw for _, frames in batches for frame in frames):
            raise ValueError("poison")
        return real(batches)

    monkeypatch.setattr(journal, "append_many", many)
    good, bad = (Socket(web, INGEST, headers=LOCAL) for _ in range(2))
    for name, producer in (("good", good), ("bad", bad)):
        await producer.opens()
        await producer.says_hello(stream=name)
    held = writer.get_writer()
    release = threading.Event()
    waiting = asyncio.ensure_future(held.call(release.wait, WAIT))
    await bad.send_to(text_data='{"poison": 1}')
    await good.sends(RUN[:1], first=1)
    await asyncio.sleep(0.1)
    release.set()
    await waiting
    assert (await good.hears())["ack"] == 1
    assert await bad.closed_with() == sockets.TRY_AGAIN
    await good.disconnect()
    await bad.disconnect()


async def test_the_writer_closes_connections_that_are_old(web: Any, monkeypatch: Any) -> None:
    """Messages hop no thread, so nothing closes old connections for them: the writer does, by the clock."""
    from django.db import connection

    monkeypatch.setattr(writer, "WATCH", 0.05)
    keeper = writer.get_writer()
    held: list[Any] = []

    def use() -> None:
        connection.ensure_connection()
        held.append(connection.connection)

    await keeper.call(use)
    await asyncio.sleep(0.3)
    await keeper.call(use)
    assert held[0] is not held[1]


async def test_the_watch_looks_at_the_clock_while_it_serves(web: Any, monkeypatch: Any) -> None:
    from turnscope.store.models import Channel, Finding

    monkeypatch.setattr(writer, "WATCH", 0.05)
    await in_thread(lambda: Channel.objects.create(slug="acme", settings={"limits": {"default": 100}}))
    async with socket(web, INGEST) as producer:
        await producer.sends(streams.run_started() + streams.call("c1"))
        await producer.hears_until("ack", 4)
        for _ in range(100):
            await asyncio.sleep(0.05)
            if await in_thread(Finding.objects.filter(code="C01").exists):
                return
    pytest.fail("nobody noticed that the call is overdue")


async def test_a_mistake_of_ours_does_not_end_the_writer(
    web: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def mistaken(_: bytes) -> list[bytes]:
        raise RecursionError("ours")

    first = Socket(web, INGEST, headers=LOCAL)
    await first.opens()
    await first.says_hello()
    with monkeypatch.context() as patch:
        patch.setattr(writer.framing, "split", mistaken)
        await first.sends(RUN, first=1)
        assert await first.closed_with() == sockets.TRY_AGAIN
    await first.disconnect()
    async with socket(web, INGEST) as again:
        assert (await again.says_hello())["after"] == 0
        await again.sends(RUN, first=1)
        await again.hears_until("ack", len(RUN))


async def test_after_a_lost_connection_nothing_is_tried_twice(
    web: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The commit may have gone through: what a second try would store is then there twice."""
    from django.db import OperationalError

    journal = writer.get_writer().journal
    tried: list[int] = []

    def cut(batches: Any) -> Any:
        tried.append(len(batches))
        raise OperationalError("server closed the connection unexpectedly")

    producers = [Socket(web, INGEST, headers=LOCAL) for _ in range(2)]
    for at, producer in enumerate(producers):
        await producer.opens()
        await producer.says_hello(stream=f"s{at}")
    release = threading.Event()
    waiting = asyncio.ensure_future(writer.get_writer().call(release.wait, WAIT))
    monkeypatch.setattr(journal, "append_many", cut)
    for producer in producers:
        await producer.sends(RUN, first=1)
    await asyncio.sleep(0.1)
    release.set()
    await waiting
    for producer in producers:
        assert await producer.closed_with() == sockets.TRY_AGAIN
        await producer.disconnect()
    assert tried == [2]


async def test_who_was_forestalled_by_another_process_tries_again(web: Any, monkeypatch: Any) -> None:
    from turnscope.store.posting import Stale

    journal, stale = writer.get_writer().journal, [Stale("thread 1 has grown")] * 2
    real = journal.append_many

    def late(batches: Any) -> Any:
        if stale:
            raise stale.pop()
        return real(batches)

    monkeypatch.setattr(journal, "append_many", late)
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        await producer.sends(RUN, first=1)
        assert (await producer.hears())["ack"] == len(RUN)
