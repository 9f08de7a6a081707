"""What a person may choose of a repair, each choice on a list where it makes a difference."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests import oracles
from tests.core.laws import lawful
from turnscope.core.repair import CHOICES, TARGETS, Evidence, Transcript, repair, shapes


def _use(call: str, name: str = "look", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def _result(call: str, said: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": said}


def _said(role: str, *blocks: Any) -> dict[str, Any]:
    return {
        "role": role,
        "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks],
    }


def _call(call: str, name: str = "look", arguments: str = "{}") -> dict[str, Any]:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}


REFUSED = [
    _said("user", "go"),
    _said("assistant", "Looking.", _use("call:1", n=1), _use("good", n=2)),
    _said("user", _result("call:1", "four"), _result("good", "five"), "and?"),
    _said("assistant", "Nine."),
]
"""For Anthropic: an id with a colon beside one that is right."""


def test_by_itself_a_repair_changes_no_id_and_offers_three_ways_out() -> None:
    done = lawful("anthropic", "anthropic", REFUSED)
    assert done.messages == REFUSED and not done.ids
    assert [(b.code, b.call_id) for b in done.blockers] == [("id_format", "call:1")]
    assert done.blockers[0].offers == ("other_target", "flatten_pair", "id_map")


def test_a_pair_is_told_as_text_by_choice_and_its_sibling_stays() -> None:
    done = lawful("anthropic", "anthropic", REFUSED, ids="flatten")
    assert done.sendable
    assert done.messages[1] == _said("assistant", "Looking.", '[Called look: {"n":1}]', _use("good", n=2))
    assert done.messages[2] == _said("user", _result("good", "five"), "[Result of look]\nfour", "and?")
    assert [(c.code, c.action, c.call_id, c.lossy, c.review) for c in done.changes] == [
        ("id_format", "quoted", "call:1", True, True),
        ("id_format", "quoted", "call:1", True, True),
    ]
    assert "call:1" not in str(done.messages)


def test_a_result_with_a_message_of_its_own_becomes_the_users_behind_its_siblings() -> None:
    long = "c" * 65
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [_call(long), _call("c2")]},
        {"role": "tool", "tool_call_id": long, "content": "four"},
        {"role": "tool", "tool_call_id": "c2", "content": "five"},
    ]
    done = lawful("openai_chat", "openai_chat", messages, ids="flatten")
    assert done.sendable
    assert done.messages == [
        {"role": "assistant", "content": "[Called look: {}]", "tool_calls": [_call("c2")]},
        messages[2],
        {"role": "user", "content": "[Result of look]\nfour"},
    ]


def test_an_item_that_is_told_as_text_stands_before_the_calls_it_was_made_with() -> None:
    def call(number: int) -> dict[str, Any]:
        return {"type": "function_call", "call_id": f"c{number}", "name": "look", "arguments": "{}"}

    def output(number: int, said: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": f"c{number}", "output": said}

    messages = [call(1), output(1, "a"), {"role": "user", "content": "again"}, call(2), call(1)]
    messages += [output(2, "b"), output(1, "c")]
    for target in ("openai_responses", "openai_responses_strict"):
        done = lawful("openai_responses", target, messages, ids="flatten")
        assert done.sendable and done.messages == [
            *messages[:3],
            {"type": "message", "role": "assistant", "content": "[Called look: {}]"},
            call(2),
            output(2, "b"),
            {"type": "message", "role": "user", "content": "[Result of look]\nc"},
        ], "the first call of an id keeps it"


def test_a_map_says_what_every_id_it_made_stands_for() -> None:
    before = copy.deepcopy(REFUSED)
    done = lawful("anthropic", "anthropic", REFUSED, ids="map")
    assert done.sendable and done.ids == {"call_1": "call:1"} and before == REFUSED
    assert done.messages[1]["content"][1] == {**_use("call_1", n=1)}
    assert done.messages[2]["content"][0] == _result("call_1", "four")
    assert done.messages[3] is REFUSED[3]
    [change] = done.changes
    assert (change.code, change.action, change.call_id) == ("id_format", "relabelled", "call:1")
    assert change.src == ((1, 1), (2, 0)) and "call_1" in change.reason
    assert done.as_json()["ids"] == {"call_1": "call:1"}


def test_a_mapped_id_is_never_one_that_is_taken() -> None:
    messages = [
        _said("assistant", _use("call:1"), _use("call_1"), _use("call.1")),
        _said("user", _result("call:1", "a"), _result("call_1", "b"), _result("call.1", "c")),
    ]
    done = lawful("anthropic", "anthropic", messages, ids="map")
    sent = [block["id"] for block in done.messages[0]["content"]]
    assert sent[1] == "call_1" and len(set(sent)) == 3 and set(done.ids.values()) == {"call:1", "call.1"}
    assert [block["tool_use_id"] for block in done.messages[1]["content"]] == sent


def test_an_id_that_comes_again_is_mapped_and_the_first_keeps_it() -> None:
    messages = [
        _said("user", "a"),
        _said("assistant", _use("c1")),
        _said("user", _result("c1", "one")),
        _said("assistant", "ok"),
        _said("user", "b"),
        _said("assistant", _use("c1")),
        _said("user", _result("c1", "two")),
    ]
    done = lawful("anthropic", "anthropic", messages, ids="map")
    assert done.sendable and list(done.ids.values()) == ["c1"]
    [new] = done.ids
    assert done.messages[:5] == messages[:5]
    assert done.messages[5]["content"][0]["id"] == done.messages[6]["content"][0]["tool_use_id"] == new


def test_a_call_that_waits_is_mapped_and_named_as_it_is_sent() -> None:
    messages = [_said("user", "go"), _said("assistant", _use("call:1"))]
    done = repair(shapes.read(messages, "anthropic"), "anthropic", pending=["call:1"], ids="map")
    assert done.pending == ["call_1"] and done.ids == {"call_1": "call:1"} and not done.blockers


def test_a_map_finds_nine_characters_for_mistral() -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [_call("call_0fyp")]},
        {"role": "tool", "tool_call_id": "call_0fyp", "name": "look", "content": "ok"},
    ]
    done = lawful("openai_chat", "openai_chat", messages, ids="map")
    assert done.ids == {} and done.messages == messages, "nothing is mapped that is taken as it is"
    done = repair(shapes.read(messages), "mistral", ids="map")
    assert done.sendable and oracles.refusals("mistral", done.messages) == []
    [new] = done.ids
    assert len(new) == 9 and new.isalnum() and done.ids[new] == "call_0fyp"


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
THINKING = [
    _said("user", "go"),
    _said("assistant", THOUGHT, "First.", _use("c1")),
    _said("user", "never mind"),
    _said("assistant", {**THOUGHT, "thinking": "so"}, "Second."),
    _said("assistant", {**THOUGHT, "thinking": "alone"}),
    _said("user", "bye"),
]
"""A call without a result behind the first thinking, and in front of the others."""


def test_thinking_behind_the_first_change_is_stripped_by_choice_and_what_stood_before_it_stays() -> None:
    done = lawful("anthropic", "anthropic", THINKING, thinking="strip_after_first_change")
    assert done.messages[1] is THINKING[1]
    assert done.messages[3:] == [THINKING[2], _said("assistant", "Second."), THINKING[5]]
    assert [(c.code, c.action, c.lossy) for c in done.changes if c.code != "unanswered_call"] == [
        ("thinking_invalidated", "dropped", True),
        ("thinking_invalidated", "dropped", True),
        ("reasoning_only_message", "dropped", False),
    ]


@pytest.mark.parametrize(
    ("choice", "said"), [("keep", "as you chose"), ("request_drop_block", "the request")]
)
def test_thinking_is_kept_otherwise_and_the_first_that_holds_no_longer_is_named(
    choice: str, said: str
) -> None:
    done = lawful("anthropic", "anthropic", THINKING, thinking=choice)
    assert [m for m in done.messages if m in THINKING] == THINKING
    [change] = [c for c in done.changes if c.code == "thinking_invalidated"]
    assert (change.action, change.src, change.dst) == ("kept", ((3, 0),), ((4, 0),)) and said in change.reason
    assert ["drop_block" in note for note in done.notes] == [True] * (choice != "keep")


def test_without_a_change_no_thinking_is_touched() -> None:
    messages = [THINKING[0], THINKING[3], THINKING[5]]
    assert lawful("anthropic", "anthropic", messages, thinking="strip_after_first_change").changes == []


def test_reasoning_content_is_echoed_by_choice_where_a_message_with_calls_has_none() -> None:
    asked = {"role": "assistant", "content": "", "tool_calls": [_call("c1")]}
    thought = {**asked, "tool_calls": [_call("c2")], "reasoning_content": "hm"}
    answers = [{"role": "tool", "tool_call_id": call, "content": "ok"} for call in ("c1", "c2")]
    messages = [asked, answers[0], thought, answers[1]]
    assert lawful("openai_chat", "openai_chat", messages).changes == []
    done = lawful("openai_chat", "openai_chat", messages, thinking="echo")
    assert done.messages == [{**asked, "reasoning_content": ""}, *messages[1:]]
    assert [(c.code, c.action, c.dst) for c in done.changes] == [
        ("reasoning_missing", "filler_added", ((0, 0),))
    ]


def test_a_host_that_strips_system_rows_is_repaired_by_what_is_left() -> None:
    """A system row that never reaches the SDK closes no window: the result behind it counts."""
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {}}
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "look",
              "output": {"type": "text", "value": "ok"}}  # fmt: skip
    messages = [
        {"role": "assistant", "content": [call]},
        {"role": "system", "content": "a note"},
        {"role": "tool", "content": [result]},
    ]
    assert [c.code for c in repair(shapes.read(messages), "ai_sdk").changes] == ["late_result"]
    done = repair(shapes.read(messages), "ai_sdk", boundary=["user"])
    assert done.changes == [] and done.sendable and done.messages == messages
    messages.insert(2, {"role": "user", "content": "hello?"})
    [change] = repair(shapes.read(messages), "ai_sdk", boundary=["user"]).changes
    assert change.code == "late_result" and "close" in TARGETS["ai_sdk"].bounded(["user"]).boundary.says


def test_langgraph_can_be_given_the_window_of_the_model_behind_it() -> None:
    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "human", "content": "hello?"},
        {"type": "tool", "content": "ok", "tool_call_id": "c1"},
    ]
    assert repair(shapes.read(messages), "langgraph").changes == []
    done = repair(shapes.read(messages), "langgraph", boundary=["user", "system"])
    assert [c.code for c in done.changes] == ["late_result"] and done.messages[1] == messages[2]


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_a_choice_that_is_none_is_refused_in_words(name: str) -> None:
    choice: dict[str, Any] = {name: "whatever"}
    with pytest.raises(ValueError, match=f"{name} is one of {CHOICES[name][0]}"):
        repair(Transcript([], "openai_chat"), "openai_chat", **choice)


def test_what_is_known_beside_a_transcript_is_not_touched_either() -> None:
    messages = [{"role": "assistant", "content": "", "tool_calls": [_call("c1")]}]
    transcript = shapes.read(messages)
    mine = Evidence(started={"c2"})
    repair(transcript, "openai_chat", evidence=mine, pending=["c1"], started=["c1"])
    assert transcript.evidence == Evidence() and mine == Evidence(started={"c2"})
    assert repair(transcript, "openai_chat").pending == []


def test_arguments_too_deep_to_be_copied_hold_up_no_choice() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    messages = [_said("assistant", _use("call:1", n=deep)), _said("user", _result("call:1", "ok"))]
    done = repair(shapes.read(messages, "anthropic"), "anthropic", ids="map")
    assert done.sendable and done.messages[0]["content"][0]["id"] == "call_1"
    assert repair(shapes.read(messages, "anthropic"), "anthropic", ids="flatten").sendable


def test_a_message_that_is_as_it_was_in_the_end_is_the_very_object_that_came() -> None:
    """A result that was added here and then told as text leaves the results beside it alone."""
    messages = [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"args": {}}}, {"functionCall": {"name": "f", "args": {}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "x"}}}]},
    ]
    done = lawful("gemini", "gemini", messages, ids="flatten")
    assert done.messages[2] is messages[2] and done.sendable


def test_a_call_sent_under_another_id_is_refused_once_and_by_the_id_it_has_in_the_list() -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [_call("call_00001")]},
        {"role": "user", "content": "and?"},
    ]
    done = repair(shapes.read(messages, "openai_chat"), "mistral", "block", ids="map")
    assert list(done.ids.values()) == ["call_00001"]
    assert [(one.code, one.call_id, one.src) for one in done.blockers] == [
        ("unanswered_call", "call_00001", (1,))
    ]


def test_reasoning_content_is_echoed_too_in_messages_that_came_in_another_shape() -> None:
    """DeepSeek: "Missing `reasoning_content` field in the assistant message"."""
    messages = [_said("user", "go"), _said("assistant", _use("c1")), _said("user", _result("c1", "four"))]
    done = repair(shapes.read(messages, "anthropic"), "openai_chat", thinking="echo")
    said = {"reasoning_content": "", "role": "assistant", "content": None, "tool_calls": [_call("c1")]}
    assert done.messages[1] == said
    assert [change.code for change in done.changes].count("reasoning_missing") == 1
    assert lawful("openai_chat", "openai_chat", done.messages, thinking="echo").messages == done.messages
