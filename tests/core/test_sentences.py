"""Known error sentences: each is recognised as it was reported, and leads to the call it quotes."""

from __future__ import annotations

import pytest
from judged import call

from turnscope.core import events as e
from turnscope.core.picture import Picture
from turnscope.core.rules import sentences

REPORTED = [
    # As people pasted them into public reports, ids changed.
    ("ai_sdk", "unanswered", "Tool result is missing for tool call chatcmpl-tool-8dd56dc7497c5ea9."),
    (
        "openai_chat",
        "unanswered",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'. The following tool_call_ids did not have response messages: call_abc",
    ),
    ("openai_chat", "unanswered", "400 (insufficient tool messages following tool_calls message)"),
    (
        "openai_chat",
        "orphan",
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    ("openai_chat", "duplicate", "Duplicate value for 'tool_call_id' of 'call_1' in message[7]"),
    ("openai_responses", "unanswered", "No tool output found for function call call_abc."),
    ("openai_responses", "orphan", "No tool call found for function call output with call_id call_abc."),
    (
        "anthropic",
        "unanswered",
        "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    (
        "anthropic",
        "orphan",
        "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01",
    ),
    ("anthropic", "duplicate", "messages.3.content.2: `tool_use` ids must be unique"),
    ("anthropic", "arguments", "messages.1.content.0.tool_use.input: Input should be a valid dictionary"),
    (
        "gemini",
        "unanswered",
        "Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn.",
    ),
    (
        "bedrock",
        "orphan",
        "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of "
        "previous turn.",
    ),
    ("mistral", "order", "Unexpected role 'user' after role 'tool'"),
    ("mistral", "unanswered", "Not the same number of function calls and responses"),
    (
        "langgraph",
        "unanswered",
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the first "
        "few of those tool calls: [...]",
    ),
    ("ai_sdk", "other", "AI_InvalidToolApprovalError: no approval request with id ap-1"),
    (
        "openai_chat",
        "ids",
        "Invalid 'messages[2].tool_calls[0].id': string too long (string_above_max_length)",
    ),
    ("openai_chat", "arguments", "function.arguments must be a valid JSON object string"),
    ("openai_chat", "other", "Missing `reasoning_content` field in the assistant message at message index 4"),
    ("openai_chat", "other", "Invalid value for 'content': expected a string, got null."),
    ("openai_responses", "duplicate", "Duplicate item found with id fc_0a1."),
    (
        "openai_responses",
        "other",
        "Item 'rs_0a1' of type 'reasoning' was provided without its required following item.",
    ),
    ("anthropic", "unanswered", "Did not find 2 `tool_result` block(s) at the beginning of this message"),
    ("anthropic", "ids", "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    (
        "anthropic",
        "other",
        "messages.5: `thinking` blocks in the latest assistant message cannot be modified",
    ),
    ("anthropic", "order", "Expected `thinking` or `redacted_thinking`, but found `tool_use`."),
    ("anthropic", "order", "The conversation must end with a user message."),
    ("anthropic", "other", "messages.2: final assistant content cannot end with trailing whitespace"),
    ("anthropic", "other", "messages: text content blocks must be non-empty"),
    ("gemini", "order", "Please ensure that function call turn comes immediately after a user turn"),
    ("gemini", "other", "Function call is missing a thought_signature in functionCall parts, position 2"),
    ("bedrock", "unanswered", "Expected toolResult blocks at messages.3.content for the following Ids: t1"),
    ("bedrock", "order", "Conversation blocks and tool use blocks cannot be provided in the same turn."),
    ("bedrock", "other", "The text field in the ContentBlock object at messages.0.content.0 is blank."),
    ("bedrock", "other", "The content field in a toolResult cannot be empty when status value is error"),
    ("mistral", "duplicate", "Duplicate tool call id abc123def in tool results"),
    ("mistral", "orphan", "Unexpected tool call id abc123def in tool results"),
    ("mistral", "ids", "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."),
    (
        "vllm",
        "orphan",
        "Message has tool role, but there was no previous assistant message with a tool call!",
    ),
    ("vllm", "order", "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("vllm", "arguments", "Can only get item pairs from a mapping."),
    ("pydantic_ai", "unanswered", "Cannot provide a new user prompt: it contains unprocessed tool calls."),
]


def test_every_row_has_a_report() -> None:
    matched = {id(sentences.match(text)) for _, _, text in REPORTED}
    assert [row for row in sentences.SENTENCES if id(row) not in matched] == []


@pytest.mark.parametrize(("target", "about", "text"), REPORTED)
def test_a_reported_sentence_is_recognised(target: str, about: str, text: str) -> None:
    row = sentences.match(text)
    assert row is not None
    assert (row.target, row.about) == (target, about)


def test_the_error_code_alone_is_enough() -> None:
    row = sentences.match("Something went wrong.", "AI_MissingToolResultsError")
    assert row is not None and row.about == "unanswered"


@pytest.mark.parametrize("text", ["retries exhausted", "model offline", "tool_use", "", "tool result: ok"])
def test_an_ordinary_error_is_no_known_sentence(text: str) -> None:
    assert sentences.match(text) is None


@pytest.mark.parametrize("row", sentences.SENTENCES, ids=lambda row: f"{row.target}-{row.about}")
def test_each_row_says_what_it_means_and_who_saw_it(row: sentences.Sentence) -> None:
    assert row.means and row.source and row.pattern.pattern


def test_a_quoted_id_leads_to_the_call_with_or_without_the_full_stop() -> None:
    picture = Picture()
    for seq, event in enumerate((*call("call_a.1"), *call("toolu_01")), 1):
        picture.add(seq, seq, 1, [event])
    told = "No result for call_a.1. Nor for `toolu_01`; see toolu_02."
    assert [one.id for one in sentences.quoted(picture.thread, told)] == ["call_a.1", "toolu_01"]


def test_a_plain_word_is_not_taken_for_an_id() -> None:
    picture = Picture()
    for seq, event in enumerate(call("result"), 1):
        picture.add(seq, seq, 1, [event])
    assert sentences.quoted(picture.thread, "Tool result is missing") == []


def test_a_call_named_twice_is_told_once() -> None:
    picture = Picture()
    picture.add(1, 1, 1, [e.CallStart("c1", "lookup")])
    assert len(sentences.quoted(picture.thread, "c1 and again c1")) == 1
