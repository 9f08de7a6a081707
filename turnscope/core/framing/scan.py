"""How far a JSON text reaches: brackets and strings, nothing else, resumable at any byte.

The splitter asks it where documents end in bytes that may be cut anywhere, so that it never has to
parse. It does not validate: what it lets through, `decode` judges.
"""

from __future__ import annotations

import re

SEPARATOR, OPENED, CLOSED, BROKEN = range(4)
"""What `step` stops at: a comma, a value's start or end at the level asked for; a newline in a string."""

_OUTSIDE = re.compile(rb'["{}\[\]]')
_BETWEEN = re.compile(rb'["{}\[\],]')
_INSIDE = re.compile(rb'["\\\n]')
_FLAT = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\\n]++|\\[^\n])*+")++')
"""Everything up to the next bracket, whole strings included: one C call for most of an event."""


class Scan:
    """Depth and string state after the bytes seen so far.

    `step(data, at)` reads on from `at` and returns (what, the position after it), or None at the
    end of the data. `top` is the depth whose values and commas are of interest: 0 for documents,
    1 for the elements of an array.
    """

    __slots__ = ("_skip", "depth", "text", "top")

    def __init__(self, top: int = 0) -> None:
        self.top = self.depth = top
        self.text = False
        """Inside a string."""
        self._skip = 0
        """1 when an escape at the end of the last data claims the first byte of the next."""

    def step(self, data: bytes, at: int) -> tuple[int, int] | None:
        while True:
            if self.text:
                at = self._string(data, at)
                if at < 0:
                    return None
                if self.text:
                    self.text = False
                    return BROKEN, at
            if self.depth > self.top and (flat := _FLAT.match(data, at)):
                at = flat.end()
            mark = (_BETWEEN if 0 < self.depth == self.top else _OUTSIDE).search(data, at)
            if mark is None:
                return None
            at = mark.end()
            if (what := self._mark(data[at - 1])) is not None:
                return what, at

    def _mark(self, byte: int) -> int | None:
        if byte == 0x22:
            self.text = True
            return OPENED if self.depth == self.top else None
        if byte == 0x2C:
            return SEPARATOR
        if byte in b"{[":
            self.depth += 1
            return OPENED if self.depth == self.top + 1 else None
        self.depth -= 1
        return CLOSED if self.depth <= self.top else None

    def _string(self, data: bytes, at: int) -> int:
        """The position after the string's end; -1 if the data ends first; `text` stays set at a newline."""
        at += self._skip
        self._skip = 0
        while mark := _INSIDE.search(data, at):
            at = mark.end()
            byte = data[at - 1]
            if byte == 0x22:
                self.text = False
                return at
            if byte == 0x0A:
                return at
            if at == len(data):
                self._skip = 1
                return -1
            at += 1
        return -1
