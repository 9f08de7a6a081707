"""What viewers cost the server: fifty cards streaming at 20 Hz, 100 viewers of their page in another process.

Processor time of the server with viewers less what it takes without, over every patch that reached a viewer.
`python -m bench.viewers PORT THREAD VIEWERS SECONDS` is the viewers' process: it acknowledges at once, as the
page does, and prints how many patches and bytes came.
"""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from bench.agent import CARDS, HERTZ, Agent, deltas, paced
from bench.process import ROOT, environment, worked_seconds
from bench.rows import Row
from bench.wire import Wire, frame
from tests.serving import Served, served

VIEWERS, SECONDS = 100, 8


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "viewers"
    with served(home) as server:
        agent = Agent(server.port, "viewed")
        agent.cards()
        thread = thread_of(server, "bench")
        _streamed(server, agent, 2)  # a server that runs has its code warm
        alone = _streamed(server, agent, SECONDS)
        watchers = subprocess.Popen(
            [sys.executable, "-m", "bench.viewers", *map(str, (server.port, thread, VIEWERS, SECONDS))],
            cwd=ROOT,
            env=environment(home),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert watchers.stdout is not None
        watchers.stdout.readline()  # All of them watch.
        watched = _streamed(server, agent, SECONDS)
        seen = json.loads(watchers.stdout.read())
        watchers.wait()
    each = seen["patches"] / VIEWERS
    if not each:
        raise RuntimeError("no viewer was sent anything")
    cost = (watched - alone) / seen["patches"] * 1000
    name = f"{VIEWERS} viewers of {CARDS} cards at {HERTZ} Hz"
    note = f"{each / SECONDS:.1f} patches a second"
    return [
        Row(f"{name}, server per viewer and tick", cost, "ms", 0.6, 0.3, note=note),
        Row(f"{name}, to each", seen["bytes"] / VIEWERS / SECONDS / 1000, "kB/s", 60, 30),
        Row(
            f"{name}, server's processor",
            watched / SECONDS,
            "cores",
            1,
            1,
            note=f"{alone / SECONDS:.2f} without viewers",
        ),
    ]


def thread_of(server: Served, channel: str) -> int:
    """The newest thread of a channel, once it is there."""
    for _ in range(100):
        with urllib.request.urlopen(f"{server.url}/channels/{channel}.json", timeout=10) as answer:
            turns = json.load(answer)["turns"]
        if turns:
            return int(turns[0]["thread"])
        time.sleep(0.05)
    raise RuntimeError(f"nothing came into {channel}")


def _streamed(server: Served, agent: Agent, seconds: float) -> float:
    """Stream for so long; the processor time it took the server, in seconds."""
    before = worked_seconds(server.process.pid)
    paced(lambda tick: agent.send(*deltas(tick)), seconds)
    return worked_seconds(server.process.pid) - before


def watch(port: int, thread: int, viewers: int, seconds: float) -> dict[str, int]:
    """Open the tails, wait for the first patch of each, say so, and count what comes from then on."""
    chosen = selectors.DefaultSelector()
    wires = [Wire(port, f"/ws/threads/{thread}/?after=1&fields=1") for _ in range(viewers)]
    for wire in wires:
        wire.send(frame(b'{"ack": %d}' % wire.receive()["seq"]))
        chosen.register(wire, selectors.EVENT_READ)
    before = sum(wire.taken for wire in wires)
    print("watching", flush=True)
    patches = 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for key, _ in chosen.select(timeout=0.1):
            wire = key.fileobj
            assert isinstance(wire, Wire)
            for patch in wire.arrived():
                patches += 1
                wire.send(frame(b'{"ack": %d}' % patch["seq"]))
    return {"patches": patches, "bytes": sum(wire.taken for wire in wires) - before}


if __name__ == "__main__":
    port, thread, viewers, seconds = sys.argv[1:]
    print(json.dumps(watch(int(port), int(thread), int(viewers), float(seconds))))
