"""Known error sentences: what a model API or framework says when it refuses a history, and what it means.

A table of literals, each with the source that saw it. `match` finds the row for an error text, `quoted`
the calls of a thread that the text names. Used by R05 (run-error), by the causes (`causes.py`) and by the
find box, which turns a pasted error into the very call. Counterpart: `core/repair/targets/`, which says
what each target demands; this says how it complains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..thread import Call, Thread

UNANSWERED, ORPHAN, DUPLICATE, ARGUMENTS, ORDER, IDS, OTHER = (
    "unanswered", "orphan", "duplicate", "arguments", "order", "ids", "other",
)  # fmt: skip
LONGEST = 4000
"""How much of an error text is looked at, in characters."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One way to be refused."""

    target: str
    about: str
    """What the history has wrong: `unanswered` (a call without a result), `orphan` (a result without its
    call), `duplicate`, `arguments`, `order`, `ids`, `other`."""
    pattern: re.Pattern[str]
    means: str
    """What it says, in plain words."""
    source: str


def _row(target: str, about: str, pattern: str, means: str, source: str) -> Sentence:
    return Sentence(target, about, re.compile(pattern, re.IGNORECASE), means, source)


_NO_RESULT = "a call in the history has no result where one is due"
_NO_CALL = "a result in the history has no call before it"
_TWICE = "a call or a result stands in the history twice"
_BAD_ARGUMENTS = "a call in the history has arguments that are not one JSON object"
_BAD_ORDER = "the messages of the history stand in an order that is not accepted"
_BAD_ID = "a call id in the history does not have the form this API asks for"

SENTENCES: tuple[Sentence, ...] = (
    # Vercel AI SDK
    _row("ai_sdk", UNANSWERED, r"AI_MissingToolResultsError|Tool results? (?:is|are) missing for tool call",
         _NO_RESULT, "ai 6.0.326, convert-to-language-model-prompt.ts"),
    _row("ai_sdk", OTHER, r"AI_InvalidToolApprovalError",
         "an approval in the history answers a question nobody asked", "the SDK's documentation"),
    # OpenAI Chat Completions and those who speak it
    _row("openai_chat", UNANSWERED, r"'tool_calls' must be followed by tool messages",
         _NO_RESULT, "goose#33, litellm#10083, zeph#5513"),
    _row("openai_chat", UNANSWERED, r"did not have response messages|insufficient tool messages following",
         _NO_RESULT, "agno#3105, dify#32222 (DeepSeek)"),
    _row("openai_chat", ORPHAN, r"role 'tool' must be a response to a prece?eding message",
         _NO_CALL, "morphic#136, smarter#264; DeepSeek spells it right: OpenManus#744"),
    _row("openai_chat", DUPLICATE, r"Duplicate value for 'tool_call_id'|duplicate_tool_result_in_request",
         _TWICE, "agent-native#2312, opencode#40235, agno#5191; qwen-code#5107"),
    _row("openai_chat", IDS, r"string_above_max_length|tool_call_id.{0,80}maximum length",
         _BAD_ID, "agentao#321, vercel/ai#5171"),
    _row("openai_chat", ARGUMENTS, r"arguments must be a valid JSON",
         _BAD_ARGUMENTS, "codegraff#752"),
    _row("openai_chat", OTHER, r"reasoning_content.{0,80}(?:must be passed back|in the assistant message)",
         "an assistant message of a tool turn lacks its reasoning",
         "openai-agents-js#791, openclaw#73417 (DeepSeek)"),
    _row("openai_chat", OTHER, r"Invalid value for 'content': expected a string, got null",
         "a message in the history has no content", "docker-agent#63, vercel/ai#13744"),
    # OpenAI Responses
    _row("openai_responses", UNANSWERED, r"No tool output found for (?:function|tool) call",
         _NO_RESULT, "langchainjs#11437, cockpit-tools#1234; awesome-deepseek#740"),
    _row("openai_responses", ORPHAN, r"No tool call found for function call output",
         _NO_CALL, "vscode#320060, OpenMinis#222, AgentTeams#299"),
    _row("openai_responses", DUPLICATE, r"Duplicate item found with id|Duplicate function_call_output",
         _TWICE, "vercel/ai#13383, MacPaw/OpenAI#432; hermes#102629"),
    _row("openai_responses", OTHER, r"without its required (?:following item|'?reasoning'? item)",
         "a reasoning item and its call are not both there", "vercel/ai#7099, openai-node#1567; mastra#8738"),
    # Anthropic Messages
    _row("anthropic", UNANSWERED, r"tool_use`? ids were found without `?tool_result`? blocks",
         _NO_RESULT, "claude-code#1237, #2697, #5989; letta#3308"),
    _row("anthropic", UNANSWERED, r"Did not find \d+ `?tool_result`? block",
         _NO_RESULT, "language-servers#1235 (Bedrock's wording)"),
    _row("anthropic", ORPHAN, r"unexpected `?tool_use_id`? found in `?\w*tool_result`? blocks",
         _NO_CALL, "claude-code#18947, #13460, #15205, #63553"),
    _row("anthropic", DUPLICATE, r"each tool_use must have a single result|tool_use`? ids must be unique",
         _TWICE, "hindsight#4250, Roo#10465; claude-code#21094, nanobot#4442"),
    _row("anthropic", ARGUMENTS, r"tool_use\.input: Input should be a valid dictionary",
         _BAD_ARGUMENTS, "koda#501, claude-code#6696"),
    _row("anthropic", IDS, r"tool_use(?:_id|\.id): String should match pattern",
         _BAD_ID, "bifrost#5097, forgecode#1142"),
    _row("anthropic", OTHER,
         r"blocks in the latest assistant message cannot be modified|bound to a different conversation",
         "thinking in the history was changed, or what stands before it",
         "claude-code#63203, #63835; pydantic-ai _thinking_binding.py"),
    _row("anthropic", ORDER, r"Expected `?thinking`? or `?redacted_thinking`?, but found `?tool_use",
         "a tool turn lacks the thinking it began with", "opencode#3077"),
    _row("anthropic", ORDER, r"conversation must end with a user message",
         "the history ends with the assistant", "magic-context#511, copilot-api#261"),
    _row("anthropic", OTHER, r"final assistant content cannot end with trailing whitespace",
         "the assistant's last message ends with a space", "models of before 4.6"),
    _row("anthropic", OTHER,
         r"text content blocks must (?:be non-empty|contain non-whitespace)|must have non-empty content",
         "a message in the history is empty", "claude-code#6774, hermes#63983"),
    # Google Gemini
    _row("gemini", UNANSWERED, r"number of function response parts is equal to the number of",
         "a call turn in the history has another number of results than calls",
         "gemini-cli#16415, #4217, #5443"),
    _row("gemini", ORDER, r"function (?:call|response) turn comes immediately after",
         _BAD_ORDER, "gemini-cli#26486, #11814, #26956; langchain#27799"),
    _row("gemini", OTHER, r"missing a thought_signature",
         "a call in the history lost its thought signature", "5ire#405, code_puppy#165"),
    # AWS Bedrock Converse
    _row("bedrock", UNANSWERED, r"Expected toolResult blocks at",
         _NO_RESULT, "Converse, wording not verified"),
    _row("bedrock", ORPHAN, r"number of toolResult blocks at .{0,60}exceeds the number of toolUse blocks",
         _NO_CALL, "OpenHands#4912, pydantic-ai#2327, strands#1435"),
    _row("bedrock", ORDER, r"Conversation blocks and tool use blocks cannot be provided in the same turn",
         _BAD_ORDER, "quarkus#1983"),
    _row("bedrock", OTHER, r"ContentBlock object at .{0,60}is blank|Message object at .{0,60}is empty",
         "a message in the history is empty", "langchain#26968, bedrock-engineer#8"),
    _row("bedrock", OTHER, r"toolResult cannot be empty when status|must contain non-whitespace text",
         "a result or a message in the history is blank", "agentcore sample#15, hermes#63983"),
    # Mistral
    _row("mistral", UNANSWERED, r"Not the same number of function calls and responses",
         _NO_RESULT, "mistral-common validators"),
    _row("mistral", DUPLICATE, r"Duplicate tool call id",
         _TWICE, "mistral-common validators v11"),
    _row("mistral", ORPHAN, r"Unexpected tool call id",
         _NO_CALL, "mistral-common validators v11"),
    _row("mistral", ORDER, r"Unexpected role '\w+' after role '\w+'",
         _BAD_ORDER, "pipecat-flows#178, datapizza#98, litellm#6323"),
    _row("mistral", IDS, r"Tool call id was .{0,80}must be a-z",
         _BAD_ID, "gptel#1203"),
    # vLLM and chat templates
    _row("vllm", ORPHAN, r"tool role, but there was no previous assistant message with a tool call",
         _NO_CALL, "crush#279, mlx-openai-server#205"),
    _row("vllm", ORDER, r"Conversation roles must alternate",
         _BAD_ORDER, "crush#279"),
    _row("vllm", ARGUMENTS, r"Can only get item pairs from a mapping",
         _BAD_ARGUMENTS, "Qwen3#1894, omlx#854"),
    # Frameworks
    _row("langgraph", UNANSWERED,
         r"tool_calls that do not have a corresponding ToolMessage|INVALID_CHAT_HISTORY",
         _NO_RESULT, "langgraph#4289"),
    _row("pydantic_ai", UNANSWERED, r"unprocessed tool calls",
         _NO_RESULT, "pydantic-ai-slim 2.68.0"),
)  # fmt: skip


def match(message: str, code: str = "") -> Sentence | None:
    """The first row an error's text or code is an instance of."""
    text = f"{code} {message[:LONGEST]}"
    return next((row for row in SENTENCES if row.pattern.search(text)), None)


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:|-]{0,199}")
LONG_WORD = 12
"""Letters alone are taken for an id from this length on: `result` may be a call's id, and is a word."""


def quoted(thread: Thread, text: str) -> list[Call]:
    """The calls an error text names, in the order it names them, each once."""
    found: dict[int, Call] = {}
    for token in _TOKEN.findall(text[:LONGEST]):
        for word in (token, token.rstrip(".:")):
            call = thread.latest(word) if word in thread.by_id else None
            if call is not None and (not word.isalpha() or len(word) >= LONG_WORD):
                found[call.number] = call
                break
    return list(found.values())
