"""Repair for Gemini: turns that alternate, as many responses as calls, optional ids, signatures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes

STAND_IN = "skip_thought_signature_validator"


def mended(contents: list[Any], **choices: Any) -> Any:
    return lawful("gemini", "gemini", contents, **choices)


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text} for text in texts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: str = "f", sign: str | None = None, **more: Any) -> dict[str, Any]:
    signature = {"thoughtSignature": sign} if sign else {}
    return {"functionCall": {"name": name, "args": {}, **more}, **signature}


def response(name: str = "f", said: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"result": said}, **more}}


def answers(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def codes(done: Any) -> list[tuple[str, str]]:
    return [(change.code, change.action) for change in done.changes]


def test_calls_without_ids_are_answered_by_name_and_order() -> None:
    """Two calls of one function are two calls, and their responses keep their order."""
    contents = [user("go"), model(call("f"), call("f"), call("g")),
                answers(response("g", "3"), response("f", "1"), response("f", "2"))]  # fmt: skip
    assert mended(contents).changes == []


def test_a_missing_response_is_added_without_an_id_where_its_call_has_none() -> None:
    done = mended([user("go"), model(call("f"), call("g")), answers(response("f")), user("well?")])
    [_, added] = done.messages[2]["parts"]
    assert set(added["functionResponse"]) == {"name", "response"} and added["functionResponse"]["name"] == "g"
    assert added["functionResponse"]["response"]["error"].startswith("TOOL_NOT_EXECUTED: ")
    [change] = done.changes
    assert change.call_id is None and change.as_json()["dst_parts"] == [[2, 1]]


def test_a_late_response_without_an_id_goes_to_the_only_call_that_can_own_it() -> None:
    done = mended([user("go"), model(call("f")), user("and?"), answers(response("f"))])
    assert done.messages == [user("go"), model(call("f")), answers(response("f")), user("and?")]
    assert codes(done) == [("late_result", "relocated")]


def test_a_call_without_an_id_that_waits_is_named_and_stays_open() -> None:
    done = mended([user("go"), model(call("f"))], purpose="resume")
    assert done.pending == ["f#1"] and not done.sendable and done.messages[1] == model(call("f"))


def test_text_beside_responses_stands_in_a_content_of_its_own() -> None:
    done = mended([user("go"), model(call()), answers(response(), {"text": "by the way"})])
    assert done.messages[2:] == [answers(response()), user("by the way")]
    assert codes(done) == [("results_not_first", "split")]
    before = mended([user("go"), model(call()), answers({"text": "by the way"}, response())])
    assert before.messages == done.messages
    assert codes(before) == [("results_not_first", "relocated")]


def test_responses_in_two_contents_are_one_turn() -> None:
    done = mended([user("go"), model(call("f"), call("g")), answers(response("f")), answers(response("g"))])
    assert done.messages[2:] == [answers(response("f"), response("g"))]
    assert codes(done) == [("consecutive_role", "merged")]


def test_merging_turns_leaves_every_part_with_its_signature() -> None:
    thought = {"text": "hm", "thought": True, "thoughtSignature": "s0"}
    done = mended([user("go"), model(thought), model(call(sign="s1")), answers(response())])
    assert done.messages[1] == model(thought, call(sign="s1"))


def test_a_signed_first_call_is_answered_where_others_of_its_turn_stay() -> None:
    contents = [user("go"), model(call("f", "s1"), call("g")), answers(response("g")), user("well?")]
    done = mended(contents, policy="drop")
    assert done.messages[1] == contents[1] and codes(done) == [("unanswered_call", "answered")]
    alone = mended([user("go"), model(call("f", "s1"), call("g")), user("well?")], policy="drop")
    assert alone.messages == [user("go", "well?")]


def test_a_lost_signature_of_the_current_turn_is_stood_in_for() -> None:
    old = [user("go"), model(call(sign="s1")), answers(response())]
    lost = [*old, model(call("g"), call("h")), answers(response("g"), response("h"))]
    done = mended(lost)
    assert done.messages[3] == model(call("g", STAND_IN), call("h"))
    assert [(c.code, c.review) for c in done.changes] == [("signature_missing", True)]
    assert mended([*lost, user("next")]).changes == []


def test_calls_that_were_never_signed_are_left_alone() -> None:
    assert mended([user("go"), model(call()), answers(response())]).changes == []


def test_calls_from_elsewhere_get_the_documented_stand_in() -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": n, "type": "function", "function": {"name": n, "arguments": '{"a":1}'}} for n in "xy"]},
        {"role": "tool", "tool_call_id": "x", "content": "1"},
        {"role": "tool", "tool_call_id": "y", "content": "2"},
    ]  # fmt: skip
    done = repair(shapes.read(chat), "gemini")
    assert done.system == ["Be brief."]
    assert done.messages == [
        user("go"),
        model({"functionCall": {"id": "x", "name": "x", "args": {"a": 1}}, "thoughtSignature": STAND_IN},
              {"functionCall": {"id": "y", "name": "y", "args": {"a": 1}}}),
        answers(response("x", "1", id="x"), response("y", "2", id="y")),
    ]  # fmt: skip


@pytest.mark.parametrize("odd", ["text", None, ["list"], {"$ref": "#/x"}, {"deep": [{"$ref": "#/x"}]}])
def test_a_response_is_an_object_without_references(odd: Any) -> None:
    part = {"functionResponse": {"name": "f", "response": odd}}
    [_, _, mended_one] = mended([user("go"), model(call()), answers(part)]).messages
    said = mended_one["parts"][0]["functionResponse"]["response"]
    assert set(said) == {"result"} and isinstance(said["result"], str)


def test_a_call_without_an_id_is_a_blocker_where_ids_are_asked_for() -> None:
    done = repair(shapes.read([user("go"), model(call()), answers(response()), user("?")]), "openai_chat")
    assert [blocker.code for blocker in done.blockers] == ["id_format"]


def test_the_spelling_of_the_python_sdk_is_read_and_kept() -> None:
    contents = [user("go"), model({"function_call": {"name": "f", "args": {}}, "thought_signature": "s"}),
                user("?")]  # fmt: skip
    done = repair(shapes.read(contents), "gemini")
    [added] = done.messages[2]["parts"]
    assert added["function_response"]["name"] == "f" and done.sendable
