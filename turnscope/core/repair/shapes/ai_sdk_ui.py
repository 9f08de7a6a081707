"""AI SDK UIMessage[]: a call and its result are one part of the assistant message, told apart by `state`.

Read as two parts, call and result, that share one raw object; written as one again. A result is in
place by construction, so what can be wrong is a state that no request may carry. The SDK takes
`output-error` only for a call without an approval or with a granted one: any other is `output-denied`.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESULT,
    STEP,
    SYSTEM,
    TEXT,
    UNKNOWN_ROLE,
    USER,
    Json,
    Message,
    Part,
    as_text,
    parsed,
)

NAME = "ai_sdk_ui"
CONTAINER = "inline"
ARGUMENTS = "object"
SYSTEM_TEXTS = "inside"
SPREAD = False

ROLES = {USER: USER, ASSISTANT: ASSISTANT, SYSTEM: SYSTEM}
STATES = (
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error",
    "output-denied",
)
"""In the order a call goes through them."""
ADDED_BY_STATE = ("output", "errorText", "preliminary", "state")


def likeness(messages: list[dict[str, Json]]) -> float:
    return 2 * sum(isinstance(m.get("parts"), list) and "id" in m for m in messages) / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    raw = message.raw if isinstance(message.raw, dict) else {"id": message.id, "role": message.role}
    out: list[Json] = []
    parts = message.parts
    for number, part in enumerate(parts):
        after = parts[number + 1] if number + 1 < len(parts) else None
        result = after if after is not None and after.kind == RESULT and after.id == part.id else None
        if part.kind == CALL:
            out.append(_tool(part, result))
        elif part.kind != RESULT:
            out.append(part.raw if part.raw is not None else {"type": "text", "text": part.text})
    return {**raw, "parts": out}


def well_spelled(part: Part) -> bool:
    """A UI part holds any output."""
    return part.kind == RESULT


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    found = raw.get("parts")
    identity = raw.get("id")
    message = Message(
        ROLES.get(str(raw.get("role")), UNKNOWN_ROLE),
        [],
        raw,
        identity if isinstance(identity, str) else None,
        index,
    )
    for number, part in enumerate(found if isinstance(found, list) else []):
        for piece in _parts(part):
            piece.src = (index, number)
            message.parts.append(piece)
    return message


def _parts(part: Json) -> list[Part]:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return [Part(OTHER, part)]
    if kind == "text" and isinstance(part.get("text"), str):
        return [Part(TEXT, part, text=part["text"])]
    if kind == "reasoning":
        return [Part(REASONING, part, text=str(part.get("text") or ""))]
    if kind == "step-start":
        return [Part(STEP, part)]
    if kind == "dynamic-tool" or (kind.startswith("tool-") and part.get("state") in STATES):
        return _call(part, kind)
    return [Part(OTHER, part)]


def _call(part: dict[str, Json], kind: str) -> list[Part]:
    state = part.get("state")
    found = part.get("approval")
    approval = found if isinstance(found, dict) else {}
    identity = part.get("toolCallId")
    call = Part(
        CALL,
        part,
        identity if isinstance(identity, str) else None,
        str(part.get("toolName") or "") if kind == "dynamic-tool" else kind[5:],
        value=part.get("input"),
        complete=state != "input-streaming",
        provider=part.get("providerExecuted") is True,
        approval=approval.get("id") if isinstance(approval.get("id"), str) else None,
        approved=approval.get("approved") if isinstance(approval.get("approved"), bool) else None,
        started=part.get("preliminary") is True,
    )
    if state not in ("output-available", "output-error", "output-denied") or call.started:
        return [call]
    if state == "output-available" and "output" not in part:
        return [call]
    value = (
        part.get("output") if state == "output-available" else part.get("errorText", approval.get("reason"))
    )
    return [
        call,
        Part(
            RESULT,
            part,
            call.id,
            call.name,
            value=value,
            error=state != "output-available",
            provider=call.provider,
        ),
    ]


def _tool(call: Part, result: Part | None) -> Json:
    if call.raw is not None and not call.changed and (result is None or not result.changed):
        return call.raw
    base = call.raw if isinstance(call.raw, dict) else {"type": f"tool-{call.name}", "toolCallId": call.id}
    value = parsed(call.value)
    arguments = call.value if value is None else value
    if result is None or not result.changed:
        return {**base, "input": arguments}
    out = {key: value for key, value in base.items() if key not in ADDED_BY_STATE}
    out["input"] = arguments
    if result.error and call.approval and call.approved is not True:
        denial = {"id": call.approval, "approved": False, "reason": as_text(result.value)}
        return {**out, "state": "output-denied", "approval": denial}
    if result.error:
        return {**out, "state": "output-error", "errorText": as_text(result.value)}
    return {**out, "state": "output-available", "output": result.value}
