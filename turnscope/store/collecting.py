"""The garbage collector's pace while a recording is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Thousands of objects that live long: the collector's usual pace would be a twentieth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 20_000), max(usual[1], 20), max(usual[2], 50))
    try:
        yield
    finally:
        gc.set_threshold(*usual)
