"""A producer for benches that pace it: acks are read and thrown away; and fifty cards that stream."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from bench.wire import Wire, frame

CARDS, HERTZ = 50, 20

Event = dict[str, Any]


class Agent:
    """A producer that sends what it is told, and reads its acks."""

    def __init__(self, port: int, thread: str, *, channel: str = "bench") -> None:
        self.wire = Wire(port, f"/ws/ingest/{channel}/")
        self.about = {"threadId": thread, "runId": f"{thread}-run"}
        hello = {"turnscope": 1, "dialect": "ag_ui", "stream": thread, "after": None}
        self.wire.send(frame(json.dumps(hello).encode()))
        self.wire.receive()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while True:
                self.wire.receive()
        except (OSError, ConnectionError, ValueError):
            return

    def send(self, *events: Event) -> None:
        self.lines(b"\n".join(json.dumps(event).encode() for event in events))

    def lines(self, text: bytes) -> None:
        """JSON lines as they are."""
        self.wire.send(frame(text))

    def cards(self) -> None:
        """Begin a run of fifty calls."""
        self.send({"type": "RUN_STARTED", **self.about})
        for n in range(CARDS):
            self.send({"type": "TOOL_CALL_START", "toolCallId": f"card-{n}", "toolCallName": f"tool_{n % 9}"})


def paced(send: Callable[[int], None], seconds: float, hertz: int = HERTZ) -> None:
    """Call `send(tick)` so often, for so long; a little unevenly, lest it fall into step with the frames."""
    began, pick = time.monotonic(), random.Random(1)
    for tick in range(int(hertz * seconds)):
        send(tick)
        time.sleep(max(0.0, began + (tick + 1 + pick.uniform(-0.2, 0.2)) / hertz - time.monotonic()))


def deltas(tick: int) -> list[Event]:
    """A piece of arguments for each of the fifty; the last, whose card stands first, says when."""
    words = [f"w{tick % 10}" for _ in range(CARDS)]
    words[-1] = stamp()
    return [
        {"type": "TOOL_CALL_ARGS", "toolCallId": f"card-{n}", "delta": f"{word}, "}
        for n, word in enumerate(words)
    ]


def stamp() -> str:
    """Now, in ms, as `LOOK` of `cards.py` finds it on the screen."""
    return f"@{time.time_ns() // 1_000_000}"
