"""The live plane: calls that somebody outside may still answer are left to them."""

from __future__ import annotations

from typing import Any

import pytest
from ag_ui.core import ToolMessage

from tests.core.mended import added, mended, types
from tests.streams import (
    assistant,
    call,
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


def test_a_hand_over_is_left_alone_until_the_next_run_fails_to_answer() -> None:
    open_call = run_started() + call("c1", "ToolSearch") + call("c2", "pick") + finished(pending=["c2"])
    settings = {"owners": {"harness": ["ToolSearch"], "client": ["pick"]}}
    assert mended(open_call, settings).events == open_call
    more = run_with_input(user(), assistant(("c2", "pick", "{}")), tool("c2"), run="run-2") + text()
    done = mended(open_call + more + finished("run-2"), settings)
    assert [one["toolCallId"] for one in added(done)] == ["c1"]
    assert types(done.events)[-2:] == ["TOOL_CALL_RESULT", "RUN_FINISHED"]


@pytest.mark.parametrize("owner", ["client", "background"])
@pytest.mark.parametrize("end", [finished(), failed(), []], ids=["finished", "failed", "cut off"])
def test_a_call_of_somebody_outside_is_never_answered(owner: str, end: list[Any]) -> None:
    done = mended(run_started() + call() + end, {"owners": {owner: ["lookup"]}})
    assert "TOOL_CALL_RESULT" not in types(done.events)


def test_for_a_thread_that_goes_on_cancelling_is_offered_and_never_sent() -> None:
    settings = {"owners": {"client": ["pick"]}}
    calls = [*call("c1", "pick"), *call("c2", "refund")]
    stream = [*run_started(), *calls, *finished(interrupts=[interrupt("i1", "c2")])]
    done = mended(stream, settings)
    assert done.events == stream
    assert done.pending == ["c1", "c2"]
    assert [one["toolCallId"] for one in done.offers] == ["c1", "c2"]
    for one in done.offers:
        ToolMessage.model_validate(one)
        assert one["content"].startswith("TOOL_CANCELLED: ")
    assert "may have begun" in done.offers[0]["content"] and "did not run" in done.offers[1]["content"]
    second = [*run_with_input(*done.offers, run="run-2"), *finished(run="run-2")]
    again = mended([*stream, *second], settings)
    assert again.events == [*stream, *second]
    assert again.pending == [] and again.offers == []


def test_a_call_behind_an_interrupt_waits_and_one_that_was_declined_is_said_to_be() -> None:
    asked = run_started() + call() + finished(interrupts=[interrupt(call="c1")])
    assert mended(asked).events == asked
    no = run_with_input(resume=[resume(payload={"approved": False})], run="run-2") + text()
    done = mended(asked + no + finished("run-2"))
    assert [one["content"][:12] for one in added(done)] == ["TOOL_DENIED:"]


def test_a_call_nobody_is_known_to_owe_waits_at_a_clean_end_and_is_answered_when_the_run_failed() -> None:
    waiting = run_started() + call() + finished()
    assert mended(waiting).events == waiting
    done = mended(run_started() + call() + failed())
    assert types(done.events)[-2:] == ["TOOL_CALL_RESULT", "RUN_ERROR"]


def test_a_call_whose_real_result_is_still_to_come_is_left_to_it() -> None:
    first = run_started() + call() + failed()
    stream = first + run_started("run-2") + result() + finished("run-2")
    assert mended(stream, {"owners": {"server": ["lookup"]}}).events == stream
