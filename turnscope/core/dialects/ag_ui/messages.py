"""Histories: messages, a run's input, and a run's outcome, as AG-UI spells them."""

from __future__ import annotations

from turnscope.core.arguments import digest_of
from turnscope.core.dialects.ag_ui.fields import (
    Notes,
    anything,
    content,
    mapping,
    one_of,
    sequence,
    spelled,
    take,
    text,
    words,
)
from turnscope.core.events import Json
from turnscope.core.inputs import HistoryCall, HistoryMessage, Interrupt, Resume, RunInput, Tool

ROLES = frozenset(("developer", "system", "assistant", "user", "tool", "activity", "reasoning"))
_OPTIONAL = ("name", "encryptedValue", "subagentRunId")
_NAMELESS = frozenset(("tool", "activity", "reasoning"))


def messages(value: Json, path: str, notes: Notes) -> tuple[HistoryMessage, ...]:
    """A list of messages; what is no object is left out."""
    found = []
    for i, raw in enumerate(sequence(value, path, notes)):
        if type(raw) is dict:
            found.append(_message(raw, f"{path}[{i}].", notes))
        else:
            notes.add(f"{path}[{i}]", "not an object")
    return tuple(found)


def _message(raw: dict[str, Json], path: str, notes: Notes) -> HistoryMessage:
    role = take(raw, "role", text, notes, path, required=True) or ""
    if role and role not in ROLES:
        notes.add(f"{path}role", "not one of the protocol's")
    answers = None
    if role == "tool" or "toolCallId" in raw:
        answers = take(raw, "toolCallId", text, notes, path, required=True)
    for name in _OPTIONAL:
        if name in raw and not (name == "name" and role in _NAMELESS):
            take(raw, name, text, notes, path)
    if "metadata" in raw:
        take(raw, "metadata", mapping, notes, path)
    return HistoryMessage(
        take(raw, "id", text, notes, path, required=True),
        role,
        _content(raw, role, path, notes),
        _calls(raw, path, notes),
        answers,
        _error(raw, role, path, notes),
        digest_of(raw),
        raw,
    )


def _content(raw: dict[str, Json], role: str, path: str, notes: Notes) -> Json:
    if role == "assistant":
        # Other protocols write null beside tool calls, and so do clients of this one.
        return take(raw, "content", _plain, notes, path) if "content" in raw else None
    if role == "activity":
        take(raw, "activityType", text, notes, path, required=True)
        return take(raw, "content", mapping, notes, path, required=True)
    check = content if role in ("user", "tool") else _plain
    return take(raw, "content", check, notes, path, required=True, aliases=("result",))


def _plain(value: Json, path: str, notes: Notes) -> Json:
    """A string; parts and whatever else are kept as they came."""
    if type(value) is not str:
        notes.add(path, "not a string")
    return value


def _error(raw: dict[str, Json], role: str, path: str, notes: Notes) -> bool:
    if role != "tool" or "error" not in raw:
        return False
    return bool(take(raw, "error", _plain, notes, path))


def _calls(raw: dict[str, Json], path: str, notes: Notes) -> tuple[HistoryCall, ...]:
    if "toolCalls" not in raw and "tool_calls" not in raw:
        return ()
    told = take(raw, "toolCalls", sequence, notes, path) or ()
    calls = []
    for i, call in enumerate(told):
        inner = f"{path}toolCalls[{i}]"
        if type(call) is dict:
            calls.append(_call(call, f"{inner}.", notes))
        else:
            notes.add(inner, "not an object")
    return tuple(calls)


def _call(call: dict[str, Json], path: str, notes: Notes) -> HistoryCall:
    id_ = take(call, "id", text, notes, path, required=True, aliases=("toolCallId",)) or ""
    if call.get("type") != "function":
        notes.add(f"{path}type", "not one of the protocol's" if "type" in call else "missing")
    for name in ("encryptedValue", "metadata"):
        if name in call:
            take(call, name, text if name == "encryptedValue" else mapping, notes, path)
    function = take(call, "function", mapping, notes, path, required=True)
    if type(function) is dict:
        path += "function."
    else:
        function = call
    name = take(function, "name", text, notes, path, required=True, aliases=("toolName", "toolCallName"))
    arguments = take(function, "arguments", text, notes, path, required=True, aliases=("args", "input"))
    return HistoryCall(id_, name or "", arguments or "")


# ---------------------------------------------------------------- a run's input


def run_input(value: Json, path: str, notes: Notes) -> RunInput | None:
    """A RunAgentInput; None if it is no object."""
    if type(value) is not dict:
        notes.add(path, "not an object")
        return None
    path = f"{path}." if path else ""
    for name in ("threadId", "runId"):
        take(value, name, text, notes, path, required=True)
    for name in ("protocolVersion", "parentRunId"):
        take(value, name, text, notes, path)
    _context(value, path, notes)
    return RunInput(
        take(value, "messages", messages, notes, path, required=True) or (),
        take(value, "tools", _tools, notes, path),
        take(value, "resume", _resume, notes, path) or (),
        value,
    )


def _context(value: dict[str, Json], path: str, notes: Notes) -> None:
    for i, entry in enumerate(take(value, "context", sequence, notes, path) or ()):
        if type(entry) is not dict:
            notes.add(f"{path}context[{i}]", "not an object")
            continue
        for name in ("description", "value"):
            take(entry, name, text, notes, f"{path}context[{i}].", required=True)


def _tools(value: Json, path: str, notes: Notes) -> tuple[Tool, ...]:
    tools = []
    for i, tool in enumerate(sequence(value, path, notes)):
        inner = f"{path}[{i}]"
        if type(tool) is not dict:
            notes.add(inner, "not an object")
            continue
        name = take(tool, "name", text, notes, f"{inner}.", required=True) or ""
        take(tool, "description", text, notes, f"{inner}.", required=True)
        if "metadata" in tool:
            take(tool, "metadata", mapping, notes, f"{inner}.")
        tools.append(Tool(name, digest_of(tool)))
    return tuple(tools)


_STATUS = one_of("resolved", "cancelled")


def _resume(value: Json, path: str, notes: Notes) -> tuple[Resume, ...]:
    entries = []
    for i, entry in enumerate(sequence(value, path, notes)):
        inner = f"{path}[{i}]"
        if type(entry) is not dict:
            notes.add(inner, "not an object")
            continue
        inner += "."
        interrupt = take(entry, "interruptId", text, notes, inner, required=True) or ""
        status = take(entry, "status", _STATUS, notes, inner, required=True) or ""
        if "metadata" in entry:
            take(entry, "metadata", mapping, notes, inner)
        entries.append(Resume(interrupt, status, take(entry, "payload", anything, notes, inner)))
    return tuple(entries)


# ---------------------------------------------------------------- a run's outcome


class Outcome:
    """What `outcome` of RUN_FINISHED or SUBAGENT_FINISHED says."""

    __slots__ = ("interrupts", "pending", "word")

    def __init__(self, word: str = "success") -> None:
        self.word = word
        self.pending: tuple[str, ...] | None = None
        self.interrupts: tuple[Interrupt, ...] = ()


_RUN_OUTCOMES = one_of("success", "interrupt", "cancelled")
_SUBAGENT_OUTCOMES = one_of("success", "suspended")


def run_outcome(value: Json, path: str, notes: Notes) -> Outcome:
    if type(value) is not dict:
        notes.add(path, "not an object")
        return Outcome(value if type(value) is str and value else "success")
    path += "."
    outcome = Outcome(take(value, "type", _RUN_OUTCOMES, notes, path, required=True) or "success")
    pending = take(value, "pendingToolCallIds", words, notes, path)
    outcome.pending = tuple(pending) if pending is not None else None
    if outcome.word == "interrupt" or "interrupts" in value:
        told = take(value, "interrupts", sequence, notes, path, required=True)
        if told == []:
            notes.add(f"{path}interrupts", "empty")
        outcome.interrupts = _interrupts(told or [], f"{path}interrupts", notes)
    return outcome


def _interrupts(told: list[Json], path: str, notes: Notes) -> tuple[Interrupt, ...]:
    found = []
    for i, raw in enumerate(told):
        inner = f"{path}[{i}]"
        if type(raw) is not dict:
            notes.add(inner, "not an object")
            continue
        inner += "."
        for name in ("message", "subagentRunId"):
            take(raw, name, text, notes, inner)
        for name in ("responseSchema", "metadata"):
            take(raw, name, mapping, notes, inner)
        found.append(
            Interrupt(
                take(raw, "id", text, notes, inner, required=True, aliases=("interruptId",)) or "",
                take(raw, "reason", text, notes, inner, required=True) or "",
                take(raw, "toolCallId", text, notes, inner),
                take(raw, "expiresAt", text, notes, inner),
                raw,
            )
        )
    return tuple(found)


def subagent_outcome(value: Json, path: str, notes: Notes) -> str:
    if type(value) is not dict:
        notes.add(path, "not an object")
        return spelled(value) if type(value) is str and value else "success"
    take(value, "interruptIds", words, notes, f"{path}.")
    word: str | None = take(value, "type", _SUBAGENT_OUTCOMES, notes, f"{path}.", required=True)
    return word or "success"
