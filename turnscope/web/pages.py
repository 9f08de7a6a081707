"""What each page shows, as one dict: asked for here, drawn by templates, given whole by `.json` twins."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.http import Http404

from turnscope.store.models import Call, Channel, Finding, Stream, Thread, Turn
from turnscope.store.notes import notes
from turnscope.store.text import digest

from . import filters, lists, mini, show
from .rate import rate

Dict = dict[str, Any]

HOUR = 3_600_000
COUNTED = ("turns", "errors", "warnings", "open")
"""What a line of a list of threads counts."""
LIST = 100
"""Rows of a list before it is paged."""


def _404(what: str) -> Http404:
    return Http404(what)


def thread_row(pk: int) -> Thread:
    row = Thread.objects.select_related("channel").filter(pk=pk).first()
    if row is None:
        raise _404(f"There is no thread {pk} here.")
    return row


def channel_row(slug: str) -> Channel:
    row = Channel.objects.filter(slug=slug).first()
    if row is None:
        raise _404(f"There is no channel “{slug}” here.")
    return row


def turn_row(pk: int) -> Turn:
    row = Turn.objects.select_related("thread__channel").filter(pk=pk).first()
    if row is None:
        raise _404(f"There is no turn {pk} here.")
    return row


# ---------------------------------------------------------------- lists


def _turns(where: Q) -> QuerySet[Turn]:
    """Turns newest first, with the names around them."""
    return Turn.objects.filter(where).select_related("thread__channel").order_by("-pk")


def turns(where: Q, *, before: int = 0, limit: int = LIST) -> tuple[list[Dict], int]:
    """Turns newest first, and the cursor of the next page (0: none)."""
    rows = _turns(where)
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: limit + 1])
    more = found[limit - 1].pk if len(found) > limit else 0
    return [listed(row) for row in found[:limit]], more


def listed(row: Turn) -> Dict:
    """A turn as a line of a list."""
    thread, channel = row.thread, row.thread.channel
    return {
        **show.turn(row),
        "thread_title": thread.title or thread.name or f"Thread {thread.pk}",
        "thread_name": thread.name,
        "channel": channel.slug,
    }


def channels() -> Dict:
    rows = []
    live = Counter(Thread.objects.filter(live=True).values_list("channel_id", flat=True))
    sums: dict[int, Any] = {
        r["thread__channel_id"]: r
        for r in Turn.objects.values("thread__channel_id").annotate(
            turns=Count("pk"), errors=Sum("errors"), warnings=Sum("warnings"), last=Max("last_at")
        )
    }
    began = Turn.objects.filter(started_at__gt=time.time_ns() // 1_000_000 - HOUR)
    hour = dict(began.values_list("thread__channel_id").annotate(Count("pk")))
    for row in Channel.objects.order_by("slug"):
        found = sums.get(row.pk, {})
        rows.append({
            "slug": row.slug, "live": live.get(row.pk, 0), "turns": found.get("turns", 0),
            "hour": hour.get(row.pk, 0),
            "errors": found.get("errors", 0) or 0, "warnings": found.get("warnings", 0) or 0,
            "last_at": found.get("last", 0) or 0,
        })  # fmt: skip
    return {"channels": rows}


ALL = Q()
SHOWN = {
    "live": Q(state__in=("open", "hanging")), "errors": Q(errors__gt=0), "open": Q(open__gt=0),
}  # fmt: skip
"""What a list of turns is narrowed to by one click."""


def sifted(where: Q, status: str, query: str, before: int) -> Dict:
    """Turns that a click and a line of the filter language leave, and how the line was understood."""
    parsed = filters.parse(query, filters.TURNS)
    rows = _turns(where & SHOWN.get(status, Q()))
    found = lists.turns(rows, parsed, before=before, limit=LIST, now=time.time_ns() // 1_000_000)
    return {
        "turns": [listed(one) for one in found.rows],
        "more": found.more,
        "cut": found.cut,
        "status": status,
        "query": query,
        "filter": parsed.told(),
    }


def channel(slug: str, *, status: str = "", query: str = "", before: int = 0) -> Dict:
    row = channel_row(slug)
    streams = Stream.objects.filter(channel=row)
    return {
        "channel": {"slug": row.slug, "change": row.last_change, "id": row.pk},
        **sifted(Q(thread__channel=row), status, query, before),
        "live": Thread.objects.filter(channel=row, live=True).count(),
        "streams": streams.count(),
        "notes": [
            {"code": note.code, "name": note.name, "severity": note.severity, "text": note.text,
             "runs": note.runs, "of": note.of, "finding": note.finding}
            for note in notes(row.pk)
        ],
    }  # fmt: skip


def news() -> str:
    """What tells whether the overview may have changed: each channel's change number, and the rate."""
    changes = Channel.objects.order_by("pk").values_list("pk", "last_change")
    return digest(repr(list(changes)), str(rate.now()))


def overview() -> Dict:
    live, _ = turns(Q(state__in=("open", "hanging", "waiting"), thread__live=True), limit=12)
    found, _ = turns(~Q(pk__in=[turn["id"] for turn in live]), limit=12)
    latest = Finding.objects.filter(heads=True, severity="error").select_related("thread__channel")
    return {
        "turns": found,
        "live": live,
        "findings": [finding_line(row) for row in latest.order_by("-pk")[:8]],
        **channels(),
        "total": Turn.objects.count(),
        "rate": rate.now(),
        "frames": Thread.objects.aggregate(n=Sum("last_seq"))["n"] or 0,
    }


def finding_line(row: Finding, turns: dict[tuple[int, int], tuple[int, int]] | None = None) -> Dict:
    """A finding as a line of a list over many threads, with the page that shows it.

    `turns`, by thread and number: each turn's id, and when it was last heard of.
    """
    key = (row.thread_id, row.turn)
    pk, heard = (turns or {}).get(key) or _turn_of(*key)
    seq = row.seqs[0] if row.seqs else 0
    at = f"?event={seq}#finding-{row.pk}" if seq else f"#finding-{row.pk}"
    return {
        **show.finding(row),
        "thread": row.thread_id,
        "thread_title": row.thread.title or row.thread.name,
        "channel": row.thread.channel.slug,
        "at": heard,
        "turn_url": f"/turns/{pk}/" if pk else "",
        "call_url": f"/turns/{pk}/calls/{row.call}/" if pk and row.call else "",
        "url": f"/turns/{pk}/{at}" if pk else f"/threads/{row.thread_id}/",
    }


def _turn_of(thread: int, number: int) -> tuple[int, int]:
    rows = Turn.objects.filter(thread_id=thread, number=number)
    return rows.values_list("pk", "last_at").first() or (0, 0)


def threads(slug: str = "", *, query: str = "", before: int = 0) -> Dict:
    """Conversations, the ones written to last first; `before` is a thread's place in that order.

    `query`, in the language of turns: threads of which one turn fits.
    """
    rows = Thread.objects.select_related("channel").order_by("-last_at", "-pk")
    if slug:
        rows = rows.filter(channel=channel_row(slug))
    parsed = filters.parse(query, filters.TURNS)
    looked = lists.threads(rows, parsed, before=before, limit=LIST, now=time.time_ns() // 1_000_000)
    found = looked.rows
    sums: dict[int, Any] = {
        row["thread"]: row
        for row in Turn.objects.filter(thread__in=found)
        .values("thread")
        .annotate(turns=Count("pk"), errors=Sum("errors"), warnings=Sum("warnings"), open=Sum("open"))
    }
    last: dict[int, Turn] = {}
    for turn in Turn.objects.filter(thread__in=found).order_by("number"):
        last[turn.thread_id] = turn
    return {
        "threads": [
            {
                **show.thread(row), "channel": row.channel.slug,
                **{name: sums.get(row.pk, {}).get(name) or 0 for name in COUNTED},
                "last": show.turn(last[row.pk]) if row.pk in last else None,
            }
            for row in found
        ],
        "more": looked.more,
        "cut": looked.cut,
        "query": query,
        "filter": parsed.told(),
        "only": slug,
    }  # fmt: skip


TURNS = 100
"""Turns of a thread that its page shows: the newest, or those before a number."""
CALLS = 2_000
"""Calls of them that it draws."""


def thread(pk: int, before: int = 0) -> Dict:
    """`more` is the next `before`; 0 where the page begins with the first turn."""
    row = thread_row(pk)
    turns = Turn.objects.filter(thread=row).select_related("thread__channel").order_by("-number")
    rows = list((turns.filter(number__lt=before) if before else turns)[:TURNS])[::-1]
    numbers = [turn.number for turn in rows]
    within = (min(numbers, default=0), max(numbers, default=0))
    calls: dict[int, list[Dict]] = {}
    found = [show.finding(f) for f in row.findings.filter(turn__range=within)]
    known = map(show.call, Call.objects.filter(thread=row, turn__range=within).order_by("number")[:CALLS])
    for item in show.dressed_all(known, found):
        calls.setdefault(item["turn"], []).append(item)
    lines = []
    for turn in rows:
        mine = calls.get(turn.number, [])
        lines.append({
            **listed(turn), "slots": show.ledger(mine)["slots"][:60], "tools": _tools(mine),
            "mini": mini.mini(mine, turn.started_at, turn.last_at),
        })  # fmt: skip
    return {
        "channel": {"slug": row.channel.slug},
        "thread": show.thread(row),
        "turns": lines,
        "count": turns.count(),
        "before": before,
        "more": numbers[0] if numbers and turns.filter(number__lt=numbers[0]).exists() else 0,
        "last_runs": sorted(row.run_set.order_by("-number").values_list("pk", flat=True)[:2]),
        "groups": show.grouped([f for f in found if f["severity"] == "error"])[:6],
        "streams": [
            {"name": s.name, "dialect": s.dialect, "frames": s.frames, "recording": s.recording,
             "closed": s.closed_why, "opened_at": s.opened_at}
            for s in row.streams.all()
        ],
    }  # fmt: skip


def _tools(calls: Sequence[Dict]) -> list[list[Any]]:
    return [[name, n] for name, n in Counter(c["name"] for c in calls).most_common(5)]
