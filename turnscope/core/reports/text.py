"""For a person: headline, ledger and findings of each thread, what a finding explains indented under it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from ..ledger import Ledger, ledger
from ..rules.finding import ERROR, INFO, SEVERITIES, WARNING, Finding, listed, many
from ..rules.headline import headline
from . import Heard, Report, Tally, members, plain, where

Paint: TypeAlias = Callable[[str, str], str]
"""(role, text) -> the text as a terminal shows that role. Roles: a severity, `title`, `quiet`, `fine`."""
STEP = "    "
LABEL = 9
REPEATED = 5
"""How many rejected lines are told one by one."""


def unpainted(role: str, text: str) -> str:
    return text


def write(reports: Iterable[Report], *, width: int = 0, paint: Paint = unpainted) -> Iterator[str]:
    """A text per recording as it comes, and a last line if there are several.

    One that cannot be read is only counted: whoever reads recordings says so at once, and to somebody else.
    `width`: characters of a line, for a terminal; 0: sentences stay on one line.
    """
    tally, told = Tally(), 0
    for one in map(tally.add, reports):
        if not one.unreadable:
            yield "\n" * bool(told) + "\n".join(block(one, width=width, paint=paint))
            told += 1
    if tally.recordings > 1:
        yield "\n" + summary(tally)


def block(report: Report, *, width: int = 0, paint: Paint = unpainted) -> Iterator[str]:
    """One recording."""
    file = paint("title", plain(report.file))
    if not report.threads:
        yield f"{file}: empty"
        return
    yield file
    for line, reason in report.rejected[:REPEATED]:
        yield f"  line {line} could not be read: {plain(reason)}"
    if len(report.rejected) > REPEATED:
        yield f"  and {len(report.rejected) - REPEATED} more lines"
    for heard in report.threads:
        yield from _thread(report, heard, several=len(report.threads) > 1, width=width, paint=paint)


def summary(tally: Tally) -> str:
    """The last line of several recordings."""
    names = {severity: severity if severity == INFO else "" for severity in SEVERITIES}
    found = [many(count, severity, names[severity]) for severity, count in tally.counts.items() if count]
    parts = [f"{many(tally.recordings, 'recording')}: {tally.clean} clean"]
    parts += [f"{tally.unreadable} unreadable"] if tally.unreadable else []
    parts += [listed(found)] if found else []
    parts += [f"{tally.muted} muted"] if tally.muted else []
    return ", ".join(parts)


def _thread(report: Report, heard: Heard, *, several: bool, width: int, paint: Paint) -> Iterator[str]:
    seen = heard.thread.picture.thread
    if several:
        yield f"  thread {paint('title', plain(heard.thread.name or 'without a name'))}"
    said = headline(seen, None, heard.findings, report.muting).text
    yield from _wrapped(f"{plain(said)}", "  ", width)
    if seen.calls:
        yield "  " + paint("quiet", bar(ledger(seen.calls)))
    for told in heard.told:
        yield ""
        for depth, found in enumerate(members(told)):
            yield from _finding(report, heard, found, STEP if depth else "", width=width, paint=paint)


def bar(book: Ledger) -> str:
    """The ledger in a line."""
    parts = [
        f"{book.started} started",
        f"{book.ended} ended",
        f"{book.answered} answered",
        f"{book.open} open",
    ]
    parts += [f"{book.waiting} waiting"] if book.waiting else []
    parts += [f"{book.failed} failed"] if book.failed else []
    return " · ".join(parts)


def _finding(
    report: Report, heard: Heard, found: Finding, indent: str, *, width: int, paint: Paint
) -> Iterator[str]:
    seen = heard.thread.picture.thread
    severity = report.muting.severity(found.code, found.severity)
    mute = report.muting.of(seen, found)
    head = f"{severity:<7} {found.code} {found.name}"
    about = plain(found.subject[:80])
    times = f" ({found.count} times)" if found.count > 1 else ""
    role = "quiet" if mute is not None else severity if severity in (ERROR, WARNING) else "info"
    yield f"  {indent}{paint(role, head)}  {about}{times}"
    inner = f"  {indent}{STEP}"
    yield from _wrapped(plain(found.message), inner, width)
    lines = where(heard, found)
    at = (
        f"events {', '.join(map(str, found.seqs))}"
        if len(found.seqs) > 1
        else f"event {found.seqs[0] if found.seqs else '-'}"
    )
    at += f" (line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))})" if lines else ""
    rows = [("seen", at)]
    if not indent:
        rows += [
            ("culprit", f"{found.culprit}: {plain(found.culprit_reason)}"),
            ("repair", plain(found.repair)),
        ]
    if mute is not None:
        rows.append(("muted", plain(mute.reason) + (f" ({mute.date})" if mute.date else "")))
    for label, text in rows:
        yield from _wrapped(
            text, inner, width, first=f"{inner}{paint('quiet', f'{label:<{LABEL}}')}", gap=LABEL
        )


def _wrapped(text: str, indent: str, width: int, *, first: str | None = None, gap: int = 0) -> Iterator[str]:
    begin = indent if first is None else first
    if not width:
        yield begin + text
        return
    room = max(40, width - len(indent) - gap)
    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    yield begin + lines[0]
    for line in lines[1:]:
        yield indent + " " * gap + line
