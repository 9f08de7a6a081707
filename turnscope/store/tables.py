"""The statements that write derived rows, made from the models. One form for SQLite and PostgreSQL.

Django's own upsert costs a model instance per row; these rows are written many thousand times a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from django.db import models
from django.db.backends.utils import CursorWrapper

from .models import Call, Finding, Run, Turn

Row = Mapping[str, Any]
"""Column name -> value, every column but the id."""


class Upsert:
    """Insert rows of one table, or change those that are there; the id of a row never changes."""

    def __init__(self, model: type[models.Model], key: Sequence[str]) -> None:
        columns = [field.column for field in model._meta.concrete_fields if not field.primary_key]
        names = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("%s" for _ in columns)
        changes = ", ".join(f'"{c}" = excluded."{c}"' for c in columns if c not in key)
        self.table = model._meta.db_table
        self.statement = (
            f'INSERT INTO "{self.table}" ({names}) VALUES ({marks})'
            f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changes}"
        )
        self._values = itemgetter(*columns)

    def run(self, cursor: CursorWrapper, rows: Iterable[Row]) -> None:
        """Write these rows; no two may have the same key."""
        values = [self._values(row) for row in rows]
        if values:
            cursor.executemany(self.statement, values)


TURNS = Upsert(Turn, ("thread_id", "number"))
RUNS = Upsert(Run, ("thread_id", "number"))
CALLS = Upsert(Call, ("thread_id", "number"))
FINDINGS = Upsert(Finding, ("thread_id", "key"))
