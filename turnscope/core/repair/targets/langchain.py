"""LangChain message lists, and LangGraph's own check of them."""

from __future__ import annotations

from dataclasses import replace

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

LANGCHAIN = Target(
    name="langchain",
    title="LangChain",
    shapes=("langchain",),
    answered=Fact(
        YES,
        "every call needs a ToolMessage, one that was set aside as invalid too: the provider behind it still "
        "holds its block",
        "langchain-ai/langgraph#6726, langchain-ai/deepagents#5547",
        READ,
    ),
    adjacency=Fact(
        "until",
        "LangChain itself does not look at places, but the provider behind it reads a ToolMessage only "
        "before the next human or system message",
        "Yanyutin753/LambChat#496, langchain-ai/langchain#25716",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer"),
        "a human or system message closes the window for results",
        "Yanyutin753/LambChat#496",
        READ,
    ),
    orphans=Fact(
        YES,
        "a ToolMessage whose call was trimmed away is refused by the provider behind it",
        "langchain-core 1.8 trim_messages; langchain-ai/langchainjs#9740",
        READ,
    ),
    duplicates=Fact(
        YES,
        "one ToolMessage for each call: the provider behind it refuses a second",
        "langchain-ai/langchain-aws#847",
        READ,
    ),
    results_first=Fact(NO, "a ToolMessage holds nothing but its result", "langchain-core 1.8", READ),
    arguments=Fact(
        "object",
        "args of a tool call is a dict; text that does not parse belongs to invalid_tool_calls",
        "langchain-core 1.8 messages/tool.py, messages/utils.py convert_to_messages",
        READ,
    ),
    id_scope=Fact(
        "group",
        "an id may come again in a later message",
        "vercel/ai#18837, langchain-ai/langchainjs#10170",
        READ,
    ),
    id_pattern=Fact("", "any characters; the provider behind it may want less", "langchain-core 1.8", READ),
    id_max=Fact(0, "no length of its own; the provider behind it may have one", "langchain-core 1.8", READ),
    empty_text=Fact("ok", "empty content passes", "langchain-core 1.8", READ),
    empty_message=Fact(NO, "an empty message passes", "langchain-core 1.8", READ),
    reasoning=Fact("none", "reasoning blocks stay in their message", "langchain-core 1.8", READ),
    denial=Fact(NO, "a declined call is answered like any other", "langchain-core 1.8", READ),
)

LANGGRAPH = replace(
    LANGCHAIN,
    name="langgraph",
    title="LangGraph",
    answered=Fact(
        YES,
        "found AIMessages with tool_calls that do not have a corresponding ToolMessage "
        "(INVALID_CHAT_HISTORY)",
        "langgraph-prebuilt 1.1 _validate_chat_history; langchain-ai/langgraph#4289",
        READ,
    ),
    adjacency=Fact(
        "after",
        "places are not looked at: a ToolMessage counts anywhere behind its call (before it, it would answer "
        "nothing)",
        "langgraph-prebuilt 1.1 _validate_chat_history",
        READ,
    ),
    boundary=Fact(
        (), "no message closes the window for results", "langgraph-prebuilt 1.1 _validate_chat_history", READ
    ),
    replaces=Fact(
        "__remove_all__",
        "add_messages appends to the state and puts nothing in between: a repaired list replaces it behind "
        "RemoveMessage(REMOVE_ALL_MESSAGES)",
        "langgraph 1.2 graph/message.py add_messages",
        READ,
    ),
)
