"""Conversations as targets spell them, and ways to break them. Builders for the laws of repair.

A conversation is drawn valid: turns of a user's words, then steps of an assistant with text, calls and
their results. Then it is damaged the way crashes, reloads, compaction and relays damage histories. All
choices come from one `Random`, so that a seed names a case.
"""

from __future__ import annotations

import copy
from random import Random

from tests.core.spelled import ASSISTANT, STEP, USER, Json, Messages
from tests.core.stripped import OF_SHAPE

KINDS = {
    "openai_chat": ("openai_chat", "openai_chat"),
    "openai_responses": ("openai_responses", "openai_responses"),
    "openai_responses_strict": ("openai_responses", "openai_responses_strict"),
    "anthropic": ("anthropic", "anthropic"),
    "gemini": ("gemini", "gemini"),
    "mistral": ("openai_chat", "mistral"),
    "bedrock": ("bedrock", "bedrock"),
    "vllm": ("openai_chat", "vllm"),
    "ai_sdk": ("ai_sdk", "ai_sdk"),
    "ai_sdk_ui": ("ai_sdk_ui", "ai_sdk"),
    "langchain": ("langchain", "langchain"),
    "langgraph": ("langchain", "langgraph"),
    "pydantic_ai": ("pydantic_ai", "pydantic_ai"),
    "ag_ui": ("ag_ui", "ag_ui"),
}
"""What is drawn and damaged: the shape it is spelled in, and the target that judges it."""
UNIQUE = ("anthropic", "openai_responses")
"""Shapes whose targets refuse a call id that comes again."""
CLOSED = ("gemini", "mistral", "bedrock")
"""Targets that refuse a user's words right behind results."""


def conversation(random: Random, shape: str, target: str = "") -> Messages:
    """A valid conversation in a shape (and for a target); every text and result is said once only."""
    said = (f"word {n}" for n in range(1_000_000))
    calls = 0
    messages: Messages = []
    for _ in range(random.randint(1, 3)):
        messages.append(USER[shape](next(said), len(messages)))
        for _ in range(random.randint(0, 2)):
            text = next(said) if random.random() < 0.5 else ""
            count = random.randint(1, 3)
            reuse = shape not in UNIQUE and random.random() < 0.15
            ids = [f"call_{0 if reuse else calls + n}{'x' * n if reuse else ''}" for n in range(count)]
            if target == "mistral":
                ids = [id_.replace("_", "").ljust(9, "0") for id_ in ids]
            calls += count
            step = [(call, f"tool{n}", {"n": calls + n}, next(said)) for n, call in enumerate(ids)]
            messages.extend(STEP[shape](text, step, len(messages)))
        if (target or shape) in CLOSED or random.random() < 0.7:
            messages.append(ASSISTANT[shape](next(said), len(messages)))
    return messages


# ---------------------------------------------------------------- damage


def damaged(random: Random, shape: str, messages: Messages, target: str = "") -> Messages:
    """The conversation after some accidents, and some of its shape's and target's own. The given one is
    left alone."""
    out = battered(random, shape, messages)
    for accident in (*OF_SHAPE.get(shape, ()), *_OF.get(target, ())):
        if out and random.random() < 0.2:
            accident(random, shape, out)
    return out


def battered(random: Random, shape: str, messages: Messages) -> Messages:
    """The conversation after one to four accidents that happen to any."""
    out = copy.deepcopy(messages)
    for _ in range(random.randint(1, 4)):
        before = copy.deepcopy(out)
        for _ in range(4):
            if out and out == before:
                random.choice(_ACCIDENTS)(random, shape, out)
    return out


def _lose_message(random: Random, shape: str, messages: Messages) -> None:
    messages.pop(random.randrange(len(messages)))


def _cut(random: Random, shape: str, messages: Messages) -> None:
    del messages[random.randrange(len(messages)) + 1 :]


def _move_message(random: Random, shape: str, messages: Messages) -> None:
    message = messages.pop(random.randrange(len(messages)))
    messages.insert(random.randrange(len(messages) + 1), message)


def _user_between(random: Random, shape: str, messages: Messages) -> None:
    said = f"interjection {len(messages)}-{random.randrange(1000)}"
    messages.insert(random.randrange(len(messages) + 1), _fresh(USER[shape](said, 0), messages))


def _assistant_between(random: Random, shape: str, messages: Messages) -> None:
    said = f"aside {len(messages)}-{random.randrange(1000)}"
    messages.insert(random.randrange(len(messages) + 1), _fresh(ASSISTANT[shape](said, 0), messages))


def _fresh(message: dict[str, Json], messages: Messages) -> dict[str, Json]:
    """The message under an id no other has, where its shape has ids; an item comes again as it was."""
    if "id" not in message or "type" in message:
        return message
    taken = {one["id"] for one in messages}
    number = len(messages)
    while f"n{number}" in taken:
        number += 1
    return {**message, "id": f"n{number}"}


def _repeat_message(random: Random, shape: str, messages: Messages) -> None:
    message = copy.deepcopy(random.choice(messages))
    if message.get("role") != "user" or shape in ("anthropic", "bedrock"):
        messages.insert(random.randrange(len(messages) + 1), _fresh(message, messages))


def _pieces(messages: Messages) -> list[tuple[list[Json], int]]:
    """Every list that holds parts, with each part's index: what can be lost or doubled inside messages."""
    found: list[tuple[list[Json], int]] = []
    for message in messages:
        inner = message.get("data", message.get("kwargs", message))
        for key in ("content", "parts", "tool_calls", "toolCalls"):
            value = inner.get(key)
            if isinstance(value, list):
                found.extend((value, n) for n in range(len(value)))
    return found


def _lose_piece(random: Random, shape: str, messages: Messages) -> None:
    pieces = _pieces(messages)
    if pieces:
        held, at = random.choice(pieces)
        if len(held) > 1:
            held.pop(at)


def _repeat_piece(random: Random, shape: str, messages: Messages) -> None:
    pieces = [(held, at) for held, at in _pieces(messages) if not _words(held[at])]
    if pieces:
        held, at = random.choice(pieces)
        again = copy.deepcopy(held[at])
        theirs = str(again.get("type", "")).endswith("_search_tool_result")
        if random.random() < 0.5 and not theirs:
            for key in ("input", "output", "content"):
                if key in again:
                    again[key] = {"other": 1} if key == "input" else _other(again[key])
        held.insert(random.randrange(len(held) + 1), again)


def _words(piece: dict[str, Json]) -> bool:
    kind = piece.get("type", piece.get("part_kind"))
    return kind in ("text", "user-prompt") or set(piece) == {"text"}


def _other(value: Json) -> Json:
    return {"type": "text", "value": "another answer"} if isinstance(value, dict) else "another answer"


def _shuffle_pieces(random: Random, shape: str, messages: Messages) -> None:
    message = random.choice(messages)
    content = message.get("parts" if shape in ("gemini", "pydantic_ai") else "content")
    if isinstance(content, list):
        random.shuffle(content)


def _text_into_results(random: Random, shape: str, messages: Messages) -> None:
    key = {"anthropic": "content", "bedrock": "content", "gemini": "parts"}.get(shape)
    held = [m[key] for m in messages if m["role"] == "user"] if key else []
    if held:
        content = random.choice(held)
        text = {"text": f"by the way {random.randrange(1000)}"}
        content.insert(
            random.randrange(len(content) + 1), {"type": "text", **text} if shape == "anthropic" else text
        )


def _garble_arguments(random: Random, shape: str, messages: Messages) -> None:
    for message in messages:
        if "arguments" in message and random.random() < 0.4:
            message["arguments"] = random.choice(['{"cut": ', "", None, {"an": "object"}])
    for held, at in _pieces(messages):
        piece = held[at]
        if isinstance(piece.get("function"), dict) and random.random() < 0.4:
            piece["function"]["arguments"] = random.choice(['{"cut": ', "", None, {"an": "object"}])
        elif "toolUse" in piece and random.random() < 0.3:
            piece["toolUse"]["input"] = random.choice(['{"cut": ', '{"whole": 1}', "", None])
        elif "functionCall" in piece and random.random() < 0.3:
            piece["functionCall"]["args"] = random.choice(['{"cut": ', '{"whole": 1}', "", None])
        elif "args" in piece and random.random() < 0.3:
            piece["args"] = random.choice(['{"cut": ', '{"whole": 1}', "", None])
        elif "input" in piece and random.random() < 0.4:
            piece["input"] = random.choice(['{"cut": ', '{"whole": 1}', "", None])


def _placeholder(random: Random, shape: str, messages: Messages) -> None:
    for message in messages:
        key = "output" if "output" in message else "content"
        answers = message.get("role") == "tool" or key == "output"
        if answers and isinstance(message.get(key), str) and random.random() < 0.3:
            message[key] = random.choice(["Tool execution aborted", "", "aborted"])


def _open_state(random: Random, shape: str, messages: Messages) -> None:
    """A UI part whose call was never finished."""
    for held, at in _pieces(messages):
        piece = held[at]
        if "state" in piece and random.random() < 0.4:
            piece.pop("output", None)
            piece["state"] = random.choice(["input-streaming", "input-available", "approval-requested"])
            if piece["state"] == "approval-requested":
                piece["approval"] = {"id": f"appr-{piece['toolCallId']}"}


def _signature_lost(random: Random, shape: str, messages: Messages) -> None:
    for held, at in _pieces(messages):
        if "thoughtSignature" in held[at] and random.random() < 0.5:
            del held[at]["thoughtSignature"]


def _stray_response(random: Random, shape: str, messages: Messages) -> None:
    """A response that is a text, or refers to something, or has lost its id."""
    for held, at in _pieces(messages):
        response = held[at].get("functionResponse")
        if response is not None and random.random() < 0.3:
            response.update(random.choice([{"response": "text"}, {"response": {"$ref": "#/x", "n": at}}]))
        elif response is not None and random.random() < 0.2:
            response.pop("id", None)


def _item_id(random: Random, shape: str, messages: Messages) -> None:
    """An item under an id that another has, or of a form that no item may have."""
    if shape == "openai_responses":
        item = random.choice(messages)
        item["id"] = random.choice(["fc_1", "msg_1", "call_0", "0199-uuid"])


def _blank_text(random: Random, shape: str, messages: Messages) -> None:
    if shape in ("anthropic", "bedrock"):
        content = random.choice(messages)["content"]
        text = {"text": random.choice(["", "  \n"])}
        content.insert(
            random.randrange(len(content) + 1), text if shape == "bedrock" else {"type": "text", **text}
        )


_ACCIDENTS = (
    _lose_message,
    _lose_message,
    _cut,
    _move_message,
    _user_between,
    _assistant_between,
    _repeat_message,
    _lose_piece,
    _repeat_piece,
    _shuffle_pieces,
    _text_into_results,
    _garble_arguments,
    _placeholder,
    _open_state,
    _blank_text,
    _item_id,
    _signature_lost,
    _stray_response,
)


def _nothing_said(random: Random, shape: str, messages: Messages) -> None:
    messages.insert(random.randrange(len(messages) + 1), {"role": "assistant", "content": ""})


def _odd_name(random: Random, shape: str, messages: Messages) -> None:
    for held, at in _pieces(messages):
        if isinstance(held[at].get("function"), dict) and random.random() < 0.2:
            held[at]["function"]["name"] = random.choice(["", "with space", "n" * 65])
        elif "toolUse" in held[at] and random.random() < 0.1:
            held[at]["toolUse"]["name"] = random.choice(["", "with space", "n" * 65])


def _odd_result(random: Random, shape: str, messages: Messages) -> None:
    """A result that is empty, blank, no list, or JSON that is no object."""
    odd = [[], [{"text": " "}], "text", [{"json": [1]}], [{"json": {"n": 1}}], None]
    for held, at in _pieces(messages):
        if "toolResult" in held[at] and random.random() < 0.3:
            held[at]["toolResult"].update(content=copy.deepcopy(random.choice(odd)), status="error")


def _texts_of_others(random: Random, shape: str, messages: Messages) -> None:
    """Texts as other APIs spell them: a string, or a block with a type."""
    for message in messages:
        content = message["content"]
        if len(content) == 1 and "text" in content[0] and random.random() < 0.3:
            text = content[0]["text"]
            message["content"] = text if random.random() < 0.5 else [{"type": "text", "text": text}]


def _words_into_returns(random: Random, shape: str, messages: Messages) -> None:
    """A user's words, a system's, or something else in a request of returns."""
    kind = random.choice(["user-prompt", "system-prompt", "retry-prompt"])
    said = {"part_kind": kind, "content": f"by the way {random.randrange(1000)}"}
    parts = random.choice(messages)["parts"]
    if parts and parts[0]["part_kind"] not in ("text", "thinking", "tool-call"):
        parts.insert(random.randrange(len(parts) + 1), said)


_OF = {"mistral": (_nothing_said, _odd_name), "bedrock": (_odd_result, _odd_name, _texts_of_others),
       "pydantic_ai": (_words_into_returns,)}  # fmt: skip
"""What happens to the lists of one target alone."""
