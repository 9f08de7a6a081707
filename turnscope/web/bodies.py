"""A posted body as it is read: unpacked (gzip, zstd, by header or by its first bytes), and bounded.

Nothing is held whole: pieces in, pieces out. A body is hostile: a kilobyte may unpack to a gigabyte.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator

import zstandard

from turnscope.store.files import unzstd

PIECE = 65536
"""Bytes handed on at a time."""
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Unreadable(Exception):
    """The body cannot be unpacked."""


class Cut(Exception):
    """The packed body ends in the middle; all that it holds up to there has been given."""


class TooLarge(Exception):
    """The body is larger than allowed, as it came or unpacked."""


def pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What a file-like object has, piece by piece."""
    while piece := read(PIECE):
        yield piece


def unpacked(body: Iterable[bytes], limit: int, encoding: str = "") -> Iterator[bytes]:
    """The body's content, at most `limit` bytes of it. Raises Unreadable, Cut, TooLarge.

    `encoding` is the request's Content-Encoding; without one, the first bytes tell.
    """
    parts = iter(body)
    first = b""
    for piece in parts:
        first += piece
        if len(first) >= len(ZSTD):
            break
    total = 0
    for piece in _content(_chain(first, parts), encoding.strip().lower(), first):
        total += len(piece)
        if total > limit:
            raise TooLarge
        yield piece


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _content(parts: Iterator[bytes], encoding: str, first: bytes) -> Iterator[bytes]:
    if encoding in ("gzip", "x-gzip", "deflate") or (not encoding and first.startswith(GZIP)):
        return _inflated(parts)
    if encoding == "zstd" or (not encoding and first.startswith(ZSTD)):
        return _zstd(parts)
    if encoding in ("", "identity"):
        return parts
    raise Unreadable(f"Content-Encoding {encoding[:40]!r} is not one of gzip, deflate, zstd")


def _inflated(parts: Iterator[bytes]) -> Iterator[bytes]:
    """gzip, of one or several members, or zlib."""
    inflate, begun = zlib.decompressobj(wbits=47), False
    try:
        for part in parts:
            while part:
                begun = True
                yield inflate.decompress(part, PIECE)
                part = inflate.unconsumed_tail
                if inflate.eof:
                    part = inflate.unused_data.lstrip(b"\0")
                    inflate, begun = zlib.decompressobj(wbits=47), False
        yield inflate.flush()
    except zlib.error as error:
        raise Unreadable(f"the body is not gzip as it says: {error}") from error
    if begun and not inflate.eof:
        raise Cut


def _zstd(parts: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from unzstd(parts)
    except zstandard.ZstdError as error:
        raise Unreadable(f"the body is not zstd as it says: {error}") from error
    except EOFError as error:
        raise Cut from error
