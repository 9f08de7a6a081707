"""The live plane: whatever is owed is paid, and whatever is open closed, before one terminal."""

from __future__ import annotations

from typing import Any

from tests.core.mended import STREAMS, added, frames_of, loaded, mended, settings_for, types
from tests.streams import (
    call,
    call_started,
    event,
    finished,
    ndjson,
    result,
    run_started,
    text,
    timed,
)
from turnscope.core import events as e
from turnscope.core.repair.stream import StreamRepair

SERVER = {"owners": {"server": ["lookup"]}}
HARNESS = {"owners": {"harness": ["ToolSearch"]}}

# ---------------------------------------------------------------- story 1


def story(stem: str) -> list[dict[str, Any]]:
    return loaded(next(path for path in STREAMS if path.stem.startswith(stem)))


def test_the_servers_call_is_answered_before_the_terminal_and_the_clients_are_left() -> None:
    done = mended(story("1a"))
    *_, answer, terminal = done.events
    assert answer["toolCallId"] == "call-eb475b2"
    assert answer["content"].startswith("TOOL_NOT_EXECUTED: ") and answer["content"].endswith("retry: yes")
    assert terminal["outcome"]["pendingToolCallIds"] == ["call-e8ec313", "call-5978814"]
    assert added(done) == [answer]


def test_what_a_host_captured_is_used_instead_of_words() -> None:
    stream = story("1a")
    seen = {"evidence": {"toolCallId": "call-eb475b2", "phase": "result", "content": {"changed": 3}}}
    done = mended([*stream[:-1], seen, stream[-1]])
    assert done.events[-2]["content"] == '{"changed":3}'
    [change] = done.changes
    assert (change.code, change.action, change.text) == ("result_recovered", "recovered", "")


def test_a_capture_that_was_kept_apart_counts_as_well() -> None:
    capture = e.Evidence("call-eb475b2", "result", "3 devices")
    assert mended(story("1a"), context=[capture]).events[-2]["content"] == "3 devices"


def test_a_tool_that_was_seen_to_start_is_not_said_to_be_safe_to_retry() -> None:
    begun = {"evidence": {"toolCallId": "call-eb475b2", "phase": "start"}}
    stream = story("1a")
    done = mended([*stream[:-1], begun, stream[-1]])
    assert done.events[-2]["content"].startswith("TOOL_OUTCOME_UNKNOWN: ")


def test_hindsight_answers_in_the_run_that_owed_it_and_in_the_next_input() -> None:
    """1b: only the next input shows whose call it was. A live repair cannot know it, and lets it wait."""
    stream = story("1b")
    done = mended(stream)
    at = types(done.events).index("RUN_FINISHED")
    assert done.events[at - 1]["toolCallId"] == "call-b7a4362"
    told = done.events[at + 1]["input"]["messages"]
    assert [m["toolCallId"] for m in told if m["role"] == "tool"] == [
        "call-b7a4362", "call-ef2ccd3", "call-18d7be4",
    ]  # fmt: skip
    live = StreamRepair()
    sent = [one for value, found in frames_of(ndjson(stream)) for one in live.feed(value, found)]
    assert sent[:at] == stream[:at]


def test_a_guard_answers_only_where_the_owner_is_known_for_sure() -> None:
    stream = run_started() + call() + text() + finished()
    assert "TOOL_CALL_RESULT" in types(mended(stream).events)
    sure = ("configured", "declared", "excluded")
    assert mended(stream, sources=sure).events == stream
    assert "TOOL_CALL_RESULT" in types(mended(stream, SERVER, sources=sure).events)


# ---------------------------------------------------------------- story 2


def test_a_run_that_ends_on_the_harness_alone_ends_early_and_says_so() -> None:
    done = mended(story("2b"), HARNESS)
    *_, answer, terminal = done.events
    assert answer["toolCallId"] == "call-748aec3"
    assert (terminal["type"], terminal["code"]) == ("RUN_ERROR", "RUN_ENDED_EARLY")
    assert terminal["message"] == "The agent stopped before it finished answering. Try again."


def test_twenty_eight_are_started_and_twenty_eight_answered() -> None:
    path = next(path for path in STREAMS if path.stem.startswith("2a"))
    done = mended(loaded(path), settings_for(path))
    assert types(done.events).count("TOOL_CALL_START") == 28
    assert types(done.events).count("TOOL_CALL_RESULT") == 28


# ---------------------------------------------------------------- closing, in order


def test_everything_open_is_closed_in_order_before_the_terminal() -> None:
    stream = (
        run_started()
        + event("STEP_STARTED", stepName="answer")
        + event("SUBAGENT_STARTED", subagentRunId="s1", name="scout")
        + event("REASONING_START", messageId="r1")
        + event("REASONING_MESSAGE_START", messageId="r1", role="reasoning")
        + event("TEXT_MESSAGE_START", messageId="m1")
        + call_started()
        + finished()
    )
    closing = types(mended(stream, SERVER).events)[len(stream) - 1 :]
    assert closing == [
        "TEXT_MESSAGE_END",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED",
        "SUBAGENT_FINISHED",
        "RUN_FINISHED",
    ]


def test_a_synthetic_event_has_the_time_of_what_made_it_necessary() -> None:
    stream = timed(run_started() + call() + finished(pending=[]))
    answer = mended(stream).events[-2]
    assert answer["timestamp"] == stream[-1]["timestamp"]
    assert answer["messageId"] == "c1-result"


def test_a_stream_that_was_cut_off_ends_with_an_error() -> None:
    done = mended(run_started() + text()[:2])
    assert types(done.events)[-2:] == ["TEXT_MESSAGE_END", "RUN_ERROR"]
    assert done.events[-1]["code"] == "INCOMPLETE_STREAM"


def test_what_chunks_opened_is_left_to_the_client_to_close() -> None:
    stream = run_started() + event("TEXT_MESSAGE_CHUNK", messageId="m1", delta="Hel")
    assert types(mended(stream).events) == ["RUN_STARTED", "TEXT_MESSAGE_CHUNK", "RUN_ERROR"]


def test_a_result_behind_the_terminal_rides_a_run_of_its_own() -> None:
    late = run_started() + call() + finished() + result()
    done = mended(late)
    assert types(done.events)[-3:] == ["RUN_STARTED", "TOOL_CALL_RESULT", "RUN_FINISHED"]
    assert done.events[-3]["runId"] == done.events[-1]["runId"] == "run-1-late"
