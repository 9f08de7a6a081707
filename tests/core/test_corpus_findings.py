"""The corpus of broken and healthy streams: each meets its expectation, and nothing else is called wrong.

`expected.json` beside the streams says which codes fire at which severity, which are explained by which,
which must stay silent, and the headline.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from turnscope.core.ledger import ledger
from turnscope.core.picture import ReadThread, read_file
from turnscope.core.rules import RULES
from turnscope.core.rules.causes import groups, root_of
from turnscope.core.rules.finding import Finding, worst
from turnscope.core.rules.headline import headline

CORPUS = Path(__file__).parent.parent / "corpus"


@cache
def expectations() -> dict[str, dict[str, Any]]:
    """ "<folder>/<file>" -> what is expected of it."""
    found = {}
    for folder in ("stories", "agui"):
        table = json.loads((CORPUS / folder / "expected.json").read_text())
        for name, expected in table.items():
            found[f"{folder}/{name.removesuffix('.jsonl')}"] = expected
    return found


@cache
def judged(name: str) -> ReadThread:
    data = (CORPUS / f"{name}.jsonl").read_bytes()
    (thread,) = read_file(data, settings=expectations()[name].get("settings")).threads
    return thread


def standing(name: str) -> dict[str, list[Finding]]:
    by_code: dict[str, list[Finding]] = {}
    for one in judged(name).picture.findings:
        by_code.setdefault(one.code, []).append(one)
    return by_code


def named(expected: dict[str, Any]) -> set[str]:
    return {*expected["fire"], *expected.get("because_of", ()), *expected.get("because_of", {}).values()}


each = pytest.mark.parametrize("name", sorted(expectations()))


@each
def test_what_is_wrong_is_found_at_its_severity(name: str) -> None:
    expected, by_code = expectations()[name], standing(name)
    severities = {code: worst(one.severity for one in found) for code, found in by_code.items()}
    assert {code: severities.get(code) for code in expected["fire"]} == expected["fire"]


@each
def test_nothing_else_is_called_wrong(name: str) -> None:
    expected = expectations()[name]
    roots = {one.code for one in judged(name).picture.findings if one.root}
    assert roots <= set(expected["fire"]), [one.message for one in judged(name).picture.findings]
    silent = expected["silent"]
    if silent == "*error*":
        assert not [one for one in judged(name).picture.findings if one.severity == "error"]
    elif "*" in silent:
        assert not judged(name).picture.findings
    else:
        assert not set(silent) & set(standing(name))


@each
def test_effects_are_explained_by_their_cause(name: str) -> None:
    expected, by_code = expectations()[name], standing(name)
    findings = judged(name).picture.judge.findings
    for effect, cause in expected.get("because_of", {}).items():
        assert {root_of(one, findings).code for one in by_code[effect]} == {cause}
    if "because_of" in expected:
        roots = {one.code for one in judged(name).picture.findings if one.root}
        assert roots == set(expected["fire"]) - set(expected["because_of"])
    if expected.get("one_root"):
        (group,) = groups(findings)
        assert group.root.code == expected.get("root", group.root.code)


@each
def test_the_headline_names_the_cause(name: str) -> None:
    expected = expectations()[name]
    told = headline(judged(name).picture.thread, None, judged(name).picture.judge.findings)
    if "headline" in expected:
        assert told.code == (expected["headline"] or "")
    assert told.text


@each
def test_the_ledger_adds_up_and_names_what_is_open(name: str) -> None:
    expected, calls = expectations()[name], judged(name).picture.thread.calls
    book = ledger(calls)
    for field, count in expected.get("ledger", {}).items():
        assert getattr(book, field) == count
    if "open" in expected:
        assert [call.id for call in calls if not call.answered] == expected["open"]


def test_every_code_the_corpus_asks_for_has_a_rule() -> None:
    known = {rule.CODE for rule in RULES}
    assert set().union(*(named(expected) for expected in expectations().values())) <= known
