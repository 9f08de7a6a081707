"""The repaired turn as the page plays it: the repaired stream, folded and judged like any other.

The events a repair made take the time of the event before them. Nothing is stored: the rows here are made in
memory from the same columns as stored ones, and the frames are packed as stored ones are, so that lists and
filters read both alike (`repairedrows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from turnscope.core import framing
from turnscope.core.events import Event, Frame, SettingsInForce
from turnscope.core.picture import Intake, Picture
from turnscope.store import rows, segments
from turnscope.store.models import Call, Finding, Turn

from . import mended, pace, runs, show, turnpage

Dict = dict[str, Any]

Packed = tuple[int, int, bytes, bytes]
"""(first seq, last seq, header, body) of a segment."""


def repaired_events(turn: Turn) -> list[tuple[int, int, bytes]]:
    """(run, time, JSON) of the turn's events as a strict client accepts them."""
    found: list[tuple[int, int, bytes]] = []
    at = 0
    for run, when, data in runs.repaired_all(runs.of_turn(turn.pk)):
        at = max(run.start_at if not found or found[-1][0] != run.pk else at, when)
        found.append((run.pk, at, data))
    return found


MOST = 200_000
"""Events of a turn that a page plays repaired; a longer one has its replay address."""
FIRST = 256
"""Rows that come along; the list asks for the others."""


@dataclass(frozen=True, slots=True)
class Played:
    """A repaired turn: its frames from seq 1 on, packed, and what is drawn of it."""

    packed: list[Packed]
    last: int
    told: Dict

    def frames(self, after: int = 0, until: int | None = None) -> Iterator[Frame]:
        """The frames with after < seq <= until, in order."""
        for first, last, header, body in self.between(after, until):
            yield from segments.frames_of(first, header, body, after=after, until=min(last, until or last))

    def between(self, after: int, until: int | None, *, bodies: bool = True) -> Iterator[Packed]:
        """As `reading.packed` gives those of a stored thread."""
        for part in self.packed:
            if part[1] > after and (until is None or part[0] <= until):
                yield part

    def events(self, until: int) -> Iterator[tuple[Frame, Any, list[Event]]]:
        """As `runs.events` gives those of a stored thread."""
        intake = Intake("ag_ui", recording=True)
        for frame in self.frames(until=until):
            placed = intake.place(frame.raw)
            found = intake.read(placed, 0)
            for event in found:
                event.seq, event.at, event.stream = frame.seq, frame.at, frame.stream
            yield frame, placed.decoded.value, found


_played: mended.Kept[Played] = mended.Kept(3)


def of(turn: Turn) -> Played | None:
    """The repaired turn, worked out once; None where nothing can be played."""
    if turn.last_seq - turn.first_seq >= MOST:
        return None
    key = (turn.pk, turn.thread.last_seq, json.dumps(turn.thread.settings, sort_keys=True, default=str))
    found = _played.make(key, lambda: _play(turn))
    return found if found.last else None


def played(turn: Turn) -> Dict:
    """`{calls, findings, rows, pace, scrub, outcome, made, mended}`; {} where nothing can be played.

    `rows` are the first; `mended` is the first run in which the repair made anything, 0 where in none.
    """
    found = of(turn)
    return {**found.told, "rows": lines(found.frames(until=FIRST))} if found else {}


def lines(frames: Iterator[Frame]) -> list[Dict]:
    """Rows of the event list, with whether the repair made them."""
    return [
        {**show.frame(one), "made": b'"turnscope"' in one.raw and made(framing.decode(one.raw).value)}
        for one in frames
    ]


def _play(turn: Turn) -> Played:
    events = repaired_events(turn)
    if not events:
        return Played([], 0, {})
    picture, intake = Picture(), Intake("ag_ui", recording=True)
    if settings := turn.thread.settings:
        picture.add(0, events[0][1], 1, [SettingsInForce(settings)])
    sheet = segments.Sheet(1)
    mended_, number = 0, 0
    for seq, (run, at, raw) in enumerate(events, 1):
        placed = intake.place(raw)
        picture.add(seq, at, 1, intake.read(placed, 0))
        sheet.add(placed.kind, at, 1, seq, raw)
        if made(placed.decoded.value):
            number += 1
            mended_ = mended_ or run
    part = pace.Part(1, bytes(sheet.kinds), sheet.ats)
    told = {**drawn(picture, pace.measured([part], 1, len(events))), "made": number, "mended": mended_}
    packed = [(one.first_seq, one.last_seq, *segments.pack(one)) for one in sheet.cut()]
    return Played(packed, len(events), told)


def made(event: Any) -> bool:
    """Whether the repair put it there."""
    about = event.get("metadata") if isinstance(event, dict) else None
    return isinstance(about, dict) and "turnscope" in about


def drawn(picture: Picture, measured: Dict) -> Dict:
    """View-models of a picture that has no rows."""
    found = [
        show.finding(_row(Finding, rows.finding_row(0, picture, f), pk))
        for pk, f in enumerate(picture.judge.findings.values(), 1)
    ]
    plain = [show.call(_row(Call, rows.call_row(0, call), call.number)) for call in picture.thread.calls]
    runs = picture.thread.runs
    codes = show.grave(found)
    return {
        "calls": show.dressed_all(plain, found),
        "findings": found,
        "pace": measured,
        "scrub": turnpage.scrub(measured, found),
        "outcome": show.outcome(runs[-1].state if runs else "empty", codes=codes),
    }


def _row(model: Any, columns: Mapping[str, Any], pk: int) -> Any:
    """An unsaved row: columns that are kept as text are read again."""
    packed = ("answers", "seqs", "because_of")
    return model(pk=pk, **{k: json.loads(v) if k in packed else v for k, v in columns.items()})
