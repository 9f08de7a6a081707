"""Amazon Bedrock, Converse: one request shape for every family of models, and what most of them refuse."""

from __future__ import annotations

from turnscope.core.repair.targets.row import NO, READ, YES, Fact, Target

MODEL = "botocore 1.44.8 bedrock-runtime service model"
CLIENT = "pydantic-ai 2.68 models/bedrock.py"

BEDROCK = Target(
    name="bedrock",
    title="Amazon Bedrock Converse",
    shapes=("bedrock",),
    answered=Fact(
        YES,
        "each toolUse block needs its toolResult block in the next user message",
        "pydantic/pydantic-ai#2327, OpenHands/OpenHands#4912",
        READ,
    ),
    adjacency=Fact(
        "immediate",
        "toolResult blocks must stand in the user message directly behind their toolUse blocks",
        "OpenHands/OpenHands#4912, strands-agents/harness-sdk#1435",
        READ,
    ),
    boundary=Fact(
        ("user", "system", "assistant"),
        "anything between a toolUse and its toolResult breaks the pair",
        "pydantic/pydantic-ai#2327",
        READ,
    ),
    orphans=Fact(
        YES,
        "the number of toolResult blocks may not exceed the number of toolUse blocks of the previous turn",
        "OpenHands/OpenHands#4912, pydantic/pydantic-ai#2327",
        READ,
    ),
    duplicates=Fact(
        YES,
        "one toolResult for each toolUse, and a toolUseId once in a message",
        "BerriAI/litellm 1.110 litellm_core_utils/prompt_templates/factory.py",
        READ,
    ),
    results_first=Fact(
        YES,
        "toolResult blocks stand at the beginning of their message (Llama, Mistral and Palmyra take nothing "
        "else beside them: not mended)",
        "aws/language-servers#1235, pydantic/pydantic-ai#6081, strands-agents/harness-sdk#1223",
        READ,
    ),
    arguments=Fact(
        "object",
        "the format of the value at toolUse.input is invalid unless it is a JSON object",
        "vercel/ai#19023",
        READ,
    ),
    id_scope=Fact(
        "group",
        "a toolUseId is unique within its message (that Claude wants more is not verified)",
        "BerriAI/litellm 1.110 litellm_core_utils/prompt_templates/factory.py",
        READ,
    ),
    id_pattern=Fact("[a-zA-Z0-9_.:-]+", "a toolUseId matches [a-zA-Z0-9_.:-]+", f"{MODEL}, ToolUseId", READ),
    id_max=Fact(64, "a toolUseId has at most 64 characters", f"{MODEL}, ToolUseId", READ),
    empty_text=Fact(
        "forbidden_blank",
        "the text field in a ContentBlock may not be blank",
        "langchain-ai/langchain#26968, NousResearch/hermes-agent#63983",
        READ,
    ),
    empty_message=Fact(
        YES,
        "the content of a Message is a list of blocks, each with one key, and may not be empty",
        f"{MODEL}, ContentBlock; aws-samples/bedrock-engineer#8",
        READ,
    ),
    reasoning=Fact(
        "prefix_bound",
        "reasoning text goes back with its signature, unmodified (that it binds what stands before it is "
        "Claude's rule, not verified here)",
        f"{MODEL}, ReasoningTextBlock",
        None,
    ),
    denial=Fact(NO, "a declined call is answered like any other", f"{MODEL}, ToolResultStatus", READ),
    alternate=Fact(
        YES,
        "a conversation must alternate between user and assistant roles, so neighbours of one role are one "
        "message",
        "langchain-ai/langchain-aws#130, microsoft/semantic-kernel#10281",
        READ,
    ),
    first_user=Fact(
        YES,
        "a conversation must start with a user message (Claude and Qwen take another too)",
        CLIENT,
        READ,
    ),
    name_pattern=Fact(
        "[a-zA-Z0-9_-]{1,64}",
        "the name of a tool matches [a-zA-Z0-9_-]+ and has at most 64 characters",
        f"{MODEL}, ToolName",
        READ,
    ),
    beside=Fact(
        "toolConfig",
        "it must be defined when a history has toolUse or toolResult blocks, whatever is offered",
        "nearai/ironclaw#1629, vxcontrol/pentagi#196",
        READ,
    ),
)  # fmt: skip
