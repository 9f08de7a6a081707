"""A host that streams AG-UI and leaves no card behind. Run it: `python docs/examples/host.py`

The model is a script here: each step is the calls it makes, and a step without calls is its last text. What
counts is the loop: run your own tools and keep what they return, `settle` what is owed when a step is over,
and end the run only when that says so. `tests/core/test_settle.py` runs the same loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from turnscope.core.repair import Recorded, StepCall, repair, settle, shapes

Event = dict[str, Any]
Tool = Callable[..., Any]

OWNERS = {"load_orders": "server", "show_panel": "client", "refund": "person"}
"""Who owes the answer of a tool. What nobody is named for is the caller's: hosts add tools late."""
SETTINGS = {"preset": "claude_code"}
"""The tools that this harness runs itself."""


def conversation(
    steps: Sequence[Sequence[StepCall]],
    tools: Mapping[str, Tool],
    history: list[Event],
    *,
    gone: Mapping[str, str] | None = None,
    carries_on: bool = True,
) -> Iterator[Event]:
    """A run, event by event. `history` grows by what the model is to read."""
    run = {"threadId": "t1", "runId": "r1"}
    yield {"type": "RUN_STARTED", **run}
    for number, calls in enumerate(steps, 1):
        if not calls:
            yield {"type": "TEXT_MESSAGE_CHUNK", "messageId": f"text-{number}", "delta": "Here you are."}
        for call in calls:
            yield {"type": "TOOL_CALL_START", "toolCallId": call.id, "toolCallName": call.name}
            yield {"type": "TOOL_CALL_ARGS", "toolCallId": call.id, "delta": call.arguments}
            yield {"type": "TOOL_CALL_END", "toolCallId": call.id}
        if calls:
            history.append(_said(calls))
        stopped = not carries_on and number == len(steps)
        settled = settle(
            calls, _captured(calls, tools), OWNERS, settings=SETTINGS, gone=gone, stopped=stopped
        )
        yield from settled.frames
        history += settled.messages
        if settled.may_end:
            yield settled.error or {
                "type": "RUN_FINISHED",
                **run,
                "outcome": settled.outcome or _ask(settled.asked),
            }
            return


def _captured(calls: Sequence[StepCall], tools: Mapping[str, Tool]) -> dict[str, Recorded]:
    """What our own tools return, kept by call id whatever the runtime makes of it."""
    found = {}
    for call in calls:
        if call.name in tools:
            try:
                found[call.id] = Recorded(tools[call.name](**json.loads(call.arguments)))
            except Exception as error:  # what a tool raises is its answer
                found[call.id] = Recorded(f"{type(error).__name__}: {error}", error=True)
    return found


def _said(calls: Sequence[StepCall]) -> Event:
    made = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
    ]
    return {"id": f"asked-{calls[0].id}", "role": "assistant", "toolCalls": made}


def _ask(calls: Sequence[str]) -> Event:
    return {
        "type": "interrupt",
        "interrupts": [{"id": f"approve-{call}", "reason": "approval", "toolCallId": call} for call in calls],
    }


def to_the_model(history: list[Event], *, resumed: Sequence[str] = ()) -> list[Event]:
    """The history as the model API accepts it, right before it is sent: a closed tab bricks no channel.

    `resumed` are the calls that this very request answers. The stored thread is not touched.
    """
    done = repair(shapes.read(history, "ag_ui"), "openai_chat", "drop", pending=resumed)
    return done.messages


def main() -> None:
    calls = [
        StepCall("call-1", "load_orders", '{"day": "today"}'),
        StepCall("call-2", "show_panel", '{"panel": "orders"}'),
        StepCall("call-3", "ToolSearch", '{"query": "invoice"}'),
    ]
    history: list[Event] = [{"id": "u1", "role": "user", "content": "Show me the orders of today."}]
    for event in conversation([calls], {"load_orders": lambda day: {"day": day, "orders": 3}}, history):
        print(json.dumps(event))
    history.append({"id": "u2", "role": "user", "content": "Hello? Nothing happens."})
    print(json.dumps(to_the_model(history), indent=1))


if __name__ == "__main__":
    main()
