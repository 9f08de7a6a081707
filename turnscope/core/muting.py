"""What a channel has chosen not to be told, or to be told louder or softer: a choice about showing.

Settings: `"mutes": [{"code": "R09", "subject": glob, "reason": text, "date": "2026-11-30"}]` and
`"severities": {"C18": "warning"}`, or with a reason and a date: `{"C18": {"severity": "warning", ...}}`.
The findings themselves stay what the rules say, in the picture: rows, pages, commands and a person's tests
ask here what to make of them. What is muted is shown as muted, with its reason, and does not
count. What a muted finding explains still counts by itself: nothing goes silent by being an effect.
Counterpart: `rules/causes.py`, which makes the groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from typing import Any

from .rules.causes import Group, groups
from .rules.finding import SEVERITIES, WEIGHT, Finding, Key, worst
from .thread import Thread

CODE = re.compile(r"[A-Z]\d\d")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Mute:
    """A fingerprint that a person does not want counted."""

    code: str
    subject: re.Pattern[str] | None
    """What it is about: the call's id or its tool's name, the run's or the thread's id. None: any."""
    reason: str
    date: str


@dataclass(frozen=True, slots=True)
class Told:
    """A group of findings as this channel is told of it."""

    group: Group
    severity: str
    """The strongest of what counts in it; "" when all of it is muted."""
    muted: Mute | None
    """The mute of its root, if there is one."""
    head: Finding
    """Who speaks for it: its root; where that is muted, the worst of what it explains that is not."""


def fails(severity: str, on: str) -> bool:
    """Whether this severity is at or above `on`; a word that is none never fails."""
    return severity in WEIGHT and on in WEIGHT and WEIGHT[severity] <= WEIGHT[on]


@dataclass(slots=True)
class Muting:
    """A channel's mutes and severities, compiled."""

    mutes: dict[str, list[Mute]] = field(default_factory=dict)
    severities: dict[str, str] = field(default_factory=dict)

    def severity(self, code: str, severity: str) -> str:
        """How severe the channel takes a finding of this code and severity."""
        return self.severities.get(code, severity)

    def mute(self, code: str, *names: str) -> Mute | None:
        """The mute that covers a finding about what has one of these names."""
        return next(
            (one for one in self.mutes.get(code, ())
             if one.subject is None or any(one.subject.match(name) for name in names)),
            None,
        )  # fmt: skip

    def of(self, thread: Thread, found: Finding) -> Mute | None:
        """The mute that covers this finding of the thread."""
        if found.code not in self.mutes:
            return None
        names = [found.subject, thread.call(found.call).name] if found.call else [found.subject]
        return self.mute(found.code, *names)

    def told(
        self, thread: Thread, findings: Mapping[Key, Finding], among: Iterable[Finding] | None = None
    ) -> list[Told]:
        """Standing findings (or those of `among`) by root, worst first, muted groups last."""
        out = []
        for group in groups(findings, among):
            counted = [one for one in (group.root, *group.effects) if self.of(thread, one) is None]
            severity = worst(self.severity(one.code, one.severity) for one in counted)
            muted = self.of(thread, group.root)
            head = group.root if muted is None or not counted else min(counted, key=self._weight)
            out.append(Told(group, severity, muted, head))
        return sorted(out, key=lambda one: (WEIGHT.get(one.severity, len(WEIGHT)), one.group.first_seq))

    def _weight(self, found: Finding) -> int:
        return WEIGHT.get(self.severity(found.code, found.severity), len(WEIGHT))

    def heads(self, thread: Thread, findings: Mapping[Key, Finding], found: Finding) -> bool:
        """Whether it is news by itself: it stands, is not muted, and nothing that counts explains it."""
        if not found.stands or self.of(thread, found) is not None:
            return False
        causes = (findings[key] for key in found.because_of if key in findings)
        return all(self.of(thread, cause) is not None for cause in causes if cause.stands)


def telling(settings: Mapping[str, Any]) -> tuple[Any, Any]:
    """The part of a settings value that says what counts, to be compared."""
    return settings.get("mutes") or None, settings.get("severities") or None


def compile_muting(settings: Mapping[str, Any]) -> Muting:
    """The choices of a settings value; ignores what it does not understand."""
    muting = Muting()
    for one in _list(settings.get("mutes")):
        if not _understood(one):
            continue
        glob = one.get("subject")
        subject = re.compile(translate(glob)) if isinstance(glob, str) else None
        mute = Mute(one["code"], subject, one["reason"], one["date"])
        muting.mutes.setdefault(mute.code, []).append(mute)
    for code, chosen in _dict(settings.get("severities")).items():
        severity = chosen.get("severity") if isinstance(chosen, dict) else chosen
        if isinstance(severity, str) and severity in SEVERITIES:
            muting.severities[code] = severity
    return muting


def _understood(one: Any) -> bool:
    """Whether this is a mute: code, reason and date. `shape.py` says what is wrong with one that is none."""
    if not isinstance(one, dict):
        return False
    code, reason, date = one.get("code"), one.get("reason"), one.get("date")
    return (
        isinstance(code, str)
        and bool(CODE.fullmatch(code))
        and isinstance(one.get("subject", "*"), str)
        and isinstance(reason, str)
        and bool(reason.strip())
        and isinstance(date, str)
        and bool(DATE.fullmatch(date))
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}
