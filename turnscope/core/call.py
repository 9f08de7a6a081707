"""One tool call as the picture knows it. Part of `thread.py`; changed by the fold alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from .states import CLIENT, RUNNING, STREAMING, UNKNOWN, WAITING

EXCERPT = 160
"""How much of a text the picture keeps, in characters."""

Ref: TypeAlias = tuple[str, int]
"""What `apply` says it touched: ("call" | "run" | "turn" | "thread" | "frame", number)."""


@dataclass(slots=True)
class Answer:
    """One result for a call, in one plane."""

    plane: str
    """`stream` (a RESULT event) or `history` (a tool message in an input or snapshot)."""
    source: str
    """`event`, `input`, `snapshot`, `evidence`."""
    seq: int
    at: int
    digest: str
    length: int
    """Bytes of the content as compact JSON (a string: its UTF-8 length)."""
    error: bool
    excerpt: str
    message: str | None = None
    run: int | None = None
    late: bool = False
    """It stands after the boundary of its history: it answers nothing there (C06)."""
    after_end: bool = True
    """False: it came before the call's END (C10)."""
    preliminary: bool = False
    empty: bool = False
    """null or an empty text: a placeholder when another result exists."""


@dataclass(slots=True)
class Again:
    """A second announcement of a call nobody has answered, while its arguments stream."""

    seq: int
    at: int
    run: int
    parts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Call:
    """One tool call: (thread, id, occurrence). Drawn as a card."""

    number: int
    id: str
    occurrence: int
    """1 for the first call with this id in the thread, 2 for the next, ..."""
    name: str
    turn: int
    """0: none."""
    run: int
    """The run that opened it; 0 when it was only ever seen in a history."""
    parent: str | None = None
    agent: str | None = None
    plane: str = "stream"
    """Where it was announced: `stream`; `history` when only an input or snapshot knows it; `echo` when the
    stream told another call once more under this id (it counts nowhere)."""
    echo_of: int = 0
    """The call that it tells once more; 0: none (C09)."""

    state: str = STREAMING
    reason: str = ""
    """Why it is in that state, in a few words ("waits behind an approval", "the run failed")."""
    owner: str = UNKNOWN
    owner_source: str = ""
    """`configured`, `declared`, `excluded`, `observed`, `inferred`, or "" while unknown."""
    owner_reason: str = "nothing says who runs it"
    limit: int | None = None
    """Milliseconds its owner may take; None: no limit. Recorded when the call opens."""
    limit_source: str = ""

    start_seq: int = 0
    start_at: int = 0
    first_args_seq: int = 0
    last_args_seq: int = 0
    end_seq: int = 0
    """0: the arguments are not complete."""
    end_at: int = 0
    closed_seq: int = 0
    """When it left streaming/running/waiting; 0: it is open."""
    closed_at: int = 0

    args: list[str] | None = None
    """The argument text while it streams; dropped at END."""
    args_length: int = 0
    """Characters."""
    args_digest: str = ""
    """Of the canonical arguments where they parse, else of the text. "" while open."""
    args_verdict: str = ""
    """"" while open; `empty`, `object`, or what is wrong: `cut`, `two documents`, `not an object`,
    `not JSON`, `fragment after the end`."""
    args_detail: str = ""
    args_excerpt: str = ""
    hidden: tuple[str, str] = ("", "")
    """(kind, which) of a character that hides in the arguments."""
    damaged: str = ""
    """What the arguments lost on their way: `replacement character`, `half a character`."""
    late_args: tuple[int, ...] = ()
    """Seqs of ARGS that came after END, the first few."""

    answers: list[Answer] = field(default_factory=list)
    pending: bool | None = None
    """What its run's pending list says: named, not named, or no list (None)."""
    interrupt: str | None = None
    """The interrupt that named it."""
    waits_behind: str | None = None
    """`interrupt` or `hand-over`: it was open when its run stopped for somebody else."""
    resumed: str | None = None
    """Status of the resume entry for its interrupt: `resolved` (see `approved`) or `cancelled`."""
    approved: bool | None = None
    approved_seq: int = 0
    """Where a run first brought a yes to its question; likewise a no. Both contradict each other (C08)."""
    refused_seq: int = 0
    refusal: str = ""
    """What a person said of a no: a refusal that quotes it is told in the tool's result."""
    resumed_run: int | None = None
    followed_seq: int = 0
    """First text or step of its run after its END: the model went on, so it was not the client's."""
    moved_on_seq: int = 0
    """When the thread moved on without an answer (a later user message, a run without it)."""
    moved_on_run: int = 0
    evidence: tuple[tuple[str, int], ...] = ()
    """(phase, ms) of what a host saw: `start`, `result`, `error`."""
    restarts: list[tuple[int, str]] = field(default_factory=list)
    """(seq, `same` | `other` | `open`) of every START that came again for it."""
    snapshot_lost_seq: int = 0
    """A snapshot kept the call and lacks its streamed result."""
    input_lost_seq: int = 0
    """An input keeps the call and lacks its streamed result."""
    history_seq: int = 0
    """First history that carries the call itself."""
    history_digest: str = ""
    """Digest of its arguments in the last history that carries it."""
    repeats: int = 1
    """Which one it is of the calls of its turn with this tool, these arguments and this result."""
    expires: int = 0
    """Until when its interrupt may be answered, in ms; 0: it does not say."""
    partial_seq: int = 0
    """A run resumed other interrupts of its run, and not its own."""
    approved_again: int = 0
    """Its approval was sent again after a result had come for it."""
    args_differ_seq: int = 0
    """First history that carries it with other arguments than were streamed (C25)."""
    mismatch: str = ""
    """How ids that should be this one's came apart (C15): `result` or `end` under a variant, `pieces`,
    `snapshot`, `empty`."""
    mismatch_ids: tuple[str, ...] = ()
    mismatch_seqs: list[int] = field(default_factory=list)
    wrong_parent: str = ""
    """`unknown` or the role of a parent that is no assistant message."""
    again: Again | None = None
    """It is being announced once more; what that was is known at its END."""
    changed: int = 0
    """The seq of the last event that changed it."""
    refs: tuple[Ref, ...] = ()
    """What a delta for it touches: itself, its run, its turn."""

    @property
    def ref(self) -> Ref:
        return ("call", self.number)

    @property
    def open(self) -> bool:
        return self.state in (STREAMING, RUNNING, WAITING)

    @property
    def held_place(self) -> bool:
        """Whether all that came for a client's call is a server's null or empty result."""
        return self.owner == CLIENT and bool(self.answers) and all(one.empty for one in self.answers)

    @property
    def answered(self) -> bool:
        """Whether any result counts, in either plane (late ones do not)."""
        return any(not a.late and not a.preliminary for a in self.answers)
