"""Reading one field of an object as the protocol has it, and noting every way in which it does not.

A check takes (value, path, notes) and gives the value that is used; it never raises, and what it
notes becomes an `Odd`. Unknown fields are nobody's business.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TypeAlias

import orjson

from turnscope.core.events import Json

Check: TypeAlias = "Callable[[Json, str, Notes], Json]"

NOTES = 20
"""Deviations kept of one frame: a snapshot with ten thousand odd messages says so twenty times."""
SAFE = 2**53 - 1
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)*")
_SNAKE: dict[str, str] = {}


class Notes:
    """Deviations of one frame: (path, problem)."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, path: str, problem: str) -> None:
        if len(self.found) < NOTES:
            self.found.append((path, problem))


def snake(name: str) -> str:
    """`toolCallId` as `tool_call_id`."""
    known = _SNAKE.get(name)
    if known is None:
        known = _SNAKE[name] = HUMP.sub("_", name).lower()
    return known


def take(
    source: dict[str, Json],
    name: str,
    check: Check,
    notes: Notes,
    path: str = "",
    *,
    required: bool = False,
    aliases: tuple[str, ...] = (),
) -> Json:
    """The field `name` as `check` gives it; None where it is absent or null. Other spellings are noted."""
    if name in source:
        found = source[name]
    elif (other := snake(name)) != name and other in source:
        notes.add(path + other, "snake case")
        found = source[other]
    else:
        for alias in aliases:
            if alias in source:
                notes.add(path + name, f"named {alias}")
                found = source[alias]
                break
        else:
            if required:
                notes.add(path + name, "missing")
            return None
    if found is None and check is not anything:
        notes.add(path + name, "null")
        return None
    return check(found, path + name, notes)


def spelled(value: Json) -> str:
    """Any value as text: a string as it is, the rest as compact JSON."""
    if type(value) is str:
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


# ---------------------------------------------------------------- checks


def anything(value: Json, path: str, notes: Notes) -> Json:
    return value


def text(value: Json, path: str, notes: Notes) -> str:
    if type(value) is not str:
        notes.add(path, "not a string")
    return spelled(value)


def mapping(value: Json, path: str, notes: Notes) -> Json:
    if type(value) is not dict:
        notes.add(path, "not an object")
    return value


def sequence(value: Json, path: str, notes: Notes) -> list[Json]:
    if type(value) is list:
        return value
    notes.add(path, "not a list")
    return []


def flag(value: Json, path: str, notes: Notes) -> bool:
    if type(value) is not bool:
        notes.add(path, "not a boolean")
    return value not in (False, 0, "false")


def words(value: Json, path: str, notes: Notes) -> list[str]:
    """A list of strings."""
    return [text(item, f"{path}[{i}]", notes) for i, item in enumerate(sequence(value, path, notes))]


def one_of(*allowed: str) -> Check:
    def check(value: Json, path: str, notes: Notes) -> str:
        word = text(value, path, notes)
        if type(value) is str and word not in allowed:
            notes.add(path, "not one of the protocol's")
        return word

    return check


def content(value: Json, path: str, notes: Notes) -> Json:
    """A string or a list of content parts."""
    if type(value) is list:
        for i, part in enumerate(value):
            _part(part, f"{path}[{i}]", notes)
    elif type(value) is not str:
        notes.add(path, "not a string")
    return value


_MEDIA = frozenset(("image", "audio", "video", "document"))


def _part(part: Json, path: str, notes: Notes) -> None:
    if type(part) is not dict:
        notes.add(path, "not an object")
        return
    kind = part.get("type")
    if kind == "text":
        take(part, "text", text, notes, f"{path}.", required=True)
    elif type(kind) is str and kind in _MEDIA:
        source = take(part, "source", mapping, notes, f"{path}.", required=True)
        if type(source) is dict:
            inner = f"{path}.source."
            form = take(source, "type", one_of("data", "url", "file"), notes, inner, required=True)
            take(source, "value", text, notes, inner, required=True)
            take(source, "mimeType", text, notes, inner, required=form == "data")
    elif kind == "binary":
        notes.add(f"{path}.type", "legacy")  # what clients turn into an image, a sound, a video or a document
    else:
        notes.add(f"{path}.type", "missing" if kind is None else "not one of the protocol's")
    if "id" in part:
        take(part, "id", text, notes, f"{path}.")


def operations(value: Json, path: str, notes: Notes) -> Json:
    """A JSON Patch; given back as it came."""
    for i, operation in enumerate(sequence(value, path, notes)):
        inner = f"{path}[{i}]"
        if type(operation) is not dict:
            notes.add(inner, "not an object")
            continue
        inner += "."
        kind = take(operation, "op", _OPS, notes, inner, required=True)
        take(operation, "path", pointer, notes, inner, required=True)
        if kind in ("add", "replace", "test"):
            take(operation, "value", anything, notes, inner, required=True)
        elif kind in ("move", "copy"):
            take(operation, "from", pointer, notes, inner, required=True)
    return value


_OPS = one_of("add", "remove", "replace", "move", "copy", "test")


def pointer(value: Json, path: str, notes: Notes) -> str:
    """A JSON Pointer (RFC 6901)."""
    where = text(value, path, notes)
    if type(value) is str and not _POINTER.fullmatch(where):
        notes.add(path, "not a JSON pointer")
    return where


_COUNTS = (
    "inputTokens", "outputTokens", "totalTokens",
    "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens",
)  # fmt: skip


def usage(value: Json, path: str, notes: Notes) -> Json:
    for i, entry in enumerate(sequence(value, path, notes)):
        inner = f"{path}[{i}]"
        if type(entry) is not dict:
            notes.add(inner, "not an object")
            continue
        for name in ("provider", "model"):
            take(entry, name, text, notes, f"{inner}.")
        for name in _COUNTS:
            take(entry, name, _count, notes, f"{inner}.")
    return value


def _count(value: Json, path: str, notes: Notes) -> Json:
    if type(value) is not int and not (type(value) is float and value.is_integer()):
        notes.add(path, "not an integer")
    elif not 0 <= value <= SAFE:
        notes.add(path, "out of range")
    return value
