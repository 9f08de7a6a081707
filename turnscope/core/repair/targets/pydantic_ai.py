"""PydanticAI message histories, as `Agent.run(message_history=...)` takes them."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

MESSAGES = "pydantic-ai 2.68 messages.py"
GRAPH = "pydantic-ai 2.68 _agent_graph.py"

PYDANTIC_AI = Target(
    name="pydantic_ai",
    title="PydanticAI",
    shapes=("pydantic_ai",),
    answered=Fact(
        YES,
        "cannot provide a new user prompt when the message history contains unprocessed tool calls",
        GRAPH,
        READ,
    ),
    adjacency=Fact(
        "until",
        "a return counts in a request before the next response: behind that, PydanticAI takes it for the "
        "answer and the provider does not",
        MESSAGES,
        READ,
    ),
    boundary=Fact(("assistant",), "the next response closes the window for returns", MESSAGES, READ),
    orphans=Fact(
        YES, "a return whose call never came before it is dropped before it is sent", MESSAGES, READ
    ),
    duplicates=Fact(
        YES,
        "a second return of a call is not looked for, and the provider behind it refuses it",
        f"{MESSAGES} (run with 2.68)",
        READ,
    ),
    results_first=Fact(
        YES,
        "returns come first in their request: what stands before them there is sent before them",
        MESSAGES,
        READ,
    ),
    arguments=Fact(
        "either",
        "args are a text, an object or none; a text that does not parse is sent as INVALID_JSON",
        MESSAGES,
        READ,
    ),
    id_scope=Fact("group", "an id may come again in a later response", MESSAGES, READ),
    id_pattern=Fact("", "any characters; the provider behind it may want less", MESSAGES, READ),
    id_max=Fact(0, "no length of its own; the provider behind it may have one", MESSAGES, READ),
    empty_text=Fact("ok", "an empty text is left out by each model's own mapping", MESSAGES, READ),
    empty_message=Fact(NO, "a message without parts passes", MESSAGES, READ),
    reasoning=Fact(
        "none",
        "thinking goes back to the provider it came from; what its signature binds is looked after there",
        "pydantic-ai 2.68 _thinking_binding.py",
        READ,
    ),
    denial=Fact(YES, "a declined call has the outcome denied", MESSAGES, READ),
    alternate=Fact(NO, "neighbouring requests are merged before they are sent", MESSAGES, READ),
)
