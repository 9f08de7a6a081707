"""Anthropic messages: `tool_use` blocks in assistant content, `tool_result` blocks in the next user message.

What the provider ran itself (`server_tool_use` and its `..._tool_result`, both in one assistant message)
is read as a pair of its own. System texts stand beside the messages.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
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
    parsed,
)

NAME = "anthropic"
CONTAINER = "shared"
ARGUMENTS = "object"
SYSTEM_TEXTS = "beside"
SPREAD = False

ROLES = {USER: USER, ASSISTANT: ASSISTANT, SYSTEM: SYSTEM}
TELLING = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")
SOURCES = ("media_type", "url", "file_id")


def likeness(messages: list[dict[str, Json]]) -> float:
    found = 0
    for message in messages:
        content = message.get("content")
        found += isinstance(content, list) and any(
            isinstance(block, dict) and (block.get("type") in TELLING or _sourced(block)) for block in content
        )
    return found / (len(messages) or 1)


def _sourced(block: dict[str, Json]) -> bool:
    """Whether it is an image or a document as only this API names where it comes from."""
    source = block.get("source")
    return isinstance(source, dict) and any(key in source for key in SOURCES)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    role = USER if message.role == TOOL else message.role
    raw = message.raw if isinstance(message.raw, dict) else {"role": role}
    parts = message.parts
    if len(parts) == 1 and isinstance(parts[0].raw, str):
        return {**raw, "content": parts[0].text}
    return {**raw, "content": [_block(part) for part in parts]}


def well_spelled(part: Part) -> bool:
    """Whether a result's content is a text or a list of blocks (or absent, which is allowed)."""
    return isinstance(part.value, str | list)


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    content = raw.get("content")
    if isinstance(content, str):
        parts = [Part(TEXT, content, text=content)]
    elif isinstance(content, list):
        parts = [_part(block) for block in content]
    else:
        parts = [] if content is None else [Part(OTHER, content)]
    for number, part in enumerate(parts):
        part.src = (index, number)
    return Message(ROLES.get(str(raw.get("role")), UNKNOWN_ROLE), parts, raw, src=index)


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _part(block: Json) -> Part:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Part(TEXT, block, text=block["text"])
    if kind == "tool_use":
        return Part(CALL, block, _id(block.get("id")), str(block.get("name") or ""), value=block.get("input"))
    if kind == "tool_result":
        return Part(
            RESULT,
            block,
            _id(block.get("tool_use_id")),
            value=block.get("content", ""),
            error=block.get("is_error") is True,
        )
    if kind in ("thinking", "redacted_thinking"):
        signed = bool(block.get("signature")) or kind == "redacted_thinking"
        return Part(REASONING, block, text=str(block.get("thinking") or ""), signed=signed)
    if kind in ("server_tool_use", "mcp_tool_use"):
        part = Part(CALL, block, _id(block.get("id")), str(block.get("name") or ""), provider=True)
        part.value = block.get("input")
        return part
    if isinstance(kind, str) and kind.endswith("_tool_result"):
        return Part(RESULT, block, _id(block.get("tool_use_id")), value=block.get("content"), provider=True)
    return Part(OTHER, block)


def _block(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return {"type": "text", "text": part.raw} if isinstance(part.raw, str) else part.raw
    base = part.raw if isinstance(part.raw, dict) else {}
    if part.kind == CALL:
        made = {"type": "tool_use", "id": part.id, "name": part.name}
        value = parsed(part.value)
        return {**(base or made), "input": part.value if value is None else value}
    if part.kind == RESULT:
        made = {"type": "tool_result", "tool_use_id": part.id}
        out = {**(base or made), "content": as_text(part.value)}
        return {**out, "is_error": True} if part.error else out
    return {"type": "text", "text": part.text}
