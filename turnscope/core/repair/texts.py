"""What a repair writes in place of a result that is not there, and the words others use for it.

The first word is machine-readable and never changes; the sentence behind it is for the model. It says
what is known and not more: a model told to retry something that ran repeats its side effect.
"""

from __future__ import annotations

from turnscope.core.repair.transcript import Json, as_text

NOT_EXECUTED = "TOOL_NOT_EXECUTED"
OUTCOME_UNKNOWN = "TOOL_OUTCOME_UNKNOWN"
DENIED = "TOOL_DENIED"
CANCELLED = "TOOL_CANCELLED"

TEXTS = {
    "unparsed": f"{NOT_EXECUTED}: the arguments of this tool call could not be parsed. retry: yes",
    "not_executed": f"{NOT_EXECUTED}: no result was recorded for this tool call. retry: yes",
    "unknown": f"{OUTCOME_UNKNOWN}: this tool call may have run, its result is not in the record. "
    "retry: check first",
    "denied": f"{DENIED}: this tool call was declined and did not run. retry: no",
    "cancelled": f"{CANCELLED}: this tool call may have begun, and the conversation went on without its "
    "answer. retry: check first",
    "unapproved": f"{CANCELLED}: this tool call did not run, and the conversation went on without its "
    "approval. retry: yes",
}
"""The last two are offered and never chosen by us: whoever goes on without an answer says so."""


def gone_text(server: str) -> str:
    """For a call to a tool whose server is no longer there."""
    name = f" {server}" if server else ""
    return f"{NOT_EXECUTED}: the server{name} of this tool is not available. retry: no"


OURS = tuple(f"{word}: " for word in (NOT_EXECUTED, OUTCOME_UNKNOWN, DENIED, CANCELLED))

PLACEHOLDERS = (
    "aborted",
    "tool execution aborted",
    "[tool execution was interrupted]",
    "tool was interrupted.",
    "the operation was aborted.",
    "the tool call was interrupted before a result was produced.",
    "task was interrupted before this tool call could be completed.",
    "tool execution was interrupted before completion.",
    "[openclaw] missing tool result in session history; inserted synthetic error result for transcript "
    "repair.",
    "the tool execution result was lost due to context management truncation.",
)
"""Whole texts that runtimes and repairers write where no result came. Compared without case."""

PLACEHOLDER_STARTS = (
    "[system: tool execution skipped/interrupted by user. no result provided for tool",
    "error: this tool call was not executed, or its result was lost",
    "tool result unavailable:",
)

ABORTS = ("the operation was aborted.", "this operation was aborted", "tool execution aborted")
"""Texts that say the tool was stopped, whatever the flag beside them says."""


def placeholder(content: Json) -> bool:
    """Whether a result only stands for one that never came. Of two results, the other is the real one."""
    if content is None:
        return True
    text = as_text(content).strip()
    lowered = text.lower()
    return (
        lowered in ("", "null")
        or text.startswith(OURS)
        or lowered in PLACEHOLDERS
        or lowered.startswith(PLACEHOLDER_STARTS)
    )


def stands_in(content: Json) -> bool:
    """Whether a result says in words that the real one never came (nothing at all may be a real result)."""
    return (
        placeholder(content) and content is not None and as_text(content).strip().lower() not in ("", "null")
    )


def ours(content: Json) -> bool:
    """Whether a result is one of the texts above."""
    return isinstance(content, str) and content.startswith(OURS)
