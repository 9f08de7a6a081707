"""Texts that stand in no one frame: spread over the pieces in which a message or a call's arguments came.

The pieces of each message and call are put one behind the other as JSON spelled them, a segment at a time,
with as much of what came before as a text may reach back. A text is found at the piece that ends it. Nothing
is parsed: a million frames cost a third of a second. Counterpart: `sifting.py`, which finds all others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, compress, count
from operator import ne

from turnscope.core import kinds
from turnscope.store import segments

PIECES = frozenset(
    number for number, name in kinds.NAMES.items()
    if name.endswith(("_CONTENT", "_CHUNK", "_ARGS"))
)  # fmt: skip
"""Kinds of events that bring a piece of a text."""
REACH = 512
"""Seqs before those asked about that are read for what a text may have begun with."""
_ID = rb'"(?:toolcallid|messageid|tool_call_id|message_id)"\s*:\s*"([^"]*)"'
_TEXT = rb'"([^"\\]*(?:\\.[^"\\]*)*)"'
_NEXT = {
    b'"delta":"': re.compile(rb'id":"([^"]*)","delta":' + _TEXT, re.S),
    b'"delta": "': re.compile(rb'id": "([^"]*)", "delta": ' + _TEXT, re.S),
}
"""A piece right behind its id, in the two ways that JSON is commonly spaced: nearly all frames are so."""
_ANY = re.compile(
    rb"(?:" + _ID + rb'[^{}]{0,400}?)?"delta"\s*:\s*' + _TEXT + rb"(?:[^{}]{0,400}?" + _ID + rb")?", re.S
)
"""A piece with its id somewhat before or behind it, or without one; bounded, so that no frame is slow."""

Spelled = Sequence[Sequence[bytes]]
"""The alternatives of one term, each in all its spellings, in lower case."""


class Spread:
    """What terms of text find in pieces, fed one segment after the other."""

    def __init__(self, terms: Sequence[Spelled]) -> None:
        self.terms = [[one for among in spelled for one in among if len(one) > 1] for spelled in terms]
        self.all = [one for term in self.terms for one in term]
        self.looped = {one for one in self.all if any(one.startswith(one[i:]) for i in range(1, len(one)))}
        """Those that may overlap themselves, which counting would miss."""
        self._keep = max(map(len, self.all), default=1) - 1
        self._tails: dict[bytes, bytes] = {}
        """By the id of a message or call, lower case: the end of what it has said."""

    def feed(self, first: int, header: bytes, body: bytes, data: bytes) -> list[set[int]]:
        """For each term the seqs at which a text ends in this segment; `data`: its body, in lower case."""
        found: list[set[int]] = [set() for _ in self.terms]
        if not self._keep:
            return found
        said = _grouped(data)
        hit: set[bytes] = set()
        ends: dict[bytes, bytes] = {}
        for key, pieces in said.items():
            tail = self._tails.get(key, b"")
            text = tail + b"".join(pieces)
            ends[key] = text[-self._keep :]
            if any(one in text and self._joins(one, text, [tail, *pieces]) for one in self.all):
                hit.add(key)
        if hit:
            self._place(found, hit, _pieces(first, header, body))
        self._tails |= ends
        return found

    def _joins(self, one: bytes, text: bytes, pieces: list[bytes]) -> bool:
        """Whether it stands there more often than in the pieces one by one."""
        return one in self.looped or text.count(one) > b'"'.join(pieces).count(one)

    def _place(
        self, found: list[set[int]], hit: set[bytes], told: dict[bytes, list[tuple[int, bytes]]]
    ) -> None:
        for key in hit:
            pieces = told.get(key, [])
            tail = self._tails.get(key, b"")
            text = tail + b"".join(piece for _, piece in pieces)
            ends = list(accumulate((len(piece) for _, piece in pieces), initial=len(tail)))[1:]
            for seqs, term in zip(found, self.terms, strict=True):
                for one in term:
                    at = text.find(one)
                    while at >= 0:
                        if at + len(one) > len(tail):
                            seqs.add(pieces[bisect_left(ends, at + len(one))][0])
                        at = text.find(one, at + 1)


def _grouped(data: bytes) -> dict[bytes, list[bytes]]:
    """The pieces in a segment's bytes by whose they are. One that names nobody is of whoever spoke last."""
    pairs: list[tuple[bytes, bytes]] = []
    for spaced, next_ in _NEXT.items():
        if not pairs and spaced in data:
            pairs = next_.findall(data)
    if len(pairs) != data.count(b'"delta"'):
        pairs = [(before or behind, piece) for before, piece, behind in _ANY.findall(data)]
    said: dict[bytes, list[bytes]] = {}
    if not pairs:
        return said
    keys, pieces = zip(*pairs, strict=True)
    turns = compress(count(1), map(ne, keys, keys[1:]))
    last, begin = b"", 0
    for end in (*turns, len(keys)):
        last = keys[begin] or last
        said.setdefault(last, []).extend(pieces[begin:end])
        begin = end
    return said


def _pieces(first: int, header: bytes, body: bytes) -> dict[bytes, list[tuple[int, bytes]]]:
    """The same with the seq of each, frame by frame."""
    told: dict[bytes, list[tuple[int, bytes]]] = {}
    last = b""
    for frame in segments.frames_of(first, header, body):
        for before, piece, behind in _ANY.findall(frame.raw.lower()):
            last = before or behind or last
            told.setdefault(last, []).append((frame.seq, piece))
    return told
