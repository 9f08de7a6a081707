"""LangChain messages as `convert_to_messages` reads them, LangGraph's `_validate_chat_history`, and what the
providers behind them add: no orphans, no second results, results before anybody speaks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

TYPES = {"user": "human", "assistant": "ai", "developer": "system"}


def langgraph(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """Set-wise, but counted: an id that is called twice is answered twice, each time behind a call."""
    open_ids: Counter[str] = Counter()
    for at, message in enumerate(messages):
        for call in calls(message):
            if open_ids[call["id"]]:
                yield f"{at}: {call['id']} is called again while it is open"
            open_ids[call["id"]] = 1
            if "args" in call and call.get("valid", True) and not isinstance(call["args"], dict):
                yield f"{at}: args of a tool call must be a dict"
        if kind(message) == "tool":
            call_id = fields(message).get("tool_call_id")
            if not open_ids[call_id]:
                yield f"{at}: no open call {call_id} for this ToolMessage"
            open_ids[call_id] = 0
            if not isinstance(fields(message)["content"], str | list):
                yield f"{at}: content of a ToolMessage must be a text or a list"
    last = max((at for at, message in enumerate(messages) if _speaks(message)), default=-1)
    for call_id in +open_ids:
        here = max(at for at, message in enumerate(messages) if call_id in _ids(message))
        if call_id not in pending or here < last:
            yield f"INVALID_CHAT_HISTORY: {call_id} has no ToolMessage"


def langchain(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """A human or system message closes what is open."""
    start = 0
    for at, message in enumerate([*messages, None]):
        if message is None or kind(message) in ("human", "system"):
            window = messages[start:at]
            yield from langgraph(window, pending if message is None else set())
            start = at


def _ids(message: Any) -> list[str]:
    return [call["id"] for call in calls(message)]


def _speaks(message: Any) -> bool:
    return kind(message) in ("human", "system") or (
        kind(message) == "ai" and (bool(texts(message)) or not calls(message))
    )


def fields(message: Any) -> Any:
    if message.get("lc") == 1:
        return message["kwargs"]
    return message["data"] if "data" in message else message


def kind(message: Any) -> str:
    found = message.get("role", message.get("type"))
    if found == "constructor":
        return str(message["id"][-1]).removesuffix("Message").lower()
    return TYPES.get(found, found)


def calls(message: Any) -> list[dict[str, Any]]:
    """Each call once, wherever the message tells it."""
    if kind(message) != "ai":
        return []
    inner, out = fields(message), []
    for key, valid in (("tool_calls", True), ("invalid_tool_calls", False)):
        for call in inner.get(key) or []:
            if "function" in call:
                name, text = call["function"]["name"], call["function"]["arguments"]
                call = {"id": call["id"], "name": name, "args": _loaded(text)}
            out.append({**call, "valid": valid})
    left = [call["id"] for call in out]
    for block in inner["content"] if isinstance(inner["content"], list) else []:
        if block["type"] not in ("tool_use", "tool_call", "invalid_tool_call"):
            continue
        if block["id"] in left:
            left.remove(block["id"])
        else:
            args = block.get("args", block.get("input"))
            out.append({"id": block["id"], "name": block["name"], "args": args,
                        "valid": block["type"] != "invalid_tool_call"})  # fmt: skip
    return out


def _loaded(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text, strict=False) if text.strip() else {}
    except ValueError:
        return text


def texts(message: Any) -> list[str]:
    content = fields(message)["content"]
    if isinstance(content, str):
        return [content] if content else []
    return [block["text"] for block in content if block["type"] == "text"]


def atoms(message: Any) -> Iterator[tuple[str, str | None, Any]]:
    what, inner = kind(message), fields(message)
    if what == "tool":
        yield "result", inner.get("tool_call_id"), inner["content"]
        return
    role = {"human": "user", "ai": "assistant"}.get(what, what)
    for text in texts(message):
        yield f"text of {role}", None, text
    for call in calls(message):
        yield "call", call["id"], [call["name"], call["args"]]


def ours(message: Any) -> bool:
    """Whether a message is spelled LangChain's way and no other."""
    told = (message.get("tool_calls") or []) if isinstance(message, dict) else []
    return (
        message.get("lc") == 1
        or "invalid_tool_calls" in message
        or ("role" not in message and message.get("type") in ("human", "ai", "tool", "system", "remove"))
        or any("args" in call for call in told)
    )
