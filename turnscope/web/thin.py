"""The calls of a long turn, thin: what of each ledger, timeline and replay need, without their texts.

A turn of ten thousand calls has a card in sight for a dozen of them. So its page begins with its first cards,
asks for the rest as columns (`calls.json`), and for what a card says when that card comes into sight
(`calls.json?ids=`). Counterparts: `static/js/thin.js`, and `show.py`, which knows whole calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import sub
from typing import Any

import orjson
from django.db.models import TextField
from django.db.models.functions import Cast

from turnscope.store.models import Call, Turn

from . import show, words

Dict = dict[str, Any]

MANY = 200
"""Calls of a turn from which on they come thin."""
WHOLE = 120
"""Calls that the page is given whole all the same: its first cards."""
ASKED = 500
"""Calls of one answer to `?ids=`."""

FIELDS = (
    "id", "number", "call_id", "name", "plane", "state", "owner", "limit_ms", "start_seq", "end_seq",
    "closed_seq", "start_at", "end_at", "closed_at", "changed_at_seq",
)  # fmt: skip
_OWN = (*FIELDS[:-1], "changed")
KIND = ("plane", "state", "owner", "limit_ms")
"""What few combinations there are of; with them goes whether all its answers came too late."""
_IN_TIME: tuple[Dict, ...] = ({"late": False},)
_LATE: tuple[Dict, ...] = ({"late": True},)
_TEXTLESS: Dict = {"args_verdict": "", "args_length": 0, "reason": "", "answers": ()}


def of(row: Turn, found: Sequence[Dict]) -> list[Dict]:
    """The calls of a turn in start order, each with its look and codes: what lanes and ledger ask."""
    mine: dict[int, list[Dict]] = {}
    for one in found:
        mine.setdefault(one["call"], []).append(one)
    where = Call.objects.filter(thread_id=row.thread_id, turn=row.number).order_by("number")
    # As text: decoding each list by the JSON field takes longer than all the rest.
    rows = where.annotate(told=Cast("answers", TextField())).values_list("told", *FIELDS)
    looks: dict[tuple[str, str], tuple[str, str, str]] = {}
    calls: list[Dict] = []
    for told, *values in rows.iterator(chunk_size=2000):
        call = dict(zip(_OWN, values, strict=True))
        answers = orjson.loads(told) if told != "[]" else ()
        answer = next((one for one in answers if not one.get("late")), answers[0] if answers else None)
        call["answer_seq"], call["answer_at"] = (answer["seq"], answer["at"]) if answer else (0, 0)
        call["answers"] = () if answer is None else _LATE if answer.get("late") else _IN_TIME
        key = (call["state"], call["owner"])
        if key not in looks:
            look = words.look(*key)
            looks[key] = (look, words.STATES[look].word, words.STATES[look].icon)
        call["look"], call["word"], call["icon"] = looks[key]
        call["codes"], call["note"] = (), ""
        if call["number"] in mine:
            told_of = show.dressed({**call, **_TEXTLESS}, mine[call["number"]])
            call.update({key: told_of[key] for key in ("look", "word", "icon", "codes")})
        calls.append(call)
    return calls


def whole(row: Turn, some: Iterable[Dict], found: Sequence[Dict]) -> list[Dict]:
    """Some of them as `show.py` dresses them, in the order given."""
    ids = [call["id"] for call in some]
    known = {call.pk: call for call in asked(row, ids)}
    numbers = {call.number for call in known.values()}
    mine = [one for one in found if one["call"] in numbers]
    return show.dressed_all((show.call(known[pk]) for pk in ids if pk in known), mine)


def asked(row: Turn, ids: Sequence[int]) -> list[Call]:
    """The rows of these ids that are the turn's."""
    return list(Call.objects.filter(pk__in=ids, thread_id=row.thread_id, turn=row.number))


def columns(row: Turn) -> Dict:
    """Every call of a turn as columns: numbers as steps, what repeats by its place in a list.

    A column is a list, or the one value that all its entries have; of steps the first entry stands before it.
    """
    calls = of(row, ())
    names: dict[str, int] = {}
    kinds: dict[tuple[Any, ...], int] = {}
    name = [names.setdefault(call["name"], len(names)) for call in calls]
    kind = [
        kinds.setdefault((*(call[key] for key in KIND), call["answers"] == _LATE), len(kinds))
        for call in calls
    ]

    def column(field: str) -> list[int]:
        return [call[field] for call in calls]

    def steps(values: list[int]) -> Any:
        return [values[0], _same(list(map(sub, values[1:], values)))] if values else [0, 0]

    def beyond(field: str, base: str) -> Any:
        return _same([call[field] - call[base] for call in calls])

    return {
        "many": len(calls),
        "bases": BASES,
        "names": list(names),
        "kinds": list(kinds),
        "name": _same(name),
        "kind": _same(kind),
        "call_id": [call["call_id"] for call in calls],
        "id": steps(column("id")),
        "number": steps(column("number")),
        "start_seq": steps(column("start_seq")),
        "start_at": steps(column("start_at")),
        **{field: beyond(field, base) for field, base in BASES},
    }


BASES = (
    ("end_seq", "start_seq"), ("closed_seq", "end_seq"), ("answer_seq", "closed_seq"),
    ("changed", "closed_seq"), ("end_at", "start_at"), ("closed_at", "end_at"), ("answer_at", "closed_at"),
)  # fmt: skip
"""Columns that are told as how far they lie beyond another, in the order in which they are read."""


def _same(values: list[int]) -> Any:
    """A column, or its one value."""
    return values[0] if values and values.count(values[0]) == len(values) else values
