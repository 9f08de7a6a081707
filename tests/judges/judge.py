"""Run by the judges' own Python: a line `{"judge": ..., "messages": [...]}` in, what is refused about it out.

Knows nothing of Turnscope. A verdict is a JSON string, or null where nothing is refused. A judge that ends
in a version speaks for that version of its package's rules.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

warnings.simplefilter("ignore")


@cache
def _typed(kind: str) -> Any:
    from anthropic.types import MessageParam
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.responses import ResponseInputItemParam
    from pydantic import TypeAdapter

    types: dict[str, Any] = {
        "anthropic": MessageParam,
        "chat": ChatCompletionMessageParam,
        "responses": ResponseInputItemParam,
    }
    return TypeAdapter(types[kind])


def typed(kind: str, messages: list[Any]) -> None:
    """The request types of the official client, message by message. Lists are lazy there: each is walked."""
    for message in messages:
        _exhaust(_typed(kind).validate_python(message))


def _exhaust(value: Any) -> Any:
    """Pydantic reads an Iterable when it is asked for; this asks."""
    if isinstance(value, dict):
        return {key: _exhaust(inner) for key, inner in value.items()}
    return (
        value
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__")
        else list(map(_exhaust, value))
    )


def gemini(contents: list[Any]) -> None:
    """The request types of the official client, and its own look at a history."""
    from google.genai import chats, types

    found = [types.Content.model_validate(content) for content in contents]
    if found and not chats._validate_contents(found):
        raise ValueError("a content without parts")


def mistral(version: str, messages: list[Any]) -> None:
    """The validator of one tokenizer version, for serving: behind an assistant a user asks more."""
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers.base import TokenizerVersion

    ends = not messages or messages[-1]["role"] == "assistant"
    asked = [*messages, {"role": "user", "content": "and?"}] if ends else messages
    request: Any = ChatCompletionRequest.from_openai(asked, model="m")
    get_validator(TokenizerVersion(version), ValidationMode.serving).validate_request(request)


@cache
def _converse() -> Any:
    from botocore.session import get_session

    return get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def bedrock(messages: list[Any]) -> None:
    """botocore's own check of the parameters, and the patterns and lengths its service model states."""
    from botocore.validate import ParamValidator

    asked = {"modelId": "m", "messages": messages}
    report = ParamValidator().validate(asked, _converse())
    problems = [report.generate_report()] if report.has_errors() else list(_outside(_converse(), asked, ""))
    if problems:
        raise ValueError("; ".join(problems))


def _outside(shape: Any, value: Any, where: str) -> Iterator[str]:
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for key, inner in value.items():
            yield from _outside(shape.members[key], inner, f"{where}.{key}")
    elif shape.type_name == "list":
        for number, inner in enumerate(value):
            yield from _outside(shape.member, inner, f"{where}[{number}]")
    elif shape.type_name == "string":
        pattern, longest = shape.metadata.get("pattern"), shape.metadata.get("max")
        if pattern and not re.fullmatch(pattern, value):
            yield f"{where}: does not match {pattern}"
        if longest and len(value) > longest:
            yield f"{where}: longer than {longest}"
        if shape.enum and value not in shape.enum:
            yield f"{where}: not one of {shape.enum}"


def langchain(messages: list[Any]) -> None:
    """As a state or a model takes them in."""
    from langchain_core.messages import convert_to_messages, messages_from_dict

    for message in messages:
        if "data" in message:
            messages_from_dict([message])
        else:
            convert_to_messages([message])


def langgraph(messages: list[Any]) -> None:
    """LangGraph's check of a history, behind an update of its state that removes all."""
    from langchain_core.messages import convert_to_messages, messages_from_dict
    from langgraph.graph.message import add_messages
    from langgraph.prebuilt.chat_agent_executor import _validate_chat_history

    read = [messages_from_dict([m])[0] if "data" in m else convert_to_messages([m])[0] for m in messages]
    old = convert_to_messages([{"type": "human", "content": "what stood there", "id": "old"}])
    state = add_messages(old, read)
    if read and read[0].type == "remove" and [m.content for m in state] != [m.content for m in read[1:]]:
        raise ValueError("the state is not what was sent")
    _validate_chat_history(state)


@cache
def _agent() -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    return Agent(TestModel(call_tools=[]))


def pydantic_ai(messages: list[Any]) -> None:
    """Its JSON types, its own repair with nothing to do, and an agent that is asked something more."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter, repair_messages

    history = ModelMessagesTypeAdapter.validate_python(messages)
    before, after = _tool_parts(history), _tool_parts(repair_messages(history))
    if before != after:
        raise ValueError(f"repair_messages makes {after} of {before}")
    _agent().run_sync("and?", message_history=history)


def _tool_parts(history: Any) -> list[tuple[str, str]]:
    """Without their places: merging neighbours sorts returns to the front."""
    found = [
        (part.part_kind, part.tool_call_id)
        for message in history
        for part in message.parts
        if part.part_kind in ("tool-call", "tool-return", "retry-prompt") and getattr(part, "tool_name", None)
    ]
    return sorted(found)


@cache
def _to_openai() -> tuple[Any, list[Any]]:
    """An agent whose requests to OpenAI go no further than this process, and what it sent."""
    import httpx
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    sent: list[Any] = []
    said = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    reply = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [said]}

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content)["messages"])
        return httpx.Response(200, json=reply)

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    provider = OpenAIProvider(openai_client=AsyncOpenAI(api_key="none", http_client=client))
    return Agent(OpenAIChatModel("m", provider=provider)), sent


def pydantic_ai_sent(messages: list[Any]) -> None:
    """What its agent makes of the history and sends to OpenAI, by OpenAI's types and by turnsafe."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    agent, sent = _to_openai()
    agent.run_sync("and?", message_history=ModelMessagesTypeAdapter.validate_python(messages))
    typed("chat", sent[-1])
    turnsafe("openai", sent.pop())


def turnsafe(provider: str, messages: list[Any]) -> None:
    import turnsafe as package

    report = package.validate(messages, provider)
    if not report.ok:
        raise ValueError("; ".join(str(violation) for violation in report.violations))


def toolrepair(form: str, messages: list[Any]) -> None:
    import toolrepair as package

    if found := package.validate(messages, format=form):
        raise ValueError("; ".join(f"{one.code} at {one.message}: {one.detail}" for one in found))


JUDGES: dict[str, Callable[[list[Any]], None]] = {
    "openai_chat": partial(typed, "chat"),
    "openai_responses": partial(typed, "responses"),
    "anthropic": partial(typed, "anthropic"),
    "gemini": gemini,
    **{f"mistral_{version}": partial(mistral, version) for version in ("v3", "v7", "v11", "v13", "v15")},
    "bedrock": bedrock,
    "langchain": langchain,
    "langgraph": langgraph,
    "pydantic_ai": pydantic_ai,
    "pydantic_ai_sent": pydantic_ai_sent,
    **{f"turnsafe_{provider}": partial(turnsafe, provider) for provider in ("openai", "anthropic")},
    **{f"toolrepair_{form}": partial(toolrepair, form) for form in ("openai", "anthropic")},
}


def main() -> None:
    for line in sys.stdin:
        case = json.loads(line)
        try:
            JUDGES[case["judge"]](case["messages"])
            verdict = None
        except Exception as refused:
            verdict = f"{type(refused).__name__}: {refused}"[:2000]
        print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main()
