"""Viewers: what they are sent, in what order, how much at once, and what happens when something is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.db import connection

from tests import streams
from tests.web import LOCAL, WAIT, Socket, in_thread, socket
from turnscope.web import hints, live, patches

INGEST = "/ws/ingest/acme/"
BEGUN = streams.run_started() + streams.call_started("c1")


async def begun(producer: Socket) -> int:
    """A run with an open call; the thread's id."""
    return await brought(producer, BEGUN)


async def brought(producer: Socket, events: list[streams.Event]) -> int:
    """These events are stored; the id of the one thread."""
    from turnscope.store.models import Thread

    await producer.sends(events)
    await producer.hears_until("ack", len(events))
    return int(await in_thread(lambda: Thread.objects.get().pk))


MANY = streams.run_started() + [event for n in range(10) for event in streams.call(f"c{n}")]


def calls_of(patch: Any) -> list[dict[str, Any]]:
    return list(patch.get("calls", {}).values())


# ---------------------------------------------------------------- what a viewer is sent


async def test_a_viewer_is_sent_what_came_before_and_what_comes(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=0") as viewer:
            first = await viewer.hears()
            assert first["seq"] == 3 and first["rows"] == [1, 3]
            assert [call["state"] for call in calls_of(first)] == ["streaming"]
            await producer.sends(streams.call_ended("c1"))
            second = await viewer.hears()
            assert second["rows"] == [4, 4]
            assert [call["state"] for call in calls_of(second)] == ["running"]


async def test_only_what_changed_is_sent(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        await producer.sends(streams.call_started("c2"))
        await producer.hears()
        async with socket(web, f"/ws/threads/{pk}/?after=4") as viewer:
            await producer.sends(streams.call_ended("c2"))
            patch = await viewer.hears()
            assert [call["call_id"] for call in calls_of(patch)] == ["c2"]
            assert "findings" not in patch


async def test_without_a_cursor_it_begins_with_now(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/") as viewer:
            assert await viewer.receive_nothing(0.3)
            await producer.sends(streams.call_ended("c1"))
            assert (await viewer.hears())["rows"] == [4, 4]


async def test_a_finding_is_sent_when_it_opens_and_when_it_closes(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await producer.sends(streams.result("c9"))
            found = list((await viewer.hears())["findings"].values())
            assert [finding["code"] for finding in found if not finding["closed_seq"]]


async def test_nothing_falls_between_the_page_and_the_socket(web: Any) -> None:
    """Many viewers join at any moment of a busy thread; each ends with every seq, in order, none twice."""
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        total = 3

        async def watch() -> list[list[int]]:
            ranges, after = [], 3
            async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
                while after < 3 + 60:
                    patch = await viewer.hears()
                    ranges.append(patch["rows"])
                    after = patch["seq"]
                    await viewer.send_json_to({"ack": after})
            return ranges

        watchers = []
        for _ in range(60):
            await producer.sends(streams.arguments("c1", " "))
            total += 1
            if total % 6 == 0:
                watchers.append(asyncio.create_task(watch()))
            await asyncio.sleep(0.01)
        for ranges in await asyncio.gather(*watchers):
            assert ranges[0][0] == 4
            assert all(before[1] + 1 == after[0] for before, after in zip(ranges, ranges[1:], strict=False))


async def test_a_channels_tail_counts_changes_and_carries_turns(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        await begun(producer)
        async with socket(web, "/ws/channels/acme/?after=0") as viewer:
            first = await viewer.hears()
            assert first["change"] >= 1
            assert [turn["state"] for turn in first["turns"].values()] == ["open"]
            assert [thread["name"] for thread in first["threads"].values()] == [streams.THREAD]
            await producer.sends(streams.call_ended("c1"))
            second = await viewer.hears()
            assert second["change"] > first["change"]
            assert [call["state"] for call in calls_of(second)] == ["running"]


async def test_a_channels_tail_sends_of_each_thread_what_changed(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        await begun(producer)
        async with socket(web, "/ws/channels/acme/?after=0") as viewer:
            await viewer.hears()  # what stands: from here on the tail has its cursor
            other = streams.run_started(thread="other", run="r2") + streams.call_started("x1")
            await producer.sends(other)
            names = {thread["name"] for thread in (await viewer.hears())["threads"].values()}
            assert names == {"other"}


# ---------------------------------------------------------------- how much at once


async def test_two_patches_unacknowledged_are_the_most_and_then_comes_one_of_everything(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=0") as viewer:
            seqs = [(await viewer.hears())["seq"]]
            for n in range(5):
                await producer.sends(streams.call_started(f"d{n}"))
                await producer.hears()
                if len(seqs) < live.UNACKED:
                    seqs.append((await viewer.hears())["seq"])
            assert await viewer.receive_nothing(0.4)
            await viewer.send_json_to({"ack": seqs[-1]})
            merged = await viewer.hears()
            assert merged["rows"] == [seqs[-1] + 1, 8]
            assert len(merged["calls"]) == 8 - seqs[-1]


async def test_a_hidden_tab_is_sent_nothing_until_it_is_seen_again(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await viewer.send_json_to({"pause": True})
            await asyncio.sleep(0.1)
            await producer.sends(streams.call_ended("c1"))
            assert await viewer.receive_nothing(0.4)
            await viewer.send_json_to({"pause": False})
            assert (await viewer.hears())["rows"] == [4, 4]


async def test_a_viewer_that_never_acknowledges_is_told_that_it_is_slow(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "PATIENCE", 0.1)
    monkeypatch.setattr(live, "LOOK", 0.1)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        viewer = Socket(web, f"/ws/threads/{pk}/?after=0", headers=LOCAL)
        await viewer.opens()
        assert await viewer.closed_with() == live.SLOW
        await viewer.disconnect()


async def test_what_is_more_than_a_patch_holds_comes_in_several(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(patches, "ROWS", 4)
    async with socket(web, INGEST) as producer:
        pk = await brought(producer, MANY)
        async with socket(web, f"/ws/threads/{pk}/?after=0") as viewer:
            seen: set[str] = set()
            seq = 0
            while seq < 32:
                patch = await viewer.hears()
                assert patch["rows"] == [seq + 1, patch["seq"]]
                seq = patch["seq"]
                seen |= {call["call_id"] for call in calls_of(patch)}
                await viewer.send_json_to({"ack": seq})
            assert seen == {f"c{n}" for n in range(10)}


async def test_all_viewers_at_one_cursor_share_one_query(web: Any, monkeypatch: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        viewers = [Socket(web, f"/ws/threads/{pk}/?after=3", headers=LOCAL) for _ in range(20)]
        for viewer in viewers:
            await viewer.opens()
        await asyncio.sleep(0.2)
        asked = []
        real = patches.thread_patch
        feed = next(iter(live.hub().feeds.values()))
        feed.query = lambda after: asked.append(after) or real(pk, after)  # type: ignore[func-returns-value]
        await producer.sends(streams.call_ended("c1"))
        for viewer in viewers:
            await viewer.hears()
        assert asked == [3]
        for viewer in viewers:
            await viewer.disconnect()
        assert live.hub().feeds == {}


async def test_a_patch_costs_a_fixed_number_of_queries(web: Any, django_assert_max_num_queries: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await brought(producer, MANY)

    def ask() -> None:
        with django_assert_max_num_queries(7, connection=connection):
            patch = patches.thread_patch(pk, 0)
            assert patch is not None

    await in_thread(ask)


# ---------------------------------------------------------------- what is lost


async def test_a_lost_hint_costs_a_moment_and_no_data(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "LOOK", 0.1)

    async def lost(*_: Any) -> None:
        pass

    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            monkeypatch.setattr(type(get_channel_layer()), "group_send", lost)
            monkeypatch.setattr(hints.hints, "near", None)
            await producer.sends(streams.call_ended("c1"))
            assert (await viewer.hears())["rows"] == [4, 4]


async def test_a_layer_that_breaks_is_outlived(
    web: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(live, "LOOK", 0.1)
    layer = type(get_channel_layer())

    async def broken(*_: Any) -> None:
        raise TimeoutError("the layer is away")

    async with socket(web, INGEST) as producer:
        with monkeypatch.context() as away:
            away.setattr(layer, "receive", broken)
            away.setattr(layer, "group_send", broken)
            pk = await begun(producer)
            async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
                monkeypatch.setattr(hints.hints, "near", None)  # as where another process commits
                await producer.sends(streams.call_ended("c1"))
                assert (await viewer.hears())["rows"] == [4, 4]
        assert "the layer is away" in caplog.text
        monkeypatch.setattr(live, "LOOK", 60)
        async with socket(web, f"/ws/threads/{pk}/?after=4") as viewer:
            await asyncio.sleep(0.3)
            monkeypatch.setattr(hints.hints, "near", None)
            await producer.sends(streams.result("c1"))
            assert (await viewer.hears())["rows"] == [5, 5]  # by a hint again


async def test_hints_are_few_and_carry_no_content(web: Any, monkeypatch: Any) -> None:
    sent: list[tuple[float, str, dict[str, Any]]] = []
    layer = type(get_channel_layer())
    real = layer.group_send

    async def noted(self: Any, group: str, message: dict[str, Any]) -> None:
        sent.append((asyncio.get_running_loop().time(), group, message))
        await real(self, group, message)

    monkeypatch.setattr(layer, "group_send", noted)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        began = asyncio.get_running_loop().time()
        for _ in range(100):
            await producer.sends(streams.arguments("c1", "secret"))
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.2)
    mine = [at for at, group, _ in sent if group == f"turnscope.thread.{pk}" and at >= began]
    assert 2 <= len(mine) <= (max(mine) - began) / 0.045 + 2
    assert "secret" not in str(sent) and streams.THREAD not in str(sent)


@pytest.mark.parametrize("path", ["/ws/threads/999/", "/ws/channels/nobody/", "/ws/channels/..%2F/"])
async def test_what_is_not_there_is_told(web: Any, path: str) -> None:
    viewer = Socket(web, path, headers=LOCAL)
    await viewer.opens()
    assert await viewer.closed_with() == live.GONE
    await viewer.disconnect()


async def test_a_viewer_that_knows_more_than_there_is_should_reload(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        viewer = Socket(web, f"/ws/threads/{pk}/?after=99", headers=LOCAL)
        await viewer.opens()
        assert await viewer.closed_with() == live.RELOAD
        await viewer.disconnect()


async def test_a_thread_that_is_pruned_says_goodbye(web: Any, monkeypatch: Any) -> None:
    from turnscope.store.models import Thread

    monkeypatch.setattr(live, "LOOK", 0.1)
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        viewer = Socket(web, f"/ws/threads/{pk}/?after=3", headers=LOCAL)
        await viewer.opens()
        await asyncio.sleep(0.2)
        await in_thread(Thread.objects.filter(pk=pk).delete)
        assert await viewer.closed_with() == live.GONE
        await viewer.disconnect()


@pytest.mark.parametrize("said", ["", "{", "[]", "7", '{"ack": "x"}', '{"ack": null, "pause": 3}', "\ud800"])
async def test_nonsense_from_a_viewer_changes_nothing(web: Any, said: str) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await viewer.send_input({"type": "websocket.receive", "text": said})
            await producer.sends(streams.call_ended("c1"))
            assert (await asyncio.wait_for(viewer.hears(), WAIT))["rows"] == [4, 4]


async def test_hearing_ends_when_cancelled_though_the_layer_makes_an_error_of_it() -> None:
    """As redis-py does when a connection is cut in the middle of being cancelled."""

    class Layer:
        async def receive(self, name: str) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise ConnectionError("cut") from None

    hub = live.Hub()
    hub._layer = Layer()
    hearing = asyncio.create_task(hub._hear())
    await asyncio.sleep(0)
    hearing.cancel()
    done, _ = await asyncio.wait([hearing], timeout=WAIT)
    assert done == {hearing} and hearing.cancelled()


async def test_hearing_ends_when_cancelled_though_the_layer_swallows_it_once() -> None:
    """As redis-py does when the cancellation meets one of its retries."""
    swallowed = []

    class Layer:
        async def receive(self, name: str) -> None:
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    if swallowed:
                        raise
                    swallowed.append(name)

    hub = live.Hub()
    hub._layer = Layer()
    hearing = asyncio.create_task(hub._hear())
    await asyncio.sleep(0.01)
    hearing.cancel()
    done, _ = await asyncio.wait([hearing], timeout=WAIT)
    assert done == {hearing} and hearing.cancelled() and swallowed
