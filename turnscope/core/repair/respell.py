"""An AG-UI event spelled as 1.0 has it, out of what was read: for frames that deviate, and for additions.

Nothing is invented: a field that cannot be spelled is left out, and an event that is nothing without it
is not spelled at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from turnscope.core import events as e
from turnscope.core.dialects.ag_ui.messages import ROLES
from turnscope.core.repair.transcript import Json, as_text

Dict = dict[str, Json]

SAFE = 2**53 - 1
MAY_BE_NULL = ("event", "value", "snapshot")
TEXT_ROLES = ("developer", "system", "assistant", "user")


def respell(event: e.Event, value: Json) -> Dict | None:
    """The event as the protocol has it, with what `value` says beside (timestamp, metadata); None if it
    cannot be said at all."""
    write = WRITERS.get(type(event))
    fields = write(event) if write is not None else None
    if fields is None:
        return None
    out = {key: field for key, field in fields.items() if field is not None or key in MAY_BE_NULL}
    beside = value if isinstance(value, dict) else {}
    stamp = beside.get("timestamp")
    if type(stamp) is int and -SAFE <= stamp <= SAFE:
        out["timestamp"] = stamp
    if isinstance(beside.get("metadata"), dict):
        out["metadata"] = beside["metadata"]
    agent = getattr(event, "agent", None)
    if agent is not None:
        out["subagentRunId"] = agent
    return out


def unnamed(event: e.Event, value: Json) -> Dict | None:
    """`respell` for an event of ours about an id that is the empty string, which a client takes for an id."""
    key = "agent" if isinstance(event, e.SubagentFinished | e.SubagentFailed) else "id"
    if getattr(event, key, None) != "":
        return None
    fields: dict[str, Any] = {key: _NAMED}
    out = respell(replace(event, **fields), value)
    return out and {name: "" if name in _IDS and field == _NAMED else field for name, field in out.items()}


_NAMED = "named"
_IDS = ("messageId", "toolCallId", "subagentRunId")


def pruned(value: Dict, odd: set[str]) -> Dict:
    """A chunk without the fields that deviate: it only continues what is open."""
    return {key: field for key, field in value.items() if key not in odd and field is not None}


def messages(found: tuple[e.HistoryMessage, ...]) -> list[Dict]:
    """The messages of a history that can be spelled."""
    return [spelled for spelled in map(message, found) if spelled is not None]


def message(found: e.HistoryMessage) -> Dict | None:
    """One message as 1.0 has it; None for one without an id or of a role that is none."""
    if found.id is None or found.role not in ROLES:
        return None
    out: Dict = {"id": found.id, "role": found.role}
    raw = found.raw
    for key in ("name", "encryptedValue", "subagentRunId"):
        if isinstance(raw.get(key), str) and not (key == "name" and found.role in _NAMELESS):
            out[key] = raw[key]
    if isinstance(raw.get("metadata"), dict):
        out["metadata"] = raw["metadata"]
    own = _activity_of(found) if found.role == "activity" else _said(found)
    return None if own is None else {**out, **own}


def _activity_of(found: e.HistoryMessage) -> Dict | None:
    kind = found.raw.get("activityType")
    if not isinstance(kind, str) or not isinstance(found.content, dict):
        return None
    return {"activityType": kind, "content": found.content}


def _said(found: e.HistoryMessage) -> Dict | None:
    out: Dict = {}
    if found.role == "tool":
        if found.answers is None:
            return None
        out["toolCallId"] = found.answers
        if found.error:
            out["error"] = as_text(found.raw.get("error"))
    if found.role in ("user", "tool"):
        out["content"] = content(found.content)
    elif found.role != "assistant" or found.content is not None:
        out["content"] = as_text(found.content)
    if found.calls:
        out["toolCalls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in found.calls
        ]
    return out


_NAMELESS = ("tool", "activity", "reasoning")
_MEDIA = ("image", "audio", "video", "document")


def content(value: Json) -> Json:
    """A string, or a list of parts every one of which the protocol knows."""
    if isinstance(value, list) and value and all(_is_part(part) for part in value):
        return value
    return as_text(value)


def _is_part(part: Json) -> bool:
    if not isinstance(part, dict) or any(part.get(key, "") is None for key in ("id", "metadata")):
        return False
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    source = part.get("source")
    if part.get("type") not in _MEDIA or not isinstance(source, dict):
        return False
    mime = source.get("mimeType", "" if source.get("type") != "data" else None)
    return (
        source.get("type") in ("data", "url", "file")
        and isinstance(source.get("value"), str)
        and isinstance(mime, str)
    )


def run_input(found: e.RunInput, thread: str, run: str) -> Dict:
    """A run's input with what can be spelled of it."""
    raw = found.raw
    out: Dict = {
        "threadId": raw["threadId"] if isinstance(raw.get("threadId"), str) else thread,
        "runId": raw["runId"] if isinstance(raw.get("runId"), str) else run,
        "messages": messages(found.messages),
    }
    tools = raw.get("tools")
    out["tools"] = [tool for tool in tools if _is_tool(tool)] if isinstance(tools, list) else []
    context = raw.get("context")
    out["context"] = [one for one in context if _is_context(one)] if isinstance(context, list) else []
    for key in ("state", "forwardedProps"):
        if raw.get(key) is not None:
            out[key] = raw[key]
    if found.resume:
        out["resume"] = [
            {"interruptId": one.interrupt, "status": one.status}
            | ({"payload": one.payload} if one.payload is not None else {})
            for one in found.resume
            if one.status in ("resolved", "cancelled")
        ]
    return out


def _is_tool(tool: Json) -> bool:
    return isinstance(tool, dict) and all(isinstance(tool.get(key), str) for key in ("name", "description"))


def _is_context(entry: Json) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(key), str) for key in ("description", "value")
    )


# ---------------------------------------------------------------- one writer per event


def _run_started(event: e.RunStarted) -> Dict:
    thread, run = event.thread or "thread", event.run or "run"
    told = run_input(event.input, thread, run) if event.input is not None else None
    return {
        "type": "RUN_STARTED",
        "threadId": thread,
        "runId": run,
        "parentRunId": event.parent,
        "protocolVersion": event.protocol,
        "input": told,
    }


def _run_finished(event: e.RunFinished) -> Dict:
    outcome: Dict | None = {"type": event.outcome}
    if event.outcome == "interrupt":
        interrupts = [_interrupt(one) for one in event.interrupts]
        outcome = {"type": "interrupt", "interrupts": interrupts} if interrupts else None
    elif event.outcome == "success":
        outcome = (
            None if event.pending is None else {**(outcome or {}), "pendingToolCallIds": [*event.pending]}
        )
    elif event.outcome != "cancelled":
        outcome = None
    return {
        "type": "RUN_FINISHED",
        "threadId": event.thread or "thread",
        "runId": event.run or "run",
        "outcome": outcome,
        "result": event.result,
    }


def _interrupt(found: e.Interrupt) -> Dict:
    raw = found.raw if isinstance(found.raw, dict) else {}
    out: Dict = {"id": found.id, "reason": found.reason or "unknown"}
    for key in ("message", "toolCallId", "expiresAt", "subagentRunId"):
        if isinstance(raw.get(key), str):
            out[key] = raw[key]
    for key in ("responseSchema", "metadata"):
        if isinstance(raw.get(key), dict):
            out[key] = raw[key]
    return out


def _text_start(event: e.TextStart) -> Dict | None:
    role = event.role if event.role in TEXT_ROLES else None
    return _named(event.id, {"type": "TEXT_MESSAGE_START", "role": role, "name": event.name})


def _named(identity: str, fields: Dict, key: str = "messageId") -> Dict | None:
    return {**fields, key: identity} if identity else None


def _call_start(event: e.CallStart) -> Dict | None:
    if not event.name:
        return None
    fields = {"type": "TOOL_CALL_START", "toolCallName": event.name, "parentMessageId": event.parent}
    return _named(event.id, fields, "toolCallId")


def _call_result(event: e.CallResult) -> Dict | None:
    fields = {
        "type": "TOOL_CALL_RESULT",
        "messageId": event.message or f"{event.id}-result",
        "content": content(event.content),
        "role": "tool",
    }
    return _named(event.id, fields, "toolCallId")


def _activity(event: e.ActivitySnapshot) -> Dict | None:
    if not event.kind or not isinstance(event.content, dict):
        return None
    fields = {
        "type": "ACTIVITY_SNAPSHOT",
        "activityType": event.kind,
        "content": event.content,
        "replace": None if event.replace else False,
    }
    return _named(event.id, fields)


def _patch(event: e.ActivityPatch) -> Dict | None:
    if not event.kind or not is_patch(event.operations):
        return None
    fields = {"type": "ACTIVITY_DELTA", "activityType": event.kind, "patch": event.operations}
    return _named(event.id, fields)


def is_patch(operations: Json) -> bool:
    """Whether it is a list of operations as RFC 6902 spells them."""
    return isinstance(operations, list) and all(_is_operation(one) for one in operations)


def _is_operation(one: Json) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("path"), str):
        return False
    if one.get("op") in ("move", "copy"):
        return isinstance(one.get("from"), str)
    return one.get("op") == "remove" or (one.get("op") in ("add", "replace", "test") and "value" in one)


def _agent(kind: str, event: Any, **fields: Json) -> Dict | None:
    return {"type": kind, **fields} if event.agent else None


WRITERS: dict[type[e.Event], Callable[..., Dict | None]] = {
    e.RunStarted: _run_started,
    e.RunFinished: _run_finished,
    e.RunFailed: lambda ev: {"type": "RUN_ERROR", "message": ev.message, "code": ev.code},
    e.StepStarted: lambda ev: {"type": "STEP_STARTED", "stepName": ev.name},
    e.StepFinished: lambda ev: {"type": "STEP_FINISHED", "stepName": ev.name},
    e.TextStart: _text_start,
    e.TextDelta: lambda ev: _named(ev.id, {"type": "TEXT_MESSAGE_CONTENT", "delta": ev.delta}),
    e.TextEnd: lambda ev: _named(ev.id, {"type": "TEXT_MESSAGE_END"}),
    e.ReasoningStart: lambda ev: _named(ev.id, {"type": "REASONING_START"}),
    e.ReasoningEnd: lambda ev: _named(ev.id, {"type": "REASONING_END"}),
    e.ReasoningMessageStart: lambda ev: _named(
        ev.id, {"type": "REASONING_MESSAGE_START", "role": "reasoning"}
    ),
    e.ReasoningDelta: lambda ev: _named(ev.id, {"type": "REASONING_MESSAGE_CONTENT", "delta": ev.delta}),
    e.ReasoningMessageEnd: lambda ev: _named(ev.id, {"type": "REASONING_MESSAGE_END"}),
    e.ReasoningEncrypted: lambda ev: (
        {
            "type": "REASONING_ENCRYPTED_VALUE",
            "subtype": ev.subtype,
            "entityId": ev.entity,
            "encryptedValue": ev.value,
        }
        if ev.subtype in ("tool-call", "message") and ev.entity
        else None
    ),
    e.CallStart: _call_start,
    e.CallArgs: lambda ev: _named(ev.id, {"type": "TOOL_CALL_ARGS", "delta": ev.delta}, "toolCallId"),
    e.CallEnd: lambda ev: _named(ev.id, {"type": "TOOL_CALL_END"}, "toolCallId"),
    e.CallResult: _call_result,
    e.StateSnapshot: lambda ev: {"type": "STATE_SNAPSHOT", "snapshot": ev.state},
    e.StatePatch: lambda ev: (
        {"type": "STATE_DELTA", "delta": ev.operations} if is_patch(ev.operations) else None
    ),
    e.MessagesSnapshot: lambda ev: {"type": "MESSAGES_SNAPSHOT", "messages": messages(ev.messages)},
    e.ActivitySnapshot: _activity,
    e.ActivityPatch: _patch,
    e.Raw: lambda ev: {"type": "RAW", "event": ev.event, "source": ev.source},
    e.Custom: lambda ev: {"type": "CUSTOM", "name": ev.name, "value": ev.value},
    e.SubagentStarted: lambda ev: _agent(
        "SUBAGENT_STARTED", ev, name=ev.name, parentSubagentRunId=ev.parent, parentToolCallId=ev.call
    ),
    e.SubagentFinished: lambda ev: _agent(
        "SUBAGENT_FINISHED",
        ev,
        outcome={"type": ev.outcome} if ev.outcome in ("success", "suspended") else None,
    ),
    e.SubagentFailed: lambda ev: _agent("SUBAGENT_ERROR", ev, message=ev.message, code=ev.code),
}
