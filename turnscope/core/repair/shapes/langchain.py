"""LangChain messages, in the four spellings JSON has of them: flat (`{"type": "ai", ...}`), by role, under
`data` (messages_to_dict) and as a constructor (`{"lc": 1, "kwargs": ...}`). Each keeps its own.

One call may be told in several places of its message: `tool_calls` or `invalid_tool_calls`, a block of the
content, the provider's own list in `additional_kwargs`. It is one part here; what happens to it happens in
all of them. A call set aside as invalid is a call: its provider still waits for the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnscope.core.repair.transcript import (
    ACTIVITY,
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
    parsed,
)

NAME = "langchain"
CONTAINER = "own"
ARGUMENTS = "object"
SYSTEM_TEXTS = "inside"
SPREAD = False

ROLES = {
    "human": USER, "ai": ASSISTANT, "remove": ACTIVITY,
    USER: USER, ASSISTANT: ASSISTANT, SYSTEM: SYSTEM, DEVELOPER: DEVELOPER, TOOL: TOOL,
}  # fmt: skip
TYPES = {USER: "human", ASSISTANT: "ai"}
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", TOOL: "ToolMessage", SYSTEM: "SystemMessage"}
FLAT, BY_ROLE, DATA, CONSTRUCTOR = "flat", "role", "data", "constructor"
CALLING = ("tool_call", "tool_use", "invalid_tool_call", "function_call")
"""Types of content blocks that tell a call."""
LISTS = ("tool_calls", "invalid_tool_calls")


def likeness(messages: list[dict[str, Json]]) -> float:
    telling = 0
    for message in messages:
        calls = message.get("tool_calls")
        ours = isinstance(calls, list) and any(isinstance(call, dict) and "args" in call for call in calls)
        ours = ours or "invalid_tool_calls" in message
        telling += ours or message.get("lc") == 1 or ("role" not in message and _type(message) in ROLES)
    return 2.0 * telling / (len(messages) or 1)


def waiting(state: Json) -> set[str]:
    """Calls that an interrupt of a LangGraph state is about to answer: all of the last message with calls."""
    if not isinstance(state, dict) or not (state.get("interrupts") or state.get("__interrupt__")):
        return set()
    values = state.get("values")
    held = values.get("messages") if isinstance(values, dict) else state.get("messages")
    for message in reversed(read(held) if isinstance(held, list) else []):
        if calls := message.of(CALL):
            return {part.id for part in calls if part.id}
    return set()


def read(messages: list[Json]) -> list[Message]:
    return [_message(index, raw) for index, raw in enumerate(messages)]


def write(message: Message) -> Json:
    if isinstance(message.raw, dict):
        return _wrapped(message.raw, _told(message, _inner(message.raw)), _style(message.raw))
    style = next((part.form for part in message.parts if part.form), FLAT)
    return _wrapped(None, _made(message), style)


def well_spelled(part: Part) -> bool:
    """Whether a result's content is a text or a list of blocks."""
    return isinstance(part.value, str | list)


def removal(identity: str) -> Json:
    """The message that removes others from a state, by id."""
    return {"type": "remove", "content": "", "id": identity}


# ---------------------------------------------------------------- spellings


def _style(raw: dict[str, Json]) -> str:
    if raw.get("lc") == 1 and isinstance(raw.get("kwargs"), dict):
        return CONSTRUCTOR
    if isinstance(raw.get("data"), dict) and "content" not in raw:
        return DATA
    return BY_ROLE if "role" in raw and "type" not in raw else FLAT


def _inner(raw: dict[str, Json]) -> dict[str, Json]:
    inner: dict[str, Json] = {CONSTRUCTOR: raw.get("kwargs"), DATA: raw.get("data")}.get(_style(raw)) or raw
    return inner


def _type(raw: dict[str, Json]) -> str:
    """`human`, `ai`, `tool`, ...; or the role, where that is told instead."""
    found: Json = raw.get("role", raw.get("type"))
    if _style(raw) == CONSTRUCTOR:
        path = raw.get("id")
        found = path[-1] if isinstance(path, list) and path else ""
    elif found == "chat":
        found = _inner(raw).get("role")
    name = found if isinstance(found, str) else ""
    if name.endswith(("Message", "MessageChunk")):
        name = name.removesuffix("Chunk").removesuffix("Message").lower()
    return name


def _wrapped(raw: dict[str, Json] | None, inner: dict[str, Json], style: str) -> Json:
    if style == FLAT:
        return inner
    if raw is not None:
        return inner if style == BY_ROLE else {**raw, "kwargs" if style == CONSTRUCTOR else "data": inner}
    kind = inner["type"]
    if style == BY_ROLE:
        rest = {key: value for key, value in inner.items() if key != "type"}
        return {"role": {"human": USER, "ai": ASSISTANT}.get(kind, kind), **rest}
    if style == DATA:
        return {"type": kind, "data": inner}
    path = ["langchain", "schema", "messages", CLASSES.get(kind, "SystemMessage")]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": inner}


# ---------------------------------------------------------------- reading


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _message(index: int, raw: Json) -> Message:
    if not isinstance(raw, dict):
        return Message(UNKNOWN_ROLE, [Part(OTHER, raw, src=(index, 0))], raw, src=index)
    inner, style = _inner(raw), _style(raw)
    message = Message(ROLES.get(_type(raw), UNKNOWN_ROLE), [], raw, _id(inner.get("id")), index)
    if message.role == TOOL:
        part = Part(RESULT, raw, _id(inner.get("tool_call_id")), str(inner.get("name") or ""), form=style)
        part.value, part.error = inner.get("content"), inner.get("status") == "error"
        message.parts = [part]
    elif message.role == ACTIVITY:
        message.parts = [Part(OTHER, raw)]
    else:
        message.parts = list(_parts(inner, ai=message.role == ASSISTANT))
        for part in message.of(CALL):
            part.form = style
    for number, part in enumerate(message.parts):
        part.src = (index, number)
    return message


def _parts(inner: dict[str, Json], *, ai: bool) -> Iterator[Part]:
    content = inner.get("content")
    told = _listed(inner) if ai else []
    if isinstance(content, str):
        yield Part(TEXT, content, text=content)
    elif content is not None and not isinstance(content, list):
        yield Part(OTHER, content)
    for block in content if isinstance(content, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if ai and kind in CALLING:
            call = _call(block)
            known = next((part for part in told if part.id == call.id), None)
            if known is not None:
                told.remove(known)
                known.also = (*known.also, block)
            yield known or call
        elif isinstance(block, str):
            yield Part(TEXT, block, text=block)
        elif kind == "text" and isinstance(block.get("text"), str):
            yield Part(TEXT, block, text=block["text"])
        else:
            yield Part(REASONING if kind in ("reasoning", "thinking") else OTHER, block)
    yield from told


def _listed(inner: dict[str, Json]) -> list[Part]:
    """The calls in the message's lists; the provider's own list repeats them, or is all there is."""
    found = []
    for key in LISTS:
        calls = inner.get(key)
        if isinstance(calls, list):
            found += [_call(call, broken=key != "tool_calls") for call in calls]
    free = list(found)
    for call in map(_call, _own(inner)):
        known = next((part for part in free if part.id == call.id), None)
        if known is None:
            found.append(call)
        else:
            free.remove(known)
            known.also = (*known.also, call.raw)
    return found


def _own(inner: dict[str, Json]) -> list[Json]:
    """The provider's own list of calls."""
    beside = inner.get("additional_kwargs")
    calls = beside.get("tool_calls") if isinstance(beside, dict) else None
    return calls if isinstance(calls, list) else []


def _call(call: Json, *, broken: bool = False) -> Part:
    if not isinstance(call, dict):
        return Part(CALL, call)
    function = call.get("function")
    if isinstance(function, dict):
        text = function.get("arguments")
        value = parsed(text) if isinstance(text, str) else text
        value = text if value is None else value
        return Part(CALL, call, _id(call.get("id")), str(function.get("name") or ""), value=value)
    part = Part(CALL, call, _id(call.get("id", call.get("call_id"))), str(call.get("name") or ""))
    part.value = next((call[key] for key in ("args", "input", "arguments") if key in call), None)
    part.broken = broken or call.get("type") == "invalid_tool_call"
    if call.get("type") == "function_call" and isinstance(part.value, str):
        value = parsed(part.value)
        part.value = part.value if value is None else value
    return part


# ---------------------------------------------------------------- writing


def _told(message: Message, inner: dict[str, Json]) -> dict[str, Json]:
    """The message's own object with what became of its parts."""
    if message.role == TOOL:
        return {**inner, "content": as_text(message.parts[0].value)}
    spelled = {id(one): _respelled(one, part) for part in message.of(CALL) for one in (part.raw, *part.also)}
    out = dict(inner)
    if message.role != ASSISTANT:
        return out
    for key in LISTS:
        if isinstance(inner.get(key), list):
            out[key] = [spelled[id(call)] for call in inner[key] if id(call) in spelled]
    if isinstance(inner.get("content"), list):
        out["content"] = [spelled.get(id(block), block) for block in inner["content"]
                          if id(block) in spelled or not _calls(block)]  # fmt: skip
    if _own(inner):
        own = [spelled[id(call)] for call in _own(inner) if id(call) in spelled]
        beside = {key: value for key, value in inner["additional_kwargs"].items() if key != "tool_calls"}
        out["additional_kwargs"] = {**beside, "tool_calls": own} if own else beside
    return out


def _calls(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") in CALLING


def _respelled(call: Json, part: Part) -> Json:
    """One telling of a call, with arguments that a pass changed."""
    if not part.changed or not isinstance(call, dict):
        return call
    if isinstance(call.get("function"), dict):
        return {**call, "function": {**call["function"], "arguments": compact(part.value)}}
    key = next((key for key in ("args", "input", "arguments") if key in call), "args")
    return {**call, key: compact(part.value) if key == "arguments" else part.value}


def _made(message: Message) -> dict[str, Json]:
    if message.role == TOOL:
        part = message.parts[0]
        out = {
            "type": TOOL,
            "content": as_text(part.value),
            "tool_call_id": part.id,
            "name": part.name or None,
        }
        return {**out, "status": "error" if part.error else "success"}
    texts, calls = message.of(TEXT, OTHER), message.of(CALL)
    content: Json = [
        part.raw if part.raw is not None else {"type": "text", "text": part.text} for part in texts
    ]
    if len(texts) < 2:
        content = texts[0].text if texts else ""
    kind = SYSTEM if message.role == DEVELOPER else TYPES.get(message.role, message.role)
    told = [{"name": p.name, "args": p.value, "id": p.id, "type": "tool_call"} for p in calls]
    return {"type": kind, "content": content, **({"tool_calls": told} if calls else {})}
