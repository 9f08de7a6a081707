"""One chunk into its value, whatever the chunk is: readable, framing only, or unreadable with a reason."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from turnscope.core.events import Json
from turnscope.core.framing.splitter import BOM, MAX_FRAME

MAX_DEPTH = 200
"""Levels of brackets. What lies deeper is a bomb: what decodes it cannot write it again (orjson: 254)."""
_BRACKETS = 2 * MAX_DEPTH
"""A shorter text cannot be that deep."""
_DEEP = "nested too deeply"
_loads = orjson.loads
_Refused = orjson.JSONDecodeError
_new = object.__new__
_HEADING = ("//", "#", "=", "-", "*", "<!--", "[DONE]", ":")
_FIELD = re.compile(rb"(?:\xef\xbb\xbf)?(data|event|id|retry)(?::|$)")


@dataclass(slots=True)
class Envelope:
    """What a producer wrapped around an event: for producers that number frames or multiplex threads."""

    n: int | None = None
    """The producer's own number of the frame."""
    at: int | None = None
    """When the producer sent it, in ms since 1970."""
    thread: str | None = None
    run: str | None = None


@dataclass(slots=True)
class Decoded:
    """What one chunk holds. A pure function of the chunk, so that a stored frame reads the same for ever."""

    value: Json = None
    """The event's value, unwrapped; None unless readable."""
    envelope: Envelope | None = None
    reason: str = ""
    """Why it is unreadable; "" if it is readable."""
    blank: bool = False
    """Framing alone (a comment, a blank line, a heading, `[DONE]`): no event, and no fault."""


def decode(raw: bytes) -> Decoded:
    """Never raises. orjson reads; what it refuses, `json` tries (lone surrogates, NaN, deep nesting)."""
    if raw[:1] == b"{":
        try:
            value = _loads(raw)
        except _Refused:
            # The bracket that ends an array on one line is the splitter's to leave and ours to take off.
            return _framed(raw)
        if len(raw) > _BRACKETS and _too_deep(raw, value):
            return Decoded(reason=_DEEP)
        if "type" in value:
            # Every frame passes here: the slots by hand are twice as fast as the dataclass's __init__.
            decoded = _new(Decoded)
            decoded.value, decoded.envelope, decoded.reason, decoded.blank = value, None, "", False
            return decoded
        return _untyped(value)
    return _framed(raw)


def _framed(raw: bytes) -> Decoded:
    """A chunk that is more than a bare object on one line."""
    body = raw.removeprefix(BOM).strip()
    if body in (b"", b"]", b",", b"[]"):
        return Decoded(blank=True)
    if body[:1] in b'{["' and not body.startswith(b"[DONE]"):
        return _element(body) if body[:1] == b"[" or body[-1:] in b",]" else _body(body)
    if (data := _data(body)) is not None:
        return Decoded(blank=True) if data in (b"", b"[DONE]") else _body(data)
    return _element(body) if body[-1:] in b",]" else _text(body)


def _data(body: bytes) -> bytes | None:
    """The payload of an SSE block's data lines, b"" if it has fields but no data; None if it is no block."""
    if b":" not in body and not _FIELD.match(body):
        return None
    payload: list[bytes] = []
    is_block = False
    for line in body.splitlines():
        if line.startswith(b":"):
            is_block = True
        elif field := _FIELD.match(line):
            is_block = True
            if field[1] == b"data":
                payload.append(line[field.end() :].removeprefix(b" "))
    return b"\n".join(payload).strip() if is_block else None


def _element(body: bytes) -> Decoded:
    """An element of an array, with the bracket or comma that the splitter left on it."""
    found = Decoded()
    opens, closes = body[:1] == b"[", body[-1:] in b",]"
    # The bracket may be the array's or the element's own: the array's first.
    for start, end in ((opens, closes), (False, closes), (opens, False), (False, False)):
        found = _body(body[start : len(body) - end].strip() or b"null")
        if not found.reason:
            return found
    return found if body[:1] in b'[{"' else _text(body)


def _body(body: bytes) -> Decoded:
    """A JSON text, by either parser."""
    try:
        value = _loads(body)
    except _Refused as refused:
        value, reason = _second_opinion(body, str(refused))
        if reason:
            return Decoded(reason=reason)
    if len(body) > _BRACKETS and _too_deep(body, value):
        return Decoded(reason=_DEEP)
    return _untyped(value) if type(value) is dict and "type" not in value else Decoded(value)


def _too_deep(raw: bytes, value: Json) -> bool:
    """Whether anything lies deeper than MAX_DEPTH; asked only where there are brackets enough for that."""
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return False
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, (list, dict))
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, (list, dict))
        ]
        if not level:
            return False
    return True


def _second_opinion(body: bytes, refused: str) -> tuple[Json, str]:
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None, "over the limit" if len(body) >= MAX_FRAME else "not UTF-8"
    text = text.strip().removesuffix(",")
    try:
        return json.loads(text), ""
    except RecursionError:
        return None, _DEEP
    except json.JSONDecodeError as error:
        if len(body) >= MAX_FRAME:
            return None, "over the limit"
        cut = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return None, "cut: the JSON ends in the middle" if cut else f"not JSON: {refused}"
    except ValueError:
        return None, "not JSON: a number of too many digits"


def _text(body: bytes) -> Decoded:
    """No JSON at all: a heading or a comment, or a fault."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return Decoded(reason="not UTF-8")
    if text.startswith(_HEADING):
        return Decoded(blank=True)
    return _body(body)


# ---------------------------------------------------------------- envelopes and times


def _untyped(value: dict[str, Json]) -> Decoded:
    """An object that is no event itself: an envelope with one, or a line of a recorder's own.

    Browser tools (`.agui.jsonl`) say of each line what `kind` it is and which connection's: `event` lines
    hold events, `request` lines a run's input, and all others (a header, keep-alives) are framing.
    """
    if "event" in value:
        return _unwrap(value)
    kind = value.get("kind")
    if type(kind) is not str or not (kind == "header" or "connId" in value):
        return Decoded(value)
    body = value.get("body", value.get("input")) if kind == "request" else None
    if type(body) is str and body[:1] == "{":
        body = _second_opinion(body.encode("utf-8", "surrogatepass"), "")[0]
    return _unwrap({**value, "event": body}) if type(body) is dict else Decoded(blank=True)


def _unwrap(value: dict[str, Json]) -> Decoded:
    event = value["event"]
    if type(event) is not dict:
        return Decoded(value)
    n = value.get("n")
    at = next((value[key] for key in ("at", "timestamp", "receivedAt") if key in value), None)
    if at is None and type(at := value.get("tMs")) is float:
        at = round(at) if 0 <= at < 1e20 else None  # milliseconds, whatever their size
    return Decoded(
        event,
        Envelope(
            n if type(n) is int and 0 <= n < 2**63 else None,
            milliseconds(at),
            _name(value, "threadId", "thread_id"),
            _name(value, "runId", "run_id"),
        ),
    )


def _name(value: dict[str, Json], *keys: str) -> str | None:
    for key in keys:
        if type(found := value.get(key)) is str:
            return found
    return None


def milliseconds(value: Json) -> int | None:
    """A producer's time in ms: s, ms, us or ns by size, ISO 8601 text (without a zone: UTC); else None.

    Small numbers are no dates: a float counts seconds of some monotonic clock, an int milliseconds.
    """
    if type(value) is int or type(value) is float:
        return _number(value)
    if type(value) is not str or not value or len(value) > 40:
        return None
    try:
        return _number(float(value)) if value.replace(".", "", 1).isdecimal() else _iso(value)
    except (ValueError, OverflowError):
        return None


def _number(value: float) -> int | None:
    if not 0 <= value < 1e20:
        return None
    if value >= 1e17:
        return int(value) // 1_000_000
    if value >= 1e14:
        return int(value) // 1_000
    if value >= 1e11:
        return int(value)
    if value >= 1e8 or type(value) is float:
        return round(value * 1_000)
    return int(value)


def _iso(text: str) -> int | None:
    when = datetime.fromisoformat(text)
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    found = round(when.timestamp() * 1_000)
    return found if found >= 0 else None
