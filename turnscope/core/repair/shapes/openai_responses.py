"""OpenAI Responses items: every message, call, output and reasoning is an item of its own in `input`.

Calls that stand directly behind one another were made together and are read as one message (`SPREAD`:
it is written as several items). What the provider runs itself (`web_search_call` and others) needs no
output and is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from turnscope.core.repair.transcript import (
    ASSISTANT,
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

NAME = "openai_responses"
CONTAINER = "own"
ARGUMENTS = "text"
SYSTEM_TEXTS = "inside"
SPREAD = True

ROLES = {USER: USER, ASSISTANT: ASSISTANT, TOOL: TOOL, SYSTEM: SYSTEM, DEVELOPER: DEVELOPER}
CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "shell_call": "shell_call_output",
    "computer_call": "computer_call_output",
    "tool_search_call": "tool_search_output",
}
"""Items that the client answers -> the type of the answer."""
OUTPUTS = {output: call for call, output in CALLS.items()}
WORDLESS = ("shell_call", "computer_call", "tool_search_call")
"""Their answer is a screenshot, an exit code or a list of tools: no text can stand in for it."""
ASKED = ("arguments", "input", "action", "operation")
"""Where a call says what it asks for."""
LISTS = ("shell_call_output", "computer_call_output", "tool_search_output")
PARTS = ("input_text", "output_text", "input_image", "input_file")


def likeness(messages: list[dict[str, Json]]) -> float:
    """Items of a type, or with parts of a type, that only Responses has: hardly anything else has those."""
    return 2.0 * sum(map(_tells, messages)) / (len(messages) or 1)


def _tells(item: dict[str, Json]) -> bool:
    if "role" not in item:
        return _type(item) in CALLS or _type(item) in OUTPUTS or _type(item) == "reasoning"
    content = item.get("content")
    if isinstance(content, list):
        return any(isinstance(part, dict) and _type(part) in PARTS for part in content)
    return _type(item) == "message" and isinstance(content, str)


def read(messages: list[Json]) -> list[Message]:
    out: list[Message] = []
    for index, raw in enumerate(messages):
        message = _message(index, raw)
        if message.of(CALL) and out and out[-1].of(CALL):
            out[-1].parts.extend(message.parts)
            out[-1].raw.append(raw)
        else:
            out.append(message)
    return out


def write(message: Message) -> list[Json]:
    if message.role == TOOL:
        return [_output(part) for part in message.parts]
    if message.of(CALL):
        return [_call(part) for part in message.parts]
    raw = message.raw if isinstance(message.raw, dict) else None
    base = dict(raw) if raw is not None else {"type": "message", "role": message.role}
    if not message.changed or raw is None or any(part.changed for part in message.of(TEXT)):
        base["content"] = _content(message)
    return [_without_id(base, message.parts)]


def well_spelled(part: Part) -> bool:
    """Whether an output is a text or a list of content parts, or what its own type asks for."""
    if isinstance(part.raw, dict) and part.raw.get("type") in LISTS:
        return True
    return isinstance(part.value, str | list)


def plain(part: Part, role: str) -> bool:
    """Whether a text is spelled as the API reads it from this role."""
    if not isinstance(part.raw, dict):
        return True
    return part.raw.get("type") in (("output_text", "refusal") if role == ASSISTANT else ("input_text",))


def laid_out(message: Message) -> Iterator[Message]:
    """A message of another shape as items: each text of the assistant's, and its calls as one block."""
    if message.role != ASSISTANT:
        yield message
        return
    run: list[Part] = []
    for part in message.parts:
        if part.kind == CALL:
            run.append(part)
            continue
        if run:
            yield replace(message, parts=run)
            run = []
        yield replace(message, parts=[part])
    if run:
        yield replace(message, parts=run)


def _type(raw: Json) -> Json:
    kind = raw.get("type") if isinstance(raw, dict) else None
    return kind if isinstance(kind, str) else None


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _message(index: int, raw: Json) -> Message:
    kind = _type(raw)
    if kind in CALLS and not (kind == "tool_search_call" and raw.get("execution") == "server"):
        name = str(raw.get("name") or str(kind).removesuffix("_call"))
        part = Part(CALL, raw, _id(raw.get("call_id")), name, form=str(kind), free=kind != "function_call")
        part.value = next((raw[key] for key in ASKED if key in raw), None)
        part.wordless = kind in WORDLESS
        message = Message(ASSISTANT, [part], [raw])
    elif kind in OUTPUTS and not (kind == "tool_search_output" and raw.get("execution") == "server"):
        call = raw.get("call_id", raw.get("id") if kind == "local_shell_call_output" else None)
        part = Part(RESULT, raw, _id(call), value=raw.get("output", raw.get("tools")), form=OUTPUTS[kind])
        message = Message(TOOL, [part], raw)
    elif kind == "reasoning":
        message = Message(ASSISTANT, [Part(REASONING, raw, text=_summary(raw))], raw)
    elif kind in (None, "message") and isinstance(raw, dict) and raw.get("role") != TOOL:
        role = ROLES.get(str(raw.get("role")), UNKNOWN_ROLE)
        message = Message(role, _content_parts(raw.get("content")), raw)
    elif kind not in (None, "message"):
        message = Message(ASSISTANT, [Part(OTHER, raw)], raw)
    else:
        message = Message(UNKNOWN_ROLE, [Part(OTHER, raw)], raw)
    message.src = index
    for number, part in enumerate(message.parts):
        part.src = (index, number)
    if isinstance(raw, dict) and kind is not None:
        message.id = _id(raw.get("id"))
    return message


def _summary(raw: dict[str, Json]) -> str:
    found = [raw.get(key) for key in ("summary", "content")]
    texts = [one.get("text") for blocks in found if isinstance(blocks, list) for one in blocks
             if isinstance(one, dict)]  # fmt: skip
    return "\n".join(text for text in texts if isinstance(text, str))


def _content_parts(content: Json) -> list[Part]:
    if isinstance(content, str):
        return [Part(TEXT, content, text=content)]
    if not isinstance(content, list):
        return [] if content is None else [Part(OTHER, content)]
    return [
        Part(TEXT, block, text=block["text"])
        if isinstance(block, dict) and isinstance(block.get("text"), str)
        else Part(OTHER, block)
        for block in content
    ]


def _content(message: Message) -> Json:
    if len(message.parts) == 1 and message.parts[0].kind == TEXT:
        return message.parts[0].text
    kind = "output_text" if message.role == ASSISTANT else "input_text"
    return [
        {"type": kind, "text": p.text} if p.kind == TEXT and (p.raw is None or p.changed) else p.raw
        for p in message.parts
    ]


def _without_id(raw: dict[str, Json], parts: list[Part]) -> dict[str, Json]:
    """An item without its own id, if a pass said that it may not keep it."""
    if any(part.nameless for part in parts):
        return {key: value for key, value in raw.items() if key != "id"}
    return raw


def _call(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    base = part.raw if isinstance(part.raw, dict) else None
    made = {"type": "function_call", "call_id": part.id, "name": part.name}
    out = dict(base) if base is not None else made
    if not part.free:
        out["arguments"] = part.value if isinstance(part.value, str) else compact(part.value)
    return _without_id(out, [part])


def _output(part: Part) -> Json:
    if part.raw is not None and not part.changed:
        return part.raw
    kind = CALLS.get(part.form, "function_call_output")
    name = {"id": part.id} if kind == "local_shell_call_output" else {"call_id": part.id}
    out = part.raw if isinstance(part.raw, dict) else {"type": kind, **name}
    if kind == "apply_patch_call_output":
        out = {**out, "status": out.get("status") or "failed"}
    if part.raw is None or not well_spelled(part):
        out = {**out, "output": as_text(part.value)}
    return _without_id(out, [part])
