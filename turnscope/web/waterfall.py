"""The waterfall as numbers: lanes, bars, gaps and ticks, with positions in % of the drawing's width.

The page draws these as SVG before any script runs; `static/js/waterfall.js` computes the same numbers when
the turn is live or replayed, and `tests/test_waterfall.py` holds the two to each other. In %, so that no
inline style and no measuring is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import hidden, words

Dict = dict[str, Any]

LANE = 20
"""Pixels of a lane."""
MARGIN = 0.06
"""How much of the axis stays free on the right, for labels and the open arrows."""
LIVE_LEAST = 10_000
"""Milliseconds that the axis of a live turn shows at least."""
TAILS = {
    "streaming": "caret", "running": "arrow", "client": "arrow", "person": "arrow", "job": "arrow",
    "wait": "arrow", "hanging": "arrow", "failed": "cross", "aborted": "torn", "settled": "stop",
    "unanswered": "dots",
}  # fmt: skip
"""How a bar ends."""
OPEN = ("streaming", "running", "client", "person", "job", "wait", "hanging")
"""Looks whose bar reaches to now."""
SEEN = 0.0008
"""The least share of the axis that arguments must take to be drawn as a part of their own."""
NEAREST = 10
"""The least that a zoomed axis shows, in ms or events."""
APART = 0.004
"""How much of the axis two calls in one packed lane stand apart at least."""
NAMELESS = "no name"
MODES = ("call", "packed", "tool")
"""How lanes are made."""
SOLO = 16
"""From more lanes than this on, one lane per tool."""


def axis(start: int, end: int, unit: str, *, live: bool = False, view: Sequence[float] | None = None) -> Dict:
    """The scale: `unit` is `ms`, or `seq` for a recording without times; `view` is the part that is shown.

    While a turn is live its length grows in steps of a quarter, so that bars stand still in between.
    """
    span = max(end - start, 1)
    whole = span * (1 + MARGIN)
    if live:
        whole = LIVE_LEAST * 1.25 ** max(math.ceil(math.log(whole / LIVE_LEAST, 1.25)), 0)
    low, high = (max(view[0], 0), min(view[1], whole)) if view else (0, whole)
    if high - low < NEAREST:
        low, high = 0, whole
    length = high - low
    step = _step(length)
    ticks: list[Dict] = []
    number = math.ceil(low / step)
    while number * step <= high:
        at = number * step
        label = f"{at / 1000:g} s" if unit == "ms" else f"#{start + round(at):,}"
        if unit == "ms" and step >= 60000:
            label = words.short(at) if at else "0 min"
        # At the right edge there is no room for a label: on a small screen, or on any.
        place = (at - low) / length
        minor = number % 2 == 1 or place > 0.985 - 0.025 * len(label)
        label = "" if place > 0.995 - 0.0055 * len(label) else label
        ticks.append({"x": percent((at - low) / length * 100), "label": label, "minor": minor})
        number += 1
    return {
        "start": start + low, "end": end, "length": length, "unit": unit, "ticks": ticks,
        "from": start, "whole": whole,
    }  # fmt: skip


def _step(length: float) -> float:
    """A round distance between ticks, so that there are at most twelve."""
    nice = (1, 2, 5, 10) if length < 60000 else (1.2, 3, 6, 12)
    power = 10 ** math.floor(math.log10(max(length / 12, 1)))
    return next(n * power for n in (*nice, 100) if n * power * 12 >= length)


def percent(value: float) -> str:
    """As an SVG attribute, cut to what a screen can show."""
    return f"{round(max(min(value, 100.0), 0.0), 3):g}%"


def position(scale: Dict, at: float) -> float:
    return (at - scale["start"]) / scale["length"] * 100


def _points(call: Dict, unit: str, now: int) -> tuple[int, int, int]:
    """(start, end of arguments, end of bar) of a call on the axis; what came after `now` is not drawn."""
    kind = "at" if unit == "ms" else "seq"
    start, ended, closed = call[f"start_{kind}"], call[f"end_{kind}"], call[f"closed_{kind}"]
    if call["look"] in OPEN or not closed:
        closed = now
    return start, ended, max(min(closed, now), ended or start)


def bars(call: Dict, scale: Dict, now: int) -> list[Dict]:
    """What a call is drawn as: its arguments arriving, then what became of it."""
    look = call["look"]
    if look == "orphan":
        at = call["answer_at"] if scale["unit"] == "ms" else call["answer_seq"]
        x = position(scale, at or scale["from"])
        if not 0 <= x <= 100:
            return []
        return [{"look": look, "x": percent(x), "w": "0%", "x2": percent(x), "tail": "diamond",
                 "label": "result without start", "kind": "after", "width": 0,
                 "number": call["number"]}]  # fmt: skip
    start, ended, closed = _points(call, scale["unit"], now)
    if not ended or (ended - start) / scale["length"] < SEEN:
        out = [_bar(look, start, closed, scale)]
    else:
        out = [_bar("streaming", start, ended, scale, tail=""), _bar(look, ended, closed, scale)]
    if out[-1]:
        _limit(out[-1], call, ended or start, scale)
        _label(out[-1], call, closed - (ended or start), scale)
    return [{**bar, "number": call["number"]} for bar in out if bar]


def _bar(look: str, start: float, end: float, scale: Dict, *, tail: str | None = None) -> Dict:
    """One bar; {} where none of it is in sight."""
    x, x2 = position(scale, start), position(scale, end)
    if x2 < 0 or x > 100:
        return {}
    tail = "" if x2 > 100 else TAILS.get(look, "") if tail is None else tail
    x, x2 = max(x, 0), min(x2, 100)
    return {"look": look, "x": percent(x), "w": percent(max(x2 - x, 0.15)), "x2": percent(x2), "tail": tail,
            "label": "", "kind": "", "width": 0, "limit": "", "at": percent(x)}  # fmt: skip


def _limit(bar: Dict, call: Dict, since: float, scale: Dict) -> None:
    """Where on its bar an overdue or slow call passed its limit; its words begin there, if they have room."""
    if (
        scale["unit"] != "ms"
        or not call["limit_ms"]
        or not (call["look"] == "hanging" or "C18" in call["codes"])
    ):
        return
    x = position(scale, since + call["limit_ms"])
    if float(bar["x"][:-1]) <= x <= float(bar["x2"][:-1]):
        bar["limit"] = percent(x)
        bar["at"] = bar["limit"] if x <= 80 else bar["at"]


def _label(bar: Dict, call: Dict, lasted: float, scale: Dict) -> None:
    """Words on the bar, where a bar alone does not say enough."""
    look, timed = call["look"], scale["unit"] == "ms"
    wide = float(bar["w"][:-1])
    if look == "hanging" and timed:
        bar["label"], bar["kind"] = f"no answer for {words.duration(lasted)}", "box"
    elif look in ("client", "person", "job", "wait") and wide > 12:
        bar["label"], bar["kind"] = call["word"], "box"
    elif look == "failed" and float(bar["x2"][:-1]) < 80:
        bar["label"], bar["kind"] = hidden.visible(call["note"][:24]), "cross"
    elif "C18" in call["codes"] and timed and float(bar["x2"][:-1]) < 80:
        bar["label"], bar["kind"] = f"slow · {words.duration(lasted)}", "quiet"
    if bar["kind"] == "box":
        bar["width"] = round(len(bar["label"]) * 5.1) + 10
        if float(bar["x"][:-1]) > 80:
            bar["label"], bar["kind"] = "", ""


def _duration(call: Dict, unit: str, now: int) -> str:
    if unit != "ms" or call["look"] == "orphan" or not call["start_at"]:
        return ""
    start, _, closed = _points(call, unit, now)
    return words.duration(closed - start)


def lanes(calls: Sequence[Dict], scale: Dict, now: int, by: str) -> list[Dict]:
    """Lanes in start order: one per call, or one per tool with all its calls."""
    if by == "call":
        return [
            {
                "y": (i + 1) * LANE, "look": c["look"], "icon": c["icon"], "label": c["name"] or c["call_id"],
                "number": c["number"], "detail": _duration(c, scale["unit"], now),
                "bars": bars(c, scale, now),
            }
            for i, c in enumerate(calls)
        ]  # fmt: skip
    groups = packed(calls, scale, now) if by == "packed" else _by_tool(calls)
    out: list[Dict] = []
    for name, group in groups:
        worst = min(group, key=lambda c: (words.STATES[c["look"]].rank, c["number"]))
        done = sum(1 for c in group if any(not a.get("late") for a in c["answers"]))
        drawn = [bar for call in group for bar in bars(call, scale, now)]
        for bar in drawn:
            bar["label"] = bar["kind"] = ""
        out.append({
            "y": (len(out) + 1) * LANE, "look": worst["look"], "icon": worst["icon"],
            "label": name or NAMELESS, "number": worst["number"],
            "detail": f"{done} of {len(group)}", "bars": drawn,
        })  # fmt: skip
    return out


def _by_tool(calls: Sequence[Dict]) -> list[tuple[str, list[Dict]]]:
    groups: dict[str, list[Dict]] = {}
    for call in calls:
        groups.setdefault(call["name"], []).append(call)
    return list(groups.items())


def packed(calls: Sequence[Dict], scale: Dict, now: int) -> list[tuple[str, list[Dict]]]:
    """As few lanes as hold every call beside what it overlaps: how much ran at once, seen at a glance."""
    apart = scale["whole"] * APART
    ends: list[float] = []
    groups: list[list[Dict]] = []
    for call in calls:
        if call["look"] == "orphan":
            start = end = call["answer_at"] if scale["unit"] == "ms" else call["answer_seq"]
        else:
            start, _, end = _points(call, scale["unit"], now)
        place = next((i for i, last in enumerate(ends) if last + apart <= start), len(ends))
        if place == len(ends):
            ends.append(0)
            groups.append([])
        ends[place] = end
        groups[place].append(call)
    return [(f"{i} at once" if i > 1 else "1 at a time", group) for i, group in enumerate(groups, 1)]


def waterfall(
    calls: Sequence[Dict], *, start: int, end: int, now: int, unit: str, by: str = "",
    gaps: Sequence[Sequence[int]] = (), texts: Sequence[Sequence[int]] = (), live: bool = False,
    view: Sequence[float] | None = None, ended: Dict | None = None,
) -> Dict:  # fmt: skip
    """Everything the drawing needs. `calls` are dressed; gaps and texts are [from, to] on the axis.

    `view` is the part of the axis that is shown, [from, to] from the turn's start; `ended` is how the last
    run ended: {at, label, look}.
    """
    scale = axis(start, max(end, now if live else end), unit, live=live, view=view)
    by = by if by in MODES else "tool" if len(calls) > SOLO else "call"
    rows = lanes(calls, scale, now if live else end, by)
    quiet = []
    for first, last in gaps:
        x, x2 = position(scale, first), position(scale, last)
        if x2 < 0 or x > 100:
            continue
        x, x2 = max(x, 0), min(x2, 100)
        waiting = sum(1 for c in calls if _spans(c, first, last, unit, now))
        label = f"{words.duration(last - first)} quiet"
        if waiting and x2 - x > 13:
            label += f" · {words.plural(waiting, 'open call')}"
        quiet.append({
            "x": percent(x), "w": percent(x2 - x), "x2": percent(x2), "mid": percent((x + x2) / 2),
            "label": label if x2 - x > 8 else "", "half": round(len(label) * 2.65) + 8,
        })  # fmt: skip
    spoken = [
        {"x": percent(x := max(position(scale, a), 0)), "w": percent(max(position(scale, b) - x, 0.2))}
        for a, b in texts
        if position(scale, b) >= 0 and position(scale, a) <= 100
    ]
    said = sum(b - a for a, b in texts)
    edge = position(scale, now if live else end)
    return {
        "unit": unit,
        "by": by,
        "start": scale["start"],
        "end": end,
        "length": scale["length"],
        "from": start,
        "whole": scale["whole"],
        "ticks": scale["ticks"],
        "lanes": rows,
        "gaps": quiet,
        "texts": spoken,
        "said": words.duration(said) if unit == "ms" and texts else "",
        "height": (len(rows) + 1) * LANE,
        "edge": percent(edge),
        "rest": percent(100 - edge),
        "stop": stop(ended, scale),
        "live": live,
    }


def stop(ended: Dict | None, scale: Dict) -> Dict | None:
    """Where the last run ended, and with which event; None out of sight."""
    x = position(scale, ended["at"]) if ended else -1
    if ended is None or not 0 <= x <= 100:
        return None
    return {"x": percent(x), "label": ended["label"], "look": ended["look"], "left": x > 20}


def _spans(call: Dict, first: int, last: int, unit: str, now: int) -> bool:
    if call["look"] == "orphan":
        return False
    start, _, closed = _points(call, unit, now)
    return start <= first and closed >= last
