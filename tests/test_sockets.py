"""Producers over a socket: hello and resume, acks after the commit, taking over, bad frames, closing."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from tests import streams
from tests.web import LOCAL, WAIT, Socket, in_thread, socket, stored, stored_events
from turnscope.web import sockets, writer

INGEST = "/ws/ingest/acme/"
RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()


async def test_a_batch_is_acknowledged_once_it_is_stored(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        assert await producer.says_hello() == {
            "ready": True, "after": 0, "window": {"frames": 8, "bytes": 2097152}
        }  # fmt: skip
        await producer.sends(RUN, first=1)
        ack = await producer.hears()
        assert ack["ack"] == len(RUN)
        assert len(await in_thread(stored)) == len(RUN)


async def test_a_bare_client_needs_no_hello_and_no_numbers(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        for event in RUN:
            await producer.send_json_to(event)
        await producer.hears_until("ack", len(RUN))
        assert await in_thread(stored_events) == RUN


@pytest.mark.parametrize("spelled", ["lines", "array", "one object", "sse", "binary"])
async def test_a_message_is_lines_an_array_one_object_or_sse(web: Any, spelled: str) -> None:
    events = RUN[:1] if spelled == "one object" else RUN
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        lines = streams.ndjson(events).decode()
        if spelled == "binary":
            await producer.send_to(bytes_data=lines.encode())
        else:
            text = {
                "lines": lines,
                "array": json.dumps(events),
                "one object": json.dumps(events[0], indent=2),
                "sse": "".join(f"data: {json.dumps(event)}\n\n" for event in events),
            }[spelled]
            await producer.send_to(text_data=text)
        await producer.hears_until("ack", len(events))
    if spelled != "one object":
        assert len(await in_thread(stored)) == len(RUN)


async def test_a_producer_that_comes_back_goes_on_where_it_was(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        await producer.sends(RUN[:3], first=1)
        await producer.hears_until("ack", 3)
    async with socket(web, INGEST) as again:
        assert (await again.says_hello(after=2))["after"] == 3


async def test_what_was_sent_before_is_acknowledged_and_dropped(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        await producer.sends(RUN[:4], first=1)
        await producer.hears_until("ack", 4)
        await producer.sends(RUN[2:], first=3)
        await producer.hears_until("ack", len(RUN))
        assert [line["event"] for line in await in_thread(stored_events)] == RUN


async def test_a_second_hello_takes_the_stream_over(web: Any) -> None:
    first = Socket(web, INGEST, headers=LOCAL)
    await first.opens()
    await first.says_hello()
    await first.sends(RUN[:2], first=1)
    await first.hears_until("ack", 2)
    async with socket(web, INGEST) as second:
        assert (await second.says_hello())["after"] == 2
        assert await first.closed_with() == sockets.REPLACED
        await first.sends(RUN[2:4], first=3)
        await second.sends(RUN[2:3], first=3)
        await second.hears_until("ack", 3)
    assert len(await in_thread(stored)) == 3
    await first.disconnect()


async def test_the_same_name_in_two_channels_is_two_streams(web: Any) -> None:
    async with socket(web, INGEST) as one, socket(web, "/ws/ingest/other/") as other:
        await one.says_hello()
        await one.sends(RUN[:2], first=1)
        await one.hears_until("ack", 2)
        assert (await other.says_hello())["after"] == 0


BAD = (
    "not json", "{", "[]", "null", "42", '"text"', '{"type": 7}', '{"type": "NO_SUCH"}',
    '{"type":"RUN_STARTED"}', "[" * 5000, '{"a":"\\ud800"}', '{"n":"x","event":{}}', '{"evidence":7}',
    '{"turnscope":1}', "\x00", "NaN", '{"n":1e400,"event":{"type":"RAW"}}',
)  # fmt: skip


@pytest.mark.parametrize("frame", BAD)
async def test_a_bad_frame_is_kept_and_acknowledged_and_never_closes(web: Any, frame: str) -> None:
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        await producer.send_to(text_data=frame)
        await producer.hears()
        await producer.sends(RUN)
        await producer.hears()
        assert b"".join(await in_thread(stored)).startswith(frame.encode())


async def test_bytes_that_are_no_text_are_kept_as_they_came(web: Any) -> None:
    hostile = b'{"type":"RAW","event":"\xff\xfe\x00"}'
    async with socket(web, INGEST) as producer:
        await producer.send_to(bytes_data=hostile)
        await producer.hears()
        assert await in_thread(stored) == [hostile]


async def test_evidence_of_a_host_is_a_mark_and_no_event(web: Any) -> None:
    from turnscope.core.kinds import KINDS
    from turnscope.store import reading
    from turnscope.store.models import Call, Thread

    def marks() -> list[int]:
        return [frame.kind for frame in reading.read(Thread.objects.get().pk)]

    evidence = {"evidence": {"toolCallId": "c1", "phase": "result", "at": 5, "content": "done"}}
    async with socket(web, INGEST) as producer:
        await producer.says_hello()
        await producer.sends([*streams.run_started(), *streams.call("c1"), evidence], first=1)
        await producer.hears_until("ack", 5)
        assert KINDS["EVIDENCE"] in await in_thread(marks)
        assert await in_thread(lambda: Call.objects.get().answers) == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"turnscope": 2}, sockets.VERSION),
        ({"turnscope": "1"}, sockets.VERSION),
        ({"turnscope": 1, "dialect": "klingon"}, sockets.BAD_HELLO),
        ({"turnscope": 1, "stream": 7}, sockets.BAD_HELLO),
        ({"turnscope": 1, "stream": ""}, sockets.BAD_HELLO),
        ({"turnscope": 1, "after": -1}, sockets.BAD_HELLO),
        ({"turnscope": 1, "after": "3"}, sockets.BAD_HELLO),
        ({"turnscope": 1, "after": True}, sockets.BAD_HELLO),
    ],
)
async def test_a_bad_hello_is_told_why(web: Any, said: dict[str, Any], code: int) -> None:
    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.send_json_to(said)
    assert await producer.closed_with() == code
    await producer.disconnect()


async def test_a_channel_that_cannot_be_is_not_made(web: Any) -> None:
    from turnscope.store.models import Channel

    producer = Socket(web, "/ws/ingest/..%2Fetc%00/", headers=LOCAL)
    await producer.opens()
    assert await producer.closed_with() == sockets.NO_CHANNEL
    await producer.disconnect()
    assert not await in_thread(Channel.objects.exists)


async def test_leaving_closes_the_stream_as_left(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        await producer.sends(RUN[:2])
        await producer.hears_until("ack", 2)
    assert await in_thread(closed_why) == "left"


async def test_a_line_that_breaks_is_lost_once_nobody_came_back(web: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sockets, "GRACE", 0.05)
    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.says_hello()
    await producer.sends(RUN[:2], first=1)
    await producer.hears_until("ack", 2)
    await producer.disconnect(1006, WAIT)
    assert await in_thread(closed_why) == "lost"


async def test_who_comes_back_in_time_was_never_lost(web: Any) -> None:
    from turnscope.core.kinds import KINDS
    from turnscope.store import reading
    from turnscope.store.models import Thread

    first = Socket(web, INGEST, headers=LOCAL)
    await first.opens()
    await first.says_hello()
    await first.sends(RUN[:2], first=1)
    await first.hears_until("ack", 2)
    await first.send_input({"type": "websocket.disconnect", "code": 1006})
    async with socket(web, INGEST) as again:
        await again.says_hello()
        await again.sends(RUN[2:], first=3)
        await again.hears_until("ack", len(RUN))
    await first.wait(WAIT)

    def closings() -> int:
        return sum(frame.kind == KINDS["CLOSED"] for frame in reading.read(Thread.objects.get().pk))

    assert await in_thread(closings) == 1  # the second one's leaving


async def test_more_than_the_hard_limit_unwritten_is_closed(web: Any, monkeypatch: Any) -> None:
    """Under another ASGI server nothing pauses reading; then this is what bounds memory."""
    monkeypatch.setattr(sockets, "HARD", 10_000)
    release = threading.Event()
    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.says_hello()
    waiting = asyncio.ensure_future(writer.get_writer().call(release.wait, WAIT))
    for _ in range(3):
        await producer.send_to(text_data="x" * 4_000)
    assert await producer.closed_with() == sockets.TOO_MUCH
    release.set()
    await waiting
    await producer.disconnect()


async def test_a_path_that_leads_nowhere_is_closed(web: Any) -> None:
    lost = Socket(web, "/ws/nowhere/", headers=LOCAL)
    await lost.opens()
    assert await lost.closed_with() == sockets.NO_CHANNEL
    await lost.disconnect()


def closed_why() -> str:
    from turnscope.store.models import Stream

    return Stream.objects.get().closed_why
