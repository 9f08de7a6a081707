"""Whoever goes on without an answer may say so: then, and only then, a call that waits is cancelled."""

from __future__ import annotations

from typing import Any

import pytest

from turnscope.core.repair import Evidence, repair, shapes

CALL = {"id": "c1", "type": "function", "function": {"name": "pick", "arguments": "{}"}}
WAITING: list[Any] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
]
ASKED: list[Any] = [
    {"role": "user", "content": "refund it"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "refund", "input": {}},
            {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"},
        ],
    },
]


def test_a_call_that_waits_stays_open_until_it_is_cancelled() -> None:
    kept = repair(shapes.read(WAITING), "openai_chat", pending=["c1"])
    assert (kept.pending, kept.sendable, kept.messages) == (["c1"], False, WAITING)
    done = repair(shapes.read(WAITING), "openai_chat", pending=["c1"], cancel=kept.pending)
    assert (done.pending, done.sendable) == ([], True)
    assert done.messages[-1]["content"].startswith("TOOL_CANCELLED: ")
    assert done.messages[-1]["content"].endswith("retry: check first")
    assert repair(shapes.read(done.messages), "openai_chat").messages == done.messages


def test_a_call_that_a_person_was_asked_about_did_not_run() -> None:
    [*_, answer] = repair(shapes.read(ASKED), "ai_sdk", cancel=["c1"]).messages
    assert answer["role"] == "tool"
    assert "TOOL_CANCELLED: this tool call did not run" in str(answer["content"])


@pytest.mark.parametrize("target", ["anthropic", "ai_sdk", "gemini", "ag_ui", "langgraph"])
def test_every_target_takes_it(target: str) -> None:
    done = repair(shapes.read(WAITING), target, evidence=Evidence(pending={"c1"}), cancel=["c1"])
    assert done.sendable and "TOOL_CANCELLED" in str(done.messages)


def test_a_call_that_has_its_answer_is_left_alone() -> None:
    answered = [*WAITING, {"role": "tool", "tool_call_id": "c1", "content": "blue"}]
    assert repair(shapes.read(answered), "openai_chat", cancel=["c1", "none"]).messages == answered
