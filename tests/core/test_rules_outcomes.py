"""Rules about approvals, tools that are not there, calls that never ran, and what should have followed."""

from __future__ import annotations

import pytest
from judged import SERVER, Live, call, found, only, read

from tests.streams import (
    BEGAN,
    assistant,
    event,
    failed,
    finished,
    interrupt,
    result,
    resume,
    run_started,
    run_with_input,
    text,
    timed,
    user,
)
from tests.streams import call as a_call
from turnscope.core import events as e
from turnscope.core.inputs import Interrupt, Resume, RunInput
from turnscope.core.rules.finding import Finding

HELD = assistant(("c1", "lookup", "{}"))
BOTH = assistant(("c1", "lookup", "{}"), ("c2", "save", "{}"))
CLIENT = {"limits": {"owners": {"client": 60_000}}}


def coded(stream: list, settings: dict | None = None) -> dict[str, Finding]:
    return {one.code: one for one in read(stream, settings).picture.findings}


def gated(*more: dict) -> list:
    return run_started() + a_call(parentMessageId="m1") + finished(interrupts=[interrupt(call="c1"), *more])


# ---------------------------------------------------------------- C05


def waiting() -> Live:
    live = Live(CLIENT)
    live.say(1_000, e.RunStarted("t", "r1"), *call(), e.RunFinished("t", "r1", "success", pending=("c1",)))
    return live


def test_a_call_that_waits_past_its_limit_is_overdue_when_somebody_looks() -> None:
    live = waiting()
    assert live.picture.live()
    assert not live.picture.due(60_999)
    assert live.picture.due(61_000)
    live.tick(61_000)
    (seen,) = live.standing("C05")
    assert (seen.severity, seen.message) == (
        "warning",
        "lookup waits for the browser past its limit of 1 min.",
    )


def test_an_overdue_wait_is_looked_for_once_and_closed_by_the_answer() -> None:
    live = waiting()
    live.tick(61_000)
    assert not live.picture.live()
    assert not live.picture.due(900_000)
    answer = RunInput((), None, (), {})
    live.say(120_000, e.RunStarted("t", "r2", input=answer), e.CallResult("c1", "done"))
    assert not live.standing("C05")


def test_a_recording_is_over_and_its_waits_are_never_overdue() -> None:
    frames = run_with_input(user(), tools=["lookup"]) + a_call() + finished(pending=["c1"])
    frames += timed(event("CUSTOM", name="x", value=1), start=BEGAN + 9_000_000)
    assert "C05" not in coded(frames, CLIENT)


@pytest.mark.parametrize(("answered", "told"), [(["i1"], True), (["i1", "i2"], False)])
def test_an_interrupt_that_a_resuming_run_leaves_unanswered_is_told(
    answered: list[str], *, told: bool
) -> None:
    stream = run_started() + a_call(parentMessageId="m1") + a_call("c2", "save", parentMessageId="m1")
    stream += finished(interrupts=[interrupt("i1", "c1"), interrupt("i2", "c2")])
    stream += run_with_input(user(), BOTH, run="run-2", resume=[resume(id_) for id_ in answered])
    stream += result() + (result("c2") if len(answered) > 1 else []) + text("So far.", "m2")
    seen = coded(stream + finished("run-2"))
    assert ("C05" in seen) is told
    if told:
        assert seen["C05"].message == (
            "save still waits for a person: the run that resumed answered other interrupts only."
        )


@pytest.mark.parametrize(
    ("expires", "overdue"), [("2026-11-30T00:00:00Z", True), ("2026-12-24T00:00:00Z", False)]
)
def test_an_approval_that_expired_by_the_streams_own_clock_is_told(expires: str, *, overdue: bool) -> None:
    frames = run_started() + a_call() + finished(interrupts=[{**interrupt(call="c1"), "expiresAt": expires}])
    assert ("C05" in coded(timed(frames))) is overdue


# ---------------------------------------------------------------- C12


@pytest.mark.parametrize(
    ("content", "near"),
    [
        ("Unknown tool: lookupp", " There is lookup."),
        ("Error: lookupp is not a valid tool, try one of [lookup, save].", " There is lookup."),
        ('{"error": "Tool lookupp not found"}', " There is lookup."),
        ("No such tool", " There is lookup."),
    ],
)
def test_a_tool_that_the_runtime_does_not_know_is_told_with_the_one_it_is_nearly(
    content: str, near: str
) -> None:
    stream = run_with_input(user(), tools=["lookup"]) + a_call(name="lookupp") + result(content=content)
    seen = only(stream + text() + finished())
    assert (seen.code, seen.severity) == ("C12", "warning")
    assert seen.message == f"The runtime knows no tool lookupp.{near}"


def test_a_name_that_no_list_has_proves_nothing() -> None:
    stream = run_with_input(user(), tools=["other"]) + a_call() + result(content="Order 7 not found")
    assert not found(stream + text() + finished())


@pytest.mark.parametrize(
    ("words", "severity", "near"),
    [
        ("Unknown tool: lookupp. Available tools: lookup, save", "error", " There is lookup."),
        ("Tool 'lookupp' not found", "warning", ""),
    ],
)
def test_a_run_that_fails_for_a_tool_it_does_not_know_has_the_call_for_its_cause(
    words: str, severity: str, near: str
) -> None:
    findings = coded(run_started() + a_call(name="lookupp") + failed(words))
    assert findings["C12"].severity == severity
    assert findings["C12"].message == (f"The runtime knows no tool lookupp, and the run failed for it.{near}")
    assert findings["R05"].because_of == (findings["C12"].key,)


@pytest.mark.parametrize("words", ["Unknown tool: other", "lookup timed out", "Page not found"])
def test_a_run_that_fails_for_something_else_blames_no_tool(words: str) -> None:
    assert "C12" not in coded(run_started() + a_call() + failed(words))


# ---------------------------------------------------------------- C20


def resumed(content: object, **entry: object) -> list:
    answer = {**resume(), **entry}
    return (
        gated()
        + run_with_input(user(), HELD, run="run-2", resume=[answer])
        + result(content=content)
        + text("So.", "m2")
        + finished("run-2")
    )


NO = {"payload": {"approved": False}}


def test_a_declined_call_with_a_result_that_is_no_refusal_ran_unapproved() -> None:
    seen = only(resumed('{"deleted": 3}', **NO))
    assert (seen.code, seen.severity) == ("C20", "error")
    assert seen.message == 'lookup was declined, and a result says that it ran: {"deleted": 3}'


@pytest.mark.parametrize(
    "content",
    [
        "The user declined.",
        "Permission denied",
        '{"status": "cancelled"}',
        "",
        "Not executed",
        "Error: no",
        "The operator chose to keep the file.",
        "Nothing was changed.",
        "We'll leave the seats as they are instead.",
    ],
)
def test_a_declined_call_with_a_refusal_is_as_it_should_be(content: str) -> None:
    assert "C20" not in coded(resumed(content, **NO))


def test_a_result_that_gives_the_persons_reason_back_is_a_refusal_in_any_language() -> None:
    why = {"payload": {"approved": False, "reason": "Zu teuer für uns"}}
    assert "C20" not in coded(resumed("Abgelehnt: Zu teuer für uns", **why))
    assert "C20" in coded(resumed("Storniert: 12 Plätze", **why))


def test_a_declined_call_that_its_host_saw_run_ran_whatever_its_result_says() -> None:
    seen = [{"evidence": {"toolCallId": "c1", "phase": "result", "content": "3 rows"}}]
    stream = gated() + run_with_input(user(), HELD, run="run-2", resume=[{**resume(), **NO}]) + seen
    findings = coded(stream + result(content="The user declined.") + text("So.", "m2") + finished("run-2"))
    assert findings["C20"].message == "lookup was declined, and the host saw it run."


def test_an_approved_call_may_run() -> None:
    assert not found(resumed("done"))


def test_a_gated_call_that_ran_in_a_run_that_approves_nothing_is_found() -> None:
    stream = gated() + run_with_input(user(), HELD, run="run-2") + result() + text("So.", "m2")
    assert "C20" in coded(stream + finished("run-2"))


def test_a_run_whose_input_is_not_known_may_have_been_approved() -> None:
    stream = gated() + run_started("run-2") + result() + text("So.", "m2") + finished("run-2")
    assert "C20" not in coded(stream)


def test_one_approval_sent_twice_with_two_results_was_used_twice() -> None:
    again = run_with_input(user(), HELD, run="run-3", resume=[resume()]) + result(
        message="t9", content="again"
    )
    seen = coded(resumed("done") + again + text("So.", "m3") + finished("run-3"))
    assert seen["C20"].message == "The approval of lookup was used twice: a second result came for it."


# ---------------------------------------------------------------- R12, R14


def ended(reason: str, *, where: str = "result", open_call: bool = True) -> list:
    stream = run_started() + text() + (a_call() if open_call else [])
    return stream + finished(**{where: {"finishReason": reason}})


@pytest.mark.parametrize("reason", ["length", "content-filter", "max_tokens"])
@pytest.mark.parametrize("where", ["result", "metadata"])
def test_a_call_of_a_model_that_was_stopped_was_never_run(reason: str, where: str) -> None:
    seen = only(ended(reason, where=where), SERVER)
    assert (seen.code, seen.severity) == ("R12", "error")
    assert seen.message == f"lookup was never run: the model was stopped ({reason.replace('_', '-')})."


def test_a_finish_reason_on_the_last_piece_of_a_text_counts() -> None:
    last = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="", metadata={"finishReason": "length"})
    stream = run_started() + a_call() + event("TEXT_MESSAGE_START", messageId="m1")
    stream += event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Let me") + last
    seen = coded(stream + event("TEXT_MESSAGE_END", messageId="m1") + finished(), SERVER)
    assert "R12" in seen


def test_a_call_beside_one_that_nobody_could_read_was_never_run() -> None:
    stream = (
        run_started() + a_call(parentMessageId="m1") + a_call("c2", "save", '{"id": ', parentMessageId="m1")
    )
    seen = coded(stream + text("Hm.", "m2") + finished(), {"owners": {"server": ["*"]}})
    assert seen["R12"].message == "lookup was never run: save beside it could not be read."
    assert "C02" not in seen


def test_a_call_that_was_lost_for_no_reason_is_unanswered_and_not_unrun() -> None:
    assert set(coded(ended("tool-calls"), SERVER)) == {"C02"}


def test_stop_with_an_open_call_is_the_wrong_reason() -> None:
    frames = run_with_input(user(), tools=["lookup"]) + a_call()
    stopped = event(
        "RUN_FINISHED",
        threadId="thread-1",
        runId="run-1",
        outcome={"type": "success", "pendingToolCallIds": ["c1"]},
        metadata={"finish_reason": "end_turn"},
    )
    seen = only(frames + stopped)
    assert (seen.code, seen.severity) == ("R14", "warning")
    assert seen.message == "Run run-1: its model stopped with end-turn, and lookup is open."


def test_tool_calls_of_a_run_without_a_call_is_the_wrong_reason() -> None:
    assert only(ended("tool_calls", open_call=False)).message.endswith("tool-calls, and called nothing.")


@pytest.mark.parametrize("reason", ["stop", "end_turn", "length", "whatever"])
def test_other_reasons_of_a_run_without_open_calls_are_right(reason: str) -> None:
    assert not found(ended(reason, open_call=False))


# ---------------------------------------------------------------- R13


def handed_back(at: int = 2_000) -> Live:
    live = Live({"limits": {"owners": {"client": None}}})
    live.say(1_000, e.RunStarted("t", "r1"), *call(), e.RunFinished("t", "r1", "success", pending=("c1",)))
    live.say(at, e.Evidence("c1", "result", "done", at))
    return live


def test_answers_after_the_run_and_no_run_to_use_them_are_told_when_somebody_looks() -> None:
    live = handed_back()
    assert live.picture.live()
    assert not live.picture.due(61_000)
    assert live.picture.due(62_000)
    live.tick(62_000)
    (seen,) = live.standing("R13")
    assert (seen.severity, seen.culprit) == ("warning", "client")
    assert not live.picture.live()
    live.tick(900_000)
    assert [one.message for one in live.standing("R13")] == [seen.message]


def test_the_run_that_follows_closes_it() -> None:
    live = handed_back()
    live.tick(62_000)
    resumed_input = RunInput((), None, (Resume("i", "resolved"),), {})
    live.say(63_000, e.RunStarted("t", "r2", input=resumed_input))
    assert not live.standing("R13")


def test_a_run_that_still_waits_for_another_answer_needs_no_follow_up() -> None:
    live = Live({"limits": {"owners": {"client": None}}})
    live.say(1_000, e.RunStarted("t", "r1"), *call(), *call("c2", "save"))
    live.say(1_001, e.RunFinished("t", "r1", "success", pending=("c1", "c2")))
    live.say(2_000, e.Evidence("c1", "result", "done", 2_000))
    live.tick(900_000)
    assert not live.standing("R13")


def test_a_run_that_waits_behind_an_interrupt_is_not_late() -> None:
    live = Live()
    live.say(1_000, e.RunStarted("t", "r1"), *call())
    live.say(1_001, e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i1", "approval", "c1"),)))
    live.tick(9_000_000)
    assert live.codes == []
    assert not live.picture.live()


# ---------------------------------------------------------------- C26


CALLED = '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    "words",
    [
        CALLED,
        "I will look. " + CALLED + " One moment.",
        '<function_calls><invoke name="lookup"><parameter name="q">x</parameter></invoke></function_calls>',
        "<function=lookup>{}</function>",
        '<|tool_call|>{"name":"lookup"}',
    ],
)
@pytest.mark.parametrize("pieces", [1, 3, 17])
def test_a_call_written_into_a_text_is_leaked_however_it_is_cut(words: str, pieces: int) -> None:
    seen = only(run_with_input(user(), tools=["lookup"]) + text(words, pieces=pieces) + finished())
    assert (seen.code, seen.severity) == ("C26", "warning")
    assert seen.message == "Text m1 holds a call of lookup as markup; nothing made a call of it."


@pytest.mark.parametrize(
    "words",
    [
        "Models write `" + CALLED + "` when they call.",
        "```xml\n" + CALLED + "\n```",
        "a < b and <b>bold</b>, <table>, <tool>",
        '<tool_call>{"name": "get_weather"}</tool_call>',
        "<tool_call> is what they call it.",
    ],
    ids=["in code", "in a fence", "other markup", "of no known tool", "no name"],
)
def test_markup_that_calls_nothing_is_no_leak(words: str) -> None:
    assert not found(run_with_input(user(), tools=["lookup"]) + text(words, pieces=5) + finished())


def test_markup_that_a_call_stands_for_is_no_leak() -> None:
    stream = run_started() + text(CALLED, pieces=7) + a_call() + result() + text("Found.", "m2") + finished()
    assert not found(stream)
