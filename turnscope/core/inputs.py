"""Parts of events: what a run is given, and histories. Hostile values, read but not trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value as `json` or `orjson` decode it. Hostile: any depth, any size, any text."""


@dataclass(slots=True)
class Tool:
    """A tool the caller offers in a run's input."""

    name: str
    digest: str
    """Of the whole definition: a changed schema is a changed digest."""


@dataclass(slots=True)
class Resume:
    """One entry of a run's `resume`: the answer to an interrupt."""

    interrupt: str
    status: str
    """`resolved` or `cancelled`; anything else as it came."""
    payload: Json = None


@dataclass(slots=True)
class Interrupt:
    """One interrupt of a run's outcome: the run waits for a person (or whatever resolves it)."""

    id: str
    reason: str
    call: str | None
    """AG-UI's `toolCallId`."""
    expires: str | None = None
    raw: Json = None


@dataclass(slots=True)
class HistoryCall:
    """A tool call as a history (input, snapshot, request body) tells it."""

    id: str
    name: str
    arguments: str
    """The raw argument text; a mapping is spelled as compact JSON."""


@dataclass(slots=True)
class HistoryMessage:
    """One message of a history. `raw` is the object as it came, for repair and export."""

    id: str | None
    role: str
    content: Json
    calls: tuple[HistoryCall, ...]
    answers: str | None
    """The call id a tool message answers; None for other roles."""
    error: bool
    digest: str
    """Of the whole raw object: equal digests are equal messages."""
    raw: dict[str, Json]


@dataclass(slots=True)
class RunInput:
    """A RunAgentInput: the echo in RUN_STARTED, or a request body seen on its own."""

    messages: tuple[HistoryMessage, ...]
    tools: tuple[Tool, ...] | None
    """None when the input has no `tools` key; () when it offers none."""
    resume: tuple[Resume, ...]
    raw: dict[str, Json]
