"""Frames out of segments. Reads alone, without the journal's lock: what is committed never changes.

Small segments may be merged while somebody reads. So every query goes on from a seq, never from a row:
the segment that holds it is found anew each time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from heapq import merge
from operator import itemgetter
from typing import Any

from django.db import connection

from turnscope.core.events import Frame

from . import segments
from .models import Feed, Segment, Thread
from .segments import Sheet, frames_of, holds, open_body, streams_of, unpack

FIRST_PAGE, PAGE, HEADERS, BODIES = 4, 64, 512, 16
"""How many segments one query brings: at first (a page of rows needs no more), then, headers alone, and the
bodies of those that a filter has chosen."""

_FROM = """
FROM store_segment WHERE thread_id = %s AND first_seq >= COALESCE(
    (SELECT MAX(first_seq) FROM store_segment WHERE thread_id = %s AND first_seq <= %s), 0)
AND first_seq <= %s ORDER BY first_seq LIMIT %s
"""
_NO_END = 2**63 - 1


def _rows(columns: str, thread_id: int, start: int, pages: Iterator[int], until: int | None) -> Iterator[Any]:
    """Rows of the segments that hold `start` and what follows, up to `until`. first_seq and last_seq lead."""
    with connection.cursor() as cursor:
        for size in pages:
            if start > _NO_END:
                return
            statement = f"SELECT first_seq, last_seq, {columns} {_FROM}"
            end = _NO_END if until is None else min(until, _NO_END)
            cursor.execute(statement, (thread_id, thread_id, start, end, size))
            rows = cursor.fetchall()
            for row in rows:
                if row[1] < start:  # the thread ends before it
                    return
                yield row
                start = row[1] + 1
            if len(rows) < size:
                return


def _pages(first: int, then: int) -> Iterator[int]:
    yield first
    while True:
        yield then


def segments_between(thread_id: int, after: int, until: int | None = None) -> Iterator[Sheet]:
    """The segments that hold frames with `after < seq <= until`, whole. Raises Damaged."""
    pages = _pages(FIRST_PAGE, PAGE)
    for first, _, header, body in _rows("header, body", thread_id, after + 1, pages, until):
        yield unpack(first, bytes(header), bytes(body))


def packed(
    thread_id: int, after: int, until: int | None, *, bodies: bool
) -> Iterator[tuple[int, int, bytes, bytes]]:
    """(first seq, last seq, header, body) of the segments that hold frames with `after < seq <= until`.

    For who looks for something in whole segments; without `bodies` the last is empty.
    """
    if bodies:
        for first, last, header, body in _rows(
            "header, body", thread_id, after + 1, _pages(PAGE, PAGE), until
        ):
            yield first, last, bytes(header), bytes(body)
    else:
        for first, last, header in _rows("header", thread_id, after + 1, _pages(HEADERS, HEADERS), until):
            yield first, last, bytes(header), b""


def read(
    thread_id: int, after: int = 0, until: int | None = None, kinds: Collection[int] | None = None
) -> Iterator[Frame]:
    """Frames with `after < seq <= until`, in order, of these kinds alone. Raises Damaged."""
    if kinds is None:
        pages = _pages(FIRST_PAGE, PAGE)
        for first, _, header, body in _rows("header, body", thread_id, after + 1, pages, until):
            yield from frames_of(first, bytes(header), bytes(body), after=after, until=until)
        return
    wanted, held = frozenset(kinds), list[tuple[int, int, bytes]]()
    for first, last, packed in _rows("header", thread_id, after + 1, _pages(HEADERS, HEADERS), until):
        header = bytes(packed)
        if holds(header, wanted):
            held.append((first, last, header))
        if len(held) >= BODIES:
            yield from _chosen(thread_id, held, wanted, after, until)
            held = []
    yield from _chosen(thread_id, held, wanted, after, until)


def _chosen(
    thread_id: int, held: list[tuple[int, int, bytes]], kinds: frozenset[int], after: int, until: int | None
) -> Iterator[Frame]:
    """The frames of these kinds in segments whose headers were read."""
    firsts = [first for first, _, _ in held]
    rows = Segment.objects.filter(thread_id=thread_id, first_seq__in=firsts)
    bodies = {
        (first, last): bytes(body) for first, last, body in rows.values_list("first_seq", "last_seq", "body")
    }
    for first, last, header in held:
        body = bodies.get((first, last))
        if body is not None:
            yield from frames_of(first, header, body, after=after, until=until, kinds=kinds)
            continue
        # Merged since its header was read: the same frames are in a longer segment now.
        last = last if until is None else min(last, until)
        yield from (frame for frame in read(thread_id, max(after, first - 1), last) if frame.kind in kinds)


def count(thread_id: int) -> int:
    """How many frames and marks the thread has. Raises Thread.DoesNotExist."""
    return int(Thread.objects.values_list("last_seq", flat=True).get(pk=thread_id))


def tally(thread_id: int) -> Counter[tuple[int, int]]:
    """How many frames and marks of each (stream, kind) the thread has; unpacks no body."""
    total: Counter[tuple[int, int]] = Counter()
    for _, _, header in _rows("header", thread_id, 1, _pages(HEADERS, HEADERS), None):
        total.update(segments.tally(bytes(header)))
    return total


def threads_of(stream_id: int) -> list[int]:
    """Ids of the threads that the stream has brought frames to, in that order."""
    return list(Feed.objects.filter(stream_id=stream_id).order_by("pk").values_list("thread_id", flat=True))


def raw(stream_id: int) -> Iterator[bytes]:
    """What the stream brought, byte for byte and framing included: joined, it is the input."""
    brought = (_brought(thread, stream_id) for thread in threads_of(stream_id))
    for _, body in merge(*brought, key=itemgetter(0)):
        yield body


def _brought(thread_id: int, stream_id: int) -> Iterator[tuple[int, bytes]]:
    """(place in the stream, bytes) of the stream's frames in this thread."""
    for first, last, header in _rows("header", thread_id, 1, _pages(HEADERS, HEADERS), None):
        if stream_id not in streams_of(bytes(header)):
            continue
        for sheet in segments_between(thread_id, first - 1, last):
            for stream, place, body in zip(sheet.streams, sheet.places, sheet.bodies, strict=True):
                if stream == stream_id and place:
                    yield place, body


def containing(thread_id: int, text: str, after: int = 0) -> Iterator[Frame]:
    """Frames whose bytes hold the text as it is or as JSON spells it. Raises Damaged."""
    needles = {text.encode("utf-8", "surrogatepass"), json.dumps(text)[1:-1].encode()}
    needles |= {json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")}
    needles.discard(b"")
    for first, _, header, body in _rows("header, body", thread_id, after + 1, _pages(PAGE, PAGE), None):
        header, body = bytes(header), bytes(body)
        data = open_body(header, body)
        if not any(needle in data for needle in needles):
            continue
        for frame in frames_of(first, header, body, after=after):
            if any(needle in frame.raw for needle in needles):
                yield frame
