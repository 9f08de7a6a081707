"""What a channel has chosen to count, brought to its threads at rest: mutes and severities.

New settings judge from the next frame on, and a thread at rest has none. What its rows count would stay as it
was until somebody writes to it: so each look at the clock takes a few of them on, with a mark that says so.
"""

from __future__ import annotations

from typing import Any

from turnscope.core.muting import telling

from .models import Channel, Thread
from .posting import in_force

FRAMES = 20_000
"""About how many frames are read in one look, and at least one thread: the writer has others to serve."""


class Retelling:
    """Which threads at rest are told by settings that are not their channel's any more."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Any, Any]] = {}
        """Channel -> its choice when its threads were last looked through."""
        self._due: dict[int, int] = {}
        """Thread -> its last seq."""

    def take(self) -> list[int]:
        """The next few threads to bring up to date; [] while there are none."""
        for channel, settings in Channel.objects.values_list("pk", "settings"):
            now = telling(in_force(settings))
            if self._seen.get(channel) != now:
                self._seen[channel] = now
                rows = Thread.objects.filter(channel=channel, live=False)
                self._due |= {
                    thread: last_seq
                    for thread, last_seq, known in rows.values_list("pk", "last_seq", "settings").iterator()
                    if telling(known) != now
                }
        some: list[int] = []
        room = FRAMES
        while self._due and (not some or next(iter(self._due.values())) <= room):
            thread = next(iter(self._due))
            room -= self._due.pop(thread)
            some.append(thread)
        return some
