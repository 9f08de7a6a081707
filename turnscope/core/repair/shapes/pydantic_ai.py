"""PydanticAI's ModelMessage JSON: `tool-call` parts of a response, `tool-return` parts of requests behind it.

A request holds what a system, a user and tools said; a system's part of it is text of another role (`form`).
A `retry-prompt` that names its tool is a result too. What the provider ran (`builtin-tool-...`) is left
alone: its two halves may stand in different responses.
"""

from __future__ import annotations

from turnscope.core.repair.texts import placeholder
from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESULT,
    SYSTEM,
    TEXT,
    UNKNOWN_ROLE,
    USER,
    Json,
    Message,
    Part,
)

NAME = "pydantic_ai"
CONTAINER = "shared"
ARGUMENTS = "text"
SYSTEM_TEXTS = "inside"
SPREAD = False

ROLES = {USER: USER, ASSISTANT: ASSISTANT, SYSTEM: SYSTEM}
KINDS = {"request": USER, "response": ASSISTANT}


def likeness(messages: list[dict[str, Json]]) -> float:
    telling: int = sum(m.get("kind") in KINDS and isinstance(m.get("parts"), list) for m in messages)
    return 2.0 * telling / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    said = message.role == ASSISTANT
    raw = message.raw if isinstance(message.raw, dict) else {"kind": "response" if said else "request"}
    return {**raw, "parts": [_part_out(part, message.role) for part in message.parts]}


def well_spelled(part: Part) -> bool:
    """Whether a result has a content at all: it may be anything."""
    return isinstance(part.raw, dict) and "content" in part.raw


def instructions(messages: list[Message]) -> str:
    """What the newest request tells the model beside its parts; "" where nothing."""
    told = [m.raw.get("instructions") for m in messages if m.role == USER and isinstance(m.raw, dict)]
    return str(told[-1]) if told and isinstance(told[-1], str) else ""


def _message(index: int, raw: Json) -> Message:
    held = raw.get("parts") if isinstance(raw, dict) else None
    kind = raw.get("kind") if isinstance(raw, dict) else None
    role = KINDS.get(kind, UNKNOWN_ROLE) if isinstance(kind, str) else UNKNOWN_ROLE
    if role == UNKNOWN_ROLE or not isinstance(held, list):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    parts = [_part(part, role) for part in held]
    if role == USER and parts and all(part.form == SYSTEM for part in parts):
        role = SYSTEM
    for number, part in enumerate(parts):
        part.src = (index, number)
    return Message(role, parts, raw, src=index)


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _part(raw: Json, role: str) -> Part:
    kind = raw.get("part_kind") if isinstance(raw, dict) else None
    if role == ASSISTANT and kind == "tool-call":
        part = Part(CALL, raw, _id(raw.get("tool_call_id")), str(raw.get("tool_name") or ""))
        part.value = raw.get("args")
        return part
    if role == USER and (kind == "tool-return" or (kind == "retry-prompt" and raw.get("tool_name"))):
        part = Part(RESULT, raw, _id(raw.get("tool_call_id")), str(raw.get("tool_name") or ""))
        part.value, outcome = raw.get("content"), raw.get("outcome", "success")
        part.error = kind == "retry-prompt" or outcome != "success"
        part.approved = False if outcome == "denied" else None
        return part
    if kind == "thinking":
        return Part(REASONING, raw, text=str(raw.get("content") or ""), signed=bool(raw.get("signature")))
    text = _text(raw.get("content")) if kind in ("text", "user-prompt", "system-prompt") else None
    if text is None:
        return Part(OTHER, raw)
    return Part(TEXT, raw, text=text, form=SYSTEM if kind == "system-prompt" else "")


def _text(content: Json) -> str | None:
    """The text of a part's content; None where there is more than texts in it."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for item in content if isinstance(content, list) else ():
        held = item.get("kind") == "text-content" if isinstance(item, dict) else False
        text = item.get("content") if held else item
        if not isinstance(text, str):
            return None
        texts.append(text)
    return "\n".join(texts) if texts else None


def _part_out(part: Part, role: str) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    base = part.raw if isinstance(part.raw, dict) else {}
    if part.kind == CALL:
        made = {"part_kind": "tool-call", "tool_name": part.name, "tool_call_id": part.id}
        return {**(base or made), "args": part.value}
    if part.kind == RESULT:
        made = {"part_kind": "tool-return", "tool_name": part.name, "tool_call_id": part.id}
        out = {**(base or made), "content": part.value}
        return {**out, "outcome": _outcome(part)} if part.error else out
    kind = "text" if role == ASSISTANT else "user-prompt"
    return {"part_kind": "system-prompt" if SYSTEM in (role, part.form) else kind, "content": part.text}


def _outcome(part: Part) -> str:
    if part.approved is False:
        return "denied"
    return "interrupted" if placeholder(part.value) else "failed"
