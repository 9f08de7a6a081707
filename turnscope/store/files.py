"""Recordings on disk: found, unpacked, read piece by piece. Their first bytes tell gzip, zstd and zip."""

from __future__ import annotations

import gzip
import lzma
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import zstandard

PIECE = 1 << 18
"""Bytes read at a time."""
LIMIT = 8 * 1024**3
"""Most bytes that one recording may unpack to: a kilobyte can be made to unpack to a gigabyte."""
STEP = 512
"""Packed bytes of zstd taken at a time."""
STREAM = "stream.jsonl"
BUNDLE = {"turnscope.json", STREAM}
"""What a bundle of `turnscope export` holds, and by which it is known."""
WINDOW = 2**27
"""Most bytes that a zstd frame may have the reader hold."""
PACKED_WRONGLY = (
    EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, zstandard.ZstdError, RuntimeError
)  # fmt: skip
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


class Source(Protocol):
    """What can be read from: a file, or what unpacks one."""

    def read(self, size: int, /) -> bytes: ...


class Unreadable(Exception):
    """A file that cannot be read, in a sentence."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording: a file, a member of a zip archive, or standard input."""

    path: Path | None
    """None: standard input."""
    member: str = ""

    @property
    def name(self) -> str:
        """As a person named it, and a report repeats it."""
        if self.path is None:
            return "-"
        return f"{self.path}!{self.member}" if self.member else str(self.path)

    @property
    def once(self) -> bool:
        """Whether it can be read but once: standard input, a pipe."""
        return self.path is None or (self.path.exists() and not self.path.is_file())

    @property
    def size(self) -> int:
        """Bytes on disk, packed or not; 0 where nobody can tell."""
        return self.path.stat().st_size if self.path is not None and not self.member else 0

    def pieces(self, limit: int = LIMIT) -> Iterator[bytes]:
        """Its unpacked bytes, piece by piece. Raises Unreadable."""
        total = 0
        try:
            with self._opened() as stream:
                while piece := stream.read(PIECE):
                    total += len(piece)
                    if total > limit:
                        raise Unreadable(f"{self.name}: unpacks to more than {limit} bytes")
                    yield piece
        except OSError as error:
            raise Unreadable(f"{self.name}: {error.strerror or error}") from error
        except PACKED_WRONGLY as error:
            raise Unreadable(f"{self.name}: cannot be unpacked: {error}") from error

    @contextmanager
    def _opened(self) -> Iterator[Source]:
        if self.path is None:
            if sys.stdin is None:
                raise Unreadable("-: standard input is closed")
            with _unpacked(sys.stdin.buffer) as source:
                yield source
            return
        with self.path.open("rb") as file:
            if self.member:
                with zipfile.ZipFile(file) as archive, archive.open(self.member) as inner:
                    yield inner
                return
            with _unpacked(file) as source:
                yield source


@contextmanager
def _unpacked(file: Any) -> Iterator[Source]:
    """What a buffered binary file holds, out of gzip or zstd if it is in one."""
    head = file.peek(len(_ZSTD))[: len(_ZSTD)]
    if head.startswith(_GZIP):
        with gzip.open(file) as inner:
            yield inner
    elif head == _ZSTD:
        yield _Pieces(unzstd(iter(lambda: file.read(PIECE), b"")))
    else:
        yield file


class _Pieces:
    """Pieces of bytes as a source, each read as it is."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = filter(None, pieces)

    def read(self, size: int, /) -> bytes:
        return next(self._pieces, b"")


def unzstd(parts: Iterable[bytes]) -> Iterator[bytes]:
    """What these parts unpack to, of one or several frames. Raises ZstdError; EOFError where one is cut off.

    They are taken in small steps: what a step unpacks to is in memory at once, and it may be 32,768 times
    as much.
    """
    frame: Any = None
    for part in parts:
        for start in range(0, len(part), STEP):
            rest = part[start : start + STEP]
            while rest:
                if frame is None:
                    frame = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
                yield frame.decompress(rest)
                rest = b""
                if frame.eof:
                    rest, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError("it ends in the middle")


def recordings(paths: Sequence[str]) -> Iterator[Recording | Unreadable]:
    """The recordings that these arguments name: files, folders (all files in them), `-`; or why not."""
    for text in paths:
        if text == "-":
            yield Recording(None)
            continue
        path = Path(text)
        try:
            if path.is_dir():
                inside = [one for one in sorted(path.rglob("*")) if one.is_file() and not _hidden(one, path)]
                for one in inside:
                    yield from _members(one)
                if not inside:
                    yield Unreadable(f"{text}: no recording is in this folder")
            else:
                yield from _members(path)
        except (OSError, zipfile.BadZipFile) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            yield Unreadable(f"{text}: {reason}")


def _hidden(path: Path, top: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(top).parts)


def _members(path: Path) -> Iterator[Recording]:
    if Recording(path).once:
        yield Recording(path)  # a pipe: whoever looks at its first bytes has taken them
        return
    with path.open("rb") as file:
        packed = file.read(4) == _ZIP
    if not packed:
        yield Recording(path)
        return
    with zipfile.ZipFile(path) as archive:
        # Of a bundle of ours the stream is the recording; the rest was made of it.
        bundle = BUNDLE <= set(archive.namelist())
        for info in archive.infolist():
            if not info.is_dir() and (not bundle or info.filename == STREAM):
                yield Recording(path, info.filename)
