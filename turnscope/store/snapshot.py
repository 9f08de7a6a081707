"""One unmoving picture of the tables for several queries, without the journal's lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def snapshot() -> Iterator[None]:
    """What is committed meanwhile is not seen until the block has ended. For reads alone.

    By hand, since `atomic` would take SQLite's only write lock, and reads anew with each statement on
    PostgreSQL. Inside a transaction that somebody else began, that one's picture is all there is.
    """
    if connection.in_atomic_block:
        yield
        return
    postgres = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY" if postgres else "BEGIN")
        try:
            yield
        finally:
            cursor.execute("COMMIT")
