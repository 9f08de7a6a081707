"""A list four times as long takes about four times as long, whatever is wrong with it and whatever is chosen.

Sixteen would be the square. The measure is processor time, the best of two, and nine is far from both.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from turnscope.core.repair import repair, shapes

Json = dict[str, Any]
SHORT = 300


def _turn(number: int, call: str) -> list[Json]:
    function = {"name": "look", "arguments": "{}"}
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }
    return [{"role": "user", "content": f"go {number}"}, asked]


def _answer(call: str, said: str) -> Json:
    return {"role": "tool", "tool_call_id": call, "content": said}


def unanswered(turns: int) -> list[Json]:
    return [message for n in range(turns) for message in _turn(n, f"c{n}")]


def late(turns: int) -> list[Json]:
    out: list[Json] = []
    for n in range(turns):
        out += [*_turn(n, f"c{n}"), {"role": "user", "content": "?"}, _answer(f"c{n}", f"said {n}")]
    return out


def orphans(turns: int) -> list[Json]:
    return [
        message for n in range(turns) for message in ({"role": "user", "content": "?"}, _answer(f"c{n}", "x"))
    ]


def one_id(turns: int) -> list[Json]:
    return [message for n in range(turns) for message in _turn(n, "c0")]


def refused(turns: int) -> list[Json]:
    return [
        m for n in range(turns) for m in [*_turn(n, f"c{n}" + "x" * 70), _answer(f"c{n}" + "x" * 70, "ok")]
    ]


def took(messages: list[Json], target: str, choice: Json) -> float:
    best = 60.0
    for _ in range(2):
        began = time.process_time()
        repair(shapes.read(messages, "openai_chat"), target, **choice)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize(
    ("make", "choice"),
    [
        (unanswered, {}),
        (unanswered, {"policy": "drop"}),
        (unanswered, {"policy": "block"}),
        (late, {}),
        (late, {"late": "quote"}),
        (late, {"late": "drop"}),
        (orphans, {"orphans": "quote"}),
        (one_id, {}),
        (refused, {}),
        (refused, {"ids": "flatten"}),
        (refused, {"ids": "map"}),
    ],
)
@pytest.mark.parametrize("target", ["openai_chat", "anthropic"])
def test_time_grows_with_the_list(make: Any, choice: Json, target: str) -> None:
    short, long = took(make(SHORT), target, choice), took(make(4 * SHORT), target, choice)
    assert long < 9 * short, f"{short * 1000:.0f} ms, then {long * 1000:.0f} ms"
