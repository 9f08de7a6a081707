"""Original beside repaired in a narrow place: a line a part, long unchanged stretches folded.

Counterpart: `diffpage.py`, which shows the same two whole and word for word, and says what faces what.
"""

from __future__ import annotations

import json
from typing import Any

from turnscope.core.repair import Repaired, Transcript, shapes
from turnscope.core.repair.transcript import CALL, REASONING, RESULT, TEXT, Message

from . import diffpage

Dict = dict[str, Any]

AROUND = 1
"""Unchanged messages shown on each side of a change."""
LINE = 120
"""Characters of one line of the comparison."""
ROWS = 400
"""Rows of the comparison; the page of its own has more."""


def lines(message: Message) -> list[str]:
    """A message as one line per part."""
    role = {"assistant": "asst"}.get(message.role, message.role)
    out = []
    for part in message.parts:
        text = " ".join(part.text[: LINE * 2].split())
        if part.kind == CALL:
            out.append(f"{role} {part.name} {_short(part.value)}")
        elif part.kind == RESULT:
            out.append(f"tool {_short(part.value) or text}")
        elif part.kind in (TEXT, REASONING):
            out.append(f"{role} {text}" if part.kind == TEXT else f"{role} thinking {text}")
        else:
            out.append(f"{role} {part.kind}")
    return [line[:LINE] for line in out] or [f"{role} (empty)"]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text[: LINE * 2].split()) if value is not None else ""


def compare(before: Transcript, done: Repaired) -> list[Dict]:
    """Rows of the comparison: equal messages face each other, unchanged stretches are folded."""
    after = shapes.read(done.messages, done.shape)
    reasons: dict[int, str] = {}
    for change in done.changes:
        for place, _ in (*change.dst, *(() if change.dst else change.src)):
            key = place if change.dst else -1 - place
            reasons.setdefault(key, change.reason)
    rows = diffpage.aligned(before.messages, after.messages)
    out: list[Dict] = []
    for left, right in rows:
        old = lines(before.messages[left]) if left is not None else []
        new = lines(after.messages[right]) if right is not None else []
        place = after.messages[right].src if right is not None else -1 - (left or 0)
        if old == new and left is not None and right is not None and place not in reasons:
            out.append({"fold": True, "old": old, "n": (left, right)})
            continue
        out += _pair(old, new, left, right, reasons.get(place, ""))
    return _folded(out)[:ROWS]


def _pair(old: list[str], new: list[str], left: int | None, right: int | None, why: str) -> list[Dict]:
    rows = []
    for index in range(max(len(old), len(new))):
        a = old[index] if index < len(old) else None
        b = new[index] if index < len(new) else None
        same = a == b
        rows.append({
            "left": _line(a, "same" if same else "del", left if index == 0 else None),
            "right": _line(b, "same" if same else "add", right if index == 0 else None),
            "why": "",
        })  # fmt: skip
    if rows and why:
        rows[-1]["why"] = why
    return rows


def _line(text: str | None, kind: str, n: int | None) -> Dict:
    if text is None:
        return {"kind": "nil", "text": "", "n": ""}
    return {"kind": kind, "text": text, "n": n + 1 if n is not None else ""}


def _folded(rows: list[Dict]) -> list[Dict]:
    """Long unchanged stretches as one line that counts them."""
    out: list[Dict] = []
    index = 0
    while index < len(rows):
        if not rows[index].get("fold"):
            out.append(rows[index])
            index += 1
            continue
        end = index
        while end < len(rows) and rows[end].get("fold"):
            end += 1
        before = AROUND if index else 0
        after = AROUND if end < len(rows) else 0
        stretch = rows[index:end]
        hidden = len(stretch) - before - after
        keep = stretch if hidden < 2 else [*stretch[:before], None, *stretch[len(stretch) - after :]]
        for item in keep:
            if item is None:
                out.append({"same": hidden})
            else:
                out += _pair(item["old"], item["old"], item["n"][0], item["n"][1], "")
        index = end
    return out
