"""Gemini contents: `functionCall` parts of the model's, `functionResponse` parts in the content behind.

Ids are optional. A call without one is given a number for the repair's own use (`unnamed`); a response
without one belongs to the oldest open call of its function, in the newest turn that has one. Neither is
ever written. Snake case is read as well, because the Python SDK dumps it.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESULT,
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

NAME = "gemini"
CONTAINER = "parts"
ARGUMENTS = "object"
SYSTEM_TEXTS = "beside"
SPREAD = False

ROLES = {USER: USER, "model": ASSISTANT, "function": USER, TOOL: USER}
SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "thoughtSignature": "thought_signature",
}
STAND_IN = "skip_thought_signature_validator"
SAID = ("result", "output", "error")
"""Keys under which a response that is one text says it."""


def likeness(messages: list[dict[str, Json]]) -> float:
    telling: int = sum(
        isinstance(m.get("parts"), list)
        and not any(isinstance(part, dict) and ("type" in part or "part_kind" in part) for part in m["parts"])
        for m in messages
    )
    return 2.0 * telling / (len(messages) or 1)


def read(messages: list[Json]) -> list[Message]:
    out = [_message(index, raw) for index, raw in enumerate(messages)]
    _number(out)
    return out


def write(message: Message) -> Json:
    raw = message.raw if isinstance(message.raw, dict) else {"role": _role(message)}
    return {**raw, "parts": [_part_out(part) for part in message.parts]}


def well_spelled(part: Part) -> bool:
    """Whether a response is an object, without a reference that would be looked up."""
    response = _field(part.raw, "functionResponse").get("response")
    return isinstance(response, dict) and not _refers(response)


def sign(part: Part) -> None:
    """Gives a call the documented stand-in for a signature that was lost."""
    part.signed = part.changed = True


def _refers(value: Json, depth: int = 0) -> bool:
    if depth > 50:
        return True
    if isinstance(value, dict):
        return "$ref" in value or any(_refers(inner, depth + 1) for inner in value.values())
    return isinstance(value, list) and any(_refers(inner, depth + 1) for inner in value)


def _role(message: Message) -> str:
    return "model" if message.role == ASSISTANT else "user"


def _field(raw: Json, name: str) -> dict[str, Json]:
    """A part's field in either spelling; {} where it is none."""
    found = raw.get(name, raw.get(SNAKE[name])) if isinstance(raw, dict) else None
    return found if isinstance(found, dict) else {}


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    held = raw.get("parts")
    parts = [_part(part) for part in held] if isinstance(held, list) else []
    role = ROLES.get(str(raw.get("role", USER)), UNKNOWN_ROLE)
    if role == USER and parts and all(part.kind == RESULT for part in parts):
        role = TOOL
    for number, part in enumerate(parts):
        part.src = (index, number)
    return Message(role, parts, raw, src=index)


def _part(raw: Json) -> Part:
    if not isinstance(raw, dict):
        return Part(OTHER, raw)
    signed = bool(raw.get("thoughtSignature", raw.get("thought_signature")))
    form = "snake" if any(key in raw for key in SNAKE.values()) else ""
    call, response = _field(raw, "functionCall"), _field(raw, "functionResponse")
    if call:
        part = Part(CALL, raw, _id(call.get("id")), str(call.get("name") or ""), form=form, signed=signed)
        part.value = call.get("args", {})
    elif response:
        part = Part(RESULT, raw, _id(response.get("id")), str(response.get("name") or ""), form=form)
        part.value, part.error = _said(response.get("response"))
    elif isinstance(raw.get("text"), str):
        kind = REASONING if raw.get("thought") is True else TEXT
        part = Part(kind, raw, text=raw["text"], signed=signed)
    else:
        part = Part(OTHER, raw, signed=signed)
    return part


def _said(response: Json) -> tuple[Json, bool]:
    """What a response says, out of the object it is wrapped in; whether it is an error."""
    if isinstance(response, dict) and len(response) == 1:
        [(key, value)] = response.items()
        if key in SAID:
            return value, key == "error"
    return response, False


def _number(messages: list[Message]) -> None:
    """Numbers calls without an id, and finds the calls of responses without one."""
    groups: list[list[Part]] = []
    answered: set[int] = set()
    taken = {part.id for message in messages for part in message.parts}
    count = 0
    before = ""
    for message in messages:
        calls = message.of(CALL)
        for part in calls:
            if part.id is None:
                count += 1
                while f"{part.name}#{count}" in taken:
                    count += 1
                part.id, part.unnamed = f"{part.name}#{count}", True
        if calls and before == ASSISTANT and groups:
            groups[-1].extend(calls)
        elif calls:
            groups.append(calls)
        before = message.role
        # Ids first: a response that has one leaves no doubt, and takes no call from one that has none.
        for part in sorted(message.of(RESULT), key=lambda part: part.id is None):
            call = _called(groups, part, answered)
            if call is not None:
                answered.add(id(call))
            if part.id is None:
                part.id, part.unnamed = (call.id if call is not None else f"{part.name}#?"), True


def _called(groups: list[list[Part]], part: Part, answered: set[int]) -> Part | None:
    """The call a response answers: by id; else the oldest open one of its function, rather one without an id,
    in the newest turn that has one; else the newest that is answered already."""
    last = None
    for calls in reversed(groups):
        if part.id is not None:
            found = next((call for call in calls if call.id == part.id), None)
            if found is not None:
                return found
            continue
        alike = [call for call in calls if call.name == part.name]
        free = [call for call in alike if id(call) not in answered]
        if not part.name:
            # Without a name either, it is for the one call it can be for, or for none.
            left = [call for call in calls if id(call) not in answered]
            free = left if len(left) == 1 else free
        if free:
            return next((call for call in free if call.unnamed), free[0])
        last = last or (alike[0] if alike else None)
    return last


def _part_out(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    base = part.raw if isinstance(part.raw, dict) else {}
    own = {} if part.unnamed or part.id is None else {"id": part.id}
    if part.kind == CALL:
        key, value = _key("functionCall", part), parsed(part.value)
        call = {
            **(base.get(key) or {**own, "name": part.name}),
            "args": part.value if value is None else value,
        }
        out = {**base, key: call}
        if part.signed:
            out.setdefault(_key("thoughtSignature", part), STAND_IN)
        return out
    if part.kind == RESULT:
        key = _key("functionResponse", part)
        response = part.value
        if not isinstance(response, dict) or _refers(response):
            response = {"error" if part.error else "result": as_text(response)}
        return {**base, key: {**(base.get(key) or {**own, "name": part.name}), "response": response}}
    return {"text": part.text}


def _key(name: str, part: Part) -> str:
    return SNAKE[name] if part.form == "snake" else name
