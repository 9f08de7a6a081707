"""The rules about answers and repeats, each on the shortest stream that shows it."""

from __future__ import annotations

import pytest
from judged import SERVER, Live, call, found, only, read

from tests.streams import (
    arguments,
    assistant,
    call_ended,
    call_started,
    event,
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
from tests.streams import call as a_call
from turnscope.core import events as e
from turnscope.core.inputs import Interrupt, Resume, RunInput

HELD = assistant(("c1", "lookup", "{}"))
SAVE = ("c2", "save", "{}")


# ---------------------------------------------------------------- C16, C17, C21, R11


def test_an_answer_that_only_a_snapshot_knows_was_not_streamed() -> None:
    snapshot = event("MESSAGES_SNAPSHOT", messages=[user(), HELD, tool()])
    stream = run_started() + a_call(parentMessageId="m1") + snapshot + text("Found.", "m2") + finished()
    seen = only(stream)
    assert (seen.code, seen.severity, seen.culprit) == ("C16", "warning", "adapter")


def test_a_streamed_result_that_the_next_input_lacks_is_named_with_where_it_was_lost() -> None:
    stream = (
        run_with_input(user())
        + a_call(parentMessageId="m1")
        + result()
        + text("Found.", "m2")
        + finished()
        + run_with_input(user(), HELD, user("And?", "u2"), run="run-2")
        + text("Well.", "m3")
        + finished("run-2")
    )
    thread = read(stream)
    seen = {one.code: one for one in thread.picture.findings}
    assert set(seen) == {"C16", "T02"}
    assert thread.picture.thread.runs[1].start_seq in seen["C16"].seqs


def test_a_snapshot_that_loses_streamed_results_is_told_once_per_thread_with_a_count() -> None:
    held = assistant(("c1", "lookup", "{}"), SAVE)
    snapshot = event("MESSAGES_SNAPSHOT", messages=[user(), held])
    stream = run_started() + a_call(parentMessageId="m1") + a_call("c2", "save", parentMessageId="m1")
    seen = only(stream + result() + result("c2") + snapshot + snapshot + text("Found.", "m2") + finished())
    assert (seen.code, seen.severity, seen.count) == ("C17", "error", 2)


def test_a_pending_list_is_wrong_where_it_names_answered_or_unknown_calls_or_misses_one() -> None:
    stream = run_with_input(user(), tools=["save"]) + a_call() + result() + a_call("c2", "save")
    seen = only(stream + finished(pending=["c1", "ghost"]))
    assert (seen.code, seen.severity) == ("C21", "warning")
    assert seen.message == (
        "The pending list of run run-1 names lookup, answered before, names ghost, which nobody announced "
        "and misses save, which the client is to answer."
    )


@pytest.mark.parametrize("nothing", ["", "null"])
def test_an_empty_result_of_the_servers_holds_the_clients_place_until_the_real_one_comes(
    nothing: str,
) -> None:
    """The list names the call, and is right; the run did not stop in silence either."""
    stream = run_with_input(user(), tools=["lookup"]) + a_call(parentMessageId="m1") + result(content=nothing)
    stream += finished(pending=["c1"])
    assert not found(stream)
    held = (assistant(("c1", "lookup", "{}")), tool(content="Pier 2", id="t9"))
    answered = run_with_input(user(), *held, run="run-2", tools=["lookup"]) + text("Pier 2.", "m2")
    assert not found(stream + answered + finished("run-2"))


@pytest.mark.parametrize(("approved", "severity"), [(True, "error"), (False, "warning")])
def test_an_answered_approval_without_an_outcome_is_found(approved: bool, severity: str) -> None:  # noqa: FBT001
    stream = (
        run_started()
        + a_call()
        + finished(interrupts=[interrupt(call="c1")])
        + run_with_input(run="run-2", resume=[resume(payload={"approved": approved})])
        + text()
        + finished("run-2")
    )
    seen = only(stream)
    assert (seen.code, seen.severity) == ("R11", severity)


# ---------------------------------------------------------------- C10, C18, C19, C23


def test_a_result_before_the_end_of_its_call_is_out_of_order() -> None:
    stream = run_started() + call_started() + arguments() + result() + call_ended() + text() + finished()
    seen = only(stream)
    assert (seen.code, seen.severity) == ("C10", "warning")
    assert seen.message == "The result of lookup came before the call had ended its arguments."


def test_a_result_before_its_call_is_out_of_order_and_no_orphan() -> None:
    seen = only(run_started() + result() + a_call() + text() + finished())
    assert (seen.code, seen.message) == ("C10", "The result of lookup came before the call was started.")


def test_an_answer_past_the_limit_leaves_a_slow_call() -> None:
    live = Live({**SERVER, "limits": {"default": 5_000}})
    live.say(1_000, e.RunStarted("t", "r1"), *call())
    live.tick(6_000)
    live.say(9_000, e.CallResult("c1", "done"))
    assert live.codes == ["C18"]
    (seen,) = live.standing("C18")
    assert seen.severity == "info"
    assert seen.message == "lookup answered after 8 s; its limit is 5 s (set for server)."


def test_the_time_a_person_took_to_approve_is_not_the_calls() -> None:
    live = Live({**SERVER, "limits": {"default": 5_000}})
    live.say(1_000, e.RunStarted("t", "r1"), *call())
    live.say(1_001, e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i1", "approval", "c1"),)))
    resumed = RunInput((), None, (Resume("i1", "resolved", {"approved": True}),), {})
    live.say(900_000, e.RunStarted("t", "r2", input=resumed), e.CallResult("c1", "done"))
    assert live.codes == []


def test_the_same_call_with_the_same_result_three_times_is_a_loop_told_once() -> None:
    stream = run_started()
    for n in range(4):
        stream += a_call(f"c{n}", args={"q": "refund"}) + result(f"c{n}", "nothing")
    seen = only(stream + text() + finished())
    assert (seen.code, seen.severity, seen.culprit, seen.count) == ("C19", "warning", "model", 4)
    assert "was called 4 times in one turn" in seen.message


@pytest.mark.parametrize("differs", ["arguments", "results", "turns"])
def test_calls_that_differ_are_no_loop(differs: str) -> None:
    stream = []
    for n in range(4):
        asked = user("Again?", f"u{n}") if differs == "turns" else user()
        stream += run_with_input(asked, run=f"run-{n}")
        stream += a_call(f"c{n}", args={"q": n if differs == "arguments" else 0})
        stream += result(f"c{n}", f"found {n if differs == 'results' else 0}") + text(id=f"m{n}")
        stream += finished(f"run-{n}")
    assert not found(stream)


def test_a_parent_that_nobody_sent_is_an_info_once_per_thread() -> None:
    stream = run_started() + text() + a_call(parentMessageId="ghost") + a_call("c2", parentMessageId="spook")
    seen = only(stream + result() + result("c2") + text("Done.", "m2") + finished())
    assert (seen.code, seen.severity, seen.count) == ("C23", "info", 2)


@pytest.mark.parametrize(
    "calls",
    [
        a_call(parentMessageId="m8") + result(),
        a_call(parentMessageId="m8") + a_call("c2", parentMessageId="m9") + result() + result("c2"),
        text() + a_call() + result() + a_call("c2", parentMessageId="m9") + result("c2"),
    ],
    ids=["the first", "one for each of two calls", "the next step's"],
)
def test_a_parent_that_the_call_itself_opens_is_normal(calls: list) -> None:
    assert not found(run_started() + calls + text("Done.", "m2") + finished())
