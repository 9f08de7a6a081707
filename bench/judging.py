"""Findings on a file without a database, and how they grow: what `turnscope findings FILE` does."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench import data
from bench.process import child
from bench.rows import Row

MUST, AIM = 1.0, 1.5
"""In R, as for import."""
GROWTH_MUST, GROWTH_AIM = 1.25, 1.1
"""Time per event at full size over time per event at a quarter: 1 is linear."""


def measure(folder: Path, count: int) -> list[Row]:
    whole = child("judging", data.file(count, folder), home=folder)
    part = child("judging", data.file(count // 4, folder), home=folder)
    rate = count / whole["seconds"]
    growth = whole["cpu"] / part["cpu"] / 4
    note = f"{rate:,.0f} events/s, {whole['findings']} findings"
    return [
        Row(
            "findings, no database",
            rate,
            "R",
            MUST,
            AIM,
            higher=True,
            note=note,
            per_cpu=count / whole["cpu"],
        ),  # fmt: skip
        Row("findings, growth per event over 4x", growth, "x", GROWTH_MUST, GROWTH_AIM, note="1 is linear"),
    ]


def judge(source: Path) -> dict[str, float]:
    from turnscope.core.picture import read_file

    content = source.read_bytes()
    began, worked = time.perf_counter(), time.process_time()
    reading = read_file(content, dialect="ag_ui", keep_frames=False)
    seconds, work = time.perf_counter() - began, time.process_time() - worked
    findings = sum(len(thread.picture.findings) for thread in reading.threads)
    return {"seconds": seconds, "cpu": work, "findings": findings}


if __name__ == "__main__":
    print(json.dumps(judge(Path(sys.argv[1]))))
