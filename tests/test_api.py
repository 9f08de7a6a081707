"""The programs' door over HTTP: bodies in every packing, retries, everything a page shows as JSON."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests import corpora, streams
from tests.test_access import ask, headers
from tests.web import in_thread, stored
from turnscope import cli

FRAMES = "/api/channels/acme/frames"
RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.text() + streams.finished()
HANGS = streams.run_started() + streams.call("c1") + streams.finished()


async def post(web: Any, body: bytes, path: str = FRAMES, **heads: str) -> tuple[int, Any]:
    status, _, answered = await ask(web, "POST", path, headers(**heads), body)
    return status, json.loads(answered)


async def get(web: Any, path: str) -> tuple[int, Any]:
    status, _, answered = await ask(web, "GET", path, headers())
    return status, json.loads(answered)


async def a_run(web: Any, events: list[streams.Event] = RUN) -> tuple[int, int]:
    """(thread, run) of these events."""
    status, answer = await post(web, streams.ndjson(events))
    assert status == 200
    return answer["threads"][0]["id"], answer["threads"][0]["runs"][0]["id"]


# ---------------------------------------------------------------- bodies

SSE = b"".join(b"event: message\ndata: " + json.dumps(event).encode() + b"\n\n" for event in RUN)
NDJSON = streams.ndjson(RUN)


@pytest.mark.parametrize(
    "body",
    [NDJSON, NDJSON.rstrip(b"\n"), b"\xef\xbb\xbf" + NDJSON, NDJSON.replace(b"\n", b"\r\n"),
     SSE + b"data: [DONE]\n\n", json.dumps(RUN).encode(), json.dumps(RUN, indent=2).encode()],
    ids=["lines", "no last newline", "byte order mark", "CR LF", "SSE", "array", "pretty array"],
)  # fmt: skip
async def test_a_body_is_lines_sse_or_an_array(web: Any, body: bytes) -> None:
    status, answer = await post(web, body)
    assert status == 200
    assert answer["dialect"] == "ag_ui"
    assert answer["rejected"] == []
    (thread,) = answer["threads"]
    assert thread["name"] == streams.THREAD
    assert thread["calls"] == 1
    assert [run["run_id"] for run in thread["runs"]] == [streams.RUN]
    assert b"".join(await in_thread(stored)) == body


@pytest.mark.parametrize("said", [True, False], ids=["by header", "by its first bytes"])
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("zstd", zstandard.compress), ("deflate", zlib.compress),
     ("gzip", lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])),
     ("zstd", lambda data: zstandard.compress(data[:50]) + zstandard.compress(data[50:]))],
    ids=["gzip", "zstd", "deflate", "gzip in two", "zstd in two"],
)  # fmt: skip
async def test_a_packed_body_is_unpacked(web: Any, encoding: str, pack: Any, said: bool) -> None:  # noqa: FBT001
    if encoding == "deflate" and not said:
        pytest.skip("deflate has no first bytes of its own")
    heads = {"content_encoding": encoding} if said else {}
    status, _ = await post(web, pack(NDJSON), **heads)
    assert status == 200
    assert b"".join(await in_thread(stored)) == NDJSON


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
async def test_a_body_that_unpacks_to_too_much_is_refused(web: Any, settings: Any, pack: Any) -> None:
    settings.BODY_LIMIT = 1024**2
    bomb = pack(b" " * 200 * 1024**2)
    assert len(bomb) < 1024**2
    status, answer = await post(web, bomb)
    assert status == 413
    assert answer["error"]["code"] == "too_large"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_body_that_is_not_what_it_says_is_told(web: Any, encoding: str) -> None:
    status, answer = await post(web, NDJSON, content_encoding=encoding)
    assert status == 400
    assert encoding in answer["error"]["message"]


async def test_an_encoding_nobody_knows_is_told(web: Any) -> None:
    status, answer = await post(web, NDJSON, content_encoding="br")
    assert status == 400
    assert "br" in answer["error"]["message"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
async def test_what_came_before_a_cut_is_kept_and_the_cut_is_told(web: Any, pack: Any) -> None:
    lines = [
        json.dumps({"type": "CUSTOM", "name": "n", "value": os.urandom(300).hex()}) for _ in range(2_000)
    ]
    status, answer = await post(web, pack("\n".join(lines).encode())[:-40])
    assert status == 200
    assert answer["frames"] > 1_000
    assert "the packed body ends" in answer["rejected"][-1]["reason"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
async def test_a_packed_body_cut_before_its_first_line_is_told(web: Any, pack: Any) -> None:
    status, answer = await post(web, pack(NDJSON)[:9])
    assert (status, answer["frames"], answer["rejected_total"]) == (200, 0, 1)


async def test_rejected_lines_are_named_and_kept(web: Any) -> None:
    lines = NDJSON.splitlines(keepends=True)
    body = b"".join([*lines[:2], b"not json\n", *lines[2:4], b'{"cut": \n', *lines[4:]])
    status, answer = await post(web, body)
    assert status == 200
    assert [row["line"] for row in answer["rejected"]] == [3, 6]
    assert all(row["reason"] for row in answer["rejected"])
    assert answer["rejected_total"] == 2
    assert b"".join(await in_thread(stored)) == body


async def test_a_million_bad_lines_are_counted_and_a_hundred_told(web: Any) -> None:
    status, answer = await post(web, NDJSON + b"bad\n" * 3000)
    assert status == 200
    assert answer["rejected_total"] == 3000
    assert len(answer["rejected"]) == 100


LIST = json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "content": "Gone."}]).encode()
UI_STREAM = b'data: {"type":"start"}\n\ndata: {"type":"text-start","id":"t"}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [(LIST, 1, "the body: a message list in the shape of openai_chat, not a recording: "
               "`turnscope repair FILE --target ...` takes it"),
     (UI_STREAM, 1, "`turnscope repair FILE --target ai_sdk_stream` mends it"),
     (b"\n\nno stream\n" * 9, 3, "the body: no line of it can be read; line 3: "),
     (b'{"cut": ', 1, "line 1: "),
     (b"\x00\x01\xff\xfe" * 50_000, 1, "line 1: ")],
    ids=["message list", "UI stream", "prose", "one bad frame alone", "bytes"],
)  # fmt: skip
async def test_a_body_that_is_wholly_no_stream_is_refused_with_its_line_and_reason_and_not_kept(
    web: Any, body: bytes, line: int, said: str
) -> None:
    from turnscope.store.models import Stream

    for sent, heads in ((body, {}), (gzip.compress(body), {"idempotency_key": "k1"})):
        status, answer = await post(web, sent, **heads)
        assert (status, answer["error"]["code"]) == (422, "no_recording")
        assert said in answer["error"]["message"]
        detail = answer["error"]["detail"]
        assert detail["line"] == line and detail["reason"] in answer["error"]["message"]
    assert not await in_thread(Stream.objects.exists)
    status, _ = await post(web, NDJSON, idempotency_key="k1")
    assert status == 200, "a refused body has not taken the key"


async def test_the_first_line_of_a_body_may_be_long(web: Any) -> None:
    long = streams.ndjson([{"type": "CUSTOM", "name": "n", "value": "x" * 300_000}])
    status, answer = await post(web, long + b"not json\n" + NDJSON)
    assert (status, answer["rejected_total"], answer["rejected"][0]["line"]) == (200, 1, 2)


async def test_what_a_cut_body_holds_is_kept_whatever_it_is(web: Any) -> None:
    packed = gzip.compress(b"".join(os.urandom(30).hex().encode() + b"\n" for _ in range(2_000)))
    status, answer = await post(web, packed[:-100])
    assert status == 200 and answer["rejected_total"] == answer["frames"] + 1 > 1_000


async def test_an_empty_body_is_no_error(web: Any) -> None:
    status, answer = await post(web, b"")
    assert (status, answer["frames"], answer["threads"]) == (200, 0, [])


async def test_a_recording_keeps_its_own_time_and_threads(web: Any) -> None:
    from turnscope.store.models import Run, Stream, Thread

    body = streams.ndjson(streams.timed(RUN))
    await post(web, body)
    await post(web, body, FRAMES + "?recording=1&name=monday.jsonl")
    assert await in_thread(Thread.objects.count) == 2
    recording = await in_thread(lambda: Stream.objects.get(recording=True))
    assert recording.name == "monday.jsonl"
    run = await in_thread(lambda: Run.objects.get(stream=recording.pk))
    assert run.start_at == streams.BEGAN


async def test_a_channel_with_no_name_to_be_is_not_made(web: Any) -> None:
    for slug in ("a b", "..", "%00", "x" * 65, "ä"):
        status, answer = await post(web, NDJSON, f"/api/channels/{slug}/frames")
        assert status == 404
        assert answer["error"]["code"] == "not_found"


async def test_an_answer_counts_as_ingest_does(web: Any, tmp_path: Path, capfd: Any) -> None:
    """One lost result, refused twice over, is one error; what is only framing is no frame."""
    story = corpora.CORPUS / "stories/1b-server-result-dropped-then-refused.jsonl"
    lines = story.read_bytes().splitlines()
    body = b": ping\n\n" + b"".join(b"data: " + line + b"\n\n" for line in lines) + b"data: [DONE]\n\n"
    (tmp_path / "run.sse").write_bytes(body)
    _, answer = await post(web, body, FRAMES + "?recording=1")
    await in_thread(cli.run, ["ingest", str(tmp_path / "run.sse"), "--format", "json"])
    ingested = json.loads(capfd.readouterr().out)
    assert answer["frames"] == ingested["frames"] == len(lines)
    (thread,) = answer["threads"]
    assert thread["findings"] == ingested["findings"] == {"error": 1, "warning": 0, "info": 0}


# ---------------------------------------------------------------- retries


async def test_a_retry_with_the_same_key_is_answered_the_same_and_stores_nothing(web: Any) -> None:
    first = await post(web, NDJSON, idempotency_key="k1")
    again = await post(web, NDJSON, idempotency_key="k1")
    assert again == first
    assert len(await in_thread(stored)) == len(RUN)


async def test_the_same_key_in_another_channel_is_another(web: Any) -> None:
    await post(web, NDJSON, idempotency_key="k1")
    await post(web, NDJSON, "/api/channels/other/frames", idempotency_key="k1")
    assert len(await in_thread(stored, "other")) == len(RUN)


async def test_a_retry_goes_on_where_the_first_was_cut(web: Any, monkeypatch: Any) -> None:
    """The server died in the middle of a long body: what was stored is not stored again."""
    from turnscope.store.journal import get_journal
    from turnscope.web import posts

    monkeypatch.setattr(posts, "FRAMES", 3)
    journal, times = get_journal(), []
    real = journal.append

    def dies(*args: Any) -> Any:
        times.append(args)
        if len(times) == 3:
            raise OSError("the disk is full")
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append", dies)
        status, answer = await post(web, NDJSON, idempotency_key="k1")
        assert (status, set(answer)) == (500, {"error"})
    assert len(await in_thread(stored)) == 6
    status, answer = await post(web, NDJSON, idempotency_key="k1")
    assert status == 200
    assert answer["frames"] == len(RUN) - 6
    assert b"".join(await in_thread(stored)) == NDJSON


# ---------------------------------------------------------------- out


async def test_frames_are_paged_by_seq(web: Any) -> None:
    thread, _ = await a_run(web)
    seqs: list[int] = []
    after = 0
    while True:
        _, page = await get(web, f"/api/threads/{thread}/frames?after={after}&limit=3")
        assert len(page["frames"]) <= 3
        seqs += [frame["seq"] for frame in page["frames"]]
        after = page["more"]
        if not after:
            break
    assert seqs == list(range(1, page["last_seq"] + 1))


async def test_frames_are_filtered_by_kind(web: Any) -> None:
    thread, _ = await a_run(web)
    _, page = await get(web, f"/api/threads/{thread}/frames?kind=TOOL_CALL_RESULT")
    assert [frame["kind"] for frame in page["frames"]] == ["TOOL_CALL_RESULT"]


async def test_the_original_events_of_a_run_are_its_bytes(web: Any) -> None:
    _, run = await a_run(web)
    status, _, body = await ask(web, "GET", f"/api/runs/{run}/events", headers())
    assert status == 200
    assert body == NDJSON


async def test_a_transcript_is_repaired_for_its_target(web: Any) -> None:
    _, run = await a_run(web, streams.run_started() + streams.text("Let me see.") + streams.call("c1"))
    status, answer = await get(web, f"/api/runs/{run}/transcript?target=openai_chat&policy=answer")
    assert status == 200
    assert answer["target"] == "openai_chat"
    called = [call["id"] for message in answer["messages"] for call in message.get("tool_calls", [])]
    answered = [message["tool_call_id"] for message in answer["messages"] if message["role"] == "tool"]
    assert called == ["c1"]
    assert answered == called or answer["pending"] == called


async def test_a_target_or_policy_that_is_none_is_told_with_those_there_are(web: Any) -> None:
    _, run = await a_run(web)
    status, answer = await get(web, f"/api/runs/{run}/transcript?target=klingon")
    assert status == 400
    assert "openai_chat" in answer["error"]["detail"]["targets"]
    status, answer = await get(web, f"/api/runs/{run}/transcript?policy=hope")
    assert status == 400
    assert answer["error"]["detail"]["policies"]


async def test_every_choice_of_the_repair_is_one_of_the_transcript(web: Any) -> None:
    """A call under an id that Mistral refuses, and one that the page still owes."""
    events = (
        streams.run_with_input(streams.user("go"), run="r1") + streams.call("c1") + streams.finished("r1")
    )
    events += streams.run_with_input(streams.user("hello?", id="u2"), run="r2") + streams.result("c1")
    events += streams.call("c2", "pick") + streams.finished("r2", pending=["c2"])
    _, answer = await post(web, streams.ndjson(events))
    run = answer["threads"][0]["runs"][-1]["id"]
    base = f"/api/runs/{run}/transcript?target=openai_chat"
    _, plain = await get(web, base)
    assert plain["pending"] == ["c2"]
    refused, mapped = [
        (await get(web, f"/api/runs/{run}/transcript?target=mistral&cancel=all{ids}"))[1]
        for ids in ("", "&ids=map")
    ]
    assert refused["blockers"] and not mapped["blockers"] and set(mapped["ids"].values()) == {"c1", "c2"}
    for query in ("cancel=all", "cancel=c2", "cancel=c1&cancel=c2"):
        _, cancelled = await get(web, f"{base}&{query}")
        assert cancelled["sendable"] and "TOOL_CANCELLED" in json.dumps(cancelled["messages"])
    _, kept = await get(web, f"{base}&boundary=system&boundary=developer")
    assert kept["target"] == "openai_chat"
    for wrong in ("late=never", "ids=rename", "thinking=hard", "boundary=nobody", "purpose=fun"):
        status, told = await get(web, f"{base}&{wrong}")
        assert status == 400 and told["error"]["detail"]["choices"]


async def test_turns_channels_and_finds_are_the_pages_own(web: Any) -> None:
    from turnscope.store.models import Turn

    await a_run(web)
    _, listed = await get(web, "/api/channels/")
    assert [row["slug"] for row in listed["channels"]] == ["acme"]
    _, channel = await get(web, "/api/channels/acme/")
    assert len(channel["turns"]) == 1
    pk = await in_thread(lambda: Turn.objects.get().pk)
    _, turn = await get(web, f"/api/turns/{pk}/")
    assert [call["call_id"] for call in turn["calls"]] == ["c1"]
    _, found = await get(web, "/api/find?q=c1")
    assert found["calls"]


@pytest.mark.parametrize(
    "path",
    ["/api/turns/99/", "/api/runs/99/transcript", "/api/runs/99/events", "/api/threads/99/frames",
     "/api/channels/nobody/", "/replay/99/ag_ui/", "/api/nothing"],
)  # fmt: skip
async def test_what_is_not_there_is_an_error_of_the_one_shape(web: Any, path: str) -> None:
    status, answer = await get(web, path)
    assert status == 404
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"code", "message", "detail"}


async def test_a_method_that_is_not_taken_is_an_error_of_the_one_shape(web: Any) -> None:
    status, found, body = await ask(web, "GET", FRAMES, headers())
    assert status == 405
    assert found["allow"] == "POST"
    assert json.loads(body)["error"]["code"] == "method"


async def test_health_says_that_the_database_answers(web: Any) -> None:
    assert (await get(web, "/healthz"))[1]["ok"] is True
