"""The headline of a turn: one sentence that says how it ended and what is wrong first.

Groups of findings by their root, worst first; among equals the one that names the outcome, then ours to mend
before theirs, then in order; a silent stop and a refusal by a target come last, since they are mostly
effects. What the channel has muted is no news. With none, it says why the turn is fine. Counterpart:
`causes.py`, which makes the groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..ledger import Ledger, ledger
from ..muting import Muting, Told
from ..thread import (
    ABORTED,
    BACKGROUND,
    CLIENT,
    ORPHAN,
    PERSON,
    RUN_CANCELLED,
    RUN_FAILED,
    RUN_FINISHED,
    RUN_INTERRUPTED,
    RUN_OPEN,
    RUN_TRUNCATED,
    UNANSWERED,
    WAITING,
    Call,
    Run,
    Thread,
    Turn,
)  # fmt: skip
from . import rule
from .finding import ERROR, SEVERITIES, WEIGHT, Finding, Key, many, worst

LAST = ("R04", "T01")
"""Codes that come last among equals."""
OUTCOMES = {
    RUN_OPEN: "Running", RUN_FINISHED: "Finished", RUN_FAILED: "Failed", RUN_INTERRUPTED: "Paused",
    RUN_CANCELLED: "Cancelled", RUN_TRUNCATED: "Cut off",
}  # fmt: skip
WORDS = {"C01": "Hanging", "R01": "Stalled", "C03": "Ended early", "R06": "Stuck"}
"""Outcomes that a standing finding of the turn puts better."""
UNFINISHED = {"R04": "Stopped silently", "C02": "Unanswered", "C04": "Unanswered"}
"""Outcomes that a standing error puts better than "Finished"."""
WAITS = {CLIENT: "for the browser", PERSON: "for a person", BACKGROUND: "for a job"}


@dataclass(frozen=True, slots=True)
class Headline:
    """What a person reads first."""

    text: str
    severity: str
    """Of the worst group; "" when nothing is wrong."""
    code: str
    """Of the finding it tells; "" when nothing is wrong."""
    key: Key | None
    more: int
    """How many further groups there are."""
    counts: dict[str, int] = field(default_factory=dict, compare=False)
    """How many groups count, by severity."""


def headline(
    thread: Thread,
    turn: Turn | None,
    findings: Mapping[Key, Finding] | Iterable[Finding],
    muting: Muting | None = None,
    *,
    book: Ledger | None = None,
    left: Iterable[Call] | None = None,
) -> Headline:
    """The headline of a turn, or of the thread. `findings`: all of the thread's, for causes elsewhere.

    `muting`: what the channel has chosen. `book` and `left` (its calls that nobody answered) spare a turn of
    ten thousand calls a walk over them.
    """
    muting = muting if muting is not None else Muting()
    by_key = findings if isinstance(findings, Mapping) else {found.key: found for found in findings}
    here = [
        found
        for found in by_key.values()
        if found.stands and (turn is None or (found.turn or 1) == turn.number)
    ]
    told = [one for one in muting.told(thread, by_key, here) if one.severity]
    counts = dict.fromkeys(SEVERITIES, 0)
    for one in told:
        counts[one.severity] += 1
    if book is None or left is None:
        calls = thread.calls if turn is None else [thread.calls[number - 1] for number in turn.calls]
        book = ledger(calls)
        left = (one for one in calls if one.plane == "stream" and one.state != ORPHAN and not one.answered)
    left, severities = list(left), dict[str, str]()
    for found in here:
        if muting.of(thread, found) is None:
            severity = muting.severity(found.code, found.severity)
            severities[found.code] = worst((severity, severities.get(found.code, severity)))
    outcome = _outcome(thread, turn, severities, book)
    if not told:
        return Headline(f"{outcome}; {_fine(book, left)}", "", "", None, 0, counts)
    first, more = min(told, key=lambda one: _order(one, outcome)), len(told) - 1
    text = f"{outcome}: {_elsewhere(turn, first.head)}{first.head.message}" + (
        f" And {more} more." if more else ""
    )
    return Headline(text, first.severity, first.head.code, first.head.key, more, counts)


def _elsewhere(turn: Turn | None, head: Finding) -> str:
    """Where the cause is, if it is in another turn: else one would look for it in this one."""
    return f"In turn {head.turn}: " if turn is not None and head.turn not in (None, 0, turn.number) else ""


def _order(told: Told, outcome: str) -> tuple[int, bool, bool, bool, int]:
    """Among equals the one that gives the outcome its word, or the sentence would speak of something else."""
    code = told.head.code
    known = rule(code)
    theirs = not (known is not None and known.REPAIRED_BY)
    other = WORDS.get(code) != outcome
    return (WEIGHT.get(told.severity, len(WEIGHT)), other, code in LAST, theirs, told.group.first_seq)


def _outcome(thread: Thread, turn: Turn | None, severities: Mapping[str, str], book: Ledger) -> str:
    """`severities`: code -> how severe the channel takes it, of what stands and is not muted."""
    run = _last_run(thread, turn)
    if run is not None and run.inferred and run.has_input and run.last_seq == run.input_seq:
        return "Asked"  # a request body alone: what came of it is not here
    better = next((word for code, word in WORDS.items() if code in severities), None)
    if better is not None and (run is None or run.state in (RUN_OPEN, RUN_FINISHED, RUN_FAILED)):
        return better
    if run is not None and run.state == RUN_FINISHED:
        worse = next((word for code, word in UNFINISHED.items() if severities.get(code) == ERROR), None)
        if worse is not None:
            return worse
        if book.open > book.waiting:
            return "Unanswered"
    return OUTCOMES.get(run.state, "Ended") if run is not None else "Nothing ran"


def _last_run(thread: Thread, turn: Turn | None) -> Run | None:
    if turn is None:
        return thread.runs[-1] if thread.runs else None
    return thread.runs[turn.runs[-1] - 1] if turn.runs else None


def _fine(book: Ledger, left: list[Call]) -> str:
    """Why nothing is wrong: who is waited for, or what was answered."""
    alone = sum(call.state == UNANSWERED for call in left)
    waiting = [call for call in left if call.state == WAITING]
    if waiting or alone:
        parts = [f"{many(alone, 'call')} unanswered"] if alone else []
        return ", ".join([*parts, _waits(waiting)] if waiting else parts)
    parts = []
    if book.answered:
        parts.append(f"{many(book.answered, 'call')} answered")
    running = sum(call.open for call in left)
    if running:
        parts.append(f"{many(running, 'call')} running")
    cut = sum(call.state == ABORTED for call in left)
    if cut:
        parts.append(f"{many(cut, 'call')} cut off with it")
    return ", ".join(parts) or "no calls"


def _waits(waiting: list[Call]) -> str:
    counts: dict[str, int] = {}
    for call in waiting:
        for_whom = WAITS.get("person" if call.waits_behind == "interrupt" else call.owner, "for the next run")
        counts[for_whom] = counts.get(for_whom, 0) + 1
    return ", ".join(
        f"{many(count, 'call')} {'waits' if count == 1 else 'wait'} {for_whom}"
        for for_whom, count in counts.items()
    )
