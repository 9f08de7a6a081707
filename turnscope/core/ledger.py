"""The ledger bar: how many calls were started, ended, answered, and are open."""

from __future__ import annotations

from dataclasses import dataclass

from .thread import FAILED, ORPHAN, WAITING, Call


@dataclass(slots=True)
class Ledger:
    """The ledger bar: counts on the expanded stream, of calls known from the stream."""

    started: int = 0
    ended: int = 0
    answered: int = 0
    open: int = 0
    """started - answered: calls without a result, whatever their state."""
    waiting: int = 0
    """Of the open ones, those that may still be answered by the client, a person or a job."""
    failed: int = 0
    oldest_at: int = 0
    """start of the oldest open call; 0: none."""


def ledger(calls: list[Call]) -> Ledger:
    """The ledger of some calls of a thread (a turn's, a run's, or all)."""
    book = Ledger()
    for call in calls:
        if call.plane != "stream" or call.state == ORPHAN:
            continue
        book.started += 1
        book.ended += 1 if call.end_seq else 0
        if call.answered:
            book.answered += 1
            book.failed += 1 if call.state == FAILED else 0
            continue
        book.open += 1
        book.waiting += 1 if call.state == WAITING else 0
        if not book.oldest_at or call.start_at < book.oldest_at:
            book.oldest_at = call.start_at
    return book
