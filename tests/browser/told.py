"""What the demo's streams tell, read from their files: what a page must show is not taken from the page."""

from __future__ import annotations

import json
from typing import Any

from turnscope.demo.scenes import STREAMS

Event = dict[str, Any]


def events(stream: str) -> list[Event]:
    return [json.loads(line) for line in (STREAMS / f"{stream}.jsonl").read_text().splitlines()]


def calls(stream: str) -> list[tuple[str, str]]:
    """(id, tool) of every call started, in order."""
    return [
        (event["toolCallId"], event["toolCallName"])
        for event in events(stream)
        if event.get("type") == "TOOL_CALL_START"
    ]


def unanswered(stream: str) -> list[tuple[str, str]]:
    """(id, tool) of the calls for which no result came in the stream."""
    answered = {event["toolCallId"] for event in events(stream) if event.get("type") == "TOOL_CALL_RESULT"}
    return [(id, tool) for id, tool in calls(stream) if id not in answered]


def refusal(stream: str) -> str:
    """What the provider said, as a person would paste it."""
    last = next(event for event in reversed(events(stream)) if event.get("type") == "RUN_ERROR")
    return f"{last['code']}: {last['message']}"
