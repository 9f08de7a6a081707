"""Who writes which stream, and who has gone without a word.

A lease is `<this process's key>.<random>`. Each process is seen every few seconds, by its ticks and its
appends; the streams of one that was not seen for a while are lost, and whoever notices first closes them.
"""

from __future__ import annotations

import secrets

from .models import Stream, Writer

EVERY = 5_000
"""How often a process says that it is there, and looks for others that are not, in ms."""
GONE = 30_000
"""A process that was not seen for so long, in ms, writes no more."""


class Leases:
    """This process's."""

    def __init__(self) -> None:
        self.key = secrets.token_hex(6)
        self._seen_at = 0

    def new(self, now: int) -> str:
        """A lease that nobody has."""
        self.seen(now)
        return f"{self.key}.{secrets.token_hex(6)}"

    def seen(self, now: int) -> bool:
        """Say that this process is there; whether it was time to."""
        if abs(now - self._seen_at) < EVERY:
            return False
        self._seen_at = now
        Writer.objects.update_or_create(key=self.key, defaults={"seen_at": now})
        return True

    def beat(self, now: int) -> list[tuple[int, str]]:
        """Be seen; (stream, lease) of the streams whose process has gone."""
        if not self.seen(now):
            return []
        held = list(Stream.objects.exclude(lease="").values_list("pk", "lease"))
        there = set(Writer.objects.filter(seen_at__gt=now - GONE).values_list("key", flat=True))
        holders = {lease.split(".")[0] for _, lease in held}
        Writer.objects.filter(seen_at__lte=now - GONE).exclude(key__in=holders).delete()
        return [(stream, lease) for stream, lease in held if lease.split(".")[0] not in there]
