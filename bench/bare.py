"""R: what a bare script does with the same file in the same run, the unit of every ratio.

orjson.loads per line and sqlite3's executemany into one WITHOUT ROWID table (run, seq, type, ts, body) keyed
by (run, seq), WAL, synchronous=FULL, 1,000 per transaction; no fold, no rules.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import orjson

from bench.rows import Rate

BATCH = 1_000


def measure(source: Path, folder: Path) -> Rate:
    """Write the file's events into a new database in `folder`, and say how fast that went."""
    target = folder / "bare.sqlite3"
    for old in folder.glob("bare.sqlite3*"):
        old.unlink()
    db = sqlite3.connect(target, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute(
        "CREATE TABLE event (run TEXT, seq INTEGER, type TEXT, ts INTEGER, body BLOB,"
        " PRIMARY KEY (run, seq)) WITHOUT ROWID"
    )
    seq, rows = 0, []
    began, worked = time.perf_counter(), time.process_time()
    with source.open("rb") as file:
        for line in file:
            event = orjson.loads(line)
            seq += 1
            rows.append(("run", seq, event["type"], event["timestamp"], line))
            if len(rows) == BATCH:
                _write(db, rows)
                rows.clear()
    _write(db, rows)
    took, work = time.perf_counter() - began, time.process_time() - worked
    db.close()
    return Rate(seq / took, seq / work)


def _write(db: sqlite3.Connection, rows: list[tuple[str, int, str, int, bytes]]) -> None:
    db.execute("BEGIN")
    db.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", rows)
    db.execute("COMMIT")
