"""The filter language over lists: a line into the turns, or the findings, that it lets through.

Columns narrow what is read as far as a database's own comparison is surely wider than the language's; what is
left is asked row by row, in Python, where case and stars mean what the language says. Newest first, in
pieces, and bounded: a filter that fits little stops after a while and says from where it would go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from turnscope.store.models import Call, Finding, Run, Thread, Turn

from . import show, words
from .filters import Glob, Point, Query, Span, Term, Value

Dict = dict[str, Any]
Key = tuple[int, int]
"""A thread's id, and the number of a turn or call in it."""

PIECE = 400
"""Rows read at a time."""
LOOKED = 10_000
"""Rows that one request looks at."""


@dataclass(slots=True)
class Found:
    """What a filter let through, and where the list goes on (0: it ends here)."""

    rows: list[Any] = field(default_factory=list)
    more: int = 0
    cut: bool = False
    """There may be more: the look ended before the list did."""


def turns(rows: QuerySet[Turn], query: Query, *, before: int = 0, limit: int, now: int) -> Found:
    """The newest `limit` turns that fit."""
    rows = _fewer(rows, query, now)
    return _look(rows, query, before, limit, lambda piece: _TurnFits(piece, query, now))


def threads(rows: QuerySet[Thread], query: Query, *, before: int = 0, limit: int, now: int) -> Found:
    """The first `limit` threads from place `before` on, in the order of `rows`, of which one turn fits.

    A thread without turns fits by its own names. `more` is a place in that order.
    """
    if query.terms:
        turns = Turn.objects.filter(thread=OuterRef("pk"))
        rows = rows.filter(Exists(_fewer(turns, query, now)) | ~Exists(turns))
    found, place = Found(), before
    while piece := list(rows[place : place + limit + 1]):
        fit = _threads_that_fit(piece, query, now) if query.terms else {row.pk for row in piece}
        for row in piece:
            if len(found.rows) == limit:
                found.more = place
                return found
            place += 1
            if row.pk in fit:
                found.rows.append(row)
        if len(piece) <= limit:
            return found
        if place - before >= LOOKED:
            found.more, found.cut = place, True
            return found
    return found


def _threads_that_fit(piece: Sequence[Thread], query: Query, now: int) -> set[int]:
    of_piece = Turn.objects.filter(thread__in=piece).select_related("thread__channel")
    turns = list(_fewer(of_piece, query, now))
    fit = _TurnFits(turns, query, now)
    fitting = {turn.thread_id for turn in turns if all(fit(turn, term) for term in query.terms)}
    has = set(of_piece.values_list("thread_id", flat=True).distinct())
    bare = (row for row in piece if row.pk not in has)
    return fitting | {row.pk for row in bare if all(term.holds(*_named(row, term)) for term in query.terms)}


def _named(row: Thread, term: Term) -> Sequence[str]:
    """What a thread without turns has to say to a term."""
    names = (row.name, row.title)
    return {"thread": names, "text": names, "channel": (row.channel.slug,)}.get(term.field, ())


def _fewer(rows: QuerySet[Turn], query: Query, now: int) -> Any:
    """The turns that may fit, as far as columns can tell."""
    rows = _narrowed(rows, query, TURN_COLUMNS)
    for term in query.terms:
        if not term.negated and term.field in NUMBERED:
            rows = rows.filter(NUMBERED[term.field](term, now))
    rows = _with(rows, query, "tool", Call, "name", turn="turn")
    rows = _with(rows, query, "run", Run, "run_id", turn="turn")
    return _with(rows, query, "rule", Finding, "code", turn="turn")


def findings(rows: QuerySet[Finding], query: Query, *, before: int = 0, limit: int, now: int) -> Found:
    """The newest `limit` findings that fit."""
    rows = _narrowed(rows, query, FINDING_COLUMNS)
    return _look(rows, query, before, limit, lambda piece: _FindingFits(piece, query, now))


def _look(rows: Any, query: Query, before: int, limit: int, fits: Callable[[Sequence[Any]], Any]) -> Found:
    found, looked = Found(), 0
    size = limit + 1 if not query.terms else PIECE
    while True:
        piece = list((rows.filter(pk__lt=before) if before else rows)[:size])
        if not piece:
            return found
        fit = fits(piece)
        for row in piece:
            if len(found.rows) == limit:
                found.more = found.rows[-1].pk
                return found
            if all(fit(row, term) for term in query.terms):
                found.rows.append(row)
        before, looked = piece[-1].pk, looked + len(piece)
        if len(piece) < size:
            return found
        if looked >= LOOKED:
            found.more, found.cut = before, True
            return found


# ---------------------------------------------------------------- in the database

TURN_COLUMNS: dict[str, tuple[str, ...]] = {
    "severity": ("severity",),
    "thread": ("thread__name", "thread__title"),
    "channel": ("thread__channel__slug",),
    "text": ("title", "headline", "thread__name", "thread__title"),
}
FINDING_COLUMNS: dict[str, tuple[str, ...]] = {
    "rule": ("code", "name"),
    "severity": ("severity",),
    "culprit": ("culprit",),
    "thread": ("thread__name", "thread__title"),
    "channel": ("thread__channel__slug",),
    "text": ("message", "subject", "thread__name", "thread__title"),
}
"""Words of the language, and the columns that hold their values."""


def _narrowed(rows: Any, query: Query, columns: dict[str, tuple[str, ...]]) -> Any:
    for term in query.terms:
        if term.field in columns and (where := _wider(term, columns[term.field])) is not None:
            rows = rows.filter(where)
    return rows


def _wider(term: Term, columns: Sequence[str]) -> Q | None:
    """A condition that every row which fits meets; None where none is sure."""
    if term.negated:
        return None
    either = Q()
    for value in term.values:
        one = _of_value(value, columns)
        if one is None:
            return None
        either |= one
    return either


def _of_value(value: Value, columns: Sequence[str]) -> Q | None:
    text = value.text if isinstance(value, Glob) else value
    # Databases fold the case of ASCII letters alike, and of others each in its own way.
    if not isinstance(text, str) or not text.isascii() or "\0" in text:
        return None
    parts = text.split("*") if isinstance(value, Glob) else ["", text, ""]
    either = Q()
    for column in columns:
        if len(parts) == 1:
            either |= Q(**{f"{column}__iexact": text})
            continue
        whole = Q(**{f"{column}__istartswith": parts[0]}) & Q(**{f"{column}__iendswith": parts[-1]})
        for part in parts[1:-1]:
            whole &= Q(**{f"{column}__icontains": part})
        either |= whole
    return either


def _with(rows: Any, query: Query, word: str, table: Any, column: str, *, turn: str) -> Any:
    """Turns in which something of another table fits."""
    for term in query.of(word):
        where = _wider(term, [column])
        if where is not None:
            of_turn = {"thread_id": OuterRef("thread_id"), turn: OuterRef("number")}
            rows = rows.filter(Exists(table.objects.filter(where, **of_turn)))
    return rows


def _lasting(term: Term, now: int) -> Q:
    """Turns that took about so long."""
    either = Q()
    for span in term.values:
        if isinstance(span, Span):
            one = Q()
            if span.least is not None:
                one &= Q(last_at__gte=F("started_at") + int(span.least))
            if span.most is not None:
                one &= Q(last_at__lte=F("started_at") + int(span.most) + 1)
            either |= one
    return either


def _timed(term: Term, now: int) -> Q:
    """Turns that began about then; none where an event's number is all that is said."""
    either = Q(pk=0)
    for point in term.values:
        if isinstance(point, Point) and point.kind != "seq":
            edge = int(now - point.value if point.kind == "span" else point.value)
            either |= Q(started_at__gte=edge) if term.field == "after" else Q(started_at__lte=edge)
    return either


def _standing(term: Term, now: int) -> Q:
    """Turns whose state, outcome or look may be one of these (`statuses` says whether it is)."""
    either = Q(pk=0)
    for value in term.values:
        if not isinstance(value, Glob):
            continue
        for key, (word, look, _) in words.OUTCOMES.items():
            if value.hits(key) or value.hits(look):
                either |= Q(state=key) | Q(headline__istartswith=word)
        for key, where in ALSO.items():
            if value.hits(key):
                either |= where
    return either


ALSO: dict[str, Q] = {
    "live": Q(state__in=("open", "hanging")),
    "answered": Q(started__gt=0, open=0),
    "waiting": Q(waiting__gt=0),
    "unanswered": Q(state="finished", open__gt=F("waiting")),
}
"""What else may answer to a word of `status:`, by columns that count."""
NUMBERED: dict[str, Callable[[Term, int], Q]] = {
    "dur": _lasting, "after": _timed, "before": _timed, "status": _standing,
}  # fmt: skip

# ---------------------------------------------------------------- row by row


def _pairs(table: Any, piece: Sequence[Any], column: str) -> dict[Key, set[str]]:
    """What stands in a column of another table's rows, by their turn."""
    out: dict[Key, set[str]] = {}
    threads = {row.thread_id for row in piece}
    rows = table.objects.filter(thread_id__in=threads)
    for thread, turn, value in rows.values_list("thread_id", "turn", column).distinct():
        out.setdefault((thread, turn), set()).add(value)
    return out


def _in_time(term: Term, at: int, now: int) -> bool:
    """Whether a moment (ms; 0: unknown) is on the right side of a term's point; a seq says nothing."""
    later = term.field == "after"
    for point in term.values:
        if not isinstance(point, Point) or point.kind == "seq" or not at:
            continue
        edge = now - point.value if point.kind == "span" else point.value
        if (at >= edge) if later else (at < edge):
            return not term.negated
    return term.negated


class _TurnFits:
    """Whether turns of one piece fit a term."""

    def __init__(self, piece: Sequence[Turn], query: Query, now: int) -> None:
        self.now = now
        self.tools = _pairs(Call, piece, "name") if query.of("tool") else {}
        self.runs = _pairs(Run, piece, "run_id") if query.of("run") else {}
        self.rules = _pairs(Finding, piece, "code") if query.of("rule") else {}

    def __call__(self, row: Turn, term: Term) -> bool:
        key, word = (row.thread_id, row.number), term.field
        if word in ("after", "before"):
            return _in_time(term, row.started_at, self.now)
        if word == "dur":
            return bool(row.started_at) and term.holds(row.last_at - row.started_at)
        if word in ("tool", "run", "rule"):
            return term.holds(*{"tool": self.tools, "run": self.runs, "rule": self.rules}[word].get(key, ()))
        return term.holds(*self._texts(row, word))

    def _texts(self, row: Turn, word: str) -> Iterator[str]:
        thread = row.thread
        if word == "severity":
            yield row.severity
        elif word == "channel":
            yield thread.channel.slug
        elif word == "thread":
            yield from (thread.name, thread.title)
        elif word == "text":
            yield from (row.title, row.headline, thread.name, thread.title)
        elif word == "status":
            yield from statuses(row)


def statuses(row: Turn) -> set[str]:
    """Every word of `status:` that a turn answers to."""
    shown = show.turn(row)
    found = {row.state, shown["outcome"]["look"], words.told(row.headline) or row.state}
    if shown["live"]:
        found.add("live")
    if row.started and not row.open:
        found.add("answered")
    if row.waiting:
        found.add("waiting")
    return found


class _FindingFits:
    """Whether findings of one piece fit a term."""

    def __init__(self, piece: Sequence[Finding], query: Query, now: int) -> None:
        self.now = now
        self.calls: dict[Key, tuple[str, str]] = {}
        self.begun: dict[Key, int] = {}
        keys = {(row.thread_id, row.call) for row in piece if row.call}
        if query.of("tool", "call") and keys:
            rows = Call.objects.filter(
                thread_id__in={key[0] for key in keys}, number__in={key[1] for key in keys}
            )
            for thread, number, name, call_id in rows.values_list("thread_id", "number", "name", "call_id"):
                self.calls[thread, number] = (name, call_id)
        if query.of("after", "before"):
            turns = Turn.objects.filter(thread_id__in={row.thread_id for row in piece})
            for thread, number, at in turns.values_list("thread_id", "number", "started_at"):
                self.begun[thread, number] = at

    def __call__(self, row: Finding, term: Term) -> bool:
        word = term.field
        if word in ("after", "before"):
            return _in_time(term, self.begun.get((row.thread_id, row.turn), 0), self.now)
        return term.holds(*self._texts(row, word))

    def _texts(self, row: Finding, word: str) -> Sequence[str]:
        name, call_id = self.calls.get((row.thread_id, row.call), ("", ""))
        return {
            "rule": (row.code, row.name),
            "severity": (row.severity,),
            "culprit": (row.culprit,),
            "tool": (name,) if name else (),
            "call": (call_id,) if call_id else (),
            "channel": (row.thread.channel.slug,),
            "thread": (row.thread.name, row.thread.title),
            "text": (row.message, row.subject, row.thread.name, row.thread.title),
        }.get(word, ())  # fmt: skip
