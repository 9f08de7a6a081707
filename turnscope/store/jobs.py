"""Imports as rows: what is being read in, how far it is, and what came of it; and answers kept for retries.

The only writer of Import rows. A job is read by one thread of its process, one after the other; its row says
how far it is twice a second, and those behind it that they wait: whoever reloads the page, or looks from
another process, sees the same. The file stays until it is read. So a job whose process has gone is taken up
by the next that sees it (`adopt`), and goes on behind the last frame that was stored.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
import threading
import time
import zipfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connections, transaction
from django.db.models import QuerySet

from .files import LIMIT, Recording, Unreadable, recordings
from .imports import REJECTED, Told, bring_in, frames
from .journal import Replaced, clock, get_journal
from .models import Channel, Import, Stream
from .sources import NoRecording, looked_at
from .text import digest, harmless, shown

log = logging.getLogger("turnscope.store")

EVERY_MS, WAITING_MS = 500, 4_000
"""How often a row says how far its job is, and that it waits."""
SILENT_MS = 15_000
"""A job that has said nothing for so long is nobody's."""
HERE = f"{socket.gethostname()}:{os.getpid()}"
"""Whose job it is: this process's."""
LEFT = 24 * 3600
"""Seconds after which a file that nobody took away is removed."""
COMMIT = 1_000
"""Frames of one commit: live frames wait while it is made."""
MEMBERS = 10_000
"""Recordings that one archive may hold."""
WAITING, READING, DONE, FAILED, STOPPED = "waiting", "reading", "done", "failed", "stopped"
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class Stopped(Exception):
    """A person has stopped the job."""


# ---------------------------------------------------------------- answers kept for retries


def remembered(channel: str, key: str) -> Import | None:
    """The request of this key on a channel, if it was answered."""
    return Import.objects.filter(channel__slug=channel, key=key, state=DONE).first()


def remember(channel: int, key: str, stream: int, name: str, answer: dict[str, Any]) -> None:
    """Keep what a request was answered, for a retry with the same key."""
    Import.objects.update_or_create(
        channel_id=channel,
        key=key,
        defaults={"stream_id": stream, "name": shown(name), "state": DONE, "answer": answer},
    )


# ---------------------------------------------------------------- jobs


def place() -> Path:
    """A path for a file that is to be read in."""
    folder = settings.HOME / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    edge, wanted = time.time() - LEFT, {said.get("file") for said in _open().values_list("answer", flat=True)}
    for path in folder.iterdir():
        if path.stat().st_mtime < edge and path.name not in wanted:
            path.unlink(missing_ok=True)
    return Path(folder / uuid4().hex)


def _open() -> QuerySet[Import]:
    """Imports that are not over."""
    return Import.objects.filter(key="", state__in=(WAITING, READING))


def begin(channel: str, path: Path, name: str, dialect: str = "auto") -> int:
    """Have a file read in, and removed; the id of the job. A channel that is not there is made."""
    row = Import.objects.create(
        channel=Channel.objects.get_or_create(slug=channel)[0],
        name=shown(name or path.name),
        size=_size(path),
        answer={"at": clock(), "by": HERE, "dialect": dialect, "file": path.name, "name": name},
    )
    _worker.add(Job(row.pk, channel, path, name, dialect))
    return row.pk


def adopt() -> int:
    """Take up the jobs whose process has gone and whose file is here; how many."""
    found = 0
    for pk in list(_open().order_by("pk").values_list("pk", flat=True)):
        if _worker.has(pk):
            continue
        with transaction.atomic():
            row = _open().select_for_update().select_related("channel").filter(pk=pk).first()
            if row is None or not _left(row) or (path := _file(row)) is None:
                continue
            said = row.answer
            Import.objects.filter(pk=pk).update(answer={**said, "at": clock(), "by": HERE})
        name, dialect = str(said.get("name") or row.name), str(said.get("dialect") or "auto")
        job = Job(pk, row.channel.slug, path, name, dialect)
        job.carry(row)
        _worker.add(job)
        found += 1
    return found


def _left(row: Import) -> bool:
    """Whether nobody reads it any more: its process is over, or has not said a word for long."""
    host, _, pid = str(row.answer.get("by") or "").rpartition(":")
    if host == socket.gethostname() and pid.isdecimal() and int(pid) != os.getpid():
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass  # there, and another's
    return clock() - int(row.answer.get("at") or 0) > SILENT_MS


def _file(row: Import) -> Path | None:
    """Where its file is, if it is on this machine."""
    name = str(row.answer.get("file") or "")
    path = settings.HOME / "imports" / name
    return path if name.isalnum() and path.is_file() else None


def stop(pk: int) -> None:
    """Have a job end early, whoever reads it; one that waits is over at once."""
    waits = Import.objects.filter(pk=pk, state=WAITING).update(state=STOPPED)
    if not _worker.stop(pk) and not waits:
        Import.objects.filter(pk=pk, state=READING).update(state=STOPPED)


def ahead(row: Import) -> int:
    """How many imports are to be read before it."""
    return _open().filter(pk__lt=row.pk).count() if row.state == WAITING else 0


def state(row: Import) -> str:
    """Its state, or `lost` where whoever read it has gone, and has left nothing to go on with."""
    if row.state in (WAITING, READING) and not _worker.has(row.pk) and _left(row) and _file(row) is None:
        return "lost"
    return row.state


def _size(path: Path) -> int:
    """Bytes that reading it will give; 0 where only reading tells."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())
    with path.open("rb") as file:
        head = file.read(4)
    return 0 if head.startswith(_PACKED) else path.stat().st_size


class Job:
    """One file being read in."""

    def __init__(self, pk: int, channel: str, path: Path, name: str, dialect: str) -> None:
        self.pk, self.channel, self.path, self.name, self.dialect = pk, channel, path, name, dialect
        self.stopping = threading.Event()
        self.done: list[Told] = []
        self.told = Told()
        self.read = self.before = self.unpacked = 0
        self.began = self.said = 0
        self.again = False

    def carry(self, row: Import) -> None:
        """It was begun before: what was told of it then stays told."""
        self.again = row.state == READING
        lines = [(int(one["line"]), str(one["reason"])) for one in row.rejected]
        self.done.append(Told(rejected=lines, unread=int(row.answer.get("rejected_total") or 0)))

    def run(self) -> None:
        """Read it all. Never raises: what went wrong is in the row."""
        self.began = clock()
        self._say(READING)
        try:
            self._read()
        except Replaced:
            return  # another process has taken it up: the row and the file are its
        except Stopped:
            self._say(STOPPED)
        except Unreadable as why:
            self._say(FAILED, str(why).replace(str(self.path), self.name))
        except Exception as error:
            log.exception("import %s failed", self.pk)
            self._say(FAILED, f"Turnscope failed here: {type(error).__name__}")
        else:
            self._say(DONE)
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        for number, one in enumerate(recordings([str(self.path)])):
            if isinstance(one, Unreadable):
                raise one
            if number >= MEMBERS:
                raise Unreadable(f"{self.name}: more than {MEMBERS} recordings are in this archive")
            self.told, key = Told(), f"import:{self.pk}:{number}"
            try:
                if self.again and self._whole(key):
                    continue
                pieces = looked_at(self._pieces(one), self._name(one), self.dialect)
                bring_in(
                    get_journal(), self.channel, pieces, name=self._name(one),
                    dialect=self.dialect, progress=self._progress, told=self.told, most=COMMIT,
                    key=key,
                )  # fmt: skip
                if self.again:
                    self.told.events = frames(self.told.stream)
            except NoRecording as why:
                if not one.member:
                    raise
                # One file of many: the others are read, and this one is told among what was rejected.
                self.told.rejected.append((1, str(why)))
                self.told.unread += 1
            finally:
                self.done.append(self.told)
                self.told = Told()
                self.before = self.read
        if self.done and not any(told.stream for told in self.done):
            raise Unreadable(self.done[0].rejected[0][1])

    def _whole(self, key: str) -> bool:
        """Whether the stream of this key was read to its end, and what it came to then."""
        row = Stream.objects.filter(channel__slug=self.channel, key=digest("stream", key)).first()
        if row is None or row.closed_why != "end":
            return False
        self.told = Told(row.pk, row.dialect, frames=row.frames, events=frames(row.pk))
        return True

    def _name(self, one: Recording) -> str:
        return f"{self.name}!{one.member}" if one.member else self.name

    def _pieces(self, one: Recording) -> Iterator[bytes]:
        for piece in one.pieces(max(LIMIT - self.unpacked, 0)):
            if self.stopping.is_set():
                raise Stopped
            self.unpacked += len(piece)  # what is refused unread counts, too
            yield piece

    def _progress(self, size: int) -> None:
        self.read = self.before + size
        if clock() - self.said >= EVERY_MS:
            self._say(READING)

    def waits(self) -> None:
        """Write down that it is somebody's, and waits."""
        rows = Import.objects.filter(pk=self.pk, state=WAITING)
        if (said := rows.values_list("answer", flat=True).first()) is not None:
            rows.update(answer={**said, "at": clock(), "by": HERE})

    def _say(self, state: str, error: str = "") -> None:
        """Write down how far it is; a row that says it was stopped stays so, and stops it."""
        self.said = clock()
        _worker.waits()
        all_ = [*self.done, self.told]
        rejected = [{"line": line, "reason": reason} for told in all_ for line, reason in told.rejected]
        answer = {
            "at": self.said, "by": HERE, "began": self.began, "dialect": self.dialect, "error": error,
            "file": self.path.name, "name": self.name,
            "events": sum(told.events for told in all_), "frames": sum(told.frames for told in all_),
            "streams": [told.stream for told in all_ if told.stream][:1000],
            "rejected_total": sum(told.unread for told in all_),
        }  # fmt: skip
        streams = answer["streams"]
        rows = Import.objects.filter(pk=self.pk)
        changed = (rows.exclude(state=STOPPED) if state == READING else rows).update(
            state=state, read=self.read, rejected=harmless(rejected[:REJECTED]), answer=harmless(answer),
            stream_id=streams[0] if isinstance(streams, list) and streams else None,
        )  # fmt: skip
        if not changed:
            self.stopping.set()


class _Worker:
    """Reads jobs one after the other, in a thread that ends when there are none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Job] = deque()
        self._now: Job | None = None
        self._told = 0

    def waits(self) -> None:
        """Now and then: those behind the one that is read are this process's."""
        if clock() - self._told < WAITING_MS:
            return
        self._told = clock()
        with self._lock:
            waiting = list(self._waiting)
        for job in waiting:
            job.waits()

    def add(self, job: Job) -> None:
        with self._lock:
            self._waiting.append(job)
            if self._now is None:
                self._now = self._waiting.popleft()
                threading.Thread(target=self._run, name="turnscope-import", daemon=True).start()

    def has(self, pk: int) -> bool:
        with self._lock:
            return any(job.pk == pk for job in self._jobs())

    def stop(self, pk: int) -> bool:
        with self._lock:
            found = [job for job in self._jobs() if job.pk == pk]
            for job in found:
                job.stopping.set()
            return bool(found)

    def _jobs(self) -> list[Job]:
        return [*([self._now] if self._now else []), *self._waiting]

    def _run(self) -> None:
        try:
            while True:
                with self._lock:
                    job = self._now
                if job is None:
                    return
                job.run()
                with self._lock:
                    self._now = self._waiting.popleft() if self._waiting else None
        finally:
            connections.close_all()


_worker = _Worker()


def keep(source: Any, path: Path) -> None:
    """Put what a file-like object holds into a file."""
    with path.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
