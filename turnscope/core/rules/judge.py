"""The judge: asks the rules about whatever an event touched, and keeps the findings.

One event at a time, so that a verdict never depends on batches: judging event by event, in two halves, or
after a rebuild gives the same. It asks only the rules of the touched subjects (O(1) an event, amortised);
rules about a run's end are asked once, when it ends; rules about time only at a tick. It opens, changes and
closes findings, folds noise, and keeps the causes (`causes.py`). A rule that raises becomes a finding about
itself. Counterpart: `core/fold.py`, which says what was touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..events import Closed, Event, InputSeen, RunFailed, RunFinished, RunStarted, SettingsInForce, Tick
from ..muting import Muting, compile_muting, telling
from ..thread import RUN_OPEN, THREAD, Call, Oddity, Ref, Run, Thread
from . import causes
from .asking import (
    CALL_TICKED,
    FINAL,
    FOR_THREAD,
    FRAME_TOUCHED,
    OF,
    RUN_ENDED,
    RUN_TICKED,
    THREAD_RESTED,
    Asked,
    Check,
    of_call,
    of_run,
)  # fmt: skip
from .c01_hanging_call import overdue
from .c05_overdue_wait import may_become_overdue, overdue_wait
from .finding import RULE_FAILED, Finding, Key, differs, of_rule
from .r01_stalled_run import stalled
from .r13_no_follow_up import answered_since, overdue_run
from .refusals import Refusals

BOUNDS = frozenset({RunStarted, RunFinished, RunFailed, InputSeen, Closed})
EVIDENCE_KEPT = 3
"""How many frames of a folded finding are kept as evidence."""


class Judge:
    """The findings of one thread. Holds no rule and no clock: it can be copied and pickled."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        if thread.refusals is None:
            thread.refusals = Refusals()
        self.muting = Muting()
        """What counts, by the settings in force."""
        self._telling: Any = (None, None)
        self.findings: dict[Key, Finding] = {}
        """Open and closed ones, in the order they were first opened."""
        self._changed: dict[Key, None] = {}
        self._turns: dict[int, None] = {}
        self._held: dict[tuple[Ref, str], list[Key]] = {}
        """(subject, code) -> the findings its last verdict raised."""
        self._holding: dict[Ref, dict[str, None]] = {}
        """Subject -> codes it holds findings of."""
        self._folds: dict[tuple[str, str], tuple[Key, set[Ref]]] = {}
        self._ended: set[int] = set()
        self._running: dict[int, None] = {}
        """Runs that are open: with none, the thread rests."""
        self._unclosed: dict[int, dict[int, None]] = {}
        """Run -> its calls without an END: they are judged once more when it ends."""
        self._silent: dict[Ref, None] = {}
        """Runs that R01 stands for."""
        self._oddities: list[Oddity] = []
        self._index = causes.Index()
        self._dirty: dict[Key, None] = {}
        self._seq = 0

    # ------------------------------------------------------------ what others ask

    def changed(self) -> list[Finding]:
        """Findings that were opened, changed or closed since the last call, each once."""
        found = [self.findings[key] for key in self._changed]
        self._changed.clear()
        return found

    def turns(self) -> list[int]:
        """Turns whose findings changed since the last call, those included that a finding has left."""
        found = list(self._turns)
        self._turns.clear()
        return found

    def stands(self, code: str, subject: str, occurrence: int = 1) -> bool:
        found = self.findings.get((code, subject, occurrence))
        return found is not None and not found.closed_seq

    def due(self, now: int) -> bool:
        """Whether a tick at `now` would find something overdue that no finding says yet."""
        thread = self.thread
        for view in thread.streams.values():
            run = thread.runs[view.run - 1] if view.run else None
            if run is not None and not self._holds(run.ref, "R01") and stalled(thread, run, now):
                return True
        return any(
            (overdue(thread, call, now) and not self._holds(call.ref, "C01"))
            or (overdue_wait(thread, call, now) and not self._holds(call.ref, "C05"))
            for call in (thread.calls[number - 1] for number in thread.open_calls)
        ) or self._unfollowed(now)

    def waits(self) -> bool:
        """Whether somebody is waited for whom time alone makes late, and no finding says so yet."""
        thread = self.thread
        return any(
            may_become_overdue(thread, call) and not self._holds(call.ref, "C05")
            for call in (thread.calls[number - 1] for number in thread.open_calls)
        ) or any(answered_since(thread, run) and not self._holds(run.ref, "R13") for run in thread.runs[-1:])

    def _unfollowed(self, now: int) -> bool:
        """Whether answers came and no run, past the limit."""
        last = self.thread.runs[-1:]
        return any(overdue_run(self.thread, run, now) and not self._holds(run.ref, "R13") for run in last)

    # ------------------------------------------------------------ judging

    def judge(self, event: Event, touched: Iterable[Ref]) -> None:
        """Ask the rules about what this event touched. Never raises."""
        self._seq = event.seq
        if type(event) in BOUNDS:
            self._index.bounds.add(event.seq)
        thread = self.thread
        for ref in dict.fromkeys(touched):
            kind, number = ref
            if kind == "call":
                self._call(ref, thread.calls[number - 1])
            elif kind == "run":
                self._run(ref, thread.runs[number - 1])
            elif kind == "frame":
                odd = self._oddity(number)
                self._ask(ref, odd, FRAME_TOUCHED.get(odd.code, ()))
        if type(event) is Tick:
            self._tick()
        elif type(event) is SettingsInForce:
            self._tell(event.settings)
        if thread.refusals.hear(thread, event, touched, resting=not self._running):
            self._rested()
        if self._dirty:
            self._relink()
        if self._silent:
            thread.unusual = True  # whatever comes next breaks the silence, be it a mere delta

    def _tell(self, settings: dict[str, Any]) -> None:
        """Settings are in force from here on: what is told of every finding may be another."""
        if telling(settings) != self._telling:
            self._telling, self.muting = telling(settings), compile_muting(settings)
            for found in self.findings.values():
                self._note(found)

    def _call(self, ref: Ref, call: Call) -> None:
        if call.start_seq and not call.end_seq:
            self._unclosed.setdefault(call.run, {})[call.number] = None
        elif call.end_seq and call.run in self._unclosed:
            self._unclosed[call.run].pop(call.number, None)
        self._ask(ref, call, of_call(call, holding=bool(self._holding.get(ref))))
        if self._holds(ref, "C01"):
            self._still(ref, call, CALL_TICKED)

    def _run(self, ref: Ref, run: Run) -> None:
        before = ("run", run.number - 1)
        if self._holds(before, "R13"):
            self._settle(before, "R13", ())  # this is the run that was missing
        if run.state == RUN_OPEN:
            self._running[run.number] = None
        else:
            self._running.pop(run.number, None)
        self._ask(ref, run, of_run(run, holding=bool(self._holding.get(ref))))
        if self._holds(ref, "R01"):
            self._still(ref, run, RUN_TICKED)
        if run.end_seq and run.number not in self._ended:
            self._ended.add(run.number)
            for number in self._unclosed.pop(run.number, ()):
                self._call(("call", number), self.thread.calls[number - 1])
            self._ask(ref, run, RUN_ENDED)

    def _rested(self) -> None:
        """No run is open any more, or what would be sent now has changed; or a run has opened."""
        if not self._running:
            self._ask(THREAD, self.thread, THREAD_RESTED)
            return
        for code, _ in THREAD_RESTED:
            self._settle(THREAD, code, ())

    def _tick(self) -> None:
        """Time has passed: whoever became overdue."""
        thread = self.thread
        for number in list(thread.open_calls):
            if not self._holds(("call", number), "C01"):
                self._ask(("call", number), thread.calls[number - 1], CALL_TICKED)
        for view in thread.streams.values():
            ref = ("run", view.run)
            if view.run and not self._holds(ref, "R01") and not self._holds(ref, "R13"):
                self._ask(("run", view.run), thread.runs[view.run - 1], RUN_TICKED)

    def _still(self, ref: Ref, subject: Call | Run, rules: Asked) -> None:
        """Whether what was overdue still is. Its sentence stays as the tick wrote it."""
        for code, check in rules:
            if not self._safely(code, check, subject, ()):
                self._settle(ref, code, ())

    def _oddity(self, number: int) -> Oddity:
        known = self._oddities
        if number > len(known):
            fresh: list[Oddity] = []
            for odd in reversed(self.thread.oddities.values()):
                if odd.number <= len(known):
                    break
                fresh.append(odd)
            known += reversed(fresh)
        return known[number - 1]

    # ------------------------------------------------------------ asking

    def _ask(self, ref: Ref, subject: Call | Run | Oddity | Thread, rules: Asked) -> None:
        thread, now = self.thread, self.thread.now
        holding = self._holding.get(ref)
        raised: dict[str, Iterable[Finding]] | None = None
        for code, check in rules:
            if holding is not None and code in holding and code in FINAL and self._full(ref, code):
                continue
            try:
                found = check(thread, subject, now)
            except Exception as error:
                self._failed(code, error, subject)
                continue
            if found:
                raised = raised or {}
                raised[code] = found
            elif code in FOR_THREAD:
                self._settle(THREAD, code, ())
            elif holding is not None and code in holding:
                self._settle(ref, code, ())
        if raised is not None:
            for code, found in raised.items():
                better = causes.YIELDS.get(code)
                told = () if better is not None and not better.isdisjoint(raised) else found
                self._settle(THREAD if code in FOR_THREAD else ref, code, told)

    def _safely(
        self, code: str, check: Check, subject: Any, otherwise: Iterable[Finding]
    ) -> Iterable[Finding]:
        try:
            return check(self.thread, subject, self.thread.now)
        except Exception as error:
            self._failed(code, error, subject)
            return otherwise

    def _full(self, ref: Ref, code: str) -> bool:
        """Whether the verdict it holds is as severe as the rule can be."""
        severity = OF[code].SEVERITY
        return any(self.findings[key].severity == severity for key in self._held.get((ref, code), ()))

    def _holds(self, ref: Ref, code: str) -> bool:
        return (ref, code) in self._held

    def _failed(self, code: str, error: Exception, subject: Any) -> None:
        if (RULE_FAILED, code, 1) not in self.findings:
            turn = subject.turn if isinstance(subject, Call | Run) else 0
            self._put(of_rule(code, error, self._seq, turn))

    # ------------------------------------------------------------ keeping

    def _settle(self, ref: Ref, code: str, told: Iterable[Finding]) -> None:
        """Make the findings that the subject holds of this code those its verdict told."""
        keys = [self._put(found, ref) for found in told]
        before = self._held.get((ref, code), ())
        for key in before:
            if key not in keys:
                self._close(key)
        if keys:
            self._held[ref, code] = keys
            self._holding.setdefault(ref, {})[code] = None
            if code == "R01":
                self._silent[ref] = None
        elif before:
            if code == "R01":
                self._silent.pop(ref, None)
            del self._held[ref, code]
            self._holding[ref].pop(code, None)

    def _put(self, told: Finding, ref: Ref = THREAD) -> Key:
        """Open a finding, or change the one that stands."""
        if told.fold:
            return self._fold(told, ref)
        known = self.findings.get(told.key)
        if known is None:
            self._open(told)
        elif known.closed_seq:
            told.opened_seq, told.because_of = known.opened_seq, known.because_of
            self._open(told)
        elif differs(known, told):
            told.opened_seq, told.because_of = known.opened_seq, known.because_of
            if known.turn != told.turn:
                self._note(known)
            self._index.remove(self.thread, known)
            self._open(told)
        return told.key

    def _fold(self, told: Finding, ref: Ref) -> Key:
        """Tell it once per thread: later ones only count. What was seen once is never unseen."""
        group = (told.code, told.fold)
        if group not in self._folds:
            self._folds[group] = (told.key, {ref})
            self._open(told)
            return told.key
        key, refs = self._folds[group]
        found, fresh = self.findings[key], ref not in refs
        if fresh:
            refs.add(ref)
            joined = getattr(OF[told.code], "joined", None)
            if joined is not None:
                found.message = joined(found, told, len(refs))
            self._index.also(told.call, key)
        if fresh or ref[0] == "frame":
            found.count += 1
            if len(found.seqs) < EVIDENCE_KEPT and told.seqs:
                found.seqs = tuple(sorted({*found.seqs, told.seqs[-1]}))
                self._index.at(found, told.seqs[-1])
            self._note(found)
        return key

    def _open(self, told: Finding) -> None:
        told.opened_seq = told.opened_seq or self._seq
        self.findings[told.key] = told
        self._note(told)
        self._index.add(self.thread, told)
        self._dirty.update(self._index.concerned(self.thread, told))

    def _close(self, key: Key) -> None:
        found = self.findings[key]
        if found.closed_seq or found.fold:
            return
        found.closed_seq = self._seq
        self._note(found)
        self._index.remove(self.thread, found)
        self._dirty.update(self._index.concerned(self.thread, found))

    def _note(self, found: Finding) -> None:
        found.changed = self._seq
        self._changed[found.key] = None
        # What is about the whole thread is told in its first turn.
        number, turns = found.turn or 1, self.thread.turns
        if number <= len(turns):
            turns[number - 1].changed = self._seq
            self._turns[number] = None

    # ------------------------------------------------------------ causes

    def _relink(self) -> None:
        """Say anew what explains the findings that may have got or lost a cause."""
        findings, index = self.findings, self._index
        while self._dirty:
            dirty, self._dirty = self._dirty, {}
            for key in dirty:
                found = findings.get(key)
                if found is None or found.closed_seq:
                    continue
                because = causes.explain(self.thread, found, index, findings)
                if because != found.because_of:
                    found.because_of = because
                    self._note(found)
                    if found.code == "R05":
                        self._dirty.update((one, None) for one in self._held.get((THREAD, "R06"), ()))
