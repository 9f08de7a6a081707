"""Builders of AG-UI streams for tests: each returns a list of events, so that streams are added up with `+`.

    stream = run_started() + call("c1", "lookup") + result("c1") + text("Found it.") + finished()
    data = ndjson(stream)

Defaults are the shortest legal spelling; any field can be added or overruled by keyword. `timed` gives
every event a timestamp. What a test needs to be wrong, it leaves out or takes from `event`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]

THREAD, RUN = "thread-1", "run-1"
BEGAN = 1_796_000_000_000
"""What `timed` counts from, in ms: 30 November 2026."""


def event(type: str, **fields: Any) -> list[Event]:
    """One event of any type, exactly these fields."""
    return [{"type": type, **fields}]


# ---------------------------------------------------------------- runs


def run_started(run: str = RUN, thread: str = THREAD, **fields: Any) -> list[Event]:
    """Without an input: nobody says what was asked or offered."""
    return event("RUN_STARTED", threadId=thread, runId=run, **fields)


def run_with_input(
    *messages: Event,
    run: str = RUN,
    thread: str = THREAD,
    tools: Sequence[str] = (),
    resume: Sequence[Event] = (),
) -> list[Event]:
    """RUN_STARTED that echoes its input: history, the tools the client offers, answers to interrupts."""
    run_input: Event = {
        "threadId": thread,
        "runId": run,
        "messages": list(messages),
        "tools": [{"name": name, "description": name} for name in tools],
    }
    if resume:
        run_input["resume"] = list(resume)
    return run_started(run, thread, input=run_input)


def finished(
    run: str = RUN,
    thread: str = THREAD,
    *,
    pending: Sequence[str] | None = None,
    interrupts: Sequence[Event] = (),
    **fields: Any,
) -> list[Event]:
    """RUN_FINISHED: with no outcome, with a pending list, or stopped at interrupts."""
    if interrupts:
        fields["outcome"] = {"type": "interrupt", "interrupts": list(interrupts)}
    elif pending is not None:
        fields["outcome"] = {"type": "success", "pendingToolCallIds": list(pending)}
    return event("RUN_FINISHED", threadId=thread, runId=run, **fields)


def failed(message: str = "The model is gone.", **fields: Any) -> list[Event]:
    return event("RUN_ERROR", message=message, **fields)


def interrupt(id: str = "int-1", call: str | None = None, reason: str = "tool_approval") -> Event:
    return {"id": id, "reason": reason} | ({"toolCallId": call} if call else {})


def resume(id: str = "int-1", status: str = "resolved", payload: Any = None) -> Event:
    return {
        "interruptId": id,
        "status": status,
        "payload": {"approved": True} if payload is None else payload,
    }


# ---------------------------------------------------------------- what is said


def text(words: str = "Hello there.", id: str = "m1", *, pieces: int = 2) -> list[Event]:
    """A whole message, its text cut into `pieces`."""
    size = max(1, -(-len(words) // pieces))
    deltas = [words[at : at + size] for at in range(0, len(words), size)]
    return [
        *event("TEXT_MESSAGE_START", messageId=id, role="assistant"),
        *(one for delta in deltas for one in event("TEXT_MESSAGE_CONTENT", messageId=id, delta=delta)),
        *event("TEXT_MESSAGE_END", messageId=id),
    ]


# ---------------------------------------------------------------- calls


def call_started(id: str = "c1", name: str = "lookup", **fields: Any) -> list[Event]:
    return event("TOOL_CALL_START", toolCallId=id, toolCallName=name, **fields)


def arguments(id: str = "c1", delta: str = "{}") -> list[Event]:
    return event("TOOL_CALL_ARGS", toolCallId=id, delta=delta)


def call_ended(id: str = "c1") -> list[Event]:
    return event("TOOL_CALL_END", toolCallId=id)


def call(id: str = "c1", name: str = "lookup", args: Any = None, **fields: Any) -> list[Event]:
    """A complete call: START, ARGS, END. `args` as text goes out as it is; None is `{}`."""
    spelled = args if isinstance(args, str) else json.dumps({} if args is None else args)
    return call_started(id, name, **fields) + arguments(id, spelled) + call_ended(id)


def result(id: str = "c1", content: Any = "done", message: str | None = None, **fields: Any) -> list[Event]:
    """A result in the stream; its tool message is `<id>-answer` unless said otherwise."""
    return event(
        "TOOL_CALL_RESULT", messageId=message or f"{id}-answer", toolCallId=id, content=content, **fields
    )


# ---------------------------------------------------------------- messages of a history


def user(content: str = "Please look it up.", id: str = "u1") -> Event:
    return {"id": id, "role": "user", "content": content}


def assistant(*calls: tuple[str, str, str], content: str = "", id: str = "m1") -> Event:
    """An assistant message holding calls, each (id, name, argument text)."""
    message: Event = {"id": id, "role": "assistant", "content": content}
    if calls:
        message["toolCalls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": args}}
            for call_id, name, args in calls
        ]
    return message


def tool(call_id: str = "c1", content: str = "done", id: str | None = None, **fields: Any) -> Event:
    """A tool message: the history's spelling of an answer."""
    return {
        "id": id or f"{call_id}-answer",
        "role": "tool",
        "toolCallId": call_id,
        "content": content,
        **fields,
    }


# ---------------------------------------------------------------- the whole


def timed(events: Iterable[Event], *, start: int = BEGAN, every: int = 50) -> list[Event]:
    """The same events, `every` ms apart; one that has a timestamp keeps it, and the clock goes on there."""
    clock, out = start, []
    for one in events:
        clock = one.get("timestamp", clock)
        out.append({**one, "timestamp": clock})
        clock += every
    return out


def ndjson(events: Iterable[Event]) -> bytes:
    """As they go over the wire: one JSON object a line."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)
