"""What the vendors' own packages say of repaired lists, and of the same lists before."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests import judges
from tests.core.broken import KINDS, conversation, damaged
from turnscope.core.repair import TARGETS, repair, shapes

pytestmark = [pytest.mark.prove, pytest.mark.timeout(900)]

CASES = 400

JUDGED = [(kind, judge) for kind, judges_ in judges.OF.items() for judge in judges_]


def drawn(kind: str) -> list[list[Any]]:
    shape, target = KINDS[kind]
    randoms = [Random(f"judged {kind} {seed}") for seed in range(CASES)]
    return [damaged(random, shape, conversation(random, shape, target), target) for random in randoms]


def with_id(message: Any) -> Any:
    """Reasoning whose id the repair left out: the types ask for one, the API does not (CLIProxyAPI#4285)."""
    return {"id": "rs_0", **message} if message.get("type") == "reasoning" else message


def test_every_target_has_a_judge_that_nobody_here_wrote() -> None:
    assert {*judges.OF, "ai_sdk", "ag_ui"} == set(TARGETS)


@pytest.mark.parametrize(("kind", "judge"), JUDGED)
def test_the_vendors_own_packages_take_what_was_repaired(kind: str, judge: str) -> None:
    """Of the damaged lists some are refused, else the judge would say nothing."""
    shape, target = KINDS[kind]
    before = drawn(kind)
    done = [repair(shapes.read(messages, shape), target) for messages in before]
    sent = [[*one.before, *map(with_id, one.messages)] for one in done if one.sendable]
    assert len(sent) > CASES / 2
    found = judges.verdicts(judge, sent)
    assert [(why, messages) for why, messages in zip(found, sent, strict=True) if why] == []
    assert any(judges.verdicts(judge, before))


@pytest.mark.parametrize(("target", "judge"), JUDGED)
def test_a_conversation_of_another_shape_is_taken_by_the_vendors_own_packages(
    target: str, judge: str
) -> None:
    """Ids are Mistral's, so that no target has anything against them."""
    randoms = [Random(f"across {target} {seed}") for seed in range(100)]
    lists = [damaged(one, "openai_chat", conversation(one, "openai_chat", "mistral")) for one in randoms]
    done = [repair(shapes.read(messages, "openai_chat"), target) for messages in lists]
    sent = [[*one.before, *one.messages] for one in done if one.sendable]
    assert len(sent) > 50 and judges.verdicts(judge, sent) == [None] * len(sent)


def test_langgraph_puts_a_missing_answer_last_unless_the_state_is_rewritten() -> None:
    """Why the removal goes before: the list arrives as it was repaired."""
    call = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [{"type": "ai", "content": "", "tool_calls": [call]}, {"type": "human", "content": "and?"}]
    done = repair(shapes.read(messages), "langgraph")
    refused, accepted = judges.verdicts("langgraph", [messages, [*done.before, *done.messages]])
    assert refused is not None and "INVALID_CHAT_HISTORY" in refused
    assert accepted is None


def test_mistral_takes_no_calls_of_an_assistant_that_begins() -> None:
    """Why somebody speaks before: the validator starts to count behind the first message."""
    call = {"id": "AbCdEf123", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "AbCdEf123", "content": "ok"},
    ]
    done = repair(shapes.read(messages), "mistral")
    refused, accepted = judges.verdicts("mistral_v11", [messages, done.messages])
    assert refused is not None and "Unexpected tool call id" in refused
    assert accepted is None
