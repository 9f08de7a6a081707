"""Rules about ids that come apart, arguments that change, and what results are worth."""

from __future__ import annotations

import pytest
from judged import Live, call, found, only, read

from tests.streams import (
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
from turnscope.core.mismatch import variant
from turnscope.core.rules.finding import Finding
from turnscope.core.thread import OK, SKIPPED
from turnscope.core.wording import refused, said, unknown_tool

FAR = "call-find"


def coded(stream: list) -> dict[str, Finding]:
    return {one.code: one for one in read(stream).picture.findings}


def chunk(id_: str, delta: str) -> list:
    return event("TOOL_CALL_CHUNK", toolCallId=id_, toolCallName="lookup", delta=delta)


def snapshot(*messages: dict) -> list:
    return event("MESSAGES_SNAPSHOT", messages=list(messages))


# ---------------------------------------------------------------- C15


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("call-find", "call-find:0", True),
        ("call-find", "run-1/call-find", True),
        ("toolu_01AbCd", "01AbCd", True),
        ("3f9a77c2b1", "x3f9a77c2b1", True),
        ("call-1", "call-10", False),
        ("call-find", "call-hold", False),
        ("call-find", "call-find", False),
        ("c1", "c1-x", False),
        ("", "call-find", False),
    ],
)
def test_an_id_with_something_added_is_a_variant_and_the_next_number_is_none(
    one: str, other: str, *, alike: bool
) -> None:
    assert variant(one, other) is alike
    assert variant(other, one) is alike


def test_a_result_under_a_variant_explains_the_orphan_and_why_the_call_is_open() -> None:
    seen = coded(run_started() + a_call(FAR) + result("call-find:0") + text() + finished())
    assert set(seen) == {"C15", "C07"}
    assert seen["C15"].message == (
        "A result came for call-find:0, while lookup (call-find) is open: "
        "the ids are one with something added."
    )
    assert seen["C07"].because_of == (seen["C15"].key,)


def test_an_end_under_a_variant_explains_the_stray_end_and_the_unclosed_call() -> None:
    seen = coded(run_started() + call_started(FAR) + call_ended("call-find_0") + text() + finished())
    assert {code for code, one in seen.items() if one.root and one.severity == "error"} == {"C15"}
    assert {"C14", "S04"} <= set(seen)


def test_an_orphan_that_is_like_no_open_call_stays_an_orphan() -> None:
    assert set(
        coded(run_started() + a_call(FAR) + result(FAR) + result("call-find:0") + text() + finished())
    ) == {"C07"}


def test_a_call_without_an_id_cannot_be_answered() -> None:
    seen = coded(run_started() + a_call("") + text() + finished())
    assert seen["C15"].message == "lookup was started without an id: nothing can answer it."
    assert "C02" not in seen


def test_pieces_of_one_call_under_ids_of_their_own_are_told_once() -> None:
    parts = chunk("k-1", '{"q": "re') + chunk("k-2", "fund ") + chunk("k-3", '2026"}')
    findings = read(run_started() + parts + text() + finished()).picture.findings
    roots = [one for one in findings if one.root]
    assert [one.code for one in roots] == ["C15"]
    assert "came in 3 pieces" in roots[0].message


@pytest.mark.parametrize(
    "parts",
    [
        chunk("k-1", '{"q": 1}') + chunk("k-2", '{"q": 2}'),
        chunk("k-1", '{"q": 1') + chunk("k-2", '{"q": 2'),
        a_call("k-1", "lookup", '{"q": ') + a_call("k-2", "save", "1}"),
    ],
    ids=["two calls", "two that were cut", "of two tools"],
)
def test_calls_that_make_no_one_call_together_are_no_pieces(parts: list) -> None:
    assert "C15" not in coded(run_started() + parts + text() + finished())


def test_a_snapshot_with_another_id_for_the_same_call_is_told() -> None:
    held = (user(), assistant(("new-1", "lookup", '{"q": 1}')), tool("new-1"))
    stream = run_started() + a_call(FAR, args={"q": 1}, parentMessageId="m1") + snapshot(*held) * 3
    seen = coded(stream + text("Found.", "m2") + finished())
    assert set(seen) == {"C15"}
    assert seen["C15"].message == (
        "A snapshot carries lookup under another id (new-1) than the stream did (call-find)."
    )


def test_a_snapshot_with_an_old_call_like_this_one_is_quiet() -> None:
    old = (user(), assistant(("old-1", "lookup", '{"q": 1}'), id="m0"), tool("old-1"), user("Again", "u2"))
    new = (*old, assistant((FAR, "lookup", '{"q": 1}')), tool(FAR))
    stream = (
        run_started()
        + a_call(FAR, args={"q": 1}, parentMessageId="m1")
        + result(FAR, message=f"{FAR}-answer")
    )
    assert "C15" not in coded(stream + snapshot(*new) + text("Found.", "m2") + finished())


# ---------------------------------------------------------------- C25


def replayed(text_: str, *, streamed: object = None) -> list:
    held = (user(), assistant(("c1", "lookup", text_)), tool())
    stream = run_started() + a_call(args=streamed or {"q": 1, "n": 2}, parentMessageId="m1") + result()
    return stream + snapshot(*held) * 2 + text("Found.", "m2") + finished()


@pytest.mark.parametrize(
    ("replay", "told"),
    [
        ("{}", "with no arguments; 16 characters of them were streamed."),
        ("", "with no arguments; 16 characters of them were streamed."),
        ('{"q": 9}', "with other arguments than were streamed."),
        ('{"q": 1', "with other arguments than were streamed."),
    ],
)
def test_a_history_with_other_arguments_is_told_once(replay: str, told: str) -> None:
    seen = only(replayed(replay))
    assert (seen.code, seen.severity) == ("C25", "error")
    assert seen.message == f"A history carries lookup {told}"


@pytest.mark.parametrize("replay", ['{"n": 2, "q": 1}', '{"q":1.0,"n":2}', ' {"q" : 1 , "n" : 2 } '])
def test_the_same_arguments_spelled_otherwise_are_no_difference(replay: str) -> None:
    assert not found(replayed(replay))


def test_the_siblings_arguments_are_named() -> None:
    calls = a_call(args={"q": 1}, parentMessageId="m1") + a_call(
        "c2", "save", {"id": 7}, parentMessageId="m1"
    )
    held = (user(), assistant(("c1", "lookup", '{"id": 7}'), ("c2", "save", '{"id": 7}')), tool(), tool("c2"))
    stream = (
        run_started() + calls + result() + result("c2") + snapshot(*held) + text("Ok.", "m2") + finished()
    )
    assert only(stream).message == "A history carries lookup with the arguments of save (c2)."


def test_arguments_that_a_person_may_have_changed_are_no_difference() -> None:
    stream = (
        run_started()
        + a_call(args={"q": 1}, parentMessageId="m1")
        + finished(interrupts=[interrupt(call="c1")])
    )
    changed = assistant(("c1", "lookup", '{"q": 2}'))
    stream += run_with_input(user(), changed, run="run-2", resume=[resume()])
    assert not found(stream + result() + text("Found.", "m2") + finished("run-2"))


# ---------------------------------------------------------------- C22, C24, C27


@pytest.mark.parametrize(
    ("content", "told", "state"),
    [
        ("Error executing tool lookup: timeout", "failed", OK),
        ("Traceback (most recent call last):\n  File", "failed", OK),
        ("Tool execution aborted", "was stopped", OK),
        ("aborted", "was stopped", OK),
        ("Tool call skipped: another call needs approval first.", "was not run", SKIPPED),
    ],
)
def test_words_of_failure_without_a_flag_are_a_failure_sent_as_success(
    content: str, told: str, state: str
) -> None:
    stream = run_started() + a_call() + result(content=content) + text() + finished()
    seen = only(stream)
    assert (seen.code, seen.severity) == ("C22", "warning")
    assert f"says that it {told}, and no flag does" in seen.message
    assert read(stream).picture.thread.calls[0].state == state


@pytest.mark.parametrize(
    "content",
    [
        "Found 3 errors in the log.",
        "Aborted flights today: A 12, A 19 and A 23, each for the fog over the southern runway.",
        '{"error": "timeout"}',
        "",
        "Errors: none",
        [{"type": "text", "text": "Tool execution aborted"}],
        "TOOL_NOT_EXECUTED: no result was recorded for this tool call. retry: yes",
    ],
)
def test_a_result_that_only_speaks_of_failures_is_none(content: object) -> None:
    assert not found(run_started() + a_call() + result(content=content) + text() + finished())


def test_only_preliminary_output_is_partial_once_the_run_has_ended() -> None:
    live = Live()
    live.say(1, e.RunStarted("t", "r1"), *call(), e.CallResult("c1", "so far", preliminary=True))
    assert live.codes == []
    live.say(
        2, e.TextStart("m1"), e.TextDelta("m1", "Hm."), e.TextEnd("m1"), e.RunFinished("t", "r1", "success")
    )
    (seen,) = live.standing("C24")
    assert seen.severity == "warning"


def test_preliminary_output_before_the_last_word_is_normal() -> None:
    live = Live()
    live.say(1, e.RunStarted("t", "r1"), *call(), e.CallResult("c1", "so far", preliminary=True))
    live.say(2, e.CallResult("c1", "done"), e.TextStart("m1"), e.TextDelta("m1", "Ok."), e.TextEnd("m1"))
    live.say(3, e.RunFinished("t", "r1", "success"))
    assert live.codes == []


def test_a_result_past_the_channels_limit_is_oversized_with_its_size() -> None:
    stream = run_started() + a_call() + result(content="x" * 3_000) + text() + finished()
    assert not found(stream)
    seen = only(stream, {"limits": {"result": 2_048}})
    assert (seen.code, seen.severity) == ("C27", "warning")
    assert seen.message == "The result of lookup has 3 KiB; the limit is 2 KiB."


# ---------------------------------------------------------------- the words themselves


@pytest.mark.parametrize("words", ["User declined", "Permission denied", "It was cancelled", "", "Error: no"])
def test_words_of_refusal_are_known(words: str) -> None:
    assert refused(words)


@pytest.mark.parametrize(
    ("words", "failed"),
    [
        ("Error: ValueError('no such pier') Please fix your mistakes.", "failed"),
        ("Error: the ferry service timed out after 30 s", "failed"),
        ("Error: 3 of the last 200 log lines", ""),
        ("error budget: 99.2 %", ""),
    ],
)
def test_how_runtimes_write_an_exception_is_a_failure_and_a_line_of_a_log_is_none(
    words: str, failed: str
) -> None:
    assert said(words) == failed


def test_an_ordinary_answer_is_no_refusal_and_no_failure() -> None:
    assert not refused("3 seats were booked")
    assert not refused('{"user": "bo", "seats": 3}')
    assert said("3 seats were booked") == ""
    assert said(None) == ""


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("Unknown tool: lookupp", True),
        ("Error: lookupp is not a valid tool, try one of [lookup].", True),
        ("Tool 'lookupp' not found", True),
        ("Order 12 not found", False),
        ("The tool shed is open", False),
    ],
)
def test_words_for_a_tool_that_does_not_exist_are_known(words: str, *, unknown: bool) -> None:
    assert unknown_tool(words) is unknown
