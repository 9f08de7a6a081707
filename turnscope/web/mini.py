"""A turn in miniature: its calls as bars on the turn's own time, few lanes high, for lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import waterfall

Dict = dict[str, Any]

LANES, BARS = 5, 60
"""How many lanes are drawn, and how many calls."""
STEP = 5
"""Pixels from lane to lane."""
LEAST = 0.8
"""Percent that a bar is wide at least."""


def mini(calls: Sequence[Dict], start: int, end: int) -> Dict:
    """`{bars, height}`; no bars where nothing tells times. `calls` are dressed."""
    span = end - start
    ends: list[float] = []
    bars: list[Dict] = []
    if span <= 0:
        return {"bars": bars, "height": 0}
    for call in calls[:BARS]:
        at = call["start_at"] or call["answer_at"]
        if not at:
            continue
        closed = end if call["look"] in waterfall.OPEN or not call["closed_at"] else call["closed_at"]
        x = max(min((at - start) / span, 1.0), 0.0) * 100
        width = max((max(closed, at) - at) / span * 100, LEAST)
        x = min(x, 100 - LEAST)
        lane = next((n for n, until in enumerate(ends) if until <= x), len(ends))
        lane = min(lane, LANES - 1)
        ends[lane : lane + 1] = [x + width]
        bars.append({
            "look": call["look"], "x": waterfall.percent(x), "w": waterfall.percent(min(width, 100 - x)),
            "y": lane * STEP,
        })  # fmt: skip
    return {"bars": bars, "height": len(ends) * STEP - 1 if ends else 0}
