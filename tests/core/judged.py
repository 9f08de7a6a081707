"""Streams judged for tests: a recording read whole, or a live stream with a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.streams import Event as Frame
from tests.streams import ndjson
from turnscope.core import events as e
from turnscope.core.picture import Picture, ReadThread, read_file
from turnscope.core.rules.finding import Finding

HARNESS = {"owners": {"harness": ["ToolSearch", "Read"]}}
SERVER = {"owners": {"server": ["lookup"]}}


def read(frames: Sequence[Frame], settings: dict[str, Any] | None = None) -> ReadThread:
    """The one thread of a recording."""
    threads = read_file(ndjson(frames), settings=settings, dialect="ag_ui").threads
    assert len(threads) == 1
    return threads[0]


def told(frames: Sequence[Frame], settings: dict[str, Any] | None = None) -> list[Finding]:
    """Findings that stand, less S04 where another explains it."""
    return [one for one in read(frames, settings).picture.findings if one.root or one.code != "S04"]


def found(frames: Sequence[Frame], settings: dict[str, Any] | None = None) -> dict[str, Finding]:
    """Code -> the finding that stands, of a recording in which each code stands once.

    Without what a strict client throws because of it (S04): tests/core/test_rules_refused.py holds that.
    """
    findings = told(frames, settings)
    by_code = {one.code: one for one in findings}
    assert len(by_code) == len(findings), [one.key for one in findings]
    return by_code


def only(frames: Sequence[Frame], settings: dict[str, Any] | None = None) -> Finding:
    """The only finding of a recording. Without a strict client's refusal because of it, as above."""
    findings = told(frames, settings)
    assert len(findings) == 1, [(one.code, one.message) for one in findings]
    return findings[0]


class Live:
    """A live stream: canonical events at times in ms, and ticks."""

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.picture = Picture()
        self.seq = 0
        self.say(0, e.Opened("ag_ui", recording=False))
        if settings:
            self.say(0, e.SettingsInForce(settings))

    def say(self, at: int, *events: e.Event, stream: int = 1) -> None:
        for event in events:
            self.seq += 1
            self.picture.add(self.seq, at, stream, [event])

    def tick(self, at: int) -> None:
        self.say(at, e.Tick())

    def standing(self, code: str) -> list[Finding]:
        return [one for one in self.picture.findings if one.code == code]

    @property
    def codes(self) -> list[str]:
        return sorted(one.code for one in self.picture.findings)


def call(id_: str = "c1", name: str = "lookup", text: str = "{}") -> Iterable[e.Event]:
    return (e.CallStart(id_, name), e.CallArgs(id_, text), e.CallEnd(id_))
