"""Streams as other people's tools record them: a runtime's debug feed, browser tools' exports, responses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.streams import BEGAN, call, finished, ndjson, result, run_started, run_with_input, text, user
from turnscope.core.picture import Reading, read_file

ASKED = {
    "threadId": "thread-1",
    "runId": "run-1",
    "messages": [user()],
    "tools": [],
    "context": [],
    "state": {},
}
RUN = run_started() + call() + result() + text("Pier 2.") + finished()


def codes(reading: Reading) -> list[str]:
    return [one.code for one in reading.findings]


def sse(*values: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


# ---------------------------------------------------------------- CopilotKit's /cpk-debug-events


def debug(
    events: list[dict[str, Any]], thread: str, run: str, agent: str = "default"
) -> list[dict[str, Any]]:
    return [
        {"timestamp": BEGAN + 20 * n, "agentId": agent, "threadId": thread, "runId": run, "event": one}
        for n, one in enumerate(events)
    ]


def test_the_debug_feed_of_a_runtime_is_read_thread_by_thread() -> None:
    """It carries every thread of the runtime, one frame of the one, one of the other."""
    one = debug(run_started("r1", "t1") + call() + result() + text() + finished("r1", "t1"), "t1", "r1")
    other = debug(
        run_started("r2", "t2") + call() + text("Well.", "m2") + finished("r2", "t2"), "t2", "r2", "b"
    )
    mixed = [frame for pair in zip(one, other, strict=False) for frame in pair]
    mixed += one[len(other) :] + other[len(one) :]
    reading = read_file(b": connected\n\n" + sse(*mixed))
    assert {thread.name: len(thread.picture.thread.calls) for thread in reading.threads} == {"t1": 1, "t2": 1}
    assert {thread.name: [f.code for f in thread.picture.findings] for thread in reading.threads} == {
        "t1": [], "t2": ["C02"],
    }  # fmt: skip
    run = reading.threads[0].picture.thread.runs[0]
    assert (run.start_at, run.end_at) == (BEGAN, BEGAN + 20 * (len(one) - 1))


# ---------------------------------------------------------------- browser tools' .agui.jsonl


def exported(*, body: Any, elapsed: float = 20) -> bytes:
    lines: list[dict[str, Any]] = [
        {"kind": "header", "version": 1, "exportedAt": "2026-08-15T12:00:00.000Z", "redacted": []},
        {
            "kind": "request",
            "connId": "c1",
            "seq": 0,
            "tMs": 0,
            "method": "POST",
            "url": "/agent",
            "body": body,
        },
    ]
    for seq, one in enumerate(RUN, 1):
        lines.append({"kind": "event", "connId": "c1", "seq": seq, "tMs": seq * elapsed, "event": one})
        if seq == 4:
            lines.append({"kind": "keepalive", "connId": "c1", "seq": 5, "tMs": 85})
    return ndjson([*lines, {"kind": "close", "connId": "c1", "tMs": 900}])


@pytest.mark.parametrize("body", [ASKED, json.dumps(ASKED)])
@pytest.mark.parametrize("elapsed", [20, 20.4])
def test_a_browser_tools_export_is_its_events_and_its_requests(body: Any, elapsed: float) -> None:
    reading = read_file(exported(body=body, elapsed=elapsed))
    assert (codes(reading), reading.rejected) == ([], [])
    (thread,) = reading.threads
    seen = thread.picture.thread
    assert (thread.name, seen.turns[0].title, len(seen.runs)) == ("thread-1", "Please look it up.", 1)
    assert seen.runs[0].end_at == round(len(RUN) * elapsed)


def test_an_export_whose_request_was_left_out_is_read_all_the_same() -> None:
    reading = read_file(exported(body=None))
    assert (codes(reading), reading.rejected) == ([], [])


def test_lines_of_no_known_recorder_stay_unread() -> None:
    reading = read_file(ndjson(RUN + [{"kind": "note", "text": "no connection, no header"}]))
    assert codes(reading) == ["S01"]


# ---------------------------------------------------------------- raw responses, as files keep them

BOM, HEAD = b"\xef\xbb\xbf", b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
KEPT: dict[str, bytes] = {
    "JSON lines with a byte order mark": BOM + ndjson(RUN),
    "an SSE body with a byte order mark": BOM + sse(*RUN),
    "an SSE body behind its response's head": HEAD + sse(*RUN),
    "SSE blocks with names, numbers and retries": b"retry: 500\n\n"
    + b"".join(b"event: message\nid: %d\n" % n + sse(one) for n, one in enumerate(RUN)),
    "SSE lines that end in CR LF": sse(*RUN).replace(b"\n", b"\r\n"),
    "SSE with comments for keep-alives": b": open\n\n".join([b"", *(sse(one) for one in RUN)]),
    "headings above each part": b"# Run 1\n" + ndjson(RUN[:4]) + b"## and on\n\n" + ndjson(RUN[4:]),
    "one JSON array": json.dumps(RUN, indent=1).encode(),
}


@pytest.mark.parametrize("what", KEPT)
def test_a_recording_of_any_framing_is_the_same_run_and_no_finding(what: str) -> None:
    reading = read_file(KEPT[what])
    assert (codes(reading), reading.rejected) == ([], [])
    (thread,) = reading.threads
    assert (thread.name, [one.state for one in thread.picture.thread.calls]) == ("thread-1", ["ok"])


# ---------------------------------------------------------------- what deviates, by its exact path

DEVIATES: dict[str, tuple[dict[str, Any], str]] = {
    "snake case": (
        {"type": "TOOL_CALL_RESULT", "message_id": "a1", "tool_call_id": "c1", "content": "ok"},
        "Not as the protocol has it (snake case): "
        "tool_call_id of TOOL_CALL_RESULT, message_id of TOOL_CALL_RESULT.",
    ),
    "result for content": (
        {"type": "TOOL_CALL_RESULT", "messageId": "a1", "toolCallId": "c1", "result": "ok"},
        "Not as the protocol has it (named result): content of TOOL_CALL_RESULT.",
    ),
    "no messageId": (
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "content": "ok"},
        "Not as the protocol has it (missing): messageId of TOOL_CALL_RESULT.",
    ),
    "null for absent": (
        {
            "type": "TOOL_CALL_RESULT",
            "messageId": "a1",
            "toolCallId": "c1",
            "content": "ok",
            "subagentRunId": None,
        },
        "Not as the protocol has it (null): subagentRunId of TOOL_CALL_RESULT.",
    ),
    "a type in another case": (
        {"type": "ToolCallResult", "messageId": "a1", "toolCallId": "c1", "content": "ok"},
        "Not as the protocol has it (wrong case): type of TOOL_CALL_RESULT.",
    ),
    "an object for a text": (
        {"type": "TOOL_CALL_RESULT", "messageId": "a1", "toolCallId": "c1", "content": {"seats": 2}},
        "Not as the protocol has it (not a string): content of TOOL_CALL_RESULT.",
    ),
    "a part without its text": (
        {"type": "TOOL_CALL_RESULT", "messageId": "a1", "toolCallId": "c1", "content": [{"type": "text"}]},
        "Not as the protocol has it (missing): content[0].text of TOOL_CALL_RESULT.",
    ),
    "fields one level down": (
        {
            "type": "TOOL_CALL_RESULT",
            "data": {"type": "TOOL_CALL_RESULT", "messageId": "a1", "toolCallId": "c1", "content": "ok"},
        },
        "Not as the protocol has it (fields one level down): data of TOOL_CALL_RESULT.",
    ),
}


@pytest.mark.parametrize("what", DEVIATES)
def test_what_deviates_is_read_as_it_was_meant_and_told_once_with_its_path(what: str) -> None:
    """Twice in the stream, once in the findings."""
    bad, sentence = DEVIATES[what]
    again = json.loads(json.dumps(bad).replace('"c1"', '"c2"').replace('"a1"', '"a2"'))
    stream = run_started() + call() + call("c2", "save") + [bad, again] + text() + finished()
    reading = read_file(ndjson(stream))
    (told,) = (one for one in reading.findings if one.code == "S03")
    assert (told.message, told.seqs[0]) == (sentence, 9)
    assert told.count in (2, 4)
    assert [one.state for one in reading.threads[0].picture.thread.calls] == ["ok", "ok"]
    assert {one.code for one in reading.findings} <= {"S03", "S04"}


def test_times_in_seconds_are_read_and_told_once() -> None:
    stream = [{**one, "timestamp": BEGAN // 1000 + n} for n, one in enumerate(RUN)]
    reading = read_file(ndjson(stream))
    (told,) = reading.findings
    assert (told.code, told.message) == ("S09", "The timestamp of RUN_STARTED is in seconds.")
    run = reading.threads[0].picture.thread.runs[0]
    assert run.end_at - run.start_at == (len(RUN) - 1) * 1000


def test_a_request_body_recorded_before_its_response_is_one_run() -> None:
    reading = read_file(ndjson([ASKED, *run_with_input(user()), *RUN[1:]]))
    assert codes(reading) == []
    assert len(reading.threads[0].picture.thread.runs) == 1
