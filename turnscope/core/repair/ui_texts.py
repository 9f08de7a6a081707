"""Texts and reasoning of one message of a UI message stream: opened, continued, ended, whatever was lost."""

from __future__ import annotations

from collections.abc import Mapping

from turnscope.core.repair.transcript import Json
from turnscope.core.repair.ui_sending import Sender

Dict = dict[str, Json]
Lane = tuple[str, str]
"""`text` or `reasoning`, and the id."""


class Lanes:
    """What of it is open."""

    def __init__(self, sender: Sender, last_use: Mapping[Lane, int]) -> None:
        self.out = sender
        self.last_use = last_use
        self.open: dict[Lane, int] = {}
        """Each with the step it was opened in."""
        self._fresh: dict[Lane, None] = {}
        """Those that were used since a step was left."""

    def take(self, index: int, part: Dict, step: int) -> None:
        kind, _, what = part["type"].partition("-")
        lane = (kind, part["id"])
        if what == "start" and lane in self.open:
            self._close(lane, index)
        elif what != "start" and lane not in self.open:
            if what == "end":
                self.out.drop(index, part, "out_of_order", "it was not open")
                return
            begin: Dict = {"type": f"{kind}-start", "id": lane[1]}
            self.out.add(begin, index, "out_of_order", "its start was lost")
        if what == "end":
            del self.open[lane]
            self._fresh.pop(lane, None)
        else:
            self.open.setdefault(lane, step)
            self._fresh[lane] = None
        self.out.send(part)

    def leave(self, index: int) -> None:
        """A step is over: what nothing continues is closed with it."""
        for lane in self._fresh:
            if self.last_use.get(lane, -1) <= index:
                self._close(lane, index, fresh=False)
        self._fresh = {}

    def forget(self, index: int, step: int) -> None:
        """The client forgets what is open; what the step has not brought stays, and is closed before."""
        for lane in [one for one, opened in self.open.items() if opened < step]:
            self._close(lane, index)
        self.open.clear()
        self._fresh = {}

    def close(self, index: int) -> None:
        """The message is over."""
        for lane in list(self.open):
            self._close(lane, index)

    def _close(self, lane: Lane, index: int, *, fresh: bool = True) -> None:
        del self.open[lane]
        if fresh:
            self._fresh.pop(lane, None)
        end: Dict = {"type": f"{lane[0]}-end", "id": lane[1]}
        self.out.add(end, index, "unclosed_part", "it was still open")
