"""Cold start: from the command to the first page, with an empty data directory."""

from __future__ import annotations

import time
import urllib.request
from pathlib import Path

from bench.rows import Row
from tests.serving import served

MUST, AIM = 2.0, 1.0


def measure(folder: Path, count: int) -> list[Row]:
    """The quickest of three: the first reads the program from the disk."""
    took = []
    for attempt in range(3):
        began = time.perf_counter()
        with served(folder / f"start-{attempt}") as server:
            with urllib.request.urlopen(server.url + "/", timeout=10) as page:
                page.read()
            took.append(time.perf_counter() - began)
    return [
        Row("cold start to first page", min(took), "s", MUST, AIM, note=f"slowest of 3: {max(took):.2f} s")
    ]
