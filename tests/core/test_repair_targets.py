"""The table of targets: every fact has its sentence, its source and the day somebody looked."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from turnscope.core.repair import PASSES, TARGETS, Fact, shapes
from turnscope.core.repair.targets import Target

FACTS = [
    (name, field.name)
    for name in TARGETS
    for field in fields(Target)
    if field.name not in ("name", "title", "shapes")
]


@pytest.mark.parametrize(("target", "rule"), FACTS)
def test_every_fact_has_a_sentence_a_source_and_a_date_or_says_that_it_is_unverified(
    target: str, rule: str
) -> None:
    fact = TARGETS[target].rule(rule)
    assert isinstance(fact, Fact)
    assert len(fact.says) > 10 and not fact.says.endswith(".")
    assert fact.source
    if fact.verified is None:
        assert "verified" in fact.says or "no report" in fact.source or "reference" in fact.source.lower()
    else:
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", fact.verified)


def test_every_shape_of_a_target_is_there_and_every_shape_belongs_to_one() -> None:
    used = {shape for target in TARGETS.values() for shape in target.shapes}
    assert used == {shape.NAME for shape in shapes.SHAPES}


def test_the_catalogue_of_shapes_is_the_folder() -> None:
    folder = Path(shapes.__file__ or "").parent
    stems = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert stems == {shape.NAME for shape in shapes.SHAPES}


def test_every_pass_states_its_invariant() -> None:
    assert len(set(PASSES)) == len(PASSES)
    for establish in PASSES:
        assert establish.__doc__ and establish.__doc__.split("\n")[0].endswith((".", ","))


@pytest.mark.parametrize(
    ("target", "call", "code"),
    [
        ("anthropic", "toolu_01-A", None),
        ("anthropic", "call:1", "id_format"),
        ("anthropic", "", "id_format"),
        ("openai_chat", "c" * 64, None),
        ("openai_chat", "c" * 65, "id_too_long"),
        ("ag_ui", "any thing", None),
    ],
)
def test_an_id_is_judged_by_the_targets_own_words(target: str, call: str, code: str | None) -> None:
    assert TARGETS[target].id_problem(call) == code
