"""One transaction: what the desk has not written yet, into the database, or nothing of it.

Two processes may write one thread. Each row that numbers something is changed only if it still stands where
this process thinks it does (a thread's last seq, a stream's lease and frames); else nothing is written and
Stale is raised: the writer reads what it missed and numbers its frames anew. The channel comes first, so that
change numbers are given in the order of commits and no two writers wait for each other crosswise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.backends.utils import CursorWrapper

from turnscope.core import thread as core
from turnscope.core.fold import FOLD_VERSION

from . import tables
from .desk import OpenStream, OpenThread
from .rows import call_row, finding_key, finding_row, run_row
from .segments import Sheet, pack
from .tables import Row
from .text import harmless, packed, shown

IN_FORCE = ("owners", "limits", "preset", "target", "policy", "client", "mutes", "severities")
"""The parts of a channel's settings that judge its threads and say what counts; the rest is about access."""


class Stale(Exception):
    """Another writer was there first; nothing was written."""


class Replaced(Exception):
    """Another connection has taken the stream over; nothing of this one's was written."""

    def __init__(self, stream_id: int) -> None:
        super().__init__(f"stream {stream_id} is written by another connection now")
        self.stream_id = stream_id


def post(
    threads: Sequence[OpenThread], streams: Sequence[OpenStream], settings: dict[int, dict[str, Any]]
) -> dict[int, int]:
    """Write them; channel -> its new change number. Raises Stale, Replaced.

    `settings` are those in force that the fresh frames were judged by, channel -> value; it is corrected
    where they have changed. After any exception the threads and streams must be dropped from the desk.
    """
    segments = [(thread, *_segments(thread)) for thread in threads]
    channels = sorted({thread.channel for thread in threads} | {stream.channel for stream in streams})
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            changes = {channel: _next_change(cursor, channel, settings) for channel in channels}
            for thread in sorted(threads, key=lambda one: one.id or 1 << 62):
                _write_thread(cursor, thread, changes[thread.channel])
            for thread, replaces, sheets in segments:
                _write_segments(cursor, thread, replaces, sheets)
            by_key = {(thread.channel, thread.key): thread.id for thread in threads}
            for stream in sorted(streams, key=lambda one: one.id):
                _write_stream(cursor, stream, by_key)
            _write_feeds(cursor, threads)
            for thread in threads:
                _write_derived(cursor, thread)
    except IntegrityError as conflict:
        raise Stale(str(conflict)) from conflict
    for thread, _, sheets in segments:
        _settle(thread, sheets)
    for stream in streams:
        stream.base = stream.frames
    return changes


def in_force(settings: Any) -> dict[str, Any]:
    """The judging part of a channel's settings."""
    if not isinstance(settings, dict):
        return {}
    return {name: settings[name] for name in IN_FORCE if settings.get(name)}


def _next_change(cursor: CursorWrapper, channel: int, settings: dict[int, dict[str, Any]]) -> int:
    cursor.execute(
        "UPDATE store_channel SET last_change = last_change + 1 WHERE id = %s"
        " RETURNING last_change, settings",
        (channel,),
    )
    row = cursor.fetchone()
    if row is None:
        raise Stale(f"channel {channel} is gone")
    now = in_force(row[1] if isinstance(row[1], dict) else json.loads(row[1]))
    if settings.setdefault(channel, now) != now:
        settings[channel] = now
        raise Stale("the channel's settings have changed")
    return int(row[0])


# ---------------------------------------------------------------- threads and streams

_THREAD = ("key", "name", "name_key", "title", "last_seq", "fold_version", "change", "settings", "started_at",
           "last_at", "live")  # fmt: skip
_INSERT_THREAD = (
    f"INSERT INTO store_thread (channel_id, {', '.join(_THREAD)}) VALUES (%s{', %s' * len(_THREAD)})"
    " ON CONFLICT (channel_id, key) DO NOTHING RETURNING id"
)
_UPDATE_THREAD = (
    f"UPDATE store_thread SET {', '.join(f'{name} = %s' for name in _THREAD)} WHERE id = %s AND last_seq = %s"
)


def _write_thread(cursor: CursorWrapper, thread: OpenThread, change: int) -> None:
    values = thread_values(thread, change)
    if not thread.id:
        cursor.execute(_INSERT_THREAD, (thread.channel, *values))
        row = cursor.fetchone()
        if row is None:
            raise Stale("another writer has made the thread")
        thread.id = int(row[0])
        return
    cursor.execute(_UPDATE_THREAD, (*values, thread.id, thread.base))
    if cursor.rowcount != 1:
        raise Stale(f"thread {thread.id} has grown")


def thread_values(thread: OpenThread, change: int) -> tuple[Any, ...]:
    """The thread's row, in the order of _THREAD."""
    seen = thread.picture.thread
    return (
        thread.key, thread.name, thread.name_key,
        shown(next((turn.title for turn in seen.turns if turn.title), "")),
        thread.last_seq, FOLD_VERSION, change, packed(harmless(seen.settings)),
        started_at(seen), seen.now, thread.picture.live(),
    )  # fmt: skip


def started_at(thread: core.Thread) -> int:
    """When its first turn began, 0 while nothing tells."""
    return next((turn.start_at for turn in thread.turns if turn.start_at), 0)


def _write_stream(cursor: CursorWrapper, stream: OpenStream, ids: dict[tuple[int, str], int]) -> None:
    cursor.execute(
        "UPDATE store_stream SET dialect = %s, last_n = %s, numbered = %s, frames = %s,"
        " thread_id = COALESCE(%s, thread_id) WHERE id = %s AND lease = %s AND frames = %s",
        (stream.dialect, stream.numbering.last, stream.numbering.numbered, stream.frames,
         ids.get((stream.channel, stream.home)), stream.id, stream.lease, stream.base),
    )  # fmt: skip
    if cursor.rowcount != 1:
        cursor.execute("SELECT lease FROM store_stream WHERE id = %s", (stream.id,))
        row = cursor.fetchone()
        if row is None or row[0] != stream.lease:
            raise Replaced(stream.id)
        raise Stale(f"stream {stream.id} has grown")


def _write_feeds(cursor: CursorWrapper, threads: Iterable[OpenThread]) -> None:
    rows = [(thread.id, stream) for thread in threads for stream in thread.feeds if stream]
    if rows:
        cursor.executemany(
            "INSERT INTO store_feed (thread_id, stream_id) VALUES (%s, %s)"
            " ON CONFLICT (thread_id, stream_id) DO NOTHING",
            rows,
        )


# ---------------------------------------------------------------- segments


def _segments(thread: OpenThread) -> tuple[int, list[Sheet]]:
    """(first seq of the rows they replace, or 0; the sheets to write). Small ones become one when full."""
    if not len(thread.fresh):
        return 0, []
    if not len(thread.tail):
        return 0, list(thread.fresh.cut())
    replaces = thread.tail.first_seq
    thread.tail.extend(thread.fresh)
    if thread.tail.full:
        return replaces, list(thread.tail.cut())
    return 0, list(thread.fresh.cut())


def _write_segments(cursor: CursorWrapper, thread: OpenThread, replaces: int, sheets: list[Sheet]) -> None:
    if replaces:
        cursor.execute(
            "DELETE FROM store_segment WHERE thread_id = %s AND first_seq >= %s", (thread.id, replaces)
        )
    rows = []
    for sheet in sheets:
        header, body = pack(sheet)
        rows.append((thread.id, sheet.first_seq, sheet.last_seq, sheet.size, header, body))
    if rows:
        cursor.executemany(
            "INSERT INTO store_segment (thread_id, first_seq, last_seq, raw_bytes, header, body)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            rows,
        )


def _settle(thread: OpenThread, sheets: list[Sheet]) -> None:
    """The fresh frames are written: what is not full yet is the tail."""
    thread.base = thread.fresh.last_seq
    if thread.tail.full or not len(thread.tail):
        last = sheets[-1] if sheets else thread.tail
        thread.tail = last if not last.full else Sheet(thread.base + 1)
    thread.fresh = Sheet(thread.base + 1)
    thread.feeds = set()
    thread.rebuilt = False


# ---------------------------------------------------------------- derived rows


def _write_derived(cursor: CursorWrapper, thread: OpenThread) -> None:
    changes = thread.picture.drain()
    turns = thread.books.enter(thread.picture, changes)
    if thread.rebuilt:
        _delete_others(cursor, thread)
    tables.TURNS.run(cursor, [thread.books.row(thread.id, thread.picture, number) for number in turns])
    tables.RUNS.run(cursor, [run_row(thread.id, run) for run in changes.runs])
    tables.CALLS.run(cursor, [call_row(thread.id, call) for call in changes.calls])
    findings: list[Row] = [finding_row(thread.id, thread.picture, one) for one in changes.findings]
    tables.FINDINGS.run(cursor, findings)


def _delete_others(cursor: CursorWrapper, thread: OpenThread) -> None:
    """Rows that an older fold made and this one does not."""
    seen = thread.picture.thread
    for table, last in (("turn", seen.turns), ("run", seen.runs), ("call", seen.calls)):
        cursor.execute(
            f"DELETE FROM store_{table} WHERE thread_id = %s AND number > %s", (thread.id, len(last))
        )
    cursor.execute("SELECT key FROM store_finding WHERE thread_id = %s", (thread.id,))
    gone = {row[0] for row in cursor.fetchall()} - set(map(finding_key, thread.picture.judge.findings))
    if gone:
        cursor.executemany(
            "DELETE FROM store_finding WHERE thread_id = %s AND key = %s", [(thread.id, key) for key in gone]
        )
