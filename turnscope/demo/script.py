"""A script for an invented agent: it keeps the conversation and the clock, and spells AG-UI events.

The streams in `streams/` were written with it, and the live player plays what it makes. Everything
is a pure function of the arguments: the small irregularities of a real model's pace come from a
generator seeded with the thread's name. Times are milliseconds.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]

_WORDS = re.compile(r"\S+\s*")


class Script:
    """One conversation being written: `events` is what goes over the wire, `history` what a client keeps."""

    def __init__(self, thread: str, at: int, *, tools: Sequence[str] = (), seed: str = "") -> None:
        self.thread = thread
        self.at = at
        self.tools = tuple(tools)
        self.events: list[Event] = []
        self.history: list[Event] = []
        self.run = ""
        self._pace = random.Random(seed or thread)
        self._count = 0
        self._holder: Event | None = None

    # ------------------------------------------------------------ the clock and the ids

    def wait(self, ms: int) -> None:
        """Let time pass with nothing on the wire."""
        self.at += ms

    def _near(self, ms: int) -> int:
        """About `ms`, as a network and a model would have it."""
        return max(1, round(ms * (0.6 + 0.8 * self._pace.random())))

    def _id(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._pace.getrandbits(32):08x}{self._count:x}"

    def emit(self, type: str, after: int = 0, **fields: Any) -> None:
        """One event of any type, `after` ms later. The named methods below are made of it."""
        self.at += after
        self.events.append({"type": type, **fields, "timestamp": self.at})

    # ------------------------------------------------------------ the client's side

    def user(self, text: str) -> None:
        """A person says something; the next run carries it."""
        self.history.append({"id": self._id("user"), "role": "user", "content": text})
        self._holder = None

    def answer(self, call: str, content: Any) -> None:
        """The browser answers a call of its own: a tool message that the next run carries."""
        self._keep_answer(call, _text(content), self._id("tool"))

    def _keep_answer(self, call: str, content: str, message: str, error: str = "") -> None:
        """Keep an answer right behind the message that holds the call, as a client's reducer does."""
        row: Event = {"id": message, "role": "tool", "toolCallId": call, "content": content}
        if error:
            row["error"] = error
        for index, held in enumerate(self.history):
            if any(one["id"] == call for one in held.get("toolCalls", ())):
                index += 1
                while index < len(self.history) and self.history[index]["role"] == "tool":
                    index += 1
                self.history.insert(index, row)
                return
        self.history.append(row)

    # ------------------------------------------------------------ runs and steps

    def start(
        self,
        *,
        tools: Sequence[str] | None = None,
        resume: Sequence[Event] = (),
        messages: Sequence[Event] | None = None,
        after: int = 120,
    ) -> str:
        """A run opens; its input echoes the history so far, or `messages`."""
        self.run = self._id("run")
        self._holder = None
        offered = self.tools if tools is None else tools
        history = self.history if messages is None else messages
        run_input: Event = {
            "threadId": self.thread,
            "runId": self.run,
            "messages": json.loads(json.dumps(list(history))),
            "tools": [{"name": name, "description": name.replace("_", " ").capitalize()} for name in offered],
        }
        if resume:
            run_input["resume"] = list(resume)
        self.emit("RUN_STARTED", after, threadId=self.thread, runId=self.run, input=run_input)
        return self.run

    def finish(
        self,
        *,
        pending: Sequence[str] | None = None,
        interrupts: Sequence[Event] = (),
        plain: bool = False,
        after: int = 90,
    ) -> None:
        """The run ends well, maybe with calls left for the browser or a person. `plain`: no outcome."""
        fields: Event = {"threadId": self.thread, "runId": self.run}
        if interrupts:
            fields["outcome"] = {"type": "interrupt", "interrupts": list(interrupts)}
        elif not plain:
            fields["outcome"] = {"type": "success"}
            if pending is not None:
                fields["outcome"]["pendingToolCallIds"] = list(pending)
        self.emit("RUN_FINISHED", after, **fields)

    def fail(self, message: str, code: str, after: int = 200) -> None:
        """The run ends with an error."""
        self.emit("RUN_ERROR", after, message=message, code=code)

    def step(self, name: str) -> None:
        self.emit("STEP_STARTED", 40, stepName=name)

    def step_done(self, name: str) -> None:
        self.emit("STEP_FINISHED", 40, stepName=name)

    # ------------------------------------------------------------ what the model says

    def say(self, text: str, *, pace: int = 55) -> None:
        """The assistant speaks, a word or two at a time."""
        message = self._id("msg")
        self.emit("TEXT_MESSAGE_START", self._near(380), messageId=message, role="assistant")
        for piece in self._pieces(text):
            self.emit("TEXT_MESSAGE_CONTENT", self._near(pace), messageId=message, delta=piece)
        self.emit("TEXT_MESSAGE_END", self._near(pace), messageId=message)
        self._holder = {"id": message, "role": "assistant", "content": text}
        self.history.append(self._holder)

    def think(self, text: str, *, pace: int = 45) -> None:
        """The model reasons aloud, in one span of one message."""
        span = self._id("think")
        self.emit("REASONING_START", self._near(250), messageId=span)
        self.emit("REASONING_MESSAGE_START", 5, messageId=span, role="reasoning")
        for piece in self._pieces(text):
            self.emit("REASONING_MESSAGE_CONTENT", self._near(pace), messageId=span, delta=piece)
        self.emit("REASONING_MESSAGE_END", self._near(pace), messageId=span)
        self.emit("REASONING_END", 5, messageId=span)

    def _pieces(self, text: str) -> Iterable[str]:
        words = _WORDS.findall(text)
        while words:
            count = 1 + (self._pace.random() < 0.3)
            yield "".join(words[:count])
            del words[:count]

    # ------------------------------------------------------------ calls

    def call(self, name: str, arguments: Any, *, id: str = "", pace: int = 60, cut: bool = False) -> str:
        """The model asks for a tool: START, the arguments in pieces, END. Returns the call's id.

        `arguments` as text goes out as it is; `cut` marks text that is no JSON, which a client
        keeps as `{}`.
        """
        call = id or self._id("call")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        holder = self._held()
        self.emit(
            "TOOL_CALL_START",
            self._near(180),
            toolCallId=call,
            toolCallName=name,
            parentMessageId=holder["id"],
        )
        for piece in self._cuts(text):
            self.emit("TOOL_CALL_ARGS", self._near(pace), toolCallId=call, delta=piece)
        self.emit("TOOL_CALL_END", self._near(40), toolCallId=call)
        kept = "{}" if cut else text
        holder.setdefault("toolCalls", []).append(
            {"id": call, "type": "function", "function": {"name": name, "arguments": kept}}
        )
        return call

    def _held(self) -> Event:
        """The assistant message that holds the calls of this step; an empty one if the model said nothing."""
        if self._holder is None:
            self._holder = {"id": self._id("msg"), "role": "assistant", "content": ""}
            self.history.append(self._holder)
        return self._holder

    def _cuts(self, text: str) -> Iterable[str]:
        while text:
            size = self._pace.randint(7, 18)
            yield text[:size]
            text = text[size:]

    def result(self, call: str, content: Any, *, after: int = 600, error: str = "") -> None:
        """The tool answers in the stream, `after` ms later. `error` marks the tool message a client keeps."""
        message = self._id("tool")
        self.emit(
            "TOOL_CALL_RESULT", after, messageId=message, toolCallId=call, content=_text(content), role="tool"
        )
        self._keep_answer(call, _text(content), message, error)

    def done(self, name: str, arguments: Any, content: Any, *, took: int) -> str:
        """A call and its answer, `took` ms apart."""
        call = self.call(name, arguments)
        self.result(call, content, after=took)
        return call

    def next_step(self) -> None:
        """The model is asked again: its next calls belong to a new message."""
        self._holder = None

    # ------------------------------------------------------------ the rest

    def evidence(self, call: str, phase: str, content: Any = None, *, at: int) -> None:
        """What the host saw of its own tool: no event of the agent's, a line beside them."""
        seen: Event = {"toolCallId": call, "phase": phase, "at": at}
        if content is not None:
            seen["content"] = _text(content)
        self.events.append({"evidence": seen})

    def snapshot(self, after: int = 60) -> None:
        """The whole history as the adapter has it."""
        self.emit("MESSAGES_SNAPSHOT", after, messages=json.loads(json.dumps(self.history)))

    def lines(self) -> str:
        """As JSON lines, the form the streams are kept in."""
        return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in self.events)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
