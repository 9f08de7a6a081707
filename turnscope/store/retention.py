"""Retention: whole threads go, with all that was made of them; never a part of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.db import connection, transaction
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Length

from .journal import Journal
from .models import Channel, Feed, Import, Segment, Stream, Thread

AT_ONCE = 100
"""Threads that go in one transaction: a writer waits for no more."""


def old(before: int, channel: str | None = None) -> QuerySet[Thread]:
    """Threads that nothing was written to since `before` (ms), of one channel or all; none with an open run.

    A recording's frames may be years old: what counts for its thread is when it was read in.
    """
    fresh = Feed.objects.filter(stream__opened_at__gte=before).values("thread")
    threads = Thread.objects.filter(live=False, last_at__lt=before).exclude(pk__in=fresh)
    return threads.filter(channel__slug=channel) if channel else threads


def prune(journal: Journal, before: int, channel: str | None = None) -> Iterator[int]:
    """Remove the old threads; how many have gone so far, after each transaction."""
    gone = 0
    while ids := list(old(before, channel).order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        gone += remove(journal, ids)
        yield gone


def remove(journal: Journal, ids: list[int]) -> int:
    """Remove these threads, in one transaction; how many there were."""
    with journal.lock:
        with transaction.atomic():
            there = Thread.objects.filter(pk__in=ids).count()
            streams = list(Feed.objects.filter(thread__in=ids).values_list("stream", flat=True).distinct())
            Thread.objects.filter(pk__in=ids).delete()
            # A stream goes with its last thread, unless somebody still writes it.
            Stream.objects.filter(pk__in=streams, feeds=None, lease="").delete()
        journal.forget(ids)
    return there


class Busy(Exception):
    """Somebody still writes to what is to go, in a sentence."""


def busy(channel: int, thread: int | None = None) -> str:
    """Why a channel, or one thread of it, cannot go now; "" where it can."""
    streams = Stream.objects.filter(channel=channel).exclude(lease="")
    if thread is not None:
        open_ = streams.filter(Q(feeds__thread=thread) | Q(thread=thread)).distinct().count()
        return "A producer is connected and writes to it: close its stream first." if open_ else ""
    if streams.exists():
        return f"{streams.count()} of its producers are connected: close their streams first."
    reading = Import.objects.filter(channel=channel, key="", state__in=("waiting", "reading"))
    return "An import into it is not over: stop it first." if reading.exists() else ""


def remove_thread(journal: Journal, row: Thread) -> None:
    """Remove one thread. Raises Busy."""
    if why := busy(row.channel_id, row.pk):
        raise Busy(why)
    remove(journal, [row.pk])


def remove_channel(journal: Journal, row: Channel) -> int:
    """Remove a channel: its threads, then its streams, imports, settings and tokens; how many threads.

    Raises Busy. Where it is cut short, whole threads are gone and the rest is as it was.
    """
    if why := busy(row.pk):
        raise Busy(why)
    gone = 0
    threads = Thread.objects.filter(channel=row).order_by("pk")
    while ids := list(threads.values_list("pk", flat=True)[:AT_ONCE]):
        gone += remove(journal, ids)
    with journal.lock, transaction.atomic():
        if why := busy(row.pk):
            raise Busy(why)
        row.delete()
    return gone


# ---------------------------------------------------------------- how much there is


def weight(channel: int) -> dict[str, int]:
    """What a channel's frames weigh: `raw` bytes as they came, `disk` bytes as they are kept."""
    rows = Segment.objects.filter(thread__channel=channel)
    found = rows.aggregate(raw=Sum("raw_bytes"), disk=Sum(Length("body") + Length("header")))
    return {"raw": found["raw"] or 0, "disk": found["disk"] or 0}


def database() -> int:
    """Bytes of the whole database on disk: frames, what is derived from them, and indexes."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = str(connection.settings_dict["NAME"])
    sizes = (Path(path + end) for end in ("", "-wal", "-shm"))
    return sum(one.stat().st_size for one in sizes if one.is_file())
