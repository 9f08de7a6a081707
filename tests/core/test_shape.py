"""Settings of a channel: every problem is told, each with its path and what is expected there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnscope.core import tools
from turnscope.core.muting import compile_muting
from turnscope.core.shape import LONGEST, Limits, Settings, problems

WHY = {"reason": "Known.", "date": "2026-11-30"}
WHOLE = "must be a whole number, in milliseconds"

WRONG: tuple[tuple[Any, list[str]], ...] = (
    ([], ["settings must be one JSON object"]),
    ({"policy": "maybe", "colour": 1}, ["unknown setting 'colour'", "unknown policy 'maybe'; one of answer"]),
    ({"client": 7}, ["client must be a client's name"]),
    ({"client": " "}, ["client must be a client's name"]),
    ({"policy": 5}, ["unknown policy 5; one of answer"]),
    ({"target": ["anthropic"]}, ["unknown target ['anthropic']; one of openai_chat"]),
    ({"preset": {}}, ["unknown preset {}; one of claude_code"]),
    ({"origins": "https://app.example"}, ["origins must be a list"]),
    (
        {"origins": ["https://app.example", "https://app.example/", "app.example", 7]},
        [f"origins[{n}] must be an origin, as in https://app.example" for n in (1, 2, 3)],
    ),
    ({"owners": []}, ["owners must be an object"]),
    (
        {"owners": {"server": "lookup", "nobody": []}},
        ["owners.server must be a list of tool names", "unknown owner 'nobody'; one of server"],
    ),
    ({"owners": {"client": ["show_*", 3]}}, ["owners.client[1] must be a tool's name"]),
    ({"limits": 7}, ["limits must be an object"]),
    (
        {"limits": {"default": -1, "silence": True}},
        [f"limits.{name} {WHOLE}" for name in ("default", "silence")],
    ),
    (
        {"limits": {"result": 1.5, "pace": 1}},
        ["limits.result must be a whole number, in bytes", "unknown limit 'pace'"],
    ),
    ({"limits": {"tools": {"lookup": None}}}, [f"limits.tools.lookup {WHOLE}"]),
    ({"limits": {"tools": []}}, ["limits.tools must be an object"]),
    (
        {"limits": {"owners": {"nobody": 1, "server": "1"}}},
        ["unknown owner 'nobody'; one of server", f"limits.owners.server {WHOLE}"],
    ),
    ({"mutes": [{"code": "C99", **WHY}]}, ["mutes[0] names 'C99', which is no rule's code"]),
    (
        {"mutes": [{}]},
        ["mutes[0] must name a code", "mutes[0] must say the reason", "mutes[0] must say the date"],
    ),
    ({"mutes": [{"code": "C02", **WHY, "until": 1}]}, ["unknown setting 'until' in mutes[0]"]),
    ({"severities": {"C02": {"severity": "info", "date": "soon"}}}, ["severities.C02 must say the date"]),
    ({"severities": {"C02": {}}}, ["severities.C02 must be one of error, warning, info"]),
    ({"x" * 500: 1}, [f"unknown setting '{'x' * (LONGEST - 2)}…"]),
)


@pytest.mark.parametrize(("value", "sentences"), WRONG)
def test_every_problem_is_told_with_its_path(value: Any, sentences: list[str]) -> None:
    told = problems(value)
    assert [one[: len(begins)] for one, begins in zip(told, sentences, strict=True)] == sentences


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"preset": None, "target": None, "policy": None, "client": None},
        {"limits": {"default": 0, "owners": {"client": None, "server": 1}, "tools": {"a*": 5}}},
        {"origins": ["http://localhost:3000", "https://[::1]:8000"], "client": "our own"},
        {
            "mutes": [{"code": "S99", **WHY}],
            "severities": {"C02": "info", "R09": {"severity": "error", **WHY}},
        },
    ],
)
def test_nothing_is_wrong_with_what_is_understood(value: dict[str, Any]) -> None:
    assert problems(value) == [] == tools.problems(value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*Settings.model_fields, *Limits.model_fields, "code", "server", "C02", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(_JSON)
def test_any_value_is_judged_and_what_judges_threads_takes_it(value: Any) -> None:
    """Settings may be a stranger's file: nobody raises, and what is wrong is said in words."""
    told = problems(value)
    assert all(one and not one.startswith("settings is not understood") for one in told)
    if isinstance(value, dict):
        tools.compile_settings(value)
        compile_muting(value)
