"""What only a history tells of a run (C16, C17); questions and answers that do not fit (C21, C08)."""

from __future__ import annotations

from typing import Any

import pytest
from judged import found, only, read

from tests.streams import Event as Frame
from tests.streams import (
    assistant,
    call,
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

WORDS = "There is one sailing at nine in the morning."
HELD = assistant(("c1", "lookup", "{}"), id="m1")


def snapshot(*messages: Frame) -> list[Frame]:
    return event("MESSAGES_SNAPSHOT", messages=list(messages))


def said(words: str = WORDS, id: str = "other") -> Frame:
    return assistant(content=words, id=id)


# ---------------------------------------------------------------- C17: a text under another id


def test_a_text_that_a_snapshot_tells_under_another_id_is_a_warning() -> None:
    seen = only(run_with_input(user()) + text(WORDS) + snapshot(user(), said()) + finished())
    assert (seen.code, seen.severity) == ("C17", "warning")
    assert seen.message == "A snapshot tells a streamed text under another id: m1 became other."


def test_it_is_told_once_per_thread() -> None:
    frames = run_with_input(user()) + text(WORDS) + snapshot(user(), said()) + finished()
    frames += run_with_input(user(), said(), user("And?", "u2"), run="r2") + text(WORDS, "m5")
    frames += snapshot(user(), said(), user("And?", "u2"), said(id="else")) + finished("r2")
    seen = only(frames)
    assert (seen.code, seen.count) == ("C17", 2)


SAME: dict[str, list[Frame]] = {
    "the same id": snapshot(user(), said(id="m1")),
    "another text of the same length": snapshot(user(), said("x" * len(WORDS))),
    "a longer text": snapshot(user(), said(WORDS + " Yes.")),
    "both": snapshot(user(), said(id="m1"), said()),
    "a summary in its place": snapshot(user(), said("Sailings were looked up.")),
}


@pytest.mark.parametrize("what", SAME)
def test_a_snapshot_may_keep_change_or_drop_a_text(what: str) -> None:
    assert found(run_with_input(user()) + text(WORDS) + SAME[what] + finished()) == {}


def test_short_texts_are_alike_by_chance() -> None:
    assert found(run_with_input(user()) + text("Done.") + snapshot(user(), said("Done.")) + finished()) == {}


def test_texts_that_streamed_through_one_another_are_not_compared() -> None:
    mixed = event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
    mixed += event("TEXT_MESSAGE_CONTENT", messageId="m1", delta=WORDS[:9])
    mixed += text("Meanwhile, something else.", "m2")
    mixed += event("TEXT_MESSAGE_CONTENT", messageId="m1", delta=WORDS[9:])
    mixed += event("TEXT_MESSAGE_END", messageId="m1")
    assert "C17" not in found(run_with_input(user()) + mixed + snapshot(user(), said()) + finished())


def test_it_is_seen_whether_pieces_come_one_by_one_or_in_bursts() -> None:
    many = text(WORDS * 20, pieces=400)
    seen = only(run_with_input(user()) + many + snapshot(user(), said(WORDS * 20)) + finished())
    assert seen.code == "C17"


# ---------------------------------------------------------------- C16: a call that nobody streamed


def test_a_call_of_the_run_that_only_its_snapshot_tells_is_a_warning() -> None:
    frames = run_with_input(user()) + snapshot(user(), HELD, tool()) + text("Found.", "m2") + finished()
    seen = only(frames)
    assert (seen.code, seen.severity, seen.subject) == ("C16", "warning", "c1")
    assert "no event announced the call" in seen.message


FOUND = assistant(content="Found.", id="m2")


def later(*told: Frame, streamed: list[Frame] | None = None, tools: tuple[str, ...] = ()) -> list[Frame]:
    """A run that streamed a text, and the next one, whose input tells more of it."""
    first = run_with_input(user(), tools=tools) + (text("Found.", "m2") if streamed is None else streamed)
    return (
        first
        + finished()
        + run_with_input(*told, run="run-2", tools=tools)
        + text("x", "m5")
        + finished("run-2")
    )


def test_a_call_of_the_run_that_only_the_next_input_tells_is_a_warning() -> None:
    seen = only(later(user(), HELD, tool(), FOUND, user("And?", "u2")))
    assert (seen.code, seen.severity, seen.subject, seen.run) == ("C16", "warning", "c1", 1)
    assert "only the next run's input says so" in seen.message


OLD: dict[str, list[Frame]] = {
    "a call that the next input tells behind what the run streamed: another agent may have made it": (
        later(user(), FOUND, HELD, tool(), user("And?", "u2"))
    ),
    "a call that the next input tells from before the run": (
        later(HELD, tool(), user(), FOUND, user("And?", "u2"))
    ),
    "a call of the client's that only the next input tells": (
        later(user(), HELD, tool(), FOUND, user("And?", "u2"), tools=("lookup",))
    ),
    "a streamed call that the next input tells again": (
        later(
            user(),
            HELD,
            tool(),
            FOUND,
            user("And?", "u2"),
            streamed=call(parentMessageId="m1") + result() + text("Found.", "m2"),
        )
    ),
    "an old call before the message that was sent": (
        run_with_input(user("And?", "u2"))
        + snapshot(user(), HELD, tool(), user("And?", "u2"))
        + text("Well.", "m2")
        + finished()
    ),
    "a call that the input carried": (
        run_with_input(user(), HELD, tool(), user("And?", "u2"))
        + snapshot(user(), HELD, tool(), user("And?", "u2"))
        + text("Well.", "m2")
        + finished()
    ),
    "a run whose input nobody saw": run_started()
    + snapshot(user(), HELD, tool())
    + text("x", "m2")
    + finished(),
    "a snapshot without the message that was sent": (
        run_with_input(user("And?", "u9")) + snapshot(user(), HELD, tool()) + text("x", "m2") + finished()
    ),
    "a call that is streamed after the snapshot told it": (
        run_with_input(user())
        + snapshot(user(), HELD)
        + call(parentMessageId="m1")
        + result()
        + text("Found.", "m2")
        + finished()
    ),
    "a call of a tool that the client offered": (
        run_with_input(user(), tools=["lookup"])
        + snapshot(user(), HELD, tool())
        + text("x", "m2")
        + finished()
    ),
}


@pytest.mark.parametrize("what", OLD)
def test_what_may_be_old_or_is_streamed_after_all_is_not_told(what: str) -> None:
    assert [one.code for one in read(OLD[what]).picture.findings] == []


# ---------------------------------------------------------------- C21: one question for several


def test_one_interrupt_for_several_calls_of_its_tool_is_a_warning() -> None:
    frames = run_started() + call("a", "wipe", {"disk": 1}) + call("b", "wipe", {"disk": 2})
    seen = only(frames + finished(interrupts=[interrupt(call="a")]))
    assert (seen.code, seen.severity) == ("C21", "warning")
    assert "asks once, about one of 2 calls of wipe" in seen.message


WAITING: dict[str, tuple[list[Frame], list[Frame]]] = {
    "one interrupt for each": (
        call("a", "wipe", {"disk": 1}) + call("b", "wipe", {"disk": 2}),
        [interrupt("i1", "a"), interrupt("i2", "b")],
    ),
    "calls of other tools": (call("a", "wipe") + call("b", "mail"), [interrupt(call="a")]),
    "an answered call of the tool": (
        call("b", "wipe") + result("b") + call("a", "wipe"),
        [interrupt(call="a")],
    ),
    "a question about no call": (
        call("a", "wipe", {"disk": 1}) + call("b", "wipe", {"disk": 2}),
        [interrupt()],
    ),
}


@pytest.mark.parametrize("what", WAITING)
def test_calls_may_wait_behind_an_interrupt(what: str) -> None:
    calls, interrupts = WAITING[what]
    assert found(run_started() + calls + finished(interrupts=interrupts)) == {}


# ---------------------------------------------------------------- C08: a yes and a no


def answered(*answers: Any) -> list[Frame]:
    frames = run_started() + call() + finished(interrupts=[interrupt(call="c1")])
    for number, answer in enumerate(answers, 2):
        frames += run_with_input(run=f"r{number}", resume=[answer])
        frames += result(message="t1") if number == 2 else []
        frames += text("Done.", f"m{number}") + finished(f"r{number}")
    return frames


def test_a_yes_and_a_no_to_one_question_contradict_each_other() -> None:
    seen = found(answered(resume(), resume(payload={"approved": False})))["C08"]
    assert (seen.severity, seen.culprit, seen.subject) == ("error", "client", "c1")
    assert "approved and refused" in seen.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (resume(), resume()),
        (resume(), resume(payload={"approved": True, "args": {"seats": 3}})),
        (resume(payload={"approved": False}), resume(status="cancelled")),
    ],
)
def test_the_same_answer_twice_does_not(first: Frame, second: Frame) -> None:
    assert "C08" not in found(answered(first, second))


def test_a_question_that_is_asked_again_may_be_answered_otherwise() -> None:
    frames = run_started() + call() + finished(interrupts=[interrupt(call="c1")])
    frames += run_with_input(run="r2", resume=[resume(payload={"approved": False})])
    frames += finished("r2", interrupts=[interrupt("int-2", "c1")])
    frames += run_with_input(run="r3", resume=[resume("int-2")]) + result() + text() + finished("r3")
    assert "C08" not in found(frames)
