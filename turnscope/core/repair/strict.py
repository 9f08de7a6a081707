"""What a strict AG-UI client holds while a stream runs, and what it would refuse next.

The rules of verifyEvents in `@ag-ui/client` 1.0.0, on the expanded stream: what chunks open counts. It
says what is wrong and changes nothing but its own books; `stream.py` decides what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from turnscope.core import events as e

Owners: TypeAlias = dict[str, str | None]

BEFORE, RUNNING, FINISHED, FAILED = "before", "running", "finished", "failed"


@dataclass(slots=True)
class Client:
    """The books of one strict client."""

    state: str = BEFORE
    run: str | None = None
    thread: str | None = None
    """Ids of the run that is open, or ended last."""
    texts: dict[str, None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    spans: dict[str, None] = field(default_factory=dict)
    thoughts: dict[str, None] = field(default_factory=dict)
    """Reasoning messages."""
    steps: dict[tuple[str, str | None], None] = field(default_factory=dict)
    agents: dict[str, None] = field(default_factory=dict)
    gone_agents: set[str] = field(default_factory=set)
    laned: set[tuple[str, str]] = field(default_factory=set)
    """(kind, id) of what chunks opened and nothing has closed: the next event of its lane will do so."""
    message_owners: Owners = field(default_factory=dict)
    call_owners: Owners = field(default_factory=dict)
    thought_owners: Owners = field(default_factory=dict)
    activity_owners: Owners = field(default_factory=dict)

    # ------------------------------------------------------------ what it would refuse

    def refuses(self, event: e.Event) -> str | None:
        """In one word why the client would throw at this event of a running run; None if it would not."""
        check = _CHECKS.get(type(event))
        return check(self, event) if check is not None else None

    def alien(self, event: e.Event) -> bool:
        """Whether its subagentRunId disagrees with the one that opened what it speaks of."""
        agent = getattr(event, "agent", None)
        if agent is None and isinstance(event, e.CallStart) and event.id in self.call_owners:
            parents = self.message_owners
            return event.parent in parents and parents[event.parent] != self.call_owners[event.id]
        book, key = self._book(event)
        if agent is None or key is None or key not in book:
            return False
        return bool(book[key] != agent)

    def in_lane(self, event: e.Event) -> bool:
        """Whether it ends by hand what chunks of another agent hold open: their lane ends it once more."""
        if not isinstance(event, e.TextEnd | e.CallEnd | e.ReasoningMessageEnd) or event.expanded:
            return False
        return (_KINDS[type(event)], event.id) in self.laned

    def _book(self, event: e.Event) -> tuple[Owners, str | None]:
        if isinstance(event, e.TextStart | e.TextDelta | e.TextEnd):
            return self.message_owners, event.id
        if isinstance(event, e.CallStart) and event.parent in self.message_owners:
            return self.message_owners, event.parent
        if isinstance(event, e.CallStart | e.CallArgs | e.CallEnd):
            return self.call_owners, event.id
        if isinstance(event, _THOUGHTS):
            return self.thought_owners, event.id
        if isinstance(event, e.ActivityPatch):
            return self.activity_owners, event.id
        if isinstance(event, e.ReasoningEncrypted):
            if event.subtype == "tool-call":
                return self.call_owners, event.entity
            known = event.entity in self.message_owners
            return self.message_owners if known else self.thought_owners, event.entity
        return {}, None

    # ------------------------------------------------------------ what it then holds

    def take(self, event: e.Event) -> None:
        """The event was sent."""
        change = _TAKES.get(type(event))
        if change is not None:
            change(self, event)
        kind = _KINDS.get(type(event))
        if kind is not None:
            opened = isinstance(event, e.TextStart | e.CallStart | e.ReasoningMessageStart)
            key = (kind, event.id)  # type: ignore[attr-defined]
            if opened and event.expanded:  # type: ignore[attr-defined]
                self.laned.add(key)
            else:
                self.laned.discard(key)

    def open_run(self, thread: str | None, run: str | None) -> None:
        for book in (self.texts, self.calls, self.spans, self.thoughts, self.steps, self.agents):
            book.clear()
        self.gone_agents.clear()
        self.laned.clear()
        for owners in (self.message_owners, self.call_owners, self.thought_owners, self.activity_owners):
            owners.clear()
        self.state, self.thread, self.run = RUNNING, thread, run

    def seed(self, messages: tuple[e.HistoryMessage, ...], *, overrule: bool) -> None:
        """A history says who owns its messages."""
        for message in messages:
            if message.id is None:
                continue
            agent = message.raw.get("subagentRunId")
            agent = agent if isinstance(agent, str) else None
            book = self.thought_owners if message.role == "reasoning" else self.message_owners
            if message.role == "activity":
                book = self.activity_owners
            if overrule or message.id not in book:
                book[message.id] = agent
            for call in message.calls:
                if overrule or call.id not in self.call_owners:
                    self.call_owners[call.id] = agent


_THOUGHTS = (
    e.ReasoningStart,
    e.ReasoningEnd,
    e.ReasoningMessageStart,
    e.ReasoningDelta,
    e.ReasoningMessageEnd,
)


_KINDS: dict[type[e.Event], str] = {
    e.TextStart: "text",
    e.TextEnd: "text",
    e.CallStart: "call",
    e.CallEnd: "call",
    e.ReasoningMessageStart: "thought",
    e.ReasoningMessageEnd: "thought",
}


def _run_started(client: Client, event: e.RunStarted) -> None:
    client.open_run(event.thread, event.run)
    if event.input is not None:
        client.seed(event.input.messages, overrule=False)


def _run_finished(client: Client, event: e.RunFinished) -> None:
    client.state = FINISHED


def _run_failed(client: Client, event: e.RunFailed) -> None:
    client.state = FAILED


def _text_start(client: Client, event: e.TextStart) -> None:
    client.texts[event.id] = None
    client.message_owners.setdefault(event.id, event.agent)


def _call_start(client: Client, event: e.CallStart) -> None:
    client.calls[event.id] = None
    owner = event.agent
    if owner is None and event.parent in client.message_owners:
        owner = client.message_owners[event.parent]
    client.call_owners.setdefault(event.id, owner)


def _call_result(client: Client, event: e.CallResult) -> None:
    if event.message is not None:
        client.message_owners[event.message] = event.agent


def _thought_start(client: Client, event: e.ReasoningStart | e.ReasoningMessageStart) -> None:
    book = client.spans if isinstance(event, e.ReasoningStart) else client.thoughts
    book[event.id] = None
    client.thought_owners.setdefault(event.id, event.agent)


def _activity(client: Client, event: e.ActivitySnapshot) -> None:
    if event.replace or event.id not in client.activity_owners:
        client.activity_owners[event.id] = event.agent


def _agent_gone(client: Client, event: e.SubagentFinished | e.SubagentFailed) -> None:
    client.agents.pop(event.agent, None)
    client.gone_agents.add(event.agent)


def _step_finished(client: Client, event: e.StepFinished) -> None:
    client.steps.pop((event.name, event.agent), None)


def _snapshot(client: Client, event: e.MessagesSnapshot) -> None:
    client.seed(event.messages, overrule=True)


_TAKES: dict[type[e.Event], Callable[..., None]] = {
    e.RunStarted: _run_started,
    e.RunFinished: _run_finished,
    e.RunFailed: _run_failed,
    e.TextStart: _text_start,
    e.TextEnd: lambda client, event: client.texts.pop(event.id, None),
    e.CallStart: _call_start,
    e.CallEnd: lambda client, event: client.calls.pop(event.id, None),
    e.CallResult: _call_result,
    e.ReasoningStart: _thought_start,
    e.ReasoningEnd: lambda client, event: client.spans.pop(event.id, None),
    e.ReasoningMessageStart: _thought_start,
    e.ReasoningMessageEnd: lambda client, event: client.thoughts.pop(event.id, None),
    e.StepStarted: lambda client, event: client.steps.update({(event.name, event.agent): None}),
    e.StepFinished: _step_finished,
    e.SubagentStarted: lambda client, event: client.agents.update({event.agent: None}),
    e.SubagentFinished: _agent_gone,
    e.SubagentFailed: _agent_gone,
    e.ActivitySnapshot: _activity,
    e.MessagesSnapshot: _snapshot,
}


def _twice(book: str) -> Callable[..., str | None]:
    return lambda client, event: "already open" if event.id in getattr(client, book) else None


def _result(client: Client, event: e.CallResult) -> str | None:
    return "its message is an open text" if event.message in client.texts else None


def _closed(book: str) -> Callable[..., str | None]:
    return lambda client, event: None if event.id in getattr(client, book) else "not open"


def _step_start(client: Client, event: e.StepStarted) -> str | None:
    return "already open" if (event.name, event.agent) in client.steps else None


def _step_end(client: Client, event: e.StepFinished) -> str | None:
    return None if (event.name, event.agent) in client.steps else "not open"


def _agent_start(client: Client, event: e.SubagentStarted) -> str | None:
    if event.agent in client.agents:
        return "already open"
    return "used before" if event.agent in client.gone_agents else None


def _agent_end(client: Client, event: e.SubagentFinished | e.SubagentFailed) -> str | None:
    return None if event.agent in client.agents else "not open"


_CHECKS: dict[type[e.Event], Callable[..., str | None]] = {
    e.TextStart: _twice("texts"),
    e.TextDelta: _closed("texts"),
    e.TextEnd: _closed("texts"),
    e.CallStart: _twice("calls"),
    e.CallArgs: _closed("calls"),
    e.CallEnd: _closed("calls"),
    e.CallResult: _result,
    e.ReasoningStart: _twice("spans"),
    e.ReasoningEnd: _closed("spans"),
    e.ReasoningMessageStart: _twice("thoughts"),
    e.ReasoningDelta: _closed("thoughts"),
    e.ReasoningMessageEnd: _closed("thoughts"),
    e.StepStarted: _step_start,
    e.StepFinished: _step_end,
    e.SubagentStarted: _agent_start,
    e.SubagentFinished: _agent_end,
    e.SubagentFailed: _agent_end,
}
