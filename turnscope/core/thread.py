"""The picture a stream of events adds up to: Thread, Turn, Run, Call, Message, Step.

Only `core/fold.py` changes it. It holds no payload: spans, lengths, digests, verdicts and short
excerpts (EXCERPT characters, for display). Everything in it is a pure function of the events.
Counterpart: `core/events.py`. Numbers (`Call.number`, `Run.number`, `Turn.number`) count from 1
within the thread and never change; producers' ids are for display, matching and search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .call import EXCERPT as EXCERPT
from .call import Again as Again
from .call import Answer as Answer
from .call import Call as Call
from .call import Ref as Ref
from .patches import Documents
from .states import ABORTED as ABORTED
from .states import ANSWERED_STATES as ANSWERED_STATES
from .states import BACKGROUND as BACKGROUND
from .states import CALL_STATES as CALL_STATES
from .states import CLIENT as CLIENT
from .states import DENIED as DENIED
from .states import FAILED as FAILED
from .states import HARNESS as HARNESS
from .states import OK as OK
from .states import ORPHAN as ORPHAN
from .states import OWNERS as OWNERS
from .states import PERSON as PERSON
from .states import PROVIDER as PROVIDER
from .states import RUN_CANCELLED as RUN_CANCELLED
from .states import RUN_FAILED as RUN_FAILED
from .states import RUN_FINISHED as RUN_FINISHED
from .states import RUN_INTERRUPTED as RUN_INTERRUPTED
from .states import RUN_OPEN as RUN_OPEN
from .states import RUN_STATES as RUN_STATES
from .states import RUN_TRUNCATED as RUN_TRUNCATED
from .states import RUNNING as RUNNING
from .states import SERVER as SERVER
from .states import SETTLED as SETTLED
from .states import SKIPPED as SKIPPED
from .states import STREAMING as STREAMING
from .states import UNANSWERED as UNANSWERED
from .states import UNKNOWN as UNKNOWN
from .states import WAITING as WAITING
from .walk import Held

THREAD: Ref = ("thread", 0)


@dataclass(slots=True)
class Message:
    """A message the stream built: its role and extent, no text."""

    id: str
    role: str
    run: int
    start_seq: int
    agent: str | None = None
    end_seq: int = 0
    """0: open."""
    length: int = 0
    """Characters, of a text that streamed alone; 0: unknown."""
    head: str = ""
    """The beginning of such a text."""
    digest: str = ""
    """Of the message in the last history that carries it; "" if none does."""


@dataclass(slots=True)
class Step:
    name: str
    agent: str | None
    run: int
    start_seq: int
    end_seq: int = 0


@dataclass(slots=True)
class Trouble:
    """Something out of order in a run that is no call's: kind, the id or name it is about, where."""

    kind: str
    """`end-without-start`, `delta-without-start`, `start-twice`, `end-twice`, `after-terminal`,
    `finished-after-error`, `closed-by-other`, `overlap` (announced twice), `before-run`, `nameless-chunk`."""
    about: str
    type: str
    """The event's class name."""
    seq: int
    count: int = 1


@dataclass(slots=True)
class Leak:
    """Tool-call markup in a text: the name it calls, the text, where."""

    name: str
    text: str
    seq: int


@dataclass(slots=True)
class Glue:
    """Calls in a row with the same name and arguments that are none: perhaps they are pieces of one."""

    name: str
    calls: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    length: int = 0


@dataclass(slots=True)
class Run:
    """One run of the agent: RUN_STARTED to its terminal."""

    number: int
    id: str
    turn: int
    stream: int
    state: str = RUN_OPEN
    parent: str | None = None
    inferred: bool = False
    """Nobody announced it: content came with no run open."""
    occurrence: int = 1
    """1 for the first run with this id in the thread, 2 for the next, ..."""
    dialect: str = "ag_ui"
    start_seq: int = 0
    start_at: int = 0
    last_seq: int = 0
    last_at: int = 0
    end_seq: int = 0
    """0: it is open."""
    end_at: int = 0
    outcome: str = ""
    terminal_id: str | None = None
    """The run id its terminal carried, when it differs (R09)."""
    error: str = ""
    error_code: str = ""
    failing_since: int = 0
    """The first of a row of runs that failed the same way on the same history; 0: it is no row (R06)."""
    overrun_by: int = 0
    """The run that opened on the same stream before this one ended (R07)."""

    has_input: bool = False
    input_seq: int = 0
    tools: tuple[str, ...] | None = None
    """Names offered in the input; None when it does not say."""
    resume: tuple[str, ...] = ()
    """Interrupts its input resumes."""
    resumed: list[int] = field(default_factory=list)
    """Calls that waited behind those."""
    input_messages: int = 0
    input_last: str | None = None
    """Id of its last message: what a snapshot of the run has behind it is the run's own."""
    input_dangling: tuple[str, ...] = ()
    """Calls its input carries with no result where one counts, and that nothing is about to answer."""
    input_late: tuple[str, ...] = ()
    """Calls whose result its input carries after the boundary."""
    input_calls: int = 0
    input_answers: int = 0
    """How many calls and how many results the input carries."""
    delta_input: bool = False
    """The input carries none of the earlier messages: a delta, no loss."""
    history_key: str = ""
    """Digest of the input's messages, new user messages aside: the same history fails the same way (R06)."""
    vanished: tuple[str, ...] = ()
    """Tools an earlier run of the thread offered and this one's list lacks."""
    changed_tools: tuple[str, ...] = ()

    pending: tuple[str, ...] | None = None
    interrupts: tuple[str, ...] = ()
    interrupt_calls: tuple[str, ...] = ()
    pending_wrong: tuple[tuple[str, str], ...] = ()
    """(call id, `answered` | `unknown` | `missing`): where the pending list is wrong (C21)."""

    started: int = 0
    ended: int = 0
    results: int = 0
    """Calls started, ended, and result events seen in it (expanded stream)."""
    open_calls: dict[int, None] = field(default_factory=dict)
    """Numbers of its calls that nobody has answered, in start order."""
    open_texts: dict[str, int] = field(default_factory=dict)
    open_reasoning: dict[str, int] = field(default_factory=dict)
    """id -> seq of its START; a span is keyed "span:<id>"."""
    open_steps: dict[tuple[str, str | None], int] = field(default_factory=dict)
    open_agents: dict[str, int] = field(default_factory=dict)
    left_open: tuple[tuple[str, str, int], ...] = ()
    """(kind, id or name, seq) of what was still open at a successful terminal (R10)."""
    alone: tuple[str, int] | None = None
    """(id, text length of the run before it) of the one text that is open, while no other is."""
    texts: dict[str, None] = field(default_factory=dict)
    """Ids of the assistant's texts that streamed alone and ended."""
    moved_text: tuple[str, str, int] | None = None
    """(id, other id, seq): a snapshot tells a streamed text under another id (C17)."""
    unstreamed: list[int] = field(default_factory=list)
    """Calls that the run made and that only a snapshot of its own told, when it came (C16)."""
    untold: list[int] = field(default_factory=list)
    """Calls that the run before it made and that only this one's input told (C16)."""
    text_length: int = 0
    last_text_seq: int = 0
    last_result_seq: int = 0
    activity_seq: int = 0
    """Last ACTIVITY or CUSTOM event: something a person may have seen."""
    has_assistant: bool = False
    """An assistant's text was seen since the last result: a call that comes now belongs to it."""
    fresh: list[int] = field(default_factory=list)
    """Calls whose END nothing of the model has followed yet."""
    troubles: dict[tuple[str, str, str], Trouble] = field(default_factory=dict)
    """(kind, about, type) -> where."""
    glue: Glue | None = None
    watch: Any = None
    """`core.leaks.Watch`, while markup may have begun in a text."""
    leaks: list[Leak] = field(default_factory=list)
    finish_reason: str = ""
    """Why the model stopped last, where an event says it: `stop`, `tool-calls`, `length` ..."""
    finish_seq: int = 0
    risks: dict[str, int] = field(default_factory=dict)
    """What clients of before 1.0 refuse -> the seq of the first (S10)."""
    changed: int = 0
    refs: tuple[Ref, ...] = ()
    """What a delta in it touches: itself and its turn."""

    @property
    def ref(self) -> Ref:
        return ("run", self.number)

    @property
    def open(self) -> bool:
        return self.state == RUN_OPEN


@dataclass(slots=True)
class Turn:
    """What a person sees: from one user message to the next."""

    number: int
    title: str
    """The user's words, cut; "" when nobody knows them."""
    message: str | None
    inferred: bool
    start_seq: int
    start_at: int
    runs: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    repeats: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(tool, digest of its arguments, digest of its result) -> how many calls were just that."""
    last_seq: int = 0
    last_at: int = 0
    changed: int = 0

    @property
    def ref(self) -> Ref:
        return ("turn", self.number)


@dataclass(slots=True)
class Oddity:
    """A kind of deviation and where it was met: one per (code, type, path, problem), however often."""

    number: int
    code: str
    """`S01` to `S11`, but S07 and S10."""
    type: str
    path: str
    problem: str
    seqs: list[int]
    """The first three."""
    count: int = 1
    run: int = 0
    legacy: bool = False
    detail: str = ""
    """What the first one was, in words."""

    @property
    def ref(self) -> Ref:
        return ("frame", self.number)


@dataclass(slots=True)
class StreamView:
    """What the thread knows of one stream that feeds it."""

    number: int
    dialect: str = "ag_ui"
    recording: bool = False
    run: int = 0
    """The run that is open on it (or ended last); 0: none."""
    closed: str = ""
    closed_at: int = 0


@dataclass(slots=True)
class Thread:
    """The whole picture of one conversation."""

    name: str = ""
    """The producer's thread id; "" while nobody has named it."""
    last_seq: int = 0
    last_at: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings in force (shape: `core/tools.py`)."""
    now: int = 0
    """The clock as far as the events tell: the latest `at`."""
    turns: list[Turn] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    run_ids: dict[str, int] = field(default_factory=dict)
    """Run id -> how many runs have had it."""
    by_id: dict[str, list[int]] = field(default_factory=dict)
    """Call id -> numbers of its occurrences, oldest first."""
    open_calls: dict[int, None] = field(default_factory=dict)
    """Calls of the whole thread that may still be answered, in start order."""
    handed_over: dict[int, None] = field(default_factory=dict)
    """The harness's calls that the run after a hand-over is to answer, and answered ones not yet let go."""
    messages: dict[str, Message] = field(default_factory=dict)
    streams: dict[int, StreamView] = field(default_factory=dict)
    interrupts: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    """Interrupt id -> (run that raised it, call id it names)."""
    interrupted_calls: dict[str, str] = field(default_factory=dict)
    """Call id an interrupt named -> interrupt id, also for calls nobody announced."""
    tools_seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Tool name -> (digest, run that offered it last)."""
    observed: dict[str, str] = field(default_factory=dict)
    """Tool name -> owner its earlier answers in this thread showed."""
    users: dict[str, int] = field(default_factory=dict)
    """User message key (id, else digest) -> turn it opened or was seen in."""
    known: dict[str, str] = field(default_factory=dict)
    """Message id -> digest, of every message some history carried."""
    silent: dict[str, int] = field(default_factory=dict)
    """Texts that were opened and closed with nothing in them since `held` -> seq of their end."""
    held: Held | None = None
    """The last history that replaced all before it: an input that is no delta, or a snapshot."""
    oddities: dict[tuple[str, str, str, str], Oddity] = field(default_factory=dict)
    deviations: tuple[int, tuple[tuple[str, str, str, str], ...]] = (0, ())
    """(seq, keys) of the last frame that deviates (S03)."""
    refused_for: dict[int, tuple[str, str, str, str]] = field(default_factory=dict)
    """Number of a refusal (S04) -> the deviation on its frame that it is about."""
    evidence: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """Evidence for calls nobody has announced yet."""
    documents: Documents = field(default_factory=Documents)
    """The state and the activities, so that patches can be tried: the one payload here, bounded."""
    unusual: bool = False
    """A delta did more than grow a length, or ends a silence the judge has called one: it must be judged.
    Reset by who judges."""
    policy: Any = None
    """`core.tools.Policy`, compiled from the settings in force."""
    refusals: Any = None
    """`core.rules.refusals.Refusals`: what the thread's target would refuse. Kept by who judges."""

    def call(self, number: int) -> Call:
        return self.calls[number - 1]

    def run(self, number: int) -> Run:
        return self.runs[number - 1]

    def turn(self, number: int) -> Turn:
        return self.turns[number - 1]

    def latest(self, call_id: str) -> Call | None:
        """The newest occurrence of a call id."""
        numbers = self.by_id.get(call_id)
        return self.calls[numbers[-1] - 1] if numbers else None
