"""Requests and messages that nobody sends by mistake alone: an answer, never a failure of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import streams
from tests.test_access import ask, headers
from tests.test_api import NDJSON, get, post
from tests.web import LOCAL, WAIT, Socket, in_thread, socket, stored
from turnscope.web import sockets, writer

INGEST = "/ws/ingest/acme/"


async def turn(web: Any) -> int:
    """The one turn of the channel."""
    (row,) = (await get(web, "/api/channels/acme/"))[1]["turns"]
    return int(row["id"])


# ---------------------------------------------------------------- histories


@pytest.mark.parametrize("odd", [{}, {"a": 1}, [], ["c1"], 5, None, True], ids=repr)
async def test_a_snapshot_whose_ids_are_no_text_is_shown_and_repaired(web: Any, odd: Any) -> None:
    call = {"id": odd, "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    said = [
        {"id": odd, "role": "user", "content": "Hi"},
        {"id": odd, "role": "assistant", "toolCalls": [call]},
    ]
    told = [*said, {"id": odd, "role": "tool", "toolCallId": odd, "content": "ok"}]
    events = streams.run_started() + streams.event("MESSAGES_SNAPSHOT", messages=told)
    status, answer = await post(web, streams.ndjson(events * 2 + streams.finished()))
    assert status == 200
    (thread,) = answer["threads"]
    for run in thread["runs"]:
        for page in ("transcript?target=anthropic", "events?repaired=1"):
            assert (await ask(web, "GET", f"/api/runs/{run['id']}/{page}", headers()))[0] == 200
    pk = max(row["id"] for row in (await get(web, "/api/channels/acme/"))[1]["turns"])
    for page in ("repaired.json", "export/", "?tab=transcript"):
        assert (await ask(web, "GET", f"/turns/{pk}/{page}", headers()))[0] == 200


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize("seq", [2**63 - 1, 2**63, 10**22])
async def test_an_event_beyond_the_database_is_no_event(web: Any, seq: int) -> None:
    await post(web, NDJSON)
    pk = await turn(web)
    assert (await ask(web, "GET", f"/turns/{pk}/events/2/", headers()))[0] == 200
    assert (await ask(web, "GET", f"/turns/{pk}/events/{seq}/", headers()))[0] == 404


@pytest.mark.parametrize("path", ["/", "/x", "/ws/", "/ws/a\nb/", "/ws/ingest/"])
async def test_a_socket_at_a_path_that_leads_to_nothing_is_told(web: Any, path: str) -> None:
    one = Socket(web, path, headers=LOCAL)
    assert await one.opens()
    assert await one.closed_with() == sockets.NO_CHANNEL


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/find/", "/healthz", "/channels.json"])
async def test_a_page_takes_no_writes(web: Any, method: str, path: str) -> None:
    assert (await ask(web, method, path, headers()))[0] == 405


@pytest.mark.parametrize("query", ["%00%00", "a%00b", "%ff%fe", "%25" * 100, "(a%2B)%2B$", "'" * 4000])
async def test_the_find_box_takes_any_text(web: Any, query: str) -> None:
    await post(web, NDJSON)
    for page in ("find/", "find.json", "api/find"):
        assert (await ask(web, "GET", f"/{page}?q={query}", headers()))[0] == 200


# ---------------------------------------------------------------- bodies


async def test_a_used_idempotency_key_with_another_body_is_refused(web: Any) -> None:
    """The answer of the first body would say that this one is stored."""
    first = await post(web, NDJSON, idempotency_key="k1")
    assert await post(web, NDJSON, idempotency_key="k1") == first
    for other in (NDJSON * 2, NDJSON[:100], b""):
        status, answer = await post(web, other, idempotency_key="k1")
        assert (status, answer["error"]["code"]) == (422, "key_used")
    assert b"".join(await in_thread(stored)) == NDJSON
    assert "body" not in first[1]


# ---------------------------------------------------------------- messages


async def test_a_hello_may_hold_half_a_character(web: Any) -> None:
    """A producer that waits for `ready` would wait for ever, were its hello taken for a frame."""
    async with socket(web, INGEST) as producer:
        await producer.send_to(text_data=json.dumps({"turnscope": 1, "stream": "s\ud800"}))
        assert (await producer.hears())["ready"] is True
        await producer.sends(streams.run_started(), first=1)
        await producer.hears_until("ack", 1)
    async with socket(web, INGEST) as again:
        await again.send_to(text_data=json.dumps({"turnscope": 1, "stream": "s\ud800"}))
        assert (await again.hears())["after"] == 1


async def test_a_message_of_very_many_frames_is_several_commits(
    web: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 16 MiB may hold eight million blank lines: at once they took gigabytes."""
    monkeypatch.setattr(writer, "FRAMES", 100)
    monkeypatch.setattr(writer, "PIECE", 64)
    journal, commits = writer.get_writer().journal, []
    real = journal.append_many

    def counted(batches: Any) -> Any:
        commits.append(sum(len(frames) for _, frames in batches))
        return real(batches)

    monkeypatch.setattr(journal, "append_many", counted)
    message = b"\n" * 950 + streams.ndjson(streams.run_started())
    async with socket(web, INGEST) as producer:
        await producer.says_hello(stream=None)
        await producer.send_to(bytes_data=message)
        assert (await producer.hears_until("ack", 951))["seq"] == 952
        assert b"".join(await in_thread(stored)) == message
    assert max(commits) == 100


async def test_what_comes_behind_a_failure_in_the_middle_of_a_message_is_not_kept(
    web: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "FRAMES", 10)
    journal = writer.get_writer().journal
    real, count = journal.append_many, 0

    def second_fails(batches: Any) -> Any:
        nonlocal count
        count += 1
        if count == 2:
            raise OSError("the disk is full")
        return real(batches)

    producer = Socket(web, INGEST, headers=LOCAL)
    await producer.opens()
    await producer.says_hello()
    monkeypatch.setattr(journal, "append_many", second_fails)
    await producer.sends(streams.event("CUSTOM", name="n", value=1) * 35, first=1)
    assert await producer.closed_with() == sockets.TRY_AGAIN
    await producer.disconnect(1013, WAIT)
    assert len(await in_thread(stored)) == 10
    assert "the disk is full" in caplog.text
    async with socket(web, INGEST) as again:
        assert (await again.says_hello())["after"] == 10
