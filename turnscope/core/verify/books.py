"""The strict client's books: what is open, who owns what, how far the run is. Part of `verify`.

Owners: None is the parent agent; an id nobody owns is absent. `order.py` holds the rules.
"""

from __future__ import annotations

from typing import TypeAlias

from turnscope.core.inputs import Json

Refused: TypeAlias = tuple[str, str, str]
"""(kind, the id or name it is about, the client's words)"""
Values: TypeAlias = dict[str, Json]
Owners: TypeAlias = dict[str, str | None]

PARENT = "(the parent agent)"
_SPEAKERS = frozenset(("developer", "system", "assistant", "user", "tool"))


class Books:
    """Of one stream."""

    __slots__ = (
        "activities", "agents", "begun", "call_owners", "calls", "errored", "finished", "gone",
        "message_owners", "spans", "started", "steps", "texts", "thought_owners", "thoughts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        self.calls: dict[str, None] = {}
        self.spans: dict[str, None] = {}
        self.thoughts: dict[str, None] = {}
        """Reasoning messages. All four: ids that are open, oldest first."""
        self.steps: dict[str | None, dict[str, None]] = {}
        self.agents: dict[str, None] = {}
        self.gone: set[str] = set()
        """Subagents that have ended in this run."""
        self.message_owners: Owners = {}
        self.call_owners: Owners = {}
        self.thought_owners: Owners = {}
        self.activities: Owners = {}
        self.begun = self.started = self.finished = self.errored = False

    def reset(self) -> None:
        """A new run."""
        for book in (self.texts, self.calls, self.spans, self.thoughts, self.steps, self.agents):
            book.clear()
        self.gone.clear()
        for owners in (self.message_owners, self.call_owners, self.thought_owners, self.activities):
            owners.clear()
        self.started, self.finished, self.errored = True, False, False

    def fail(self) -> None:
        """The run is over: what was open is not asked for again, and nothing goes on with it."""
        self.errored = True
        for book in (self.texts, self.calls, self.spans, self.thoughts):
            book.clear()

    def seed(self, messages: Json, *, overrule: bool) -> None:
        """A history says who owns its messages and their calls."""
        for message in messages if type(messages) is list else ():
            role, id_ = message.get("role"), message.get("id")
            if role == "reasoning":
                owners = self.thought_owners
            elif role == "activity":
                owners = self.activities
            elif type(role) is str and role in _SPEAKERS:
                owners = self.message_owners
            else:
                continue  # of no known role: removed
            agent = message.get("subagentRunId")
            if overrule or id_ not in owners:
                owners[id_] = agent
            for call in message.get("toolCalls", ()) if role == "assistant" else ():
                if overrule or call["id"] not in self.call_owners:
                    self.call_owners[call["id"]] = agent


def alien(event: Values, owners: Owners, kind: str, id_: str) -> Refused | None:
    """Whether its tag disagrees with the owner. No tag never does."""
    agent = event.get("subagentRunId")
    if agent is None or id_ not in owners or owners[id_] == agent:
        return None
    return (
        "another owner",
        id_,
        f"Cannot send '{event['type']}': subagentRunId '{agent}' does not match the {kind} '{id_}' opener's"
        f" subagent '{named(owners[id_])}'.",
    )


def named(owner: str | None) -> str:
    return PARENT if owner is None else owner
