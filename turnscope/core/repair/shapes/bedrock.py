"""Bedrock Converse messages: `toolUse` blocks in assistant content, `toolResult` blocks in the next user's.

A block says what it is by its key. What the provider ran itself (a `toolUse` of type `server_tool_use` and
its result, both in one assistant message) is a pair of its own. System texts stand beside the messages.
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

NAME = "bedrock"
CONTAINER = "shared"
ARGUMENTS = "object"
SYSTEM_TEXTS = "beside"
SPREAD = False

ROLES = {USER: USER, ASSISTANT: ASSISTANT, SYSTEM: SYSTEM}
TELLING = ("toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint")
NOTHING = "."
"""What stands for an empty result: as little as the API takes for a text."""


def likeness(messages: list[dict[str, Json]]) -> float:
    found = 0
    for message in messages:
        content = message.get("content")
        found += isinstance(content, list) and any(
            isinstance(block, dict)
            and "type" not in block
            and (any(key in block for key in TELLING) or set(block) == {"text"})
            for block in content
        )
    return 2.0 * found / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    role = USER if message.role == TOOL else message.role
    raw = message.raw if isinstance(message.raw, dict) else {"role": role}
    return {**raw, "content": [_block(part) for part in message.parts]}


def well_spelled(part: Part) -> bool:
    """Whether a result's content is a list of blocks that say something, and JSON in it an object."""
    content = _inner(part.raw, "toolResult").get("content")
    return isinstance(content, list) and bool(content) and all(_says(block) for block in content)


def plain(part: Part, role: str) -> bool:
    """Whether a text stands in a block of its own, with nothing beside: a string, or a type, is refused."""
    return part.raw is None or (isinstance(part.raw, dict) and set(part.raw) == {"text"})


def _says(block: Json) -> bool:
    if not isinstance(block, dict) or not block:
        return False
    if "text" in block:
        return isinstance(block["text"], str) and bool(block["text"].strip())
    return "json" not in block or isinstance(block["json"], dict)


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    content, role = raw.get("content"), ROLES.get(str(raw.get("role")), UNKNOWN_ROLE)
    if isinstance(content, str):
        parts = [Part(TEXT, content, text=content)]
    elif isinstance(content, list):
        parts = [_part(block, role) for block in content]
    else:
        parts = [] if content is None else [Part(OTHER, content)]
    own = {part.id for part in parts if part.kind == CALL and not part.provider}
    for number, part in enumerate(parts):
        part.src = (index, number)
        part.provider = part.provider and (part.kind == CALL or part.id not in own)
    return Message(role, parts, raw, src=index)


def _inner(raw: Json, key: str) -> dict[str, Json]:
    found = raw.get(key) if isinstance(raw, dict) else None
    return found if isinstance(found, dict) else {}


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _part(block: Json, role: str) -> Part:
    if not isinstance(block, dict):
        return Part(OTHER, block)
    if isinstance(block.get("text"), str):
        return Part(TEXT, block, text=block["text"])
    use, result = _inner(block, "toolUse"), _inner(block, "toolResult")
    if use:
        part = Part(CALL, block, _id(use.get("toolUseId")), str(use.get("name") or ""))
        part.value, part.provider = use.get("input"), use.get("type") == "server_tool_use"
        return part
    if result:
        part = Part(RESULT, block, _id(result.get("toolUseId")), value=_said(result.get("content")))
        part.error, part.provider = result.get("status") == "error", role == ASSISTANT
        return part
    if "reasoningContent" in block:
        thought = _inner(block["reasoningContent"], "reasoningText")
        signed = bool(thought.get("signature")) or "redactedContent" in _inner(block, "reasoningContent")
        return Part(REASONING, block, text=str(thought.get("text") or ""), signed=signed)
    return Part(OTHER, block)


def _said(content: Json) -> Json:
    """What a result says: its one object, its texts as one, or the blocks as they are."""
    blocks = content if isinstance(content, list) else []
    if len(blocks) == 1 and isinstance(blocks[0], dict) and set(blocks[0]) == {"json"}:
        return blocks[0]["json"]
    if isinstance(content, list) and all(isinstance(b, dict) and set(b) == {"text"} for b in content):
        return "\n".join(str(block["text"]) for block in content)
    return content


def _block(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    if part.kind == TEXT:
        return {"text": part.text}
    if part.kind == CALL:
        made = {"toolUseId": part.id, "name": part.name}
        value = parsed(part.value)
        use = {**(_inner(part.raw, "toolUse") or made), "input": part.value if value is None else value}
        return {**(part.raw or {}), "toolUse": use}
    if part.kind == RESULT:
        made = {"toolUseId": part.id}
        result = {**(_inner(part.raw, "toolResult") or made), "content": [_content(part.value)]}
        if part.error:
            result["status"] = "error"
        return {**(part.raw or {}), "toolResult": result}
    return part.raw


def _content(value: Json) -> Json:
    if isinstance(value, dict):
        return {"json": value}
    text = as_text(value)
    return {"text": text if text.strip() else NOTHING}
