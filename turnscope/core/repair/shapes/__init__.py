"""How message lists are spelled: one module per shape, each with `read` and `write`.

A shape knows spelling and nothing else: `CONTAINER` says where its results live (`own`: a message
each; `parts`: tool messages that hold several; `shared`: inside user messages; `inline`: inside the
call), `ARGUMENTS` whether a call's arguments are `text` or an `object`, `SYSTEM` whether system texts
stand among the messages (`inside`) or `beside` them, `SPREAD` whether one message is written as a list
of items. `read` never raises: what it does not know is kept as it is.
"""

from __future__ import annotations

from types import ModuleType

from turnscope.core.repair.shapes import (
    ag_ui,
    ai_sdk,
    ai_sdk_ui,
    anthropic,
    bedrock,
    gemini,
    langchain,
    openai_chat,
    openai_responses,
    pydantic_ai,
)
from turnscope.core.repair.transcript import Evidence, Json, Message, Transcript, uncollected

SHAPES: tuple[ModuleType, ...] = (
    openai_responses,
    pydantic_ai,
    gemini,
    bedrock,
    langchain,
    ai_sdk_ui,
    ag_ui,
    anthropic,
    ai_sdk,
    openai_chat,
)
"""In the order of guessing: the most telling first, the plainest last."""


def by_name(name: str) -> ModuleType:
    """The module of a shape; KeyError for a name that is none."""
    return {shape.NAME: shape for shape in SHAPES}[name]


def message_list(obj: Json) -> list[Json]:
    """The messages in what somebody pasted: a list, an object with `messages`, a LangGraph state; else []."""
    if isinstance(obj, dict) and isinstance(obj.get("values"), dict):
        obj = obj["values"]
    for key in ("messages", "input", "contents"):
        if isinstance(obj, dict) and isinstance(obj.get(key), list):
            return list(obj[key])
    return list(obj) if isinstance(obj, list) else []


def guess(obj: Json) -> str:
    """The shape a message list is most likely written in. Plain texts fit all: then `openai_chat`."""
    messages = [m for m in message_list(obj) if isinstance(m, dict)]
    best, name = 0.0, openai_chat.NAME
    for shape in SHAPES:
        likeness: float = shape.likeness(messages)
        if likeness > best:
            best, name = likeness, shape.NAME
    return name


def telling(obj: Json) -> bool:
    """Whether this can be nothing but a message list: some message has a role, or a shape knows its type."""
    messages = [m for m in message_list(obj) if isinstance(m, dict)]
    return any("role" in m for m in messages) or any(shape.likeness(messages) for shape in SHAPES)


def written(shape: ModuleType, message: Message) -> list[Json]:
    """A message as it goes out: one object, or in a shape of items several. What was changed and changed back
    is what it was."""
    before = message.raw if isinstance(message.raw, list) and shape.SPREAD else [message.raw]
    if message.raw is not None and not message.changed:
        return list(before)
    found: Json = shape.write(message)
    out = list(found) if shape.SPREAD else [found]
    return list(before) if out == before else out


def read(obj: Json, shape: str | None = None) -> Transcript:
    """A transcript out of a message list, in the named shape or the likeliest."""
    name = shape or guess(obj)
    with uncollected():
        messages: list[Message] = by_name(name).read(message_list(obj))
    evidence = Evidence(pending=langchain.waiting(obj)) if name == langchain.NAME else Evidence()
    return Transcript(messages=messages, shape=name, evidence=evidence)
