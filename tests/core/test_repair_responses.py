"""Repair for OpenAI Responses: items that pair by call_id, reasoning beside what it led to, ids of items."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes, validate

LOOSE, STRICT = "openai_responses", "openai_responses_strict"


def mended(items: list[Any], target: str = LOOSE, **choices: Any) -> Any:
    return lawful("openai_responses", target, items, **choices)


def call(identity: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": identity, "name": "f", "arguments": "{}", **more}


def output(identity: str, said: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": identity, "output": said}


def says(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text, **more}


def thought(identity: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": identity, "summary": []}


def test_a_text_is_spelled_as_the_api_reads_it_from_its_role() -> None:
    """Invalid value: 'text'. Supported values are: 'output_text' and 'refusal' (hermes-agent#15690)."""
    block = {"type": "text", "text": "hi"}
    told = {"type": "message", "role": "user", "content": [block]}
    said = [told, {"type": "message", "role": "assistant", "content": [block, block]}]
    done = lawful("openai_responses", "openai_responses", said)
    texts = [{"type": "output_text", "text": "hi"}] * 2
    assert [item["content"] for item in done.messages] == ["hi", texts]
    assert [c.code for c in done.changes] == ["malformed_content"] * 3
    kept = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]
    assert lawful("openai_responses", "openai_responses", kept).changes == []


def test_an_output_behind_other_items_counts_for_openai_and_not_for_a_strict_host() -> None:
    items = [says("user", "go"), call("c1"), says("developer", "a hook spoke"), output("c1")]
    assert mended(items).messages == items
    done = mended(items, STRICT)
    assert done.messages == [items[0], items[1], items[3], items[2]]
    assert [(c.code, c.action, c.rule) for c in done.changes] == [("late_result", "relocated", "adjacency")]


def test_reasoning_between_a_call_and_its_output_is_moved_past_for_a_strict_host() -> None:
    items = [call("c1"), thought("rs_1"), call("c2"), output("c1"), output("c2")]
    assert mended(items).changes == []
    done = mended(items, STRICT)
    assert done.messages == [call("c1"), output("c1"), thought("rs_1"), call("c2"), output("c2")]


def test_a_block_of_calls_keeps_its_outputs_together() -> None:
    items = [call("c1"), call("c2"), output("c2"), output("c1")]
    assert mended(items, STRICT).changes == []


def test_reasoning_goes_with_the_call_it_led_to() -> None:
    items = [says("user", "go"), thought("rs_1"), call("c1"), says("user", "stop")]
    done = mended(items, policy="drop")
    assert done.messages == [items[0], items[3]]
    assert {(c.code, c.lossy) for c in done.changes} == {
        ("unanswered_call", True),
        ("reasoning_of_dropped_call", True),
    }


def test_reasoning_stays_while_one_of_the_calls_it_led_to_stays() -> None:
    items = [thought("rs_1"), call("c1"), call("c2"), output("c2"), says("user", "and?")]
    assert mended(items, policy="drop").messages == [thought("rs_1"), call("c2"), output("c2"), items[4]]


def test_reasoning_that_nothing_follows_goes() -> None:
    done = mended([says("user", "go"), thought("rs_1"), says("user", "hello?")])
    assert [(c.code, c.action) for c in done.changes] == [("reasoning_only_message", "dropped")]


def test_an_item_sent_again_is_there_once_and_a_message_keeps_its_text() -> None:
    items = [thought("rs_1"), thought("rs_1"), says("assistant", "hi", id="msg_1"),
             says("assistant", "hi", id="msg_1")]  # fmt: skip
    done = mended(items)
    assert done.messages == [thought("rs_1"), items[2], says("assistant", "hi")]
    assert [c.code for c in done.changes] == ["duplicate_item", "item_id_refused"]


@pytest.mark.parametrize("own", ["call_1", "0199-uuid", "item_1"])
def test_an_items_own_id_of_the_wrong_kind_is_left_out_and_its_call_id_stays(own: str) -> None:
    done = mended([call("c1", id=own), output("c1")])
    assert done.messages == [call("c1"), output("c1")]
    assert [(c.code, c.rule) for c in done.changes] == [("item_id_refused", "item_ids")]


def test_what_the_provider_runs_needs_no_output() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    items = [says("user", "go"), thought("rs_1"), search, says("assistant", "found it"), says("user", "ah")]
    assert mended(items).changes == []


def test_a_free_form_call_is_answered_by_an_item_of_its_own_kind() -> None:
    asked = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"}
    done = mended([asked, says("user", "well?")])
    assert done.messages[1]["type"] == "custom_tool_call_output"
    assert done.messages[1]["output"].startswith("TOOL_NOT_EXECUTED: ")


def test_no_text_stands_in_for_a_screenshot() -> None:
    asked = {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "screenshot"},
             "pending_safety_checks": [], "status": "completed"}  # fmt: skip
    done = repair(shapes.read([says("user", "look"), asked, says("user", "well?")]), LOOSE)
    [blocker] = done.blockers
    assert (blocker.code, blocker.call_id) == ("unanswered_call", "c1")
    assert "no text can stand in" in blocker.message and "policy_drop" in blocker.offers


def test_places_are_told_in_items() -> None:
    """Calls made together are one message to the repair, and still items to whoever reads the change."""
    done = mended([says("user", "go"), call("c1"), call("c2"), says("user", "well?")])
    assert [(c.call_id, c.src, c.dst) for c in done.changes] == [
        ("c1", ((1, 0),), ((3, 0),)),
        ("c2", ((2, 0),), ((4, 0),)),
    ]
    [problem] = [p for p in validate(LOOSE, [call("c1"), call("c2"), output("c1")]) if p.call_id == "c2"]
    assert problem.index == 1 and problem.message.startswith("messages[1]: ")


def test_a_turn_of_another_shape_is_laid_out_as_items() -> None:
    chat = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "Looking.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]  # fmt: skip
    assert repair(shapes.read(chat), LOOSE).messages == [
        says("user", "go"),
        says("assistant", "Looking."),
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
        output("c1"),
    ]
