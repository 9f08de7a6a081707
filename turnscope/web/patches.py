"""What changed since a cursor, as the patch a tail is sent. Queries alone: no fold, no socket.

A patch holds whole view-models of `show.py`, by row id, so that applying one twice or two out of order of
their making does no harm: the latest state wins. A viewer that asks for it (`?fields=1`, as our page does)
gets after its first patch only what differs from what it was sent before: a row's changed fields, and of
arguments that stream what was added. Each difference names the version it goes on from, so that who has
another asks again from an earlier seq. Who follows the event list is sent its newest rows besides.
Counterparts: `live.py`, which decides when to ask, and `static/js/patching.js`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from functools import cache
from typing import Any, NamedTuple

import orjson
from django.db import connection, models

from turnscope.core.call import EXCERPT
from turnscope.store import reading
from turnscope.store.models import Call, Channel, Finding, Run, Thread, Turn
from turnscope.store.segments import Damaged
from turnscope.store.snapshot import snapshot

from . import show

ROWS = 500
"""Rows of each table in one patch; a viewer that is further behind is sent another."""
THREADS = 50
"""Threads in one patch of a channel."""
VERSIONS = 6
"""Versions of one row that are remembered: more than patches may be under way to one viewer."""
STREAMED = frozenset({"args", "args_length", "changed", "note"})
"""What differs of a call while its arguments arrive; its note is made anew where it is drawn."""
EVENT = ("payload", "call", "at", "kind", "icon", "mark")
"""What a row of the event list shows, what changes from row to row first (`static/js/patching.js`)."""
REMEMBERED = 500
"""Threads whose recent cursors a channel's tail remembers."""

TABLES: tuple[tuple[str, Any, Any], ...] = (
    ("turns", Turn, lambda rows, settings: map(show.turn, rows)),
    ("runs", Run, lambda rows, settings: map(show.run, rows)),
    ("calls", Call, lambda rows, settings: map(show.call, rows)),
    ("findings", Finding, show.findings),
)
"""Section of a patch, its rows, their view-models by the settings of the channel."""


class Patch(NamedTuple):
    """What to send, and the cursor of whoever has applied it."""

    cursor: int
    text: str
    complete: bool = True
    """Whoever has applied it has every row as of the cursor, not only those that changed no more later."""


class ThreadBook:
    """Rows as they were sent and with which cursor, the latest few of each: what a viewer has."""

    def __init__(self) -> None:
        self._sent: OrderedDict[tuple[str, int], deque[tuple[int, dict[str, Any]]]] = OrderedDict()

    def note(self, cursor: int, name: str, pk: int, shown: dict[str, Any]) -> None:
        sent = self._sent.setdefault((name, pk), deque(maxlen=VERSIONS))
        if not sent or sent[-1][1]["changed"] != shown["changed"]:
            sent.append((cursor, shown))
        self._sent.move_to_end((name, pk))
        while len(self._sent) > ROWS * 4:
            self._sent.popitem(last=False)

    def had(self, after: int, name: str, pk: int) -> dict[str, Any] | None:
        """The row as whoever is at a cursor was sent it; None: not known."""
        known = [shown for cursor, shown in self._sent.get((name, pk), ()) if cursor <= after]
        return known[-1] if known else None


def lessened(sections: dict[str, dict[int, Any]], upto: int, after: int, book: ThreadBook) -> dict[str, Any]:
    """Sections with rows that were sent before cut to what differs.

    `fields`: {section: {row: [seqs back to the version before, {field: value}]}}; `added`: one list for each
    call of which nothing but arguments arrived: [row, back to the version before, back to this, text].
    """
    whole: dict[str, dict[int, Any]] = {}
    fields: dict[str, dict[int, Any]] = {}
    added: list[Any] = []
    for name, section in sections.items():
        for pk, shown in section.items():
            base = book.had(after, name, pk)
            if base is None:
                whole.setdefault(name, {})[pk] = shown
                continue
            differs = {key: value for key, value in shown.items() if base[key] != value}
            text = _added(base, shown) if differs.keys() <= STREAMED else None
            if text is not None:
                added.append([pk, upto - base["changed"], upto - shown["changed"], text])
            elif differs:
                fields.setdefault(name, {})[pk] = [upto - base["changed"], differs]
    return {**whole, **({"fields": fields} if fields else {}), **({"added": added} if added else {})}


def _added(base: dict[str, Any], shown: dict[str, Any]) -> str | None:
    """What arrived of a call's arguments since, if the end of what is shown is then the same."""
    if "args" not in shown or not 0 <= shown["args_length"] - base["args_length"] <= EXCERPT:
        return None
    text = shown["args"][len(shown["args"]) - (shown["args_length"] - base["args_length"]) :]
    return text if (base["args"] + text)[-EXCERPT:] == shown["args"] else None


def thread_patch(
    pk: int, after: int, book: ThreadBook | None = None, *, fields: bool = False, rows: int = 0
) -> Patch | None:
    """What of a thread changed after a seq; None when the thread is gone. With `fields` what differs.

    `rows`: so many of the newest rows of the event list come too, of those after the seq (`newest`).
    """
    # One picture: a row read later than the seq could be newer than what others at that seq were sent.
    with snapshot():
        row = Thread.objects.filter(pk=pk).values_list("last_seq", "channel__settings").first()
        if row is None:
            return None
        last, settings = row
        sections, upto = _changed(pk, after, last, settings)
        try:
            events = newest(pk, after, upto, rows) if rows else []
        except Damaged:
            events = []  # the list asks for them, and is told so
    told: dict[str, Any] = dict(sections)
    if book is not None:
        told = lessened(sections, upto, after, book) if fields else told
        for name, section in sections.items():
            for row_pk, shown in section.items():
                book.note(upto, name, row_pk, shown)
    if events:
        told["events"] = events
    return Patch(upto, _text({"seq": upto, **told, "rows": [after + 1, upto]}), complete=upto == last)


def newest(pk: int, after: int, upto: int, rows: int) -> list[Any]:
    """The last rows of the event list up to a seq, oldest first and without a gap: the seq of the first, then
    the EVENT fields of each; null for what is as in the row before, and at the end nothing."""
    first = max(after, upto - rows) + 1
    told: list[Any] = [first]
    before: list[Any] = [None] * len(EVENT)
    for frame in reading.read(pk, first - 1, upto):
        shown = show.frame(frame)
        values = [shown[name] for name in EVENT]
        differs = [None if value == old else value for value, old in zip(values, before, strict=True)]
        while differs and differs[-1] is None:
            differs.pop()
        told.append(differs)
        before = values
    return told


def _changed(
    pk: int, after: int, last: int, settings: dict[str, Any]
) -> tuple[dict[str, dict[int, Any]], int]:
    """Sections of rows changed after a seq, and the seq up to which they are complete."""
    found: list[tuple[str, list[Any], Any]] = []
    upto = last
    for name, table, spelled in TABLES:
        rows = list(table.objects.raw(_rows_of(table), [pk, after, ROWS + 1]))
        if len(rows) > ROWS:
            upto = min(upto, _whole(rows))
        found.append((name, rows, spelled))
    sections = {}
    for name, rows, spelled in found:
        kept = [row for row in rows if row.changed_at_seq <= upto or upto == last]
        sections[name] = {row.pk: shown for row, shown in zip(kept, spelled(kept, settings), strict=True)}
    return {name: section for name, section in sections.items() if section}, upto


@cache
def _rows_of(table: Any) -> str:
    """The statement for rows of a table that changed; kept, since to make it costs more than to ask."""
    names = ", ".join(connection.ops.quote_name(field.column) for field in table._meta.concrete_fields)
    return (
        f"SELECT {names} FROM {table._meta.db_table}"
        " WHERE thread_id = %s AND changed_at_seq > %s ORDER BY changed_at_seq LIMIT %s"
    )


def _whole(rows: list[Any]) -> int:
    """The last seq all of whose rows are among the first ROWS; or, where one seq changed more, that seq."""
    cut = int(rows[-1].changed_at_seq)
    whole = [row.changed_at_seq for row in rows if row.changed_at_seq < cut]
    return int(whole[-1]) if whole else cut


class ChannelBook:
    """Which seq of a thread went with which change number of its channel, for the latest few.

    A channel's cursor is its change number; rows know their thread's seq. Where the book does not know,
    the thread's last turn is sent whole.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[int, deque[tuple[int, int]]] = OrderedDict()

    def note(self, thread: Thread) -> None:
        """The thread as a patch tells it."""
        notes = self._seen.setdefault(thread.pk, deque(maxlen=8))
        if not notes or notes[-1][0] < thread.change:
            notes.append((thread.change, thread.last_seq))
        self._seen.move_to_end(thread.pk)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)

    def seq(self, thread: int, change: int) -> int | None:
        """The seq that whoever has applied `change` has seen of it; None: not known."""
        known = [seq for at, seq in self._seen.get(thread, ()) if at <= change]
        return known[-1] if known else None


def channel_patch(pk: int, after: int, book: ChannelBook) -> Patch | None:
    """What of a channel changed after a change number; None when the channel is gone."""
    with snapshot():
        row = Channel.objects.filter(pk=pk).values_list("last_change", "settings").first()
        if row is None:
            return None
        last, settings = row
        threads = list(
            Thread.objects.filter(channel_id=pk, change__gt=after).order_by("change", "pk")[: THREADS + 1]
        )
        if len(threads) > THREADS:
            last = threads[THREADS - 1].change
            threads = [thread for thread in threads if thread.change <= last]
        patch: dict[str, Any] = {"change": last, "threads": {row.pk: show.thread(row) for row in threads}}
        for thread in threads:
            for name, section in _of_thread(thread, book.seq(thread.pk, after), settings).items():
                patch.setdefault(name, {}).update(section)
            book.note(thread)
    return Patch(last, _text(patch))


def _of_thread(thread: Thread, seq: int | None, settings: dict[str, Any]) -> dict[str, dict[int, Any]]:
    if seq is not None:
        return _changed(thread.pk, seq, thread.last_seq, settings)[0]
    turn = Turn.objects.filter(thread=thread).order_by("-number").first()
    if turn is None:
        return {}
    of_turn = models.Q(thread=thread, turn=turn.number)
    return {
        "turns": {turn.pk: show.turn(turn)},
        "runs": {row.pk: show.run(row) for row in Run.objects.filter(of_turn)[:ROWS]},
        "calls": {row.pk: show.call(row) for row in Call.objects.filter(of_turn)[:ROWS]},
        "findings": {
            shown["id"]: shown
            for shown in show.findings(Finding.objects.filter(of_turn, closed_seq=0)[:ROWS], settings)
        },
    }


def _text(value: dict[str, Any]) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
