"""AI SDK ModelMessage[]: `tool-call` parts in assistant content, `tool-result` parts in tool messages.

Approvals are parts too: a request beside the call, an answer in a tool message that names the request
and not the call. What the provider ran is answered inside the assistant message.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import (
    APPROVAL,
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESPONSE,
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

NAME = "ai_sdk"
CONTAINER = "parts"
ARGUMENTS = "object"
SYSTEM_TEXTS = "inside"
SPREAD = False

ROLES = {USER: USER, ASSISTANT: ASSISTANT, TOOL: TOOL, SYSTEM: SYSTEM}
TELLING = ("tool-call", "tool-result", "tool-approval-request", "tool-approval-response")
ERRORS = ("error-text", "error-json", "execution-denied")


def likeness(messages: list[dict[str, Json]]) -> float:
    found = 0
    for message in messages:
        content = message.get("content")
        found += isinstance(content, list) and any(
            isinstance(part, dict) and part.get("type") in TELLING for part in content
        )
    return found / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    out = [_message(index, raw) for index, raw in enumerate(messages)]
    for message in out:
        own = {p.id for p in message.of(CALL) if not p.provider}
        for part in message.of(RESULT):
            part.provider = part.provider and part.id not in own
    named: dict[str | None, str | None] = {
        p.approval: p.id for m in out for p in m.of(APPROVAL) if p.approval
    }
    for message in out:
        for part in message.of(RESPONSE):
            part.id = named.get(part.approval)
    return out


def write(message: Message) -> Json:
    raw = message.raw if isinstance(message.raw, dict) else {"role": message.role}
    parts = message.parts
    if len(parts) == 1 and parts[0].kind == TEXT and not isinstance(parts[0].raw, dict):
        return {**raw, "content": parts[0].text}
    return {**raw, "content": [_block(part) for part in parts]}


def well_spelled(part: Part) -> bool:
    """Whether a result's output says of what type it is."""
    output = part.raw.get("output")
    return isinstance(output, dict) and isinstance(output.get("type"), str)


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    role = ROLES.get(str(raw.get("role")), UNKNOWN_ROLE)
    content = raw.get("content")
    if isinstance(content, str):
        parts = [Part(TEXT, content, text=content)]
    elif isinstance(content, list):
        parts = [_part(part, role) for part in content]
    else:
        parts = [] if content is None else [Part(OTHER, content)]
    for number, part in enumerate(parts):
        part.src = (index, number)
    return Message(role, parts, raw, src=index)


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _part(part: Json, role: str) -> Part:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return Part(TEXT, part, text=part["text"])
    if kind == "reasoning":
        return Part(REASONING, part, text=str(part.get("text") or ""))
    call, name = (_id(part.get("toolCallId")), str(part.get("toolName") or "")) if kind else (None, "")
    if kind == "tool-call":
        return Part(
            CALL, part, call, name, value=part.get("input"), provider=part.get("providerExecuted") is True
        )
    if kind == "tool-result":
        output = part.get("output")
        output = output if isinstance(output, dict) else {"value": output}
        return Part(
            RESULT,
            part,
            call,
            name,
            value=output.get("value", output.get("reason")),
            error=output.get("type") in ERRORS,
            provider=role == ASSISTANT,
        )
    if kind == "tool-approval-request":
        return Part(APPROVAL, part, call, approval=_id(part.get("approvalId")))
    if kind == "tool-approval-response":
        return Part(
            RESPONSE, part, approval=_id(part.get("approvalId")), approved=part.get("approved") is True
        )
    return Part(OTHER, part)


def _block(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return {"type": "text", "text": part.raw} if isinstance(part.raw, str) else part.raw
    base = part.raw if isinstance(part.raw, dict) else {}
    if part.kind == CALL:
        made = {"type": "tool-call", "toolCallId": part.id, "toolName": part.name}
        value = parsed(part.value)
        return {**(base or made), "input": part.value if value is None else value}
    if part.kind == RESULT:
        made = {"type": "tool-result", "toolCallId": part.id, "toolName": part.name}
        return {**(base or made), "output": _output(part)}
    return {"type": "text", "text": part.text}


def _output(part: Part) -> dict[str, Json]:
    if part.approved is False:
        return {"type": "execution-denied", "reason": as_text(part.value)}
    if part.error:
        return {"type": "error-text", "value": as_text(part.value)}
    if isinstance(part.value, dict):
        return {"type": "json", "value": part.value}
    return {"type": "text", "value": as_text(part.value)}
