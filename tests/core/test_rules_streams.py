"""Rules about the stream itself, not about a call or an outcome: parts out of order, patches that do not
apply, what older clients refuse."""

from __future__ import annotations

import pytest
from judged import found, only, read

from tests.streams import (
    arguments,
    call,
    call_ended,
    call_started,
    event,
    failed,
    finished,
    result,
    run_started,
    run_with_input,
    text,
    user,
)
from turnscope.core.patches import COPIES, LIMIT, STATE, Documents, activity
from turnscope.core.rules.finding import Finding

PIECE = event("TEXT_MESSAGE_CONTENT", messageId="m9", delta="x")
STEP, STEP_OVER = event("STEP_STARTED", stepName="find"), event("STEP_FINISHED", stepName="find")


def coded(code: str, stream: list) -> list[Finding]:
    return [one for one in read(stream).picture.findings if one.code == code]


# ---------------------------------------------------------------- S07


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (PIECE, "A piece of text m9 came, which is not open."),
        (event("TEXT_MESSAGE_END", messageId="m9"), "The end of text m9 came, which is not open."),
        (
            event("REASONING_MESSAGE_CONTENT", messageId="r1", delta="x"),
            "A piece of reasoning r1 came, which is not open.",
        ),
        (STEP_OVER, "The end of step find came, which is not open."),
        (STEP + STEP + STEP_OVER, "Step find was started while it was open."),
        (event("SUBAGENT_FINISHED", subagentRunId="s1"), "The end of subagent s1 came, which is not open."),
        (call() + call_ended() + result(), "Call c1 was ended twice."),
        (call_ended("c9"), "The end of call c9 came, which is not open."),
        (arguments("c9") + call_ended("c9"), "A piece of call c9 came, which is not open."),
    ],
)
def test_a_part_that_does_not_follow_is_out_of_order_and_explains_the_refusal(parts: list, told: str) -> None:
    stream = run_started() + parts + text() + finished()
    seen = coded("S07", stream)
    assert (seen[0].severity, seen[0].message) == ("warning", told)
    (refusal,) = coded("S04", stream)
    assert refusal.because_of == (seen[0].key,)


def test_the_same_kind_is_told_once_however_many_runs_have_it() -> None:
    stream: list = []
    for n in range(4):
        stream += run_started(f"run-{n}") + PIECE + text(id=f"m-{n}") + finished(f"run-{n}")
    (seen,) = coded("S07", stream)
    assert (seen.count, len(seen.seqs)) == (4, 3)
    assert (
        len(coded("S07", stream + run_started("run-5") + STEP_OVER + text(id="m-5") + finished("run-5"))) == 2
    )


@pytest.mark.parametrize(
    "stream",
    [
        run_started() + call_ended() + result() + text() + finished(),
        run_started() + call() + result() + arguments() + text() + finished(),
        run_started() + text() + finished() + PIECE,
        run_started() + failed() + event("TEXT_MESSAGE_END", messageId="m1"),
        run_started() + text() + text() + finished(),
    ],
    ids=["C07 says it", "C11 says it", "R08 says it", "R08 says it too", "a message that goes on"],
)
def test_what_another_rule_says_better_or_is_legal_is_not_out_of_order(stream: list) -> None:
    assert not coded("S07", stream)


def test_a_first_chunk_without_its_tools_name_is_out_of_order() -> None:
    stream = (
        run_started() + event("TOOL_CALL_CHUNK", toolCallId="c1", delta="{}") + result() + text() + finished()
    )
    (seen,) = coded("S07", stream)
    assert seen.message == "The first chunk of call c1 does not name its tool."


# ---------------------------------------------------------------- S06


def state(value: object) -> list:
    return event("STATE_SNAPSHOT", snapshot=value)


def patch(*operations: dict) -> list:
    return event("STATE_DELTA", delta=list(operations))


def op(word: str, path: str, value: object = 1, **more: object) -> dict:
    return {
        "op": word,
        "path": path,
        **({} if word in ("remove", "move", "copy") else {"value": value}),
        **more,
    }


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        (op("replace", "/c"), 'replace /c, and nothing stands there. It met {"a":[1],"b":{}}.'),
        (op("remove", "/b/x"), "remove /b/x, and nothing stands there. It met {}."),
        (op("add", "/a/7"), "add /a/7, and nothing stands there. It met [1]."),
        (op("add", "/a/0/x"), "add /a/0/x, and what stands there has no place for it. It met 1."),
        (op("test", "/a", [2]), "test /a, and something else stands there. It met [1]."),
        (op("move", "/a", **{"from": "/z"}), 'move /z, and nothing stands there. It met {"a":[1],"b":{}}.'),
    ],
)
def test_a_patch_that_does_not_apply_is_told_with_its_path_and_what_it_met(
    operation: dict, told: str
) -> None:
    seen = only(run_started() + state({"a": [1], "b": {}}) + patch(operation) + text() + finished())
    assert (seen.code, seen.severity) == ("S06", "warning")
    assert seen.message == f"STATE_DELTA does not apply: {told}"


def test_a_patch_that_fails_changes_nothing_and_the_next_one_is_tried_on_what_was() -> None:
    failing = patch(op("add", "/b"), op("remove", "/z"))
    stream = run_started() + state({"a": 1}) + failing + patch(op("replace", "/b")) + text() + finished()
    seen = coded("S06", stream)
    assert [one.message.partition(": ")[2].partition(",")[0] for one in seen] == ["remove /z", "replace /b"]


def test_states_go_on_from_patch_to_patch_run_to_run_and_stream_to_stream_of_a_thread() -> None:
    stream = run_started() + state({"list": []}) + patch(op("add", "/list/-")) + text() + finished()
    stream += run_started("run-2") + patch(op("replace", "/list/0", 2), op("test", "/list", [2]))
    assert not found(stream + text(id="m2") + finished("run-2"))


def test_a_run_begins_with_the_state_it_was_given() -> None:
    given = run_with_input(user())
    given[0]["input"]["state"] = {"seats": 2}
    assert not found(given + patch(op("replace", "/seats", 3)) + text() + finished())


def test_a_patch_of_an_activity_is_tried_on_the_activity() -> None:
    shown = event("ACTIVITY_SNAPSHOT", messageId="a1", activityType="PLAN", content={"steps": []})
    good = event("ACTIVITY_DELTA", messageId="a1", activityType="PLAN", patch=[op("add", "/steps/-")])
    bad = event("ACTIVITY_DELTA", messageId="a1", activityType="PLAN", patch=[op("remove", "/steps/4")])
    assert not found(run_started() + shown + good * 3 + text() + finished())
    seen = only(run_started() + shown + bad + text() + finished())
    assert seen.message.startswith("ACTIVITY_DELTA does not apply: remove /steps/4")


def test_a_patch_that_is_none_is_not_called_failed() -> None:
    for delta in ([{"op": "add", "path": "x", "value": 1}], [{"op": "zap", "path": "/x"}], ["x"], "x", []):
        stream = run_started() + event("STATE_DELTA", delta=delta) + text() + finished()
        assert not coded("S06", stream)


def test_the_same_failure_is_told_once_with_a_count() -> None:
    (seen,) = coded("S06", run_started() + state({}) + patch(op("remove", "/a")) * 5 + text() + finished())
    assert (seen.count, len(seen.seqs)) == (5, 3)


def test_a_state_too_large_to_hold_is_forgotten_and_nothing_is_said_of_its_patches() -> None:
    documents = Documents()
    documents.put(STATE, {"a": "x" * LIMIT})
    assert documents.patch(STATE, [op("remove", "/nothing")]) is None
    documents.put(STATE, {"a": 1})
    assert documents.patch(STATE, [op("remove", "/nothing")]) is not None


def test_what_is_held_stays_within_its_limit_whatever_patches_ask_for() -> None:
    documents = Documents()
    documents.put(STATE, {"a": "x" * 1000})
    for _ in range(50):
        documents.patch(STATE, [op("copy", "/a", **{"from": ""})] * COPIES)
        documents.patch(STATE, [op("add", "/b", "y" * 10_000)])
        assert documents.total <= LIMIT
    for n in range(5_000):
        documents.put(activity(str(n)), {"n": "z" * 200})
        assert documents.total <= LIMIT
    assert len(documents.forgotten) <= 1_001


def test_patches_of_an_event_are_not_the_ones_that_are_held() -> None:
    value: dict = {"inner": []}
    documents = Documents()
    documents.put(STATE, {})
    documents.patch(STATE, [op("add", "/a", value)])
    documents.patch(STATE, [op("add", "/a/inner/-", 1)])
    assert (value, documents.known[STATE]) == ({"inner": []}, {"a": {"inner": [1]}})


# ---------------------------------------------------------------- S10

OPEN = event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
OVER = event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hm.") + event("TEXT_MESSAGE_END", messageId="m1")


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (call_started() + call("c2") + call_ended(), "A call started while the arguments of another"),
        (OPEN + call() + OVER, "A call started inside an open text"),
        (call_started() + OPEN + call_ended() + OVER, "A text opened while the arguments of a call"),
        (OPEN + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="") + OVER + call(), "An empty piece"),
    ],
)
def test_what_older_clients_refuse_is_an_info(parts: list, told: str) -> None:
    stream = (
        run_started()
        + parts
        + result()
        + result("c2") * ("c2" in str(parts))
        + text("Done.", "m7")
        + finished()
    )
    seen = only(stream)
    assert (seen.code, seen.severity) == ("S10", "info")
    assert seen.message.startswith(told)


def test_calls_and_texts_one_after_the_other_are_no_risk() -> None:
    stream = (
        run_started() + text() + call() + call("c2") + result() + result("c2") + text(id="m2") + finished()
    )
    assert not found(stream)


def test_what_a_subagent_does_beside_its_parent_is_no_risk() -> None:
    inner = [{**one, "subagentRunId": "s1"} for one in text(id="m2")]
    opened = event("SUBAGENT_STARTED", subagentRunId="s1", name="helper")
    closed = event("SUBAGENT_FINISHED", subagentRunId="s1")
    stream = run_started() + call_started() + opened + inner + closed + call_ended() + result()
    assert not found(stream + text("Done.", "m3") + finished())
