"""Which rules are asked on which occasion: tables, made once from the catalogue.

Most rules can find nothing about most subjects: without a result none is late. What a rule needs of its
subject (NEEDS) is looked at once for all of them. A subject that holds findings is asked everything, since a
finding must close when what it needed is gone. Used by `judge.py` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeAlias

from ..thread import DENIED, RUN_OPEN, UNANSWERED, WAITING, Call, Run, Thread
from . import RULES
from .finding import Finding

Check: TypeAlias = Callable[[Thread, Any, int], Iterable[Finding]]
Asked: TypeAlias = tuple[tuple[str, Check], ...]
"""(code, check) of the rules asked on one occasion, in the order of RULES."""

ANSWER, REST, OVER, TROUBLE = "answer", "rest", "over", "trouble"
"""What a rule may need: a result of the call; that nobody answers it now (it waits, is unanswered or denied);
that the run is no longer open; that something in it was out of order."""
NEEDS = (ANSWER, REST, OVER, TROUBLE)
RESTING = frozenset((WAITING, UNANSWERED, DENIED))

OF: dict[str, ModuleType] = {rule.CODE: rule for rule in RULES}
FINAL = frozenset(rule.CODE for rule in RULES if getattr(rule, "FINAL", False))
"""Rules whose verdict about a subject never changes once it is as severe as it can be."""
FOR_THREAD = frozenset(rule.CODE for rule in RULES if getattr(rule, "STANDS_FOR", "") == "thread")
"""Rules of which each verdict about a subject replaces the one about the subject before."""


def _asked(subject: str, asked: str, *, without: Iterable[str] = ()) -> Asked:
    """The rules about such a subject on such an occasion, `without` those that need what is not there."""
    return tuple(
        (rule.CODE, check)
        for rule in RULES
        for *when, check, needs in (
            (rule.SUBJECT, rule.ASKED, rule.check, getattr(rule, "NEEDS", "")),
            *((*one, "") for one in getattr(rule, "ALSO", ())),
        )
        if when == [subject, asked] and needs not in without
    )


def _by_facts(subject: str, one: str, other: str) -> dict[tuple[bool, bool], Asked]:
    """The rules about a touched subject, by which of two needs it meets."""
    return {
        (has_one, has_other): _asked(
            subject, "touched", without=[*([] if has_one else [one]), *([] if has_other else [other])]
        )
        for has_one in (False, True)
        for has_other in (False, True)
    }


_CALL, _RUN = _by_facts("call", ANSWER, REST), _by_facts("run", OVER, TROUBLE)
FRAME_TOUCHED: dict[str, Asked] = {code: ((code, check),) for code, check in _asked("frame", "touched")}
"""By the code of the oddity: each rule about frames sees its own."""
RUN_ENDED = _asked("run", "ended")
CALL_TICKED, RUN_TICKED = _asked("call", "ticked"), _asked("run", "ticked")
THREAD_RESTED = _asked("thread", "rested")


def of_call(call: Call, *, holding: bool) -> Asked:
    """The rules to ask about a call that was touched."""
    return _CALL[holding or bool(call.answers), holding or call.state in RESTING]


def of_run(run: Run, *, holding: bool) -> Asked:
    """The rules to ask about a run that was touched."""
    return _RUN[holding or run.state != RUN_OPEN, holding or bool(run.troubles)]
