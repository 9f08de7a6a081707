"""AG-UI messages: `toolCalls` on the assistant message, one `tool` message per result, ids on everything.

Activity and reasoning are messages of their own and no boundary. Snake case is read as well, because
servers written in Python send it.
"""

from __future__ import annotations

from turnscope.core.repair.shapes import openai_chat
from turnscope.core.repair.transcript import (
    ACTIVITY,
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESULT,
    TEXT,
    THINKING,
    TOOL,
    UNKNOWN_ROLE,
    USER,
    Json,
    Message,
    Part,
    as_text,
    compact,
)

NAME = "ag_ui"
CONTAINER = "own"
ARGUMENTS = "text"
SYSTEM_TEXTS = "inside"
SPREAD = False

ROLES = {**openai_chat.ROLES, ACTIVITY: ACTIVITY, THINKING: THINKING}


def likeness(messages: list[dict[str, Json]]) -> float:
    telling = sum(
        "toolCalls" in m or "toolCallId" in m or m.get("role") in (ACTIVITY, THINKING) for m in messages
    )
    return telling / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    if message.role == TOOL:
        return _tool(message)
    raw = message.raw if isinstance(message.raw, dict) else {"id": message.id, "role": message.role}
    out = dict(raw)
    texts = message.of(TEXT, OTHER)
    if message.raw is None:
        out["content"] = _content(texts)
    elif any(part.changed for part in texts):
        out["content"] = "\n".join(part.text for part in texts)
    elif not texts and out.get("content"):
        out["content"] = ""
    key = "tool_calls" if "tool_calls" in out else "toolCalls"
    calls = message.of(CALL)
    if calls:
        out[key] = [_call(part) for part in calls]
    else:
        out.pop(key, None)
    return out


def well_spelled(part: Part) -> bool:
    """Whether a result's content is a text or a list of parts."""
    return isinstance(part.value, str | list)


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    identity = raw.get("id")
    message = Message(
        ROLES.get(str(raw.get("role")), UNKNOWN_ROLE),
        [],
        raw,
        identity if isinstance(identity, str) else None,
        index,
    )
    if message.role == TOOL:
        call = raw.get("toolCallId", raw.get("tool_call_id"))
        message.parts = [
            Part(
                RESULT,
                raw,
                call if isinstance(call, str) else None,
                value=raw.get("content"),
                error=bool(raw.get("error")),
            )
        ]
    elif message.role == THINKING:
        signed = bool(raw.get("encryptedValue"))
        message.parts = [Part(REASONING, raw, text=str(raw.get("content") or ""), signed=signed)]
    elif message.role == ACTIVITY:
        message.parts = [Part(OTHER, raw)]
    else:
        message.parts = openai_chat.content_parts(raw.get("content"))
        calls = raw.get("toolCalls", raw.get("tool_calls"))
        if message.role == ASSISTANT and isinstance(calls, list):
            message.parts.extend(openai_chat.call_part(call) for call in calls)
    for number, part in enumerate(message.parts):
        part.src = (index, number)
    return message


def plain(part: Part, role: str) -> bool:
    """Whether a text is spelled as the schema has it: only a user's content may be a list of parts."""
    return role == USER or not isinstance(part.raw, dict)


def _content(parts: list[Part]) -> Json:
    if len(parts) == 1 and parts[0].kind == TEXT:
        return parts[0].text
    return [part.raw if part.raw is not None else {"type": "text", "text": part.text} for part in parts] or ""


def _call(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    arguments = part.value if isinstance(part.value, str) else compact(part.value)
    base = part.raw if isinstance(part.raw, dict) else {"id": part.id, "type": "function"}
    function = base.get("function")
    return {
        **base,
        "function": {
            **(function if isinstance(function, dict) else {"name": part.name}),
            "arguments": arguments,
        },
    }


def _tool(message: Message) -> Json:
    part = message.parts[0]
    if part.raw is not None and not part.changed:
        return part.raw
    text = as_text(part.value)
    base = part.raw if isinstance(part.raw, dict) else {"id": message.id, "role": TOOL, "toolCallId": part.id}
    out = {**base, "content": text}
    if part.error:
        out["error"] = text
    if message.note:
        out["metadata"] = {"turnscope": message.note}
    return out
