"""What relays, converters and hosts leave out of a list or put into it: other damage than crashes do.

Counterpart of `broken.py`, which breaks conversations; both take their choices from one `Random`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from tests.core.spelled import Json, Messages
from turnscope.core.repair import Evidence, Recorded

Accident: TypeAlias = Callable[[Random, str, Messages], None]

ANSWERING = ("tool_call_id", "toolCallId", "tool_use_id", "call_id", "toolUseId")


def _results(messages: Messages) -> Iterator[dict[str, Json]]:
    """Every object that holds the id of the call it answers."""
    for message in messages:
        inner = message.get("data", message.get("kwargs", message))
        if inner.get("role", inner.get("type")) == "tool" and not isinstance(inner.get("parts"), list):
            yield inner
        if str(message.get("type")).endswith("_call_output"):
            yield message
        for key in ("content", "parts"):
            for piece in inner[key] if isinstance(inner.get(key), list) else []:
                kind = piece.get("type", piece.get("part_kind"))
                if kind in ("tool_result", "tool-result", "tool-return"):
                    yield piece
                elif "toolResult" in piece:
                    yield piece["toolResult"]


def lose_ids(random: Random, shape: str, messages: Messages) -> None:
    """Results that no longer say which call they answer."""
    for found in _results(messages):
        if random.random() < 0.4:
            for key in ANSWERING:
                found.pop(key, None)


def system_between(random: Random, shape: str, messages: Messages) -> None:
    said = f"instruction {len(messages)}-{random.randrange(1000)}"
    message: dict[str, Json] = {"role": "system", "content": said}
    if shape == "ag_ui":
        message = {"id": f"s{len(messages)}-{random.randrange(1000)}", **message}
    elif shape == "openai_responses":
        message = {"type": "message", **message}
    messages.insert(random.randrange(len(messages) + 1), message)


def foreign_block(random: Random, shape: str, messages: Messages) -> None:
    """A call as another maker spells it, in the assistant's content; sometimes with its result behind it."""
    name = f"alien_{len(messages)}_{random.randrange(1000)}"
    use: dict[str, Json] = {"type": "tool_use", "id": name, "name": "alien", "input": {"n": 1}}
    said: dict[str, Json] = {"type": "tool_result", "tool_use_id": name, "content": f"said {name}"}
    if shape == "anthropic":
        use = {"type": "tool-call", "toolCallId": name, "toolName": "alien", "input": {"n": 1}}
        said = {"type": "tool-result", "toolCallId": name, "toolName": "alien",
                "output": {"type": "text", "value": f"said {name}"}}  # fmt: skip
    held = [m for m in messages if m.get("role") == "assistant" and m.get("content")]
    if not held:
        return
    message = random.choice(held)
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    message["content"].insert(random.randrange(len(message["content"]) + 1), use)
    if random.random() < 0.6:
        at = messages.index(message) + 1
        user: dict[str, Json] = {"role": "user", "content": [said]}
        if shape == "ag_ui":
            user = {"id": f"f-{name}", **user}
        elif shape == "openai_responses":
            user = {"type": "message", **user}
        messages.insert(at, user)


def nameless(random: Random, shape: str, messages: Messages) -> None:
    """Gemini parts that do not say which function they are about."""
    for message in messages:
        for part in message["parts"]:
            for key in ("functionCall", "functionResponse"):
                if key in part and random.random() < 0.25:
                    part[key] = {k: v for k, v in part[key].items() if k != "name"}


def idless(random: Random, shape: str, messages: Messages) -> None:
    """Gemini parts without ids, and calls of one function that nothing but their order tells apart."""
    for message in messages:
        for part in list(message["parts"]):
            for key in ("functionCall", "functionResponse"):
                if key in part and random.random() < 0.4:
                    part[key].pop("id", None)
            if "functionCall" in part and random.random() < 0.2:
                message["parts"].append(copy.deepcopy(part))


def split_pair(random: Random, shape: str, messages: Messages) -> None:
    """Half of what the provider ran itself is gone, or stands in the next message."""
    for at, message in enumerate(messages):
        content = message["content"]
        theirs = [b for b in content if b["type"] in ("server_tool_use", "web_search_tool_result")]
        if theirs and random.random() < 0.5 and len(content) > 2:
            lost = random.choice(theirs)
            content.remove(lost)
            if random.random() < 0.5 and lost["type"] != "server_tool_use":
                messages.insert(
                    at + 1, {"role": "assistant", "content": [lost, {"type": "text", "text": f"so {at}"}]}
                )
            return


OF_SHAPE: dict[str, tuple[Accident, ...]] = {
    "openai_chat": (lose_ids, system_between, foreign_block),
    "openai_responses": (lose_ids, system_between, foreign_block),
    "anthropic": (lose_ids, foreign_block, split_pair),
    "gemini": (nameless, idless),
    "ai_sdk": (lose_ids, system_between, foreign_block),
    "ag_ui": (lose_ids, system_between, foreign_block),
    "langchain": (lose_ids, system_between),
    "bedrock": (lose_ids,),
    "pydantic_ai": (lose_ids,),
}
"""By shape: what it can happen to."""


def known(random: Random, calls: list[str]) -> Evidence:
    """What a record might hold beside a list: results, starts, refusals and waits of some of its calls."""

    def some(share: float) -> set[str]:
        return {call for call in calls if random.random() < share}

    results = {call: [Recorded(random.choice([f"recorded {call}", "aborted"]))] for call in sorted(some(0.3))}
    return Evidence(results=results, started=some(0.2), denied=some(0.1), pending=some(0.2), extra=some(0.1))
