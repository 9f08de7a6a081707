"""Two runs side by side: their calls aligned by tool, what differs in each pair, and where they first part.

Arguments and results are compared by what their rows keep, the beginning and the length; where these are the
same and there is more, by all of it (`wholes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from django.db.models import Q

from turnscope.store.models import Call, Finding, Run, Turn

from . import linediff, show, wholes, words

Dict = dict[str, Any]

CALLS = 2_000
"""Calls of a run that are compared."""
OFFERED = 60
"""Runs that are offered to choose from."""
SLOWER = 2.0
"""How many times as long a call must take for it to be told, and at least half a second longer."""


def compare_page(a: int, b: int) -> Dict:
    """Both runs where both are there; else what there is to choose from."""
    left, right = _run(a), _run(b)
    model: Dict = {
        "a": left, "b": right, "wanted": [a, b], "rows": [], "parts": 0, "same": 0,
        "runs": _offered(left or right),
    }  # fmt: skip
    if left is None or right is None:
        return model
    old, new = _calls(left), _calls(right)
    for side, calls in (("a", old), ("b", new)):
        book = show.ledger(calls)
        model[side] = {
            **model[side],
            "started": book["started"],
            "answered": book["answered"],
            "open": book["open"],
        }
    pairs = aligned(old, new)
    _look_further(left, right, pairs)
    rows = [_row(x, y) for x, y in pairs]
    model["rows"] = rows
    model["same"] = sum(1 for row in rows if not row["differs"])
    model["parts"] = next((row["n"] for row in _numbered(rows) if row["differs"]), 0)
    return model


def _numbered(rows: list[Dict]) -> list[Dict]:
    for n, row in enumerate(rows, 1):
        row["n"] = n
    return rows


def _run(pk: int) -> Dict | None:
    row = Run.objects.select_related("thread__channel").filter(pk=pk).first()
    if row is None:
        return None
    turn = Turn.objects.filter(thread_id=row.thread_id, number=row.turn).first()
    heads = Finding.objects.filter(thread_id=row.thread_id, run=row.number, heads=True).order_by("opened_seq")
    return {
        **show.run(row),
        "pk": row.pk,
        "thread": row.thread_id,
        "channel": row.thread.channel.slug,
        "title": (turn.title if turn else "") or row.thread.title or row.thread.name,
        "turn_id": turn.pk if turn else 0,
        "took": words.duration(row.last_at - row.start_at) if row.start_at and row.last_at else "",
        "findings": [
            {"code": one.code, "message": one.message, "severity": one.severity} for one in heads[:4]
        ],
    }


def _calls(run: Dict) -> list[Dict]:
    rows = Call.objects.filter(thread_id=run["thread"], run=run["number"]).order_by("number")[:CALLS]
    found = [show.finding(one) for one in Finding.objects.filter(thread_id=run["thread"], run=run["number"])]
    turn_id = run["turn_id"]
    return [{**call, "turn_id": turn_id} for call in show.dressed_all(map(show.call, rows), found)]


def _offered(run: Dict | None) -> list[Dict]:
    """The newest runs, those of the same thread and channel first."""
    rows = Run.objects.select_related("thread__channel").order_by("-pk")
    near: list[Run] = []
    if run is not None:
        near = list(rows.filter(thread_id=run["thread"]).exclude(pk=run["pk"])[:OFFERED])
        near += list(
            rows.filter(thread__channel__slug=run["channel"]).exclude(thread_id=run["thread"])[:OFFERED]
        )
    else:
        near = list(rows[:OFFERED])
    keys = Q()
    for row in near[:OFFERED]:
        keys |= Q(thread_id=row.thread_id, number=row.turn)
    titles = {(one.thread_id, one.number): one.title for one in Turn.objects.filter(keys)} if near else {}
    return [
        {**show.run(row), "channel": row.thread.channel.slug,
         "title": titles.get((row.thread_id, row.turn)) or row.thread.title or row.thread.name}
        for row in near[:OFFERED]
    ]  # fmt: skip


# ---------------------------------------------------------------- aligning


def aligned(old: Sequence[Dict], new: Sequence[Dict]) -> list[tuple[Dict | None, Dict | None]]:
    """Pairs of calls of one tool, in order; what only one run called stands alone."""
    names, others = [call["name"] for call in old], [call["name"] for call in new]
    if linediff.pairs(names, others) > linediff.PAIRS:
        # Too many calls of one tool to look for the best fit: the first with the first.
        size = max(len(old), len(new))
        pairs = [(old[i] if i < len(old) else None, new[i] if i < len(new) else None) for i in range(size)]
        return [pair for x, y in pairs for pair in _apart(x, y)]
    out: list[tuple[Dict | None, Dict | None]] = []
    for tag, a, b, c, d in SequenceMatcher(None, names, others, autojunk=False).get_opcodes():
        if tag == "equal":
            out += zip(old[a:b], new[c:d], strict=True)
        else:
            out += [(call, None) for call in old[a:b]] + [(None, call) for call in new[c:d]]
    return out


def _look_further(left: Dict, right: Dict, pairs: Sequence[tuple[Dict | None, Dict | None]]) -> None:
    """Give calls that face each other, and of which rows do not keep all, the digests of the whole."""
    alike = [(x, y) for x, y in pairs if x and y and _cut(x) and _cut(y)]
    for run, calls in ((left, [x for x, _ in alike]), (right, [y for _, y in alike])):
        found = wholes.digests(run["thread"], calls)
        for call in calls:
            call["whole"] = found.get(call["number"])


def _cut(call: Dict) -> bool:
    """Whether its row keeps less than all of its arguments or its first answer."""
    said = call["answers"][0] if call["answers"] else None
    return call["args_length"] > len(call["args"]) or bool(said and said["length"] > len(said["excerpt"]))


def _apart(x: Dict | None, y: Dict | None) -> list[tuple[Dict | None, Dict | None]]:
    return [(x, y)] if x is None or y is None or x["name"] == y["name"] else [(x, None), (None, y)]


def _row(x: Dict | None, y: Dict | None) -> Dict:
    return {"a": _told(x), "b": _told(y), "differs": differences(x, y)}


def _told(call: Dict | None) -> Dict | None:
    if call is None:
        return None
    took = call["closed_at"] - call["start_at"] if call["closed_at"] and call["start_at"] else 0
    shown = {key: value for key, value in call.items() if key != "whole"}
    return {**shown, "took": words.duration(took) if took else ""}


def differences(x: Dict | None, y: Dict | None) -> list[str]:
    """What is not the same about two calls of one tool, in words; [] when nothing is."""
    if x is None or y is None:
        return ["only in B" if x is None else "only in A"]
    out = []
    # Of each the digests of its arguments and of its answer, where both were read.
    further = zip(x.get("whole") or (), y.get("whole") or (), strict=False)
    args, said = [one != other for one, other in further] or (False, False)
    if (x["args"], x["args_length"]) != (y["args"], y["args_length"]) or args:
        out.append("other arguments")
    if x["look"] != y["look"]:
        out.append(f"{x['word']} / {y['word']}")
    if x["owner"] != y["owner"]:
        out.append(f"owed by {x['owner']} / {y['owner']}")
    answers = [[_said(one) for one in call["answers"][:1]] for call in (x, y)]
    if (answers[0] != answers[1] or said) and x["look"] == y["look"]:
        out.append("another result")
    a, b = (call["closed_at"] - (call["end_at"] or call["start_at"]) for call in (x, y))
    if min(a, b) > 0 and abs(a - b) >= 500 and max(a, b) >= SLOWER * min(a, b):
        out.append(f"{max(a, b) / min(a, b):.1f}× slower in {'A' if a > b else 'B'}")
    return out


def _said(one: Dict) -> tuple[Any, ...]:
    return one["excerpt"], one["length"], one["error"]
