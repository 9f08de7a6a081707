"""What the S rules share: an oddity of the picture (a kind of deviation, however often) as a finding.

They are told once per thread and group, with a count: a habit of the producer's (a casing, null for absent,
an older protocol) is one group however many types and fields it touches; anything else is one per type and
field. Past MOST kinds the rest is one group: a hostile producer invents types without end.
"""

from __future__ import annotations

import re

from ..thread import Oddity, Thread
from . import finding as f

MOST = 200
NAMES = 5
"""How many types or fields a habit's sentence names."""
HABITS = ("null", "snake case", "wrong case", "fields one level down", "legacy")
"""Problems that are a producer's habit; so is every `named ...`."""
EVERYWHERE = ("timestamp",)
"""Fields that events of every type have: what is wrong with one is told once for all types."""
_NUMBERS = re.compile(r"\d+")


def of_oddity(
    rule: tuple[str, str],
    thread: Thread,
    odd: Oddity,
    severity: str,
    message: str,
    *,
    culprit: tuple[str, str],
    repair: str,
) -> f.Finding:
    """A finding about a kind of deviation. Its subject is the first frame that had it."""
    turn = thread.runs[odd.run - 1].turn if odd.run else 0
    return f.Finding(
        rule[0],
        rule[1],
        severity,
        f"#{odd.seqs[0]}",
        odd.number,
        f.evidence(odd.seqs),
        culprit[0],
        culprit[1],
        message,
        repair,
        turn,
        odd.run,
        fold=group(odd),
    )


def group(odd: Oddity) -> str:
    """What is told together."""
    if habit(odd):
        return odd.problem
    if odd.path in EVERYWHERE:
        return f"{odd.path} {odd.problem}"
    if odd.number > MOST:
        return "more"
    where = _NUMBERS.sub("0", f"{odd.path} {odd.problem}")
    return f"{odd.type} {where}"


def habit(odd: Oddity) -> bool:
    return odd.problem in HABITS or odd.problem.startswith("named ")


def place(odd: Oddity) -> str:
    """Where: the field of the type."""
    of = f.shown(odd.type) or "an event"
    return f"{f.shown(odd.path, 120)} of {of}" if odd.path else of


def named_too(found: f.Finding, told: f.Finding, places: int) -> str:
    """A group's sentence with one more place in its list: sentences end on a colon and their place."""
    place_ = told.message.rpartition(": ")[2]
    if places > NAMES or ": " not in told.message or place_.rstrip(".") in found.message:
        return found.message
    return f"{found.message.rstrip('.')}, {place_}"
