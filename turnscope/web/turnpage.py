"""The turn page as one dict: what its template draws, what its scripts start from, what its twin tells."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from turnscope.store.models import Call, Finding, Run, Turn
from turnscope.store.notes import notes

from . import filters, log, moments, pace, show, sifting, thin, waterfall, words
from .pages import turn_row

Dict = dict[str, Any]

CARDS = 80
"""Cards in the first HTML; scripts draw the rest."""
FEWER = 40
"""The same where calls come thin: there are more than anybody reads before scripts run."""

LANES = 400
"""Calls in the first HTML's timeline; likewise."""

WHICH: dict[str, Callable[[Dict], bool]] = {
    "started": lambda call: True,
    "ended": lambda call: bool(call["end_seq"]),
    "answered": show.answered,
    "open": lambda call: not show.answered(call),
}
"""What each segment of the ledger lets through."""


def now_ms() -> int:
    return int(time.time() * 1000)


TOLD = (
    "channel thread turn run runs calls findings groups ledger headline pace prev next live now seq".split()
)
"""What of the turn page its twin gives: the rest is drawing."""
BOOT = "thread turn runs calls findings headline pace scrub events selected now seq live next by".split()
"""What its scripts start from."""


def view(low: str, high: str) -> tuple[float, float] | None:
    """The part of the timeline that an address names; None for anything that is none."""
    try:
        span = float(low or 0), float(high)
    except ValueError:
        return None
    return span if 0 <= span[0] < span[1] < math.inf else None


def told(model: Dict) -> Dict:
    """The page's twin."""
    return {key: model[key] for key in TOLD}


DERIVED = frozenset("look word icon owner_icon owner_line codes seqs note took".split())
"""Of a call what the browser makes anew (`static/js/model.js`)."""


def boot(model: Dict) -> Dict:
    """What the page's scripts start from: of calls what cannot be made of the rest, and is not nothing."""
    calls = [
        {key: value for key, value in call.items() if key not in DERIVED and (value or key in ("id", "name"))}
        for call in model["first"]
    ]
    thin_ = len(model["first"]) < len(model["calls"])
    return {**{key: model[key] for key in BOOT}, "calls": calls, "thin": thin_, "owners": words.OWNERS}


def turn_parts(row: Turn) -> tuple[list[Dict], list[Dict], list[Dict]]:
    """(dressed calls in start order, findings, runs) of a turn."""
    found = findings_of(row)
    known = map(show.call, Call.objects.filter(**_in(row)).order_by("number"))
    return show.dressed_all(known, found), found, runs_of(row)


def findings_of(row: Turn) -> list[Dict]:
    rows = list(Finding.objects.filter(**_in(row)).order_by("opened_seq", "pk"))
    habits = {note.fingerprint: note for note in notes(row.thread.channel_id)} if rows else {}
    return show.findings(rows, row.thread.channel.settings, habits)


def runs_of(row: Turn) -> list[Dict]:
    return [show.run(one) for one in Run.objects.filter(**_in(row)).order_by("number")]


def thin_parts(row: Turn) -> tuple[list[Dict], list[Dict]]:
    """(thin calls, findings) of a turn: enough to ask which call an event is of, and to filter by it."""
    found = findings_of(row)
    return thin.of(row, found), found


def _in(row: Turn) -> Dict:
    return {"thread_id": row.thread_id, "turn": row.number}


def turn_page(
    pk: int, *, event: int = 0, by: str = "", only: Sequence[str] = (), call: int = 0, which: str = "",
    before: int = 0, after: int = 0, query: str = "", view: Sequence[float] | None = None,
    whole: bool = True,
) -> Dict:  # fmt: skip
    """Everything the turn page draws first. `event` is the selected seq, `by` how lanes are made.

    `view` is the part of the timeline in sight, in seconds, or in events where there are no times. Without
    `whole` the calls of a long turn are thin but for `first`, those that the page begins with.
    """
    row = turn_row(pk)
    many = not whole and row.started > thin.MANY
    calls, found, runs = (*thin_parts(row), runs_of(row)) if many else turn_parts(row)
    groups = show.grouped(found)
    shown = show.turn(row)
    live = bool(shown["live"] and row.thread.live)
    shown["live"] = live
    measured = pace.pace(row.thread_id, row.first_seq, row.last_seq)
    now = now_ms() if live else measured["end"]
    if measured["unit"] == "ms":
        shown["elapsed"] = words.duration(now - measured["start"])
    if view and measured["unit"] == "ms":
        view = [view[0] * 1000, view[1] * 1000]
    lanes = thin.whole(row, calls[:LANES], found) if many and by == "call" else calls[:LANES]
    drawn = waterfall.waterfall(
        lanes, start=measured["start"], end=measured["end"], now=now, unit=measured["unit"], by=by,
        gaps=measured["gaps"], texts=measured["texts"], live=live, view=view,
        ended=ended(runs, measured, shown["outcome"]["look"]),
    )  # fmt: skip
    wanted = show.worst_first(item for item in calls if which not in WHICH or WHICH[which](item))
    first = calls
    if many:
        begun = {item["id"]: item for item in wanted[: thin.WHOLE]}
        begun |= {item["id"]: item for item in calls if item["number"] == call}
        first = thin.whole(row, begun.values(), found)
    for item in first:
        item["took"] = took(item, measured, now)
    cards = first[:FEWER] if many else wanted[:CARDS]
    newest = {item["look"]: -item["start_seq"] for item in calls}
    book = show.ledger(calls)
    selected = event or (groups[0]["seqs"][0] if groups and groups[0]["seqs"] else 0)
    model = {
        "channel": {"slug": row.thread.channel.slug},
        "thread": show.thread(row.thread),
        "turn": shown,
        "run": runs[-1] if runs else None,
        "runs": runs,
        "calls": calls,
        "first": first,
        "cards": cards,
        "more_cards": len(wanted) - len(cards),
        "which": which if which in WHICH else "",
        "findings": found,
        "groups": groups,
        "counts": _counts(groups),
        "ledger": {**book, "oldest": _oldest(book, calls, now)},
        "headline": headline(shown["headline"], shown, book),
        "pace": measured,
        "waterfall": drawn,
        "rate": rate(shown["events"], measured),
        "view": view,
        "by": drawn["by"],
        "events": events(
            row,
            measured,
            selected,
            only=only,
            before=before,
            after=after,
            line=filters.parse(query),
            known=sifting.known_of(calls, found, measured, now),
        ),
        "selected": event,
        "selected_call": call,
        "now": now,
        "seq": row.thread.last_seq,
        "live": live,
        "scrub": scrub(measured, found),
        "looks_used": sorted(newest, key=lambda look: (words.STATES[look].rank, newest[look]))[:7],
        **neighbours(row),
    }
    return model


def moment(tab: str, pk: int) -> Dict:
    """What the tab `transcript` or `state` shows, as it is now."""
    return (moments.transcript_at if tab == "transcript" else moments.state_at)(turn_row(pk), 0)


ENDS = {"finished": "RUN_FINISHED", "interrupted": "RUN_FINISHED", "failed": "RUN_ERROR"}
"""The event that ends a run of a state."""


def ended(runs: Sequence[Dict], measured: Dict, look: str) -> Dict | None:
    """How the last run of a turn ended; None if it has not, or by no event of its own."""
    run = runs[-1] if runs else None
    if run is None or not run["end_seq"] or run["state"] not in ENDS:
        return None
    at = run["end_at"] if measured["unit"] == "ms" else run["end_seq"]
    return {"at": at or measured["end"], "label": ENDS[run["state"]], "look": look}


def rate(events: int, measured: Dict) -> str:
    """Events a second over the whole turn; "" where that says nothing."""
    span = (measured["end"] - measured["start"]) / 1000 if measured["unit"] == "ms" else 0
    return f"{words.count(round(events / span))}/s" if span >= 1 and events >= span else ""


def took(call: Dict, measured: Dict, now: int) -> str:
    """How long a call has taken, or when its result came for one that never started."""
    if measured["unit"] != "ms" or not (call["start_at"] or call["answer_at"]):
        return ""
    if call["look"] == "orphan" or not call["start_at"]:
        return f"+{words.duration(call['answer_at'] - measured['start'])}"
    return words.duration((call["closed_at"] or now) - call["start_at"])


def scrub(measured: Dict, found: Sequence[Dict]) -> Dict:
    """The replay bar's drawing: how dense the events are, and where findings opened."""
    high = max(measured["density"], default=0) or 1
    span = max(measured["end"] - measured["start"], 1)
    bars = []
    for index, number in enumerate(measured["density"]):
        if number:
            height = round(3 + 15 * math.log1p(number) / math.log1p(high), 1)
            x = round(index * 100 / pace.BUCKETS, 2)
            bars.append({"x": f"{x:g}%", "y": f"{21 - height:g}", "h": f"{height:g}"})
    marks = []
    for item in found:
        if item["because_of"] or item["closed_seq"]:
            continue
        at = pace.time_of(measured, item["opened_seq"])
        marks.append({
            "x": waterfall.percent((at - measured["start"]) / span * 100), "severity": item["severity"]
        })  # fmt: skip
    return {"density": bars, "marks": marks}


def _counts(groups: Sequence[Dict]) -> list[list[Any]]:
    """Roots that stand, per severity: badges count causes, not consequences."""
    found = Counter(g["worst"] for g in groups if not g["closed_seq"])
    return [[name, found[name], icon] for name, icon in words.SEVERITIES.items() if found[name]]


def _oldest(book: Dict, calls: Sequence[Dict], now: int) -> str:
    if book["nobody"]:
        return "nobody will answer"
    return f"oldest {words.short(now - book['oldest_at'])}" if book["oldest_at"] and book["open"] else ""


def headline(text: str, turn: Dict, book: Dict) -> Dict:
    """The one sentence, cut so that its first part stands out."""
    if not text:
        if turn["live"]:
            text = f"Running; {words.plural(book['open'], 'open call')}." if book["open"] else "Running."
        else:
            text = f"{turn['outcome']['word']}; nothing is wrong with it."
    end = max(text.find(". "), 0) or max(text.find("; "), 0)
    at = end + 1 if end and len(text) > 90 else len(text)
    return {"text": text, "first": text[:at], "rest": text[at:].strip()}


def neighbours(row: Turn) -> Dict:
    rows = Turn.objects.filter(thread_id=row.thread_id)
    earlier = rows.filter(number__lt=row.number).order_by("-number").values("pk", "number").first()
    later = rows.filter(number__gt=row.number).order_by("number").values("pk", "number").first()
    return {"prev": earlier, "next": later}


def events(
    row: Turn, measured: Dict, selected: int, *, only: Sequence[str] = (), before: int = 0, after: int = 0,
    line: filters.Query, known: sifting.Known,
) -> Dict:  # fmt: skip
    """The rows of the event list that stand in the first HTML, and where the list goes on."""
    numbers = log.numbers(only)
    first, last = row.first_seq, row.last_seq
    if line.terms:
        sieve = sifting.Sieve(row, line, known)
        sieve.let(numbers)
        begin = None if before else after or min(max(selected, first), last) - 1
        seqs = sieve.window(after=begin, before=before or None, limit=log.ROWS)
        rows = sifting.picked(row.thread_id, seqs or sieve.window(after=0, limit=log.ROWS))
    elif before or after:
        rows = log.window(
            row.thread_id, first, last, before=before or None, after=after or None, only=numbers
        )
    else:
        rows = log.around(row.thread_id, first, last, min(max(selected, first), last), numbers)
    start = measured["start"] if measured["unit"] == "ms" else 0
    return {
        "rows": log.with_gaps(rows, start, [(a, b) for a, b in measured["gaps"]]),
        "first": first,
        "last": last,
        "total": max(last - first + 1, 0),
        "from": rows[0]["seq"] if rows else 0,
        "to": rows[-1]["seq"] if rows else 0,
        "selected": selected,
        "shown": len(rows),
        "wide": last >= 100_000 or (start and measured["end"] - start >= 600_000),
        "only": list(only),
        "filter": line.told(),
        "words": [[name, about.what, about.example] for name, about in filters.words(filters.EVENTS)],
        "groups": [[name, name in only] for name in log.GROUPS],
    }
