"""How soon a viewer is sent what came, and by which way it hears of it. Pauses are hours here."""

from __future__ import annotations

import asyncio
from typing import Any

from channels.layers import get_channel_layer
from django.db import OperationalError, connection

from tests import streams
from tests.test_live import INGEST, begun
from tests.web import socket
from turnscope.web import hints, live

HOURS = 3600.0
"""Seconds that no test waits."""


async def settled() -> None:
    """A viewer that has just joined is one the hub has looked at."""
    await asyncio.sleep(0.1)


async def test_an_event_that_comes_to_a_tail_at_rest_is_sent_before_any_pause(
    web: Any, monkeypatch: Any
) -> None:
    """Pauses are hours here: joining and acknowledging begin none, a patch does."""
    for module, name in ((live, "LEAST"), (live, "MOST"), (live, "LOOK"), (hints, "EVERY")):
        monkeypatch.setattr(module, name, HOURS)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await settled()
            for said in ({"ack": 3}, {"pause": True}, {"pause": False}, {"ack": 3}):
                await viewer.send_json_to(said)
                await settled()
            await producer.sends(streams.arguments("c1", "{"))
            assert (await viewer.hears())["rows"] == [4, 4]
            await viewer.send_json_to({"ack": 4})
            await producer.sends(streams.arguments("c1", "}"))
            assert await viewer.receive_nothing(0.3)
            (feed,) = live.hub().feeds.values()
            feed.rests_until = 0.0
            live.hub().due(feed)
            assert (await viewer.hears())["rows"] == [5, 5]


async def test_a_tail_that_rests_keeps_no_other_waiting(web: Any, monkeypatch: Any) -> None:
    for name in ("LEAST", "MOST", "LOOK"):
        monkeypatch.setattr(live, name, HOURS)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with (
            socket(web, "/ws/channels/acme/?after=0") as channel,
            socket(web, f"/ws/threads/{pk}/?after=3") as viewer,
        ):
            await channel.hears()  # and rests now
            await producer.sends(streams.arguments("c1", "{"))
            assert (await viewer.hears())["rows"] == [4, 4]
            assert await channel.receive_nothing(0.3)


async def test_who_watches_where_it_is_committed_needs_no_layer(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "LOOK", HOURS)

    async def lost(*_: Any) -> None:
        pass

    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            monkeypatch.setattr(type(get_channel_layer()), "group_send", lost)
            await producer.sends(streams.call_ended("c1"))
            assert (await viewer.hears())["rows"] == [4, 4]


async def test_a_tail_that_could_not_be_read_is_read_again(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "LOOK", HOURS)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await settled()
            (feed,) = live.hub().feeds.values()
            real, failed = feed.query, []

            def once(*args: Any) -> Any:
                if not failed:
                    failed.append(args)
                    connection.close()
                    raise OperationalError("the database is away")
                return real(*args)

            feed.query = once
            await producer.sends(streams.call_ended("c1"))
            assert (await viewer.hears())["rows"] == [4, 4]
            assert failed == [(3,)]
