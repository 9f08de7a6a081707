"""Anthropic Messages."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

ANTHROPIC = Target(
    name="anthropic",
    title="Anthropic Messages",
    shapes=("anthropic",),
    answered=Fact(
        YES,
        "each tool_use block must have a corresponding tool_result block in the next message",
        "anthropics/claude-code#1237, #2697, #5989, letta-ai/letta#3308",
        READ,
    ),
    adjacency=Fact(
        "immediate",
        "tool_result blocks must stand in the user message directly behind the tool_use",
        "anthropics/claude-code#18947, #13460, router-for-me/CLIProxyAPI#3366",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "assistant"),
        "any text between a tool_use and its tool_result breaks the pair",
        "router-for-me/CLIProxyAPI#3366 (assistant text: reported by a proxy, not by the API itself)",
        READ,
    ),
    orphans=Fact(
        YES,
        "an unexpected tool_use_id in a tool_result block is refused: it must refer to the previous "
        "assistant message",
        "anthropics/claude-code#18947, #15205",
        READ,
    ),
    duplicates=Fact(
        YES,
        "each tool_use must have a single result, and tool_use ids must be unique",
        "vectorize-io/hindsight#4250, RooCodeInc/Roo-Code#10465, HKUDS/nanobot#4442",
        READ,
    ),
    results_first=Fact(
        YES,
        "tool_result blocks come first in the user message, text only behind them",
        "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        READ,
    ),
    arguments=Fact(
        "object",
        "tool_use.input must be an object: input should be a valid dictionary",
        "lijunzh/koda#501, anthropics/claude-code#6696",
        READ,
    ),
    id_scope=Fact(
        "request",
        "tool_use ids must be unique across the whole request",
        "anthropics/claude-code#21094, HKUDS/nanobot#4442",
        READ,
    ),
    id_pattern=Fact(
        "[a-zA-Z0-9_-]+",
        "a tool_use id matches ^[a-zA-Z0-9_-]+$",
        "maximhq/bifrost#5097, antinomyhq/forgecode#1142",
        READ,
    ),
    id_max=Fact(0, "no documented length (some clients assume 64; not verified)", "none", None),
    empty_text=Fact(
        "forbidden_blank",
        "text content blocks must contain non-whitespace text",
        "anthropics/claude-code#23352, #23440",
        READ,
    ),
    empty_message=Fact(
        YES,
        "all messages must have non-empty content except for the optional final assistant message",
        "anthropics/claude-code#6774",
        READ,
    ),
    reasoning=Fact(
        "prefix_bound",
        "a signed thinking block is bound to everything before it; send "
        "thinking.block_binding.prefix_mismatch_behavior = drop_block, or leave the thinking out",
        "pydantic-ai 2.68 _thinking_binding.py, anthropics/claude-code#63203",
        READ,
    ),
    denial=Fact(NO, "a declined call is answered like any other", "Messages API reference", READ),
)
