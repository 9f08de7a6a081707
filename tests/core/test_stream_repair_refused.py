"""The live plane: what a strict client would refuse is put right, held back or let go, and told."""

from __future__ import annotations

from tests.core.mended import mended, types
from tests.streams import (
    arguments,
    assistant,
    call,
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
    user,
)


def test_a_call_announced_again_is_shown_once() -> None:
    asked = run_started() + call(args={"seat": "4A"}) + finished(interrupts=[interrupt(call="c1")])
    again = run_with_input(resume=[resume()], run="run-2") + call(args={"seat": "4A"}) + result()
    done = mended(asked + again + finished("run-2"))
    assert types(done.events).count("TOOL_CALL_START") == 1
    [change] = done.changes
    assert (change.code, change.action, len(change.seqs)) == ("duplicate_call", "dropped", 3)


def test_an_id_that_comes_again_after_its_answer_is_a_call_of_its_own() -> None:
    stream = run_started() + call() + result() + call(args={"n": 2}) + result(message="m2") + finished()
    assert mended(stream).events == stream


def test_of_two_results_the_first_real_one_is_shown() -> None:
    pair = (
        run_started() + call() + result(content="first") + result(content="second", message="r2") + finished()
    )
    done = mended(pair)
    assert [one["content"] for one in done.events if one["type"] == "TOOL_CALL_RESULT"] == ["first"]
    assert done.changes[0].lossy
    spurious = (
        run_started() + call() + result(content="null") + result(content="real", message="r2") + finished()
    )
    done = mended(spurious)
    assert [one["content"] for one in done.events if one["type"] == "TOOL_CALL_RESULT"] == ["real"]
    assert not done.changes[0].lossy


def test_a_result_that_came_before_the_end_of_its_call_waits_for_it() -> None:
    stream = run_started() + call_started() + result() + arguments() + call_ended() + finished()
    assert types(mended(stream).events) == types(run_started() + call() + result() + finished())


def test_an_orphan_is_dropped_and_restored_only_from_what_is_on_record() -> None:
    asked = run_started() + finished(interrupts=[interrupt(call="c9")])
    answered = run_with_input(resume=[resume()], run="run-2") + result("c9") + finished("run-2")
    done = mended(asked + answered)
    assert "TOOL_CALL_RESULT" not in types(done.events) and done.changes[0].lossy
    told = interrupt(call="c9") | {"metadata": {"toolName": "wipe", "args": {"all": True}}}
    done = mended(run_started() + finished(interrupts=[told]) + answered)
    assert types(done.events)[3:7] == [
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
    ]
    assert done.events[4]["delta"] == '{"all":true}'


def test_a_snapshot_keeps_the_results_that_were_streamed() -> None:
    lost = event("MESSAGES_SNAPSHOT", messages=[user(), assistant(("c1", "lookup", "{}"), id="m1")])
    done = mended(run_started() + call(parentMessageId="m1") + result() + lost + finished())
    snapshot = next(one for one in done.events if one["type"] == "MESSAGES_SNAPSHOT")
    assert [m["role"] for m in snapshot["messages"]] == ["user", "assistant", "tool"]
    assert snapshot["messages"][-1]["content"] == "done"


def test_the_pending_list_names_the_calls_that_wait_and_no_others() -> None:
    stream = (
        run_started() + call("c1", "pick") + call("c2") + result("c2") + finished(pending=["c1", "c2", "cX"])
    )
    assert mended(stream).events[-1]["outcome"]["pendingToolCallIds"] == ["c1"]


def test_the_terminal_carries_the_ids_its_run_was_opened_under() -> None:
    done = mended(run_started() + text() + finished("internal-7", "other"))
    assert (done.events[-1]["threadId"], done.events[-1]["runId"]) == ("thread-1", "run-1")


def test_nulls_and_fields_of_another_spelling_are_put_right() -> None:
    stream = run_started() + event(
        "TOOL_CALL_START", tool_call_id="c1", toolCallName="f", parentMessageId=None
    )
    stream += (
        arguments()
        + call_ended()
        + result()
        + event("RUN_FINISHED", threadId="thread-1", runId="run-1", outcome=None)
    )
    done = mended(stream)
    start = {key: value for key, value in done.events[1].items() if key != "metadata"}
    assert start == {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}
    assert "outcome" not in done.events[-1]


def test_text_whose_start_was_lost_is_opened_for_it() -> None:
    done = mended(run_started() + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hi") + finished())
    assert types(done.events)[1:4] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]


def test_unreadable_and_unknown_frames_are_dropped_and_told() -> None:
    stream = run_started() + event("SOMETHING_NEW") + [{"no": "type"}] + finished()
    done = mended(stream)
    assert types(done.events) == ["RUN_STARTED", "RUN_FINISHED"]
    assert [change.code for change in done.changes] == ["unknown_event", "unreadable_frame"]
