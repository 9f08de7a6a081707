"""The canonical events: what a dialect's reader makes of frames, and what the fold applies.

Values, never changed once stamped. A reader fills the fields of its own; the journal (or, for a
file, `core/picture.py`) stamps `seq`, `at` and `stream`. Events carry payload; the picture in
`core/thread.py`, their counterpart, does not. Names follow AG-UI 1.0 (spec of the protocol:
https://docs.ag-ui.com); `agent` is AG-UI's `subagentRunId`, None for the parent agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .inputs import HistoryCall as HistoryCall
from .inputs import HistoryMessage as HistoryMessage
from .inputs import Interrupt as Interrupt
from .inputs import Json as Json
from .inputs import Resume as Resume
from .inputs import RunInput as RunInput
from .inputs import Tool as Tool


@dataclass(slots=True, kw_only=True)
class Event:
    """What every event has. Stamped after reading, so that readers stay free of numbering."""

    seq: int = 0
    """The number of its frame in its thread, from 1. One frame may make several events."""
    at: int = 0
    """Milliseconds since 1970: arrival for a live stream, the recording's own time for a file; 0 unknown."""
    stream: int = 0
    """Which stream of the thread it came in by (the store's id; 1 for a file)."""
    stamp: int | None = None
    """The producer's own timestamp in ms, where the frame has one."""


# ---------------------------------------------------------------- runs and steps


@dataclass(slots=True)
class RunStarted(Event):
    thread: str | None
    run: str | None
    parent: str | None = None
    input: RunInput | None = None
    protocol: str | None = None


@dataclass(slots=True)
class InputSeen(Event):
    """A RunAgentInput that came by itself (a recorded request body): the input of the run that follows."""

    thread: str | None
    run: str | None
    input: RunInput


@dataclass(slots=True)
class RunFinished(Event):
    thread: str | None
    run: str | None
    outcome: str
    """`success` (also when absent), `interrupt`, `cancelled`, or an unknown word as it came."""
    pending: tuple[str, ...] | None = None
    """`outcome.pendingToolCallIds`; None when the list is absent."""
    interrupts: tuple[Interrupt, ...] = ()
    result: Json = None


@dataclass(slots=True)
class RunFailed(Event):
    """RUN_ERROR, or whatever ends a run with an error in another dialect."""

    message: str
    code: str | None = None
    run: str | None = None


@dataclass(slots=True)
class StepStarted(Event):
    name: str
    agent: str | None = None


@dataclass(slots=True)
class StepFinished(Event):
    name: str
    agent: str | None = None


# ---------------------------------------------------------------- text and reasoning


@dataclass(slots=True)
class TextStart(Event):
    id: str
    role: str = "assistant"
    name: str | None = None
    agent: str | None = None
    expanded: bool = False
    """Made from a CHUNK event: the frame holds no START of its own. Likewise below."""


@dataclass(slots=True)
class TextDelta(Event):
    id: str
    delta: str
    agent: str | None = None


@dataclass(slots=True)
class TextEnd(Event):
    id: str
    agent: str | None = None
    expanded: bool = False


@dataclass(slots=True)
class ReasoningStart(Event):
    """A reasoning span opens; its messages come inside it."""

    id: str
    agent: str | None = None


@dataclass(slots=True)
class ReasoningEnd(Event):
    id: str
    agent: str | None = None


@dataclass(slots=True)
class ReasoningMessageStart(Event):
    id: str
    agent: str | None = None
    expanded: bool = False


@dataclass(slots=True)
class ReasoningDelta(Event):
    id: str
    delta: str
    agent: str | None = None


@dataclass(slots=True)
class ReasoningMessageEnd(Event):
    id: str
    agent: str | None = None
    expanded: bool = False


@dataclass(slots=True)
class ReasoningEncrypted(Event):
    subtype: str
    entity: str
    value: str
    agent: str | None = None


# ---------------------------------------------------------------- tool calls


@dataclass(slots=True)
class CallStart(Event):
    id: str
    name: str
    parent: str | None = None
    """The assistant message that holds the call."""
    agent: str | None = None
    provider: bool = False
    """The model's provider runs it itself: it is nobody else's to answer."""
    expanded: bool = False


@dataclass(slots=True)
class CallArgs(Event):
    id: str
    delta: str
    agent: str | None = None


@dataclass(slots=True)
class CallEnd(Event):
    """The arguments are complete. It does not say that the tool ran."""

    id: str
    agent: str | None = None
    expanded: bool = False


@dataclass(slots=True)
class CallResult(Event):
    id: str
    content: Json
    """A string or a list of content parts; presence counts, not truth."""
    message: str | None = None
    error: bool | None = None
    """None where the dialect has no error flag."""
    agent: str | None = None
    preliminary: bool = False


# ---------------------------------------------------------------- state, history, activity


@dataclass(slots=True)
class StateSnapshot(Event):
    state: Json
    agent: str | None = None


@dataclass(slots=True)
class StatePatch(Event):
    operations: Json
    """A JSON Patch (RFC 6902) as it came."""
    agent: str | None = None


@dataclass(slots=True)
class MessagesSnapshot(Event):
    messages: tuple[HistoryMessage, ...]


@dataclass(slots=True)
class ActivitySnapshot(Event):
    id: str
    kind: str
    content: Json
    replace: bool = True
    agent: str | None = None


@dataclass(slots=True)
class ActivityPatch(Event):
    id: str
    kind: str
    operations: Json
    agent: str | None = None


@dataclass(slots=True)
class Custom(Event):
    name: str
    value: Json
    agent: str | None = None


@dataclass(slots=True)
class Raw(Event):
    event: Json
    source: str | None = None
    agent: str | None = None


# ---------------------------------------------------------------- subagents


@dataclass(slots=True)
class SubagentStarted(Event):
    agent: str
    name: str
    parent: str | None = None
    call: str | None = None


@dataclass(slots=True)
class SubagentFinished(Event):
    agent: str
    outcome: str = "success"


@dataclass(slots=True)
class SubagentFailed(Event):
    agent: str
    message: str = ""
    code: str | None = None


# ---------------------------------------------------------------- what could not be read as it should


@dataclass(slots=True)
class Unread(Event):
    """A frame neither parser could read, or that no event could be made of. It is kept; it is S01."""

    reason: str
    line: int | None = None


@dataclass(slots=True)
class Unknown(Event):
    """A type the dialect does not define (S02). Legacy types are read as well: then `legacy` is set."""

    type: str
    legacy: bool = False


@dataclass(slots=True)
class Odd(Event):
    """A frame that was read although it deviates (S03): before the event it speaks of."""

    type: str
    path: str
    """Where, as `input.messages[3].content`."""
    problem: str
    """A short fixed phrase: `missing`, `null`, `not a string`, `snake case`, `named result` ..."""


@dataclass(slots=True)
class Refused(Event):
    """The official client would throw at this frame, the first such one of its run (S04)."""

    type: str
    kind: str
    """`core/verify`: a short fixed phrase."""
    about: str
    """The id or name it is about; of an invalid event, the path of the field."""
    sentence: str
    """The client's own words."""


# ---------------------------------------------------------------- marks: the journal's own lines


@dataclass(slots=True)
class Opened(Event):
    """A stream opened onto this thread."""

    dialect: str
    recording: bool
    """A file: its end is a closed stream, and its own timestamps are the clock."""
    name: str = ""


@dataclass(slots=True)
class Closed(Event):
    """A stream is over. `why`: `end` (of a file or body), `lost`, `left`, `replaced`, `shutdown`."""

    why: str


@dataclass(slots=True)
class SettingsInForce(Event):
    """The settings that judge this thread from here on (see `core/tools.py` for their shape)."""

    settings: dict[str, Json]


@dataclass(slots=True)
class Evidence(Event):
    """What a host saw of its own tool: the tool ran although no event of the agent says so."""

    call: str
    phase: Literal["start", "result", "error"]
    content: Json = None
    when: int | None = None
    """The host's own time in ms."""


@dataclass(slots=True)
class Tick(Event):
    """A verdict of the clock: at `at` somebody looked, and something had become overdue."""


@dataclass(slots=True)
class Guarded(Event):
    """What a guard did to the live stream, in words; the events it added are marked in their metadata."""

    action: str
    detail: str = ""


@dataclass(slots=True)
class Gap(Event):
    """The producer's own numbers do not follow: frames were lost, or came again (S05)."""

    expected: int
    got: int


DELTAS: frozenset[type[Event]] = frozenset((TextDelta, ReasoningDelta, CallArgs))
"""The hot types: nine events in ten. They change lengths and clocks, never a verdict."""

MARKS: tuple[type[Event], ...] = (Opened, Closed, SettingsInForce, Evidence, Tick, Guarded, Gap)


@dataclass(slots=True)
class Frame:
    """One message as it came off the wire, or one mark, as the journal gives it back."""

    seq: int
    at: int
    stream: int
    n: int
    """Its place in its stream, from 1: the order in which `export --raw` puts the bytes together."""
    kind: int
    """`turnscope.core.kinds`: one byte that says what it is, so that filters need no decompression."""
    raw: bytes
    events: list[Event] = field(default_factory=list)
