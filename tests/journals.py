"""A journal for tests, and what tests ask of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.streams import Event, ndjson
from turnscope.core.events import Frame
from turnscope.core.framing import split
from turnscope.core.kinds import MARK, NAMES
from turnscope.store import models
from turnscope.store.journal import Incoming, Journal, Receipt, StreamHandle

NOW = 1_796_000_000_000
"""When live frames of these tests arrive, in ms."""
DERIVED = (models.Turn, models.Run, models.Call, models.Finding)


def chunks(events: Sequence[Event]) -> list[bytes]:
    """The frames of these events, as a producer sends them."""
    return split(ndjson(events))


def say(
    journal: Journal, handle: StreamHandle, raws: Iterable[bytes], *, at: int = NOW, first: int | None = None
) -> Receipt:
    """Append frames that arrive at the same time, numbered from `first` if that is given."""
    numbered = enumerate(raws, first or 0)
    frames = [Incoming(raw, at, n if first is not None else None) for n, raw in numbered]
    return journal.append(handle, frames)


def live(journal: Journal, key: str = "s1", channel: str = "acme") -> StreamHandle:
    return journal.open_stream(channel, key=key, create=True)


def recorded(
    journal: Journal, data: bytes, *, batches: Sequence[int] = (1_000_000,), name: str = "run.jsonl"
) -> StreamHandle:
    """Read a recording in, cut into batches of these sizes, over and over, and close it."""
    handle = journal.open_stream("acme", recording=True, name=name, create=True)
    raws, turn = split(data), 0
    while raws:
        size = batches[turn % len(batches)]
        say(journal, handle, raws[:size])
        raws, turn = raws[size:], turn + 1
    journal.close_stream(handle, "end")
    return handle


def only_thread() -> models.Thread:
    return models.Thread.objects.get()


def frames(journal: Journal, thread: int | None = None) -> list[Frame]:
    return list(journal.read(thread if thread is not None else only_thread().pk))


def kinds(journal: Journal, thread: int | None = None) -> list[str]:
    """Names of the frames' and marks' kinds, in order."""
    return [NAMES[frame.kind] for frame in frames(journal, thread)]


def raws(journal: Journal, thread: int | None = None) -> list[bytes]:
    """The frames' bytes, marks left out."""
    return [frame.raw for frame in frames(journal, thread) if frame.kind < MARK]


def rows() -> dict[str, Any]:
    """Every derived row, all columns, and what is derived of threads."""
    found: dict[str, Any] = {
        model.__name__: sorted(model.objects.values(), key=lambda row: row["id"]) for model in DERIVED
    }
    # A change number says when, not what: a rebuild is a change as well.
    threads = models.Thread.objects.order_by("pk").values()
    found["Thread"] = [{name: value for name, value in row.items() if name != "change"} for row in threads]
    return found


def rebuild_all(journal: Journal) -> None:
    for pk in models.Thread.objects.values_list("pk", flat=True):
        journal.rebuild(pk)
