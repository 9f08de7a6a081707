"""Gemini generateContent: the errors of the API, and https://ai.google.dev/gemini-api/docs/function-calling
and /thought-signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def refusals(contents: list[Any], pending: set[str]) -> Iterator[str]:
    """Turns alternate; a turn of calls is followed by one content with as many responses and nothing else."""
    before = ""
    for at, content in enumerate(contents):
        turn = kind(content)
        if not content["parts"]:
            yield f"contents[{at}]: empty parts"
        if at == 0 and turn == "model":
            yield "a function call turn comes immediately after a user turn: the model begins"
        if turn == before:
            yield f"contents[{at}]: roles must alternate between user and model: {turn}"
        yield from _responses(contents, at)
        yield from _calls(contents, at, pending)
        before = turn
    yield from _signatures(contents)


def _responses(contents: list[Any], at: int) -> Iterator[str]:
    content, turn = contents[at], kind(contents[at])
    responses = found(content, "functionResponse")
    if responses and turn != "responses":
        yield f"contents[{at}]: function responses among other parts"
    if turn == "responses" and (at == 0 or not found(contents[at - 1], "functionCall")):
        yield f"contents[{at}]: function response turn comes immediately after a function call turn"
    for response in responses:
        if not response.get("name"):
            yield f"contents[{at}]: function_response.name: Name cannot be empty"
        if not isinstance(response.get("response"), dict) or _refers(response["response"]):
            yield f"contents[{at}]: response must be an object without references"


def _refers(value: Any) -> bool:
    if isinstance(value, dict):
        return "$ref" in value or any(map(_refers, value.values()))
    return isinstance(value, list) and any(map(_refers, value))


def _calls(contents: list[Any], at: int, pending: set[str]) -> Iterator[str]:
    calls = found(contents[at], "functionCall")
    for call in calls:
        if not call.get("name"):
            yield f"contents[{at}]: function_call.name: Name cannot be empty"
        if not isinstance(call.get("args", {}), dict):
            yield f"contents[{at}]: args must be an object"
    ids = [call["id"] for call in calls if call.get("id")]
    if len(set(ids)) < len(ids):
        yield f"contents[{at}]: two calls under one id"
    behind = contents[at + 1] if at + 1 < len(contents) else None
    responses = found(behind, "functionResponse") if behind and kind(behind) == "responses" else []
    silent = all(kind(one) == "responses" for one in contents[at + 1 :])
    # Ids first, on either side: what has none may be for any call of its function.
    left = sorted(calls, key=lambda call: bool(call.get("id")))
    for response in sorted(responses, key=lambda one: not one.get("id")) if calls else []:
        mine = next((call for call in left if _answers(response, call)), None)
        if mine is None:
            yield f"contents[{at + 1}]: a response that answers no call before it"
        else:
            left.remove(mine)
    waiting = [call for call in left if silent and _waits(call, pending)]
    if len(left) > len(waiting):
        yield f"contents[{at}]: the number of function response parts is not that of function call parts"


def _answers(response: Any, call: Any) -> bool:
    if response.get("id") and call.get("id"):
        return bool(response["id"] == call["id"])
    return not response.get("id") and bool(response.get("name") == call.get("name"))


def _waits(call: Any, pending: set[str]) -> bool:
    return call.get("id") in pending or any(one.startswith(f"{call.get('name', '')}#") for one in pending)


def _signatures(contents: list[Any]) -> Iterator[str]:
    """Asked of Gemini 3, whose calls are signed: of every turn since the user last said something."""
    parts = [part for content in contents for part in content["parts"]]
    if not any("thoughtSignature" in part for part in parts if "functionCall" in part):
        return
    last = max((at for at, content in enumerate(contents) if kind(content) == "user"), default=-1)
    for at in range(last + 1, len(contents)):
        first = next((part for part in contents[at]["parts"] if "functionCall" in part), None)
        if first is not None and kind(contents[at]) == "model" and not first.get("thoughtSignature"):
            yield f"contents[{at}]: function call is missing a thought_signature"


def kind(content: Any) -> str:
    responses = found(content, "functionResponse")
    if content["role"] == "user" and responses and len(responses) == len(content["parts"]):
        return "responses"
    if content["role"] == "user" and responses:
        return "mixed"
    return str(content["role"])


def found(content: Any, what: str) -> list[Any]:
    return [part[what] for part in content["parts"] if what in part]


def atoms(content: Any) -> Iterator[tuple[str, str | None, Any]]:
    role = {"model": "assistant"}.get(content["role"], content["role"])
    for part in content["parts"]:
        if "functionCall" in part:
            call = part["functionCall"]
            yield "call", call.get("id"), [call.get("name"), call.get("args")]
        elif "functionResponse" in part:
            response = part["functionResponse"]
            yield "result", response.get("id"), response["response"]
        elif "text" in part:
            yield "reasoning" if part.get("thought") else f"text of {role}", None, part["text"]
        else:
            yield "part", None, part
