"""One byte that says what a frame is, kept in each segment's header.

A million frames are filtered by kind without decompressing one. The numbers are stored: they are
never reused and never change meaning. 0 to 99 are frames by AG-UI name, 200 and up are marks.
"""

from __future__ import annotations

KINDS: dict[str, int] = {
    "UNREADABLE": 0, "UNKNOWN": 1, "INPUT": 2, "BLANK": 3,
    "RUN_STARTED": 10, "RUN_FINISHED": 11, "RUN_ERROR": 12, "STEP_STARTED": 13, "STEP_FINISHED": 14,
    "TEXT_MESSAGE_START": 20, "TEXT_MESSAGE_CONTENT": 21, "TEXT_MESSAGE_END": 22, "TEXT_MESSAGE_CHUNK": 23,
    "TOOL_CALL_START": 30, "TOOL_CALL_ARGS": 31, "TOOL_CALL_END": 32, "TOOL_CALL_RESULT": 33,
    "TOOL_CALL_CHUNK": 34,
    "STATE_SNAPSHOT": 40, "STATE_DELTA": 41, "MESSAGES_SNAPSHOT": 42, "ACTIVITY_SNAPSHOT": 43,
    "ACTIVITY_DELTA": 44,
    "RAW": 50, "CUSTOM": 51,
    "REASONING_START": 60, "REASONING_MESSAGE_START": 61, "REASONING_MESSAGE_CONTENT": 62,
    "REASONING_MESSAGE_END": 63, "REASONING_MESSAGE_CHUNK": 64, "REASONING_END": 65,
    "REASONING_ENCRYPTED_VALUE": 66,
    "THINKING_START": 70, "THINKING_END": 71, "THINKING_TEXT_MESSAGE_START": 72,
    "THINKING_TEXT_MESSAGE_CONTENT": 73, "THINKING_TEXT_MESSAGE_END": 74,
    "SUBAGENT_STARTED": 80, "SUBAGENT_FINISHED": 81, "SUBAGENT_ERROR": 82,
    "OPENED": 200, "CLOSED": 201, "SETTINGS": 202, "EVIDENCE": 203, "TICK": 204, "GUARDED": 205,
    "GAP": 206,
}  # fmt: skip

NAMES: dict[int, str] = {number: name for name, number in KINDS.items()}

MARK = 200
"""Kinds from here on are marks, the journal's own lines."""
