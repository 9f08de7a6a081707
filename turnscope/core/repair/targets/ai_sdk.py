"""The Vercel AI SDK."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

AI_SDK = Target(
    name="ai_sdk",
    title="Vercel AI SDK",
    shapes=("ai_sdk", "ai_sdk_ui"),
    answered=Fact(
        YES,
        "a tool call without its result raises AI_MissingToolResultsError: Tool result is missing for "
        "tool call",
        "ai 7.0 convert-to-language-model-prompt.ts",
        READ,
    ),
    adjacency=Fact(
        "until",
        "a result counts in a tool message before the next user or system message",
        "ai 7.0 convert-to-language-model-prompt.ts",
        READ,
    ),
    boundary=Fact(
        ("user", "system"),
        "a user or system message closes the window for results; assistant messages do not (ai 7 takes "
        "system messages in a list only where allowSystemInMessages is set)",
        "ai 7.0 convert-to-language-model-prompt.ts",
        READ,
    ),
    orphans=Fact(
        YES,
        "the SDK does not check a result without its call, but the provider behind it refuses it",
        "ai 7.0 convert-to-language-model-prompt.ts",
        READ,
    ),
    duplicates=Fact(
        YES,
        "the SDK does not check a second result, but the provider behind it refuses it",
        "vercel/ai#14289, vercel/ai#13383",
        READ,
    ),
    results_first=Fact(NO, "a tool message holds nothing but results", "ai 7.0 ModelMessage", READ),
    arguments=Fact(
        "object",
        "input is the parsed object, not its text (text that does not parse goes on to the provider, "
        "which refuses it)",
        "ai 7.0 parse-tool-call.ts",
        READ,
    ),
    id_scope=Fact(
        "group", "an id may come again in a later step", "ai 7.0 process-ui-message-stream.ts", READ
    ),
    id_pattern=Fact("", "any characters; the provider behind it may want less", "ai 7.0 ModelMessage", READ),
    id_max=Fact(0, "no length of its own; the provider behind it may have one", "ai 7.0 ModelMessage", READ),
    empty_text=Fact("ok", "empty text passes", "ai 7.0 ModelMessage", READ),
    empty_message=Fact(NO, "an empty message passes", "ai 7.0 ModelMessage", READ),
    reasoning=Fact("none", "reasoning parts pass on their own", "ai 7.0 ModelMessage", READ),
    denial=Fact(YES, "a declined call has the output execution-denied", "ai 7.0 ToolResultOutput", READ),
)
