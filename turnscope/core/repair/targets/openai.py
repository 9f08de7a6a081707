"""OpenAI: Chat Completions and Responses, and a host that reads Responses more strictly."""

from __future__ import annotations

from dataclasses import replace

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

OPENAI_CHAT = Target(
    name="openai_chat",
    title="OpenAI Chat Completions",
    shapes=("openai_chat",),
    answered=Fact(
        YES,
        "an assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'",
        "block/goose#33, BerriAI/litellm#10083, bug-ops/zeph#5513",
        READ,
    ),
    adjacency=Fact(
        "immediate",
        "the tool messages must stand directly behind the assistant message, nothing between",
        "Yanyutin753/LambChat#496, agno-agi/agno#3105",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer", "assistant"),
        "any message that is no tool message closes the window for results",
        "Yanyutin753/LambChat#496",
        READ,
    ),
    orphans=Fact(
        YES,
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        "miurla/morphic#136, FoundationAgents/OpenManus#744",
        READ,
    ),
    duplicates=Fact(
        YES,
        "one tool message per call: a second 'tool_call_id' is refused as a duplicate value "
        "(seen at DeepSeek and Moonshot; not verified at OpenAI itself)",
        "agno-agi/agno#5191, anomalyco/opencode#40235",
        READ,
    ),
    results_first=Fact(NO, "a tool message holds nothing but its result", "API reference", READ),
    arguments=Fact(
        "text",
        "arguments are a string that is stored unread (not verified that it is never parsed)",
        "https://platform.openai.com/docs/api-reference/chat",
        None,
    ),
    id_scope=Fact(
        "group",
        "an id must be unique among the calls of one message; later turns may use it again",
        "sipeed/picoclaw#2528",
        READ,
    ),
    id_pattern=Fact("", "any characters (not verified)", "no report of a refusal found", None),
    id_max=Fact(64, "a call id has at most 64 characters", "jin-bo/agentao#321 (live run, 2026-09)", READ),
    empty_text=Fact("ok", "an empty string is content", "API reference", None),
    empty_message=Fact(
        YES,
        "content may be null or absent only beside tool_calls: expected a string, got null",
        "docker/docker-agent#63, vercel/ai#13744",
        READ,
    ),
    reasoning=Fact("none", "reasoning is not sent back (DeepSeek's reasoning_content is kept as it came)",
                   "openai/openai-agents-js#791", READ),
    denial=Fact(NO, "a declined call is answered like any other", "API reference", READ),
)  # fmt: skip

OPENAI_RESPONSES = Target(
    name="openai_responses",
    title="OpenAI Responses",
    shapes=("openai_responses",),
    answered=Fact(
        YES,
        "each call item needs an output item with its call_id: no tool output found for function call",
        "langchain-ai/langchainjs#11437, jlcodes99/cockpit-tools#1234",
        READ,
    ),
    adjacency=Fact(
        "after",
        "an output counts anywhere behind its call (that one before its call is refused is not verified)",
        "openai 3.57 ResponseInputItemParam; deepseek-ai/awesome-deepseek-integration#740 for the contrast",
        READ,
    ),
    boundary=Fact((), "no item closes the window for outputs", "microsoft/vscode#320060", READ),
    orphans=Fact(
        YES,
        "no tool call found for function call output with this call_id",
        "microsoft/vscode#320060, OpenMinis/OpenMinis#222",
        READ,
    ),
    duplicates=Fact(
        YES,
        "each call item must have exactly one output (seen at a gateway), and no item may come twice",
        "NousResearch/hermes-agent#102629, vercel/ai#13383",
        READ,
    ),
    results_first=Fact(NO, "an output is an item of its own", "API reference", READ),
    arguments=Fact(
        "text",
        "arguments are a string that is stored unread (not verified that it is never parsed)",
        "https://platform.openai.com/docs/api-reference/responses",
        None,
    ),
    id_scope=Fact(
        "request",
        "a call_id names one call of the whole input (seen at a gateway; not verified at OpenAI itself)",
        "NousResearch/hermes-agent#102629, mnfst/llm-gateway#2858",
        READ,
    ),
    id_pattern=Fact("", "any characters (not verified)", "no report of a refusal found", None),
    id_max=Fact(64, "a call_id has at most 64 characters", "decolua/9router#393", READ),
    empty_text=Fact("ok", "an empty string is content", "API reference", None),
    empty_message=Fact(
        YES,
        "a message item needs its content: a text, or parts of the types output_text and refusal from the "
        "assistant, input_text from anybody else",
        "openai 3.57 EasyInputMessageParam, NousResearch/hermes-agent#15690, langchain-ai/langchainjs#11169",
        READ,
    ),
    reasoning=Fact(
        "item_pairs",
        "a reasoning item must be followed by the item it led to (may be enforced: with store false it was "
        "not in 2026-09)",
        "vercel/ai#7099, openai/openai-node#1567, mastra-ai/mastra#8738, jin-bo/agentao#321",
        READ,
    ),
    denial=Fact(NO, "a declined call is answered like any other", "API reference", READ),
    item_ids=Fact(
        (
            ("function_call", "fc"),
            ("message", "msg"),
            ("reasoning", "rs"),
            ("function_call_output", ""),
            ("custom_tool_call", ""),
            ("custom_tool_call_output", ""),
        ),
        "the id of an item begins with the letters of its type (fc, msg, rs) and stands once; it may be left "
        "out (of reasoning too, as two probes showed; one report disagrees for encrypted reasoning)",
        "openai/codex#33176, jlcodes99/cockpit-tools#2090, vercel/ai#13383, router-for-me/CLIProxyAPI#4285, "
        "Wei-Shaw/sub2api#3588; against: dotnet/extensions#7628",
        READ,
    ),
)

OPENAI_RESPONSES_STRICT = replace(
    OPENAI_RESPONSES,
    name="openai_responses_strict",
    title="Responses, strictly adjacent",
    adjacency=Fact(
        "immediate",
        "outputs must stand directly behind their calls: no tool output found for tool call, if any item "
        "stands between (DeepSeek)",
        "deepseek-ai/awesome-deepseek-integration#740",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "developer", "assistant"),
        "any item that is no output closes the window for outputs",
        "deepseek-ai/awesome-deepseek-integration#740",
        READ,
    ),
)
