"""The laws of repair on drawn and damaged conversations, for every target and shape.

The quick run damages REPAIR_CASES conversations per shape (300 unless the environment says otherwise);
`make prove` takes 20,000.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracles
from tests.core.broken import KINDS, conversation, damaged
from tests.core.laws import SAID, lawful, shown
from tests.core.stripped import known
from turnscope.core.repair import repair, shapes, validate

CASES = int(os.environ.get("REPAIR_CASES", "300"))

CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"policy": "drop"},
    {"policy": "block"},
    {"late": "quote", "orphans": "quote"},
    {"late": "drop"},
    {"duplicates": "last"},
    {"purpose": "resume"},
    {"ids": "flatten", "thinking": "strip_after_first_change"},
    {"ids": "map", "policy": "drop"},
)


def _hold(kind: str, cases: int) -> None:
    shape, target = KINDS[kind]
    for seed in range(cases):
        random = Random(f"{kind} {seed}")
        messages = damaged(random, shape, conversation(random, shape, target), target)
        choice = CHOICES[seed % len(CHOICES)]
        if seed % 4 == 3:
            calls = sorted(
                {atom.call for atom in oracles.atoms(messages) if atom.kind == "call" and atom.call}
            )
            choice = {**choice, "evidence": known(random, calls)}
        try:
            lawful(shape, target, messages, **choice)
        except AssertionError as broken:
            raise AssertionError(f"seed {seed}, {choice}:\n{shown(messages)}") from broken


@pytest.mark.parametrize("kind", KINDS)
def test_the_laws_hold_on_damaged_conversations(kind: str) -> None:
    _hold(kind, CASES)


@pytest.mark.prove
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_the_laws_hold_on_twenty_thousand_damaged_conversations(kind: str) -> None:
    _hold(kind, 20_000)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(random=st.randoms(use_true_random=False), choice=st.sampled_from(CHOICES))
def test_the_laws_hold_on_whatever_hypothesis_finds(
    kind: str, random: Random, choice: dict[str, Any]
) -> None:
    shape, target = KINDS[kind]
    messages = damaged(random, shape, conversation(random, shape, target), target)
    lawful(shape, target, messages, **choice)


@pytest.mark.parametrize("kind", KINDS)
def test_a_valid_conversation_is_left_alone_and_so_is_every_prefix_that_ends_with_a_user(kind: str) -> None:
    shape, target = KINDS[kind]
    for seed in range(25):
        messages = conversation(Random(f"valid {kind} {seed}"), shape, target)
        assert not oracles.refusals(target, messages)
        for cut in range(len(messages) + 1):
            prefix = messages[:cut]
            done = lawful(shape, target, prefix)
            if not oracles.refusals(target, prefix):
                assert done.changes == [] and done.sendable
                assert all(one is other for one, other in zip(done.messages, prefix, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_the_repairs_own_checker_agrees_with_the_oracle(kind: str) -> None:
    shape, target = KINDS[kind]
    disagreements = []
    for seed in range(CASES):
        random = Random(f"agree {kind} {seed}")
        messages = damaged(random, shape, conversation(random, shape, target), target)
        if bool(validate(target, messages, shape=shape)) != bool(oracles.refusals(target, messages)):
            disagreements.append((seed, shown(messages)))
    assert disagreements == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_corruptions_really_break_conversations(kind: str) -> None:
    """Else the laws above would hold for nothing."""
    shape, target = KINDS[kind]
    broken = 0
    for seed in range(100):
        random = Random(f"{kind} {seed}")
        messages = damaged(random, shape, conversation(random, shape, target), target)
        broken += bool(oracles.refusals(target, messages))
    assert broken > 25


@pytest.mark.parametrize("kind", KINDS)
def test_every_other_target_accepts_the_conversation_in_its_own_shape(kind: str) -> None:
    """A transcript may come from anywhere: what one shape says, another target accepts, texts in order."""
    shape, target = KINDS[kind]
    for seed in range(25):
        random = Random(f"across {kind} {seed}")
        messages = damaged(random, shape, conversation(random, shape, target), target)
        for other in oracles.TARGETS:
            if other == target:
                continue
            done = repair(shapes.read(messages, shape), other)
            refused = oracles.refusals(other, done.messages, tuple(done.pending))
            assert not refused or done.blockers, (other, refused, shown(messages))
            fillers = {
                at for c in done.changes if c.action == "filler_added" and c.rule in SAID for at, _ in c.dst
            }
            said = [a for a in oracles.atoms(done.messages) if a.message not in fillers]
            spoken = ("text of user", "text of assistant")
            words = [a.said for a in said if a.kind in spoken and a.said.strip()]
            asked = [a.said for a in oracles.atoms(messages) if a.kind in spoken and a.said.strip()]
            assert words == asked
