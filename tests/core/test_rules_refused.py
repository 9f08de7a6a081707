"""S04: where the official client gives up, once per run, and what explains it. The verdicts themselves are
held to the real client by tests/test_verifier_interop.py."""

from __future__ import annotations

import pytest
from judged import Live, read

from tests.streams import (
    call,
    call_ended,
    call_started,
    event,
    failed,
    finished,
    result,
    run_started,
    text,
)
from turnscope.core import events as e
from turnscope.core.dialects import ag_ui
from turnscope.core.framing import decode
from turnscope.core.rules.finding import Finding

OPEN_STEP = event("STEP_STARTED", stepName="tools")
BAD_USAGE = finished(usage=[{"inputTokens": -1}])


def refused(stream: list, settings: dict | None = None) -> list[Finding]:
    return [one for one in read(stream, settings).picture.findings if one.code == "S04"]


def test_a_refusal_quotes_the_client_and_names_the_event() -> None:
    (seen,) = refused(run_started() + text() + BAD_USAGE)
    assert (seen.severity, seen.culprit) == ("error", "producer")
    assert seen.message == (
        "The official client refuses RUN_FINISHED: Invalid input at 'usage[0].inputTokens': "
        "too small: expected int to be >=0"
    )


def test_a_refusal_is_a_warning_where_the_channel_has_another_client() -> None:
    (seen,) = refused(run_started() + text() + BAD_USAGE, {"client": "our own"})
    assert seen.severity == "warning"


def test_what_stands_about_the_frame_explains_the_refusal() -> None:
    stream = run_started() + OPEN_STEP + text() + finished()
    findings = {one.code: one for one in read(stream).picture.findings}
    assert findings["S04"].because_of == (findings["R10"].key,)


def test_a_call_that_nobody_answered_does_not_explain_why_the_client_refuses_the_end() -> None:
    stream = run_started() + call() + text() + BAD_USAGE
    (seen,) = refused(stream)
    assert [key[0] for key in seen.because_of] == ["S03"]
    assert "C02" in {one.code for one in read(stream).picture.findings}


def test_the_field_that_deviates_explains_why_the_client_refuses_the_event() -> None:
    bad = {"type": "TOOL_CALL_RESULT", "tool_call_id": "c1", "messageId": 7, "content": "ok"}
    findings = read(run_started() + call() + [bad] + text() + finished()).picture.findings
    (seen,) = (one for one in findings if one.code == "S04")
    (key,) = seen.because_of
    cause = next(one for one in findings if one.key == key)
    assert "'messageId'" in seen.message
    assert cause.message == "Not as the protocol has it (not a string): messageId of TOOL_CALL_RESULT."


def test_a_deviation_that_clients_take_does_not_explain_a_refusal_of_the_order() -> None:
    again = call_started(parentMessageId=None)
    stream = run_started() + call_started() + again + call_ended() + result() + text() + finished()
    findings = read(stream).picture.findings
    assert {one.code for one in findings} == {"S03", "C09", "S04"}
    (seen,) = (one for one in findings if one.code == "S04")
    assert [key[0] for key in seen.because_of] == ["C09"]


def test_frames_that_are_missing_before_it_explain_a_refusal() -> None:
    stream = run_started() + call_started() + call_ended() + result() + text() + finished()
    frames = [{"event": one, "n": n} for n, one in enumerate(stream, 1) if n != 2]
    findings = {one.code: one for one in read(frames).picture.findings}
    assert findings["S04"].because_of[-1] == findings["S05"].key


def test_the_client_is_gone_after_its_first_refusal_of_a_run() -> None:
    stream = run_started() + event("TEXT_MESSAGE_END", messageId="m9") + OPEN_STEP + text() + finished()
    (seen,) = refused(stream)
    assert seen.count == 1
    assert "TEXT_MESSAGE_END" in seen.message


def test_the_next_run_has_a_client_of_its_own_and_the_same_refusal_is_counted() -> None:
    bad = text() + BAD_USAGE
    (seen,) = refused(run_started() + bad + run_started("run-2") + text(id="m2") + BAD_USAGE)
    assert (seen.count, len(seen.seqs)) == (2, 2)


def test_refusals_of_two_kinds_are_two_findings() -> None:
    stream = (
        run_started() + text() + BAD_USAGE + run_started("run-2") + OPEN_STEP + text(id="m2") + finished()
    )
    assert len(refused(stream)) == 2


def test_a_request_of_its_own_begins_with_a_client_of_its_own() -> None:
    body = [{"threadId": "thread-1", "runId": "run-2", "messages": []}]
    stream = run_started() + text()
    assert not refused(stream + body + run_started("run-2") + text(id="m2") + finished("run-2"))
    assert refused(stream + run_started("run-2") + text(id="m2") + finished("run-2"))


@pytest.mark.parametrize(
    "stream",
    [
        run_started() + text() + finished() + failed("late"),
        run_started() + text() + finished() + run_started("run-2") + text() + finished("run-2"),
        failed("never began"),
        run_started(extra={"a": 1}) + text() + finished(),
        run_started() + event("TOOL_CALL_PROGRESS", toolCallId="c1") + text() + finished(),
        run_started() + call_started(parentMessageId=None) + call_ended() + result() + text() + finished(),
        run_started() + result("nobody") + text() + finished(),
    ],
    ids=[
        "a late error",
        "two runs",
        "an error alone",
        "extra fields",
        "an unknown type",
        "a null",
        "an orphan",
    ],
)
def test_what_the_client_takes_is_not_refused(stream: list) -> None:
    assert not refused(stream)


def test_a_delta_is_refused_on_the_short_way_as_on_the_long_one() -> None:
    stray = event("TEXT_MESSAGE_CONTENT", messageId="m2", delta="x", timestamp=1_796_000_000_000)
    (seen,) = refused(run_started() + text() + stray + finished())
    assert "No active text message found with ID 'm2'" in seen.message


def test_a_delta_under_another_tag_than_its_messages_is_refused() -> None:
    opened = event("TEXT_MESSAGE_START", messageId="m1", subagentRunId="sub-1")
    more = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x", subagentRunId="sub-1")
    alien = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="x", subagentRunId="sub-2")
    end = event("TEXT_MESSAGE_END", messageId="m1")
    assert not refused(run_started() + opened + more * 3 + end + finished())
    (seen,) = refused(run_started() + opened + more + alien + end + finished())
    assert "subagentRunId 'sub-2' does not match" in seen.message


def test_a_reader_that_is_not_strict_says_nothing_of_refusals() -> None:
    frame = b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"x"}'
    assert [type(one) for one in ag_ui.Reader().read(decode(frame))] == [e.TextDelta]
    assert [type(one) for one in ag_ui.strict_reader().read(decode(frame))] == [e.TextDelta, e.Refused]


def test_a_live_refusal_stands_as_soon_as_its_frame_is_there() -> None:
    live = Live()
    live.say(1, e.RunStarted("t", "r1"), e.Refused("TEXT_MESSAGE_END", "not open", "m1", "No."))
    assert live.codes == ["S04"]


def test_an_error_loses_the_cause_that_closed_though_no_input_carries_the_call() -> None:
    """The quoted result was an orphan, until its call came after all."""
    live = Live()
    live.say(
        0, e.RunStarted("t", "r1"), e.CallResult("call_7", "2 seats"), e.RunFinished("t", "r1", "success")
    )
    live.say(1, e.RunStarted("t", "r2"))
    live.say(2, e.RunFailed("No tool call found for function call output with call_id call_7."))
    (failed_,) = live.standing("R05")
    assert [key[0] for key in failed_.because_of] == ["C07"]
    live.say(3, e.RunStarted("t", "r3"), e.CallStart("call_7", "lookup"), e.CallEnd("call_7"))
    assert not live.standing("C07")
    assert live.standing("R05")[0].root


def test_a_first_chunk_that_names_nothing_is_refused_for_what_it_lacks() -> None:
    chunk = event("TEXT_MESSAGE_CHUNK", delta="Hello.")
    findings = read(run_started() + chunk + text() + finished()).picture.findings
    assert [(one.code, one.root) for one in findings] == [("S03", True), ("S04", False)]
    chunk = event("TOOL_CALL_CHUNK", toolCallId="c1", delta="{}")
    findings = read(run_started() + chunk + result() + text() + finished()).picture.findings
    assert {one.code: one.root for one in findings} == {"S03": True, "S07": False, "S04": False}
