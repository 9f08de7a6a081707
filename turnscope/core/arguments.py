"""What a call's argument text is: one JSON object, or what is wrong with it. Judged once, at its END."""

from __future__ import annotations

import json
import marshal
from hashlib import blake2b
from typing import Any

import orjson

_DECODER = json.JSONDecoder()
DETAIL = 120
"""Longest detail, in characters."""


def digest_of(value: Any) -> str:
    """A digest of a JSON value. It ignores key order, except where `orjson` refuses the value."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):
        # Lone surrogates, huge integers, a thousand levels. Version 2: later ones tell equal values apart.
        data = marshal.dumps(value, 2)
    return blake2b(data, digest_size=8).hexdigest()


def verdict(text: str) -> tuple[str, str, str]:
    """(verdict, detail, digest) of a complete argument text.

    Verdicts: `empty`, `object`, `cut`, `two documents`, `not an object`, `not JSON`.
    The digest is of the canonical value where there is one, else of the text.
    """
    if not text.strip():
        return "empty", "", NO_ARGUMENTS
    value = _loads(text)
    if isinstance(value, dict):
        return "object", "", digest_of(_whole(value) if "." in text else value)
    if value is not _NOTHING:
        kind = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}.get(
            type(value), "a number"
        )
        return "not an object", f"it is {kind}", digest_of(value)
    digest = digest_of(text)
    try:
        _, end = _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        if _is_cut(text, at):
            return "cut", f"it stops at character {len(text)}", digest
        return "not JSON", f"it goes wrong at character {at + 1} of {len(text)}", digest
    rest = text.lstrip()[end:].strip()
    detail = f"after the first document comes {rest[:40]!r}"
    return "two documents", detail[:DETAIL], digest


def _whole(value: Any) -> Any:
    """With 1 for 1.0, as many a program writes it again. Too deep to tell: as it is."""
    try:
        return _whole_numbers(value)
    except RecursionError:
        return value


def _whole_numbers(value: Any) -> Any:
    if type(value) is float:
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if type(value) is dict:
        return {key: _whole_numbers(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_whole_numbers(inner) for inner in value]
    return value


NO_ARGUMENTS = digest_of({})
"""The digest of no arguments at all."""
UNUSABLE = ("cut", "two documents", "not an object", "not JSON")
"""Verdicts on arguments that no runtime can call a tool with."""
_NOTHING = object()


def _loads(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _is_cut(text: str, at: int) -> bool:
    """Whether the text is the beginning of a document: what is missing is its end."""
    stripped = text.rstrip()
    if at >= len(stripped):
        return True
    # An unterminated string is reported where it begins.
    return stripped[at : at + 1] == '"' and not _closes(stripped, at)


def _closes(text: str, at: int) -> bool:
    escaped = False
    for char in text[at + 1 :]:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            return True
    return False
