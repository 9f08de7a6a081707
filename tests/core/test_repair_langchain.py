"""Repair for LangChain and LangGraph: four spellings, calls told in several places, states rewritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes

DIALECTS = Path(__file__).parent.parent / "corpus" / "dialects"


def mended(messages: list[Any], target: str = "langchain", **choices: Any) -> Any:
    return lawful("langchain", target, messages, **choices)


def human(text: str) -> dict[str, Any]:
    return {"type": "human", "content": text}


def ai(*ids: str, content: Any = "", **more: Any) -> dict[str, Any]:
    calls = [{"name": "f", "args": {}, "id": one, "type": "tool_call"} for one in ids]
    return {"type": "ai", "content": content, "tool_calls": calls, **more}


def tool(call: str, said: str = "ok") -> dict[str, Any]:
    return {"type": "tool", "content": said, "tool_call_id": call, "name": "f", "status": "success"}


def data(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": message}


def constructor(message: dict[str, Any]) -> dict[str, Any]:
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[message["type"]]
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": message}


def by_role(message: dict[str, Any]) -> dict[str, Any]:
    role = {"human": "user", "ai": "assistant"}.get(message["type"], message["type"])
    return {"role": role, **{key: value for key, value in message.items() if key != "type"}}


@pytest.mark.parametrize("spelled", [dict, data, constructor, by_role])
def test_what_is_added_is_spelled_as_the_list_is(spelled: Any) -> None:
    messages = [spelled(human("go")), spelled(ai("c1")), spelled(human("well?"))]
    done = mended(messages)
    said = done.changes[0].text
    added = {"type": "tool", "content": said, "tool_call_id": "c1", "name": "f", "status": "error"}
    assert done.messages == [messages[0], messages[1], spelled(added), messages[2]]


@pytest.mark.parametrize("spelled", [dict, data, constructor, by_role])
def test_every_spelling_is_known_as_langchains(spelled: Any) -> None:
    assert shapes.guess([spelled(human("go")), spelled(ai("c1")), spelled(tool("c1"))]) == "langchain"


def test_a_call_that_is_told_in_three_places_is_one_call_and_goes_from_all() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    own = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    told = ai("c1", content=[{"type": "text", "text": "Looking."}, block],
              additional_kwargs={"tool_calls": [own], "refusal": None})  # fmt: skip
    assert mended([told, tool("c1")]).changes == []
    done = mended([told, human("stop")], policy="drop")
    assert done.messages[0] == {
        "type": "ai", "content": [{"type": "text", "text": "Looking."}], "tool_calls": [],
        "additional_kwargs": {"refusal": None},
    }  # fmt: skip
    assert [(c.code, c.call_id) for c in done.changes] == [("unanswered_call", "c1")]


def test_arguments_that_do_not_parse_are_wrapped_in_every_place() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"cut'}}
    messages = [{"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "content": "bad", "tool_call_id": "c1"}]  # fmt: skip
    done = mended(messages)
    [kept] = done.messages[0]["tool_calls"]
    assert json.loads(kept["function"]["arguments"]) == {"__unparsed_arguments": '{"cut'}
    assert [c.code for c in done.changes] == ["malformed_arguments"]


def test_an_invalid_call_told_only_in_the_content_is_answered_too() -> None:
    block = {"type": "invalid_tool_call", "id": "c1", "name": "f", "args": '{"cut', "error": "cut"}
    done = mended([{"type": "ai", "content": [block], "tool_calls": []}, human("well?")])
    assert done.messages[0]["content"] == [block]
    assert "could not be parsed" in done.messages[1]["content"]


def test_a_late_result_is_moved_for_a_provider_and_left_for_langgraphs_own_check() -> None:
    messages = [ai("c1"), human("and?"), tool("c1")]
    assert mended(messages).messages == [messages[0], messages[2], messages[1]]
    assert mended(messages, "langgraph").changes == []


def test_an_interrupted_state_is_left_to_whoever_resumes_it() -> None:
    [path] = DIALECTS.glob("66-*.json")
    state = json.loads(path.read_text())
    done = repair(shapes.read(state), "langgraph")
    assert done.pending == ["c1"] and not done.sendable
    assert done.messages == state["values"]["messages"]
    settled = repair(shapes.read(state["values"]), "langgraph")
    assert settled.sendable and settled.messages[-1]["tool_call_id"] == "c1"


def test_a_state_is_rewritten_behind_a_removal_of_all() -> None:
    """`add_messages` would put a missing ToolMessage at the end."""
    done = mended([ai("c1"), human("?")], "langgraph")
    [removal] = done.as_json()["before"]
    assert removal == {"type": "remove", "content": "", "id": "__remove_all__"}
    again = repair(shapes.read([removal, *done.messages], "langchain"), "langgraph")
    assert again.changes == [] and again.messages == [removal, *done.messages]


def test_a_message_list_of_another_shape_is_written_flat() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
    blocks = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    assert repair(shapes.read(blocks), "langchain").messages == [ai("c1"), tool("c1")]
