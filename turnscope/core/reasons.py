"""Why the model stopped, as producers say it: the words of finish reasons, and the event that carries one."""

from __future__ import annotations

from dataclasses import dataclass

from .events import Event, Json

KEYS = ("finishReason", "finish_reason", "stopReason", "stop_reason")
"""Where providers and SDKs write it."""
STOP = frozenset({"stop", "end-turn", "stop-sequence", "complete", "completed"})
CALLS = frozenset({"tool-calls", "tool-call", "tool-use", "function-call"})
CUT = frozenset({"length", "max-tokens", "content-filter", "safety", "interrupted", "refusal"})
"""The model was stopped: what it had begun is not done."""
LONGEST = 40


@dataclass(slots=True)
class FinishReason(Event):
    """The model's last word on why it stopped, as `tool-calls` whatever the spelling."""

    reason: str


def reason_of(*holders: Json) -> str:
    """The finish reason some object carries; "" if none does."""
    for holder in holders:
        if type(holder) is dict:
            for key in KEYS:
                found = holder.get(key)
                if type(found) is str and 0 < len(found) <= LONGEST:
                    return found.lower().replace("_", "-")
    return ""
