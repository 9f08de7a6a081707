"""Values out, shape kept: a stream without what was said in it, for showing to somebody else.

Every value becomes one of its type and length: a text as many `x`, each digit of a number a 1, a boolean
true. Kept are what the protocol needs (types, roles, states, times), ids, names of tools, steps and events,
and the keys of objects, wherever they stand. Text that is JSON (arguments, results) keeps its brackets and
keys. What cannot be read becomes as many `x`. So calls pair as before, and rules that count and measure say
the same; rules that read words or compare values do not.
"""

from __future__ import annotations

import json
import re
from typing import Any

from turnscope.core import framing

KEPT = frozenset((
    "type", "role", "name", "toolCallName", "toolName", "stepName", "activityType", "code", "status",
    "outcome", "subtype", "finishReason", "finish_reason", "op", "path", "from", "phase", "mimeType", "n",
    "seq", "at", "timestamp", "_timestamp", "receivedAt", "sequenceNumber",
))  # fmt: skip
"""Fields of the protocol whose scalar stays as it is; those that name ids (`ID`) do too."""
ID = re.compile(r"(?:^id|^ids|Ids?|_ids?)\Z")
INSIDE = frozenset((
    "input", "messages", "message", "toolCalls", "tool_calls", "function", "tools", "evidence", "interrupts",
    "resume", "outcome", "context", "content", "delta",
))  # fmt: skip
"""Fields of the protocol whose objects are the protocol's own. All others hold what agents and people say."""
PIECES = frozenset(("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"))
"""Events that bring a piece of a call's arguments, which only together are one JSON text."""


class Redactor:
    """One stream's frames, in their order."""

    def __init__(self) -> None:
        self._arguments: dict[str, Mask] = {}
        self._last = ""

    def frame(self, raw: bytes) -> bytes:
        """The frame as one JSON object on one line; b"" for framing alone. Never raises."""
        decoded = framing.decode(raw)
        if decoded.blank:
            return b""
        if decoded.reason:
            return b"x" * max(len(raw.strip()), 1)
        value, envelope = self.event(decoded.value), decoded.envelope
        if envelope is not None:
            # What a producer wrapped around it is numbers, ids and a time.
            told = {"n": envelope.n, "at": envelope.at, "threadId": envelope.thread, "runId": envelope.run}
            value = {**{key: one for key, one in told.items() if one is not None}, "event": value}
        return json.dumps(value, separators=(",", ":")).encode()

    def event(self, value: Any) -> Any:
        """One event's value."""
        if not isinstance(value, dict):
            return masked(value)
        out = {key: self._field(key, one) for key, one in value.items()}
        if value.get("type") in PIECES and isinstance(value.get("delta"), str):
            call = value.get("toolCallId")
            self._last = call if isinstance(call, str) else self._last  # a chunk may leave out whose it is
            out["delta"] = self._arguments.setdefault(self._last, Mask()).feed(value["delta"])
        elif value.get("type") == "TOOL_CALL_START" and isinstance(value.get("toolCallId"), str):
            self._last = value["toolCallId"]
            self._arguments[self._last] = Mask()
        return out

    def _field(self, key: str, value: Any) -> Any:
        if isinstance(value, dict | list):
            if ID.search(key) and isinstance(value, list):
                return [one if isinstance(one, str) else masked(one) for one in value]
            return self._inside(value) if key in INSIDE else masked(value)
        if key in KEPT or ID.search(key) or isinstance(value, bool):
            return value
        return masked(value)

    def _inside(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._inside(one) for one in value]
        if isinstance(value, dict):
            return {key: self._field(key, one) for key, one in value.items()}
        return masked(value)


def masked(value: Any) -> Any:
    """A value of the same shape, type and length, whatever it says. Keys of objects stay."""
    if isinstance(value, dict):
        return {key: masked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [masked(one) for one in value]
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return json.loads(re.sub(r"\d", "1", json.dumps(value))) if value == value else value
    return masked_text(value) if isinstance(value, str) else value


def masked_text(text: str) -> str:
    """As many `x`; a JSON object or array in a text keeps its brackets and keys."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return Mask().feed(text)
    return "x" * len(text)


class Mask:
    """A JSON text whose values are masked while its pieces arrive. What is no JSON becomes `x`."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._key = self._string = self._expects_key = False
        self._escape = self._skip = 0
        self._word = ""
        """The literal (true, false, null) or number that is being read."""

    def feed(self, piece: str) -> str:
        """The next piece of the text, masked."""
        return "".join([self._inside(char) if self._string else self._outside(char) for char in piece])

    def _inside(self, char: str) -> str:
        """A character of a string; an escape counts as one."""
        if self._skip:
            self._skip -= 1
            return char if self._key else ""
        if self._escape:
            self._escape, self._skip = 0, 4 if char == "u" else 0
            return char if self._key else "x"
        if char == "\\":
            self._escape = 1
            return char if self._key else ""
        if char == '"':
            self._string = False
            return char
        return char if self._key else "x"

    def _outside(self, char: str) -> str:
        word, self._word = self._word, ""
        if char == '"':
            self._string, self._key = True, self._expects_key
            return char
        if char in "{[":
            self._open.append(char)
            self._expects_key = char == "{"
            return char
        if char in "}]":
            if self._open:
                self._open.pop()
            return char
        if char in ",:":
            self._expects_key = char == "," and self._open[-1:] == ["{"]
            return char
        if char in " \t\r\n":
            return char
        if char.isascii() and char.isdigit():
            self._word = "number"
            return "1"
        if char in "+-." or (char in "eE" and word == "number"):
            self._word = "number"
            return char
        if word == "literal":
            self._word = word
            return ""
        if char in "tfn":
            self._word = "literal"
            return "null" if char == "n" else "true"
        return "x"
