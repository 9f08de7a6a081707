"""What the official client's validators take of each event, and where one would throw. Part of `verify`.

The generated schemas of AG-UI 1.0 as `enforceEvents` of `@ag-ui/client` 1.0.0 applies them: an unknown
field is removed, an unknown member of a union is removed with what cannot be without it, a wrong value on a
known field is fatal. The nulls its compatibility boundary takes for absent are written into the table.
A check takes a value and gives None, DROP, or (where, what): the first thing that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from turnscope.core.inputs import Json

Bad: TypeAlias = tuple[str, str]
"""(path within the value, the validator's words)"""
Check: TypeAlias = Callable[[Json], Bad | None]

DROP: Bad = ("", "removed")
"""This very object: the value is a union's unknown member, which is removed and not refused."""
SAFE = 2**53 - 1
_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)*")
_NAMES: dict[type, str] = {
    str: "string", bool: "boolean", dict: "object", list: "array", type(None): "null",
    int: "number", float: "number",
}  # fmt: skip


def _expected(what: str, value: Json) -> Bad:
    return ("", f"expected {what}, received {_NAMES.get(type(value), 'number')}")


def _joined(key: str, bad: Bad) -> Bad:
    inner = bad[0]
    return (f"{key}{inner}" if inner[:1] in ("", "[") else f"{key}.{inner}", bad[1])


# ---------------------------------------------------------------- kinds of values


def _string(value: Json) -> Bad | None:
    return None if type(value) is str else _expected("string", value)


def _flag(value: Json) -> Bad | None:
    return None if type(value) is bool else _expected("boolean", value)


def _mapping(value: Json) -> Bad | None:
    return None if type(value) is dict else _expected("object", value)


def _not_null(value: Json) -> Bad | None:
    return ("", "null, where only absent would do") if value is None else None


def _anything(value: Json) -> Bad | None:
    return None


def _whole(lowest: int) -> Check:
    def check(value: Json) -> Bad | None:
        kind = type(value)
        if kind is not int and kind is not float:
            return _expected("number", value)
        if kind is float and not value.is_integer():
            return _expected("int", value)
        if value > SAFE:
            return ("", f"too big: expected int to be <={SAFE}")
        return ("", f"too small: expected int to be >={lowest}") if value < lowest else None

    return check


def _one_of(*words: str) -> Check:
    expected = " or ".join(f'"{word}"' for word in words)

    def check(value: Json) -> Bad | None:
        return None if type(value) is str and value in words else ("", f"expected {expected}")

    return check


def _pointer(value: Json) -> Bad | None:
    if type(value) is str and not _POINTER.fullmatch(value):
        return ("", "no JSON pointer")
    return _string(value)


def _or_null(check: Check) -> Check:
    """A null that the compatibility boundary, or the schema itself, takes for absent."""
    return lambda value: None if value is None else check(value)


# ---------------------------------------------------------------- objects, lists, unions


def _object(required: dict[str, Check], optional: dict[str, Check], *, falls_with: str = "") -> Check:
    """An object. `falls_with`: the required field whose removal removes the object too."""
    fields = {**optional, **required}
    plain = frozenset(name for name, check in fields.items() if check is _string)
    must = tuple(required)

    def check(value: Json) -> Bad | None:
        if type(value) is not dict:
            return _expected("object", value)
        if falls_with and falls_with in value and fields[falls_with](value[falls_with]) is DROP:
            return DROP
        for key, found in value.items():
            if type(found) is str and key in plain:
                continue
            one = fields.get(key)
            if one is None:
                continue
            bad = one(found)
            if bad is not None and bad is not DROP:
                return _joined(key, bad)
        for key in must:
            if key not in value:
                return (key, "missing")
        return None

    return check


def _list(item: Check, *, least: int = 0) -> Check:
    def check(value: Json) -> Bad | None:
        if type(value) is not list:
            return _expected("array", value)
        kept = 0
        for index, one in enumerate(value):
            bad = item(one)
            if bad is None:
                kept += 1
            elif bad is not DROP:
                return _joined(f"[{index}]", bad)
        return ("", f"too small: expected array to have >={least} items") if kept < least else None

    return check


def _union(tag: str, members: dict[str, Check]) -> Check:
    def check(value: Json) -> Bad | None:
        if type(value) is not dict:
            return _expected("object", value)
        word = value.get(tag)
        member = members.get(word) if type(word) is str else None
        return member(value) if member is not None else DROP

    return check


def _text_or(parts: Check) -> Check:
    def check(value: Json) -> Bad | None:
        if type(value) is str:
            return None
        return parts(value) if type(value) is list else _expected("string or array", value)

    return check


# ---------------------------------------------------------------- parts, messages, inputs

_SOURCE = _union(
    "type",
    {
        "data": _object({"value": _string, "mimeType": _string}, {}),
        "url": _object({"value": _string}, {"mimeType": _string}),
        "file": _object({"value": _string}, {"provider": _string, "mimeType": _string}),
    },
)
MEDIA = ("image", "audio", "video", "document")


def _truthy(value: Json) -> bool:
    """As JavaScript has it: an empty list is."""
    return not (value is None or value is False or value == "" or (type(value) in (int, float) and not value))


def _binary(part: Json) -> Bad | None:
    """A part of before 1.0: made a media part, where it says what it holds; else removed."""
    if type(part.get("mimeType")) is not str:
        return DROP
    held = next((name for name in ("data", "url") if _truthy(part.get(name))), None)
    if held is None:
        return DROP
    bad = _string(part[held])
    return _joined("source", _joined("value", bad)) if bad is not None else None


def _parts(metadata: Check, extra: dict[str, Check]) -> Check:
    text = _object({"text": _string}, {"id": _string, "metadata": _not_null})
    media = _object({"source": _SOURCE}, {"id": _string, "metadata": metadata}, falls_with="source")
    return _list(_union("type", {"text": text, **dict.fromkeys(MEDIA, media), **extra}))


_CONTENT = _text_or(_parts(_not_null, {}))
"""Of a result: nothing translates what it has of old."""
_OLD_CONTENT = _text_or(_parts(_anything, {"binary": _binary}))
"""Of a message in a history: the boundary translates first."""

_OWN: dict[str, Check] = {"subagentRunId": _string, "encryptedValue": _string, "metadata": _mapping}
_NAMED: dict[str, Check] = {**_OWN, "name": _string}
_TOOL_CALL = _object(
    {
        "id": _string,
        "type": _one_of("function"),
        "function": _object({"name": _string, "arguments": _string}, {}),
    },
    {"encryptedValue": _string, "metadata": _mapping},
)
_PLAIN_MESSAGE = _object({"id": _string, "content": _string}, _NAMED)
MESSAGE = _union(
    "role",
    {
        "developer": _PLAIN_MESSAGE,
        "system": _PLAIN_MESSAGE,
        "assistant": _object({"id": _string}, {**_NAMED, "content": _string, "toolCalls": _list(_TOOL_CALL)}),
        "user": _object({"id": _string, "content": _OLD_CONTENT}, _NAMED),
        "tool": _object(
            {"id": _string, "content": _OLD_CONTENT, "toolCallId": _string}, {**_OWN, "error": _string}
        ),
        "activity": _object(
            {"id": _string, "activityType": _string, "content": _mapping},
            {"subagentRunId": _string, "metadata": _mapping},
        ),
        "reasoning": _object({"id": _string, "content": _string}, _OWN),
    },
)
_MESSAGES = _list(MESSAGE)
_INPUT = _object(
    {"threadId": _string, "runId": _string, "messages": _MESSAGES},
    {
        "protocolVersion": _string,
        "parentRunId": _string,
        "tools": _list(_object({"name": _string, "description": _string}, {"metadata": _mapping})),
        "context": _list(_object({"description": _string, "value": _string}, {})),
        "resume": _list(
            _object(
                {"interruptId": _string, "status": _one_of("resolved", "cancelled")}, {"metadata": _mapping}
            )
        ),
    },
)

# ---------------------------------------------------------------- outcomes, patches, usage

_INTERRUPT = _object(
    {"id": _string, "reason": _string},
    {
        "subagentRunId": _string,
        "message": _string,
        "toolCallId": _string,
        "responseSchema": _mapping,
        "expiresAt": _string,
        "metadata": _mapping,
    },
)
_OUTCOME = _union(
    "type",
    {
        "success": _object({}, {"pendingToolCallIds": _list(_string)}),
        "interrupt": _object({"interrupts": _list(_INTERRUPT, least=1)}, {}),
        "cancelled": _object({}, {}),
    },
)
_SUBAGENT_OUTCOME = _union(
    "type", {"success": _object({}, {}), "suspended": _object({}, {"interruptIds": _list(_string)})}
)
_AT: dict[str, Check] = {"path": _pointer}
_PUT = _object({**_AT, "value": _anything}, {})
_CARRY = _object({**_AT, "from": _pointer}, {})
_PATCH = _list(
    _union(
        "op",
        {
            "add": _PUT,
            "replace": _PUT,
            "test": _PUT,
            "remove": _object(_AT, {}),
            "move": _CARRY,
            "copy": _CARRY,
        },
    )
)
_COUNTS = (
    "inputTokens", "outputTokens", "totalTokens",
    "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens",
)  # fmt: skip
_USAGE = _list(_object({}, {"provider": _string, "model": _string, **dict.fromkeys(_COUNTS, _whole(0))}))

# ---------------------------------------------------------------- events

_COMMON: dict[str, Check] = {"timestamp": _whole(-SAFE), "metadata": _mapping}
_TAGGED: dict[str, Check] = {**_COMMON, "subagentRunId": _string}
_ROLES = _one_of("developer", "system", "assistant", "user")


def _event(*required: str, **optional: Check) -> Check:
    return _object(dict.fromkeys(required, _string), {**_TAGGED, **optional})


def _holding(name: str, check: Check, *required: str, **optional: Check) -> Check:
    """An event with one required field that is no string."""
    return _object({**dict.fromkeys(required, _string), name: check}, {**_TAGGED, **optional})


def _of_run(required: dict[str, Check], **optional: Check) -> Check:
    """An event that belongs to the whole run: a subagentRunId on it is one unknown field more."""
    return _object(required, {**_COMMON, **optional})


_IDS: dict[str, Check] = {"threadId": _string, "runId": _string}

EVENTS: dict[str, Check] = {
    "TEXT_MESSAGE_START": _event("messageId", role=_ROLES, name=_string),
    "TEXT_MESSAGE_CONTENT": _event("messageId", "delta"),
    "TEXT_MESSAGE_END": _event("messageId"),
    "TEXT_MESSAGE_CHUNK": _event(messageId=_string, role=_ROLES, delta=_string, name=_string),
    "TOOL_CALL_START": _event("toolCallId", "toolCallName", parentMessageId=_or_null(_string)),
    "TOOL_CALL_ARGS": _event("toolCallId", "delta"),
    "TOOL_CALL_END": _event("toolCallId"),
    "TOOL_CALL_CHUNK": _event(
        toolCallId=_string, toolCallName=_string, parentMessageId=_or_null(_string), delta=_string
    ),
    "TOOL_CALL_RESULT": _holding("content", _CONTENT, "messageId", "toolCallId", role=_one_of("tool")),
    "STATE_SNAPSHOT": _holding("snapshot", _anything),
    "STATE_DELTA": _holding("delta", _PATCH),
    "MESSAGES_SNAPSHOT": _of_run({"messages": _MESSAGES}),
    "ACTIVITY_SNAPSHOT": _holding("content", _mapping, "messageId", "activityType", replace=_flag),
    "ACTIVITY_DELTA": _holding("patch", _PATCH, "messageId", "activityType"),
    "RAW": _holding("event", _anything, source=_string),
    "CUSTOM": _holding("value", _anything, "name"),
    "RUN_STARTED": _of_run(_IDS, protocolVersion=_string, parentRunId=_string, input=_INPUT),
    "RUN_FINISHED": _of_run(_IDS, outcome=_or_null(_OUTCOME), usage=_USAGE),
    "RUN_ERROR": _of_run({"message": _string}, code=_string, usage=_USAGE),
    "STEP_STARTED": _event("stepName"),
    "STEP_FINISHED": _event("stepName"),
    "REASONING_START": _event("messageId"),
    "REASONING_MESSAGE_START": _holding("role", _one_of("reasoning"), "messageId"),
    "REASONING_MESSAGE_CONTENT": _event("messageId", "delta"),
    "REASONING_MESSAGE_END": _event("messageId"),
    "REASONING_MESSAGE_CHUNK": _event(messageId=_string, delta=_string),
    "REASONING_END": _event("messageId"),
    "REASONING_ENCRYPTED_VALUE": _holding(
        "subtype", _one_of("tool-call", "message"), "entityId", "encryptedValue"
    ),
    "SUBAGENT_STARTED": _event(
        "subagentRunId",
        "name",
        description=_string,
        parentSubagentRunId=_string,
        parentToolCallId=_string,
        parentMessageId=_string,
    ),
    "SUBAGENT_FINISHED": _event("subagentRunId", outcome=_SUBAGENT_OUTCOME),
    "SUBAGENT_ERROR": _event("subagentRunId", "message", code=_string),
}
"""Every type the client knows. What has another type is dropped before anything looks at it."""
