"""Original beside repaired on a page of its own: every change numbered, with its reason and its evidence.

Both sides are spelled in one neutral way, so that what differs is what was said and not how a target spells
it. Counterparts: `core/repair/`, which makes the changes; `linediff.py`, which compares two texts.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from django.http import QueryDict

from turnscope.core import repair
from turnscope.core.repair import Repaired, Transcript, shapes
from turnscope.core.repair.transcript import CALL, REASONING, RESULT, TEXT, Change, Message, compact

from . import choices, linediff, log, mended, show
from .pages import turn_row

Dict = dict[str, Any]

MODES = ("split", "unified")
BUDGET = 1.5
"""Seconds for comparing lines; messages that are left then are shown whole on both sides."""
ROWS = 3_000
"""Lines that one page shows."""
KEPT = 16
"""Comparisons that are remembered."""
_WORDS = {CALL: "calls", RESULT: "answers", REASONING: "thinks", TEXT: ""}

_known: mended.Kept[Dict] = mended.Kept(KEPT)


def diff_page(
    pk: int, *, target: str = "", policy: str = "", mode: str = "", change: int = 0, whole: bool = False
) -> Dict:
    """Everything the page shows; compared once for each state of the thread."""
    row = turn_row(pk)
    settings = row.thread.settings or row.thread.channel.settings
    chosen = choices.named(target, policy, settings)
    target, policy = chosen.target, chosen.policy
    where = mended.of_turn(row)
    key = (where, chosen)
    found = _known.make(
        key,
        lambda: compared(mended.transcript(where), mended.repaired(where, chosen), time.monotonic() + BUDGET),
    )
    mode = mode if mode in MODES else "split"
    change = change if 0 < change <= len(found["changes"]) else 0
    blocks, more = shown(found["blocks"], change, whole=whole)
    return {
        **found,
        "blocks": blocks,
        "more": more,
        "whole": whole,
        "mode": mode,
        "modes": list(MODES),
        "change": change,
        "target": target,
        "title": repair.TARGETS[target].title,
        "policy": policy,
        "targets": mended.targets(),
        "policies": list(repair.POLICIES),
        "turn": show.turn(row),
        "thread": show.thread(row.thread),
        "channel": {"slug": row.thread.channel.slug},
    }


def unread(pk: int, query: QueryDict) -> Dict | None:
    """What is shown of a long conversation that was not read yet; None where the page can be whole."""
    row = turn_row(pk)
    settings = row.thread.settings or row.thread.channel.settings
    chosen = choices.named(query.get("target", ""), query.get("policy", ""), settings)
    if mended.known(mended.of_turn(row), chosen):
        return None
    again = query.copy()
    again["read"] = "1"
    return {
        "turn": show.turn(row), "thread": show.thread(row.thread),
        "channel": {"slug": row.thread.channel.slug},
        "unread": row.thread.last_seq, "query": chosen.query(), "again": again.urlencode(),
    }  # fmt: skip


def compared(transcript: Transcript, done: Repaired, until: float) -> Dict:
    """The comparison of a transcript with its repair; `until` is a time of `time.monotonic`."""
    after = shapes.read(done.messages, done.shape)
    numbered = list(enumerate(done.changes, 1))
    left = _places(numbered, "src")
    right = _places(numbered, "dst")
    blocks: list[Dict] = []
    for old, new in aligned(transcript.messages, after.messages):
        a = spelled(transcript.messages[old]) if old is not None else []
        b = spelled(after.messages[new]) if new is not None else []
        place = after.messages[new].src if new is not None else -1
        marks = sorted({*left.get(old if old is not None else -1, ()), *right.get(place, ())})
        # What is the same is laid out only where it is shown: most of a long transcript is folded.
        rows, cut = (a, False) if a == b else linediff.lines(a, b, until)
        blocks.append({
            "old": old + 1 if old is not None else 0,
            "new": new + 1 if new is not None else 0,
            "same": a == b and not marks,
            "equal": a == b,
            "changes": marks,
            "rows": rows,
            "cut": cut,
        })  # fmt: skip
    return {
        **mended.told(done, {}),
        "changes": [_change(number, one) for number, one in numbered],
        "blocks": blocks,
        "counts": [len(transcript.messages), len(after.messages)],
        "cut": any(block["cut"] for block in blocks),
    }


def _places(numbered: Sequence[tuple[int, Change]], side: str) -> dict[int, list[int]]:
    """Index of a message -> the numbers of the changes made there."""
    found: dict[int, list[int]] = {}
    for number, one in numbered:
        for index in {index for index, _ in getattr(one, side)}:
            found.setdefault(index, []).append(number)
    return found


def _change(number: int, one: Change) -> Dict:
    return {"n": number, **one.as_json(), "kept": one.action == "kept"}


# ---------------------------------------------------------------- messages


def spelled(message: Message) -> list[str]:
    """A message as lines, the same whatever its shape."""
    out = [message.role or "unknown"]
    for part in message.parts:
        if part.kind == TEXT:
            out += [f"  {line}" for line in part.text.split("\n")]
            continue
        name = f" {part.name}" if part.name else ""
        out.append(f"  {_WORDS.get(part.kind, part.kind)}{name}{f' ({part.id})' if part.id else ''}")
        text = part.text
        if part.value is not None:
            text = part.value if isinstance(part.value, str) else compact(part.value)
        out += [f"    {line}" for line in (log.laid_out(text) or text).split("\n") if line]
    return out


def aligned(old: Sequence[Message], new: Sequence[Message]) -> list[tuple[int | None, int | None]]:
    """Pairs of places in order: the same message faces itself, what is on one side alone stands alone."""
    where = {key: place for place, key in enumerate(_keys(new))}
    pairs = _longest([(a, where[key]) for a, key in enumerate(_keys(old)) if key in where])
    out: list[tuple[int | None, int | None]] = []
    a = b = 0
    for c, d in [*pairs, (len(old), len(new))]:
        out += [(index, None) for index in range(a, c)] + [(None, index) for index in range(b, d)]
        if c < len(old):
            out.append((c, d))
        a, b = c + 1, d + 1
    return out


def _keys(messages: Sequence[Message]) -> list[tuple[Any, ...]]:
    """What tells a message apart on both sides: the calls it makes or answers, else what it says."""
    seen: dict[tuple[Any, ...], int] = {}
    keys = []
    for message in messages:
        ids = tuple((part.kind, part.id) for part in message.parts if part.kind in (CALL, RESULT) and part.id)
        key = ids or (message.role, tuple(part.text for part in message.parts))
        seen[key] = seen.get(key, 0) + 1
        keys.append((*key, seen[key]))
    return keys


def _longest(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rises on both sides; what is left out has moved."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [place]
        last[at : at + 1] = [index]
    out = []
    index = last[-1] if last else -1
    while index >= 0:
        out.append(pairs[index])
        index = before[index]
    return out[::-1]


# ---------------------------------------------------------------- what one page shows


def shown(blocks: Sequence[Dict], change: int, *, whole: bool) -> tuple[list[Dict], int]:
    """Blocks with unchanged stretches folded, those of `change` marked; and how many are left out."""
    out: list[Dict] = []
    lines = 0
    for index, block in enumerate(blocks):
        if lines > ROWS:
            return out, len(blocks) - index
        near = any(not blocks[other]["same"] for other in (index - 1, index + 1) if 0 <= other < len(blocks))
        if block["same"] and not whole and not near:
            if out and "folded" in out[-1]:
                out[-1]["folded"] += 1
            else:
                out.append({"folded": 1})
            continue
        rows = linediff.same(block["rows"]) if block["equal"] else block["rows"]
        out.append({**block, "rows": rows, "current": change in block["changes"] if change else False})
        lines += len(rows)
    return out, 0
