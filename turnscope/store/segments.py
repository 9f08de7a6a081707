"""Segments: many frames in one row, a packed header and one zstd body. Bytes in, bytes out; no database.

The header is little-endian columns: a fixed head, the streams' ids, one kind byte per frame, then stream,
arrival, length and place of each frame in the narrowest width that holds them. A column that says nothing
new (one stream, one arrival time, places that count up) is left out. The kinds come first, so that a
million frames are filtered by kind without unpacking anything else. The body is the frames' raw bytes one
after the other; a short one is kept as it is, since zstd would only make it longer.
"""

from __future__ import annotations

import sys
import threading
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import sub
from struct import Struct, error

import zstandard

from turnscope.core.events import Frame

FULL_FRAMES, FULL_BYTES = 256, 256 * 1024
"""From here on small live segments become one: a full segment is never written again."""
MOST_FRAMES = 512
"""A large batch is cut into segments of at most so many: a page must not unpack much more than it shows."""
SHORT = 512
"""A body of fewer bytes is not compressed."""

_VERSION = 1
_STORED = 1
"""Flag: the body is not compressed."""
_HEAD = Struct("<BBcccccHIq")
"""version, flags, width of stream index, arrival, length, place, unused, streams, frames, first arrival."""
_STREAM = Struct("<q")
_NONE = b"-"
"""The width of a column that was left out."""
_UNSIGNED = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32), ("Q", 1 << 64))
_SIGNED = (("b", 1 << 7), ("h", 1 << 15), ("i", 1 << 31), ("q", 1 << 63))
_LEVEL = 3

_local = threading.local()


class Damaged(ValueError):
    """A segment's bytes are not what was written: a disk fault or a newer version's format."""


@dataclass(slots=True)
class Sheet:
    """Frames on their way into segments, as columns. Their seqs follow one another from `first_seq`."""

    first_seq: int
    kinds: bytearray = field(default_factory=bytearray)
    ats: list[int] = field(default_factory=list)
    streams: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    size: int = 0
    """Bytes of all bodies."""

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def last_seq(self) -> int:
        return self.first_seq + len(self.kinds) - 1

    @property
    def full(self) -> bool:
        return len(self.kinds) >= FULL_FRAMES or self.size >= FULL_BYTES

    def frame(self, index: int) -> Frame:
        return Frame(
            seq=self.first_seq + index, at=self.ats[index], stream=self.streams[index],
            n=self.places[index], kind=self.kinds[index], raw=self.bodies[index],
        )  # fmt: skip

    def add(self, kind: int, at: int, stream: int, place: int, raw: bytes) -> None:
        """One more frame; `place` is its n in the stream, 0 for a mark of the journal's own."""
        self.kinds.append(kind)
        self.ats.append(at)
        self.streams.append(stream)
        self.places.append(place)
        self.bodies.append(raw)
        self.size += len(raw)

    def add_run(
        self, kinds: bytes | bytearray, ats: list[int], stream: int, place: int, bodies: list[bytes]
    ) -> None:
        """Frames of one stream that follow one another there, the first at `place`."""
        self.kinds += kinds
        self.ats += ats
        self.streams += [stream] * len(kinds)
        self.places += range(place, place + len(kinds))
        self.bodies += bodies
        self.size += sum(map(len, bodies))

    def extend(self, other: Sheet) -> None:
        """The frames that follow, from another sheet."""
        self.kinds += other.kinds
        self.ats += other.ats
        self.streams += other.streams
        self.places += other.places
        self.bodies += other.bodies
        self.size += other.size

    def cut(self) -> Iterator[Sheet]:
        """The same frames in sheets that each make one segment."""
        start, whole = 0, len(self.kinds)
        while start < whole:
            stop = min(start + MOST_FRAMES, whole)
            size = self.size if stop - start == whole else sum(map(len, self.bodies[start:stop]))
            if size > FULL_BYTES:
                sizes = accumulate(map(len, self.bodies[start:stop]))
                stop = start + (sum(total <= FULL_BYTES for total in sizes) or 1)
                size = sum(map(len, self.bodies[start:stop]))
            yield self._part(start, stop, size)
            start = stop

    def _part(self, start: int, stop: int, size: int) -> Sheet:
        if stop - start == len(self.kinds):
            return self
        return Sheet(
            self.first_seq + start, self.kinds[start:stop], self.ats[start:stop], self.streams[start:stop],
            self.places[start:stop], self.bodies[start:stop], size,
        )  # fmt: skip


# ---------------------------------------------------------------- writing


def pack(sheet: Sheet) -> tuple[bytes, bytes]:
    """(header, body) of a sheet with at least one frame."""
    streams = list(dict.fromkeys(sheet.streams))
    index: Sequence[int] = ()
    if len(streams) > 1:
        number = {stream: i for i, stream in enumerate(streams)}
        index = [number[stream] for stream in sheet.streams]
    first = sheet.ats[0]
    steps = [0, *map(sub, sheet.ats[1:], sheet.ats)]
    places: Sequence[int] = sheet.places
    counted = len(streams) == 1 and sheet.places == list(range(places[0], places[0] + len(places)))
    columns = (
        _column(index, _UNSIGNED),
        _column(steps if any(steps) else (), _SIGNED),
        _column(list(map(len, sheet.bodies)), _UNSIGNED),
        _column(places[:1] if counted else places, _UNSIGNED),
    )
    body = b"".join(sheet.bodies)
    flags = _STORED
    if len(body) >= SHORT:
        body, flags = _compressor().compress(body), 0
    head = _HEAD.pack(
        _VERSION, flags, *(code for code, _ in columns), b"1" if counted else _NONE,
        len(streams), len(sheet.kinds), first,
    )  # fmt: skip
    ids = b"".join(map(_STREAM.pack, streams))
    return b"".join((head, ids, sheet.kinds, *(data for _, data in columns))), body


def _column(values: Sequence[int], widths: tuple[tuple[str, int], ...]) -> tuple[bytes, bytes]:
    if not values:
        return _NONE, b""
    low, high = min(values), max(values)
    if widths is _SIGNED:
        high = max(high, -low - 1)
    code = next(code for code, limit in widths if high < limit)
    packed = array(code, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return code.encode(), packed.tobytes()


def _compressor() -> zstandard.ZstdCompressor:
    """One per thread: the library's objects serve one caller at a time."""
    try:
        return _local.compressor  # type: ignore[no-any-return]
    except AttributeError:
        _local.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        return _local.compressor  # type: ignore[no-any-return]


# ---------------------------------------------------------------- reading


def kinds_of(header: bytes) -> bytes:
    """The kind byte of each frame."""
    head = _head(header)
    start = _HEAD.size + head[7] * _STREAM.size
    return header[start : start + head[8]]


def holds(header: bytes, kinds: Collection[int]) -> bool:
    """Whether one of its frames is of one of these kinds."""
    head = _head(header)
    start = _HEAD.size + head[7] * _STREAM.size
    return any(header.find(kind, start, start + head[8]) >= 0 for kind in kinds)


def streams_of(header: bytes) -> tuple[int, ...]:
    """Ids of the streams that brought its frames; 0 for marks that belong to none."""
    count = _head(header)[7]
    return tuple(_STREAM.unpack_from(header, _HEAD.size + i * _STREAM.size)[0] for i in range(count))


def tally(header: bytes) -> Counter[tuple[int, int]]:
    """How many frames of each (stream, kind) it has."""
    return Counter(zip(_columns(header)[1], kinds_of(header), strict=True))


def arrivals_of(header: bytes) -> list[int]:
    """When each of its frames came. Raises Damaged."""
    try:
        head = _head(header)
        at = _HEAD.size + head[7] * _STREAM.size + head[8]
        _, at = _read_column(header, at, head[2], head[8])
        steps, _ = _read_column(header, at, head[3], head[8])
        return list(accumulate(steps[1:], initial=head[9])) if steps else [head[9]] * head[8]
    except (error, ValueError, IndexError, EOFError) as fault:
        raise Damaged(f"a segment's header cannot be read: {fault}") from fault


def unpack(first_seq: int, header: bytes, body: bytes) -> Sheet:
    """The sheet a segment was packed from. Raises Damaged."""
    with _readable(first_seq):
        ats, streams, places, lengths = _columns(header)
        raw = open_body(header, body)
        ends = list(accumulate(lengths, initial=0))
        if ends[-1] != len(raw):
            raise ValueError(f"{len(raw)} bytes where the header says {ends[-1]}")
        bodies = [raw[start:end] for start, end in pairwise(ends)]
        return Sheet(first_seq, bytearray(kinds_of(header)), ats, streams, places, bodies, len(raw))


@contextmanager
def _readable(first_seq: int) -> Iterator[None]:
    """Turns what reading a damaged segment may raise into Damaged."""
    try:
        yield
    except Damaged:
        raise
    except (error, ValueError, IndexError, EOFError, zstandard.ZstdError) as fault:
        raise Damaged(f"the segment from {first_seq} cannot be read: {fault}") from fault


def _columns(header: bytes) -> tuple[list[int], list[int], list[int], Sequence[int]]:
    """(arrivals, streams, places, lengths)."""
    head = _head(header)
    many, count, first, counted = head[7], head[8], head[9], head[6] == b"1"
    at = _HEAD.size + many * _STREAM.size + count
    index, at = _read_column(header, at, head[2], count)
    steps, at = _read_column(header, at, head[3], count)
    lengths, at = _read_column(header, at, head[4], count)
    places, at = _read_column(header, at, head[5], 1 if counted else count)
    ids = streams_of(header)
    return (
        list(accumulate(steps[1:], initial=first)) if steps else [first] * count,
        [ids[i] for i in index] if index else [ids[0]] * count,
        list(range(places[0], places[0] + count)) if counted else list(places),
        lengths,
    )


def _read_column(header: bytes, at: int, code: bytes, count: int) -> tuple[Sequence[int], int]:
    if code == _NONE:
        return (), at
    column = array(code.decode())
    end = at + count * column.itemsize
    column.frombytes(header[at:end])
    if len(column) != count:
        raise ValueError("the header is cut")
    if sys.byteorder == "big":
        column.byteswap()
    return column, end


def open_body(header: bytes, body: bytes) -> bytes:
    """The frames' raw bytes, one after the other."""
    if _head(header)[1] & _STORED:
        return body
    try:
        return _local.decompressor.decompress(body)  # type: ignore[no-any-return]
    except AttributeError:
        _local.decompressor = zstandard.ZstdDecompressor()
        return _local.decompressor.decompress(body)  # type: ignore[no-any-return]


def _head(header: bytes) -> tuple[int, int, bytes, bytes, bytes, bytes, bytes, int, int, int]:
    head = _HEAD.unpack_from(header)
    if head[0] != _VERSION:
        raise Damaged(f"a segment of version {head[0]}, written by a newer Turnscope")
    return head


def frames_of(
    first_seq: int, header: bytes, body: bytes, *, after: int = 0, until: int | None = None,
    kinds: Collection[int] | None = None,
) -> Iterator[Frame]:  # fmt: skip
    """The frames with `after < seq <= until` and one of `kinds`. The body is unpacked only for one."""
    found = kinds_of(header)
    start = max(0, after + 1 - first_seq)
    stop = len(found) if until is None else min(len(found), until + 1 - first_seq)
    wanted = range(start, stop) if kinds is None else [i for i in range(start, stop) if found[i] in kinds]
    if not wanted:
        return
    with _readable(first_seq):
        ats, streams, places, lengths = _columns(header)
        raw, ends = open_body(header, body), list(accumulate(lengths, initial=0))
        if ends[-1] != len(raw):
            raise ValueError(f"{len(raw)} bytes where the header says {ends[-1]}")
    for i in wanted:
        yield Frame(first_seq + i, ats[i], streams[i], places[i], found[i], raw[ends[i] : ends[i + 1]])
