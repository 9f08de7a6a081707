"""How many frames come in, a second: counted as the journal tells of its commits, in this process alone."""

from __future__ import annotations

import threading
import time
from collections import deque

from turnscope.store.journal import Journal, get_journal

WINDOW = 10.0
"""Seconds that the rate is taken over."""
THREADS = 10_000
"""Threads whose last seq is remembered."""


class Rate:
    """Listens from its first question on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._journal: Journal | None = None
        self._seqs: dict[int, int] = {}
        self._came: deque[tuple[float, int]] = deque()

    def begin(self) -> None:
        """Listen to the process's journal. Again: nothing."""
        journal = get_journal()
        with self._lock:
            if self._journal is not journal:
                self._journal = journal
                self._seqs.clear()
                journal.listeners.append(self.heard)

    def heard(self, thread: int, seq: int, channel: int, change: int) -> None:
        """A commit: the thread is at `seq`."""
        with self._lock:
            before = self._seqs.pop(thread, None)
            self._seqs[thread] = seq
            if len(self._seqs) > THREADS:
                self._seqs.pop(next(iter(self._seqs)))
            if before is not None and seq > before:
                self._came.append((time.monotonic(), seq - before))
                self._forget()

    def _forget(self) -> None:
        edge = time.monotonic() - WINDOW
        while self._came and self._came[0][0] < edge:
            self._came.popleft()

    def now(self) -> float:
        """Frames a second, over the last few."""
        self.begin()
        with self._lock:
            self._forget()
            return round(sum(n for _, n in self._came) / WINDOW, 1)


rate = Rate()
