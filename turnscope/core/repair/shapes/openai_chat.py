"""OpenAI chat messages: `tool_calls` on the assistant message, one `tool` message per result.

Also what vLLM, DeepSeek, Mistral and most gateways speak. Fields nobody here knows (reasoning_content,
refusal, audio) stay in the raw object.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import (
    ASSISTANT,
    BESIDE,
    CALL,
    DEVELOPER,
    OTHER,
    REASONING,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    UNKNOWN_ROLE,
    USER,
    Json,
    Message,
    Part,
    as_text,
    compact,
)

NAME = "openai_chat"
CONTAINER = "own"
ARGUMENTS = "text"
SYSTEM_TEXTS = "inside"
SPREAD = False

BESIDES = ("refusal", "audio", "function_call")
ROLES = {USER: USER, ASSISTANT: ASSISTANT, TOOL: TOOL, SYSTEM: SYSTEM, DEVELOPER: DEVELOPER}


def likeness(messages: list[dict[str, Json]]) -> float:
    return sum("tool_calls" in m or "tool_call_id" in m for m in messages) / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    raw = message.raw if isinstance(message.raw, dict) else {"role": message.role}
    if message.role == TOOL:
        return _tool(message, raw)
    out = dict(raw)
    calls = message.of(CALL)
    _write_content(message, out)
    if calls:
        out["tool_calls"] = [_call(part) for part in calls]
        out.setdefault("content", None)
    else:
        out.pop("tool_calls", None)
    return out


def well_spelled(part: Part) -> bool:
    """Whether a result's content is a text or a list of parts."""
    return isinstance(part.value, str | list)


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    message = Message(ROLES.get(str(raw.get("role")), UNKNOWN_ROLE), [], raw, src=index)
    if message.role == TOOL:
        message.parts.append(
            Part(
                RESULT,
                raw,
                _id(raw.get("tool_call_id")),
                str(raw.get("name") or ""),
                value=raw.get("content"),
            )
        )
    else:
        message.parts.extend(content_parts(raw.get("content")))
        message.parts.extend(Part(BESIDE, raw[key]) for key in BESIDES if raw.get(key))
        if isinstance(raw.get("reasoning_content"), str):
            message.parts.append(Part(REASONING, raw, text=raw["reasoning_content"]))
        calls = raw.get("tool_calls")
        if message.role == ASSISTANT and isinstance(calls, list):
            message.parts.extend(call_part(call) for call in calls)
    for number, part in enumerate(message.parts):
        part.src = (index, number)
    return message


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def content_parts(content: Json) -> list[Part]:
    """The parts of a message's content: one text, or a list of texts and media."""
    if isinstance(content, str):
        return [Part(TEXT, content, text=content)]
    if not isinstance(content, list):
        return [] if content is None else [Part(OTHER, content)]
    parts: list[Part] = []
    for block in content:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            parts.append(Part(TEXT, block, text=block["text"]))
        else:
            parts.append(Part(OTHER, block))
    return parts


def call_part(call: Json) -> Part:
    """An entry of `tool_calls`. One that is no object is a call without an id: kept, and a blocker."""
    if not isinstance(call, dict):
        return Part(CALL, call)
    custom = call.get("custom")
    if isinstance(custom, dict):
        return Part(
            CALL,
            call,
            _id(call.get("id")),
            str(custom.get("name") or ""),
            value=custom.get("input"),
            free=True,
        )
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    return Part(
        CALL, call, _id(call.get("id")), str(function.get("name") or ""), value=function.get("arguments")
    )


def _call(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    base = part.raw if isinstance(part.raw, dict) else {"id": part.id, "type": "function"}
    function = base.get("function")
    arguments = part.value if isinstance(part.value, str) else compact(part.value)
    return {
        **base,
        "function": {
            **(function if isinstance(function, dict) else {"name": part.name}),
            "arguments": arguments,
        },
    }


def _tool(message: Message, raw: dict[str, Json]) -> Json:
    part = message.parts[0]
    if part.raw is not None and not part.changed:
        return part.raw
    return {**raw, "tool_call_id": part.id, "content": as_text(part.value)}


def _write_content(message: Message, out: dict[str, Json]) -> None:
    parts = message.of(TEXT, OTHER)
    if message.raw is not None and "content" not in out and not parts:
        return
    if not parts:
        out["content"] = None if message.of(CALL) else ""
    elif len(parts) == 1 and parts[0].kind == TEXT and not isinstance(parts[0].raw, dict):
        out["content"] = parts[0].text
    else:
        out["content"] = [
            {"type": "text", "text": p.text} if p.raw is None or isinstance(p.raw, str) else p.raw
            for p in parts
        ]
