"""A turn as each shape spells it: a user's words, an assistant's, a step of calls with their results."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any, TypeAlias

Json: TypeAlias = Any
Messages: TypeAlias = list[dict[str, Json]]

Step: TypeAlias = list[tuple[str, str, dict[str, Json], str]]


def _openai_step(text: str, step: Step, at: int) -> Messages:
    calls = [
        {"id": call, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call, name, arguments, _ in step
    ]
    head: dict[str, Json] = {"role": "assistant", "content": text or None, "tool_calls": calls}
    return [head, *({"role": "tool", "tool_call_id": call, "content": said} for call, *_, said in step)]


def _ag_ui_step(text: str, step: Step, at: int) -> Messages:
    head, *results = _openai_step(text, step, at)
    calls = head.pop("tool_calls")
    if not text:
        del head["content"]
    out: Messages = [{"id": f"m{at}", **head, "toolCalls": calls}]
    for number, result in enumerate(results, 1):
        out.append(
            {
                "id": f"t{at}-{number}",
                "role": "tool",
                "toolCallId": result["tool_call_id"],
                "content": result["content"],
            }
        )
    return out


def _anthropic_step(text: str, step: Step, at: int) -> Messages:
    """Signed thinking before every other step; a search of the provider's own in some."""
    blocks: list[Json] = []
    if at % 2:
        blocks.append({"type": "thinking", "thinking": f"hm {at}", "signature": f"s{at}"})
    if at % 3 == 1:
        blocks.append(
            {"type": "server_tool_use", "id": f"srv_{at}", "name": "web_search", "input": {"at": at}}
        )
        blocks.append({"type": "web_search_tool_result", "tool_use_id": f"srv_{at}", "content": []})
    blocks += [{"type": "text", "text": text}] if text else []
    blocks += [
        {"type": "tool_use", "id": call, "name": name, "input": arguments}
        for call, name, arguments, _ in step
    ]
    results = [{"type": "tool_result", "tool_use_id": call, "content": said} for call, *_, said in step]
    return [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


def _ai_sdk_step(text: str, step: Step, at: int) -> Messages:
    parts: list[Json] = [{"type": "text", "text": text}] if text else []
    parts += [
        {"type": "tool-call", "toolCallId": call, "toolName": name, "input": arguments}
        for call, name, arguments, _ in step
    ]
    results = [
        {
            "type": "tool-result",
            "toolCallId": call,
            "toolName": name,
            "output": {"type": "text", "value": said},
        }
        for call, name, _, said in step
    ]
    return [{"role": "assistant", "content": parts}, {"role": "tool", "content": results}]


def _ui_step(text: str, step: Step, at: int) -> Messages:
    parts: list[Json] = [{"type": "step-start"}]
    parts += [{"type": "text", "text": text}] if text else []
    parts += [
        {
            "type": f"tool-{name}",
            "toolCallId": call,
            "state": "output-available",
            "input": arguments,
            "output": said,
        }
        for call, name, arguments, said in step
    ]
    return [{"id": f"m{at}", "role": "assistant", "parts": parts}]


def _blocks_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"role": role, "content": [{"type": "text", "text": text}]}


def _plain(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"role": role, "content": text}


def _with_id(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"id": f"m{at}", "role": role, "content": text}


def _parts_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"id": f"m{at}", "role": role, "parts": [{"type": "text", "text": text}]}


def _responses_step(text: str, step: Step, at: int) -> Messages:
    """Reasoning before every other step; every third call is a free-form one; some items have ids."""
    out: Messages = [{"type": "message", "role": "assistant", "content": text}] if text else []
    if at % 2:
        out.append({"type": "reasoning", "id": f"rs_{at}", "summary": []})
    results: Messages = []
    for number, (call, name, arguments, said) in enumerate(step):
        free = number % 3 == 2
        asked = {"input": name} if free else {"arguments": json.dumps(arguments)}
        kind = "custom_tool_call" if free else "function_call"
        own = {"id": f"fc_{at}_{number}"} if at % 3 == 0 and not free else {}
        out.append({"type": kind, **own, "call_id": call, "name": name, **asked})
        results.append({"type": f"{kind}_output", "call_id": call, "output": said})
    return out + results


def _gemini_step(text: str, step: Step, at: int) -> Messages:
    """The first call of a turn is signed; every other turn has ids."""
    parts: list[Json] = [{"text": text}] if text else []
    responses: list[Json] = []
    for number, (call, name, arguments, said) in enumerate(step):
        own = {"id": call} if at % 4 < 2 else {}
        signature = {} if number else {"thoughtSignature": b64encode(call.encode()).decode()}
        parts.append({"functionCall": {**own, "name": name, "args": arguments}, **signature})
        responses.append({"functionResponse": {**own, "name": name, "response": {"result": said}}})
    return [{"role": "model", "parts": parts}, {"role": "user", "parts": responses}]


def _content_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    spelled = "model" if role == "assistant" else role
    return lambda text, at: {"role": spelled, "parts": [{"text": text}]}


def _bedrock_step(text: str, step: Step, at: int) -> Messages:
    """Every other turn thinks first, signed; every third result is JSON."""
    thought = {"reasoningText": {"text": f"thinking {at}", "signature": f"s{at}"}}
    blocks: list[Json] = [{"reasoningContent": thought}] if at % 2 else []
    blocks += [{"text": text}] if text else []
    results: list[Json] = []
    for number, (call, name, arguments, said) in enumerate(step):
        blocks.append({"toolUse": {"toolUseId": call, "name": name, "input": arguments}})
        content = {"json": {"said": said}} if number == 2 else {"text": said}
        results.append({"toolResult": {"toolUseId": call, "content": [content], "status": "success"}})
    return [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


def _keyed_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"role": role, "content": [{"text": text}]}


def _pydantic_ai_step(text: str, step: Step, at: int) -> Messages:
    """Arguments as text or object in turn; every other turn thinks; every third has a request a result."""
    parts: list[Json] = [{"part_kind": "thinking", "content": f"thinking {at}"}] if at % 2 else []
    parts += [{"part_kind": "text", "content": text}] if text else []
    returns: list[Json] = []
    for number, (call, name, arguments, said) in enumerate(step):
        own = {"tool_name": name, "tool_call_id": call}
        args = json.dumps(arguments) if number % 2 else arguments
        parts.append({"part_kind": "tool-call", **own, "args": args})
        retry = {"part_kind": "retry-prompt"} if number == 2 else {"part_kind": "tool-return"}
        returns.append({**retry, **own, "content": said})
    requests = [[one] for one in returns] if at % 3 == 0 else [returns]
    return [{"kind": "response", "parts": parts}, *({"kind": "request", "parts": one} for one in requests)]


def _model_message_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    kind, part = ("request", "user-prompt") if role == "user" else ("response", "text")
    return lambda text, at: {"kind": kind, "parts": [{"part_kind": part, "content": text}]}


def _langchain_step(text: str, step: Step, at: int) -> Messages:
    """Spelled four ways in turn; every other step tells its calls in the content too, a third one of them as
    invalid."""
    blocks: list[Json] = [{"type": "text", "text": text}] if text else []
    valid: list[Json] = []
    invalid: list[Json] = []
    for number, (call, name, arguments, _) in enumerate(step):
        told = {"name": name, "args": arguments, "id": call}
        if number == 2:
            invalid.append({**told, "args": '{"cut": ', "error": "cut", "type": "invalid_tool_call"})
        else:
            valid.append({**told, "type": "tool_call"})
            blocks.append({"type": "tool_use", "id": call, "name": name, "input": arguments})
    content = blocks if at % 2 else text
    head = {"type": "ai", "content": content, "tool_calls": valid, "invalid_tool_calls": invalid}
    results = [
        {"type": "tool", "content": said, "tool_call_id": call, "name": name, "status": "success"}
        for call, name, _, said in step
    ]
    return [_langchain(message, at) for message in [head, *results]]


def _langchain(message: dict[str, Json], at: int) -> dict[str, Json]:
    kind, way = message["type"], at % 4
    if way == 0:
        return message
    if way == 1:
        return {"type": kind, "data": message}
    if way == 2:
        name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[kind]
        path = ["langchain", "schema", "messages", name]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": message}
    rest = {key: value for key, value in message.items() if key != "type"}
    return {"role": {"human": "user", "ai": "assistant"}.get(kind, kind), **rest}


def _langchain_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    kind = {"user": "human", "assistant": "ai"}[role]
    return lambda text, at: _langchain({"type": kind, "content": text}, at)


def _item_of(role: str) -> Callable[[str, int], dict[str, Json]]:
    return lambda text, at: {"type": "message", "role": role, "content": text}


_MAKE = {
    "openai_chat": _plain,
    "openai_responses": _item_of,
    "anthropic": _blocks_of,
    "gemini": _content_of,
    "bedrock": _keyed_of,
    "pydantic_ai": _model_message_of,
    "langchain": _langchain_of,
    "ai_sdk": _plain,
    "ai_sdk_ui": _parts_of,
    "ag_ui": _with_id,
}
USER = {shape: make("user") for shape, make in _MAKE.items()}
ASSISTANT = {shape: make("assistant") for shape, make in _MAKE.items()}
STEP = {
    "openai_chat": _openai_step,
    "openai_responses": _responses_step,
    "anthropic": _anthropic_step,
    "gemini": _gemini_step,
    "bedrock": _bedrock_step,
    "pydantic_ai": _pydantic_ai_step,
    "langchain": _langchain_step,
    "ai_sdk": _ai_sdk_step,
    "ai_sdk_ui": _ui_step,
    "ag_ui": _ag_ui_step,
}
