"""vLLM's OpenAI server: its documentation of the request, and what chat templates raise when they render it
(https://docs.vllm.ai/en/latest/features/tool_calling.html)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.oracles.blocks import foreign


def refusals(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """Qwen's template beside: System message must be at the beginning."""
    for at, message in enumerate(messages[1:], 1):
        if message["role"] in ("system", "developer"):
            yield f"{at}: system message must be at the beginning"
    asked: dict[str, int] = {}
    answered: set[str] = set()
    for at, message in enumerate([*messages, None]):
        yield from foreign(at, message.get("content") if message is not None else None)
        if message is not None and message["role"] == "tool":
            id_ = message.get("tool_call_id")
            if id_ in answered:
                yield f"{at}: {id_} is answered twice"
            elif id_ not in asked:
                yield f"{at}: message has tool role, but there was no assistant message with its call"
            if not isinstance(message["content"], str | list):
                yield f"{at}: can only concatenate str"
            answered.add(id_)
            continue
        silent = not any(m["role"] != "tool" and (m.get("content") or not m.get("tool_calls"))
                         for m in messages[at:])  # fmt: skip
        for id_ in asked:
            if id_ not in answered and not (silent and id_ in pending):
                yield f"before {at}: tool call {id_} is never answered"
        asked, answered = {}, set()
        if message is not None:
            yield from _message(message, at, asked)


def _message(message: Any, at: int, asked: dict[str, int]) -> Iterator[str]:
    calls = message.get("tool_calls") or []
    if message.get("content") is None and not calls:
        yield f"{at}: nothing to render"
    for call in calls:
        if not call["id"] or call["id"] in asked:
            yield f"{at}: id {call['id']} is missing or stands twice"
        asked[call["id"]] = at
        if not _mapping(call["function"]["arguments"]):
            yield f"{at}: can only get item pairs from a mapping"


def _mapping(text: Any) -> bool:
    if text == "":
        return True
    try:
        return isinstance(json.loads(text), dict)
    except (TypeError, ValueError):
        return False
