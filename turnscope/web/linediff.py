"""Two texts compared line by line, with the words that differ marked; bounded, whatever is compared.

difflib is quadratic on lines that repeat, and some are written to be: where two texts have too many equal
pairs of lines, or the time is up, the one stands whole beside the other.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

Dict = dict[str, Any]
Piece = tuple[bool, str]
"""Whether it is on this side alone, and the text."""

PAIRS = 100_000
"""Equal pairs of lines, or of words of a line, that are looked at."""
LONG = 2_000
"""Characters of a line that are shown; words are marked in shorter ones only."""

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def lines(old: Sequence[str], new: Sequence[str], until: float) -> tuple[list[Dict], bool]:
    """Rows `{kind, left, right}` with each side a list of pieces or None; whether comparing was given up.

    `kind` is `same`, `del`, `add` or `both`; `until` is a time of `time.monotonic`.
    """
    if old == new:
        return same(old), False
    if not old or not new:
        return _apart(old, new), False
    if time.monotonic() > until or pairs(old, new) > PAIRS:
        return _apart(old, new), True
    rows: list[Dict] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [_row("same", line, line) for line in old[a:b]]
        elif tag == "replace":
            paired = min(b - a, d - c)
            rows += [_both(old[a + i], new[c + i]) for i in range(paired)]
            rows += _apart(old[a + paired : b], new[c + paired : d])
        else:
            rows += _apart(old[a:b], new[c:d])
    return rows, False


def same(both: Sequence[str]) -> list[Dict]:
    """Rows of a text that is the same on both sides."""
    return [_row("same", line, line) for line in both]


def pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """How many pairs of equal items there are: what a comparison costs at worst."""
    there = Counter(new)
    return sum(n * there[item] for item, n in Counter(old).items())


def _apart(old: Sequence[str], new: Sequence[str]) -> list[Dict]:
    return [_row("del", line, None) for line in old] + [_row("add", None, line) for line in new]


def _row(kind: str, left: str | None, right: str | None) -> Dict:
    return {
        "kind": kind,
        "left": None if left is None else [(False, left[:LONG])],
        "right": None if right is None else [(False, right[:LONG])],
    }


def _both(old: str, new: str) -> Dict:
    """Two lines that stand for each other, with what differs in them."""
    if max(len(old), len(new)) > LONG:
        return _row("both", old, new)
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    if pairs(a, b) > PAIRS // 10:
        return _row("both", old, new)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if j > i:
            left.append((tag != "equal", "".join(a[i:j])))
        if m > k:
            right.append((tag != "equal", "".join(b[k:m])))
    return {"kind": "both", "left": left, "right": right}
