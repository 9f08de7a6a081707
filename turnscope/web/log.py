"""The event list: windows of a thread's frames, read from its segments, as the rows a page shows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterator
from typing import Any

from turnscope.core import kinds
from turnscope.core.events import Frame
from turnscope.store import reading

from . import show

ROWS = 60
"""Rows in the first HTML, around the selected event."""
AHEAD = 8
"""How many of them stand before it: without scripts nothing scrolls there."""
MOST = 512
"""Rows of one answer of events.json."""

GROUPS: dict[str, tuple[str, ...]] = {
    "tools": ("TOOL_",),
    "runs": ("RUN_", "STEP_", "SUBAGENT_", "INPUT"),
    "text": ("TEXT_", "REASONING_", "THINKING_"),
    "state": ("STATE_", "MESSAGES_", "ACTIVITY_"),
    "custom": ("CUSTOM", "RAW"),
    "odd": ("UNREADABLE", "UNKNOWN"),
    "marks": (),
}
"""Filters of the list, and the kinds each lets through."""


def numbers(wanted: Collection[str]) -> frozenset[int] | None:
    """The kinds meant by some of GROUPS or by name (`TOOL_CALL_END`, `TOOL_*`); None for all."""
    found: set[int] = set()
    for word in wanted:
        heads = GROUPS.get(word) or (word.removesuffix("*"),)
        for number, name in kinds.NAMES.items():
            if word == "marks" and number >= kinds.MARK:
                found.add(number)
            elif word != "marks" and any(name.startswith(head) for head in heads if head):
                found.add(number)
    return frozenset(found) if wanted else None


def read(thread: int, after: int, until: int, only: frozenset[int] | None = None) -> Iterator[Frame]:
    """Frames with after < seq <= until, oldest first; of a kind in `only`."""
    return reading.read(thread, after, until, only)


def read_back(thread: int, after: int, until: int, only: frozenset[int] | None = None) -> Iterator[Frame]:
    """The same, newest first."""
    size = ROWS
    while until > after:
        low = max(after, until - size)
        yield from reversed(list(reading.read(thread, low, until, only)))
        until, size = low, size * 4


def window(
    thread: int, first: int, last: int, *, after: int | None = None, before: int | None = None,
    limit: int = ROWS, only: frozenset[int] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Up to `limit` rows of seqs first..last, following `after` or (newest first cut) preceding `before`."""
    low = max(first - 1, after if after is not None else 0)
    high = last if before is None else min(last, before - 1)
    back = before is not None and after is None
    rows: list[dict[str, Any]] = []
    for frame in (read_back if back else read)(thread, low, high, only):
        rows.append(show.frame(frame))
        if len(rows) >= limit:
            break
    return rows[::-1] if back else rows


def around(
    thread: int, first: int, last: int, seq: int, only: frozenset[int] | None = None
) -> list[dict[str, Any]]:
    """The rows a page opens with: a few before the selected event, the rest from it on."""
    earlier = window(thread, first, last, before=seq, limit=AHEAD, only=only)
    return earlier + window(thread, first, last, after=seq - 1, limit=ROWS - len(earlier), only=only)


def with_gaps(rows: list[dict[str, Any]], start: int, gaps: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Rows with their time in the turn, and a line where it was quiet."""
    out: list[dict[str, Any]] = []
    opened = dict(gaps)
    for row in rows:
        out.append({**row, "time": row["at"] - start if row["at"] and start else None})
        if row["at"] in opened and not row["mark"]:
            out.append({"gap": opened.pop(row["at"]) - row["at"]})
    return out


MATCHES = 200_000
"""Most seqs one answer names."""


WHOLE = 64_000
"""Characters of one event shown at once; the rest is a download."""


def whole(frame: Frame) -> dict[str, Any]:
    """One event, whole as far as a page shows it: the raw text, and beside it the same laid out in lines."""
    text = frame.raw.decode("utf-8", "replace").strip("\r\n")
    cut = len(text) > WHOLE
    return {
        **show.frame(frame),
        "text": text[:WHOLE],
        "pretty": "" if cut else laid_out(text),
        "cut": cut,
        "when": _when(frame.at),
        "stream": frame.stream,
    }


def _when(at: int) -> str:
    try:
        return time.strftime("%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03d} UTC" if at else ""
    except (ValueError, OverflowError, OSError):
        return ""


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def laid_out(text: str) -> str:
    """A JSON text with line breaks and indents added and nothing else changed; "" for what is no JSON.

    Never parsed and printed again: that would lose big numbers, repeated keys and the producer's spelling.
    """
    text = text.removeprefix("data:").strip()
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return ""
    out: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        if token in "}]":
            depth -= 1
            out.append(token if out[-1] in "{[" else "\n" + "  " * depth + token)
            continue
        if out and (out[-1] in "{[" or out[-1] == ","):
            out.append("\n" + "  " * depth)
        out.append(": " if token == ":" else token)
        depth += token in "{["
    return "".join(out)
