"""Marks, the journal's own lines: how each canonical mark is spelled as a frame, and read again.

A mark's body is compact JSON of its own fields. Evidence is the exception: a host sends it as a line of its
stream, `{"evidence": {...}}`, which is kept as it came; the journal's own evidence is spelled the same way.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import orjson

from turnscope.core.events import (
    Closed,
    Event,
    Evidence,
    Gap,
    Guarded,
    Opened,
    SettingsInForce,
    Tick,
    Unread,
)  # fmt: skip
from turnscope.core.kinds import KINDS

CLASSES: dict[int, type[Event]] = {
    KINDS["OPENED"]: Opened,
    KINDS["CLOSED"]: Closed,
    KINDS["SETTINGS"]: SettingsInForce,
    KINDS["EVIDENCE"]: Evidence,
    KINDS["TICK"]: Tick,
    KINDS["GUARDED"]: Guarded,
    KINDS["GAP"]: Gap,
}
KIND_OF: dict[type[Event], int] = {cls: kind for kind, cls in CLASSES.items()}
"""Mark class -> kind byte."""

_STAMPED = {field.name for field in fields(Event)}
_PHASES = ("start", "result", "error")


def spell(mark: Event) -> bytes:
    """The mark's body."""
    if isinstance(mark, Evidence):
        return _dumps({"evidence": {
            "toolCallId": mark.call, "phase": mark.phase, "content": mark.content, "at": mark.when,
        }})  # fmt: skip
    own = (field.name for field in fields(mark) if field.name not in _STAMPED)
    return _dumps({name: getattr(mark, name) for name in own})


def read(kind: int, raw: bytes) -> Event:
    """The mark again; Unread where the body is not one, as a later version's might not be."""
    cls = CLASSES.get(kind)
    try:
        value = json.loads(raw)
        if cls is None:
            return Unread(f"a mark of kind {kind} that this version does not know")
        return _evidence(value) if cls is Evidence else cls(**value)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return Unread(f"a mark that cannot be read: {error}")


def _evidence(value: Any) -> Event:
    inner = value["evidence"]
    call, phase, when = inner["toolCallId"], inner["phase"], inner.get("at")
    if not isinstance(call, str) or phase not in _PHASES:
        return Unread("evidence without a toolCallId or a known phase")
    return Evidence(call, phase, inner.get("content"), when if isinstance(when, int) else None)


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # lone surrogates and integers beyond 64 bits
        return json.dumps(value, separators=(",", ":")).encode("ascii", "backslashreplace")
