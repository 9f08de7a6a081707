"""What people bring: a message list, a recording, a UI message stream, or the name of a stored run.

Each can be read as a history, and all but the first are streams that can be repaired as such. Judges and
prints nothing.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnscope.core import dialects
from turnscope.core.events import Event, Frame
from turnscope.core.framing import decode, split
from turnscope.core.kinds import MARK
from turnscope.core.picture import guess, read_file
from turnscope.core.repair import Change, Transcript, from_events, shapes, ui_parts
from turnscope.core.repair.stream import repair_stream
from turnscope.core.repair.transcript import CALL
from turnscope.core.repair.ui_messages import messages_of
from turnscope.core.repair.ui_stream import repair_ui_stream
from turnscope.core.tools import compile_settings

from . import history
from .files import Recording, Unreadable, recordings
from .models import Run

LIMIT = 1024**3
"""Most bytes of a file: it is read whole."""
HEAD = 1 << 18
"""Bytes that tell a stream."""
LOOKED_AT = 32 * 1024**2
"""Bytes of a file whose beginning is no recording's that are looked at before anything is stored."""
SURE = 0.5
"""How much of some values has to be a dialect's for them to be a recording."""
AG_UI, AI_SDK = "ag_ui", "ai_sdk"
WAITED_FOR = ("client", "background")
"""Owners that settings can name and whose answer comes after the run has ended."""


class NoRecording(Unreadable):
    """What is whole and has nothing for the journal in it: a sentence, the line it is about, and why."""

    def __init__(self, sentence: str, line: int, reason: str) -> None:
        super().__init__(sentence)
        self.line, self.reason = line, reason


@dataclass(slots=True)
class Mended:
    """A repaired stream, whatever its protocol."""

    sent: list[dict[str, Any]]
    changes: list[Change]
    pending: list[str]
    offers: list[dict[str, Any]]


@dataclass(slots=True)
class Source:
    """One of them, read."""

    settings: dict[str, Any]
    given: dict[str, Any] = field(default_factory=dict)
    """Those of the settings that whoever asks has named; of a stored run they go before its own."""
    messages: Transcript | None = None
    frames: list[Frame] = field(default_factory=list)
    before: list[Event] = field(default_factory=list)
    """What the thread had brought before the run that is meant."""
    parts: list[Any] = field(default_factory=list)
    told: list[Change] = field(default_factory=list)
    """What `transcript` left out or put elsewhere, of a stream whose client would have refused it there."""

    @property
    def protocol(self) -> str | None:
        """Of what stream it is; None for a message list."""
        if self.messages is not None:
            return None
        return AI_SDK if self.parts else AG_UI

    def transcript(self) -> Transcript:
        """Its history, with what is known of its calls. Those that nobody answered are open in it."""
        if self.messages is not None:
            return owed(self.messages, self.given)
        if not self.parts:
            events = (event for frame in self.frames for event in frame.events)
            return owed(from_events([*self.before, *events]), self.given)
        done = repair_ui_stream(self.parts, self.settings, answers=False)
        self.told = [change for change in done.changes if change.action != "filler_added"]
        transcript = shapes.read(messages_of(done.parts), "ai_sdk_ui")
        transcript.evidence.pending.update(done.pending)
        transcript.evidence.started.update(done.begun)
        return transcript

    def stream(self) -> Mended:
        """The stream, repaired."""
        if self.parts:
            ui = repair_ui_stream(self.parts, self.settings)
            return Mended(ui.parts, ui.changes, ui.pending, ui.offers)
        done = repair_stream(_plane(self.frames), self.settings, context=self.before)
        return Mended(done.events, done.changes, done.pending, done.offers)


def opened(source: str, thread: str | None, settings: dict[str, Any]) -> Source:
    """What the argument names: a file, - for standard input, or a stored run's number. Raises Unreadable."""
    if source.isdecimal() and not Path(source).exists():
        return _stored(int(source), settings)
    (one, *more) = [*recordings([source]), None]
    if not isinstance(one, Recording):
        raise one or Unreadable(f"{source}: an empty folder")
    if more != [None]:
        raise Unreadable(f"{source}: holds more than one recording; name one")
    data = b"".join(one.pieces(LIMIT))
    messages = _message_list(data)
    if messages is not None:
        return Source(settings, settings, shapes.read(messages))
    parts = ui_parts.read(data)
    if ui_parts.telling(parts):
        return Source(settings, parts=parts)
    return Source(settings, frames=_recorded(one.name, data, thread, settings))


def owed(transcript: Transcript, settings: dict[str, Any]) -> Transcript:
    """The transcript, knowing which of its calls the settings give to somebody who is waited for.

    A message list names no owner, so that a client's call at its end would look like one that nobody answers.
    """
    policy = compile_settings(settings)
    for part in (part for message in transcript.messages for part in message.of(CALL)):
        owner, _ = policy.owner(part.name or "") or ("", "")
        if part.id and owner in WAITED_FOR:
            transcript.evidence.pending.add(part.id)
        elif part.id and owner:
            transcript.evidence.pending.discard(part.id)
    return transcript


def recorded(head: bytes) -> bool:
    """Whether the first bytes of a file are a recording's."""
    return guess(split(head))[1] >= SURE


def no_recording(data: bytes, name: str, file: str = "") -> str | None:
    """The sentence for what is no recording, and what a repair takes; None for all others.

    `file` is what a repair would be given, where that is not the name.
    """
    if recorded(data[:HEAD]):
        return None
    value, file = _message_list(data), file or name
    if value is not None and dialects.guess([value])[1] < SURE:
        return (
            f"{name}: a message list in the shape of {shapes.guess(value)}, not a recording: "
            f"`turnscope repair {file} --target ...` takes it"
        )
    if ui_parts.telling(ui_parts.read(data[:HEAD])):
        return (
            f"{name}: an AI SDK UI stream: its findings are not judged; "
            f"`turnscope repair {file} --target ai_sdk_stream` mends it"
        )
    return None


def looked_at(
    pieces: Iterator[bytes], name: str, dialect: str, *, file: str = "",
    breaks: type[Exception] | tuple[type[Exception], ...] = Unreadable,
) -> Iterator[bytes]:  # fmt: skip
    """The pieces, if there is something in them for the journal; else raises NoRecording.

    `breaks` is what pieces that break off raise: then what came before is worth keeping, whatever it is.
    """
    held, size, whole, look = list[bytes](), 0, True, 0
    broken: Exception | None = None
    try:
        for piece in pieces:
            held.append(piece)
            size += len(piece)
            if size >= look:
                if size >= LOOKED_AT or recorded(b"".join(held)):
                    whole = False
                    break
                look = 2 * size  # its first line may be long
    except breaks as why:
        if not held:
            raise
        broken = why
    if data := b"".join(held) if whole and broken is None else b"":
        none = no_recording(data, name, file) if dialect == "auto" else None
        if none is not None:
            raise NoRecording(none, 1, none.removeprefix(f"{name}: "))
        if (worst := unreadable(data)) is not None:
            line, reason = worst
            raise NoRecording(f"{name}: no line of it can be read; line {line}: {reason}", line, reason)
    return itertools.chain(held, _raising(broken) if broken else pieces)


def _raising(why: Exception) -> Iterator[bytes]:
    """What is left of pieces that broke off."""
    raise why
    yield b""


def unreadable(data: bytes) -> tuple[int, str] | None:
    """The first line and what is wrong with it, if nothing can be read; None for what is only empty, too."""
    line, first = 1, None
    for raw in split(data):
        decoded = decode(raw)
        if not decoded.blank and not decoded.reason:
            return None
        if decoded.reason and first is None:
            first = (line, decoded.reason)
        line += raw.count(b"\n")
    return first


def _stored(pk: int, settings: dict[str, Any]) -> Source:
    run = Run.objects.select_related("thread").filter(pk=pk).first()
    if run is None:
        raise Unreadable(f"there is no run {pk}")
    found = Source({**(run.thread.settings or {}), **settings}, settings)
    for frame in history.frames(run.thread_id, max(run.end_seq, run.last_seq)):
        if frame.seq < run.start_seq:
            found.before += frame.events
        elif frame.kind >= MARK or frame.stream == run.stream:
            found.frames.append(frame)
    return found


def _message_list(data: bytes) -> Any:
    """The value, if the file is one JSON document that holds messages; else None."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        told = dialects.guess(value)[1] >= SURE
    else:
        told = isinstance(value, dict) and "type" in value
    return value if not told and shapes.telling(value) else None


def _recorded(name: str, data: bytes, thread: str | None, settings: dict[str, Any]) -> list[Frame]:
    """The frames of one thread of a recording."""
    reading = read_file(data, name=name, settings=settings or None)
    found = [one for one in reading.threads if thread is None or one.name == thread]
    if not found or not reading.frames:
        names = ", ".join(str(one.name) for one in reading.threads)
        raise Unreadable(f"{name}: no thread {thread!r}, of {names}" if names else f"{name}: empty")
    if len(reading.rejected) == reading.frames:
        line, reason = reading.rejected[0]
        raise Unreadable(f"{name}: neither a message list nor a recording; line {line}: {reason}")
    return found[-1].frames


def _plane(frames: Iterable[Frame]) -> Iterator[tuple[Any, list[Event]]]:
    """Marks too, without a value: what a host captured stands there."""
    for frame in frames:
        yield None if frame.kind >= MARK else decode(frame.raw).value, frame.events
