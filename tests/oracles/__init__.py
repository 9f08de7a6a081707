"""What each target demands of a message list, restated from its documentation and its own source.

Shares no code with `turnscope.core.repair`: it walks the raw JSON. A demand that no consumer enforces on
its own (AG-UI pairs nothing) is the demand of the models behind it. `refusals` says what would be
refused; `atoms` takes a list apart, so that two lists can be compared piece by piece.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.oracles import bedrock, gemini, langchain, mistral, pydantic_ai, responses, vllm
from tests.oracles.blocks import foreign


@dataclass(frozen=True)
class Atom:
    """One thing a list says: a text, a call, a result, a piece of reasoning, anything else."""

    kind: str
    call: str | None
    said: str
    """Its content as canonical JSON; for a call, name and arguments."""
    message: int


def refusals(target: str, messages: list[Any], pending: tuple[str, ...] = ()) -> list[str]:
    """Sentences, one for each thing the target would refuse; calls in `pending` may be open at the end."""
    return list(_ORACLES[target](messages, set(pending)))


def is_ui(messages: list[Any]) -> bool:
    return any(isinstance(m, dict) and isinstance(m.get("parts"), list) for m in messages)


# ---------------------------------------------------------------- OpenAI Chat Completions


def _openai_chat(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """https://platform.openai.com/docs/guides/function-calling and the error texts of the API."""
    index = 0
    while index < len(messages):
        message = messages[index]
        calls = message.get("tool_calls") or []
        if message["role"] == "tool":
            yield f"messages.[{index}]: 'tool' must be a response to a preceding message with 'tool_calls'"
        if message.get("content") is None and not calls:
            yield f"messages.[{index}]: invalid value for 'content': expected a string, got null"
        yield from foreign(index, message.get("content"))
        ids = [call["id"] for call in calls]
        if len(set(ids)) < len(ids):
            yield f"messages.[{index}]: duplicate tool call ids"
        for call in calls:
            if not isinstance(call["id"], str) or not call["id"]:
                yield f"messages.[{index}]: a tool call without an id"
            elif len(call["id"]) > 64:
                yield f"messages.[{index}]: string too long: maximum length 64"
            if not isinstance(call["function"]["arguments"], str):
                yield f"messages.[{index}]: arguments must be a string"
        index += 1
        answered: list[str] = []
        while ids and index < len(messages) and messages[index]["role"] == "tool":
            if not isinstance(messages[index].get("content"), str | list):
                yield f"messages.[{index}]: expected a string, got {messages[index].get('content')!r}"
            answered.append(messages[index].get("tool_call_id"))
            index += 1
        yield from _answers(ids, answered, index, set() if _goes_on(messages[index:]) else pending)


def _goes_on(messages: list[Any]) -> bool:
    """Somebody says something: nothing before may wait any longer."""
    return any(m["role"] != "tool" and (m.get("content") or not m.get("tool_calls")) for m in messages)


def _answers(ids: list[str], answered: list[str], index: int, pending: set[str]) -> Iterator[str]:
    for call in ids:
        if call not in answered and call not in pending:
            yield f"before messages.[{index}]: no response for tool_call_id {call}"
    for call in set(answered):
        if call not in ids:
            yield f"before messages.[{index}]: {call} is no call of the message before"
        if answered.count(call) > 1:
            yield f"before messages.[{index}]: duplicate value for 'tool_call_id' of {call}"


# ---------------------------------------------------------------- Anthropic Messages


def _anthropic(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """https://docs.anthropic.com/en/api/messages; consecutive messages of one role are one turn to the API,
    but a call must be answered under the strict reading (next message) as well."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        blocks = _blocks(message["content"])
        last = index == len(messages) - 1
        if not blocks and not (last and message["role"] == "assistant"):
            yield f"messages.{index}: all messages must have non-empty content"
        yield from foreign(index, blocks, "tool_use", "tool_result")
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                yield f"messages.{index}: text content blocks must contain non-whitespace text"
        for block in blocks:
            if block["type"] == "server_tool_use" and not isinstance(block.get("input"), dict):
                yield f"messages.{index}: server_tool_use.input: input should be a valid dictionary"
        uses = [block for block in blocks if block["type"] == "tool_use"]
        for use in uses:
            if not re.fullmatch(r"[a-zA-Z0-9_-]+", use["id"] or ""):
                yield f"messages.{index}: tool_use.id: string should match pattern"
            if use["id"] in seen:
                yield f"messages.{index}: tool_use ids must be unique"
            seen.add(use["id"])
            if not isinstance(use["input"], dict):
                yield f"messages.{index}: tool_use.input: input should be a valid dictionary"
        yield from _anthropic_pair(messages, index, [use["id"] for use in uses], pending)
        yield from _anthropic_results(messages, index, blocks)
        yield from _anthropic_server(messages, index, blocks)


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content or []


def _anthropic_pair(messages: list[Any], index: int, ids: list[str], pending: set[str]) -> Iterator[str]:
    if not ids:
        return
    following = messages[index + 1] if index + 1 < len(messages) else None
    results = []
    if following is not None and following["role"] == "user":
        results = [b.get("tool_use_id") for b in _blocks(following["content"]) if b["type"] == "tool_result"]
    for call in ids:
        if call not in results and not (call in pending and not _anybody_speaks(messages[index + 1 :])):
            yield f"messages.{index}: tool_use without tool_result immediately after: {call}"


def _anybody_speaks(messages: list[Any]) -> bool:
    """A text of a user or the assistant ends a wait; thinking is no text, and stands before every call."""
    silent = ("tool_result", "tool_use", "thinking", "redacted_thinking")
    return any(block["type"] not in silent for m in messages for block in _blocks(m["content"]))


def _anthropic_results(messages: list[Any], index: int, blocks: list[Any]) -> Iterator[str]:
    before = messages[index - 1] if index else {"role": "user", "content": []}
    called = [b["id"] for b in _blocks(before["content"]) if b["type"] == "tool_use"]
    results = [b.get("tool_use_id") for b in blocks if b["type"] == "tool_result"]
    for call in set(results):
        if before["role"] != "assistant" or call not in called:
            yield f"messages.{index}: unexpected tool_use_id found in tool_result blocks: {call}"
        if results.count(call) > 1:
            yield f"messages.{index}: each tool_use must have a single result: {call}"
    kinds = [block["type"] == "tool_result" for block in blocks]
    if kinds != sorted(kinds, reverse=True):
        yield f"messages.{index}: tool_result blocks must come first"


def _anthropic_server(messages: list[Any], index: int, blocks: list[Any]) -> Iterator[str]:
    """Both halves of what the provider ran stand in one message, the call first; an open one comes last."""
    asked: dict[str, bool] = {}
    for block in blocks:
        if block["type"] == "server_tool_use":
            asked[block["id"]] = False
        elif block["type"] == "web_search_tool_result":
            if block["tool_use_id"] not in asked:
                yield f"messages.{index}: unexpected tool_use_id found in web_search_tool_result blocks"
            asked[block["tool_use_id"]] = True
    silent = all(b["type"] == "tool_result" for m in messages[index + 1 :] for b in _blocks(m["content"]))
    if not all(asked.values()) and not silent:
        yield f"messages.{index}: server_tool_use was found without its result"


# ---------------------------------------------------------------- Vercel AI SDK


def _ai_sdk(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """convert-to-language-model-prompt.ts of `ai` 7, and what the provider behind it adds: no orphans, no
    duplicates, no call made again under its id while it is open."""
    if is_ui(messages):
        yield from _ai_sdk_ui(messages, pending)
        return
    open_ids: set[str] = set()
    answered: set[str] = set()
    for index, message in enumerate(messages):
        if message["role"] in ("user", "system"):
            for call in open_ids:
                yield f"before {index}: tool result is missing for tool call {call}"
            open_ids, answered = set(), set()
        content = message["content"]
        yield from foreign(index, content, "tool-call", "tool-result")
        for part in content if isinstance(content, list) else []:
            if part["type"] == "tool-call" and not part.get("providerExecuted"):
                if not isinstance(part["input"], dict):
                    yield f"{index}: input is no object"
                if part["toolCallId"] in open_ids:
                    yield f"{index}: {part['toolCallId']} is called again while it is open"
                open_ids.add(part["toolCallId"])
                answered.discard(part["toolCallId"])
            elif part["type"] == "tool-result" and message["role"] == "tool":
                call = part.get("toolCallId")
                if call not in open_ids:
                    yield f"{index}: {'second' if call in answered else 'orphan'} result for {call}"
                open_ids.discard(call)
                answered.add(call)
    for call in open_ids - pending:
        yield f"at the end: tool result is missing for tool call {call}"


def _ai_sdk_ui(messages: list[Any], pending: set[str]) -> Iterator[str]:
    for index, message in enumerate(messages):
        for part in message["parts"]:
            state = part.get("state")
            if "toolCallId" not in part or part.get("providerExecuted"):
                continue
            last = index == len(messages) - 1
            if state not in ("output-available", "output-error", "output-denied"):
                if not (last and part["toolCallId"] in pending):
                    yield f"{index}: tool result is missing for tool call {part['toolCallId']}"
            if state == "output-available" and ("output" not in part or part.get("preliminary")):
                yield f"{index}: output-available without its final output"
            approval = part.get("approval")
            if state == "output-denied" and not approval:
                yield f"{index}: output-denied without an approval"
            if state == "output-error" and approval and approval.get("approved") is not True:
                yield f"{index}: output-error with an approval that was not granted"
            if not isinstance(part.get("input"), dict):
                yield f"{index}: input is no object"


# ---------------------------------------------------------------- AG-UI


def _ag_ui(messages: list[Any], pending: set[str]) -> Iterator[str]:
    """AG-UI 1.0 message schema; the window is that of the models behind it (user, system, developer)."""
    yield from _ag_ui_ids(messages)
    open_ids: set[str] = set()
    answered: set[str] = set()
    for index, message in enumerate(messages):
        yield from foreign(index, message.get("content"))
        if message["role"] in ("assistant", "system") and isinstance(message.get("content"), list):
            yield f"{index}: content must be a string"
        if message["role"] in ("user", "system", "developer"):
            for call in open_ids:
                yield f"before {index}: call {call} has no result"
            open_ids, answered = set(), set()
        for call in message.get("toolCalls") or []:
            if not isinstance(call["function"]["arguments"], str):
                yield f"{index}: arguments must be a string"
            if call["id"] in open_ids:
                yield f"{index}: {call['id']} is called again while it is open"
            open_ids.add(call["id"])
            answered.discard(call["id"])
        if message["role"] == "tool":
            call = message.get("toolCallId")
            if call not in open_ids:
                yield f"{index}: {'second' if call in answered else 'orphan'} result for {call}"
            if not isinstance(message.get("content"), str | list):
                yield f"{index}: content must be a string or parts"
            open_ids.discard(call)
            answered.add(call)
    for call in open_ids - pending:
        yield f"at the end: call {call} has no result"


def _ag_ui_ids(messages: list[Any]) -> Iterator[str]:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        if not isinstance(message.get("id"), str):
            yield f"{index}: a message without an id"
        elif message["id"] in seen:
            yield f"{index}: message id {message['id']} stands twice"
        seen.add(str(message.get("id")))


_ORACLES = {
    "openai_chat": _openai_chat,
    "openai_responses": responses.refusals,
    "openai_responses_strict": responses.strict,
    "anthropic": _anthropic,
    "gemini": gemini.refusals,
    "mistral": mistral.refusals,
    "bedrock": bedrock.refusals,
    "vllm": vllm.refusals,
    "ai_sdk": _ai_sdk,
    "langchain": langchain.langchain,
    "langgraph": langchain.langgraph,
    "pydantic_ai": pydantic_ai.refusals,
    "ag_ui": _ag_ui,
}
TARGETS = tuple(_ORACLES)


# ---------------------------------------------------------------- a list, taken apart


def atoms(messages: list[Any]) -> list[Atom]:
    """Everything a list says, in order, whatever shape it is spelled in."""
    return [
        Atom(kind, call, _said(said), index)
        for index, message in enumerate(messages)
        for kind, call, said in _atoms(message)
    ]


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _atoms(message: dict[str, Any]) -> Iterator[tuple[str, str | None, Any]]:
    if langchain.ours(message):
        yield from langchain.atoms(message)
        return
    if pydantic_ai.ours(message):
        yield from pydantic_ai.atoms(message)
        return
    if bedrock.ours(message):
        yield from bedrock.atoms(message)
        return
    if "role" not in message or message.get("type") == "message":
        yield from responses.atoms(message)
        return
    if "parts" in message and not any("type" in part for part in message["parts"]):
        yield from gemini.atoms(message)
        return
    role = message["role"]
    if role == "tool" and not _held(message.get("content")):
        call = message.get("tool_call_id", message.get("toolCallId"))
        yield "result", call, message["content"]
        return
    content = message.get("parts", message.get("content"))
    for part in content if isinstance(content, list) else [content]:
        yield from _part(role, part)
    for call in message.get("tool_calls", message.get("toolCalls")) or []:
        yield "call", call["id"], [call["function"]["name"], call["function"]["arguments"]]


def _held(content: Any) -> bool:
    """Whether a tool message holds results as parts, rather than being one."""
    return isinstance(content, list) and any(str(part.get("type")).startswith("tool-") for part in content)


def _part(role: str, part: Any) -> Iterator[tuple[str, str | None, Any]]:
    if part is None:
        return
    if isinstance(part, str):
        yield f"text of {role}", None, part
        return
    kind = part["type"]
    if kind == "text":
        yield f"text of {role}", None, part["text"]
    elif kind in ("tool_use", "tool-call"):
        yield (
            "call",
            part.get("id", part.get("toolCallId")),
            [part.get("name", part.get("toolName")), part["input"]],
        )
    elif kind == "tool_result":
        yield "result", part.get("tool_use_id"), [part.get("content", ""), bool(part.get("is_error"))]
    elif kind == "tool-result":
        yield "result", part.get("toolCallId"), part["output"]
    elif kind in ("thinking", "reasoning"):
        yield "reasoning", None, part.get("thinking", part.get("text"))
    elif "toolCallId" in part and "state" in part:
        yield "call", part["toolCallId"], [kind, part.get("input")]
        for key in ("output", "errorText"):
            if key in part and not part.get("preliminary"):
                yield "result", part["toolCallId"], [key, part[key]]
    else:
        yield kind, part.get("toolCallId", part.get("tool_use_id", part.get("id"))), part
