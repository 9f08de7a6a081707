"""The servers that some tests need: a PostgreSQL and a Redis of our own, on free ports, gone afterwards.

A test asks for `postgres_url` or `redis_url`. `python -m tests.services COMMAND ...` runs a command with
both, named to it by TURNSCOPE_DATABASE_URL and TURNSCOPE_REDIS_URL. Servers that already run on this machine
are never touched. What is not installed skips its tests with the reason; where CI=true it fails them.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

READY_WITHIN = 30.0
"""Seconds that a server may take to start; both need about one."""


class Missing(Exception):
    """What a machine lacks, as a sentence."""


def missing(reason: str) -> NoReturn:
    """Skip in plain sight; fail where CI=true, since there everything is said to be installed."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """postgres://... of an empty database in a server of this test run."""
    try:
        with postgres() as url:
            yield url
    except Missing as lack:
        missing(str(lack))


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """redis://... of an empty Redis of this test run."""
    try:
        with redis() as url:
            yield url
    except Missing as lack:
        missing(str(lack))


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server in a temporary folder. Missing where it is not installed."""
    initdb, server = _tool("initdb"), _tool("postgres")
    # PostgreSQL refuses to run as root; then it runs as whoever owns the packaged one, or as nobody.
    user = _unprivileged() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="turnscope-postgres-") as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        if user:
            shutil.chown(folder, user)
            shutil.chown(data, user)
        made = subprocess.run(
            [initdb, "-D", str(data), "-U", "turnscope", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            user=user,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr.strip()}")

        def start(port: int) -> list[str]:
            # The data is thrown away: nothing is waited for that only guards it against a power cut.
            quick = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"]
            return [server, "-D", str(data), "-k", folder, "-h", "127.0.0.1", "-p", str(port), *quick]

        with _running(start, Path(folder), user, stop=signal.SIGINT, ready=_postgres_answers) as port:
            yield f"postgres://turnscope@127.0.0.1:{port}/postgres"


@contextmanager
def redis() -> Iterator[str]:
    """A Redis server that keeps nothing. Missing where it is not installed."""
    server = _tool("redis-server")
    with tempfile.TemporaryDirectory(prefix="turnscope-redis-") as folder:

        def start(port: int) -> list[str]:
            nothing_kept = ["--save", "", "--appendonly", "no", "--dir", folder]
            return [server, "--bind", "127.0.0.1", "--port", str(port), *nothing_kept]

        with _running(start, Path(folder), None, stop=signal.SIGTERM, ready=_redis_answers) as port:
            yield f"redis://127.0.0.1:{port}/0"


# ---------------------------------------------------------------- starting and stopping


@contextmanager
def _running(
    start: Callable[[int], list[str]],
    folder: Path,
    user: str | None,
    *,
    stop: signal.Signals,
    ready: Callable[[int], bool],
) -> Iterator[int]:
    """Run a server on a free port until the block ends; the port. A server that does not start is quoted."""
    port = free_port()
    command = start(port)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + READY_WITHIN
        while not ready(port):
            if process.poll() is not None or time.monotonic() > deadline:
                said = (folder / "log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{command[0]} did not start:\n{said}")
            time.sleep(0.05)
        yield port
    finally:
        process.send_signal(stop)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port on 127.0.0.1 that was free a moment ago."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _postgres_answers(port: int) -> bool:
    # The first eight bytes ask for TLS; a server that is up answers with one letter.
    return _answers(port, b"\x00\x00\x00\x08\x04\xd2\x16\x2f") in (b"N", b"S")


def _redis_answers(port: int) -> bool:
    return _answers(port, b"PING\r\n") == b"+PONG\r\n"


def _answers(port: int, question: bytes) -> bytes:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(question)
            return connection.recv(64)
    except OSError:
        return b""


# ---------------------------------------------------------------- what is on this machine


def _tool(name: str) -> str:
    """The program's path: on PATH, or where Debian and Homebrew put PostgreSQL's servers, newest first."""
    found = shutil.which(name)
    if found:
        return found
    places = [*Path("/usr/lib/postgresql").glob(f"*/bin/{name}")]
    places += Path("/opt/homebrew/opt").glob(f"postgresql@*/bin/{name}")
    if not places:
        raise Missing(f"{name} is not installed on this machine")
    return str(max(places, key=lambda path: [int(part) for part in path.parts if part.isdigit()]))


def _unprivileged() -> str:
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in names:
            return name
    raise Missing("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")


def main(argv: Sequence[str]) -> int:
    """Run a command with both servers; its exit code. Without them: said, and a failure only under CI."""
    if not argv:
        print(__doc__)
        return 2
    with ExitStack() as servers:
        try:
            database, hints = servers.enter_context(postgres()), servers.enter_context(redis())
        except Missing as lack:
            print(f"Not run, since {lack}: {' '.join(argv)}", file=sys.stderr)
            return 1 if os.environ.get("CI") == "true" else 0
        environment = {**os.environ, "TURNSCOPE_DATABASE_URL": database, "TURNSCOPE_REDIS_URL": hints}
        return subprocess.run(argv, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
