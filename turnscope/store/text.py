"""A producer's text on its way into a column: cut, made harmless, or reduced to a digest.

What arrived stays as it is in the segments. Here NUL, which PostgreSQL refuses, and lone surrogates, which
no database takes, become visible escapes; no producer's text is ever an index key, only its digest is.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import orjson

from .models import NAME

LONG = 2000
"""Longest sentence of ours that quotes a producer, in characters."""

_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def shown(text: str, limit: int = NAME) -> str:
    """The text as a column keeps it: at most `limit` characters, NUL and lone surrogates spelled out."""
    cut = len(text) > limit
    if cut:
        text = text[:limit]
    if not text.isascii() or "\x00" in text:
        text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        cut = cut or len(text) > limit
    return text[: limit - 1] + "…" if cut else text


def digest(*parts: str) -> str:
    """32 hexadecimal characters that stand for these texts in this order."""
    hashed = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data))
        hashed.update(data)
    return hashed.hexdigest()


def packed(value: Any) -> str:
    """Compact JSON of a value whose texts have been through `shown`."""
    return orjson.dumps(value).decode()


def harmless(value: Any) -> Any:
    """A JSON value with every text in it made storable; nothing else changes."""
    if isinstance(value, str):
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, list):
        return [harmless(one) for one in value]
    if isinstance(value, dict):
        return {harmless(str(key)): harmless(one) for key, one in value.items()}
    return value
