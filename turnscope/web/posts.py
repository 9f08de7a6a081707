"""A body of frames into a channel, for those who do not keep a socket open. Counterpart: `sockets.py`.

Stored as it is read, in commits of at most 1,000 frames. A bad frame among good ones is kept and told; a
body with nothing for the journal in it (a message list, no readable line) is refused, as files are. With an
`Idempotency-Key` the body is a stream of that name: a retry goes on behind the last frame stored, and one
that comes after the answer gets the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from turnscope.core import framing
from turnscope.store import imports, jobs, reading
from turnscope.store.journal import Incoming, Journal, Replaced, StreamHandle
from turnscope.store.models import Call, Run, Stream, Thread
from turnscope.store.sources import NoRecording, looked_at

from . import bodies
from .writer import now_ms

FRAMES, BYTES = 1_000, 1024**2
"""What goes into one commit at most."""
REJECTED = 100
"""Rejected lines that an answer lists."""
LINKS = 100
"""Threads, and runs of each, that an answer lists."""

DIGEST = "body"
"""Where a kept answer says which body it was given to."""

Chunk = tuple[bytes, int]
"""One frame's bytes, and the line it starts in, from 1."""


class OtherBody(Exception):
    """This key has brought another body: what this one holds would be lost without a word."""


def take(
    journal: Journal, channel: str, pieces: Iterable[bytes], *, create: bool,
    recording: bool = False, name: str = "", key: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Store a body; what became of it. Raises LookupError for a channel that is not there, Replaced,
    OtherBody for a key that has brought another one, and NoRecording: then nothing of it is stored.

    What reading the body raises passes; what was read until then is stored, and the stream is closed.
    """
    done = jobs.remembered(channel, _key(channel, key)) if key else None
    body = _Body(pieces)
    if done is not None:
        return _again(done.answer, body)
    body.look(name)
    handle = journal.open_stream(
        channel, key=f"post:{key}" if key else None, recording=recording, name=name, create=create
    )
    rejected: list[dict[str, Any]] = []
    why = "lost"
    try:
        stored = Stream.objects.values_list("frames", flat=True).get(pk=handle.id)
        before = imports.frames(handle.id)
        told = _store(journal, handle, islice(_chunks(body), stored, None), rejected)
        why = "lost" if body.cut else "end"
    finally:
        journal.close_stream(handle, why)
    told["frames"] = imports.frames(handle.id) - before
    if body.cut:
        told["rejected"] += 1
        rejected.append({"line": None, "reason": "the packed body ends in the middle: the rest is not here"})
    answer = _answer(handle, told, rejected)
    if key:
        jobs.remember(handle.channel_id, _key(channel, key), handle.id, name, {**answer, DIGEST: body.digest})
    return answer


class _Body:
    """The body's pieces, once; when they are read, what tells it from another, and whether it was cut."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._seen = hashlib.blake2b(digest_size=16)
        self._pieces = self._told_apart(pieces)
        self.cut = False

    def look(self, name: str) -> None:
        """Raises NoRecording if there is nothing in it for the journal."""
        breaks = (bodies.Cut, bodies.TooLarge, bodies.Unreadable)
        try:
            file = name or "FILE"
            self._pieces = looked_at(self._pieces, name or "the body", "auto", file=file, breaks=breaks)
        except bodies.Cut:
            self._pieces, self.cut = iter(()), True

    def _told_apart(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._seen.update(piece)
            yield piece

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        except bodies.Cut:
            self.cut = True  # the rest of the evidence is worth keeping

    @property
    def digest(self) -> str:
        return self._seen.hexdigest()


def _again(stored: dict[str, Any], body: _Body) -> dict[str, Any]:
    """The answer that this body has had. Raises OtherBody."""
    for _ in body:
        pass
    if stored.get(DIGEST, body.digest) != body.digest:
        raise OtherBody
    return {name: value for name, value in stored.items() if name != DIGEST}


def _key(channel: str, key: str) -> str:
    return hashlib.sha256(f"{channel}\0{key}".encode(errors="replace")).hexdigest()


def _chunks(pieces: Iterable[bytes]) -> Iterator[Chunk]:
    """The body's frames with their lines, as the pieces arrive."""
    splitter, line = framing.Splitter(), 1
    for piece in pieces:
        for chunk in splitter.feed(piece):
            yield chunk, line
            line += chunk.count(b"\n")
    for chunk in splitter.flush():
        yield chunk, line
        line += chunk.count(b"\n")


def _store(
    journal: Journal, handle: StreamHandle, chunks: Iterator[Chunk], rejected: list[dict[str, Any]]
) -> dict[str, Any]:
    """Store the chunks; sums of what the journal says. Lines that could not be read go to `rejected`."""
    told: dict[str, Any] = {"dialect": handle.dialect, "events": 0, "rejected": 0}
    place = Stream.objects.values_list("frames", flat=True).get(pk=handle.id)
    while batch := list(_batch(chunks)):
        now = now_ms()
        receipt = journal.append(handle, [Incoming(chunk, now) for chunk, _ in batch])
        told["dialect"] = receipt.dialect
        told["events"] += receipt.events
        told["rejected"] += len(receipt.rejected)
        # What the producer's numbers show to be sent before has no place: then no line can be told.
        whole = receipt.frames == len(batch)
        for at, reason in receipt.rejected[: REJECTED - len(rejected)]:
            rejected.append({"line": batch[at - place - 1][1] if whole else None, "reason": reason})
        place += receipt.frames
    return told


def _batch(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    size = 0
    for chunk in islice(chunks, FRAMES):
        yield chunk
        size += len(chunk[0])
        if size >= BYTES:
            return


def _answer(handle: StreamHandle, told: dict[str, Any], rejected: list[dict[str, Any]]) -> dict[str, Any]:
    """What the sender is told: counts, as `turnscope ingest` counts, and where to look."""
    threads = Thread.objects.filter(pk__in=reading.threads_of(handle.id)).order_by("pk")
    return {
        "stream": handle.id,
        "dialect": told["dialect"],
        "frames": told["frames"],
        "events": told["events"],
        "threads": [_thread(thread, handle) for thread in threads[:LINKS]],
        "rejected": rejected,
        "rejected_total": told["rejected"],
    }


def _thread(thread: Thread, handle: StreamHandle) -> dict[str, Any]:
    runs = Run.objects.filter(thread=thread, stream=handle.id).order_by("number")
    calls = Call.objects.filter(thread=thread)
    return {
        "id": thread.pk,
        "name": thread.name,
        "url": f"/threads/{thread.pk}/",
        "last_seq": thread.last_seq,
        "calls": calls.count(),
        "findings": imports.roots([thread.pk]),
        "runs": [
            {"id": run.pk, "run_id": run.run_id, "state": run.state, "url": f"/runs/{run.pk}/"}
            for run in runs[:LINKS]
        ],
    }


__all__ = ["NoRecording", "Replaced", "take"]
