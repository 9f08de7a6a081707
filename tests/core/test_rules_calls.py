"""The rules about calls, each on the shortest stream that shows it."""

from __future__ import annotations

from typing import Any

import pytest
from judged import HARNESS, SERVER, Live, call, found, only, read

from tests.streams import (
    BEGAN,
    arguments,
    assistant,
    call_ended,
    call_started,
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
from turnscope.core.ledger import ledger

HELD = assistant(("c1", "lookup", "{}"))
SAVE = ("c2", "save", "{}")


# ---------------------------------------------------------------- C02


def test_a_call_the_model_went_on_after_was_never_answered() -> None:
    seen = only(run_started() + a_call() + text() + finished())
    assert (seen.code, seen.severity, seen.culprit) == ("C02", "error", "server tool")
    assert seen.message == (
        "lookup was never answered: the run ended and nobody will answer. "
        "The server owed it: the model went on after it."
    )


def test_a_server_call_beside_client_calls_was_dropped_with_its_batch() -> None:
    stream = (
        run_with_input(user(), tools=["save"]) + a_call() + a_call("c2", "save") + finished(pending=["c2"])
    )
    seen = only(stream)
    assert (seen.code, seen.subject, seen.culprit) == ("C02", "c1", "adapter")
    assert "batched with save, which the client answers" in seen.message


def test_a_call_nobody_is_known_to_owe_is_a_warning_while_it_may_still_be_answered() -> None:
    seen = only(run_started() + text() + a_call() + finished())
    assert (seen.code, seen.severity, seen.culprit) == ("C02", "warning", "unknown")


def test_an_old_call_in_the_first_input_does_not_say_who_answers_its_tool() -> None:
    """Whoever answered it did so before anybody listened."""
    old = (user("Before", "u0"), assistant(("c0", "lookup", "{}"), id="m0"), tool("c0"))
    seen = only(run_with_input(*old, user()) + a_call(parentMessageId="m1") + text(id="m2") + finished())
    assert (seen.code, seen.subject, seen.severity) == ("C02", "c1", "error")


def test_that_warning_becomes_an_error_when_the_next_input_answers_its_siblings() -> None:
    stream = (
        run_with_input(user())
        + a_call(parentMessageId="m1")
        + a_call("c2", "save", parentMessageId="m1")
        + finished()
        + run_with_input(user(), assistant(("c1", "lookup", "{}"), SAVE), tool("c2"), run="run-2")
        + text()
        + finished("run-2")
    )
    seen = found(stream)
    assert {code: one.severity for code, one in seen.items()} == {"C02": "error", "T02": "error"}
    assert seen["T02"].because_of == (seen["C02"].key,)


def test_a_late_answer_closes_it() -> None:
    stream = (
        run_started() + text() + a_call() + finished() + run_started("run-2") + result() + text("Done.", "m2")
    )
    findings = read(stream + finished("run-2")).picture.judge.findings
    (closed,) = [one for one in findings.values() if one.code == "C02"]
    assert closed.closed_seq and not closed.stands


def test_what_the_host_captured_is_said() -> None:
    live = Live(SERVER)
    live.say(1000, e.RunStarted("t", "r1"), *call())
    live.say(1800, e.Evidence("c1", "result", "3 rows"))
    live.say(2000, e.RunFinished("t", "r1", "success"))
    (seen,) = live.standing("C02")
    assert "The tool answered 0.8 s after its arguments ended; the adapter lost it." in seen.message
    assert seen.culprit == "adapter"


def test_an_error_that_the_adapter_swallowed_is_said() -> None:
    live = Live(SERVER)
    live.say(1000, e.RunStarted("t", "r1"), *call())
    live.say(3000, e.Evidence("c1", "start", None, 1200), e.Evidence("c1", "error", "no such pier", 1700))
    live.say(3100, e.RunFinished("t", "r1", "success"))
    (seen,) = live.standing("C02")
    assert "The tool failed in 0.5 s; the adapter swallowed its error." in seen.message
    assert seen.culprit == "adapter"


def test_how_long_a_tool_took_is_told_by_the_hosts_own_clock() -> None:
    """It started at 1,200 and answered at 2,700 there; that our END came at 1,000 is no part of it."""
    live = Live(SERVER)
    live.say(1000, e.RunStarted("t", "r1"), *call())
    live.say(3000, e.Evidence("c1", "start", None, 1200), e.Evidence("c1", "result", "3 rows", 2700))
    live.say(3100, e.RunFinished("t", "r1", "success"))
    (seen,) = live.standing("C02")
    assert "The tool answered in 1.5 s; the adapter lost it." in seen.message


# ---------------------------------------------------------------- C03, C04, C06


def test_a_run_that_ends_on_the_harnesss_own_call_ended_early() -> None:
    seen = found(run_started() + text() + a_call("c1", "ToolSearch") + finished(), HARNESS)
    assert set(seen) == {"C03"}
    assert seen["C03"].culprit == "adapter"
    assert "RUN_ENDED_EARLY" in seen["C03"].message
    assert seen["C03"].repair.endswith("the repaired stream ends as RUN_ERROR RUN_ENDED_EARLY.")


def test_a_server_call_open_beside_it_is_explained_by_it() -> None:
    settings = {"owners": {**HARNESS["owners"], "server": ["lookup"]}}
    stream = run_started() + text() + a_call() + a_call("c2", "ToolSearch") + finished()
    seen = found(stream, settings)
    assert seen["C02"].because_of == (seen["C03"].key,)


def test_a_clients_call_left_behind_by_the_next_message_is_abandoned() -> None:
    stream = (
        run_with_input(user(), tools=["lookup"])
        + a_call(parentMessageId="m1")
        + finished(pending=["c1"])
        + run_with_input(user(), HELD, user("Hello?", "u2"), run="run-2", tools=["lookup"])
        + text("Yes?", "m2")
        + finished("run-2")
    )
    seen = found(stream)
    assert (seen["C04"].severity, seen["C04"].culprit) == ("error", "client")
    assert seen["T02"].because_of == (seen["C04"].key,)


def test_a_result_behind_the_next_message_is_late_and_not_also_abandoned() -> None:
    history = (user(), HELD, user("Never mind.", "u2"), tool())
    stream = (
        run_with_input(user(), tools=["lookup"])
        + a_call(parentMessageId="m1")
        + finished(pending=["c1"])
        + run_with_input(*history, run="run-2", tools=["lookup"])
        + text("Fine.", "m2")
        + finished("run-2")
    )
    assert only(stream).code == "C06"


# ---------------------------------------------------------------- C07, C08, C09


def test_a_result_for_a_call_nobody_announced_is_an_orphan() -> None:
    assert only(run_started() + result() + text() + finished()).code == "C07"


def test_an_orphan_that_a_later_snapshot_carries_is_a_warning() -> None:
    snapshot = event("MESSAGES_SNAPSHOT", messages=[user(), HELD, tool()])
    seen = only(run_started() + result() + snapshot + text("Found.", "m2") + finished())
    assert (seen.code, seen.severity) == ("C07", "warning")


def test_two_different_results_in_the_stream_are_an_error_and_equal_ones_an_info() -> None:
    stream = run_started() + a_call() + result(content="one") + result(content="two", message="t2")
    differ = only(stream + text() + finished())
    assert (differ.code, differ.severity) == ("C08", "error")
    equal = only(run_started() + a_call() + result() + result(message="t2") + text() + finished())
    assert (equal.code, equal.severity) == ("C08", "info")


def test_two_tool_messages_for_one_call_in_one_history_are_found() -> None:
    history = (user(), HELD, tool(content="aborted", id="t1"), tool(content="real", id="t2"))
    stream = (
        run_with_input(user(), tools=["lookup"])
        + a_call(parentMessageId="m1")
        + finished(pending=["c1"])
        + run_with_input(*history, run="run-2", tools=["lookup"])
        + text("Fine.", "m2")
        + finished("run-2")
    )
    seen = only(stream)
    assert (seen.code, seen.severity) == ("C08", "error")
    assert "one history" in seen.message


def test_a_start_while_the_call_is_open_is_an_error() -> None:
    stream = run_started() + call_started() + call_started() + arguments() + call_ended() + result()
    seen = only(stream + text() + finished())
    assert (seen.code, seen.severity) == ("C09", "error")


def test_the_same_call_announced_again_before_its_answer_is_a_warning() -> None:
    seen = only(run_started() + a_call() + a_call() + result() + text() + finished())
    assert (seen.code, seen.severity) == ("C09", "warning")


def test_another_call_under_an_unanswered_id_leaves_the_first_unanswered_because_of_it() -> None:
    stream = run_started() + a_call() + a_call(args={"q": 1}) + result() + text() + finished()
    seen = found(stream, SERVER)
    assert seen["C09"].severity == "error"
    assert seen["C02"].because_of == (seen["C09"].key,)


def at(ms: int, frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "timestamp": BEGAN + ms} for one in frames]


def echoed(*, args: object = None, content: str = "2 seats", answered: int = 900) -> list[dict[str, Any]]:
    """A call that took its time, and what looks like it under another id, in one moment."""
    first = at(0, run_started() + a_call("c1", args={"q": 1})) + at(800, result("c1", "2 seats"))
    again = at(900, a_call("c2", args={"q": 1} if args is None else args)) + at(
        answered, result("c2", content)
    )
    return first + again + at(1000, text() + finished())


def test_a_call_told_once_more_under_a_new_id_is_an_echo_and_counts_nowhere() -> None:
    thread = read(echoed()).picture
    (seen,) = thread.findings
    assert (seen.code, seen.severity, seen.subject, seen.root) == ("C09", "warning", "c2", True)
    assert "an echo of c1" in seen.message
    book = ledger(thread.thread.calls)
    assert (book.started, book.ended, book.answered, thread.thread.runs[0].started) == (1, 1, 1, 1)
    assert thread.thread.calls[0].state == "ok"


@pytest.mark.parametrize(
    "stream",
    [
        echoed(args={"q": 2}),
        echoed(args={}),
        echoed(content="3 seats"),
        echoed(answered=950),
        [{key: value for key, value in one.items() if key != "timestamp"} for one in echoed()],
    ],
    ids=["other arguments", "no arguments", "another result", "it took its time", "no clock"],
)
def test_a_call_like_an_earlier_one_is_a_call_of_its_own(stream: list[dict[str, Any]]) -> None:
    thread = read(stream).picture
    assert not [one for one in thread.findings if one.code == "C09"]
    assert ledger(thread.thread.calls).started == 2


# ---------------------------------------------------------------- C11, C13, C14


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ('{"q": "pl', "were cut off"),
        ('{"q": 1}{"q": 2}', "are two documents glued together"),
        ("[1]", "are not an object"),
        ("{q: 1}", "are not JSON"),
    ],
)
def test_complete_arguments_that_are_not_one_object_are_found(args: str, words: str) -> None:
    seen = only(run_started() + a_call(args=args) + result() + text() + finished())
    assert (seen.code, seen.severity) == ("C11", "error")
    assert words in seen.message


def test_it_is_a_warning_where_the_call_was_answered_with_an_error() -> None:
    stream = run_started() + a_call(args="{") + result(content='{"error": "bad arguments"}')
    seen = only(stream + text() + finished())
    assert (seen.code, seen.severity) == ("C11", "warning")


def test_it_is_a_warning_where_the_answer_calls_itself_an_error_in_words() -> None:
    stream = run_started() + a_call(args="{") + result(content="Error: q is not known") + text() + finished()
    assert only(stream).severity == "warning"


def test_glued_arguments_name_the_sibling_that_came_without_any() -> None:
    glued = a_call(args='{"q": 1}{"q": 2}', parentMessageId="m0") + a_call(
        "c2", "save", args="", parentMessageId="m0"
    )
    seen = found(run_started() + glued + result() + result("c2") + text() + finished())["C11"]
    assert seen.message.endswith("What follows may be that of save (c2), which came without any.")


def test_a_stray_fragment_after_the_answer_is_found_although_it_is_only_a_delta() -> None:
    stream = run_started() + a_call() + result() + arguments(delta="}") + text() + finished()
    seen = only(stream)
    assert (seen.code, seen.culprit) == ("C11", "adapter")


def test_arguments_of_an_aborted_call_are_not_complete() -> None:
    assert set(found(run_started() + call_started() + arguments(delta='{"q') + failed())) == {"R05"}


def test_a_tool_that_vanished_from_the_list_explains_the_bad_arguments_and_the_silence() -> None:
    stream = (
        run_with_input(user(), tools=["lookup"])
        + text()
        + finished()
        + run_with_input(user("Again", "u2"), run="run-2", tools=["save"])
        + a_call(args='{"q": ')
        + finished("run-2")
    )
    seen = found(stream)
    assert {code: one.root for code, one in seen.items()} == {"C13": True, "C11": False, "R04": False}
    assert "run run-1 offered it, run run-2 does not" in seen["C13"].message


def test_a_tool_that_is_gone_from_the_list_and_answers_all_the_same_is_fine() -> None:
    stream = (
        run_with_input(user(), tools=["lookup"])
        + text()
        + finished()
        + run_with_input(user("Again", "u2"), run="run-2", tools=["save"])
        + a_call()
        + result()
        + text("Found.", "m2")
        + finished("run-2")
    )
    assert not found(stream)


def test_a_tool_whose_definition_changed_is_an_info() -> None:
    again = run_with_input(user("Again", "u2"), run="run-2", tools=["lookup"])
    again[0]["input"]["tools"][0]["description"] = "another one"
    stream = run_with_input(user(), tools=["lookup"]) + text() + finished() + again + a_call()
    seen = only(stream + finished("run-2", pending=["c1"]))
    assert (seen.code, seen.severity) == ("C13", "info")


@pytest.mark.parametrize("word", ["server_unavailable", "auth_required"])
def test_a_middlewares_answer_for_a_server_that_is_gone_is_found(word: str) -> None:
    stream = run_started() + a_call() + result(content=f'{{"error": "{word}", "server": "notes"}}')
    assert only(stream + text() + finished()).code == "C13"


def test_a_result_that_speaks_of_such_an_error_is_no_such_answer() -> None:
    stream = run_started() + a_call() + result(content="The docs say: auth_required means sign in.")
    assert not found(stream + text() + finished())


@pytest.mark.parametrize("outcome", ["success", "cancelled"])
def test_a_run_that_finishes_while_a_call_has_no_end_left_it_unclosed(outcome: str) -> None:
    stream = run_started() + text() + call_started() + arguments(delta='{"q"')
    seen = only(stream + finished(outcome={"type": outcome}))
    assert (seen.code, seen.culprit) == ("C14", "producer")
    assert "4 characters of arguments had arrived" in seen.message


def test_an_unclosed_call_that_an_interrupt_names_waits_and_only_its_end_is_missing() -> None:
    stream = run_started() + call_started() + finished(interrupts=[interrupt(call="c1")])
    seen = only(stream)
    assert seen.code == "C14"
    assert "waits for a person" in seen.message


def test_a_call_that_was_answered_and_never_ended_is_unclosed_and_its_result_early_because_of_it() -> None:
    seen = found(run_started() + call_started() + arguments() + result() + text() + finished())
    assert {code: one.root for code, one in seen.items()} == {"C14": True, "C10": False}
