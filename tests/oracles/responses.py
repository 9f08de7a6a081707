"""OpenAI Responses, https://platform.openai.com/docs/api-reference/responses/create and the API's errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

CALLED = ("function_call", "custom_tool_call")
"""Items a client must answer, each with an item `<type>_output` under the same call_id."""
PREFIXES = {"function_call": "fc", "message": "msg", "reasoning": "rs"}


def refusals(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """By call_id, anywhere in `input` behind the call."""
    calls = [(at, item) for at, item in enumerate(messages) if kind(item) in CALLED]
    outputs = [(at, item) for at, item in enumerate(messages) if kind(item).endswith("_call_output")]
    first = {item["call_id"]: at for at, item in reversed(calls)}
    for at, item in calls:
        answered = [there for there, output in outputs if output.get("call_id") == item["call_id"]]
        if not answered and not (item["call_id"] in pending and not goes_on(messages[at + 1 :])):
            yield f"input[{at}]: no tool output found for function call {item['call_id']}"
    for at, output in outputs:
        call = output.get("call_id")
        if first.get(call, at) >= at:
            yield f"input[{at}]: no tool call found for function call output with call_id {call}"
    for found, what in ((calls, "a call"), (outputs, "an output")):
        ids = [item.get("call_id") for _, item in found]
        for call in set(ids):
            if ids.count(call) > 1:
                yield f"more than one item is {what} with call_id {call}"
    yield from items(messages)


def strict(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """DeepSeek, as four minimal requests showed: outputs directly behind the calls, or they are not found."""
    for at, item in enumerate(messages):
        if kind(item) not in CALLED:
            continue
        behind = at + 1
        while behind < len(messages) and kind(messages[behind]) in CALLED:
            behind += 1
        near = []
        while behind < len(messages) and kind(messages[behind]).endswith("_call_output"):
            near.append(messages[behind].get("call_id"))
            behind += 1
        waits = item["call_id"] in pending and not goes_on(messages[at + 1 :])
        if item["call_id"] not in near and not waits:
            yield f"input[{at}]: no tool output found for tool call {item['call_id']}"
    yield from refusals(messages, pending)


def items(messages: list[Any]) -> Iterator[str]:
    """What is asked of an item by itself."""
    seen: set[str] = set()
    for at, item in enumerate(messages):
        own = item.get("id")
        if own in seen:
            yield f"input[{at}]: duplicate item found with id {own}"
        if own is not None:
            seen.add(own)
            if not own.startswith(PREFIXES.get(kind(item), "")):
                yield f"input[{at}].id: expected an id that begins with {PREFIXES[kind(item)]}"
        if kind(item) == "message":
            yield from _content(item["content"], item.get("role"), at)
        elif kind(item) == "reasoning":
            following = next((one for one in messages[at + 1 :] if kind(one) != "reasoning"), None)
            if following is None or following.get("role", "assistant") != "assistant" or _output(following):
                yield f"input[{at}]: reasoning was provided without its required following item"
        else:
            yield from _pairing(item, at)


def _pairing(item: Any, at: int) -> Iterator[str]:
    """What is asked of a call or an output by itself."""
    if kind(item) == "function_call" and not isinstance(item["arguments"], str):
        yield f"input[{at}].arguments: expected a string"
    if kind(item) in CALLED or _output(item):
        if not re.fullmatch(r"(?s).{1,64}", item.get("call_id") or ""):
            yield f"input[{at}].call_id: missing, or string too long: maximum length 64"
    if kind(item).endswith("_call_output") and not isinstance(item["output"], str | list):
        yield f"input[{at}].output: expected a string or a list"


def _content(content: Any, role: Any, at: int) -> Iterator[str]:
    if not isinstance(content, str) and not content:
        yield f"input[{at}].content: missing"
    for block in content if isinstance(content, list) else []:
        wrong = ("input_text", "text") if role == "assistant" else ("output_text", "text")
        if str(block.get("type")).startswith(("tool_", "tool-")) or block.get("type") in wrong:
            yield f"input[{at}].content: invalid value: {block['type']!r}"


def _output(item: Any) -> bool:
    return kind(item).endswith("_output")


def goes_on(messages: list[Any]) -> bool:
    return any(kind(item) not in CALLED and not _output(item) for item in messages)


def kind(item: Any) -> str:
    found: str = item.get("type", "message")
    return found


def atoms(item: Any) -> Iterator[tuple[str, str | None, Any]]:
    what = kind(item)
    if what in CALLED:
        yield "call", item["call_id"], [item["name"], item.get("arguments", item.get("input"))]
        if "id" in item:
            yield "item id", None, item["id"]
    elif _output(item):
        yield "result", item.get("call_id"), item["output"]
    elif what == "reasoning":
        yield "reasoning", None, item["summary"]
    elif what == "message":
        content = item["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            if "text" in block:
                yield f"text of {item['role']}", None, block["text"]
            elif block["type"] == "tool_use":
                yield "call", block["id"], [block["name"], block["input"]]
            else:
                yield "result", block.get("tool_use_id"), block.get("content")
    else:
        yield what, None, item
