"""What a list lacks, found in the list itself: the id of an answer, a name, a call in its own spelling."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes, validate

Json = dict[str, Any]


def _call(call: str, name: str = "look", arguments: str = "{}") -> Json:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}


def _asks(*calls: Json) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def _answer(said: str, **own: Any) -> Json:
    return {"role": "tool", **own, "content": said}


USER = {"role": "user", "content": "go"}


def told(done: Any) -> list[tuple[str, str, str | None]]:
    return [(c.code, c.action, c.call_id) for c in done.changes]


# ---------------------------------------------------------------- answers without an id


def test_an_answer_without_an_id_is_for_the_one_call_it_can_answer() -> None:
    """OpenAI: Missing parameter 'tool_call_id'. It is no orphan: only one call can own it."""
    messages = [USER, _asks(_call("c1"), _call("c2")), _answer("one", tool_call_id="c1"), _answer("two")]
    done = lawful("openai_chat", "openai_chat", messages)
    assert done.messages == [*messages[:3], _answer("two", tool_call_id="c2")] and done.sendable
    assert told(done) == [("id_missing", "relabelled", "c2")] and done.changes[0].review
    assert "tool_call_id" not in messages[3]


def test_of_two_calls_the_name_tells_and_without_it_nothing_is_guessed() -> None:
    asks = _asks(_call("c1", "look"), _call("c2", "find"))
    done = lawful("openai_chat", "openai_chat", [USER, asks, _answer("x", name="find"), _answer("y")])
    assert [m.get("tool_call_id") for m in done.messages[2:]] == ["c2", "c1"]
    guess = lawful("openai_chat", "openai_chat", [USER, _asks(_call("c1"), _call("c2")), _answer("x")])
    assert [c.code for c in guess.changes].count("orphan_result") == 1
    unknown = "TOOL_OUTCOME_UNKNOWN: "
    assert all(m["content"].startswith(unknown) for m in guess.messages[2:]), "one of the two has run"


def test_an_answer_behind_the_users_next_words_is_for_nothing_before_them() -> None:
    done = lawful("openai_chat", "openai_chat", [USER, _asks(_call("c1")), USER, _answer("late")])
    assert [c.code for c in done.changes] == ["unanswered_call", "orphan_result"]


@pytest.mark.parametrize(
    ("shape", "messages", "at", "key"),
    [
        (
            "anthropic",
            [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "content": [{"type": "text", "text": "x"}]}],
                },
            ],
            ("content", 0, "tool_use_id"),
            {"type": "tool_result", "content": [{"type": "text", "text": "x"}], "tool_use_id": "c1"},
        ),
        (
            "openai_responses",
            [
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "output": "x"},
            ],
            (),
            {"type": "function_call_output", "output": "x", "call_id": "c1"},
        ),
        (
            "langchain",
            [
                {
                    "type": "ai",
                    "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]},
                },
                {"type": "tool", "data": {"type": "tool", "content": "x"}},
            ],
            (),
            {"type": "tool", "data": {"type": "tool", "content": "x", "tool_call_id": "c1"}},
        ),
        (
            "bedrock",
            [
                {"role": "user", "content": [{"text": "go"}]},
                {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}}],
                },
                {"role": "user", "content": [{"toolResult": {"content": [{"text": "x"}]}}]},
            ],
            ("content", 0),
            {"toolResult": {"content": [{"text": "x"}], "toolUseId": "c1"}},
        ),
    ],
)
def test_the_id_is_written_where_the_shape_has_it(
    shape: str, messages: list[Json], at: tuple[Any, ...], key: Json
) -> None:
    done = repair(shapes.read(messages, shape), shape)
    found: Any = done.messages[-1]
    for step in at[:2]:
        found = found[step]
    assert found == key and done.sendable and told(done)[0] == ("id_missing", "relabelled", "c1")
    again = repair(shapes.read(done.messages, shape), shape)
    assert again.messages == done.messages and again.changes == []


# ---------------------------------------------------------------- names, for Gemini


def _gemini(call: Json, response: Json) -> list[Json]:
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": call}]},
        {"role": "user", "parts": [{"functionResponse": response}]},
    ]


def test_a_response_without_a_name_has_its_calls() -> None:
    """Gemini: function_response.name: Name cannot be empty."""
    for own in ({"id": "c1"}, {}):
        messages = _gemini({**own, "name": "look", "args": {}}, {**own, "response": {"result": "x"}})
        assert [p.code for p in validate("gemini", messages)] == ["name_missing"]
        done = lawful("gemini", "gemini", messages)
        assert done.messages[2]["parts"] == [
            {"functionResponse": {**own, "response": {"result": "x"}, "name": "look"}}
        ]
        assert told(done) == [("name_missing", "relabelled", own.get("id"))]


def test_a_call_without_a_name_has_its_responses_or_is_a_blocker() -> None:
    answer = {"id": "c1", "name": "look", "response": {"result": "x"}}
    done = lawful("gemini", "gemini", _gemini({"id": "c1", "args": {"n": 1}}, answer))
    assert done.messages[1]["parts"] == [{"functionCall": {"id": "c1", "args": {"n": 1}, "name": "look"}}]
    assert done.sendable
    done = lawful("gemini", "gemini", _gemini({"id": "c1", "args": {"n": 1}}, {"id": "c1", "response": {}}))
    assert [b.code for b in done.blockers] == ["name_format"] and not done.changes


def test_several_calls_of_one_function_without_ids_are_paired_in_order_and_are_no_duplicates() -> None:
    """google-adk matches by name and order; two equal calls are two."""
    call, said = {"name": "look", "args": {"n": 1}}, ("one", "two")
    messages = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": call}, {"functionCall": call}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "look", "response": {"result": s}}} for s in said],
        },
    ]
    assert lawful("gemini", "gemini", messages).changes == []
    one = [*messages[:2], {"role": "user", "parts": messages[2]["parts"][:1]}]
    done = lawful("gemini", "gemini", one)
    assert [part["functionResponse"]["response"] for part in done.messages[2]["parts"]][0] == {
        "result": "one"
    }
    assert told(done) == [("unanswered_call", "answered", None)]


# ---------------------------------------------------------------- blocks of another maker's


USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {"n": 1}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "four"}


def test_blocks_of_anthropics_in_an_openai_list_are_spelled_as_the_list_is() -> None:
    """langchainjs#9972: passed through verbatim, the API refuses them."""
    text = {"type": "text", "text": "Looking."}
    messages = [
        USER,
        {"role": "assistant", "content": [text, USE]},
        {"role": "user", "content": [RESULT, text]},
    ]
    done = lawful("openai_chat", "openai_chat", messages)
    assert done.sendable and done.messages == [
        USER,
        {"role": "assistant", "content": [text], "tool_calls": [_call("c1", "look", '{"n":1}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "four"},
        {"role": "user", "content": [text]},
    ]
    assert told(done) == [("foreign_block", "relabelled", "c1")] * 2


def test_a_foreign_block_that_repeats_a_call_of_the_list_goes() -> None:
    messages = [
        USER,
        {"role": "assistant", "content": [{"type": "text", "text": "Looking."}, USE],
         "tool_calls": [_call("c1", "look", '{"n": 1}')]},
        _answer("four", tool_call_id="c1"),
    ]  # fmt: skip
    done = repair(shapes.read(messages, "openai_chat"), "openai_chat")
    assert done.sendable and [c.code for c in done.changes] == ["foreign_block", "duplicate_call"]
    [call] = done.messages[1]["tool_calls"]
    assert call["id"] == "c1" and len(done.messages) == 3


def test_a_call_of_the_ai_sdk_in_an_anthropic_list_and_its_output_are_unwrapped() -> None:
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"n": 1}}
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "look",
              "output": {"type": "error-text", "value": "no route"}}  # fmt: skip
    messages = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    done = lawful("anthropic", "anthropic", messages)
    assert done.messages == [
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{**RESULT, "content": "no route", "is_error": True}]},
    ]


def test_an_item_of_content_becomes_an_item_of_the_list() -> None:
    messages = [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hm"}, USE]}
    ]
    done = lawful("openai_responses", "openai_responses", messages)
    assert [item["type"] for item in done.messages] == ["message", "function_call", "function_call_output"]
    assert done.messages[1] == {
        "type": "function_call",
        "call_id": "c1",
        "name": "look",
        "arguments": '{"n":1}',
    }


def test_a_call_in_the_users_mouth_is_a_blocker_and_the_checker_says_so_too() -> None:
    messages = [{"role": "user", "content": [USE]}]
    assert [p.code for p in validate("openai_chat", messages)] == ["foreign_block"]
    done = lawful("openai_chat", "openai_chat", messages)
    assert [(b.code, b.call_id) for b in done.blockers] == [("foreign_block", "c1")] and not done.changes


# ---------------------------------------------------------------- system texts first, for templates


def test_system_texts_come_first_and_are_one_where_a_template_wants_that() -> None:
    """vllm#41114: System message must be at the beginning."""
    rules = [{"role": "system", "content": text} for text in ("Be brief.", "Be kind.")]
    messages = [USER, rules[0], {"role": "assistant", "content": "hi"}, rules[1]]
    assert [p.code for p in validate("vllm", messages)] == ["system_not_first"] * 2
    done = lawful("openai_chat", "vllm", messages)
    texts = [{"type": "text", "text": text} for text in ("Be brief.", "Be kind.")]
    assert done.messages == [{"role": "system", "content": texts}, USER, messages[2]]
    assert [(c.code, c.action, c.src, c.review) for c in done.changes] == [
        ("system_not_first", "relocated", ((1, 0),), True),
        ("system_not_first", "merged", ((3, 0),), True),
    ]
    one = lawful("openai_chat", "vllm", messages[:3])
    assert one.messages[0] is rules[0], "what only moves stays as it was"
    assert lawful("openai_chat", "openai_chat", messages).changes == []
