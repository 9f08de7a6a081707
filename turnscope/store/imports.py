"""A recording read in through the journal, and what it came to.

Every face that takes a file (the command, a server's import) comes through here, so that their counts are
the same. Frames go in by thousands: a commit costs the same for one as for many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Sum

from turnscope.core import framing
from turnscope.core.kinds import KINDS, MARK
from turnscope.core.rules.finding import SEVERITIES

from . import reading
from .collecting import seldom_collected
from .journal import Incoming, Journal, StreamHandle, clock
from .models import Finding, Run, Stream, Turn

FRAMES, BYTES = 8_000, 1024**2
"""What one commit takes at most."""
REJECTED = 100
"""How many frames that could not be read are listed."""

_SILENT = frozenset((KINDS["BLANK"], *range(MARK, 256)))
_GROUPED = ("code", "subject", "occurrence", "severity", "because_of", "muted")
_LEDGER = ("started", "ended", "answered", "open")

Progress = Callable[[int], None]
"""Told how many bytes have been read so far."""


@dataclass(slots=True)
class Told:
    """What the journal said while the recording went in."""

    stream: int = 0
    dialect: str = "auto"
    confidence: float = 0.0
    frames: int = 0
    events: int = 0
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """(line, reason) of the first frames that could not be read; lines count from 1."""
    unread: int = 0
    """How many there were."""


def bring_in(
    journal: Journal, channel: str, pieces: Iterable[bytes], *, name: str, dialect: str = "auto",
    progress: Progress = lambda size: None, told: Told | None = None, most: int = FRAMES,
    key: str | None = None,
) -> Told:  # fmt: skip
    """Read a recording in, as a closed stream of its own. What `pieces` raises passes; the rest is stored.

    A `told` that is given grows as the recording is read. Where others write too, commits are to be small:
    `most` frames each. With a `key` the stream has that name: what it has already is not stored again.
    """
    handle = journal.open_stream(channel, key=key, recording=True, name=name, dialect=dialect, create=True)
    told = Told() if told is None else told
    told.stream, told.dialect = handle.id, handle.dialect
    told.frames = Stream.objects.values_list("frames", flat=True).get(pk=handle.id)
    why = "lost"
    try:
        with seldom_collected():
            _read_all(journal, handle, pieces, told, progress, most)
        why = "end"
    finally:
        journal.close_stream(handle, why)
    return told


def _read_all(
    journal: Journal, handle: StreamHandle, pieces: Iterable[bytes], told: Told, progress: Progress, most: int
) -> None:
    splitter, pending, size, held, line = framing.Splitter(), list[bytes](), 0, 0, 1
    stored = told.frames
    for piece in pieces:
        size, held = size + len(piece), held + len(piece)
        pending += splitter.feed(piece)
        if stored:
            known, pending = pending[:stored], pending[stored:]
            stored, line = stored - len(known), line + b"".join(known).count(b"\n")
        if held >= BYTES or len(pending) >= most:
            line = _append(journal, handle, pending, line, told, most)
            pending, held = [], 0
        progress(size)
    _append(journal, handle, (pending + splitter.flush())[stored:], line, told, most)


def _append(
    journal: Journal, handle: StreamHandle, chunks: list[bytes], line: int, told: Told, most: int
) -> int:
    """The line that follows these frames."""
    for start in range(0, len(chunks), most):
        raws, now, before = chunks[start : start + most], clock(), told.frames
        receipt = journal.append(handle, [Incoming(raw, now) for raw in raws])
        told.dialect, told.frames = receipt.dialect, told.frames + receipt.frames
        told.confidence = receipt.confidence or told.confidence
        told.events += receipt.events
        told.unread += len(receipt.rejected)
        for place, reason in receipt.rejected[: REJECTED - len(told.rejected)]:
            above = raws[: place - before - 1]
            told.rejected.append((line + b"".join(above).count(b"\n"), reason))
        line += b"".join(raws).count(b"\n")
    return line


# ---------------------------------------------------------------- what it came to


def summary(stream_id: int) -> dict[str, Any]:
    """Counts of what a stream holds and of what was found in its threads; findings are counted by root."""
    threads = reading.threads_of(stream_id)
    return {
        "frames": frames(stream_id),
        "threads": len(threads),
        "runs": Run.objects.filter(stream=stream_id).count(),
        "calls": _calls(threads),
        "findings": roots(threads),
    }


def frames(stream_id: int) -> int:
    """Frames of the stream; what is only framing (blank ones, marks) is none."""
    counts = (reading.tally(thread) for thread in reading.threads_of(stream_id))
    return sum(
        n
        for tally in counts
        for (stream, kind), n in tally.items()
        if stream == stream_id and kind not in _SILENT
    )


def roots(threads: list[int]) -> dict[str, int]:
    """Standing roots by severity, each as severe as the worst it explains; what is muted does not count."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for thread in threads:
        standing = Finding.objects.filter(thread_id=thread, closed_seq=0).only(*_GROUPED)
        found = {(row.code, row.subject, row.occurrence): row for row in standing}
        worst: dict[tuple[str, str, int], str] = {}
        for key, row in found.items():
            if row.muted:
                continue
            seen = {key}
            while causes := [_key(cause) for cause in found[key].because_of]:
                key = next((cause for cause in causes if cause in found and cause not in seen), key)
                if key in seen:
                    break
                seen.add(key)
            worst[key] = min(worst.get(key, row.severity), row.severity, key=SEVERITIES.index)
        for severity in worst.values():
            counts[severity] += 1
    return counts


def _key(cause: dict[str, Any]) -> tuple[str, str, int]:
    return cause["code"], cause["subject"], cause["occurrence"]


def _calls(threads: list[int]) -> dict[str, int]:
    sums = Turn.objects.filter(thread_id__in=threads).aggregate(**{name: Sum(name) for name in _LEDGER})
    return {name: sums[name] or 0 for name in _LEDGER}
