"""The corpus: streams, the settings that judge them, and what reading one comes to.

`corpus/<folder>/<name>.jsonl` is a stream. Its settings stand beside it in `<name>.settings.json`, or, in the
folders that have one, in `expected.json`. Some rules see time, which no recording has: a stream that begins
with `// live` is fed as a live one, each frame at its own timestamp, its comments taken for the journal's
marks: `// tick 90000` looks at the clock that many ms after the frame before, `// lost` cuts the connection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from turnscope.core import events as e
from turnscope.core.framing import split
from turnscope.core.picture import Intake, Picture, ReadThread, read_file

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = ("rules", "stories", "agui")
LIVE = b"// live"


def streams(*folders: str) -> Iterator[Path]:
    """The streams of these folders (of all), in order."""
    for folder in folders or FOLDERS:
        yield from sorted((CORPUS / folder).glob("*.jsonl"))


def name_of(path: Path) -> str:
    """ "rules/c02-unanswered-call.jsonl": how pages and tables call a stream."""
    return path.relative_to(CORPUS).as_posix()


@cache
def expected(folder: str) -> dict[str, dict[str, Any]]:
    """Stream's stem -> what its folder's expected.json says of it."""
    path = CORPUS / folder / "expected.json"
    table = json.loads(path.read_text()) if path.exists() else {}
    return {name.removesuffix(".jsonl"): said for name, said in table.items()}


def settings_of(path: Path) -> dict[str, Any]:
    beside = path.with_suffix(".settings.json")
    if beside.exists():
        found: dict[str, Any] = json.loads(beside.read_text())
        return found
    return dict(expected(path.parent.name).get(path.stem, {}).get("settings", {}))


@cache
def threads_of(name: str) -> list[ReadThread]:
    """The stream of this name, read and judged."""
    path = CORPUS / name
    data, settings = path.read_bytes(), settings_of(path)
    if data.startswith(LIVE):
        return [live(data, settings)]
    return read_file(data, settings=settings).threads


def codes_of(name: str) -> set[str]:
    """Codes that stand once the stream is read, or, in a live one, that were ever opened."""
    return {
        one.code
        for thread in threads_of(name)
        for one in thread.picture.judge.findings.values()
        if one.stands or (CORPUS / name).read_bytes().startswith(LIVE)
    }


def live(data: bytes, settings: dict[str, Any]) -> ReadThread:
    """A live stream of one thread, its comments taken for marks."""
    picture, intake, seq, now = Picture(), Intake("ag_ui"), 0, 0

    def add(events: list[e.Event]) -> None:
        nonlocal seq
        seq += 1
        picture.add(seq, now, 1, events)

    for mark in (e.Opened("ag_ui", recording=False), *([e.SettingsInForce(settings)] if settings else [])):
        add([mark])
    for raw in split(data):
        for mark, after in _marks(raw):
            now += after
            add([mark])
        placed = intake.place(raw)
        if placed.decoded.blank:
            continue
        events = intake.read(placed, 1)
        now = next((event.stamp for event in events if event.stamp is not None), now)
        add(events)
    return ReadThread(intake.thread, picture, last_seq=seq)


def _marks(raw: bytes) -> Iterator[tuple[e.Event, int]]:
    """The marks that stand before a frame, in its comments: (mark, ms that pass before it)."""
    for line in raw.decode().splitlines():
        word, _, after = line.removeprefix("// ").partition(" ")
        if line.startswith("// ") and word == "tick":
            yield e.Tick(), int(after)
        elif line.startswith("// ") and word in ("lost", "left"):
            yield e.Closed(word), 0
