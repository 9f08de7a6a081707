"""A producer in a process of its own: sends a file in batches over one socket, keeping a window of them
unacknowledged. `python -m bench.producer PORT PATH FILE PER_FRAME WINDOW` prints seconds and latencies."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from pathlib import Path

from bench.wire import Wire, batches, frame


def produce(port: int, path: str, source: Path, per_frame: int, window: int) -> dict[str, float]:
    """Send all of it, and wait until all of it is acknowledged."""
    lines = source.read_bytes().splitlines(keepends=True)
    messages = list(batches(lines, per_frame))
    wire = Wire(port, path)
    hello = {"turnscope": 1, "dialect": "ag_ui", "stream": f"bench-{time.time_ns()}", "after": None}
    wire.send(frame(json.dumps(hello).encode()))
    if not wire.receive().get("ready"):
        raise ConnectionError("the server is not ready")
    sent: deque[tuple[int, float]] = deque()
    latencies: list[float] = []
    count = 0
    began = time.perf_counter()
    for message in messages:
        while len(sent) >= window:
            _acknowledged(wire, sent, latencies)
        count = min(count + per_frame, len(lines))
        sent.append((count, time.perf_counter()))
        wire.send(message)
    while sent:
        _acknowledged(wire, sent, latencies)
    seconds = time.perf_counter() - began
    wire.close()
    latencies.sort()
    return {
        "seconds": seconds,
        "events": len(lines),
        "ack_p50_ms": latencies[len(latencies) // 2] * 1000,
        "ack_p99_ms": latencies[int(len(latencies) * 0.99)] * 1000,
    }


def _acknowledged(wire: Wire, sent: deque[tuple[int, float]], latencies: list[float]) -> None:
    """Read one ack and settle every batch it covers."""
    upto = wire.receive()["ack"]
    now = time.perf_counter()
    assert isinstance(upto, int)
    while sent and sent[0][0] <= upto:
        latencies.append(now - sent.popleft()[1])


if __name__ == "__main__":
    port, path, source, per_frame, window = sys.argv[1:]
    print(json.dumps(produce(int(port), path, Path(source), int(per_frame), int(window))))
