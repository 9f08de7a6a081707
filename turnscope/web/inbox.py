"""The findings inbox: what is wrong over all turns, newest first, by the filter language; muted apart."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from django.db.models import Q

from turnscope.store.models import Finding, Turn
from turnscope.store.notes import muted

from . import filters, lists, words
from .pages import LIST, finding_line

Dict = dict[str, Any]


def findings(*, query: str = "", before: int = 0, which: str = "") -> Dict:
    """`which`: "" for causes that count, `all` for consequences and closed ones too, `muted`."""
    parsed = filters.parse(query, filters.FINDINGS)
    rows = Finding.objects.select_related("thread__channel").order_by("-pk")
    if which == "muted":
        rows = rows.exclude(muted="").filter(closed_seq=0)
    elif which != "all":
        # With those whose mute was lifted a moment ago, less those that were muted a moment ago: `_counted`.
        which, rows = "", rows.filter(Q(heads=True) | (~Q(muted="") & Q(closed_seq=0, because_of=[])))
    found = lists.findings(rows, parsed, before=before, limit=LIST, now=time.time_ns() // 1_000_000)
    shown = found.rows if which else _counted(found.rows)
    turns = {
        (thread, number): (pk, at)
        for thread, number, pk, at in Turn.objects.filter(
            thread_id__in={row.thread_id for row in found.rows}
        ).values_list("thread_id", "number", "pk", "last_at")
    }
    counts = Counter(Finding.objects.filter(heads=True).values_list("severity", flat=True))
    return {
        "findings": [finding_line(row, turns) for row in shown],
        "more": found.more,
        "cut": found.cut,
        "query": query,
        "filter": parsed.told(),
        "which": which,
        "counts": [[name, counts.get(name, 0), icon] for name, icon in words.SEVERITIES.items()],
        "muted": Finding.objects.exclude(muted="").filter(closed_seq=0).count(),
        "turns": Turn.objects.count(),
    }


def _counted(rows: list[Finding]) -> list[Finding]:
    """Those that count by the settings as they are: rows of threads at rest are told of a change later."""
    out = []
    for channel in {row.thread.channel_id: row.thread.channel for row in rows}.values():
        mine = [row for row in rows if row.thread.channel_id == channel.pk]
        covered = muted(channel.settings if isinstance(channel.settings, dict) else {}, mine)
        for row in mine:
            if row.pk not in covered:
                row.muted = ""
                out.append(row)
    return sorted(out, key=lambda row: -row.pk)
