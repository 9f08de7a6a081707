"""Causes and effects: which findings explain which, and what that makes of badges and counts.

A finding that others explain is kept and listed under its cause; it is never a headline, and counts go by
roots. A table of literals says the order of causes (`ORDER`), the exceptions are one function each. Only
standing findings explain. Used by `judge.py`; asked by pages, commands and `headline.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..thread import Call, Thread
from . import RULES, sentences
from .finding import ERROR, SEVERITIES, WEIGHT, Finding, Key, worst
from .oddities import group as told_together

ORDER: tuple[tuple[str, ...], ...] = (
    ("S01",), ("C15",), ("C09",), ("C11",), ("C12", "C13"), ("C20",), ("C25",), ("R11",), ("R12",), ("C17",),
    ("C14",), ("C07",), ("C08",), ("C06",), ("C10",), ("T02",), ("S07",), ("R07", "R08", "R10"), ("R02",),
    ("R05",), ("C03",), ("C02", "C04"), ("R04",), ("T01", "T03", "S04"),
)  # fmt: skip
"""First causes first, when several findings sit on one call or on one frame."""
RANK = {code: rank for rank, codes in enumerate(ORDER) for code in codes}

YIELDS: dict[str, frozenset[str]] = {
    "C02": frozenset({"C03", "C07", "C11", "C12", "C14", "C15", "R11", "R12"}),
    "C04": frozenset({"C06", "R11"}),
    "C12": frozenset({"C13"}),
    "C16": frozenset({"C17"}),
    "C22": frozenset({"C12", "C13", "C20"}),
}
"""Code -> the codes that, on the same call, say it better: then it is not raised at all."""

BESIDE_ORDER = {("C13", "C11")}
"""(cause, effect) on one call, against the order."""
DANGLES = frozenset({"C02", "C03", "C04"})
"""Codes that explain T02 although they stand behind it in the order."""
STOPPED = ("C13", "C11", "C12", "R12", "C03", "C02")
"""What leaves a call unanswered where its run stopped, and so explains that it stopped in silence (R04)."""
SHOWED_NOTHING = (*STOPPED, "C15", "C14", "R11")
"""The same for a run that showed nothing at all."""
ABOUT = {
    sentences.ORPHAN: ("C07",), sentences.DUPLICATE: ("C08", "C09"), sentences.ARGUMENTS: ("C11",),
}  # fmt: skip
"""What a known error sentence complains of -> the findings on the quoted call that explain it."""
ABOUT_THREAD = ("T01", "T03")
CUT_OFF = ("R02", "R05", "R07", "R12")
"""What leaves a call of its run without an answer, and says so of the run."""
ALWAYS_EFFECTS = frozenset({"T01", "T03", "S04"})
OF_WHAT_IS_MISSING = frozenset({"R02", "R04", "C02", "C03", "C04"})
"""Codes about what never came: no client throws at that, though it may share the frame of one that did."""
BY_IDS = ("C07", "C11")
"""What ids that came apart leave behind on other calls: orphans and pieces (C15, on the same frame)."""
EXPLAINED_BY = 8
"""How many causes are kept for one finding."""
SHARERS = 16
"""How many findings are remembered for one frame."""
LOOKED_AT = 100
"""How many calls of an input are followed up."""


@dataclass(slots=True)
class Index:
    """The standing findings, by what they sit on. Kept by the judge."""

    calls: dict[int, dict[Key, None]] = field(default_factory=dict)
    """Call number -> findings about the call."""
    runs: dict[tuple[int, str], dict[Key, None]] = field(default_factory=dict)
    """(run number, code) -> findings about the run, or about calls it opened."""
    carriers: dict[str, dict[Key, None]] = field(default_factory=dict)
    """Call id -> T02 and R05 findings of runs whose input carries the call, or whose error quotes it."""
    frames: dict[int, dict[Key, None]] = field(default_factory=dict)
    """Seq -> findings with that frame among their evidence."""
    folded: dict[tuple[str, str], Key] = field(default_factory=dict)
    """(code, fold) -> the finding that tells them all."""
    always: dict[Key, None] = field(default_factory=dict)
    """Findings about the thread as it stands, which anything about its calls may explain."""
    bounds: set[int] = field(default_factory=set)
    """Seqs at which a run began or ended: sharing one proves nothing."""

    def add(self, thread: Thread, found: Finding) -> None:
        if found.code in ABOUT_THREAD:
            self.always[found.key] = None
        if found.fold:
            self.folded[found.code, found.fold] = found.key
        for table, place in self._places(thread, found):
            row = table.setdefault(place, {})
            if len(row) < SHARERS or table is not self.frames:
                row[found.key] = None

    def also(self, call: int, key: Key) -> None:
        """A folded finding that speaks of one more call."""
        if call:
            self.calls.setdefault(call, {})[key] = None

    def at(self, found: Finding, seq: int) -> None:
        """A folded finding has one more frame among its evidence."""
        if found.code in RANK:
            self.frames.setdefault(seq, {})[found.key] = None

    def remove(self, thread: Thread, found: Finding) -> None:
        self.always.pop(found.key, None)
        for table, place in self._places(thread, found):
            row = table.get(place)
            if row is not None:
                row.pop(found.key, None)

    def _places(self, thread: Thread, found: Finding) -> Iterator[tuple[dict[Any, dict[Key, None]], Any]]:
        if found.code not in RANK:
            return
        call = _subject(thread, found)
        if call is not None:
            yield self.calls, call.number
            yield self.runs, (call.run, found.code)
        elif found.run:
            yield self.runs, (found.run, found.code)
            if found.code in ("T02", "R05"):
                run = thread.runs[found.run - 1]
                for id_ in (*run.input_dangling[:LOOKED_AT], *run.input_late[:LOOKED_AT]):
                    yield self.carriers, id_
            if found.code == "R05":
                for quoted in sentences.quoted(thread, thread.runs[found.run - 1].error):
                    yield self.carriers, quoted.id
        for seq in found.seqs:
            yield self.frames, seq

    def concerned(self, thread: Thread, found: Finding) -> dict[Key, None]:
        """The findings whose causes this one may be, or may have been."""
        keys = {found.key: None}
        if found.code not in RANK:
            return keys
        keys.update(self.always)
        call = _subject(thread, found)
        if call is not None:
            keys.update(self.calls.get(call.number, {}))
            keys.update(self.carriers.get(call.id, {}))
            keys.update(self.runs.get((call.run, "R04"), {}))
            if found.code == "C12":
                keys.update(self.runs.get((call.run, "R05"), {}))
            row = self.runs.get((call.run, "C03"), {})
            if found.code == "C03" and len(row) <= EXPLAINED_BY:
                # Further ones add nothing: a thousand calls left open at one end stay linear.
                keys.update(self.runs.get((call.run, "C02"), {}))
        elif found.code in _CONCERNS:
            keys.update(self.runs.get((found.run, _CONCERNS[found.code]), {}))
        for seq in found.seqs:
            for key in self.frames.get(seq, ()):
                if key[0] in ("R08", "S07", *BY_IDS) or key[0] in ALWAYS_EFFECTS:
                    keys[key] = None
        return keys


_CONCERNS = {"T02": "R05", "R05": "R08"}
_ABOUT_CALLS = frozenset(rule.CODE for rule in RULES if rule.SUBJECT == "call")


def _subject(thread: Thread, found: Finding) -> Call | None:
    """The call a finding is about; None where it only names one."""
    return thread.calls[found.call - 1] if found.call and found.code in _ABOUT_CALLS else None


# ---------------------------------------------------------------- what explains one finding


def explain(thread: Thread, found: Finding, index: Index, findings: Mapping[Key, Finding]) -> tuple[Key, ...]:
    """The standing findings that explain it, nearest first; () for a root."""
    if found.code == "T02":
        keys = _input(thread, found, index)
    elif found.code == "R05":
        keys = _error(thread, found, index)
    elif found.code == "R06":
        keys = _row(found, index, findings)
    elif found.code == "R08":
        keys = list(index.runs.get((found.run, "R05"), ())) if found.fold else _same_frame(found, index)
    elif found.code == "R04":
        keys = _silence(thread, found, index, findings)
    elif found.code in ABOUT_THREAD:
        keys = _refused(thread, found, index)
    elif found.code == "S07":
        keys = _disorder(found, index)
    elif found.code in ALWAYS_EFFECTS:
        keys = _refusal(thread, found, index, findings)
    elif found.call and found.code in RANK:
        keys = _same_call(found, index)
        if found.code in BY_IDS:
            keys += [key for key in _same_frame(found, index) if key[0] == "C15"]
        if found.code == "C02":
            keys += _some(index.runs.get((found.run, "C03"), {}))
    else:
        keys = []
    return tuple(dict.fromkeys(key for key in keys if key != found.key))[:EXPLAINED_BY]


def _same_call(found: Finding, index: Index) -> list[Key]:
    """Findings about the same call that come before it in the order."""
    rank = RANK[found.code]
    return [
        key for key in index.calls.get(found.call, ())
        if (key[0], found.code) in BESIDE_ORDER
        or (RANK.get(key[0], len(ORDER)) < rank and (found.code, key[0]) not in BESIDE_ORDER)
    ]  # fmt: skip


def _same_frame(found: Finding, index: Index) -> list[Key]:
    """Findings with a frame of its evidence among theirs, that come before it in the order."""
    rank, always = RANK[found.code], found.code in ALWAYS_EFFECTS
    return [
        key for seq in found.seqs if always or seq not in index.bounds
        for key in index.frames.get(seq, ()) if RANK[key[0]] < rank
    ]  # fmt: skip


def _disorder(found: Finding, index: Index) -> list[Key]:
    """S07: what stands about its frame; for a chunk that names no tool, the field it lacks."""
    unnamed = index.folded.get(("S03", "TOOL_CALL_CHUNK toolCallName missing"))
    if unnamed is None or not found.fold.startswith("nameless-chunk"):
        return _same_frame(found, index)
    return [unnamed, *_same_frame(found, index)]


def _refusal(thread: Thread, found: Finding, index: Index, findings: Mapping[Key, Finding]) -> list[Key]:
    """S04: the deviation it is about; what stands about its frames, first causes first; and frames that are
    missing before it."""
    keys = [key for key in _same_frame(found, index) if key[0] not in OF_WHAT_IS_MISSING]
    lost = thread.oddities.get(("S05", "", "", "missing"))
    if lost is not None and lost.seqs[0] < found.seqs[0]:
        key = ("S05", f"#{lost.seqs[0]}", lost.number)
        keys += [key] if key in findings else []
    keys.sort(key=lambda key: RANK.get(key[0], len(ORDER)))
    about = thread.refused_for.get(found.occurrence)
    if about is not None:
        deviation = index.folded.get(("S03", told_together(thread.oddities[about])))
        keys[:0] = [deviation] if deviation is not None else []
    return keys


def _input(thread: Thread, found: Finding, index: Index) -> list[Key]:
    """T02: what left the calls open that the input carries."""
    keys: list[Key] = []
    rank = RANK["T02"]
    for id_ in thread.runs[found.run - 1].input_dangling[:LOOKED_AT]:
        for number in thread.by_id.get(id_, ())[-EXPLAINED_BY:]:
            about = index.calls.get(number, ())
            keys += [key for key in about if key[0] in DANGLES or RANK.get(key[0], len(ORDER)) < rank]
    return keys


def _refused(thread: Thread, found: Finding, index: Index) -> list[Key]:
    """T01: what stands about the calls it is refused for. T03 is part of a refusal."""
    refused = thread.refusals.of if thread.refusals is not None else {}
    if found.code == "T03":
        return [key for key in index.always if key[0] == "T01"]
    keys: list[Key] = []
    for number in islice(refused, LOOKED_AT):
        call = thread.calls[number - 1]
        keys += [key for key in index.calls.get(number, ()) if RANK.get(key[0], len(ORDER)) < RANK["T01"]]
        keys += [key for key in index.carriers.get(call.id, ()) if key[0] == "T02"]
        keys += [key for code in CUT_OFF for key in _some(index.runs.get((call.run, code), {}))]
        if len(keys) >= EXPLAINED_BY:
            break
    return keys


def _error(thread: Thread, found: Finding, index: Index) -> list[Key]:
    """R05: the poison its run was sent, if the error speaks of it; the unknown tool it names; else what
    broke the call it quotes."""
    run = thread.runs[found.run - 1]
    known = sentences.match(run.error, run.error_code)
    quoted = sentences.quoted(thread, run.error)
    ids = {call.id for call in quoted}
    unanswered = known is not None and known.about == sentences.UNANSWERED
    sent = list(index.runs.get((found.run, "T02"), ()))
    if sent and (unanswered or not ids.isdisjoint(run.input_dangling[:LOOKED_AT])):
        return sent
    unknown = list(index.runs.get((found.run, "C12"), ()))
    if unknown and known is None:
        return unknown
    late = [call for id_ in run.input_late[:LOOKED_AT] if (call := thread.latest(id_)) is not None]
    keys = [
        key for call in late if unanswered or call.id in ids
        for key in index.calls.get(call.number, ()) if key[0] == "C06"
    ]  # fmt: skip
    codes = ABOUT.get(known.about, ()) if known is not None else ()
    for call in quoted:
        if call.run == run.number:
            continue  # the error ended its own run: what is open there is its effect
        for key in index.calls.get(call.number, ()):
            if key[0] in codes or (
                unanswered and (key[0] in DANGLES or RANK.get(key[0], len(ORDER)) < RANK["T02"])
            ):
                keys.append(key)
    return keys


def _row(found: Finding, index: Index, findings: Mapping[Key, Finding]) -> list[Key]:
    """R06: what explains the errors of its runs; they are all alike, so the first one's will do."""
    return [
        cause for key in index.runs.get((found.run, "R05"), ()) if key in findings
        for cause in findings[key].because_of
    ]  # fmt: skip


def _silence(thread: Thread, found: Finding, index: Index, findings: Mapping[Key, Finding]) -> list[Key]:
    """R04: what left a call of its run unanswered, the vanished tool first."""
    codes = SHOWED_NOTHING if found.severity == ERROR else STOPPED
    keys = [key for code in codes for key in _some(index.runs.get((found.run, code), {}))]
    return [key for key in keys if key in findings and not _answered(thread, findings[key])]


def _some(row: dict[Key, None]) -> list[Key]:
    """The first few of a row: no finding needs more causes than that."""
    return list(islice(row, EXPLAINED_BY))


def _answered(thread: Thread, found: Finding) -> bool:
    return bool(found.call) and thread.calls[found.call - 1].answered


# ---------------------------------------------------------------- groups


@dataclass(slots=True)
class Group:
    """A root and what it explains, directly or not."""

    root: Finding
    effects: list[Finding]
    severity: str
    """The strongest in the group."""

    @property
    def first_seq(self) -> int:
        return min(
            (one.seqs[0] for one in (self.root, *self.effects) if one.seqs), default=self.root.opened_seq
        )


def root_of(found: Finding, findings: Mapping[Key, Finding]) -> Finding:
    """The finding at the end of its first causes."""
    seen = {found.key}
    while found.because_of:
        cause = next((findings[key] for key in found.because_of if key in findings and key not in seen), None)
        if cause is None or not cause.stands:
            return found
        seen.add(cause.key)
        found = cause
    return found


def groups(findings: Mapping[Key, Finding], among: Iterable[Finding] | None = None) -> list[Group]:
    """Standing findings (or those of `among`) by root, in the order they were opened."""
    made: dict[Key, Group] = {}
    for one in findings.values() if among is None else among:
        if not one.stands:
            continue
        root = root_of(one, findings)
        group = made.setdefault(root.key, Group(root, [], one.severity))
        group.severity = worst((group.severity, one.severity))
        if one is not root:
            group.effects.append(one)
    return list(made.values())


def counts(findings: Mapping[Key, Finding], among: Iterable[Finding] | None = None) -> dict[str, int]:
    """How many roots there are of each severity, each as severe as the worst it explains."""
    found = dict.fromkeys(SEVERITIES, 0)
    for group in groups(findings, among):
        if group.severity in WEIGHT:
            found[group.severity] += 1
    return found
