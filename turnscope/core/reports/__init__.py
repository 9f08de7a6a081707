"""The catalogue of reports: what was found in recordings, spelled for a person, a script or a CI server.

A report is a module with `write(reports, ...)`, a text of all of them: `text` for a person, `machine` for
scripts (JSON), `sarif` for code scanning, `junit` for test reports. What is counted is decided once, here:
roots, as severe as the worst they explain, the muted ones aside. Producers' texts are hostile: whoever spells
them makes them harmless for its own reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..muting import Muting, Told, fails
from ..picture import Reading, ReadThread
from ..rules.finding import SEVERITIES, Finding, Key

FORMATS = ("text", "json", "sarif", "junit")
_UNSAFE = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class Heard:
    """One thread of a recording, and what is told of it."""

    thread: ReadThread
    findings: dict[Key, Finding]
    """Those that stand, of the rules that were asked for."""
    told: list[Told]
    """By root, worst first."""


@dataclass(slots=True)
class Report:
    """One recording: what is told of each of its threads, or why it cannot be read."""

    file: str
    unreadable: str = ""
    frames: int = 0
    rejected: list[tuple[int, str]] = field(default_factory=list)
    threads: list[Heard] = field(default_factory=list)
    muting: Muting = field(default_factory=Muting)

    @property
    def told(self) -> Iterator[tuple[Heard, Told]]:
        return ((heard, told) for heard in self.threads for told in heard.told)

    @property
    def counts(self) -> dict[str, int]:
        """How many roots count, by severity."""
        found = dict.fromkeys(SEVERITIES, 0)
        for _, told in self.told:
            if told.severity in found:
                found[told.severity] += 1
        return found


@dataclass(slots=True)
class Tally:
    """What several recordings come to, without keeping them."""

    recordings: int = 0
    clean: int = 0
    unreadable: int = 0
    muted: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SEVERITIES, 0))

    def add(self, report: Report) -> Report:
        """Count it, and hand it on."""
        counts = report.counts
        self.recordings += 1
        self.unreadable += bool(report.unreadable)
        self.clean += not report.unreadable and not any(counts.values())
        self.muted += sum(not told.severity for _, told in report.told)
        for severity, count in counts.items():
            self.counts[severity] += count
        return report

    def fails(self, on: str) -> bool:
        """Whether something counted is at or above this severity; a word that is none never fails."""
        return any(count and fails(severity, on) for severity, count in self.counts.items())


def report(file: str, reading: Reading, muting: Muting, only: frozenset[str] | None = None) -> Report:
    """What is told of a recording. `only`: these codes alone, as if there were no other rules."""
    threads = []
    for thread in reading.threads:
        standing: Mapping[Key, Finding] = {
            key: found
            for key, found in thread.picture.judge.findings.items()
            if found.stands and (only is None or found.code in only)
        }
        told = muting.told(thread.picture.thread, standing)
        threads.append(Heard(thread, dict(standing), told))
    return Report(file, "", reading.frames, reading.rejected, threads, muting)


def members(told: Told) -> Iterable[Finding]:
    """A group's findings, the root first."""
    return (told.group.root, *told.group.effects)


def where(heard: Heard, found: Finding) -> list[int]:
    """Lines of the file that show it, as far as its evidence came from there."""
    lines = heard.thread.lines
    return list(dict.fromkeys(line for seq in found.seqs if seq <= len(lines) and (line := lines[seq - 1])))


def harmless(text: str) -> str:
    """The text with NUL and lone surrogates, which no other program takes, spelled out."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str) -> str:
    """A producer's text for a terminal: control characters, which could drive it, are spelled out."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
