"""Live ingest: a real server, a producer in its own process, acknowledged after commit, rules on."""

from __future__ import annotations

from pathlib import Path

from bench import data
from bench.process import child, worked_seconds
from bench.rows import Row
from tests.serving import served

WINDOW = 8
"""Frames a producer leaves unacknowledged, as the server advises."""

FRAMES: tuple[tuple[int, int, float | None, float | None], ...] = (
    (1_000, WINDOW, 0.7, 1.1),
    (100, WINDOW, 0.45, 0.7),
    (1, WINDOW, None, None),
    (1, 1_000, 0.04, 0.065),
)
"""(events per frame, frames left unacknowledged, must, aim) in R.

One event per frame is what a bare client sends, which reads no acks; one that waits for them after eight
events measures the disk, and stands beside it to be seen.
"""

ACK_MUST, ACK_AIM = 50.0, 20.0
"""ms, at 100 per frame, saturated."""


def measure(folder: Path, count: int) -> list[Row]:
    """Each size of frame into a server of its own, so that none inherits another's state."""
    rows = []
    for per_frame, window, must, aim in FRAMES:
        events = count if per_frame > 1 else max(10_000, count // 16)
        source = data.file(events, folder, seed=2)
        warm = data.file(10_000, folder, seed=3, thread="bench-warm")
        home = folder / f"live-{per_frame}-{window}"
        with served(home) as server:
            # A short one first: a server that runs has its code warm.
            child("producer", server.port, "/ws/ingest/bench/", warm, per_frame, window, home=home)
            before = worked_seconds(server.process.pid)
            took = child("producer", server.port, "/ws/ingest/bench/", source, per_frame, window, home=home)
            work = worked_seconds(server.process.pid) - before
        rate = took["events"] / took["seconds"]
        note = f"{rate:,.0f} events/s, ack p50 {took['ack_p50_ms']:.1f} ms p99 {took['ack_p99_ms']:.1f} ms"
        name = f"live, {per_frame:,} per frame, window {window:,}"
        rows.append(Row(name, rate, "R", must, aim, higher=True, note=note, per_cpu=events / work))
        if per_frame == 100:
            rows.append(Row("ack p99, 100 per frame", took["ack_p99_ms"], "ms", ACK_MUST, ACK_AIM))
    return rows
