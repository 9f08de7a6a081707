"""The headline of a turn: how it ended and what is wrong first, or why it is fine."""

from __future__ import annotations

from typing import Any

import pytest
from judged import HARNESS, Live, call, read

from tests.streams import (
    assistant,
    failed,
    finished,
    interrupt,
    result,
    run_started,
    run_with_input,
    text,
    user,
)
from tests.streams import call as a_call
from turnscope.core import events as e
from turnscope.core.rules.finding import Finding
from turnscope.core.rules.headline import Headline, headline
from turnscope.core.thread import Thread


def of(frames: list[dict[str, Any]], settings: dict[str, Any] | None = None, turn: int = 1) -> Headline:
    picture = read(frames, settings).picture
    return headline(picture.thread, picture.thread.turn(turn), picture.judge.findings)


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [
        (run_started() + text() + finished(), "Finished; no calls"),
        (run_started() + a_call() + result() + text() + finished(), "Finished; 1 call answered"),
        (
            run_with_input(user(), tools=["lookup"]) + a_call() + finished(pending=["c1"]),
            "Finished; 1 call waits for the browser",
        ),
        (
            run_with_input(user(), tools=["lookup"])
            + a_call()
            + a_call("c2", "ToolSearch")
            + finished(pending=["c1"]),
            "Finished; 1 call waits for the browser, 1 call waits for the next run",
        ),
        (
            run_started() + a_call() + finished(interrupts=[interrupt(call="c1")]),
            "Paused; 1 call waits for a person",
        ),
        (
            run_started() + text() + a_call() + finished(outcome={"type": "cancelled"}),
            "Cancelled; 1 call cut off with it",
        ),
    ],
)
def test_with_nothing_wrong_it_says_why_it_is_fine(frames: list[dict[str, Any]], sentence: str) -> None:
    told = of(frames, HARNESS)
    assert told == Headline(sentence, "", "", None, 0)


def test_a_running_turn_says_what_is_running() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), *call(), e.CallResult("c1", "ok"), *call("c2"))
    told = headline(live.picture.thread, None, live.picture.judge.findings)
    assert told.text == "Running; 1 call answered, 1 call running"


def test_a_hanging_call_is_the_outcome() -> None:
    live = Live({"limits": {"default": 5_000}})
    live.say(0, e.RunStarted("t", "r1"), *call("c1", "embed_chunks"))
    live.tick(10_710)
    told = headline(live.picture.thread, live.picture.thread.turn(1), live.picture.judge.findings)
    assert told.text.startswith("Hanging: embed_chunks has not answered within 5 s, its limit.")


def test_the_sentence_speaks_of_what_the_outcome_is_called_after() -> None:
    live = Live({"limits": {"default": 5_000}, "owners": {"server": ["embed_chunks"]}})
    live.say(0, e.RunStarted("t", "r1"), e.CallResult("c9", "late"), *call("c1", "embed_chunks"))
    live.tick(10_710)
    told = headline(live.picture.thread, live.picture.thread.turn(1), live.picture.judge.findings)
    assert told.text.startswith("Hanging: embed_chunks has not answered") and told.more == 1


def test_a_finish_that_left_a_call_or_the_reader_without_an_answer_is_named_for_it() -> None:
    server = {"owners": {"server": ["lookup"]}}
    assert of(run_started() + a_call() + text() + finished(), server).text.startswith("Unanswered: lookup ")
    nothing = of(run_started() + finished())
    assert nothing.text.startswith("Stopped silently: Run run-1 finished and showed nothing at all")


def test_it_is_the_causes_sentence_and_a_count_of_the_other_causes() -> None:
    stream = (
        run_started() + a_call("c1", "ToolSearch") + a_call("c2", args="{") + result("c2") + finished("other")
    )
    told = of(stream, HARNESS)
    assert (told.code, told.severity, told.more) == ("C03", "error", 2)
    assert told.text.startswith(
        "Ended early: Run run-1 ended for the caller on the harness's own call ToolSearch"
    )
    assert told.text.endswith(" And 2 more.")


def test_a_silent_stop_comes_last_among_equals() -> None:
    stream = run_started() + a_call() + a_call() + result() + finished()
    told = of(stream)
    assert (told.code, told.severity, told.more) == ("C09", "warning", 1)


def test_ours_to_mend_comes_before_theirs_among_equals() -> None:
    stream = (
        run_started() + a_call() + result(content='{"error": "server_unavailable"}') + a_call("c2", args="{")
    )
    told = of(stream + result("c2") + text() + finished())
    assert (told.code, told.more) == ("C11", 1)


def test_a_turn_whose_trouble_began_in_an_earlier_one_names_that_cause() -> None:
    history = (user(), assistant(("c1", "lookup", "{}")), user("Hello?", "u2"))
    stream = (
        run_with_input(user(), tools=["lookup"])
        + a_call(parentMessageId="m1")
        + finished(pending=["c1"])
        + run_with_input(*history, run="run-2", tools=["lookup"])
        + failed("Tool result is missing for tool call c1.")
    )
    told = of(stream, turn=2)
    assert (told.code, told.more) == ("C04", 0)
    assert told.text.startswith("Failed: In turn 1: lookup waited for the browser's answer")


def test_a_thread_in_which_nothing_ran_has_a_headline_too() -> None:
    assert headline(Thread(), None, {}).text == "Nothing ran; no calls"


def test_findings_may_come_as_a_list_and_closed_ones_do_not_count() -> None:
    one = Finding("C02", "unanswered-call", "error", "c1", 1, (1,), "unknown", "why", "It was.", "none")
    one.closed_seq = 3
    assert headline(Thread(), None, [one]).code == ""
