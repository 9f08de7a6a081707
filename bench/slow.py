"""Viewers that do not read: what each costs the server while an agent streams.

Fifty cards stream at 20 Hz, first to nobody, then to twenty viewers that have said they watch and read
nothing more. They come one after another, so that no two wait for the same text, and each asks for everything
from the start. What the server's memory grew by beyond what it grew by alone is theirs.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from bench.agent import CARDS, HERTZ, Agent, deltas, paced
from bench.data import full
from bench.process import held_mib
from bench.rows import Row
from bench.viewers import thread_of
from bench.wire import Wire
from tests.serving import Served, served

VIEWERS = 20
SECONDS = 20, 60
"""In a quick run, and in a full one."""
ROOM = 4096
"""Bytes a viewer's system keeps unread, so that what waits waits at the server."""
WARM = 8.0
MUST, AIM = 1.0, 1.0


def measure(folder: Path, count: int) -> list[Row]:
    seconds = SECONDS[full(count)]
    with served(folder / "slow") as server:
        agent = Agent(server.port, "slow")
        agent.cards()
        thread = thread_of(server, "bench")
        reading = Wire(server.port, f"/ws/threads/{thread}/?after=1")
        reading.receive()
        paced(lambda tick: agent.send(*deltas(tick)), WARM)
        reading.close()
        alone = _grown(server, agent, seconds)
        path, wires = f"/ws/threads/{thread}/?after=1", []
        before = held_mib(server.process.pid)
        comes = threading.Thread(target=_come, args=(server.port, path, wires))
        comes.start()
        grown = _grown(server, agent, seconds, before)
        comes.join()
        for wire in wires:
            wire.close()
    each = max(0.0, grown - alone) * 1024**2 / 1e6 / VIEWERS
    note = f"of {VIEWERS}: {grown:.1f} MiB with them, {alone:.1f} without; {CARDS} cards at {HERTZ} Hz"
    name = f"a viewer that does not read for {seconds} s, RSS of the server"
    return [Row(name, each, "MB", MUST, AIM, note=note)]


def _come(port: int, path: str, wires: list[Wire]) -> None:
    for _ in range(VIEWERS):
        wires.append(Wire(port, path, room=ROOM))
        time.sleep(0.06)


def _grown(server: Served, agent: Agent, seconds: float, before: float = 0.0) -> float:
    """Stream for so long; the most that the server held more than before, in MiB."""
    before = before or held_mib(server.process.pid)
    most = [before]

    def send(tick: int) -> None:
        agent.send(*deltas(tick))
        most[0] = max(most[0], held_mib(server.process.pid))

    paced(send, seconds)
    return most[0] - before
