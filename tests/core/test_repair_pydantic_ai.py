"""PydanticAI: returns before the next response, in whatever requests, and what a request holds beside."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes

GO = {
    "kind": "request",
    "parts": [{"part_kind": "user-prompt", "content": "go"}],
    "instructions": "Be brief.",
}
DONE = {"kind": "response", "parts": [{"part_kind": "text", "content": "done"}]}


def called(*ids: str, args: Any = None) -> dict[str, Any]:
    parts = [{"part_kind": "tool-call", "tool_name": "f", "args": args, "tool_call_id": id_} for id_ in ids]
    return {"kind": "response", "parts": parts}


def returned(*ids: str, **more: Any) -> dict[str, Any]:
    parts = [
        {"part_kind": "tool-return", "tool_name": "f", "content": f"{id_} ok", "tool_call_id": id_, **more}
        for id_ in ids
    ]
    return {"kind": "request", "parts": parts}


def repaired(messages: list[Any], **choices: Any) -> Any:
    return lawful("pydantic_ai", "pydantic_ai", messages, **choices)


def test_returns_may_come_in_several_requests_and_behind_a_prompt_in_another() -> None:
    messages = [GO, called("a", "b"), returned("a"), GO, returned("b"), DONE, GO]
    assert repaired(messages).changes == []


def test_a_call_before_a_new_prompt_is_closed_out_as_pydantic_ai_itself_does() -> None:
    done = repaired([GO, called("a"), GO])
    [part] = done.messages[2]["parts"]
    assert (part["part_kind"], part["tool_name"], part["tool_call_id"]) == ("tool-return", "f", "a")
    assert part["outcome"] == "interrupted" and part["content"].startswith("TOOL_NOT_EXECUTED")
    assert done.messages[3] is GO


def test_a_return_behind_the_next_response_comes_before_it() -> None:
    done = repaired([GO, called("a"), DONE, returned("a")])
    assert done.messages == [GO, called("a"), returned("a"), DONE]
    assert [(c.code, c.crossed_assistant) for c in done.changes] == [("late_result", True)]


def test_a_second_return_goes_and_the_interrupted_one_rather_than_the_real() -> None:
    stand_in = returned("a", outcome="interrupted")
    stand_in["parts"][0]["content"] = "The tool call was interrupted before a result was produced."
    done = repaired([GO, called("a"), stand_in, returned("a"), DONE])
    assert done.messages == [GO, called("a"), returned("a"), DONE]
    assert [(c.code, c.lossy) for c in done.changes] == [("duplicate_result", False)]


def test_returns_come_first_in_their_request() -> None:
    mixed = {"kind": "request", "parts": [*GO["parts"], *returned("a")["parts"]]}
    done = repaired([GO, called("a"), mixed, DONE])
    assert done.messages[2]["parts"] == [*returned("a")["parts"], *GO["parts"]]
    assert [(c.code, c.action) for c in done.changes] == [("results_not_first", "reordered")]


@pytest.mark.parametrize("args", ['{"cut": ', {"n": 1}, "", None])
def test_arguments_stay_as_they_are_whatever_they_parse_to(args: Any) -> None:
    assert repaired([GO, called("a", args=args), returned("a")]).changes == []


def test_a_retry_prompt_that_names_its_tool_answers_and_another_is_words() -> None:
    retry = {"part_kind": "retry-prompt", "content": "no such day", "tool_name": "f", "tool_call_id": "a"}
    assert repaired([GO, called("a"), {"kind": "request", "parts": [retry]}]).changes == []
    nameless = {"kind": "request", "parts": [{"part_kind": "retry-prompt", "content": "try again"}]}
    done = repaired([GO, called("a"), nameless])
    assert [c.code for c in done.changes] == ["unanswered_call"] and done.messages[3] is nameless


def test_what_the_provider_ran_is_left_alone_wherever_its_halves_stand() -> None:
    own = {"tool_name": "web_search", "tool_call_id": "srv"}
    asked = {"kind": "response", "parts": [{"part_kind": "builtin-tool-call", **own, "args": {}}]}
    answer = {"kind": "response", "parts": [{"part_kind": "builtin-tool-return", **own, "content": []}]}
    for messages in ([GO, asked, answer], [GO, asked, GO, DONE]):
        assert repaired(messages).changes == []


def test_a_deferred_call_stays_open_beside_one_that_has_its_return() -> None:
    messages = [GO, called("a", "b"), returned("a")]
    done = repaired(messages, pending=["b"])
    assert done.pending == ["b"] and done.messages == messages
    assert repaired(messages).messages[2]["parts"][1]["tool_call_id"] == "b"


def test_instructions_and_system_prompts_are_the_systems_in_other_shapes() -> None:
    told = {"part_kind": "system-prompt", "content": "You answer."}
    messages = [{**GO, "parts": [told, *GO["parts"]]}, DONE]
    assert shapes.guess(messages) == "pydantic_ai"
    chat = repair(shapes.read(messages), "openai_chat").messages
    assert [(m["role"], m["content"]) for m in chat] == [
        ("system", "Be brief."),
        ("system", "You answer."),
        ("user", "go"),
        ("assistant", "done"),
    ]
    assert repair(shapes.read(messages), "anthropic").system == ["Be brief.", "You answer."]
    back = repair(shapes.read(chat), "pydantic_ai").messages
    assert [m["parts"][0]["part_kind"] for m in back] == [
        "system-prompt",
        "system-prompt",
        "user-prompt",
        "text",
    ]


def test_a_message_that_is_none_is_told() -> None:
    done = repair(shapes.read([{"kind": "request", "parts": "x"}, GO], "pydantic_ai"), "pydantic_ai")
    assert [b.code for b in done.blockers] == ["unknown_role"]
