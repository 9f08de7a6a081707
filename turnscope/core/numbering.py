"""The producer's own numbers: what is new, what was sent before, where some are missing.

A producer may number its frames (an envelope's `n`, or a number beside the frame). A live one may send
again what it does not know to have arrived: the journal drops that. A recording is kept whole, and numbers
that go back in it are a gap as well. A producer that numbers nothing is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from .events import Gap


@dataclass(slots=True)
class Numbering:
    """Where one stream's numbers stand."""

    last: int = 0
    """The last number taken, or how many frames there were of a stream without numbers."""
    numbered: bool = False
    """Some frame has carried a number: those that carry none are then not counted."""

    def seen(self, n: int | None) -> bool:
        """Whether a live stream has brought this number already."""
        return n is not None and self.numbered and n <= self.last

    def count(self, frames: int, *, numbered: bool = False) -> None:
        """Count frames that carry no numbers, or those that were due."""
        if numbered or not self.numbered:
            self.last += frames

    @property
    def due(self) -> int:
        """The number that follows; -1 for a producer that has numbered nothing."""
        return self.last + 1 if self.numbered else -1

    def take(self, n: int | None) -> Gap | None:
        """Count one more frame; the gap before it, if its number does not follow."""
        if n is None:
            self.count(1)
            return None
        gap = Gap(self.last + 1, n) if self.numbered and n != self.last + 1 else None
        self.last, self.numbered = n, True
        return gap
