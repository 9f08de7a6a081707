"""What a row of the event list shows of a frame: the event's own fields, less what other columns say.

By text alone, never parsed and printed again: it may be cut short. The whole frame is one click away.
"""

from __future__ import annotations

import json
import re

_DECODER = json.JSONDecoder()
_KNOWN = re.compile(
    r'\s*"(?:type|toolCallId|tool_call_id|messageId|timestamp|threadId|runId)"\s*:\s*(?:"(?:[^"\\]|\\.){0,300}"|\d+)\s*,?'
)

_STAMP = re.compile(r',\s*"timestamp"\s*:\s*[0-9.]+(?=\s*[,}])')
_ENVELOPE = re.compile(
    r'\{(?:\s*"(?!type")\w{1,40}"\s*:\s*(?:"(?:[^"\\]|\\.){0,300}"|[-+.\w]{1,40})\s*,){0,12}\s*"(?:event|body)"\s*:\s*(?=\{)'
)
"""What stands before the event in a frame that wraps it: plain fields, none of them a `type`."""


def excerpt(text: str) -> str:
    """The event's own fields out of a frame's text, cut short or not; what is no JSON stays as it came."""
    text = text.removeprefix("data:").strip()
    if wrapped := _ENVELOPE.match(text):
        text = _unwrapped(text[wrapped.end() :])
    if text.startswith("{"):
        rest, before = text[1:], None
        while rest != before:
            before = rest
            found = _KNOWN.match(rest)
            rest = rest[found.end() :] if found else rest
        text = "{" + rest.lstrip()
    return _STAMP.sub("", text)


def _unwrapped(text: str) -> str:
    """The event at the head of a text, without what closes the envelope behind it; cut short, as it is."""
    try:
        return text[: _DECODER.raw_decode(text)[1]]
    except (ValueError, RecursionError):
        return text
