"""PydanticAI: https://ai.pydantic.dev/message-history/ (making histories provider-valid), and what providers
behind it add: no orphans, no second returns, returns before the next response and before other content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def refusals(messages: list[Any], pending: set[str]) -> Iterator[str]:
    open_ids: list[str] = []
    answered: set[str] = set()
    for at, message in enumerate(messages):
        if message["kind"] == "response":
            waiting = set() if _goes_on(messages[at:]) else pending
            for id_ in open_ids:
                if id_ not in waiting:
                    yield f"before {at}: unprocessed tool call {id_}"
            calls = [part for part in message["parts"] if part["part_kind"] == "tool-call"]
            open_ids, answered = [call.get("tool_call_id") for call in calls], set()
            yield from _calls(calls, at)
        else:
            yield from _request(message, at, open_ids, answered)
    last = next((at for at in reversed(range(len(messages))) if messages[at]["kind"] == "response"), 0)
    for id_ in open_ids:
        if id_ not in pending or _goes_on(messages[last + 1 :]):
            yield f"at the end: unprocessed tool call {id_}"


def _goes_on(messages: list[Any]) -> bool:
    """Somebody says something: nothing before may wait any longer."""
    return any(
        not any(part["part_kind"] == "tool-call" for part in m["parts"]) and not _only_returns(m)
        or any(part["part_kind"] in ("text", "user-prompt") and part["content"] for part in m["parts"])
        for m in messages
    )  # fmt: skip


def _only_returns(message: Any) -> bool:
    return bool(message["parts"]) and all(is_return(part) for part in message["parts"])


def is_return(part: Any) -> bool:
    return part["part_kind"] == "tool-return" or (
        part["part_kind"] == "retry-prompt" and bool(part.get("tool_name"))
    )


def _calls(calls: list[Any], at: int) -> Iterator[str]:
    ids = [call.get("tool_call_id") for call in calls]
    if len(set(ids)) < len(ids):
        yield f"{at}: two calls under one id"
    if not all(ids):
        yield f"{at}: a call without an id"
    for call in calls:
        if not isinstance(call.get("args"), str | dict | None):
            yield f"{at}: args are neither a text nor an object"


def _request(message: Any, at: int, open_ids: list[str], answered: set[str]) -> Iterator[str]:
    kinds = [is_return(part) for part in message["parts"]]
    if kinds != sorted(kinds, reverse=True):
        yield f"{at}: something stands before a return"
    for part in filter(is_return, message["parts"]):
        id_ = part.get("tool_call_id")
        if id_ in answered:
            yield f"{at}: {id_} is answered twice"
        elif id_ not in open_ids:
            yield f"{at}: a return without its call: {id_}"
        else:
            open_ids.remove(id_)
        answered.add(id_)
        if "content" not in part:
            yield f"{at}: a return without content"


def ours(message: Any) -> bool:
    return message.get("kind") in ("request", "response") and "parts" in message


def atoms(message: Any) -> Iterator[tuple[str, str | None, Any]]:
    role = {"text": "assistant", "user-prompt": "user", "system-prompt": "system"}
    for part in message["parts"]:
        kind = part["part_kind"]
        if kind == "tool-call":
            yield "call", part.get("tool_call_id"), [part["tool_name"], part.get("args")]
        elif is_return(part):
            said = [part.get("content"), part.get("outcome", "success")]
            yield "result", part.get("tool_call_id"), said
        elif kind in role:
            yield f"text of {role[kind]}", None, part["content"]
        else:
            yield "reasoning" if kind == "thinking" else kind, None, part
