"""A flood at a writer that cannot write: the database is locked from outside, a client sends 206 MB and reads
nothing. What counts is how much more memory the server holds than before."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from bench import data
from bench.process import held_mib
from bench.rows import Row
from bench.wire import Wire, batches
from tests.serving import served

FLOOD = 206 * 1000**2
SECONDS = 8.0
"""How long the flood lasts: a server that stops reading would be waited for in vain."""
MUST, AIM = 64.0, 16.0


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "flood"
    messages = list(batches(list(data.lines(10_000, seed=3)), 1_000))
    with served(home) as server:
        # A few acknowledged frames first: what the server holds when it works is the baseline.
        wire = Wire(server.port, "/ws/ingest/bench/", timeout=SECONDS)
        for message in messages:
            wire.send(message)
        time.sleep(1.0)
        before = held_mib(server.process.pid)
        lock = sqlite3.connect(next(home.glob("*.sqlite3")), isolation_level=None, timeout=10)
        lock.execute("BEGIN IMMEDIATE")
        sent = [0]
        flood = threading.Thread(target=_send, args=(wire, messages, sent), daemon=True)
        flood.start()
        most, ends = before, time.monotonic() + SECONDS
        while time.monotonic() < ends and flood.is_alive():
            most = max(most, held_mib(server.process.pid))
            time.sleep(0.05)
        lock.execute("ROLLBACK")
        lock.close()
        wire.close()
    note = f"{sent[0] / 1e6:.0f} of 206 MB taken in {SECONDS:.0f} s, {before:.0f} MiB before"
    return [Row("flood at a stalled writer, RSS over baseline", most - before, "MiB", MUST, AIM, note=note)]


def _send(wire: Wire, messages: list[bytes], sent: list[int]) -> None:
    try:
        while sent[0] < FLOOD:
            for message in messages:
                wire.send(message)
                sent[0] += len(message)
    except OSError:
        pass  # The server closed, or the bench is over.
