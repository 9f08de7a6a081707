"""A conversation can break off anywhere: every prefix of every list of the corpus, for every target.

The streams' prefixes are in `test_repair_history.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import oracles
from tests.core.laws import lawful
from turnscope.core.repair import TARGETS, repair, shapes

CORPUS = Path(__file__).parent.parent / "corpus"
LISTS = [path for path in sorted(CORPUS.glob("transcripts/[0-9]*.json")) if ".expected" not in path.name]
LISTS += sorted(CORPUS.glob("dialects/*.json"))
IDS = {"id_format", "id_too_long", "id_reused"}
CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"policy": "drop"},
    {"policy": "block"},
    {"purpose": "resume"},
    {"late": "quote", "orphans": "quote"},
    {"ids": "map", "thinking": "strip_after_first_change"},
)


def told(path: Path) -> tuple[list[Any], str, str]:
    """The messages, their shape, and the target they are for."""
    value = json.loads(path.read_text())
    messages = shapes.message_list(value)
    shape = shapes.guess(value)
    if isinstance(value, dict) and value.get("target") in TARGETS:
        shape = shape if shape in TARGETS[value["target"]].shapes else TARGETS[value["target"]].shapes[0]
        return messages, shape, value["target"]
    return messages, shape, next(name for name, target in TARGETS.items() if shape in target.shapes)


def test_the_lists_are_all_there() -> None:
    assert len(LISTS) > 50
    assert {told(path)[2] for path in LISTS} >= {"openai_chat", "anthropic", "gemini", "ai_sdk", "langchain"}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_prefix_of_a_list_is_repaired_by_the_law(path: Path) -> None:
    messages, shape, target = told(path)
    for cut in range(len(messages) + 1):
        for choice in CHOICES:
            lawful(shape, target, messages[:cut], **choice)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_prefix_of_a_list_is_taken_by_every_other_target(path: Path) -> None:
    """In its own spelling and with its ids as they are, or mapped; blocked for nothing else."""
    messages, shape, target = told(path)
    for cut in range(len(messages) + 1):
        transcript = shapes.read(messages[:cut], shape)
        for other in TARGETS:
            if other == target:
                continue
            done = repair(transcript, other)
            if done.blockers and {blocker.code for blocker in done.blockers} <= IDS:
                done = repair(transcript, other, ids="map")
            assert not done.blockers, (other, cut, done.blockers)
            assert not oracles.refusals(other, done.messages, tuple(done.pending)), (other, cut)
