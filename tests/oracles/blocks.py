"""Blocks of content: each API knows its own types and refuses the others' (Invalid value: 'tool_use')."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FOREIGN = ("tool_use", "tool_result", "tool-call", "tool-result", "tool_call", "function_call")


def foreign(index: int, content: Any, *own: str) -> Iterator[str]:
    """A sentence for every call or result in a content, spelled as its API does not spell them."""
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") in FOREIGN and part["type"] not in own:
            yield f"{index}: invalid value: {part['type']!r}"
