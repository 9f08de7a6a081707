"""The server killed again and again under a live run that a page watches: what is lost, how soon it is back.

A producer numbers what it sends and goes on where the server says. In Chromium the turn's page follows it and
reconnects by itself. In the end every number must stand once in the journal, once in the page's list, and the
ranges that the page was told of must join without a hole. Back is from the port that listens again to the
first patch that the page receives.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from bench.data import full
from bench.page import Seen, chromium, share
from bench.rows import Row
from bench.wire import Wire, frame
from tests.services import free_port
from tests.serving import Served, served

KILLS = 10, 50
"""In a quick run, and in a full one."""
EACH, HERTZ = 10, 20
"""Frames of a message, messages a second."""

HEARD = """
window.heard_ = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const { seq, rows } = JSON.parse(data);
      heard_.push([Date.now(), seq, rows]);
    });
  }
};
"""
"""Before the page's scripts: `heard_` has [when in ms, seq, rows] of every patch."""
WALK = """async () => {
  const log = document.getElementById("log");
  const found = new Map();
  const frame = () => new Promise(requestAnimationFrame);
  const until = performance.now() + 120000;
  for (let top = 0; ; top += log.clientHeight - 44) {
    log.scrollTop = top;
    await frame();
    await frame();
    while (log.querySelector(".ev.ghost:not([hidden])") && performance.now() < until) await frame();
    for (const row of log.querySelectorAll(".ev:not(.ghost):not([hidden])"))
      found.set(row.ariaRowIndex, [Number(row.dataset.seq), row.textContent]);
    if (top + log.clientHeight >= log.scrollHeight || performance.now() > until) break;
  }
  return [...found.values()];
}"""
"""Every row of the list, as it is drawn."""


class Producer:
    """Numbers its frames, and goes on where the server says, for as long as it is told to."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.made: list[bytes] = []
        self.acked = 0
        self.count = 0
        """Numbers that were given."""
        self._ends = threading.Event()
        self._add({"type": "RUN_STARTED", "threadId": "resumed", "runId": "resumed-1"})
        self._add({"type": "TOOL_CALL_START", "toolCallId": "resumed-call", "toolCallName": "count"})
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Send what is left, and wait until all is acknowledged."""
        self._ends.set()
        self._thread.join(60)
        if self._thread.is_alive():
            raise RuntimeError(f"{self.acked} of {len(self.made)} frames were acknowledged in a minute")

    def _add(self, event: dict[str, Any]) -> None:
        self.made.append(json.dumps({"n": len(self.made) + 1, "event": event}).encode())

    def _number(self) -> None:
        """The next: as an event of its own, and in the arguments of the call."""
        self.count += 1
        said = f"<{self.count}>"
        if self.count % EACH:
            self._add({"type": "CUSTOM", "name": "number", "value": said})
        else:
            self._add({"type": "TOOL_CALL_ARGS", "toolCallId": "resumed-call", "delta": said})

    def _run(self) -> None:
        while not (self._ends.is_set() and self.acked == len(self.made)):
            try:
                self._send(Wire(self.port, "/ws/ingest/resume/", timeout=10))
            except OSError:
                time.sleep(0.02)

    def _send(self, wire: Wire) -> None:
        hello = {"turnscope": 1, "dialect": "ag_ui", "stream": "resumed", "after": self.acked}
        wire.send(frame(json.dumps(hello).encode()))
        after = wire.receive()["after"]
        assert isinstance(after, int) and after >= self.acked, "what was acknowledged is not there"
        reader = threading.Thread(target=self._read, args=(wire,), daemon=True)
        reader.start()
        while reader.is_alive() and not (self._ends.is_set() and self.acked == len(self.made)):
            if not self._ends.is_set():
                for _ in range(EACH):
                    self._number()
            if after < len(self.made):
                wire.send(frame(b"\n".join(self.made[after:])))
                after = len(self.made)
            time.sleep(1 / HERTZ)
        wire.close()

    def _read(self, wire: Wire) -> None:
        try:
            while True:
                ack = wire.receive()["ack"]
                assert isinstance(ack, int)
                self.acked = ack
        except (OSError, ValueError):
            return


def measure(folder: Path, count: int) -> list[Row]:
    kills, port, when = KILLS[full(count)], free_port(), random.Random(1)
    home = folder / "resume"
    producer = Producer(port)
    back: list[float] = []
    gone: list[float] = []
    with chromium() as browser:
        seen = Seen(browser, f"http://127.0.0.1:{port}")
        page = seen.page
        page.add_init_script(HEARD)
        killed = 0.0
        for time_ in range(kills + 1):
            listens: list[float] = []
            threading.Thread(target=_listening, args=(port, listens), daemon=True).start()
            with served(home, port=port) as server:
                if not time_:
                    page.goto("/find/?q=resumed-call")
                    page.locator(".pill.live").wait_for()
                    page.keyboard.press("f")
                    loaded = page.evaluate("performance.timeOrigin")
                else:
                    told = page.wait_for_function(
                        "(since) => heard_.find(([at]) => at >= since)?.[0]", arg=killed, timeout=30_000
                    ).json_value()
                    back.append(max(0.0, told - listens[0]))
                    gone.append(told - killed)
                if time_ == kills:
                    producer.end()
                    anew = loaded != page.evaluate("performance.timeOrigin")
                    lost, doubled, note = _held(server, page, producer)
                    break
                page.wait_for_timeout(when.uniform(300, 1000))
                server.process.kill()
                server.process.wait()
                killed = time.time() * 1000
    note = f"{producer.count:,} numbers; lost/doubled in {note}{'; the page was loaded anew' if anew else ''}"
    where = f"over {kills} kills"
    beside = f"{share(gone, 0.5):.0f} ms since the kill, p95 {share(gone, 0.95):.0f} ms"
    return [
        Row(f"seqs lost {where}", lost, "", 0, 0, note=note),
        Row(f"seqs doubled {where}", doubled, "", 0, 0),
        Row(f"back p50 {where}", share(back, 0.5), "ms", 2000, 1000, note=beside),
        Row(f"back p95 {where}", share(back, 0.95), "ms", 2000, 1000),
    ]


def _listening(port: int, listens: list[float]) -> None:
    """Note when the port takes connections, in ms."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.005)
        else:
            listens.append(time.time() * 1000)
            return


def _held(server: Served, page: Any, producer: Producer) -> tuple[int, int, str]:
    """How many numbers are lost and doubled in the journal, in the page's list, and in what it was told."""
    with urllib.request.urlopen(f"{server.url}/channels/resume.json", timeout=10) as answer:
        (turn,) = json.load(answer)["turns"]
    with urllib.request.urlopen(f"{server.url}/api/turns/{turn['id']}/", timeout=10) as answer:
        (run,) = json.load(answer)["runs"]
    with urllib.request.urlopen(f"{server.url}/api/runs/{run['id']}/events", timeout=60) as answer:
        kept = [json.loads(line) for line in answer]
    first = turn["first_seq"]
    last = first + len(producer.made) - 1
    page.wait_for_function("(made) => document.getElementById('log').length >= made", arg=len(producer.made))
    page.keyboard.press("f")
    drawn = page.evaluate(WALK)
    wanted = [json.dumps(json.loads(made)["event"], sort_keys=True) for made in producer.made]
    stored = [json.dumps(event, sort_keys=True) for event in kept]
    seqs = list(range(first, last + 1))
    told: list[int] = []
    for _, _, rows in page.evaluate("heard_"):
        told += range(rows[0], rows[1] + 1)
    watched = range(min(told), last + 1)
    holes, again = missing(list(watched), told)
    parts = {
        "journal": missing(wanted, stored),
        "list": missing(seqs, [seq for seq, _ in drawn]),
        "rows": missing([f"<{n + 1}>" for n in range(producer.count)], numbers(drawn)),
        "tail": (holes, 0),  # what it asked for once more it had not put in
    }
    note = ", ".join(f"{name} {lost}/{doubled}" for name, (lost, doubled) in parts.items())
    note += f"; {again} asked for once more" if again else ""
    return sum(one[0] for one in parts.values()), sum(one[1] for one in parts.values()), note


def numbers(drawn: list[tuple[int, str]]) -> list[str]:
    """What rows that are [seq, text] say, each `<number>`."""
    return [f"<{text.split('<')[1].split('>')[0]}>" for _, text in drawn if "<" in text]


def missing(wanted: list[Any], found: list[Any]) -> tuple[int, int]:
    """How many of what is wanted are not found, and how many are found too often or without being wanted."""
    there, asked = Counter(found), Counter(wanted)
    return sum((asked - there).values()), sum((there - asked).values())
