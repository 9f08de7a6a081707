"""Mistral chat completions: the messages its validator and its API answer with, and the automaton of roles in
their documentation (https://docs.mistral.ai/capabilities/function_calling)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.oracles.blocks import foreign

AFTER = {
    "system": {"system", "user", "assistant"},
    "user": {"system", "user", "assistant"},
    "assistant": {"user", "assistant", "tool"},
    "tool": {"assistant", "tool"},
}
"""What may come behind a role, as the hosted API has it: no user behind a tool."""


def refusals(messages: list[Any], pending: set[str]) -> Iterator[str]:
    if messages and messages[0]["role"] not in ("system", "user"):
        yield "0: conversation must start with a user message or system message"
    yield from _order(messages)
    expected: list[str] = []
    answered: list[str] = []
    for at, message in enumerate(messages):
        yield from foreign(at, message.get("content"))
        if message["role"] == "assistant":
            waiting = set() if _goes_on(messages[at:]) else pending
            yield from _left(expected, answered, at, waiting)
            expected, answered = [call["id"] for call in message.get("tool_calls") or []], []
            yield from _assistant(message, at)
        elif message["role"] == "tool":
            if message.get("tool_call_id") in answered:
                yield f"{at}: duplicate tool call id {message.get('tool_call_id')} in tool results"
            elif message.get("tool_call_id") not in expected:
                yield f"{at}: unexpected tool call id {message.get('tool_call_id')} in tool results"
            if not isinstance(message["content"], str | list):
                yield f"{at}: content of a tool message must be a text or chunks"
            answered.append(message.get("tool_call_id"))
        elif expected and len(answered) < len(expected):
            yield from _left(expected, answered, at, set())
            expected = answered = []
    yield from _left(expected, answered, len(messages), pending)


def _order(messages: list[Any]) -> Iterator[str]:
    for at in range(1, len(messages)):
        before, role = messages[at - 1]["role"], messages[at]["role"]
        if role not in AFTER.get(before, set()):
            yield f"{at}: unexpected role '{role}' after role '{before}'"


def _goes_on(messages: list[Any]) -> bool:
    """Somebody says something: nothing before may wait any longer."""
    return any(m["role"] != "tool" and (m.get("content") or not m.get("tool_calls")) for m in messages)


def _left(expected: list[str], answered: list[str], at: int, pending: set[str]) -> Iterator[str]:
    if set(expected) - set(answered) - pending:
        yield f"before {at}: not the same number of function calls and responses"


def _assistant(message: Any, at: int) -> Iterator[str]:
    calls = message.get("tool_calls") or []
    if not calls and not message.get("content"):
        yield f"{at}: assistant message must have either content or tool_calls"
    ids = [call["id"] for call in calls]
    if len(set(ids)) < len(ids):
        yield f"{at}: duplicate tool call id in assistant message"
    for call in calls:
        if not re.fullmatch(r"[a-zA-Z0-9]{9}", str(call["id"])):
            yield f"{at}: tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9"
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"]):
            yield f"{at}: function name was {call['function']['name']}"
        if not is_object(call["function"]["arguments"]):
            yield f"{at}: arguments of {call['id']} are no object"


def is_object(text: Any) -> bool:
    """Whether a text parses to a JSON object, or is none at all."""
    if text == "":
        return True
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except ValueError:
        return False
