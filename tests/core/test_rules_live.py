"""The rules about time: opened by a tick of the clock alone, on a live stream alone."""

from __future__ import annotations

from judged import HARNESS, Live, call, read

from tests.streams import call as a_call
from tests.streams import run_started, timed
from turnscope.core import events as e
from turnscope.core.inputs import Interrupt, Resume, RunInput, Tool

FIVE = {"owners": {"server": ["embed_*"]}, "limits": {"tools": {"embed_*": 5_000}}}
OFFERED = RunInput((), (Tool("open_page", "d"),), (), {})


def hanging() -> Live:
    live = Live(FIVE)
    live.say(0, e.RunStarted("t", "r1"), *call("c1", "embed_chunks"))
    return live


# ---------------------------------------------------------------- C01


def test_a_call_past_its_limit_hangs() -> None:
    live = hanging()
    live.say(10_670, e.TextStart("m1"), e.TextDelta("m1", "…"))
    live.tick(10_710)
    (seen,) = live.standing("C01")
    assert (seen.severity, seen.culprit, seen.subject) == ("error", "server tool", "c1")
    assert seen.message == (
        "embed_chunks has not answered within 5 s, its limit. "
        "The server owes it, and the stream is alive: a frame came 10.67 s into the wait."
    )


def test_only_a_tick_says_so_however_much_time_the_events_show() -> None:
    live = hanging()
    live.say(60_000, e.TextStart("m1"), e.TextEnd("m1"))
    assert not live.standing("C01")
    live.tick(60_001)
    assert live.standing("C01")


def test_a_call_within_its_limit_does_not_hang() -> None:
    live = hanging()
    live.tick(4_999)
    assert not live.standing("C01")


def test_an_answer_closes_it() -> None:
    live = hanging()
    live.tick(6_000)
    live.say(7_000, e.CallResult("c1", "done"))
    assert not live.standing("C01")


def test_the_end_of_the_run_closes_it_and_says_instead_what_became_of_the_call() -> None:
    live = hanging()
    live.tick(6_000)
    live.say(7_000, e.TextStart("m1"), e.TextDelta("m1", "Sorry."), e.TextEnd("m1"))
    live.say(7_000, e.RunFinished("t", "r1", "success"))
    assert live.codes == ["C02"]


def test_a_call_nobody_is_known_to_owe_hangs_as_a_warning() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), *call())
    live.tick(60_000)
    (seen,) = live.standing("C01")
    assert (seen.severity, seen.culprit) == ("warning", "unknown")


def test_a_call_that_waits_for_the_browser_does_not_hang() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1", input=OFFERED), *call("c1", "open_page"))
    live.tick(3_600_000)
    assert live.codes == ["C05"]


def test_a_call_whose_arguments_are_still_arriving_does_not_hang() -> None:
    live = Live(FIVE)
    live.say(0, e.RunStarted("t", "r1"), e.CallStart("c1", "embed_chunks"), e.CallArgs("c1", '{"q": "'))
    live.tick(20_000)
    assert live.codes == []


def test_an_approved_call_hangs_in_the_run_that_resumed_it() -> None:
    live = Live(FIVE)
    live.say(0, e.RunStarted("t", "r1"), *call("c1", "embed_chunks"))
    live.say(100, e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i1", "approval", "c1"),)))
    live.say(900_000, e.RunStarted("t", "r2", input=RunInput((), None, (Resume("i1", "resolved", {}),), {})))
    live.tick(904_000)
    assert not live.standing("C01")
    live.tick(905_000)
    (seen,) = live.standing("C01")
    assert "has not answered within 5 s" in seen.message


def test_a_hanging_call_on_a_lost_connection_says_so() -> None:
    live = hanging()
    live.say(1_000, e.Closed("lost"))
    live.tick(6_000)
    (seen,) = live.standing("C01")
    assert "and the stream is lost" in seen.message


def test_a_recording_never_hangs() -> None:
    stream = timed(run_started() + a_call("c1", "embed_chunks"), every=100_000)
    picture = read(stream, FIVE).picture
    picture.add(99, 10**13, 1, [e.Tick()])
    assert {one.code for one in picture.findings} == {"R02"}


# ---------------------------------------------------------------- R01, R02


def test_a_silent_run_without_an_open_call_stalled() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"), e.TextDelta("m1", "So"))
    live.tick(60_000)
    (seen,) = live.standing("R01")
    assert (
        seen.message
        == "Run r1 has been silent for longer than 1 min, the limit, and no open call explains it."
    )


def test_an_open_call_explains_the_silence() -> None:
    live = Live(HARNESS)
    live.say(0, e.RunStarted("t", "r1"), *call())
    live.tick(70_000)
    assert "R01" not in live.codes


def test_arguments_that_stop_half_way_do_not_explain_it() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.CallStart("c1", "lookup"), e.CallArgs("c1", "{"))
    live.tick(60_000)
    (seen,) = live.standing("R01")
    assert "The arguments of lookup stopped half way." in seen.message


def test_a_long_run_that_keeps_talking_is_healthy() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"))
    for second in range(0, 3600, 50):
        live.say(second * 1000, e.TextDelta("m1", "x"))
        live.tick(second * 1000 + 49_000)
    assert live.codes == []


def test_the_next_frame_closes_it_even_if_it_is_a_delta() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"))
    live.tick(60_000)
    assert live.codes == ["R01"]
    live.say(61_000, e.TextDelta("m1", "x"))
    assert live.codes == []


def test_a_lost_connection_has_its_grace_before_the_run_counts_as_cut_off() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"))
    live.say(1_000, e.Closed("lost"))
    live.tick(30_000)
    assert live.codes == []
    live.tick(31_000)
    (seen,) = live.standing("R02")
    assert seen.culprit == "network"


def test_a_stream_that_comes_back_takes_the_verdict_back() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"))
    live.say(1_000, e.Closed("lost"))
    live.tick(40_000)
    live.say(41_000, e.Opened("ag_ui", recording=False))
    assert live.codes == []


# ---------------------------------------------------------------- due


def test_a_tick_is_due_exactly_when_it_would_find_something_new() -> None:
    live = hanging()
    assert not live.picture.due(4_999)
    assert live.picture.due(5_000)
    live.tick(5_000)
    assert live.standing("C01")
    assert not live.picture.due(5_001)


def test_a_tick_is_due_for_a_silent_run_once() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.TextStart("m1"))
    assert not live.picture.due(59_999)
    assert live.picture.due(60_000)
    live.tick(60_000)
    assert not live.picture.due(120_000)


def test_a_tick_is_due_for_a_resumed_call() -> None:
    live = Live(FIVE)
    live.say(0, e.RunStarted("t", "r1"), *call("c1", "embed_chunks"))
    live.say(100, e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i1", "approval", "c1"),)))
    live.say(200, e.RunStarted("t", "r2", input=RunInput((), None, (Resume("i1", "resolved", {}),), {})))
    assert not live.picture.due(5_199)
    assert live.picture.due(5_200)


def test_nothing_is_due_while_arguments_arrive_or_the_browser_is_waited_for() -> None:
    live = Live(FIVE)
    live.say(0, e.RunStarted("t", "r1", input=OFFERED), e.CallStart("c1", "embed_chunks"))
    live.say(1, *call("c2", "open_page"))
    assert not live.picture.due(50_000)
