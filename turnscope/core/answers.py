"""Part of the fold: one result, without its payload, and what it makes of its call. Called by it alone."""

from __future__ import annotations

from typing import Any

import orjson

from . import wording
from .arguments import digest_of
from .events import Event, Json
from .thread import DENIED, EXCERPT, FAILED, OK, SETTLED, SKIPPED, Answer, Call

NOTHING = ("", "null", '""', "undefined")
"""Result texts with which a server holds a client's place."""
SYNTHETIC = {"TOOL_NOT_EXECUTED": SETTLED, "TOOL_OUTCOME_UNKNOWN": SETTLED, "TOOL_DENIED": DENIED}
"""First words of results a repair wrote (core/repair), and the state they leave."""


def answer_of(content: Json, *, plane: str, source: str, event: Event, error: bool) -> Answer:
    """A result without its payload."""
    if isinstance(content, str):
        length, excerpt = len(content.encode("utf-8", "surrogatepass")), content[:EXCERPT]
    else:
        text = _compact(content)
        length, excerpt = len(text), text[:EXCERPT]
    empty = content is None or (isinstance(content, str) and content.strip() in NOTHING)
    return Answer(plane, source, event.seq, event.at, digest_of(content), length, error, excerpt, empty=empty)


def _compact(content: Json) -> str:
    try:
        return orjson.dumps(content).decode()
    except (TypeError, ValueError, RecursionError):
        return repr(content)


def state_after(call: Call, found: Answer, content: Json) -> tuple[str, str]:
    """(state, reason) of a call that this result answers."""
    first = content[:32].split(None, 1)[0] if isinstance(content, str) and content[:32].strip() else ""
    if (word := first.rstrip(":")) in SYNTHETIC:
        return SYNTHETIC[word], "answered by a repair"
    if call.approved is False or call.resumed == "cancelled":
        return DENIED, "it was refused"
    if found.error:
        return FAILED, "its result is an error"
    if _says_error(content):
        return FAILED, "its result says it failed"
    if wording.said(content) == wording.SKIPPED:
        return SKIPPED, "its result says it was not run"
    return OK, "answered"


def _says_error(content: Json) -> bool:
    """Whether a result text is an object that calls itself an error. AG-UI events have no flag for it."""
    if isinstance(content, str):
        if not content.lstrip()[:1] == "{" or len(content) > 20_000:
            return False
        try:
            content = orjson.loads(content)
        except ValueError:
            return False
    if not isinstance(content, dict):
        return False
    flags: tuple[Any, ...] = (content.get("isError"), content.get("is_error"))
    error = content.get("error")
    return (
        True in flags or content.get("status") == "error" or (isinstance(error, (str, dict)) and bool(error))
    )
