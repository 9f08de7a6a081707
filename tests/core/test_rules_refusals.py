"""T01 and T03: what the target would refuse of the history as it would be sent now."""

from __future__ import annotations

from typing import Any

import pytest
from judged import Live, call, found, read

from tests.streams import Event as Frame
from tests.streams import (
    assistant,
    event,
    failed,
    finished,
    interrupt,
    result,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)
from tests.streams import call as a_call
from turnscope.core import events as e
from turnscope.core.rules.finding import Finding

HELD = assistant(("c1", "lookup", "{}"))


def to(target: str) -> dict[str, Any]:
    return {"target": target}


def refusal(frames: list[Frame], target: str = "openai_chat") -> Finding | None:
    return found(frames, to(target)).get("T01")


def sent(*messages: Frame) -> list[Frame]:
    """One run whose input is this history."""
    return run_with_input(*messages) + text("Well.", "m9") + finished()


# ---------------------------------------------------------------- whose refusal it is


def test_a_stream_that_does_not_say_where_it_goes_is_not_judged() -> None:
    assert "T01" not in found(run_started() + a_call() + text() + finished())


REFUSED = run_started() + a_call() + failed("Tool result is missing for tool call c1.")
WENT_ON = run_started("r2") + text("Well.", "m9") + finished("r2")


def test_the_target_of_the_settings_comes_before_the_one_an_error_speaks_for() -> None:
    assert "Vercel AI SDK" in found(REFUSED + WENT_ON)["T01"].message
    assert "Anthropic" in found(REFUSED + WENT_ON, to("anthropic"))["T01"].message


def test_while_a_refusal_is_the_last_word_it_says_so_itself() -> None:
    assert set(found(REFUSED)) == {"R05"}
    assert "T01" in found(REFUSED, to("anthropic"))


@pytest.mark.parametrize("words", ["400: no tool output found for function call c1", "It broke.", ""])
def test_an_error_that_speaks_for_no_known_target_names_none(words: str) -> None:
    assert "T01" not in found(run_started() + a_call() + failed(words))


@pytest.mark.parametrize("target", ["nobody", 7, None, ["anthropic"]])
def test_settings_that_name_no_target_are_none(target: Any) -> None:
    frames = run_started() + a_call() + text() + finished()
    assert "T01" not in found(frames, {"target": target})


# ---------------------------------------------------------------- what is refused


def test_a_call_without_a_result_is_refused_with_the_targets_rule_and_its_place() -> None:
    told = refusal(sent(user(), HELD, user("And?", "u2")), "anthropic")
    assert told is not None
    assert told.message == (
        "Anthropic Messages refuses the history as it would be sent now: lookup has no result (messages[1]), "
        "and each tool_use block must have a corresponding tool_result block in the next message."
    )
    assert told.because_of


def test_it_names_the_event_of_a_call_that_no_history_carries() -> None:
    told = refusal(run_started() + a_call() + text() + finished())
    assert told is not None and "(event 4)" in told.message


@pytest.mark.parametrize(
    ("target", "refused"),
    [("openai_chat", True), ("anthropic", True), ("ai_sdk", False), ("ag_ui", True)],
)
def test_each_target_has_its_own_window_for_a_result(target: str, *, refused: bool) -> None:
    note: Frame = {"id": "d1", "role": "developer", "content": "Be brief."}
    frames = sent(user(), HELD, note, tool())
    if target == "anthropic":
        frames = sent(user(), HELD, user("Hello?", "u2"), tool())
    assert (refusal(frames, target) is not None) == refused


@pytest.mark.parametrize(("target", "refused"), [("openai_chat", True), ("ai_sdk", False)])
def test_an_assistants_text_between_is_refused_only_where_results_must_follow_at_once(
    target: str, *, refused: bool
) -> None:
    frames = sent(user(), HELD, assistant(content="One moment.", id="m2"), tool())
    assert (refusal(frames, target) is not None) == refused


def test_messages_with_calls_one_after_another_are_one_turn() -> None:
    other = assistant(("c2", "save", "{}"), id="m2")
    assert refusal(sent(user(), HELD, other, tool(), tool("c2"))) is None


def test_two_results_are_refused() -> None:
    told = refusal(run_started() + a_call() + result() + result(message="t2") + text() + finished())
    assert told is not None and "more than one result" in told.message
    told = refusal(sent(user(), HELD, tool(), tool(id="t2")))
    assert told is not None and "more than one result" in told.message


def test_a_streamed_result_that_a_history_then_tells_is_one_result() -> None:
    frames = (
        run_started()
        + a_call(parentMessageId="m1")
        + result(message="c1-answer")
        + event("MESSAGES_SNAPSHOT", messages=[user(), HELD, tool()])
        + result(message="c1-answer")
        + text("Found.", "m2")
        + finished()
    )
    assert refusal(frames) is None


def test_a_result_without_its_call_is_refused() -> None:
    told = refusal(run_started() + result("c9") + text() + finished())
    assert told is not None and told.message.count("answers no call") == 1
    assert [code for code, _, _ in told.because_of] == ["C07"]


def test_arguments_are_refused_by_those_who_read_them() -> None:
    frames = run_started() + a_call(args='{"q": 1}{"q": 2}') + result() + text() + finished()
    assert refusal(frames, "openai_chat") is None
    told = refusal(frames, "anthropic")
    assert told is not None and [code for code, _, _ in told.because_of] == ["C11"]


def test_a_result_that_a_snapshot_erased_is_refused_because_of_it() -> None:
    frames = (
        run_started()
        + a_call(parentMessageId="m1")
        + result()
        + event("MESSAGES_SNAPSHOT", messages=[user(), HELD])
        + text("Found.", "m2")
        + finished()
    )
    told = refusal(frames)
    assert told is not None and "C17" in [code for code, _, _ in told.because_of]


def test_what_a_full_history_has_let_go_of_is_not_refused() -> None:
    frames = run_started() + text("Hi.", "m0") + a_call() + text("x", "m1") + finished()
    again = run_with_input(assistant(content="Hi.", id="m0"), user("And?", "u2"), run="run-2")
    assert refusal(frames) is not None
    assert refusal(frames + again + text("Well.", "m9") + finished("run-2")) is None


def test_a_delta_lets_go_of_nothing() -> None:
    frames = run_started() + text("Hi.", "m0") + a_call() + text("x", "m1") + finished()
    more = run_with_input(user("And?", "u2"), run="run-2") + text("Well.", "m9") + finished("run-2")
    assert refusal(frames + more) is not None


# ---------------------------------------------------------------- ids


def test_an_id_the_target_does_not_take_stands_alone_and_no_repair_mends_it() -> None:
    by_code = found(run_started() + a_call("a.b:0") + result("a.b:0") + text() + finished(), to("anthropic"))
    assert by_code["T01"].root
    assert [code for code, _, _ in by_code["T03"].because_of] == ["T01"]
    assert "'a.b:0'" in by_code["T03"].message


def test_an_id_may_be_too_long() -> None:
    long = "c" * 65
    frames = run_started() + a_call(long) + result(long) + text() + finished()
    assert refusal(frames, "openai_chat") is not None
    assert refusal(frames, "anthropic") is None


def test_an_id_used_again_is_refused_where_it_must_be_the_only_one() -> None:
    twice = run_started() + a_call() + result() + a_call(args={"q": 2}) + result(message="t2") + text()
    assert "T03" in found(twice + finished(), to("anthropic"))
    assert found(twice + finished(), to("openai_chat")) == {}


# ---------------------------------------------------------------- what may still come


PENDING: dict[str, list[Frame]] = {
    "a client's call": run_with_input(user(), tools=["lookup"]) + a_call() + finished(),
    "an approval": run_started() + a_call() + finished(interrupts=[interrupt(call="c1")]),
    "nobody knows whose": run_started() + a_call() + finished(),
}


@pytest.mark.parametrize("whose", PENDING)
def test_a_call_that_may_still_be_answered_is_no_refusal(whose: str) -> None:
    assert refusal(PENDING[whose]) is None


def test_it_stands_only_while_no_run_is_open() -> None:
    live = Live({"target": "anthropic"})
    live.say(0, e.RunStarted("t", "r1"), *call())
    live.say(0, e.TextStart("m1"), e.TextDelta("m1", "Well."), e.TextEnd("m1"))
    assert not live.standing("T01")
    live.say(1, e.RunFinished("t", "r1", "success"))
    (told,) = live.standing("T01")
    live.say(2, e.RunStarted("t", "r2"))
    assert not live.standing("T01")
    live.say(3, e.CallResult("c1", "done"), e.RunFinished("t", "r2", "success"))
    assert not live.standing("T01") and told.closed_seq


def test_settings_that_come_later_judge_what_is_there() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), *call(), e.TextStart("m1"), e.TextEnd("m1"))
    live.say(1, e.RunFinished("t", "r1", "success"), e.SettingsInForce({"target": "anthropic"}))
    assert live.standing("T01")
    live.say(2, e.SettingsInForce({}))
    assert not live.standing("T01")


def test_a_run_that_was_cut_off_leaves_a_history_that_is_refused() -> None:
    told = refusal(run_started() + a_call())
    assert told is not None and [code for code, _, _ in told.because_of] == ["R02"]


def test_many_refused_calls_are_one_finding_with_their_number() -> None:
    frames = run_started()
    for number in range(5):
        frames += a_call(f"c{number}")
    threads = read(frames + text() + finished(), to("ai_sdk"))
    (told,) = [one for one in threads.picture.findings if one.code == "T01"]
    assert told.count == 5 and "4 more calls are refused" in told.message
