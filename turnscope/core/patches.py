"""The state of a conversation and of its activities, held so that a patch can be tried on them.

The one payload a picture keeps, and only up to LIMIT bytes a thread: what grows past it is forgotten, and
nothing is said of patches until it comes whole again. Applied by `jsonpatch` (RFC 6902), whole or not at all,
as the official client does; what is no patch at all is left to S03. Part of `thread.py`; changed by the fold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from .inputs import Json

LIMIT = 128 * 1024
"""Bytes of JSON held for one thread."""
OPERATIONS = ("add", "remove", "replace", "move", "copy", "test")
MOST = 1000
"""How many documents are remembered as too large."""
COPIES = 4
"""How many copies one patch may ask for: each may double what is held."""
TOLD = 200
"""How many failures of one thread are looked into; of further ones the first operation is named."""
SHOWN = 80
STATE = ""
"""The key of the state; an activity's is its id with a mark before it."""


@dataclass(slots=True)
class Failure:
    """Why a patch does not apply."""

    operation: str
    path: str
    problem: str
    """`nothing there`, `test failed`, `no place for it`."""
    met: str
    """What stands there, as far as the path leads; "" where nobody has sent a document."""


@dataclass(slots=True)
class Documents:
    """Documents by key."""

    known: dict[str, Json] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    total: int = 0
    forgotten: set[str] = field(default_factory=set)
    """Keys of what was too large to hold."""
    over: bool = False
    """Too much was forgotten: nothing is held any more."""
    failures: int = 0

    def put(self, key: str, value: Json) -> None:
        """A whole document. The one held is a copy: an event's payload is nobody's to change."""
        data = _spelled(value)
        self._drop(key)
        if data is None or not self._keep(key, len(data) + len(key)):
            self._forget(key)
        else:
            self.forgotten.discard(key)
            self.known[key] = orjson.loads(data)

    def patch(self, key: str, operations: Json) -> Failure | None:
        """Apply a patch; why it does not apply, if it does not. A document nobody sent is an empty object."""
        known = _operations(operations)
        data = _spelled(known) if known else None
        if data is None or self.over or key in self.forgotten:
            return None
        copies = sum(one["op"] == "copy" for one in known)
        if self.total + len(data) > LIMIT and key in self.known:
            self.put(key, self.known[key])  # patches add up to more than what they come to: measured anew
        if copies > COPIES or self.total + len(data) > LIMIT:
            self._drop(key)
            self._forget(key)
            return None
        return self._apply(key, orjson.loads(data), len(data), measure=copies > 0)

    def _apply(self, key: str, operations: list[Any], size: int, *, measure: bool) -> Failure | None:
        import jsonpatch  # here: most conversations have no patch, and no command waits for it

        before = self.known.get(key, {})
        try:
            patch = jsonpatch.JsonPatch(operations)
        except Exception:
            return None  # no patch at all
        try:
            after = patch.apply(before, in_place=True, atomic=True)
        except Exception:
            self.failures += 1
            one, met = (operations[0], before) if self.failures > TOLD else _failing(before, operations)
            return _failure(one, met, known=key in self.known)
        if measure:
            self.put(key, after)
        else:
            self._keep(key, size)
            self.known[key] = after
        return None

    def _keep(self, key: str, size: int) -> bool:
        if self.over or self.total + size > LIMIT:
            return False
        self.sizes[key] = self.sizes.get(key, 0) + size
        self.total += size
        return True

    def _drop(self, key: str) -> None:
        self.known.pop(key, None)
        self.total -= self.sizes.pop(key, 0)

    def _forget(self, key: str) -> None:
        self.forgotten.add(key)
        if len(self.forgotten) > MOST:
            self.over = True
            for held in (self.known, self.sizes, self.forgotten):
                held.clear()


def activity(id_: str) -> str:
    """The key of an activity."""
    return f"activity {id_}"


def _spelled(value: Json) -> bytes | None:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _operations(operations: Json) -> list[dict[str, Json]]:
    """Those the client would apply; [] where it would refuse the event."""
    if type(operations) is not list or not all(type(one) is dict for one in operations):
        return []
    return [one for one in operations if type(one.get("op")) is str and one["op"] in OPERATIONS]


def _failing(document: Json, operations: list[Any]) -> tuple[dict[str, Json], Json]:
    """(the operation that fails, what it meets)."""
    import jsonpatch

    met = orjson.loads(orjson.dumps(document))
    for one in operations:
        try:
            met = jsonpatch.JsonPatch([one]).apply(met, in_place=True, atomic=True)
        except Exception:
            return one, met
    return operations[-1], met


def _failure(one: dict[str, Json], met: Json, *, known: bool) -> Failure:
    """In words. What was met is told as far as the path leads."""
    path = str(one["from"] if one["op"] in ("move", "copy") and "from" in one else one["path"])
    place, missing = met, ""
    for part in path.split("/")[1:]:
        inner = _child(place, part.replace("~1", "/").replace("~0", "~"))
        if inner is _NONE:
            missing = part
            break
        place = inner
    problem = "test failed" if one["op"] == "test" and not missing else "nothing there"
    if problem == "nothing there" and not missing or type(place) not in (dict, list):
        problem = "no place for it" if one["op"] != "test" else problem
    told = (_spelled(place) or b"").decode()
    told = told if len(told) <= SHOWN else told[: SHOWN - 1] + "\u2026"
    return Failure(str(one["op"]), path, problem, told if known else "")


_NONE = object()


def _child(place: Json, part: str) -> Json:
    if type(place) is dict:
        return place.get(part, _NONE)
    if type(place) is list and part.isdecimal() and int(part) < len(place):
        return place[int(part)]
    return _NONE
