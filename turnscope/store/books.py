"""What a turn's row adds up from its runs, calls and findings, kept as they change.

A turn may hold ten thousand calls, and a batch changes a few: counting anew would make long turns
quadratic. The sums are those of `core.ledger`, and a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from turnscope.core import thread as core
from turnscope.core.ledger import Ledger
from turnscope.core.picture import Changes, Picture
from turnscope.core.rules.finding import Finding, Key
from turnscope.core.rules.headline import headline

from .rows import turn_row
from .tables import Row

HANGING = "hanging"
_LATE = ("C01", "R01")
"""Findings that say somebody is late while the run is open."""

_Counts = tuple[int, int, int, int, int, int]
_NOTHING: _Counts = (0, 0, 0, 0, 0, 0)


@dataclass(slots=True)
class TurnBook:
    """The running sums of one turn."""

    counts: list[int] = field(default_factory=lambda: [0] * 6)
    """started, ended, answered, open, waiting, failed."""
    entries: dict[int, _Counts] = field(default_factory=dict)
    """What each call adds to them."""
    open: dict[int, int] = field(default_factory=dict)
    """Open call -> when it started."""
    findings: dict[Key, Finding] = field(default_factory=dict)
    """Those that stand."""
    changed: int = 0

    def enter(self, call: core.Call) -> None:
        """The call as it is now, instead of as it was."""
        after = _counts(call)
        before = self.entries.get(call.number, _NOTHING)
        if after != before:
            self.entries[call.number] = after
            steps = zip(self.counts, after, before, strict=True)
            self.counts = [total + new - old for total, new, old in steps]
        if after[3]:
            self.open[call.number] = call.start_at
        else:
            self.open.pop(call.number, None)

    def forget(self, number: int) -> None:
        """The call belongs to another turn."""
        for place, count in enumerate(self.entries.pop(number, _NOTHING)):
            self.counts[place] -= count
        self.open.pop(number, None)

    @property
    def ledger(self) -> Ledger:
        started, ended, answered, open_, waiting, failed = self.counts
        return Ledger(started, ended, answered, open_, waiting, failed, min(self.open.values(), default=0))


def _counts(call: core.Call) -> _Counts:
    """started, ended, answered, open, waiting, failed."""
    if call.plane != "stream" or call.state == core.ORPHAN:
        return _NOTHING
    ended = 1 if call.end_seq else 0
    if call.answered:
        return (1, ended, 1, 0, 0, 1 if call.state == core.FAILED else 0)
    return (1, ended, 0, 1, 1 if call.state == core.WAITING else 0, 0)


class _Here(Mapping[Key, Finding]):
    """The findings of one turn, with those of the whole thread to look their causes up in."""

    def __init__(self, everywhere: Mapping[Key, Finding], here: Iterable[Key]) -> None:
        self._everywhere, self._here = everywhere, list(here)

    def __getitem__(self, key: Key) -> Finding:
        return self._everywhere[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._here)

    def __len__(self) -> int:
        return len(self._here)


@dataclass(slots=True)
class Books:
    """The books of a thread's turns."""

    turns: dict[int, TurnBook] = field(default_factory=dict)
    calls: dict[int, int] = field(default_factory=dict)
    """Call -> the turn it is booked in: an orphan may learn later which turn it belongs to."""
    findings: dict[Key, int] = field(default_factory=dict)
    """Finding -> the turn it is booked in: one about the whole thread stands in its first turn."""
    ranks: dict[Key, int] = field(default_factory=dict)
    """Finding -> how many were opened before it: what stands equal in a headline is told in this order."""
    explains: dict[Key, set[Key]] = field(default_factory=dict)
    """Cause -> what it has explained: a turn is told by causes that may stand in another."""

    def enter(self, picture: Picture, changes: Changes) -> list[int]:
        """Book these changes; the turns whose rows they change."""
        touched: set[int] = set()
        for turn in changes.turns:
            touched |= self._at(turn.number, turn.changed)
        for run in changes.runs:
            touched |= self._at(run.turn, run.changed)
        for call in changes.calls:
            before = self.calls.get(call.number, call.turn)
            if before != call.turn:
                self._book(before).forget(call.number)
                touched.add(before)
            self.calls[call.number] = call.turn
            self._book(call.turn).enter(call)
            touched |= self._at(call.turn, call.changed)
        for finding in changes.findings:
            touched |= self._find(finding, picture.judge.findings)
        return sorted(number for number in touched if 0 < number <= len(picture.thread.turns))

    def _at(self, turn: int, changed: int) -> set[int]:
        book = self._book(turn)
        book.changed = max(book.changed, changed)
        return {turn}

    def _find(self, finding: Finding, everywhere: Mapping[Key, Finding]) -> set[int]:
        turn = finding.turn or 1
        before = self.findings.get(finding.key, turn)
        self.ranks.setdefault(finding.key, len(self.ranks))
        self.findings[finding.key] = turn
        if before != turn:
            self._book(before).findings.pop(finding.key, None)
        here = self._book(turn).findings
        if finding.closed_seq:
            here.pop(finding.key, None)
        else:
            here[finding.key] = finding
        for cause in finding.because_of:
            self.explains.setdefault(cause, set()).add(finding.key)
        changed = max(one.changed for one in _chain(finding, everywhere))
        touched = self._at(turn, changed) | {before}
        seen, queue = {finding.key}, [finding.key]
        while queue:
            key = queue.pop()
            for effect in self.explains.get(key, set()) - seen:
                found = everywhere[effect]
                if found.stands and key in found.because_of:
                    seen.add(effect)
                    queue.append(effect)
                    touched |= self._at(self.findings.get(effect, turn), finding.changed)
        return touched

    def _book(self, turn: int) -> TurnBook:
        book = self.turns.get(turn)
        if book is None:
            book = self.turns[turn] = TurnBook()
        return book

    def row(self, row_of: int, picture: Picture, number: int) -> Row:
        """The row of one turn; `row_of` is the thread's id."""
        thread, everywhere = picture.thread, picture.judge.findings
        turn, book, muting = thread.turn(number), self._book(number), picture.judge.muting
        keys = sorted(book.findings, key=self.ranks.__getitem__)
        ledger = book.ledger
        said = headline(
            thread, turn, _Here(everywhere, keys), muting,
            book=ledger, left=[thread.call(one) for one in sorted(book.open)],
        )  # fmt: skip
        last = thread.run(turn.runs[-1]) if turn.runs else None
        here = (book.findings[key] for key in keys if muting.of(thread, book.findings[key]) is None)
        return turn_row(
            row_of, turn, state=turn_state(last, ledger, here), headline=said.text, severity=said.severity,
            book=ledger, errors=said.counts["error"], warnings=said.counts["warning"], changed=book.changed,
        )  # fmt: skip


def _chain(finding: Finding, everywhere: Mapping[Key, Finding]) -> list[Finding]:
    """The finding and, while it stands, everything that explains it: its turn's sentence may be theirs."""
    chain, seen = [finding], {finding.key}
    for one in chain:
        for key in one.because_of if one.stands else ():
            if key not in seen and key in everywhere:
                seen.add(key)
                chain.append(everywhere[key])
    return chain


def turn_state(last: core.Run | None, book: Ledger, findings: Iterable[Finding]) -> str:
    """What a person should know first: it hangs, it waits for somebody, or how its last run stands."""
    if last is None:
        return core.RUN_FINISHED
    if last.open and any(finding.code in _LATE for finding in findings):
        return HANGING
    if book.waiting and last.state in (core.RUN_OPEN, core.RUN_FINISHED, core.RUN_INTERRUPTED):
        return core.WAITING
    return last.state
