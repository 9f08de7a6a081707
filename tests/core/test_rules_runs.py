"""The rules about runs and frames, each on the shortest stream that shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from judged import found, only, read

from tests.streams import (
    Event,
    arguments,
    assistant,
    call,
    call_ended,
    call_started,
    event,
    failed,
    finished,
    ndjson,
    result,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)
from turnscope.core.picture import read_file

HELD = assistant(("c1", "lookup", "{}"))


def test_a_step_closed_under_another_owner_explains_why_the_client_refuses_its_end() -> None:
    inner = event("SUBAGENT_STARTED", subagentRunId="s", name="scout")
    stream = run_started() + inner + event("STEP_STARTED", stepName="look")
    stream += event("STEP_FINISHED", stepName="look", subagentRunId="s") + text()
    seen = only(stream + event("SUBAGENT_FINISHED", subagentRunId="s") + finished())
    assert (seen.code, seen.severity) == ("R10", "error")
    assert seen.message == (
        "Run run-1 finished with step look still open. "
        "Step look was closed under another owner than the one that opened it."
    )
    assert 5 in seen.seqs


# ---------------------------------------------------------------- R02, R03, R04


def test_a_file_that_stops_inside_a_run_was_truncated() -> None:
    seen = only(run_started() + call() + event("TEXT_MESSAGE_START", messageId="m1"))
    assert (seen.code, seen.culprit) == ("R02", "producer")
    assert "It cut off lookup, which the server owed." in seen.message


def test_a_fragment_whose_run_was_never_seen_to_open_is_not_called_truncated() -> None:
    assert set(found(text())) == {"S04"}


def test_a_run_that_shows_nothing_at_all_stopped_in_silence() -> None:
    seen = only(run_started() + finished())
    assert (seen.code, seen.severity) == ("R04", "error")


def test_a_run_that_gives_its_caller_a_result_did_not_stop_in_silence() -> None:
    assert not found(run_started() + finished(result={"seats": 2}))
    assert set(found(run_started() + finished(result={}))) == {"R04"}


def test_a_run_that_stops_at_a_result_is_a_warning() -> None:
    stream = run_started() + text() + call() + result() + finished()
    seen = only(stream)
    assert (seen.code, seen.severity) == ("R04", "warning")
    assert "finished on a result" in seen.message


def test_activity_after_the_result_was_something_to_see() -> None:
    activity = event("ACTIVITY_SNAPSHOT", messageId="a1", activityType="plan", content={"steps": []})
    assert not found(run_started() + call() + result() + activity + finished())


def test_text_that_only_a_snapshot_brought_was_shown() -> None:
    told = event("MESSAGES_SNAPSHOT", messages=[user(), assistant(content="Here it is.", id="m9")])
    assert not found(run_started() + call() + result() + told + finished())


def test_silence_is_explained_by_the_call_that_nobody_answered() -> None:
    seen = found(run_started() + call() + finished(), {"owners": {"server": ["lookup"]}})
    assert seen["R04"].because_of == (seen["C02"].key,)


def test_a_remainder_that_nothing_explains_would_be_said() -> None:
    # No stream makes one: a call is put back by hand, as a fault of the fold's would leave it.
    thread = read(run_started() + call() + result() + text() + finished()).picture.thread
    from turnscope.core.rules import r03_count_mismatch as r03

    run, left = thread.runs[0], thread.calls[0]
    assert not r03.check(thread, run, thread.now)
    left.answers.clear()
    left.state = "running"
    run.open_calls[left.number] = None
    (seen,) = r03.check(thread, run, thread.now)
    assert seen.message == "Run run-1: 1 started, 0 answered, 0 waits: nothing explains lookup."


# ---------------------------------------------------------------- R05, R06


def test_an_error_says_what_it_cut_off() -> None:
    seen = only(run_started() + call() + failed("retries exhausted", code="tool_retry_limit"))
    assert (seen.code, seen.culprit) == ("R05", "producer")
    assert seen.message == "Run run-1 failed: retries exhausted (tool_retry_limit). It cut off lookup."


def test_what_was_cut_off_is_named_with_who_owed_it_where_something_says_so() -> None:
    owners = {"owners": {"server": ["lookup"], "client": ["pick_seats"]}}
    one, both = call("c1", "lookup"), call("c1", "lookup") + call("c2", "pick_seats")

    def said(calls: list[Event], settings: dict[str, Any]) -> str:
        return found(run_started() + calls + failed("gone"), settings)["R05"].message

    assert said(one, owners).endswith("It cut off lookup, which the server owed.")
    assert said(both, owners).endswith(
        "It cut off lookup (the server owed it) and pick_seats (the browser owed it)."
    )
    assert said(both, {}).endswith("It cut off lookup and pick_seats.")


def test_a_known_sentence_is_put_in_plain_words_and_leads_to_the_call_it_quotes() -> None:
    stream = (
        run_started()
        + call()
        + text()
        + finished()
        + run_started("run-2")
        + failed("No tool output found for function call c1.")
    )
    seen = found(stream)
    assert "a call in the history has no result where one is due (lookup)" in seen["R05"].message
    assert seen["R05"].call == seen["C02"].call == 1
    assert seen["R05"].because_of == (seen["C02"].key,)


def test_an_error_that_speaks_of_something_else_is_not_explained_by_the_poison() -> None:
    stream = run_with_input(user(), HELD, user("Hello?", "u2")) + failed("model offline")
    seen = found(stream)
    assert set(seen) == {"T02", "R05"}
    assert seen["R05"].root


def refusals(count: int, message: str = "Tool result is missing for tool call c1 (request {}).") -> list:
    stream = run_with_input(user(), tools=["lookup"]) + call(parentMessageId="m1") + finished(pending=["c1"])
    for n in range(2, 2 + count):
        asked = [user("Hello?", f"u{m}") for m in range(2, n + 1)]
        stream += run_with_input(user(), HELD, *asked, run=f"run-{n}", tools=["lookup"])
        stream += failed(message.format(n * 17))
    return stream


def test_run_after_run_that_fails_alike_on_the_same_history_is_a_poisoned_thread() -> None:
    findings = read(refusals(3)).picture.findings
    (seen,) = [one for one in findings if one.code == "R06"]
    assert (seen.subject, seen.count, seen.run) == ("run-2", 3, 2)
    assert seen.message.startswith("3 runs in a row failed alike on the same history, since run run-2")
    assert {one.code for one in findings if one.root} == {"C04"}


def test_one_failure_is_no_row() -> None:
    assert "R06" not in found(refusals(1))


def test_the_poison_is_gone_with_the_first_run_that_does_not_fail() -> None:
    mended = run_with_input(user(), HELD, tool(), user("Hello?", "u9"), run="run-9") + text("Here.", "m9")
    picture = read(refusals(2) + mended + finished("run-9")).picture
    (seen,) = [one for one in picture.judge.findings.values() if one.code == "R06"]
    assert seen.closed_seq == picture.thread.runs[-1].end_seq


# ---------------------------------------------------------------- R07 to R10


def test_a_run_that_opens_inside_another_overlaps_it_and_does_not_truncate_it() -> None:
    stream = run_started() + text() + run_started("run-2") + text("More.", "m2") + finished("run-2")
    assert only(stream).code == "R07"


def test_a_run_announced_twice_is_an_overlap() -> None:
    seen = only(run_started() + run_started() + text() + finished())
    assert (seen.code, seen.message) == ("R07", "Run run-1 was announced twice.")


def test_a_result_after_the_terminal_is_an_error() -> None:
    seen = only(run_started() + text() + call() + finished() + result())
    assert (seen.code, seen.severity) == ("R08", "error")
    assert seen.message == "A result for lookup came after run run-1 had ended."


def test_a_delta_after_the_terminal_is_seen_at_once() -> None:
    stream = run_started() + text() + finished() + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x")
    assert only(stream).code == "R08"


def test_finished_after_failed_is_a_warning_that_the_error_explains() -> None:
    seen = found(run_started() + failed("model offline") + finished())
    assert (seen["R08"].severity, seen["R08"].because_of) == ("warning", (seen["R05"].key,))


def test_terminals_that_name_another_run_are_told_once_with_a_count() -> None:
    stream = []
    for n in range(3):
        stream += run_started(f"run-{n}") + text(id=f"m{n}") + finished("inner")
    seen = only(stream)
    assert (seen.code, seen.severity, seen.count) == ("R09", "warning", 3)
    assert len(seen.seqs) == 3


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (event("STEP_STARTED", stepName="tools"), "step tools"),
        (event("REASONING_START", messageId="r1"), "reasoning r1"),
        (event("TEXT_MESSAGE_START", messageId="m9", role="assistant"), "text m9"),
        (event("SUBAGENT_STARTED", subagentRunId="sub-1", name="scout"), "subagent sub-1"),
    ],
)
def test_a_part_still_open_when_the_run_finishes_is_found(part: list, words: str) -> None:
    seen = only(run_started() + text() + part + finished())
    assert (seen.code, seen.severity) == ("R10", "error")
    assert f"finished with {words} still open" in seen.message


def test_a_part_still_open_when_the_run_fails_is_not() -> None:
    assert set(found(run_started() + event("STEP_STARTED", stepName="tools") + failed())) == {"R05"}


# ---------------------------------------------------------------- S01 to S03, T02


def test_frames_that_no_parser_reads_are_kept_and_found() -> None:
    data = ndjson(run_started()) + b'{"type": "TEXT_MESSAGE_START", \n' + ndjson(text() + finished())
    (thread,) = read_file(data, dialect="ag_ui").threads
    (seen,) = thread.picture.findings
    assert (seen.code, seen.severity) == ("S01", "error")


def test_a_type_the_protocol_does_not_have_is_told_once_per_type() -> None:
    stream = run_started() + text() + event("TOOL_CALL_PROGRESS", toolCallId="c1") * 3 + finished()
    seen = only(stream)
    assert (seen.code, seen.severity, seen.count) == ("S02", "warning", 3)


def test_a_habit_of_spelling_is_told_once_whatever_it_touches() -> None:
    stream = text() + call() + result() + text("Found.", "m2")
    snake = [
        {
            {"messageId": "message_id", "toolCallId": "tool_call_id"}.get(key, key): value
            for key, value in one.items()
        }
        for one in stream
    ]
    findings = found(run_started() + snake + finished())
    assert set(findings) == {"S03"}
    seen = findings["S03"]
    assert seen.severity == "warning"
    assert seen.count == sum(("message_id" in one) + ("tool_call_id" in one) for one in snake)


def test_unknown_extra_fields_are_never_a_finding() -> None:
    stream = [{**one, "traceId": "x", "extra": {"deep": [1]}} for one in run_started() + text() + finished()]
    assert not found(stream)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1, 2, 4, 5), "are missing: number 4 came where 3 was due"),
        ((1, 2, 2, 3), "came again or out of order"),
    ],
)
def test_numbers_of_a_recording_that_do_not_follow_are_a_gap(numbers: tuple[int, ...], words: str) -> None:
    frames = [{"event": one, "n": n} for one, n in zip(run_started() + text(pieces=1), numbers, strict=True)]
    seen = {one.code: one for one in read(frames).picture.findings}
    assert seen["S05"].severity == "error"
    assert words in seen["S05"].message


def test_a_producer_that_invents_types_without_end_gets_a_bounded_number_of_findings() -> None:
    strange = [json.loads(f'{{"type": "X_{chr(65 + n % 26)}{chr(65 + n // 26)}"}}') for n in range(500)]
    findings = read(run_started() + text() + strange + finished()).picture.findings
    assert 200 <= len(findings) <= 202
    assert sum(one.count for one in findings) == 500


def test_a_history_that_lost_all_its_results_at_once_names_the_relay() -> None:
    held = assistant(("c1", "lookup", "{}"), ("c2", "lookup", "{}"))
    seen = only(run_with_input(user(), held, user("Go on.", "u2")) + text("Well.", "m2") + finished())
    assert (seen.code, seen.culprit) == ("T02", "adapter")
    assert "a relay stripped the tool messages" in seen.message
    assert "lookup (2 times)" in seen.message


def test_a_history_that_ends_on_its_own_open_call_was_sent_poisoned() -> None:
    assert "T02" in found(run_with_input(user(), HELD) + text("Well.", "m2") + finished())


def test_interleaved_calls_keep_their_own_arguments() -> None:
    stream = run_started() + call_started("a") + call_started("b")
    stream += arguments("b", '{"q":') + arguments("a", '{"p":') + arguments("b", "1}") + arguments("a", "2}")
    stream += call_ended("a") + call_ended("b") + result("b") + result("a") + text() + finished()
    assert set(found(stream)) == {"S10"}
