"""The real server: what it bounds, how it stops, what it says when it cannot start."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests import streams
from tests.services import free_port
from tests.serving import ROOT, Served, environment, served
from turnscope.web.flow import ALL_HIGH, HIGH, LOW, Gate, Meter

RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()
MB = 1024**2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("server")) as running:
        yield running


def dial(server: Served, path: str = "/ws/ingest/acme/") -> Any:
    return connect(server.ws(path), compression=None, max_size=None, ping_interval=None)


async def greet(producer: ClientConnection, stream: str) -> Any:
    await producer.send(json.dumps({"turnscope": 1, "dialect": "ag_ui", "stream": stream, "after": None}))
    return json.loads(await producer.recv())


def numbered(events: list[streams.Event], first: int = 1) -> bytes:
    return streams.ndjson({"n": n, "event": event} for n, event in enumerate(events, first))


def get(server: Served, path: str, **headers: str) -> tuple[int, Any, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def resident(pid: int) -> float:
    """Megabytes of memory the process holds."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("this machine does not tell a process's memory in /proc")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


# ---------------------------------------------------------------- what it takes


async def test_a_message_of_fifteen_megabytes_is_taken(server: Served) -> None:
    event = {"type": "CUSTOM", "name": "image", "value": "x" * (15 * MB)}
    async with dial(server) as producer:
        await greet(producer, "large")
        await producer.send(numbered([event]), text=True)
        assert json.loads(await producer.recv())["ack"] == 1


async def test_a_message_over_the_limit_is_closed_with_the_reason(server: Served) -> None:
    async with dial(server) as producer:
        await greet(producer, "too-large")
        with pytest.raises(ConnectionClosed) as closed:
            await producer.send("x" * (17 * MB))
            await producer.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4413


async def test_text_that_is_not_utf8_is_kept_and_does_not_hang_up(server: Served) -> None:
    async with dial(server, "/ws/ingest/hostile/") as producer:
        await producer.send(b'{"type":"RAW","event":"\xff\xfe"}', text=True)
        await producer.send(streams.ndjson(RUN), text=True)
        while json.loads(await producer.recv())["ack"] < 1 + len(RUN):
            pass


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused_while_it_comes_in(server: Served, chunked: bool) -> None:  # noqa: FBT001
    before = resident(server.process.pid)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    path, piece = "/api/channels/acme/frames", b"x" * MB
    if chunked:
        connection.putrequest("POST", path)
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        try:
            for _ in range(80):
                connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        except (BrokenPipeError, ConnectionResetError):
            pass  # It may be cut while it still sends; the answer lies there to be read.
    else:
        connection.putrequest("POST", path)
        connection.putheader("Content-Length", str(80 * MB))
        connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["error"]["code"] == "too_large"
    assert resident(server.process.pid) - before < 32
    connection.close()


def test_a_body_within_the_limit_is_not_held_in_memory(server: Served) -> None:
    line = json.dumps({"type": "CUSTOM", "name": "n", "value": "x" * 100_000}).encode() + b"\n"
    before = resident(server.process.pid)
    request = urllib.request.Request(f"{server.url}/api/channels/acme/frames", data=line * 600, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.load(answer)["frames"] == 600
    assert resident(server.process.pid) - before < 48


def test_static_files_come_with_the_headers_of_every_response(server: Served) -> None:
    for path in ("/static/icon.svg", "/healthz"):
        status, headers, _ = get(server, path)
        assert status == 200
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"]


def test_a_static_path_leads_out_of_nowhere(server: Served) -> None:
    for path in (
        "/static/../pyproject.toml",
        "/static/%2e%2e/pyproject.toml",
        "/static/..%2f..%2fetc/passwd",
        "/static/%00",
        "/static/" + "x" * 5000,
    ):
        assert get(server, path)[0] == 404


# ---------------------------------------------------------------- what it holds


async def test_a_flood_at_a_stalled_writer_costs_little_memory(tmp_path: Path) -> None:
    """The writer waits for the database's lock; the client ignores acks and sends all it can."""
    line = json.dumps({"type": "CUSTOM", "name": "n", "value": "x" * 180}).encode() + b"\n"
    batch, count = line * 1000, 90
    with served(tmp_path / "home") as server:
        base = peak = resident(server.process.pid)
        lock = sqlite3.connect(tmp_path / "home" / "turnscope.sqlite3", isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        async with dial(server) as producer:

            async def flood() -> None:
                for _ in range(count):
                    await producer.send(batch, text=True)

            flooding = asyncio.create_task(flood())
            for _ in range(20):
                await asyncio.sleep(0.1)
                peak = max(peak, resident(server.process.pid))
            assert not flooding.done(), "nothing held the flood back"
            lock.execute("ROLLBACK")
            lock.close()
            while json.loads(await asyncio.wait_for(producer.recv(), 30))["ack"] < count * 1000:
                peak = max(peak, resident(server.process.pid))
            await flooding
    assert peak - base < 64


async def test_a_viewer_of_a_long_replay_that_does_not_read_costs_little_memory(server: Served) -> None:
    event = {"type": "CUSTOM", "name": "n", "value": "x" * 10_000}
    run = streams.ndjson([*streams.run_started(thread="long", run="long-run"), *[event] * 4_000])
    (thread,) = await asyncio.to_thread(post, server, run)
    before = resident(server.process.pid)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
    try:
        path = f"/replay/{thread['runs'][0]['id']}/ag_ui/?speed=0"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await writer.drain()
        await asyncio.sleep(1.5)
        assert resident(server.process.pid) - before < 24
        assert b"200 OK" in await reader.readline()
    finally:
        writer.transport.abort()


def post(server: Served, body: bytes) -> Any:
    """Send frames; what the server says of their threads."""
    request = urllib.request.Request(f"{server.url}/api/channels/acme/frames", data=body, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["threads"]


class Line:
    """A transport that remembers whether it reads."""

    reading = True

    def pauseProducing(self) -> None:
        self.reading = False

    def resumeProducing(self) -> None:
        self.reading = True


def test_reading_pauses_above_the_high_mark_and_goes_on_below_the_low_one() -> None:
    line = Line()
    meter = Meter(Gate(), line)
    meter.received(HIGH)
    assert line.reading
    meter.received(1)
    assert not line.reading
    meter.done(HIGH - LOW)
    assert not line.reading
    meter.done(1)
    assert line.reading


def test_many_sockets_together_are_held_to_one_bound() -> None:
    gate = Gate()
    lines = [Line() for _ in range(20)]
    meters = [Meter(gate, line) for line in lines]
    for _ in range(4):
        for meter, line in zip(meters, lines, strict=True):
            if line.reading:
                meter.received(MB)
    assert gate.total <= ALL_HIGH + len(meters) * LOW
    assert not any(line.reading for line in lines[-5:])
    for meter in meters:
        meter.done(4 * MB)
    assert all(line.reading for line in lines)
    assert gate.total == 0


def test_a_socket_that_ends_gives_back_its_share() -> None:
    gate = Gate()
    meter = Meter(gate, Line())
    meter.received(3 * MB)
    meter.finished()
    assert gate.total == 0
    meter.done(3 * MB)  # The writer deals with what was queued: it counts no more.
    assert gate.total == 0


def test_a_socket_stays_open_for_more_than_a_day() -> None:
    """daphne's own closes every socket after 86,400 seconds."""
    script = """
import time
from turnscope.web.server import Server, Socket
server = Server(None, host="127.0.0.1", port=1, message_limit=1, body_limit=1, file_limit=1)
socket = Socket()
socket.server, socket.state, socket.socket_opened = server, Socket.STATE_OPEN, time.time() - 90_000
socket.last_ping = time.time()
socket.meter = type("M", (), {"paused": False})
socket.sendCloseFrame = lambda *_: exit("closed")
socket.check_timeouts()
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- starting and stopping


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
async def test_it_stores_what_it_has_and_says_goodbye(tmp_path: Path, how: signal.Signals) -> None:
    home = tmp_path / "home"
    with served(home) as server:
        note = json.loads((home / "server.json").read_text())
        assert note == {"url": f"{server.url}/", "pid": server.process.pid}
        async with dial(server) as producer:
            await greet(producer, "s1")
            await producer.send(numbered(RUN), text=True)
            server.process.send_signal(how)
            acked = 0
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    acked = json.loads(await producer.recv())["ack"]
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
        assert await asyncio.to_thread(server.process.wait, 10) == 0
        assert not (home / "server.json").exists()
    with served(home) as server:
        async with dial(server) as producer:
            assert (await greet(producer, "s1"))["after"] >= acked


def test_a_port_that_is_taken_is_told_in_one_line(server: Served, tmp_path: Path) -> None:
    done = serve(tmp_path, "--port", str(server.port))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert str(server.port) in done.stderr and "--port" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_an_address_that_others_can_reach_is_refused(tmp_path: Path, host: str) -> None:
    done = serve(tmp_path, "--port", str(free_port()), "--host", host)
    assert done.returncode == 2
    assert "no accounts" in done.stderr
    assert not (tmp_path / "home").exists()


def serve(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnscope", "serve", *options],
        cwd=ROOT, env=environment(tmp_path / "home"), capture_output=True, text=True, timeout=30,
    )  # fmt: skip
