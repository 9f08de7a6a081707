"""The events of a turn at full height: `/turns/<id>/events/`. Without scripts, a page of rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import filters, pace, show, sifting, turnpage
from .pages import turn_row

Dict = dict[str, Any]


def events_page(
    pk: int, *, event: int = 0, query: str = "", kinds: Sequence[str] = (), before: int = 0, after: int = 0
) -> Dict:
    """What the page shows first, and what its script starts from (`boot`)."""
    row = turn_row(pk)
    measured = pace.pace(row.thread_id, row.first_seq, row.last_seq)
    line = filters.parse(query, filters.EVENTS)
    of_calls = line.of(*sifting.OF_CALL, *sifting.OF_FINDING)
    calls, found = turnpage.thin_parts(row) if of_calls else ([], [])
    events = turnpage.events(
        row, measured, event, only=kinds, before=before, after=after, line=line,
        known=sifting.known_of(calls, found, measured, turnpage.now_ms()),
    )  # fmt: skip
    turn = show.turn(row)
    live = bool(turn["live"] and row.thread.live)
    return {
        "channel": {"slug": row.thread.channel.slug},
        "thread": show.thread(row.thread),
        "turn": turn,
        "events": events,
        "selected": event,
        "query": query,
        "kinds": ",".join(kinds),
        "live": live,
        "boot": {
            "turn": row.pk, "thread": row.thread_id, "first": row.first_seq, "last": row.last_seq,
            "seq": row.thread.last_seq, "rows": [one for one in events["rows"] if "seq" in one],
            "start": measured["start"], "timed": measured["unit"] == "ms", "gaps": measured["gaps"],
            "gap_seqs": measured.get("gap_seqs") or [], "selected": event, "live": live,
        },
    }  # fmt: skip
