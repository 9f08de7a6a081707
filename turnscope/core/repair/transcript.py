"""A transcript: the messages a model would be given, read without loss, and what a repair did to them.

A `Part` keeps the object it was read from, so that a message nobody changed is written back byte for
byte. Nothing here knows a target or a rule: spelling is `shapes/`, what a consumer insists on is
`targets/`, what is mended is `passes.py`. `history.py` makes a transcript out of a thread's events.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeAlias

import orjson

Json: TypeAlias = Any

# Kinds of parts.
TEXT, CALL, RESULT, REASONING = "text", "call", "result", "reasoning"
APPROVAL, RESPONSE, STEP, OTHER = "approval", "response", "step", "other"
BESIDE = "beside"
"""Something a message carries outside its content (a refusal, audio): content, but never rewritten."""

# Roles, whatever a shape calls them. A shape's own word stays in the raw object.
USER, ASSISTANT, TOOL, SYSTEM, DEVELOPER = "user", "assistant", "tool", "system", "developer"
ACTIVITY, THINKING, UNKNOWN_ROLE = "activity", "reasoning", ""


@dataclass(slots=True, eq=False)
class Part:
    """One piece of a message. Equality is identity: two equal results are still two."""

    kind: str
    raw: Json = None
    """As its shape spells it; None for a part made here or taken over from another shape."""
    id: str | None = None
    """The call id, of a call, a result, an approval request; None where the object has none."""
    name: str = ""
    """The tool's name."""
    text: str = ""
    value: Json = None
    """A call's arguments or a result's content, as it came."""
    error: bool = False
    complete: bool = True
    """False: the arguments never completed, so it is not yet a call."""
    provider: bool = False
    """The model's provider ran it: the pair is its own business."""
    approval: str | None = None
    """The approval id of an APPROVAL or RESPONSE, or of a call that carries its own."""
    approved: bool | None = None
    started: bool = False
    """The part itself says that the tool ran (a preliminary output, say)."""
    signed: bool = False
    """Reasoning, or a call, that carries a signature."""
    free: bool = False
    """A call whose arguments are free text by design: never parsed."""
    form: str = ""
    """Which of several spellings a call has; its result is spelled to match."""
    wordless: bool = False
    """A call whose result cannot be a text (a screenshot, say): nothing honest can stand in for it."""
    nameless: bool = False
    """Write its item without the item's own id."""
    broken: bool = False
    """A call that its framework has set aside as unparsable: written as it is, and answered."""
    also: tuple[Json, ...] = ()
    """Other places of its message that tell the same call."""
    unnamed: bool = False
    """`id` is ours, for pairing: the object has none and is written without."""
    src: tuple[int, int] = (-1, -1)
    """Where it stood in the input: (message, part)."""
    seqs: tuple[int, ...] = ()
    changed: bool = False
    """Write it from its fields, with `raw` for what they do not say."""


@dataclass(slots=True, eq=False)
class Message:
    role: str
    parts: list[Part] = field(default_factory=list)
    raw: Json = None
    id: str | None = None
    src: int = -1
    """Its index in the input; -1: made here."""
    seqs: tuple[int, ...] = ()
    changed: bool = False
    note: dict[str, Json] | None = None
    """Of a message made here: what to mark it with, where the shape has room for a mark."""

    def of(self, *kinds: str) -> list[Part]:
        return [part for part in self.parts if part.kind in kinds]

    @property
    def only_results(self) -> bool:
        """Nothing but results (and answers to approvals) in it, and at least one."""
        return bool(self.parts) and all(part.kind in (RESULT, RESPONSE) for part in self.parts)

    @property
    def only_text(self) -> bool:
        """One text is all that the assistant says."""
        return self.role == ASSISTANT and len(self.parts) == 1 and self.parts[0].kind == TEXT

    @property
    def says(self) -> bool:
        """It holds text that somebody wrote."""
        return any(part.kind == TEXT and part.text.strip() for part in self.parts)


@dataclass(slots=True)
class Recorded:
    """A result the record holds although the history lacks it."""

    content: Json
    error: bool = False
    message: str | None = None
    """The message id it came under."""
    source: str = "host"
    """`host` (captured by who ran the tool), `stream`, `snapshot` or `input`."""
    seqs: tuple[int, ...] = ()


@dataclass(slots=True)
class Evidence:
    """What is known of calls beside the messages: for recovering results, and for honest texts."""

    results: dict[str, list[Recorded]] = field(default_factory=dict)
    """Call id -> results on record, strongest first."""
    started: set[str] = field(default_factory=set)
    """Calls a tool was seen to begin."""
    denied: set[str] = field(default_factory=set)
    """Calls a person declined."""
    pending: set[str] = field(default_factory=set)
    """Calls that something is about to answer."""
    cancelled: set[str] = field(default_factory=set)
    """Calls that whoever goes on gives up waiting for."""
    extra: set[str] = field(default_factory=set)
    """Tools that run long and report more than once: their last result is the result."""

    def merged(self, other: Evidence | None) -> Evidence:
        """Both, the given one first. Neither is touched, and what comes out shares nothing with them."""
        other = Evidence() if other is None else other
        results = {call: list(found) for call, found in other.results.items()}
        for call, found in self.results.items():
            results.setdefault(call, []).extend(found)
        return Evidence(
            results=results,
            started=self.started | other.started,
            denied=self.denied | other.denied,
            pending=self.pending | other.pending,
            cancelled=self.cancelled | other.cancelled,
            extra=self.extra | other.extra,
        )


@dataclass(slots=True)
class Transcript:
    messages: list[Message]
    shape: str
    """The name of the shape it was read in."""
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def raws(self) -> list[Json]:
        """The messages as they came."""
        return [message.raw for message in self.messages]


@dataclass(slots=True)
class Change:
    """One difference a repair made, or (`kept`) one thing it deliberately left."""

    code: str
    action: str
    """relocated, dropped, answered, recovered, wrapped, reordered, merged, quoted, relabelled,
    filler_added or kept."""
    src: tuple[tuple[int, int], ...]
    """(message, part) in the input; empty for what had no counterpart there."""
    dst: tuple[tuple[int, int], ...]
    """(message, part) in the output; empty for what is gone."""
    call_id: str | None
    reason: str
    """The sentence a person reads; it names the target's rule."""
    rule: str
    """The field of the target's row that asked for it."""
    lossy: bool = False
    """Something a model or tool said is gone."""
    review: bool = False
    """A person should look: the model may have read the history otherwise."""
    crossed_assistant: bool = False
    """A late result jumped an assistant message, which the model wrote without it."""
    seqs: tuple[int, ...] = ()
    text: str = ""
    """The synthetic text, where one was written."""
    before: str = ""
    """Digest of what stood there; "" where nothing did."""

    def as_json(self) -> dict[str, Json]:
        """The record as it is printed: indices of messages in `src` and `dst`, exact places beside."""
        out: dict[str, Json] = {
            "code": self.code,
            "action": self.action,
            "src": _indices(self.src),
            "dst": _indices(self.dst),
            "src_parts": [list(place) for place in self.src],
            "dst_parts": [list(place) for place in self.dst],
            "call_id": self.call_id,
            "reason": self.reason,
            "rule": self.rule,
            "lossy": self.lossy,
            "review": self.review,
            "seqs": list(self.seqs),
        }
        if self.action in ("relocated", "reordered"):
            out["crossed_assistant"] = self.crossed_assistant
        if self.text:
            out["text"] = self.text
        if self.before:
            out["before"] = self.before
        return out


@dataclass(slots=True)
class Blocker:
    """What could not be mended without inventing or rewriting something."""

    code: str
    call_id: str | None
    message: str
    """The sentence a person reads."""
    src: tuple[int, ...] = ()
    """Indices in the input."""
    offers: tuple[str, ...] = ()
    """What remains: `other_target`, `flatten_pair`, `id_map`, `policy_answer`."""

    def as_json(self) -> dict[str, Json]:
        return {
            "code": self.code,
            "call_id": self.call_id,
            "message": self.message,
            "src": list(self.src),
            "offers": list(self.offers),
        }


@dataclass(slots=True)
class Repaired:
    """A transcript as its target accepts it, or the reasons why it still would not."""

    target: str
    policy: str
    messages: list[Json]
    changes: list[Change]
    blockers: list[Blocker]
    pending: list[str]
    system: list[str] = field(default_factory=list)
    """System texts, for a target that takes them beside the messages."""
    shape: str = ""
    """What the messages are spelled in."""
    before: list[Json] = field(default_factory=list)
    """What goes before the messages in an update of a state that its consumer keeps."""

    notes: list[str] = field(default_factory=list)
    """What the request needs beside the messages, a sentence each."""

    ids: dict[str, str] = field(default_factory=dict)
    """The id a call is sent under -> the id it stands for; filled by `ids="map"` alone."""

    @property
    def sendable(self) -> bool:
        return not self.blockers and not self.pending

    def as_json(self) -> dict[str, Json]:
        """What `turnscope repair` prints."""
        out: dict[str, Json] = {
            "target": self.target,
            "policy": self.policy,
            "messages": self.messages,
            "changes": [change.as_json() for change in self.changes],
            "blockers": [blocker.as_json() for blocker in self.blockers],
            "pending": self.pending,
            "sendable": self.sendable,
        }
        if self.before:
            out["before"] = self.before
        if self.ids:
            out["ids"] = self.ids
        if self.system:
            out["system"] = self.system
        if self.notes:
            out["notes"] = self.notes
        return out


def copied(messages: Iterable[Message]) -> list[Message]:
    """Messages and parts that may be changed without the originals noticing; raw objects are shared."""
    out = []
    for message in messages:
        twin = Message(*_OF_MESSAGE(message))
        twin.parts = [Part(*_OF_PART(part)) for part in message.parts]
        out.append(twin)
    return out


# What `dataclasses.replace` does, at a fifth of its cost: a long transcript has tens of thousands of parts.
_OF_MESSAGE = attrgetter(*(one.name for one in fields(Message)))
_OF_PART = attrgetter(*(one.name for one in fields(Part)))


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection. A long list makes many objects and no cycles, and walking them all again
    and again would be a quarter of the time, and not in proportion to the list."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def canonical(value: Json) -> str:
    """A text that is equal for equal JSON values, whatever the order of their keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONEncodeError, TypeError):
        pass
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return f"unreadable {type(value).__name__}"


def compact(value: Json) -> str:
    """A JSON value spelled without spaces, keys in their own order."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return "null"


def digest(value: Json) -> str:
    """A short digest of a JSON value, to tell whether it is still what a change speaks of."""
    data = canonical(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:16]


def parsed(value: Json) -> Json:
    """A call's arguments as a mapping, or None if they are not one JSON object.

    Empty text and null are `{}`: a tool without parameters is called that way.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def object_text(text: str) -> bool:
    """Whether a text parses to an object; none at all is taken for an empty one."""
    return not text or (bool(text.strip()) and parsed(text) is not None)


def as_text(value: Json) -> str:
    """A result's content as one text: text parts joined, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        texts = [p.get("text") for p in value if isinstance(p, dict) and p.get("type") == "text"]
        if len(texts) == len(value) and all(isinstance(text, str) for text in texts):
            return "\n".join(str(text) for text in texts)
    return compact(value)


def _indices(places: tuple[tuple[int, int], ...]) -> list[int]:
    return sorted({message for message, _ in places})
