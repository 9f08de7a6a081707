"""The event catalogue of AG-UI 1.0, 31 types, and the five THINKING types it dropped.

Per type: its fields, each with its check and whether it is required, and the event made of them.
Source: https://ag-ui.com/spec/1.0/schema.json. `timestamp` is read apart; `rawEvent` may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from turnscope.core import events as e
from turnscope.core.dialects.ag_ui import fields as f
from turnscope.core.dialects.ag_ui.lanes import CALL, REASONING, TEXT
from turnscope.core.dialects.ag_ui.messages import messages, run_input, run_outcome, subagent_outcome
from turnscope.core.events import Event, Json

Values: TypeAlias = dict[str, Json]


class Field(NamedTuple):
    name: str
    check: f.Check
    required: bool
    aliases: tuple[str, ...]
    """What producers are known to call it instead."""


class Type(NamedTuple):
    fields: tuple[Field, ...]
    make: Callable[[Values], Event] | None
    """None for a CHUNK, whose events depend on the lanes."""
    chunk: str = ""


def _must(name: str, check: f.Check = f.text, *aliases: str) -> Field:
    return Field(name, check, required=True, aliases=aliases)


def _may(name: str, check: f.Check = f.text) -> Field:
    return Field(name, check, required=False, aliases=())


_METADATA = _may("metadata", f.mapping)
_AGENT = _may("subagentRunId")
_OWN_AGENT = _must("subagentRunId")
_ROLE = _may("role", f.one_of("developer", "system", "assistant", "user"))
_MESSAGE = _must("messageId")
_CALL = _must("toolCallId", f.text, "id")
_NAME = _must("toolCallName", f.text, "toolName", "name")
_DELTA = _must("delta", f.text, "content")
_ARGS = _must("delta", f.text, "args", "arguments")
_CONTENT = _must("content", f.content, "result", "output")
_PATCH = _must("patch", f.operations, "delta")
_ERROR = _must("message", f.text, "error")
_USAGE = _may("usage", f.usage)


def _type(make: Callable[[Values], Event], *fields: Field) -> Type:
    return Type((*fields, _AGENT, _METADATA), make)


def _whole(make: Callable[[Values], Event], *fields: Field) -> Type:
    """A type that belongs to the run or the conversation: it has no subagentRunId."""
    return Type((*fields, _METADATA), make)


def _chunk(kind: str, *fields: Field) -> Type:
    return Type((*fields, _may("delta"), _AGENT, _METADATA), None, kind)


def _run_started(v: Values) -> Event:
    return e.RunStarted(v["threadId"], v["runId"], v["parentRunId"], v["input"], v["protocolVersion"])


def _run_finished(v: Values) -> Event:
    outcome = v["outcome"]
    if outcome is None:
        return e.RunFinished(v["threadId"], v["runId"], "success", result=v["result"])
    return e.RunFinished(
        v["threadId"], v["runId"], outcome.word, outcome.pending, outcome.interrupts, v["result"]
    )


def _text_start(v: Values) -> Event:
    return e.TextStart(v["messageId"] or "", v["role"] or "assistant", v["name"], v["subagentRunId"])


def _call_start(v: Values) -> Event:
    return e.CallStart(
        v["toolCallId"] or "", v["toolCallName"] or "", v["parentMessageId"], v["subagentRunId"]
    )


def _call_result(v: Values) -> Event:
    return e.CallResult(v["toolCallId"] or "", v["content"], v["messageId"], agent=v["subagentRunId"])


def _activity(v: Values) -> Event:
    replace = True if v["replace"] is None else v["replace"]
    return e.ActivitySnapshot(
        v["messageId"] or "", v["activityType"] or "", v["content"], replace, v["subagentRunId"]
    )


def _by_id(cls: Callable[..., Event], key: str = "messageId") -> Callable[[Values], Event]:
    return lambda v: cls(v[key] or "", agent=v["subagentRunId"])


def _delta(cls: Callable[..., Event], key: str = "messageId") -> Callable[[Values], Event]:
    return lambda v: cls(v[key] or "", v["delta"] or "", v["subagentRunId"])


TYPES: dict[str, Type] = {
    "RUN_STARTED": _whole(
        _run_started,
        _must("threadId"),
        _must("runId"),
        _may("parentRunId"),
        _may("protocolVersion"),
        _may("input", run_input),
    ),
    "RUN_FINISHED": _whole(
        _run_finished,
        _must("threadId"),
        _must("runId"),
        _may("outcome", run_outcome),
        _may("result", f.anything),
        _USAGE,
    ),
    "RUN_ERROR": _whole(
        lambda v: e.RunFailed(v["message"] or "", v["code"]),
        _ERROR,
        _may("code"),
        _USAGE,
    ),
    "STEP_STARTED": _type(_by_id(e.StepStarted, "stepName"), _must("stepName")),
    "STEP_FINISHED": _type(_by_id(e.StepFinished, "stepName"), _must("stepName")),
    "TEXT_MESSAGE_START": _type(_text_start, _MESSAGE, _ROLE, _may("name")),
    "TEXT_MESSAGE_CONTENT": _type(_delta(e.TextDelta), _MESSAGE, _DELTA),
    "TEXT_MESSAGE_END": _type(_by_id(e.TextEnd), _MESSAGE),
    "TEXT_MESSAGE_CHUNK": _chunk(TEXT, _may("messageId"), _may("name"), _ROLE),
    "TOOL_CALL_START": _type(_call_start, _CALL, _NAME, _may("parentMessageId")),
    "TOOL_CALL_ARGS": _type(_delta(e.CallArgs, "toolCallId"), _CALL, _ARGS),
    "TOOL_CALL_END": _type(_by_id(e.CallEnd, "toolCallId"), _CALL),
    "TOOL_CALL_CHUNK": _chunk(CALL, _may("toolCallId"), _may("toolCallName"), _may("parentMessageId")),
    "TOOL_CALL_RESULT": _type(_call_result, _CALL, _MESSAGE, _CONTENT, _may("role", f.one_of("tool"))),
    "STATE_SNAPSHOT": _type(
        lambda v: e.StateSnapshot(v["snapshot"], v["subagentRunId"]),
        _must("snapshot", f.anything, "state"),
    ),
    "STATE_DELTA": _type(
        lambda v: e.StatePatch(v["delta"], v["subagentRunId"]), _must("delta", f.operations, "patch")
    ),
    "MESSAGES_SNAPSHOT": _whole(
        lambda v: e.MessagesSnapshot(v["messages"] or ()), _must("messages", messages)
    ),
    "ACTIVITY_SNAPSHOT": _type(
        _activity,
        _must("messageId"),
        _must("activityType"),
        _must("content", f.mapping),
        _may("replace", f.flag),
    ),
    "ACTIVITY_DELTA": _type(
        lambda v: e.ActivityPatch(
            v["messageId"] or "", v["activityType"] or "", v["patch"], v["subagentRunId"]
        ),
        _must("messageId"),
        _must("activityType"),
        _PATCH,
    ),
    "RAW": _type(
        lambda v: e.Raw(v["event"], v["source"], v["subagentRunId"]),
        _must("event", f.anything),
        _may("source"),
    ),
    "CUSTOM": _type(
        lambda v: e.Custom(v["name"] or "", v["value"], v["subagentRunId"]),
        _must("name"),
        _must("value", f.anything),
    ),
    "REASONING_START": _type(_by_id(e.ReasoningStart), _MESSAGE),
    "REASONING_MESSAGE_START": _type(
        _by_id(e.ReasoningMessageStart), _MESSAGE, _may("role", f.one_of("reasoning"))
    ),
    "REASONING_MESSAGE_CONTENT": _type(_delta(e.ReasoningDelta), _MESSAGE, _DELTA),
    "REASONING_MESSAGE_END": _type(_by_id(e.ReasoningMessageEnd), _MESSAGE),
    "REASONING_MESSAGE_CHUNK": _chunk(REASONING, _may("messageId")),
    "REASONING_END": _type(_by_id(e.ReasoningEnd), _MESSAGE),
    "REASONING_ENCRYPTED_VALUE": _type(
        lambda v: e.ReasoningEncrypted(
            v["subtype"] or "", v["entityId"] or "", v["encryptedValue"] or "", v["subagentRunId"]
        ),
        _must("subtype", f.one_of("tool-call", "message")),
        _must("entityId"),
        _must("encryptedValue"),
    ),
    "SUBAGENT_STARTED": Type(
        (
            _OWN_AGENT,
            _must("name"),
            _may("description"),
            _may("parentSubagentRunId"),
            _may("parentToolCallId"),
            _may("parentMessageId"),
            _METADATA,
        ),
        lambda v: e.SubagentStarted(
            v["subagentRunId"] or "", v["name"] or "", v["parentSubagentRunId"], v["parentToolCallId"]
        ),
    ),
    "SUBAGENT_FINISHED": Type(
        (_OWN_AGENT, _may("outcome", subagent_outcome), _METADATA),
        lambda v: e.SubagentFinished(v["subagentRunId"] or "", v["outcome"] or "success"),
    ),
    "SUBAGENT_ERROR": Type(
        (_OWN_AGENT, _ERROR, _may("code"), _METADATA),
        lambda v: e.SubagentFailed(v["subagentRunId"] or "", v["message"] or "", v["code"]),
    ),
}

THINKING = "thinking"
"""The id of what THINKING events build: they carry none, and the same frames must always give the same."""

LEGACY: dict[str, Type] = {
    "THINKING_START": Type((_may("title"), _METADATA), lambda v: e.ReasoningStart(THINKING)),
    "THINKING_END": Type((_METADATA,), lambda v: e.ReasoningEnd(THINKING)),
    "THINKING_TEXT_MESSAGE_START": Type((_METADATA,), lambda v: e.ReasoningMessageStart(THINKING)),
    "THINKING_TEXT_MESSAGE_CONTENT": Type(
        (_DELTA, _METADATA), lambda v: e.ReasoningDelta(THINKING, v["delta"] or "")
    ),
    "THINKING_TEXT_MESSAGE_END": Type((_METADATA,), lambda v: e.ReasoningMessageEnd(THINKING)),
}


def gather(type_: Type, value: Values, notes: f.Notes) -> Values:
    """Every field of the type as its check gives it; None where it is absent."""
    text, snake, take = f.text, f.snake, f.take
    get = value.get
    gathered: Values = {}
    for name, check, required, aliases in type_.fields:
        found = get(name)
        if type(found) is str and check is text:
            gathered[name] = found
        elif found is None and not required and name not in value and snake(name) not in value:
            gathered[name] = None
        else:
            gathered[name] = take(value, name, check, notes, required=required, aliases=aliases)
    return gathered
