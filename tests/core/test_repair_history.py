"""Transcripts out of a thread's events: what the client holds, what is on record beside, what still waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import oracles
from tests.core.judged import HARNESS, read
from tests.core.mended import STREAMS, loaded, settings_for
from tests.streams import (
    arguments,
    assistant,
    call,
    call_ended,
    call_started,
    event,
    failed,
    finished,
    interrupt,
    result,
    resume,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)
from turnscope.core.repair import TARGETS, Transcript, from_events, repair

IDS = {"id_format", "id_too_long", "id_reused"}
"""Of a target that would not take the ids as they are: those are mapped, and the rest holds all the same."""


def transcript(frames: list[Any], settings: dict[str, Any] | None = None) -> Transcript:
    thread = read(frames, settings)
    return from_events(thread.events, thread.picture.thread)


def seen(call_id: str, phase: str, content: Any = None) -> list[Any]:
    return [{"evidence": {"toolCallId": call_id, "phase": phase, "content": content}}]


def test_a_result_stands_right_behind_the_message_that_holds_its_call() -> None:
    stream = run_with_input(user()) + call(parentMessageId="m1") + text(id="m2") + result() + finished()
    assert [raw["id"] for raw in transcript(stream).raws] == ["u1", "m1", "c1-answer", "m2"]


def test_messages_of_an_input_that_nobody_has_seen_come_at_the_end() -> None:
    stream = run_started() + text(id="m1") + finished() + run_with_input(user(), assistant(id="m1"), run="r2")
    assert [raw["id"] for raw in transcript(stream).raws] == ["m1", "u1"]


def test_a_snapshot_replaces_and_removes_and_keeps_reasoning() -> None:
    thought = event("REASONING_MESSAGE_START", messageId="r1", role="reasoning")
    lost = event("MESSAGES_SNAPSHOT", messages=[user(), assistant(id="m1", content="Better.")])
    stream = run_started() + thought + text(id="m1") + text(id="m2") + lost
    raws = transcript(stream).raws
    assert [raw["id"] for raw in raws] == ["r1", "m1", "u1"]
    assert raws[1]["content"] == "Better."


def test_a_call_announced_again_has_its_arguments_once() -> None:
    stream = run_started() + call(args={"n": 1}) + call(args={"n": 1}) + finished()
    [raw] = transcript(stream).raws
    assert [c["function"]["arguments"] for c in raw["toolCalls"]] == ['{"n": 1}']


def test_an_id_that_comes_again_after_its_answer_is_a_call_of_its_own() -> None:
    stream = run_started() + call(args={"n": 1}) + result() + call(args={"n": 2}) + result(message="r2")
    done = repair(transcript(stream), "openai_chat")
    assert [m["role"] for m in done.messages] == ["assistant", "tool", "assistant", "tool"]
    assert done.messages[2]["tool_calls"][0]["function"]["arguments"] == '{"n": 2}'


def test_a_fragment_behind_the_end_does_not_spoil_the_arguments() -> None:
    stream = run_started() + call(args={"n": 1}) + arguments(delta="}") + result() + finished()
    [raw, _] = transcript(stream).raws
    assert raw["toolCalls"][0]["function"]["arguments"] == '{"n": 1}'


def test_a_call_whose_arguments_never_ended_is_not_yet_a_call_under_any_policy() -> None:
    stream = run_with_input(user()) + text() + call_started(parentMessageId="m1") + arguments(delta='{"a')
    for policy in ("answer", "drop", "block"):
        done = repair(transcript(stream + failed()), "openai_chat", policy)
        assert done.messages[-1] == {"role": "assistant", "content": "Hello there."}
        assert [(c.code, c.action, c.lossy) for c in done.changes] == [("unanswered_call", "dropped", True)]


def test_a_result_a_snapshot_erased_is_recovered_from_the_record_under_its_own_message_id() -> None:
    lost = event("MESSAGES_SNAPSHOT", messages=[user(), assistant(("c1", "lookup", "{}"), id="m1")])
    stream = (
        run_with_input(user()) + call(parentMessageId="m1") + result() + lost + text(id="m2") + finished()
    )
    done = repair(transcript(stream), "ag_ui")
    assert [m["id"] for m in done.messages] == ["u1", "m1", "c1-answer", "m2"]
    assert done.messages[2]["content"] == "done"
    assert done.messages[2]["metadata"] == {"turnscope": {"synthetic": "recovered"}}
    [change] = done.changes
    assert (change.code, change.action, change.seqs) == ("result_recovered", "recovered", (6,))


def test_what_a_host_captured_is_stronger_than_words_of_ours() -> None:
    stream = (
        run_with_input(user()) + call() + seen("c1", "start") + seen("c1", "result", "4 hits") + finished()
    )
    done = repair(transcript(stream, {"owners": {"server": ["lookup"]}}), "openai_chat")
    assert done.messages[-1]["content"] == "4 hits"
    only_begun = run_with_input(user()) + call() + seen("c1", "start") + finished()
    done = repair(transcript(only_begun, {"owners": {"server": ["lookup"]}}), "openai_chat")
    assert done.messages[-1]["content"].startswith("TOOL_OUTCOME_UNKNOWN: ")


def test_a_captured_failure_is_an_error_where_the_target_has_a_flag() -> None:
    stream = run_with_input(user()) + call() + seen("c1", "error", "no route") + failed()
    done = repair(transcript(stream), "anthropic")
    assert done.messages[-1]["content"][0]["is_error"] is True
    assert done.messages[-1]["content"][0]["content"] == "no route"


@pytest.mark.parametrize(
    ("tail", "judged_by"),
    [
        (finished(pending=["c1"]), None),
        (finished(), {"owners": {"client": ["lookup"]}}),
        (finished(), {"owners": {"background": ["lookup"]}}),
        (finished(interrupts=[interrupt(call="c1")]), None),
        ([], {"owners": {"server": ["lookup"]}}),
    ],
    ids=["named pending", "the client's", "a job's", "behind an approval", "its run is open"],
)
def test_a_call_that_somebody_may_still_answer_is_kept(tail: list[Any], judged_by: Any) -> None:
    stream = run_with_input(user()) + call() + tail
    thread = read(stream, judged_by)
    events = [one for one in thread.events if type(one).__name__ != "Closed"]
    done = repair(from_events(events), "anthropic")
    assert (done.pending, done.sendable) == (["c1"], False)
    assert [(c.code, c.action) for c in done.changes] == [("pending_call", "kept")]


def test_a_wait_is_over_when_the_thread_moves_on() -> None:
    stream = run_with_input(user()) + call(parentMessageId="m1") + finished(pending=["c1"])
    stream += run_with_input(user(), assistant(("c1", "lookup", "{}")), user("Hello?", "u2"), run="r2")
    done = repair(transcript(stream + failed()), "openai_chat")
    assert done.pending == [] and done.messages[2]["content"].startswith("TOOL_NOT_EXECUTED: ")


def test_a_resume_that_is_about_to_answer_keeps_its_call_and_a_refusal_is_told() -> None:
    asked = run_with_input(user()) + call() + finished(interrupts=[interrupt(call="c1")])
    yes = asked + run_with_input(user(), resume=[resume()], run="r2")
    events = [one for one in read(yes).events if type(one).__name__ != "Closed"]
    assert repair(from_events(events), "openai_chat").pending == ["c1"]
    no = asked + run_with_input(user(), resume=[resume(payload={"approved": False})], run="r2")
    done = repair(transcript(no + text() + finished("r2")), "openai_chat")
    assert [m["content"][:12] for m in done.messages if m["role"] == "tool"] == ["TOOL_DENIED:"]


def test_the_harness_waits_with_the_client_at_a_hand_over() -> None:
    stream = run_with_input(user(), tools=["pick"]) + call("c1", "pick", parentMessageId="m1")
    stream += call("c2", "ToolSearch", parentMessageId="m1") + finished()
    assert repair(transcript(stream, HARNESS), "openai_chat").pending == ["c1", "c2"]


def test_changes_name_the_seqs_they_come_from() -> None:
    stream = run_with_input(user()) + call() + text(id="m2") + finished()
    [change] = repair(transcript(stream), "openai_chat").changes
    assert change.seqs == (3, 5), "the call's START and END"


def test_system_texts_stand_beside_where_the_target_wants_them_there() -> None:
    rules = {"id": "s1", "role": "system", "content": "Be brief."}
    stream = run_with_input(rules, user()) + text() + finished()
    assert repair(transcript(stream), "anthropic").system == ["Be brief."]
    assert repair(transcript(stream), "openai_chat").messages[0]["role"] == "system"


def test_what_a_target_has_no_place_for_is_told() -> None:
    thought = event("REASONING_MESSAGE_START", messageId="r1", role="reasoning")
    stream = run_with_input(user()) + thought + text() + finished()
    assert [c.code for c in repair(transcript(stream), "openai_chat").changes] == ["not_carried"]
    assert repair(transcript(stream), "ag_ui").changes == []


def test_a_client_placeholder_gives_way_to_the_real_answer() -> None:
    stream = run_with_input(user(), tools=["pick"]) + call("c1", "pick") + result(content="null") + finished()
    stream += run_with_input(
        user(), assistant(("c1", "pick", "{}"), id="c1"), tool(content="/a.txt", id="t9"), run="r2"
    )
    done = repair(transcript(stream + failed()), "openai_chat")
    assert [m["content"] for m in done.messages if m["role"] == "tool"] == ["/a.txt"]


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_prefix_of_every_conversation_is_accepted_or_waits(path: Path, target: str) -> None:
    stream = loaded(path)
    step = 1 if len(stream) < 40 else 7
    for cut in range(1, len(stream) + 1, step):
        done = repair(transcript(stream[:cut], settings_for(path)), target)
        if {blocker.code for blocker in done.blockers} <= IDS:
            done = repair(transcript(stream[:cut], settings_for(path)), target, ids="map")
        assert not done.blockers, (cut, done.blockers)
        assert oracles.refusals(target, done.messages, tuple(done.pending)) == [], cut


def test_a_call_that_only_ended_is_nothing_to_show() -> None:
    assert transcript(run_started() + call_ended("c9") + finished()).raws == []
