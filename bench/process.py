"""What runs beside the bench: children that measure themselves, and a look at how much memory they hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


class Absent(Exception):
    """Something the figure needs is not there; the text says what."""


def child(module: str, *arguments: object, home: Path, timeout: float = 600) -> dict[str, Any]:
    """Run `python -m bench.<module> ...` and read the JSON line it ends with. Absent if it failed."""
    home.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{module}", *map(str, arguments)],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise Absent(f"{module}: {said[-1][:120]}")
    measured: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return measured


def environment(home: Path) -> dict[str, str]:
    """This process's, with a data directory of the bench's own."""
    return {**os.environ, "TURNSCOPE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "turnscope.settings"}


def peak_mib() -> float:
    """The most memory this process ever held, in MiB."""
    return _status("self", "VmHWM")


def worked_seconds(pid: int) -> float:
    """Processor time a process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def held_mib(pid: int) -> float:
    """What a process holds now, in MiB."""
    return _status(str(pid), "VmRSS")


def _status(pid: str, name: str) -> float:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        raise Absent("memory is read from /proc, which this system has not") from None
    line = next(line for line in text.splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


def ready() -> None:
    """Make a child ready to use the store: Django set up, the tables made."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
