"""A run played again to a client: the bytes that came, at the pace they came, or repaired."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests import streams
from tests.test_access import ask, headers
from tests.test_api import a_run, post
from tests.web import in_thread
from turnscope.web import replays

RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()


async def blocks(web: Any, run: int, query: str = "speed=0", method: str = "GET") -> list[bytes]:
    status, found, body = await ask(web, method, f"/replay/{run}/ag_ui/?{query}", headers(), b"{}")
    assert status == 200
    assert found["content-type"] == "text/event-stream"
    assert body.endswith(b"\n\n") or body == b""
    return body.split(b"\n\n")[:-1]


def data(block: bytes) -> Any:
    """What a client reads in a block: its data lines, joined as the SSE standard says."""
    lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
    return json.loads(b"\n".join(lines))


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_client_is_sent_the_events_of_the_run(web: Any, method: str) -> None:
    _, run = await a_run(web, RUN)
    assert [data(block) for block in await blocks(web, run, method=method)] == RUN


async def test_the_bytes_are_those_that_came(web: Any) -> None:
    odd = b'{"type":"RUN_STARTED", "threadId":"t","runId":"r","x":1.0e2,"big":123456789012345678901,"x":2}'
    _, answer = await post(web, odd + b"\n" + b'{"type":"RUN_FINISHED","threadId":"t","runId":"r"}')
    run = answer["threads"][0]["runs"][0]["id"]
    assert (await blocks(web, run))[0] == b"data: " + odd


async def test_an_sse_block_goes_out_as_the_block_that_came(web: Any) -> None:
    blocked = [b"id: 7\nevent: x\ndata: " + json.dumps(event).encode() for event in RUN]
    _, answer = await post(web, b"".join(block + b"\n\n" for block in blocked))
    assert await blocks(web, answer["threads"][0]["runs"][0]["id"]) == blocked


async def test_elements_of_an_array_and_pretty_json_become_blocks(web: Any) -> None:
    _, answer = await post(web, json.dumps(RUN, indent=2).encode())
    run = answer["threads"][0]["runs"][0]["id"]
    assert [data(block) for block in await blocks(web, run)] == RUN


async def test_an_envelope_stays_home(web: Any) -> None:
    _, answer = await post(web, streams.ndjson({"n": n, "event": e} for n, e in enumerate(RUN, 1)))
    run = answer["threads"][0]["runs"][0]["id"]
    assert [data(block) for block in await blocks(web, run)] == RUN


async def test_what_could_not_be_read_is_played_as_it_came(web: Any) -> None:
    lines = streams.ndjson(RUN).splitlines(keepends=True)
    _, answer = await post(web, lines[0] + b"garbage\n" + b"".join(lines[1:]))
    played = await blocks(web, answer["threads"][0]["runs"][0]["id"])
    assert played[1] == b"data: garbage"


async def test_another_run_of_the_thread_is_left_out(web: Any) -> None:
    second = streams.run_started(run="run-2") + streams.text() + streams.finished(run="run-2")
    _, answer = await post(web, streams.ndjson(RUN + second))
    first, other = (run["id"] for run in answer["threads"][0]["runs"])
    assert [data(block) for block in await blocks(web, first)] == RUN
    assert [data(block) for block in await blocks(web, other)] == second


async def test_a_turn_is_its_runs_one_behind_the_other(web: Any) -> None:
    """A hand-over and what the page answered: two runs, one turn."""
    from turnscope.store.models import Turn

    first = streams.run_with_input(streams.user("go")) + streams.call("c1", "pick")
    first += streams.finished(pending=["c1"])
    asked = streams.assistant(("c1", "pick", "{}"))
    second = streams.run_with_input(streams.user("go"), asked, streams.tool("c1"), run="run-2")
    second += streams.text() + streams.finished("run-2")
    await post(web, streams.ndjson(first + second))
    turn = (await in_thread(lambda: Turn.objects.get())).pk
    status, _, body = await ask(web, "GET", f"/replay/turn/{turn}/ag_ui/?speed=0", headers())
    assert status == 200
    assert [data(block) for block in body.split(b"\n\n")[:-1]] == first + second
    status, _, body = await ask(
        web, "POST", f"/replay/turn/{turn}/ag_ui/?speed=0&repaired=1", headers(), b"{}"
    )
    assert [data(block)["type"] for block in body.split(b"\n\n")[:-1]].count("RUN_STARTED") == 2
    assert (await ask(web, "GET", "/replay/turn/999999/ag_ui/", headers()))[0] == 404


async def test_from_and_until_are_seqs(web: Any) -> None:
    from turnscope.store.models import Run

    _, run = await a_run(web, RUN)
    start = (await in_thread(lambda: Run.objects.get())).start_seq
    played = await blocks(web, run, f"speed=0&from={start + 1}&until={start + 2}")
    assert [data(block) for block in played] == RUN[1:3]


async def test_the_pace_is_the_recordings_by_a_factor(web: Any) -> None:
    body = streams.ndjson(streams.timed(RUN, every=200))
    _, answer = await post(web, body, "/api/channels/acme/frames?recording=1")
    run = answer["threads"][0]["runs"][0]["id"]
    clock = asyncio.get_running_loop().time
    took = []
    for speed in (0, 4):
        began = clock()
        await blocks(web, run, f"speed={speed}")
        took.append(clock() - began)
    assert took[1] - took[0] > 0.2 * (len(RUN) - 1) / 4 - 0.05


async def test_a_long_pause_is_filled_with_comments(monkeypatch: Any) -> None:
    monkeypatch.setattr(replays, "HEARTBEAT", 0.05)

    async def timed() -> Any:
        yield 1_000, b"data: 1\n\n"
        yield 1_220, b"data: 2\n\n"

    played = [block async for block in replays.paced(timed(), 1.0)]
    assert played[0] == b"data: 1\n\n" and played[-1] == b"data: 2\n\n"
    assert len(played) >= 4
    assert all(block.startswith(b":") for block in played[1:-1])


@pytest.mark.parametrize("speed", ["fast", "-1", "nan", "inf", "1001", ""])
async def test_a_speed_that_is_none_is_told(web: Any, speed: str) -> None:
    _, run = await a_run(web, RUN)
    status, _, body = await ask(web, "GET", f"/replay/{run}/ag_ui/?speed={speed}", headers())
    assert status == 400
    assert json.loads(body)["error"]["code"] == "speed"


async def test_another_dialect_is_told(web: Any) -> None:
    _, run = await a_run(web, RUN)
    assert (await ask(web, "GET", f"/replay/{run}/morse/", headers()))[0] == 404


async def test_repaired_a_strict_client_is_sent_what_it_accepts(web: Any) -> None:
    """A server tool that never answered: closed, answered honestly, and marked as made here."""
    from turnscope.store.models import Channel

    settings = {"owners": {"server": ["lookup"]}}
    await in_thread(lambda: Channel.objects.create(slug="acme", settings=settings))
    _, run = await a_run(web, streams.run_started() + streams.call("c1") + streams.finished())
    played = [data(block) for block in await blocks(web, run, "speed=0&repaired=1")]
    assert [event["type"] for event in played] == [
        "RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT",
        "RUN_FINISHED",
    ]  # fmt: skip
    (answer,) = (event for event in played if event["type"] == "TOOL_CALL_RESULT")
    assert answer["toolCallId"] == "c1"
    assert "turnscope" in answer["metadata"]


async def test_repaired_lines_and_repaired_blocks_are_the_same_events(web: Any) -> None:
    _, run = await a_run(web, streams.run_started() + streams.call_started("c1"))
    _, _, lines = await ask(web, "GET", f"/api/runs/{run}/events?repaired=1", headers())
    played = [data(block) for block in await blocks(web, run, "speed=0&repaired=1")]
    assert [json.loads(line) for line in lines.splitlines()] == played
    assert played[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
