"""Mistral: who may speak behind whom, ids of nine characters, names, and messages that say nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import validate

ID = "AbCdEf123"
GO = {"role": "user", "content": "go"}
ANSWER = {"role": "tool", "tool_call_id": ID, "content": "ok"}
FILLER = {"role": "assistant", "content": "."}


def call(id_: str = ID, name: str = "f", text: str | None = None) -> dict[str, Any]:
    told = {"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return {"role": "assistant", "content": text, "tool_calls": [told]}


def test_a_user_behind_a_result_has_a_word_of_the_assistants_before_him() -> None:
    done = lawful("openai_chat", "mistral", [GO, call(), ANSWER, GO])
    assert done.messages == [GO, call(), ANSWER, FILLER, GO]
    [change] = done.changes
    assert (change.code, change.action, change.src, change.dst) == (
        "user_after_tool",
        "filler_added",
        ((3, 0),),
        ((3, 0),),
    )
    assert "3230" in change.reason


def test_a_call_nobody_answered_is_answered_and_then_spoken_to() -> None:
    done = lawful("openai_chat", "mistral", [GO, call(), GO])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert [c.code for c in done.changes] == ["unanswered_call", "user_after_tool"]


def test_a_system_message_may_not_follow_an_assistant_or_a_tool() -> None:
    system = {"role": "system", "content": "be brief"}
    done = lawful("openai_chat", "mistral", [GO, {"role": "assistant", "content": "hi"}, system, GO])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "user", "system", "user"]
    assert done.messages[3] is system
    done = lawful("openai_chat", "mistral", [GO, call(), ANSWER, system, GO])
    assert [m["role"] for m in done.messages[2:]] == ["tool", "assistant", "user", "system", "user"]
    assert [c.code for c in done.changes] == ["role_order"]
    assert lawful("openai_chat", "mistral", [system, GO, system, GO]).changes == []


def test_the_developer_is_the_system_here() -> None:
    told = {"role": "developer", "content": "be brief", "name": "ops"}
    done = lawful_but_for_roles([told, GO])
    assert done.messages == [{"role": "system", "content": "be brief", "name": "ops"}, GO]
    assert told["role"] == "developer"
    assert [(c.code, c.action) for c in done.changes] == [("unknown_role", "relabelled")]


def lawful_but_for_roles(messages: list[Any]) -> Any:
    """The laws compare texts with who says them; here that changes, and it is told."""
    from turnscope.core.repair import repair, shapes

    assert [p.code for p in validate("mistral", messages)] == ["unknown_role"]
    done = repair(shapes.read(messages, "openai_chat"), "mistral")
    assert lawful("openai_chat", "mistral", done.messages).changes == []
    return done


def test_the_assistant_does_not_begin_and_says_something() -> None:
    done = lawful("openai_chat", "mistral", [call(), ANSWER])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "tool"]
    silent = {"role": "assistant", "content": ""}
    done = lawful("openai_chat", "mistral", [GO, silent, GO])
    assert done.messages == [GO, GO]
    assert [c.code for c in done.changes] == ["empty_text", "empty_message"]
    kept = call(text="")
    assert lawful("openai_chat", "mistral", [GO, kept, ANSWER]).messages[1] is kept


@pytest.mark.parametrize(
    ("id_", "name", "codes"),
    [
        ("call_0fyp", "f", ["id_format"]),
        (ID, "look up", ["name_format"]),
        ("null", "", ["id_format", "name_format"]),
        (ID, "n" * 64, []),
    ],
)
def test_ids_and_names_are_reported_and_never_changed(id_: str, name: str, codes: list[str]) -> None:
    messages = [GO, call(id_, name), {**ANSWER, "tool_call_id": id_}]
    done = lawful("openai_chat", "mistral", messages)
    assert done.messages == messages and not done.changes
    assert [(b.code, b.call_id) for b in done.blockers] == [(code, id_) for code in codes]


def test_arguments_that_do_not_parse_are_kept_inside_an_object() -> None:
    cut = call()
    cut["tool_calls"][0]["function"]["arguments"] = '{"a": '
    done = lawful("openai_chat", "mistral", [GO, cut, ANSWER])
    function = done.messages[1]["tool_calls"][0]["function"]
    assert function["arguments"] == '{"__unparsed_arguments": "{\\"a\\": "}'
