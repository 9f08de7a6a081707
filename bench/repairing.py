"""Repair of a long transcript, and how it grows."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench import data
from bench.process import child
from bench.rows import Row

MESSAGES = 10_000
MUST, AIM = 300.0, 100.0
"""ms"""
GROWTH_MUST, GROWTH_AIM = 1.25, 1.1
"""Time per message at 10,000 over time per message at 2,500: 1 is linear."""


def measure(folder: Path, count: int) -> list[Row]:
    whole = child("repairing", MESSAGES, home=folder)
    part = child("repairing", MESSAGES // 4, home=folder)
    growth = whole["ms"] / part["ms"] / 4
    note = f"{whole['changes']} changes"
    return [
        Row(f"repair of {MESSAGES:,} messages", whole["ms"], "ms", MUST, AIM, note=note),
        Row("repair, growth per message over 4x", growth, "x", GROWTH_MUST, GROWTH_AIM, note="1 is linear"),
    ]


def repair_one(messages: int) -> dict[str, float]:
    """The best of three, in processor time, reading and writing of the target's shape included."""
    from turnscope.core.repair import repair, shapes

    told = data.transcript(messages)
    best, changes = 0.0, 0
    for _ in range(3):
        began = time.process_time()
        repaired = repair(shapes.read(told, "openai_chat"), "openai_chat")
        took = time.process_time() - began
        best = min(best or took, took)
        changes = len(repaired.changes)
    return {"ms": best * 1000, "changes": changes}


if __name__ == "__main__":
    print(json.dumps(repair_one(int(sys.argv[1]))))
