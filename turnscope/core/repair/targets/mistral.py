"""Mistral's chat completions: the validator of its tokenizers, and where the hosted API is stricter."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

VALIDATOR = "mistral-common 1.13.1 protocol/instruct/validator.py"

MISTRAL = Target(
    name="mistral",
    title="Mistral",
    shapes=("openai_chat",),
    answered=Fact(
        YES,
        "each call of an assistant message has its tool message before the next assistant message: not the "
        "same number of function calls and responses",
        VALIDATOR,
        READ,
    ),
    adjacency=Fact(
        "immediate",
        "tool messages stand directly behind their assistant message: unexpected role 'tool' after 'user'",
        f"{VALIDATOR}, charmbracelet/crush#279",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer", "assistant"),
        "any message that is no tool message closes the window for results",
        VALIDATOR,
        READ,
    ),
    orphans=Fact(
        YES,
        "an unexpected tool call id in tool results is refused (since tokenizer v11; before, their number)",
        VALIDATOR,
        READ,
    ),
    duplicates=Fact(
        YES,
        "a tool call id stands once in an assistant message and once in its results (since tokenizer v11)",
        VALIDATOR,
        READ,
    ),
    results_first=Fact(NO, "a tool message holds nothing but its result", VALIDATOR, READ),
    arguments=Fact(
        "object_text",
        "arguments are a text that parses to an object: templates of tokenizers v2 and v3 parse it (that the "
        "hosted API refuses another is not verified)",
        "mistral-common 1.13.1 tokens/tokenizers/instruct.py",
        None,
    ),
    id_scope=Fact("group", "an id may come again in a later assistant message", VALIDATOR, READ),
    id_pattern=Fact(
        "[a-zA-Z0-9]{9}",
        "a tool call id must be a-z, A-Z, 0-9, with a length of 9 (tokenizers v3 to v11, and the hosted API "
        "as of 2026-01; since v13 any text but null passes the validator)",
        f"{VALIDATOR}, karthink/gptel#1203",
        READ,
    ),
    id_max=Fact(0, "the pattern says the length", VALIDATOR, READ),
    empty_text=Fact(
        "forbidden_alone",
        "an assistant message must have either content or tool_calls (tokenizers up to v3)",
        VALIDATOR,
        READ,
    ),
    empty_message=Fact(YES, "an assistant message must have either content or tool_calls", VALIDATOR, READ),
    reasoning=Fact("none", "reasoning is not tied to anything", "mistral-common 1.13.1 ThinkChunk", READ),
    denial=Fact(NO, "a declined call is answered like any other", "mistral-common 1.13.1 ToolMessage", READ),
    first_user=Fact(
        YES,
        "a conversation starts with a user or system message: behind an assistant message with calls the "
        "validator looks for no results, and one alone is refused",
        f"{VALIDATOR}, discourse/discourse-ai#703",
        READ,
    ),
    bridges=Fact(
        (
            ("tool", "user", ("assistant",)),
            ("tool", "system", ("assistant", "user")),
            ("assistant", "system", ("user",)),
        ),
        "unexpected role 'user' after role 'tool' (code 3230), nor 'system' after 'assistant' or 'tool' (the "
        "validator lets a user follow a tool, the hosted API does not)",
        "pipecat-ai/pipecat-flows#178, BerriAI/litellm#17761, swarmauri/swarmauri-sdk#162",
        READ,
    ),
    name_pattern=Fact(
        "[a-zA-Z0-9_-]{1,64}",
        "a function name must be a-z, A-Z, 0-9, or contain underscores and dashes, 64 at most",
        VALIDATOR,
        READ,
    ),
    developer=Fact(
        NO, "the roles are system, user, assistant and tool", "mistral-common 1.13.1 messages.Roles", READ
    ),
)  # fmt: skip
