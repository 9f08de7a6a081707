"""Telling whoever watches that something is new: a hint, never content.

After a commit the journal calls `heard`, in any thread. Whoever watches in this process is told at once, by
a plain call in its event loop; other processes by the channel layer's groups, one per thread and one per
channel, named by our own keys, at most 20 times a second each. A layer may drop a hint; whoever watches also
looks by itself now and then. Counterpart: `live.py`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

from channels.layers import get_channel_layer

from turnscope.store.journal import get_journal

logger = logging.getLogger("turnscope.live")

EVERY = 0.05
"""Seconds between two hints about one thread over the layer."""


def group_of(kind: str, pk: int) -> str:
    """The layer's group for a thread or a channel."""
    return f"turnscope.{kind}.{pk}"


class Hints:
    """The hints of this process on their way out."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._news: dict[str, int] = {}
        """What the event loop has not been told of."""
        self._asked = False
        self._far: dict[str, int] = {}
        """What the layer has not been told of."""
        self._sending: asyncio.Task[None] | None = None
        self.near: Callable[[str, int], None] | None = None
        """Who watches in this process: called in the event loop with (group, cursor)."""

    def begin(self) -> None:
        """Send from the running loop. Again: nothing."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        self._loop, self._sending, self._asked, self.near = loop, None, False, None
        listeners = get_journal().listeners
        if self.heard not in listeners:
            listeners.append(self.heard)

    def heard(self, thread: int, seq: int, channel: int, change: int) -> None:
        """A commit: the thread is at `seq`, its channel at `change`."""
        with self._lock:
            self._news[group_of("thread", thread)] = seq
            self._news[group_of("channel", channel)] = change
            asked, self._asked = self._asked, True
        if not asked and self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(self._tell)
            except RuntimeError:
                pass  # The loop is closed: nobody watches.

    def _tell(self) -> None:
        with self._lock:
            news, self._news = self._news, {}
            self._asked = False
        if self.near is not None:
            for group, cursor in news.items():
                self.near(group, cursor)
        self._far.update(news)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        layer: Any = get_channel_layer()
        while self._far:
            news, self._far = self._far, {}
            try:
                for group, cursor in news.items():
                    await layer.group_send(group, {"type": "hint", "group": group, "cursor": cursor})
            except Exception as error:
                logger.warning("Hints cannot be sent (%r): who watches looks by itself.", error)
            await asyncio.sleep(EVERY)


hints = Hints()
