"""`/patterns`: every partial and element in every state, from recordings, so that a look says what broke.

Specimens come from the demo's streams and, in a checkout, from the corpus of the tests: each is read
frame by frame in memory, and the first call seen in each state, the first turn of each outcome and the first
finding of each rule are kept. Nothing is stored, and nothing here is shown anywhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from turnscope import demo
from turnscope.core import kinds, repair
from turnscope.core.events import Frame, SettingsInForce, Tick
from turnscope.core.framing import split
from turnscope.core.picture import Intake, Picture, guess
from turnscope.core.repair.stream import repair_stream
from turnscope.demo.scenes import STREAMS
from turnscope.settings import ROOT
from turnscope.store import rows
from turnscope.store.books import Books
from turnscope.store.models import Call, Channel, Finding, Thread, Turn

from . import pace, played, runs, show, turnpage, waterfall, words

Dict = dict[str, Any]

CORPUS = ("stories", "rules", "agui")
"""Folders of the tests' corpus, in the order they are looked through."""
LATE = 24 * 3600 * 1000
"""ms after its last frame at which a recording is looked at once more, for what hangs."""
AT = 1_780_000_000_000
"""ms since 1970 of what is shown with an age."""
BIG = 300_000
"""Bytes of a recording that is looked through."""


class Specimens:
    """What was found, by the state it shows."""

    def __init__(self) -> None:
        self.calls: dict[str, Dict] = {}
        self.turns: dict[str, Dict] = {}
        self.findings: dict[str, Dict] = {}
        self.frames: dict[str, Dict] = {}

    def look(self, picture: Picture, books: Books) -> None:
        """Keep what has changed and was not seen yet."""
        changes = picture.drain()
        found = [
            show.finding(played._row(Finding, rows.finding_row(0, picture, one), 1))
            for one in picture.judge.findings.values()
        ]
        for call in changes.calls:
            mine = [one for one in found if one["call"] == call.number]
            shown = show.call(played._row(Call, rows.call_row(0, call), call.number))
            dressed = show.dressed(shown, mine)
            begun = next((turn.start_at for turn in picture.thread.turns if turn.start_at), 0)
            took = turnpage.took(dressed, {"unit": "ms", "start": begun}, picture.thread.now)
            name = dressed["name"] or "(no name)"  # nobody announced it
            self.calls.setdefault(dressed["look"], {**dressed, "took": took, "name": name})
        for one in found:
            if not one["closed_seq"]:
                self.findings.setdefault(one["code"], one)
        for number in books.enter(picture, changes):
            row = Turn(pk=number, **books.row(0, picture, number))
            row.thread = Thread(
                pk=1, name="thread-1", title="A conversation", channel=Channel(slug="patterns")
            )
            turn = show.turn(row)
            line = {
                **turn,
                "thread_title": row.thread.title,
                "thread_name": "thread-1",
                "channel": "patterns",
            }
            self.turns.setdefault(turn["outcome"]["word"], line)


def recordings() -> Iterator[tuple[Path, Dict]]:
    """Recordings with the settings they are judged by."""
    for path in sorted(STREAMS.glob("*.jsonl")):
        yield path, demo.SETTINGS
    for folder in CORPUS:
        for path in sorted((ROOT / "tests" / "corpus" / folder).glob("*.jsonl")):
            beside = path.with_suffix(".settings.json")
            yield path, json.loads(beside.read_bytes()) if beside.exists() else {}


def read(path: Path, settings: Dict, into: Specimens) -> None:
    """One recording, a frame at a time; then looked at late, and then repaired."""
    data = path.read_bytes()
    if len(data) > BIG:
        return
    chunks = split(data)
    intake = Intake(guess(chunks)[0], recording=True)
    picture, books, at = Picture(), Books(), 0
    if settings:
        picture.add(0, 0, 1, [SettingsInForce(settings)])
    sent: list[tuple[Any, Any]] = []
    for seq, raw in enumerate(chunks, 1):
        placed = intake.place(raw)
        events = intake.read(placed, 0)
        at = intake.clock(events, placed, 0, 0)
        picture.add(seq, at, 1, events)
        into.frames.setdefault(kinds.NAMES[placed.kind], show.frame(Frame(seq, at, 1, seq, placed.kind, raw)))
        into.look(picture, books)
        sent.append((placed.decoded.value, events))
    picture.add(len(chunks) + 1, at + LATE, 0, [Tick()])
    into.look(picture, books)
    if "settled" not in into.calls:
        mended(sent, settings, into)


def mended(sent: list[tuple[Any, Any]], settings: Dict, into: Specimens) -> None:
    """The repaired stream of a recording: the only place where a call is settled."""
    picture, books, intake = Picture(), Books(), Intake("ag_ui", recording=True)
    for seq, event in enumerate(repair_stream(sent, settings).events, 1):
        placed = intake.place(runs.dumps(event))
        picture.add(seq, seq, 1, intake.read(placed, 0))
        into.look(picture, books)


@cache
def specimens() -> Specimens:
    found = Specimens()
    for path, settings in recordings():
        read(path, settings, found)
    return found


def patterns_page() -> Dict:
    """Everything the page draws."""
    found = specimens()
    order = list(words.STATES)
    cards = [found.calls[look] for look in order if look in found.calls]
    groups = [{**one, "explains": [], "worst": one["severity"]} for _, one in sorted(found.findings.items())]
    if len(groups) > 1:
        groups[0] = {**groups[0], "explains": groups[1:3]}
        groups[-1] = {**groups[-1], "muted": "known, until the next release (2026-11-30)"}
    turn = {"id": 0, "number": 1, "elapsed": "", "title": "", "outcome": {}}
    return {
        "looks": words.states(),
        "missing": [look for look in order if look not in found.calls],
        "cards": cards,
        "turns": list(found.turns.values()),
        "outcomes_missing": sorted({one[0] for one in words.OUTCOMES.values()} - set(found.turns)),
        "groups": groups,
        "opened": {
            "seq": 731,
            "kind": "TOOL_CALL_END",
            "call": "call_7QdK",
            "when": "08:21:39.761 UTC",
            "bytes": 3_100_000,
            "cut": True,
            "pretty": "",
            "text": '{"type": "TOOL_CALL_END", "toolCallId": ',
        },
        "marks": {"errors": 2, "warnings": 1},
        "at": AT,
        "lines": [
            {
                **one,
                "url": "#",
                "turn_url": "#",
                "call_url": "#" if one["call"] else "",
                "at": AT,
                "thread": 0,
                "thread_title": "A conversation",
                "channel": "patterns",
            }
            for one in groups
        ],
        "frames": [{**frame, "time": 0} for _, frame in sorted(found.frames.items())],
        "turn": turn,
        "imports": list(_imports()),
        "hidden": "plain \u202etxt.exe\u202c zero\u200bwidth tag\U000e0041 \x00 and \ufeff",
        **_big(),
    }


def _imports() -> Iterator[Dict]:
    """An import in each of its states."""
    for n, (state, (word, look, icon)) in enumerate(words.IMPORTS.items()):
        over = state not in ("waiting", "reading")
        read = 0 if state == "waiting" else 2_100_000 if over else 1_300_000
        yield {
            "id": n, "name": "monday.jsonl", "channel": "patterns", "state": state, "word": word,
            "look": look, "icon": icon, "over": over, "size": 2_100_000, "read": read, "events": read // 200,
            "frames": read // 200, "took": "0.8 s", "pace": 14_000 if read else 0,
            "eta_ms": None if over or not read else 300, "rejected_total": 3 if read else 0,
            "error": "The archive is damaged." if state == "failed" else "", "ahead": 2,
        }  # fmt: skip


def _part(part: Any) -> Dict:
    return {"kind": part.kind, "title": part.name or part.kind, "text": part.text}


def _big() -> Dict:
    """One recording as the turn page draws it: ledger, waterfall, scrubber, transcript, comparison."""
    path = STREAMS / "mail-28-started-26-answered.jsonl"
    chunks = split(path.read_bytes())
    intake, picture = Intake("ag_ui", recording=True), Picture()
    picture.add(0, 0, 1, [SettingsInForce(demo.SETTINGS)])
    seen, ats, events = bytearray(), [], []
    for seq, raw in enumerate(chunks, 1):
        placed = intake.place(raw)
        found = intake.read(placed, 0)
        ats.append(intake.clock(found, placed, 0, 0))
        picture.add(seq, ats[-1], 1, found)
        seen.append(placed.kind)
        for event in found:
            event.seq, event.at, event.stream = seq, ats[-1], 1
        events += found
    measured = pace.measured([pace.Part(1, bytes(seen), ats)], 1, len(chunks))
    drawn = played.drawn(picture, measured)
    calls = drawn["calls"]
    book = show.ledger(calls)
    transcript = repair.from_events(iter(events))
    return {
        "ledger": {**book, "oldest": "nobody will answer"},
        "waterfall": waterfall.waterfall(
            calls, start=measured["start"], end=measured["end"], now=measured["end"], unit="ms",
            gaps=measured["gaps"], texts=measured["texts"],
        ),
        "scrub": drawn["scrub"],
        "transcript": {"earlier": 2, "messages": [
            {"role": one.role, "parts": list(map(_part, one.parts)), "seqs": [seq]}
            for seq, one in enumerate(transcript.messages[:4], 3)
        ]},
        "state": {"documents": [
            {"title": "State", "changes": 3, "by": "replace /city", "seq": 12, "refused": [14], "note": "",
             "text": '{"city": "Turin"}', "cut": False}
        ]},
    }  # fmt: skip
