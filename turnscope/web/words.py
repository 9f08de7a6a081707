"""The words of the pages: one vocabulary for states, owners, outcomes and severities, and how numbers read.

A *look* is what a call is drawn as: its state, told apart further by who owes the answer when it waits,
and `hanging` when a standing C01 says so. Status is always icon + word + texture + colour; the texture and
the colour hang on the look's key (`static/css/states.css`, `templates/_patterns.html`), in the browser too,
which gets this table with the page.
"""

from __future__ import annotations

import re
import time
from typing import Any, NamedTuple

from turnscope.core.thread import BACKGROUND, CLIENT, HARNESS, PERSON, PROVIDER, SERVER, UNKNOWN, WAITING


class Look(NamedTuple):
    word: str
    icon: str
    means: str
    rank: int
    """Worst first."""


STATES: dict[str, Look] = {
    "streaming": Look("streaming", "pen-line", "Arguments are arriving", 9),
    "running": Look("running", "loader-circle", "Server, harness or provider owes the answer", 8),
    "client": Look("waiting for client", "monitor-smartphone", "The browser owes the answer", 7),
    "person": Look("waiting for approval", "hand", "A person owes a yes or no", 5),
    "job": Look("waiting for a job", "timer", "A background job owes the answer", 7),
    "wait": Look("waiting", "circle-pause", "It waits; nothing says for whom, or its run stopped first", 6),
    "ok": Look("ok", "check", "Answered", 13),
    "failed": Look("failed", "circle-x", "Answered with an error", 3),
    "denied": Look("denied", "shield-x", "A person said no", 4),
    "skipped": Look("skipped", "skip-forward", "Not run because a sibling was refused", 12),
    "aborted": Look("aborted", "scissors", "The run ended by error, cancel or loss", 4),
    "unanswered": Look("unanswered", "message-circle-question", "The run ended and nobody will answer", 1),
    "settled": Look("settled", "stamp", "Answered by a repair", 11),
    "hanging": Look("hanging", "hourglass", "Running or waiting, past its limit", 0),
    "orphan": Look("orphan", "unlink", "A result whose call nobody announced", 2),
}

WAITS = {CLIENT: "client", PERSON: "person", BACKGROUND: "job"}
"""Which look `waiting` takes, by owner; others get `wait`."""

OWNERS: dict[str, str] = {
    SERVER: "server", CLIENT: "monitor-smartphone", PERSON: "user-round", HARNESS: "bot",
    PROVIDER: "cloud", BACKGROUND: "timer", UNKNOWN: "circle-question-mark",
}  # fmt: skip
"""Icon of each owner."""

OUTCOMES: dict[str, tuple[str, str, str]] = {
    "open": ("Running", "running", "loader-circle"),
    "hanging": ("Hanging", "hanging", "hourglass"),
    "waiting": ("Waiting", "wait", "circle-pause"),
    "finished": ("Finished", "ok", "check"),
    "failed": ("Failed", "failed", "circle-x"),
    "interrupted": ("Paused", "person", "hand"),
    "cancelled": ("Cancelled", "skipped", "circle-stop"),
    "truncated": ("Cut off", "aborted", "scissors"),
    "early": ("Ended early", "unanswered", "message-circle-question"),
    "silent": ("Stopped silently", "unanswered", "eye-off"),
    "unanswered": ("Unanswered", "unanswered", "message-circle-question"),
    "stalled": ("Stalled", "hanging", "hourglass"),
    "stuck": ("Stuck", "failed", "circle-x"),
    "asked": ("Asked", "skipped", "circle-dot"),
    "empty": ("No run", "skipped", "circle-dot"),
}
"""What became of a turn or run: word, look, icon. The words are those that headlines begin with."""

IMPORTS: dict[str, tuple[str, str, str]] = {
    "waiting": ("Waiting", "wait", "circle-pause"),
    "reading": ("Reading", "running", "loader-circle"),
    "done": ("Done", "ok", "check"),
    "failed": ("Failed", "failed", "circle-x"),
    "stopped": ("Stopped", "skipped", "circle-stop"),
    "lost": ("Interrupted", "aborted", "scissors"),
}
"""What became of an import: word, look, icon."""

TOLD = {
    OUTCOMES[key][0]: key for key in ("hanging", "stalled", "early", "stuck", "silent", "unanswered", "asked")
}
"""Outcomes that a headline knows, by what findings say, and the state of a turn does not."""

SEVERITIES: dict[str, str] = {"error": "octagon-x", "warning": "triangle-alert", "info": "info"}

CULPRITS: dict[str, str] = {"server": "server tool", "server tool": "server tool"}
"""Culprits spelled otherwise than they are stored."""


def look(state: str, owner: str, *, hanging: bool = False) -> str:
    """The key in STATES a call is drawn as."""
    if hanging:
        return "hanging"
    if state == WAITING:
        return WAITS.get(owner, "wait")
    return state if state in STATES else "wait"


def open_look(outcome: str, *, waits: bool, live: bool) -> str:
    """What a turn's open calls are drawn as where they are not at hand one by one, by its outcome's look."""
    if waits:
        return outcome if outcome in WAITS.values() else "wait"
    if live:
        return outcome if outcome in ("hanging", "running") else "running"
    return outcome if outcome in ("hanging", "aborted") else "unanswered"


def states() -> dict[str, dict[str, Any]]:
    """STATES as the browser gets it."""
    return {key: look._asdict() for key, look in STATES.items()}


# ---------------------------------------------------------------- numbers (static/js/text.js does the same)


def duration(ms: float) -> str:
    """`0.81 s`, `3 min 12 s`, `5 h 03 min`, `12 d`."""
    seconds = max(ms, 0) / 1000
    if seconds < 59.995:
        return f"{seconds:.2f} s"
    whole = int(seconds + 0.5)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 172800:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d"


def short(ms: float) -> str:
    """A limit or an age, without decimals that say nothing: `5 s`, `1.5 s`, `250 ms`, `10 min`."""
    if ms < 1000:
        return f"{round(ms)} ms"
    if ms < 60000:
        return f"{round(ms / 1000, 1):g} s"
    if ms < 3600000 and ms % 60000 == 0:
        return f"{round(ms / 60000)} min"
    return duration(ms)


DATED = 946_684_800_000
"""ms since 1970 from which a time is a date: what recordings count from nothing lies before."""


def ago(ms: int, now: float) -> str:
    """`now`, `40 s ago`, `4 min ago`, `22 h ago`, `1 d 3 h ago`; older than a month, the day (UTC)."""
    if ms < DATED:
        return "no date"
    seconds = int(max(now - ms, 0) // 1000)
    if seconds < 60:
        return "now" if seconds < 10 else f"{seconds} s ago"
    if seconds < 3600:
        return f"{seconds // 60} min ago"
    if seconds < 86400:
        return f"{seconds // 3600} h ago"
    if seconds >= 30 * 86400:
        return time.strftime("%Y-%m-%d", time.gmtime(ms / 1000))
    hours = seconds % 86400 // 3600
    return f"{seconds // 86400} d {f'{hours} h ' if hours else ''}ago"


def clock(ms: float) -> str:
    """A time within a turn: `10.710`, `14:05.250`, `1:02:03.004`."""
    ms = max(round(ms), 0)
    seconds, rest = divmod(ms, 1000)
    if seconds < 600:
        return f"{seconds}.{rest:03d}"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}.{rest:03d}"
    return f"{minutes}:{seconds:02d}.{rest:03d}"


def count(number: int) -> str:
    """`18,442`"""
    return f"{number:,}"


def size(length: int) -> str:
    """`14.2 kB`"""
    for unit, scale in (("MB", 1_000_000), ("kB", 1_000)):
        if length >= scale:
            return f"{length / scale:.1f} {unit}"
    return f"{length} B"


_OUTCOME = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)?)(?=[:;] )")


def cause(headline: str) -> str:
    """`Finished: the rest` without its outcome."""
    return _OUTCOME.sub("", headline).lstrip(":; ") if _OUTCOME.match(headline) else headline


def told(headline: str) -> str:
    """The key in OUTCOMES of what the headline begins with, if it says more than a state does; else ""."""
    found = _OUTCOME.match(headline)
    return TOLD.get(found[1], "") if found else ""


_SAID = re.compile(r'\s*\{\s*"(?:error|message|detail|reason)"\s*:\s*"((?:[^"\\]|\\.)+)')


def said(text: str) -> str:
    """What an error says: of `{"error": "gone", ...}` the words, cut or not; anything else as it is."""
    found = _SAID.match(text)
    return found[1] if found else text


def plural(number: int, noun: str) -> str:
    """`1 call`, `3 calls`"""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"
