"""A real server for tests that need one: `turnscope serve` in a process of its own, on a free port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tests.services import free_port

ROOT = Path(__file__).parents[1]

READY_WITHIN = 30.0
"""Seconds until the first page; a start takes about one."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server that answers."""

    port: int
    home: Path
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ws(self, path: str) -> str:
        return f"ws://127.0.0.1:{self.port}{path}"


@contextmanager
def served(
    home: Path, *options: str, port: int = 0, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Served]:
    """Run a server with its data in `home` until the block ends; what it said goes to `home`/serve.log.

    `settings` are TURNSCOPE_ variables beside TURNSCOPE_HOME.
    """
    home.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    log = home / "serve.log"
    command = [sys.executable, "-m", "turnscope", "serve", "--port", str(port), *options]
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment(home), **settings},
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=heeds_ctrl_c,
        )
    try:
        _wait(process, port, log)
        yield Served(port, home, process, log)
    finally:
        stop(process)


def heeds_ctrl_c() -> None:
    """As in a terminal. A shell starts what runs in its background deaf to it, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def turnscope(home: Path, *arguments: str) -> str:
    """Run one command with its data in `home`; what it printed. A failure is quoted."""
    done = subprocess.run(
        [sys.executable, "-m", "turnscope", *arguments],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"turnscope {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def environment(home: Path) -> dict[str, str]:
    """Ours, with the data directory of the test and nothing else of Turnscope's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TURNSCOPE_")}
    return {**kept, "TURNSCOPE_HOME": str(home), "PYTHONUNBUFFERED": "1"}


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it as a person would, and by force if it does not listen."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while True:
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(errors="replace")[-3000:]
            raise RuntimeError(f"turnscope serve did not start:\n{said}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1):
                return
        except urllib.error.HTTPError:
            return  # It answers; what it says is the tests' business.
        except OSError:
            time.sleep(0.05)
