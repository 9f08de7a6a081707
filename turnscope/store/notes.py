"""What a channel's pages say apart: habits of its producer, and what a person has muted. Writes nothing.

The same fingerprint in at least three of a channel's last ten runs is no news of any one of them: it becomes
one note on the channel, and a grey line on the run's page, outside its badge. Errors about calls, what ended
a run and what was sent unanswered are no habit. Counterpart: `core/muting.py`, the choice a person makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnscope.core.muting import Mute, compile_muting

from .models import Call, Finding, Run

LAST, OFTEN = 10, 3
"""How many runs are looked at, and in how many of them it is a habit."""
NEVER = frozenset({"R02", "R04", "R05", "T02"})
"""Codes that are news every time."""
_NUMBERED = re.compile(r"\S*\d\S*")


@dataclass(frozen=True, slots=True)
class Note:
    """A habit of the producer."""

    code: str
    name: str
    severity: str
    text: str
    """One sentence: how often, and what it is in the newest run that has it."""
    fingerprint: str
    runs: int
    of: int
    finding: int
    """The newest finding, by its key."""


def fingerprint(row: Finding) -> str:
    """What stays the same from run to run: the code, how severe, and for a frame the first place it names."""
    if not row.code.startswith("S"):
        return f"{row.code} {row.severity}"
    said, _, places = row.message.partition(": ")
    words = _NUMBERED.sub("", f"{said} {places.partition(',')[0]}").split()
    return " ".join([row.code, row.severity, *words])


def habitual(row: Finding) -> bool:
    """Whether it can be a habit at all."""
    return row.code not in NEVER and not (row.severity == "error" and row.code[0] in "CT")


def notes(channel: int) -> list[Note]:
    """The notes of a channel, the most frequent first."""
    runs = list(Run.objects.filter(thread__channel=channel).order_by("-pk")[:LAST])
    if len(runs) < OFTEN:
        return []
    seen: dict[str, tuple[Finding, set[int], int]] = {}
    for row in _standing(runs):
        mark = fingerprint(row)
        newest, places, more = seen.get(mark, (row, set(), 0))
        here = [run for run in runs if run.thread_id == row.thread_id]
        named = {run.pk for run in here if _in(run, row)}
        more += max(0, _certain(row, here) - len(named))
        seen[mark] = (max(newest, row, key=lambda one: one.pk), places | named, more)
    found = [
        _note(mark, row, len(places) + more, len(runs))
        for mark, (row, places, more) in seen.items()
        if len(places) + more >= OFTEN
    ]
    return sorted(found, key=lambda note: (-note.runs, note.code))


def _certain(row: Finding, runs: Sequence[Run]) -> int:
    """In how many of these runs of its thread it must show: told once per thread, R codes count runs, and
    those before these can account for some of them only."""
    before = max(run.number for run in runs) - len(runs)
    return min(row.count - before, len(runs)) if row.code.startswith("R") else 0


def _standing(runs: Sequence[Run]) -> Iterable[Finding]:
    threads = {run.thread_id for run in runs}
    rows = Finding.objects.filter(thread_id__in=threads, closed_seq=0, because_of=[]).order_by("pk")
    return (row for row in rows[:1000] if habitual(row))


def _in(run: Run, row: Finding) -> bool:
    """Whether the run shows it: by its number, or, told once per thread, by a frame of the evidence."""
    last = max(run.end_seq, run.last_seq)
    return row.run == run.number or any(run.start_seq <= seq <= last for seq in row.seqs)


def _note(mark: str, row: Finding, runs: int, of: int) -> Note:
    often = f"All of the last {of} runs" if runs == of else f"{runs} of the last {of} runs"
    return Note(
        row.code, row.name, row.severity, f"{often}, most recently: {row.message}", mark, runs, of, row.pk
    )


# ---------------------------------------------------------------- what a person has muted


def muted(settings: Mapping[str, Any], rows: Iterable[Finding]) -> dict[int, Mute]:
    """Finding key -> the mute that covers it, of these rows, by the settings of their channel."""
    muting = compile_muting(settings)
    wanted = [row for row in rows if row.code in muting.mutes]
    calls = {(row.thread_id, row.call) for row in wanted if row.call}
    names: dict[tuple[int, int], str] = {}
    if calls:
        among = Call.objects.filter(
            thread_id__in={thread for thread, _ in calls}, number__in={number for _, number in calls}
        )
        names = {(call.thread_id, call.number): call.name for call in among}
    found = {}
    for row in wanted:
        about = [row.subject, *([names[key]] if (key := (row.thread_id, row.call)) in names else [])]
        mute = muting.mute(row.code, *about)
        if mute is not None:
            found[row.pk] = mute
    return found


def chosen(settings: Mapping[str, Any], rows: Sequence[Finding]) -> dict[int, tuple[str, str]]:
    """Finding key -> (severity, why it is muted or ""), of those rows that a person chose something for."""
    muting = compile_muting(settings)
    if not muting.mutes and not muting.severities:
        return {}
    reasons = {pk: f"{mute.reason} ({mute.date})" for pk, mute in muted(settings, rows).items()}
    found = {row.pk: (muting.severity(row.code, row.severity), reasons.get(row.pk, "")) for row in rows}
    return {row.pk: found[row.pk] for row in rows if found[row.pk] != (row.severity, "")}
