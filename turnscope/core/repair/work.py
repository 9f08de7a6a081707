"""The bench a repair works on: copies of the messages, calls paired with results, changes so far.

Passes change it, in the order of `passes.PASSES`; nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType

from turnscope.core.repair.targets import Target
from turnscope.core.repair.transcript import (
    ACTIVITY,
    CALL,
    RESPONSE,
    RESULT,
    TEXT,
    THINKING,
    USER,
    Blocker,
    Change,
    Evidence,
    Message,
    Part,
    as_text,
    digest,
)

ADDED = ("answered", "recovered", "filler_added")
"""Actions that put something behind what stood there: told after what was done to the thing itself."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person chose."""

    policy: str = "answer"
    """`answer`, `drop` or `block`: what becomes of a call nobody answered."""
    purpose: str = "continue"
    """`continue`: a new message follows. `resume`: what is open at the end is about to be answered."""
    late: str = "relocate"
    """`relocate`, `quote` or `drop`: what becomes of a result behind its window."""
    orphans: str = "drop"
    """`drop` or `quote`."""
    duplicates: str = "first"
    """`first` or `last`: which of two real results stays."""
    thinking: str = "request_drop_block"
    """What becomes of signed thinking behind a change: `request_drop_block` (left, and the request has to ask
    for it to be dropped), `strip_after_first_change` or `keep`. `echo`: a message with calls has
    `reasoning_content`, if only an empty one."""
    ids: str = "block"
    """What becomes of a call whose id or name is refused: `block`, `flatten` (told as text) or `map` (sent
    under another id, which `Repaired.ids` explains)."""


@dataclass(slots=True, eq=False)
class Pair:
    """A call and what is meant to answer it."""

    message: Message
    call: Part
    results: list[tuple[Message, Part]] = field(default_factory=list)
    early: bool = False
    """Its result stood before it."""
    kept: bool = False
    """Something is about to answer it."""
    unparsed: bool = False
    """Its arguments did not parse (they may be wrapped by now)."""
    shadowed: bool = False
    """A later call took its id while it was open."""

    @property
    def id(self) -> str:
        return self.call.id or ""


@dataclass(slots=True)
class Work:
    target: Target
    shape: ModuleType
    options: Options
    evidence: Evidence
    messages: list[Message]
    pairs: list[Pair] = field(default_factory=list)
    unbound: list[tuple[Message, Part]] = field(default_factory=list)
    """Results that answer nothing."""
    twins: dict[int, int] = field(default_factory=dict)
    """How many calls with its id and other arguments were dropped beside a call (by identity)."""
    doomed: dict[int, Part] = field(default_factory=dict)
    """Parts that are to go (by identity)."""
    added: dict[int, Part] = field(default_factory=dict)
    """Results made here that have no place yet (by identity)."""
    quoted: set[int] = field(default_factory=set)
    """Texts and messages that quote a result (by identity)."""
    behind: dict[int, list[Message]] = field(default_factory=dict)
    """Message (by identity) -> quotes that are to stand behind the results around it."""
    given: list[tuple[Part, Part, Part]] = field(default_factory=list)
    """Results that had no id, as they are and as they were, with the call that each answers."""
    taken: dict[str | None, int] = field(default_factory=dict)
    """Message ids in use, once one was asked for; with the number that was last tried behind it."""
    _responses: dict[str | None, list[Part]] | None = None
    _by_id: dict[str, list[Pair]] | None = None
    renamed: list[tuple[Message, Part, str, str]] = field(default_factory=list)
    """Calls that are sent under another id, with the code and the rule that ask for it."""
    sent_as: dict[int, str] = field(default_factory=dict)
    """Calls and results (by identity) -> the id they are sent under."""
    ids: dict[str, str] = field(default_factory=dict)
    """The id something is sent under -> the id it stands for."""
    changes: list[tuple[Change, tuple[Part | Message, ...]]] = field(default_factory=list)
    """With what was made or moved, so that `dst` can be said once everything has its place."""
    blockers: list[Blocker] = field(default_factory=list)

    def record(
        self,
        code: str,
        action: str,
        reason: str,
        *,
        rule: str,
        parts: Iterable[Part] = (),
        made: Iterable[Part | Message] = (),
        call: str | None = None,
        lossy: bool = False,
        review: bool = False,
        crossed: bool = False,
        text: str = "",
        seqs: tuple[int, ...] = (),
        src: tuple[tuple[int, int], ...] = (),
    ) -> None:
        """Writes down one difference. `reason` is what happened; the target's sentence is added."""
        touched = tuple(parts)
        call = None if any(part.unnamed for part in touched) else call
        fact = self.target.rule(rule)
        self.changes.append(
            (
                Change(
                    code=code,
                    action=action,
                    src=src or tuple(part.src for part in touched if part.src[0] >= 0),
                    dst=(),
                    call_id=call,
                    reason=f"{reason} ({self.target.title}: {fact.says}).",
                    rule=rule,
                    lossy=lossy,
                    review=review,
                    crossed_assistant=crossed,
                    seqs=seqs or tuple(sorted({seq for part in touched for seq in part.seqs})),
                    text=text,
                    before=digest([part.raw for part in touched]) if touched else "",
                ),
                tuple(made),
            )
        )

    def doom(self, part: Part) -> None:
        self.doomed[id(part)] = part

    def add(self, pair: Pair, part: Part) -> None:
        """Gives a call a result that is placed later."""
        part.form, part.unnamed = pair.call.form, pair.call.unnamed
        pair.results = [(pair.message, part)]
        self.added[id(part)] = part

    def is_doomed(self, part: Part) -> bool:
        return id(part) in self.doomed

    def closes(self, message: Message) -> bool:
        """Whether a message ends the window for results (activity and reasoning never do)."""
        return message.role in self.target.boundary.value and not message.only_results

    def quote(
        self, message: Message, part: Part, code: str, rule: str, title: str, *, lossy: bool = False
    ) -> Part:
        """Turns a result into text of the user's, behind the results it stands among."""
        text = Part(TEXT, None, text=f"[{title}]\n{as_text(part.value)}", src=part.src, seqs=part.seqs)
        text.form = part.form
        message.changed = True
        if all(p.kind in (RESULT, RESPONSE) or self.is_doomed(p) for p in message.parts):
            self._quote_behind(message, part, text)
        else:
            message.parts.remove(part)
            stays = [n for n, p in enumerate(message.parts) if p.kind == RESULT or id(p) in self.quoted]
            message.parts.insert(max(stays, default=-1) + 1, text)
            self.quoted.add(id(text))
        self.record(
            code,
            "quoted",
            f"the result of {named(part)} is quoted as text",
            rule=rule,
            parts=[part],
            made=[text],
            call=part.id,
            lossy=lossy,
            review=True,
        )
        return text

    def _quote_behind(self, message: Message, part: Part, text: Part) -> None:
        """Gives the text a user message behind the results it stood among: none of them is cut off."""
        quote = Message(USER, [text], None, self.new_id(f"{part.id}-quoted"), seqs=part.seqs)
        self.behind.setdefault(id(message), []).append(quote)
        self.quoted.add(id(quote))
        message.parts.remove(part)

    def place_quotes(self) -> None:
        """Puts quotes behind the results they stood among, once for all of a pass: a list may be long."""
        if not self.behind:
            return
        out: list[Message] = []
        waiting: list[Message] = []
        for message in self.messages:
            quotes = self.behind.get(id(message), [])
            gone = bool(quotes) and not message.parts
            going = bool(message.parts) and all(self.is_doomed(part) for part in message.parts)
            if not (gone or going or message.only_results or id(message) in self.quoted):
                out.extend(waiting)
                waiting = []
            if not gone:
                out.append(message)
            waiting.extend(quotes)
        self.messages = [*out, *waiting]
        self.behind = {}

    def new_id(self, wanted: str) -> str:
        """A message id nobody has: the wanted one, or with a number behind it."""
        if not self.taken:
            self.taken = {message.id: 1 for message in self.messages}
        number, found = self.taken.get(wanted, 1), wanted
        while found in self.taken:
            number += 1
            found = f"{wanted}-{number}"
        self.taken[wanted] = number
        self.taken[found] = 1
        return found

    def with_id(self, call: str) -> list[Pair]:
        """The pairs of all calls that have an id."""
        if self._by_id is None:
            self._by_id = {}
            for pair in self.pairs:
                self._by_id.setdefault(pair.id, []).append(pair)
        return self._by_id.get(call, [])

    def responses(self, requests: Iterable[str | None]) -> list[Part]:
        """The answers to approvals, in their order."""
        if self._responses is None:
            self._responses = {}
            for message in self.messages:
                for part in message.of(RESPONSE):
                    self._responses.setdefault(part.approval, []).append(part)
        return [part for request in requests for part in self._responses.get(request, ())]

    def block(self, code: str, call: str | None, text: str, parts: Iterable[Part], *offers: str) -> None:
        """Writes down what stays unmended. A call that has no id of its own is named in the text alone."""
        touched = list(parts)
        src = tuple(sorted({part.src[0] for part in touched if part.src[0] >= 0}))
        call = None if touched and all(part.unnamed for part in touched) else call
        self.blockers.append(Blocker(code, call, text, src, offers))

    def finished(self) -> list[Change]:
        """The changes in reading order, each with its places in the output."""
        wanted = {id(thing) for _, made in self.changes for thing in made}
        places: dict[int, tuple[int, int]] = {}
        index = 0
        for message in self.messages if wanted else ():
            if id(message) in wanted:
                places[id(message)] = (index, 0)
            items = self.shape.SPREAD and len(message.of(CALL)) > 1
            for number, part in enumerate(message.parts):
                if id(part) in wanted:
                    places[id(part)] = (index + number, 0) if items else (index, number)
            index += len(message.parts) if items else 1
        for change, made in self.changes:
            change.dst = tuple(places[id(thing)] for thing in made if id(thing) in places)
        return sorted((change for change, _ in self.changes), key=_reading_order)


def _reading_order(change: Change) -> tuple[int, bool]:
    return (change.src[0][0] if change.src else -1, change.action in ADDED)


def invisible(message: Message) -> bool:
    """A message no model reads as an utterance: it neither answers nor closes anything."""
    return message.role in (ACTIVITY, THINKING)


def named(pair_or_part: Pair | Part) -> str:
    """A call in a sentence: its id and tool, cut."""
    part = pair_or_part.call if isinstance(pair_or_part, Pair) else pair_or_part
    name = f" ({part.name[:60]})" if part.name else ""
    return f"call {(part.id or 'without an id')[:80]}{name}"


def own_calls(message: Message) -> list[Part]:
    """The calls of a message that somebody outside the provider owes an answer."""
    return [part for part in message.of(CALL) if not part.provider]


def own_results(message: Message) -> list[Part]:
    return [part for part in message.of(RESULT) if not part.provider]
