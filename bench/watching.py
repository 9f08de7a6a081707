"""Live to many viewers: a producer at 20,000 events a second, 100 tails of its thread in another process.

Measured is the time from a commit (its acknowledgement reaching the producer) to the patch that tells of it
reaching a viewer; the hub's own tick of 50 ms is part of it. `python -m bench.watching PORT THREAD VIEWERS
SECONDS` is the viewers' process: it prints how many patches came, and when each first told of its last seq.
"""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
import threading
import time
import urllib.request
from bisect import bisect_left
from pathlib import Path
from typing import IO

from bench import data
from bench.process import ROOT, environment
from bench.rows import Row
from bench.wire import Wire, batches, frame
from tests.serving import served

RATE, VIEWERS, SECONDS = 20_000, 100, 5
BATCH = 100
TICK = 50.0
"""ms between two patches of a thread."""
MUST, AIM = 250.0 + TICK, 60.0 + TICK


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "watching"
    lines = list(data.lines(RATE * SECONDS, seed=4))
    with served(home) as server:
        url = f"{server.url}/api/channels/bench/frames"
        request = urllib.request.Request(url, data=lines[0], method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            thread = json.load(answer)["threads"][0]["id"]
        watchers = subprocess.Popen(
            [sys.executable, "-m", "bench.watching", *map(str, (server.port, thread, VIEWERS, SECONDS + 2))],
            cwd=ROOT,
            env=environment(home),
            stdout=subprocess.PIPE,
        )
        assert watchers.stdout is not None
        watchers.stdout.readline()  # All of them watch.
        commits, took = _produce(server.port, lines)
        seen = json.loads(_rest(watchers.stdout))
        watchers.wait()
    seqs = [seq for seq, _ in commits]
    latencies = []
    for seq, at in seen["told"]:
        place = bisect_left(seqs, seq)
        if place < len(commits):
            latencies.append(max(0.0, at - commits[place][1]) * 1000)
    latencies.sort()
    rate, median = len(lines) / took, latencies[len(latencies) // 2]
    note = f"{rate:,.0f} events/s, p50 {median:.0f} ms, {len(latencies):,} patches"
    name = f"{VIEWERS} viewers, commit to viewer p99 with the tick"
    return [Row(name, latencies[int(len(latencies) * 0.99)], "ms", MUST, AIM, note=note)]


def _produce(port: int, lines: list[bytes]) -> tuple[list[tuple[int, float]], float]:
    """Send at the pace; (seq, when it was known to be committed), and how long it took."""
    wire = Wire(port, "/ws/ingest/bench/")
    wire.send(frame(b'{"turnscope": 1, "dialect": "ag_ui", "stream": "paced", "after": null}'))
    wire.receive()
    commits: list[tuple[int, float]] = []
    reader = threading.Thread(target=_acks, args=(wire, commits, len(lines)))
    reader.start()
    began = time.monotonic()
    for number, message in enumerate(batches(lines, BATCH), 1):
        time.sleep(max(0.0, began + number * BATCH / RATE - time.monotonic()))
        wire.send(message)
    reader.join()
    took = time.monotonic() - began
    wire.close()
    return commits, took


def _acks(wire: Wire, commits: list[tuple[int, float]], count: int) -> None:
    """Note each acknowledgement as it comes, until all is acknowledged."""
    ack = 0
    while ack < count:
        answer = wire.receive()
        ack, seq = answer["ack"], answer["seq"]
        assert isinstance(ack, int) and isinstance(seq, int)
        commits.append((seq, time.monotonic()))


def _rest(out: IO[bytes]) -> str:
    return out.read().decode()


def watch(port: int, thread: int, viewers: int, seconds: float) -> list[tuple[int, float]]:
    """Open the tails, say so, and note when each patch comes; each is acknowledged at once."""
    chosen = selectors.DefaultSelector()
    for _ in range(viewers):
        wire = Wire(port, f"/ws/threads/{thread}/")
        chosen.register(wire, selectors.EVENT_READ)
    print("watching", flush=True)
    told: list[tuple[int, float]] = []
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for key, _ in chosen.select(timeout=0.1):
            wire = key.fileobj
            assert isinstance(wire, Wire)
            for patch in wire.arrived():
                seq = patch["seq"]
                assert isinstance(seq, int)
                told.append((seq, time.monotonic()))
                wire.send(frame(b'{"ack": %d}' % seq))
    return told


if __name__ == "__main__":
    port, thread, viewers, seconds = sys.argv[1:]
    told = watch(int(port), int(thread), int(viewers), float(seconds))
    print(json.dumps({"told": told}))
