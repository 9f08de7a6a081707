"""The catalogue of other people's wire formats: one module each, all alike.

A dialect has NAME; `thread_of(value, envelope, *, nameless)`, the thread a frame names; `kind(value)`,
its byte in `core/kinds.py`; `share(values)`, how much of some first values is this dialect's, 0 to 1;
and `Reader`, whose `read(decoded)` makes events and never raises. A Reader serves one stream's part of
one thread; its state is a function of the frames it has read. `strict_reader()`, where there is one, makes
a Reader that also says what the dialect's official client would refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from turnscope.core.dialects import ag_ui
from turnscope.core.events import Json

DIALECTS: tuple[ModuleType, ...] = (ag_ui,)

FALLBACK = 0.1
"""The confidence of a guess that nothing supports."""


def by_name(name: str) -> ModuleType:
    """The dialect of that name. KeyError if there is none."""
    for dialect in DIALECTS:
        if dialect.NAME == name:
            return dialect
    raise KeyError(name)


def reader(dialect: ModuleType) -> Any:
    """A Reader of the dialect: the strict one, where it has one."""
    make = getattr(dialect, "strict_reader", dialect.Reader)
    return make()


def guess(values: Sequence[Json]) -> tuple[str, float]:
    """(name, confidence 0 to 1) from a stream's first values; AG-UI at FALLBACK when none fits."""
    name, confidence = ag_ui.NAME, FALLBACK
    for dialect in DIALECTS:
        share = dialect.share(values)
        if share > confidence:
            name, confidence = dialect.NAME, share
    return name, confidence
