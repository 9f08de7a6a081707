"""Samples of every AG-UI event, complete, and how tests look at what a reader made of them."""

from __future__ import annotations

import copy
from typing import Any

from turnscope.core import events as e
from turnscope.core.dialects import ag_ui
from turnscope.core.framing import Decoded

COMPLETE: dict[str, dict[str, Any]] = {
    "RUN_STARTED": {
        "threadId": "t", "runId": "r", "parentRunId": "r0", "protocolVersion": "1.0",
        "input": {
            "threadId": "t", "runId": "r", "state": {}, "forwardedProps": {},
            "messages": [
                {"id": "1", "role": "user", "content": "hi"},
                {"id": "2", "role": "assistant", "content": "", "toolCalls": [
                    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
                {"id": "3", "role": "tool", "toolCallId": "c1", "content": "found"},
                {"id": "4", "role": "user", "content": [
                    {"type": "text", "text": "and this"},
                    {"type": "image", "source": {"type": "data", "value": "QQ==", "mimeType": "image/png"}}]},
            ],
            "tools": [{"name": "look", "description": "looks", "parameters": {"type": "object"}}],
            "context": [{"description": "d", "value": "v"}],
            "resume": [{"interruptId": "i1", "status": "resolved", "payload": {"ok": True}}],
        },
    },
    "RUN_FINISHED": {
        "threadId": "t", "runId": "r", "result": 1,
        "outcome": {"type": "interrupt", "interrupts": [
            {"id": "i1", "reason": "approval", "toolCallId": "c1", "expiresAt": "2026-12-01T00:00:00Z"}]},
        "usage": [{"provider": "p", "inputTokens": 3}],
    },
    "RUN_ERROR": {"message": "gone", "code": "E1"},
    "STEP_STARTED": {"stepName": "s", "subagentRunId": "sub"},
    "STEP_FINISHED": {"stepName": "s", "subagentRunId": "sub"},
    "TEXT_MESSAGE_START": {"messageId": "m", "role": "user", "name": "bo", "subagentRunId": "sub"},
    "TEXT_MESSAGE_CONTENT": {"messageId": "m", "delta": "", "subagentRunId": "sub"},
    "TEXT_MESSAGE_END": {"messageId": "m", "subagentRunId": "sub"},
    "TOOL_CALL_START": {
        "toolCallId": "c", "toolCallName": "n", "parentMessageId": "m", "subagentRunId": "sub"},
    "TOOL_CALL_ARGS": {"toolCallId": "c", "delta": "{}", "subagentRunId": "sub"},
    "TOOL_CALL_END": {"toolCallId": "c", "subagentRunId": "sub"},
    "TOOL_CALL_RESULT": {
        "messageId": "m", "toolCallId": "c", "content": [{"type": "text", "text": "x"}], "role": "tool",
        "subagentRunId": "sub"},
    "STATE_SNAPSHOT": {"snapshot": {"a": 1}, "subagentRunId": "sub"},
    "STATE_DELTA": {"delta": [{"op": "add", "path": "/a", "value": 1}], "subagentRunId": "sub"},
    "MESSAGES_SNAPSHOT": {"messages": [
        {"id": "1", "role": "developer", "content": "x"}, {"id": "2", "role": "system", "content": "x"},
        {"id": "3", "role": "assistant"}, {"id": "4", "role": "reasoning", "content": "x"},
        {"id": "5", "role": "activity", "activityType": "a", "content": {}},
        {"id": "6", "role": "tool", "toolCallId": "c", "content": "x", "error": "no"}]},
    "ACTIVITY_SNAPSHOT": {
        "messageId": "m", "activityType": "a", "content": {}, "replace": False, "subagentRunId": "sub"},
    "ACTIVITY_DELTA": {
        "messageId": "m", "activityType": "a", "patch": [{"op": "remove", "path": "/a"}],
        "subagentRunId": "sub"},
    "RAW": {"event": {"x": 1}, "source": "s", "subagentRunId": "sub"},
    "CUSTOM": {"name": "n", "value": None, "subagentRunId": "sub"},
    "REASONING_START": {"messageId": "m", "subagentRunId": "sub"},
    "REASONING_MESSAGE_START": {"messageId": "m", "role": "reasoning", "subagentRunId": "sub"},
    "REASONING_MESSAGE_CONTENT": {"messageId": "m", "delta": "d", "subagentRunId": "sub"},
    "REASONING_MESSAGE_END": {"messageId": "m", "subagentRunId": "sub"},
    "REASONING_END": {"messageId": "m", "subagentRunId": "sub"},
    "REASONING_ENCRYPTED_VALUE": {
        "subtype": "tool-call", "entityId": "c", "encryptedValue": "v", "subagentRunId": "sub"},
    "SUBAGENT_STARTED": {
        "subagentRunId": "sub", "name": "n", "description": "d", "parentSubagentRunId": "p",
        "parentToolCallId": "c", "parentMessageId": "m"},
    "SUBAGENT_FINISHED": {"subagentRunId": "sub", "outcome": {"type": "suspended", "interruptIds": ["i1"]}},
    "SUBAGENT_ERROR": {"subagentRunId": "sub", "message": "m", "code": "c"},
    "TEXT_MESSAGE_CHUNK": {
        "messageId": "m", "role": "assistant", "delta": "d", "name": "n", "subagentRunId": "sub"},
    "TOOL_CALL_CHUNK": {
        "toolCallId": "c", "toolCallName": "n", "parentMessageId": "m", "delta": "{", "subagentRunId": "sub"},
    "REASONING_MESSAGE_CHUNK": {"messageId": "m", "delta": "d", "subagentRunId": "sub"},
}  # fmt: skip
COMMON = {"timestamp": 1_796_000_000_040, "metadata": {"k": None}, "rawEvent": None}


def complete(type_: str) -> dict[str, Any]:
    return {"type": type_, **copy.deepcopy(COMPLETE[type_]), **COMMON}


def read(*values: Any) -> list[e.Event]:
    reader = ag_ui.Reader()
    return [event for value in values for event in reader.read(Decoded(value))]


def odd(events: list[e.Event]) -> list[tuple[str, str]]:
    return [(event.path, event.problem) for event in events if isinstance(event, e.Odd)]


def shape(event: e.Event) -> tuple[Any, ...]:
    """The fields of an event that are not stamps, for comparing at a glance."""
    names = [name for name in event.__dataclass_fields__ if name not in e.Event.__dataclass_fields__]
    return (type(event).__name__, *(getattr(event, name) for name in names))
