"""Bedrock Converse: the errors of the service, its API reference (Message, ToolUseBlock, ToolResultBlock),
and the patterns in its service model. What only Llama, Mistral and Palmyra refuse is not in here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def refusals(messages: list[Any], pending: set[str]) -> Iterator[str]:
    for at, message in enumerate(messages):
        blocks = message["content"]
        if not isinstance(blocks, list) or any(len(block) != 1 for block in blocks):
            yield f"messages.{at}: can only set one of the keys of a ContentBlock"
    messages = [{**m, "content": blocks_of(m["content"])} for m in messages]
    if messages and messages[0]["role"] != "user":
        yield "a conversation must start with a user message"
    for at, message in enumerate(messages):
        before = messages[at - 1] if at else {"role": "", "content": []}
        if message["role"] == before["role"]:
            yield f"messages.{at}: a conversation must alternate between user and assistant roles"
        if not message["content"]:
            yield f"messages.{at}: the content field in the Message object is empty"
        yield from _texts(message, at)
        yield from _uses(messages, at, pending)
        yield from _results(message, before, at)


def _texts(message: Any, at: int) -> Iterator[str]:
    for number, block in enumerate(message["content"]):
        if "text" in block and not block["text"].strip():
            yield f"messages.{at}.content.{number}: the text field in the ContentBlock object is blank"


def _uses(messages: list[Any], at: int, pending: set[str]) -> Iterator[str]:
    uses = [use for use in found(messages[at], "toolUse") if use.get("type") != "server_tool_use"]
    ids = [use.get("toolUseId") for use in uses]
    if len(set(ids)) < len(ids):
        yield f"messages.{at}: a toolUseId stands twice"
    for use in uses:
        if not re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", str(use.get("toolUseId"))):
            yield f"messages.{at}: toolUseId {use['toolUseId']} does not match"
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", use["name"]):
            yield f"messages.{at}: name {use['name']} does not match"
        if not isinstance(use["input"], dict):
            yield f"messages.{at}: the format of the value at toolUse.input is invalid"
    behind = messages[at + 1 : at + 2]
    answered = [one.get("toolUseId") for one in found(behind[0], "toolResult")] if behind else []
    speaks = any(set(block) - {"toolUse", "toolResult"} for m in messages[at + 1 :] for block in m["content"])
    missing = [id_ for id_ in ids if id_ not in answered and (speaks or id_ not in pending)]
    if missing:
        yield f"messages.{at}: expected toolResult blocks for the following ids: {missing}"


def _results(message: Any, before: Any, at: int) -> Iterator[str]:
    results = found(message, "toolResult")
    if message["role"] == "assistant":
        uses = found(message, "toolUse")
        ran = [use.get("toolUseId") for use in uses if use.get("type") == "server_tool_use"]
        for result in results:
            if result.get("toolUseId") not in ran:
                yield f"messages.{at}: a toolResult in a message of the assistant's"
        return
    if not results:
        return
    uses = found(before, "toolUse") if before["role"] == "assistant" else []
    asked = [use.get("toolUseId") for use in uses]
    answered = [result.get("toolUseId") for result in results]
    if len(answered) > len(asked) or set(answered) - set(asked):
        yield f"messages.{at}: the number of toolResult blocks exceeds the number of toolUse blocks"
    if len(set(answered)) < len(answered):
        yield f"messages.{at}: a toolUse is answered twice"
    kinds = ["toolResult" in block for block in message["content"]]
    if kinds != sorted(kinds, reverse=True):
        yield f"messages.{at}: did not find toolResult blocks at the beginning of this message"
    yield from _contents(results, at)


def _contents(results: list[Any], at: int) -> Iterator[str]:
    for result in results:
        if not isinstance(result["content"], list) or not result["content"]:
            yield f"messages.{at}: the content of a toolResult is empty"
            continue
        for block in result["content"]:
            if "text" in block and not block["text"].strip():
                yield f"messages.{at}: a text in a toolResult is blank"
            if "json" in block and not isinstance(block["json"], dict):
                yield f"messages.{at}: provide a json object for the field toolResult.content.json"


def blocks_of(content: Any) -> list[Any]:
    """The blocks somebody meant, for everything else that is asked of them."""
    if isinstance(content, str):
        return [{"text": content}]
    return [{key: value for key, value in block.items() if key != "type"} for block in content]


def found(message: Any, what: str) -> list[Any]:
    return [block[what] for block in message["content"] if what in block]


def ours(message: Any) -> bool:
    """Whether a message is spelled Converse's way: blocks told by their key."""
    content = message.get("content") if "type" not in message else None
    return isinstance(content, list) and any(isinstance(b, dict) and "type" not in b for b in content)


def atoms(message: Any) -> Iterator[tuple[str, str | None, Any]]:
    for block in message["content"]:
        if "toolUse" in block:
            use = block["toolUse"]
            yield "call", use.get("toolUseId"), [use["name"], use["input"]]
        elif "toolResult" in block:
            result = block["toolResult"]
            yield "result", result.get("toolUseId"), [result["content"], result.get("status") == "error"]
        elif "text" in block:
            yield f"text of {message['role']}", None, block["text"]
        elif "reasoningContent" in block:
            yield "reasoning", None, block["reasoningContent"]
        else:
            yield "block", None, block
