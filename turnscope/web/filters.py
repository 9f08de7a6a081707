"""The filter language of the event list, the channels and the findings: a line of text into terms.

    tool:slack* status:hanging rule:C02 type:TOOL_*,RUN_* call:call_9* dur:>5s -type:*_ARGS
    text:"not found" after:4.2s before:#731 fleet

Every term must hold; commas are alternatives; `-` before a term turns it round; `*` stands for anything; a
bare word or a quoted phrase is looked for as text. Case never matters. What cannot be understood is a
`Problem` with its place in the line, and the rest of the line still holds: nothing here raises, asks a
database or a clock. Who has rows asks `Term.holds`; a page that has only columns reads `Term.values`.
Counterparts: `sifting.py` for the events of a turn, the lists of turns and findings for theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import NamedTuple

from .words import OUTCOMES, STATES

LONGEST = 1000
"""Characters of a line that are read."""
MOST = 40
"""Terms of a line."""
STARS = 8
"""Stars in one value."""


class Field(NamedTuple):
    """One word that may stand before a colon."""

    kind: str
    """`glob`, `text`, `span` (a length of time), `point` (a seq or a time) or `choice`."""
    what: str
    example: str


FIELDS: dict[str, Field] = {
    "tool": Field("glob", "the tool's name", "tool:slack*"),
    "status": Field("choice", "how a call or a turn stands", "status:hanging"),
    "rule": Field("glob", "the code of a finding", "rule:C02"),
    "type": Field("glob", "the kind of an event", "type:TOOL_*"),
    "call": Field("glob", "the id of a call", "call:call_9*"),
    "owner": Field("glob", "who owes the answer", "owner:client"),
    "culprit": Field("glob", "who caused a finding", "culprit:adapter"),
    "severity": Field("glob", "error, warning or info", "severity:error"),
    "channel": Field("glob", "the channel's name", "channel:acme-*"),
    "thread": Field("glob", "the thread's name or title", "thread:support-*"),
    "run": Field("glob", "the id of a run", "run:run_01*"),
    "dur": Field("span", "how long a call or a turn took", "dur:>5s"),
    "text": Field("text", "a text that stands in it", 'text:"not found"'),
    "after": Field("point", "later than an event (#731), a time in the turn (4.2s) or a date", "after:4.2s"),
    "before": Field("point", "earlier than that", "before:#731"),
}
"""The whole language, one row a word."""

EVENTS = (
    "type", "tool", "call", "status", "owner", "rule", "severity", "dur", "text", "after", "before",
)  # fmt: skip
"""Words for the events of a turn."""
TURNS = (
    "status", "tool", "rule", "severity", "thread", "channel", "run", "dur", "text", "after", "before",
)  # fmt: skip
"""Words for lists of turns."""
FINDINGS = (
    "rule", "severity", "culprit", "tool", "call", "thread", "channel", "text", "after", "before",
)  # fmt: skip
"""Words for lists of findings."""

CHOICES = (*STATES, *(key for key in OUTCOMES if key not in STATES), "answered", "waiting", "live")
"""What may follow `status:`: a look of a call, an outcome of a turn, or one of three groups."""


def words(named: tuple[str, ...]) -> list[tuple[str, Field]]:
    """Rows of FIELDS, for a page that teaches the language."""
    return [(name, FIELDS[name]) for name in named]


class Span(NamedTuple):
    """A length of time between two bounds, in ms; None: no bound. A bare length is the least one."""

    least: float | None
    most: float | None


class Point(NamedTuple):
    """A place in time: `seq` (a number of an event), `span` (ms, from the turn's start or before now) or `at`
    (ms since 1970)."""

    kind: str
    value: float


class Problem(NamedTuple):
    """What could not be understood: characters start..end of the line, and a sentence."""

    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Glob:
    """A text in which `*` stands for anything."""

    text: str
    parts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.text.casefold().split("*")))

    @property
    def exact(self) -> bool:
        return len(self.parts) == 1

    def hits(self, value: str) -> bool:
        """Whether it covers the whole value. Takes as long as the value is, whatever stars there are."""
        value = value.casefold()
        if self.exact:
            return value == self.parts[0]
        first, *middle, last = self.parts
        if len(value) < len(first) + len(last) or not value.startswith(first) or not value.endswith(last):
            return False
        at, end = len(first), len(value) - len(last)
        for part in middle:
            found = value.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True

    @property
    def like(self) -> str:
        """The same for SQL's LIKE, with a backslash to escape."""
        escaped = re.sub(r"([\\%_])", r"\\\1", self.text)
        return escaped.replace("*", "%")


Value = Glob | Span | Point | str


@dataclass(frozen=True, slots=True)
class Term:
    """One condition."""

    field: str
    values: tuple[Value, ...]
    negated: bool
    start: int
    end: int
    source: str
    """As it was written."""

    def hits(self, value: str | float) -> bool:
        """Whether a value of its field fits, `-` not yet heeded: for globs, choices, texts and spans."""
        return any(_hits(wanted, value) for wanted in self.values)

    def points(self) -> list[Point]:
        """Its values that are places in time."""
        return [value for value in self.values if isinstance(value, Point)]

    def holds(self, *values: str | float) -> bool:
        """Whether the term holds for something with these values of its field, `-` heeded."""
        return any(map(self.hits, values)) is not self.negated


def _hits(wanted: Value, value: str | float) -> bool:
    if isinstance(wanted, Glob):
        return wanted.hits(str(value))
    if isinstance(wanted, str):
        return wanted.casefold() in str(value).casefold()
    if isinstance(wanted, Span) and not isinstance(value, str):
        return (wanted.least is None or value >= wanted.least) and (
            wanted.most is None or value <= wanted.most
        )
    return False


@dataclass(frozen=True, slots=True)
class Query:
    """A line, understood as far as it goes."""

    text: str
    terms: tuple[Term, ...] = ()
    problems: tuple[Problem, ...] = ()

    def of(self, *fields: str) -> list[Term]:
        """Its terms with one of these words."""
        return [term for term in self.terms if term.field in fields]

    def without(self, term: Term) -> str:
        """The line less one term: where a chip's cross leads."""
        return " ".join((self.text[: term.start].strip() + " " + self.text[term.end :].strip()).split())

    def told(self) -> dict[str, object]:
        """For a page and its twin."""
        return {
            "text": self.text,
            "terms": [
                {"field": term.field, "source": term.source, "negated": term.negated,
                 "without": self.without(term)}
                for term in self.terms
            ],
            "problems": [problem._asdict() for problem in self.problems],
        }  # fmt: skip


# ---------------------------------------------------------------- reading

_TERM = re.compile(r'(-?)(?:([A-Za-z_]+):)?((?:"(?:[^"\\]|\\.)*"?|[^\s"])*)')
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)("?)|([^",]+)|(,)')
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(ms|s|min|m|h|d|)")
_UNITS = {"ms": 1, "": 1000, "s": 1000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def parse(text: str, known: tuple[str, ...] = EVENTS) -> Query:
    """A line of the language; `known` are the words that the page has."""
    problems: list[Problem] = []
    if len(text) > LONGEST:
        problems.append(Problem(LONGEST, len(text), f"Only the first {LONGEST} characters are read."))
        text = text[:LONGEST]
    terms: list[Term] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = _TERM.match(text, at)
        end = found.end() if found and found.end() > at else at + 1
        if len(terms) == MOST:
            problems.append(Problem(at, len(text), f"Only the first {MOST} terms are read."))
            break
        if found:
            _read(found, known, terms, problems)
        at = end
    return Query(text, tuple(terms), tuple(problems))


def _read(found: re.Match[str], known: tuple[str, ...], terms: list[Term], problems: list[Problem]) -> None:
    start, end = found.span()
    word, rest = (found[2] or "").lower(), found[3]
    if found[2] and word not in known:
        if word in FIELDS:
            named = ", ".join(f"{name}:" for name in known)
            problems.append(Problem(found.start(2), found.end(2), f"“{word}:” means nothing here: {named}"))
        elif rest.startswith("//") or _looks_like_text(found):
            word = ""
        else:
            near = get_close_matches(word, known, 1)
            hint = f"did you mean “{near[0]}:”?" if near else "the words are " + ", ".join(known) + "."
            problems.append(Problem(found.start(2), found.end(2), f"There is no “{word}:”; {hint}"))
        if word:
            return
        rest = found[0].removeprefix("-")
    values: list[Value] = []
    kind = FIELDS[word].kind if word else "text"
    offset = end - len(rest)
    if word and not rest:
        problems.append(Problem(start, end, f"“{word}:” needs a value, as in {FIELDS[word].example}"))
        return
    whole = kind == "point" or not word  # `#1,289` is how a page spells a number
    for piece, quoted, from_, to in _pieces(rest, offset, whole=whole, problems=problems):
        value, wrong = _value(kind, piece, quoted=quoted)
        if wrong:
            problems.append(Problem(from_, to, wrong))
        elif value is not None:
            values.append(value)
    if values:
        terms.append(Term(word or "text", tuple(values), bool(found[1]), start, end, found[0]))


def _looks_like_text(found: re.Match[str]) -> bool:
    """A colon in the middle of what is pasted, as in `Error:` or `foo:bar` in capitals."""
    return bool(found[2]) and (not found[3] or found[2][0].isupper())


def _pieces(
    rest: str, offset: int, *, whole: bool, problems: list[Problem]
) -> list[tuple[str, bool, int, int]]:
    """(text, quoted, start, end) of each alternative; a bare word is one, commas and all."""
    if whole and '"' not in rest:
        return [(rest, False, offset, offset + len(rest))] if rest else []
    out: list[tuple[str, bool, int, int]] = []
    held, quoted, begin, last = "", False, offset, offset
    for found in _PIECE.finditer(rest):
        if found[4] and not whole:
            out.append((held, quoted, begin, last))
            held, quoted, begin = "", False, offset + found.end()
        elif found[1] is not None:
            if not found[2]:
                where = offset + found.start()
                problems.append(Problem(where, offset + len(rest), "The quotation mark is not closed."))
            held, quoted = held + re.sub(r"\\(.)", r"\1", found[1]), True
        else:
            held += found[3] or ","
        last = offset + found.end()
    out.append((held, quoted, begin, last))
    return [piece for piece in out if piece[0]]


def _value(kind: str, piece: str, *, quoted: bool) -> tuple[Value | None, str]:
    """(value, "") or (None, what is wrong with it)."""
    if kind == "text":
        return piece, ""
    if kind == "span":
        return _span(piece)
    if kind == "point":
        return _point(piece)
    if kind == "choice":
        folded = piece.casefold()
        if "*" not in folded and folded not in CHOICES:
            near = get_close_matches(folded, CHOICES, 1)
            hint = f"; did you mean {near[0]}?" if near else f": {', '.join(CHOICES)}"
            return None, f"There is no status “{piece[:40]}”{hint}"
    if piece.count("*") > STARS:
        return None, f"More than {STARS} stars in one value."
    return Glob(piece), ""


def _span(piece: str) -> tuple[Span | None, str]:
    low, dots, high = piece.partition("..")
    if dots:
        least, most = length(low), length(high)
        if (low and least is None) or (high and most is None) or not (low or high):
            return None, f"“{piece[:40]}” is no range of time, as in 1s..5s"
        return Span(least, most), ""
    sign = re.match(r"[<>]?=?", piece)
    compare = sign[0] if sign else ""
    ms = length(piece[len(compare) :])
    if ms is None:
        return None, f"“{piece[:40]}” is no length of time, as in >5s, <=250ms or 1s..5s"
    return (Span(None, ms) if compare.startswith("<") else Span(ms, ms if compare == "=" else None)), ""


def length(text: str) -> float | None:
    """`250ms`, `5s`, `1m30s`, `2h`, `1.5` (seconds) in ms; None for anything else."""
    at = 0
    total = 0.0
    while at < len(text):
        found = _LENGTH.match(text, at)
        if not found or len(found[1]) > 12:
            return None
        total += float(found[1]) * _UNITS[found[2]]
        at = found.end()
    return total if text else None


def _point(piece: str) -> tuple[Point | None, str]:
    number = piece.removeprefix("#").replace(",", "")
    if number.isascii() and number.isdigit() and len(number) < 16:
        return Point("seq", int(number)), ""
    ms = length(piece)
    if ms is not None:
        return Point("span", ms), ""
    try:
        at = datetime.fromisoformat(piece)
    except ValueError:
        return None, f"“{piece[:40]}” is no event (#731), time (4.2s) or date (2026-11-30T12:00)"
    return Point("at", (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000), ""
