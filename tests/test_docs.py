"""What the documentation says is what the code does: the pages of the rules."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests import corpora
from turnscope.core.rules import HEADINGS, RULES, causes, page
from turnscope.core.rules.finding import SEVERITIES, STREAM, TRANSCRIPT

ROOT = Path(__file__).parent.parent
RULE_FILE = re.compile(r"[a-z]\d\d_[a-z_]+\.py")
SEEN_IN = re.compile(r"^- (\S+\.jsonl)", re.MULTILINE)
NO_STREAM = {"C24", "R03"}
"""Rules that no stream of the corpus can show: their pages say why."""

each = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.CODE)


def test_the_tuple_of_rules_is_the_folder() -> None:
    files = sorted(
        path.stem for path in (ROOT / "turnscope/core/rules").iterdir() if RULE_FILE.fullmatch(path.name)
    )
    assert [rule.__name__.rpartition(".")[2] for rule in RULES] == files


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.CODE for rule in RULES}) == len({rule.NAME for rule in RULES}) == len(RULES)


@each
def test_a_rule_says_the_same_of_itself_everywhere(rule: ModuleType) -> None:
    stem = rule.__name__.rpartition(".")[2]
    assert stem == f"{rule.CODE.lower()}_{rule.NAME.replace('-', '_')}"
    assert (rule.__doc__ or "").startswith(f"{rule.CODE} {rule.NAME}: ")
    assert rule.SEVERITY in SEVERITIES
    assert rule.SUBJECT in ("call", "run", "frame", "thread")
    assert rule.ASKED in ("touched", "ended", "ticked", "rested")
    assert set(rule.REPAIRED_BY) <= {STREAM, TRANSCRIPT}


@each
def test_a_rules_page_has_the_four_headings_and_something_under_each(rule: ModuleType) -> None:
    line, sections = page(rule)
    assert line.endswith(".")
    assert tuple(sections) == HEADINGS
    assert all(sections.values())


@each
def test_a_rule_fires_on_the_streams_its_page_names(rule: ModuleType) -> None:
    named = SEEN_IN.findall(page(rule)[1]["Seen in"])
    assert bool(named) != (rule.CODE in NO_STREAM)
    assert [stream for stream in named if rule.CODE not in corpora.codes_of(stream)] == []


@each
def test_a_rule_has_a_stream_of_its_own(rule: ModuleType) -> None:
    own = f"rules/{rule.CODE.lower()}-{rule.NAME}.jsonl"
    assert (own in SEEN_IN.findall(page(rule)[1]["Seen in"])) != (rule.CODE in NO_STREAM)


def test_every_code_of_a_call_or_run_has_its_place_among_causes_or_is_none() -> None:
    known = {rule.CODE for rule in RULES}
    beside = {
        "C01",
        "C05",
        "C16",
        "C18",
        "C19",
        "C21",
        "C22",
        "C23",
        "C24",
        "C26",
        "C27",
        "R01",
        "R03",
        "R06",
        "R09",
        "R13",
        "R14",
        "S02",
        "S03",
        "S05",
        "S06",
        "S08",
        "S09",
        "S10",
        "S11",
    }
    assert known - set(causes.RANK) == beside
