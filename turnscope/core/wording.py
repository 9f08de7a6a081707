"""What results say in words where no flag says it: that the tool failed, was stopped, did not run, was
refused, or is not known. Tables of what runtimes and adapters write; case does not count.

A text is asked about by its beginning alone (EXCERPT characters), so that a result is never searched.
"""

from __future__ import annotations

import re

from .call import EXCERPT
from .inputs import Json

FAILED, STOPPED, SKIPPED, REFUSED = "failed", "stopped", "skipped", "refused"

STARTS: tuple[tuple[str, str], ...] = (
    ("error executing tool", FAILED),
    ("error invoking tool", FAILED),
    ("error calling tool", FAILED),
    ("error running tool", FAILED),
    ("error: tool ", FAILED),
    ("tool execution failed", FAILED),
    ("tool call failed", FAILED),
    ("traceback (most recent call last)", FAILED),
    ("unhandled exception", FAILED),
    ("aborted", STOPPED),
    ("tool execution aborted", STOPPED),
    ("tool was interrupted", STOPPED),
    ("[tool execution was interrupted]", STOPPED),
    ("tool execution was interrupted", STOPPED),
    ("the tool call was interrupted", STOPPED),
    ("the operation was aborted", STOPPED),
    ("this operation was aborted", STOPPED),
    ("task was interrupted before this tool call", STOPPED),
    ("tool call skipped", SKIPPED),
    ("tool execution skipped", SKIPPED),
    ("[system: tool execution skipped", SKIPPED),
    ("skipped: ", SKIPPED),
    ("skipped because", SKIPPED),
    ("not run", SKIPPED),
    ("not executed", SKIPPED),
    ("tool call not executed", SKIPPED),
    ("this tool call was not executed", SKIPPED),
    ("error: this tool call was not executed", SKIPPED),
)
"""Of the runtimes and repairers whose whole texts core/repair/texts.py has, and of tool nodes of SDKs."""
_BEGIN = ("error: ", *(start for start, _ in STARTS))
WHOLE = 24
"""Up to how many characters of text may follow `aborted` for it to be the whole result."""

_REFUSED = re.compile(
    r"den(y|ied)|declin|reject|refus|disapprov|cancel|forbid|not (approv|allow|permit|run|execut)|permission|"
    r"abort|skip|fail|error|stopp|do(es)?n.t want|did not want|\"approved\": ?false",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\b(user|human|person|operator|reviewer|approver|approval|no|not|never|nothing|without|instead|kept?|leave|left)\b"
    r"|n't\b|n’t\b",
    re.IGNORECASE,
)
"""What a sentence about a refusal speaks of. Data may hold these words too: only prose is asked."""
_ERROR = re.compile(
    r"error: .{0,120}?(exception|error\(|error:|please (fix|try)|failed|invalid|not found|no such|"
    r"time[d ]*out|refused|denied|missing|required|unable|cannot|could not|unexpected|unsupported)",
    re.IGNORECASE | re.DOTALL,
)
"""How tool nodes and adapters tell an exception; `Error:` alone may be a line of a log."""
_UNKNOWN = re.compile(
    r"(unknown tool|no such tool|tool not found|unrecognized tool|(tool|function) [^.]{1,80}? "
    r"(not found|does not exist|is not (available|defined|registered|known))|is not a valid tool)",
    re.IGNORECASE,
)


def said(content: Json) -> str:
    """What a result's text says of itself: `failed`, `stopped`, `skipped`, or "" for anything else."""
    if not isinstance(content, str):
        return ""
    text = content[:EXCERPT].strip().lower()
    if not text.startswith(_BEGIN):
        return ""
    for start, word in STARTS:
        if text.startswith(start):
            return "" if start == "aborted" and len(text) > len(start) + WHOLE else word
    return FAILED if _ERROR.match(text) else ""


def error(text: str) -> bool:
    """Whether a result's beginning calls itself an error, in a word or by what runtimes write."""
    return text.lstrip()[:5].lower() == "error" or said(text) == FAILED


def refused(text: str) -> bool:
    """Whether a result's beginning may be a refusal or a failure; a text in other words is none."""
    stripped = text.strip()
    if not stripped or _REFUSED.search(stripped) is not None:
        return True
    return stripped[0] not in "{[" and _PROSE.search(stripped) is not None


def unknown_tool(text: str) -> bool:
    """Whether a result's beginning says that its tool does not exist."""
    # Most results speak of no tool at all, and a plain search is ten times the pace of the pattern.
    lower = text.lower()
    return ("tool" in lower or "function" in lower) and _UNKNOWN.search(text) is not None
