"""The repair of a UI message stream grows with its parts, whatever they are: counted in function calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from turnscope.core.repair.ui_stream import repair_ui_stream

Part = dict[str, Any]
FEW, TIMES, SLACK = 150, 10, 1.15
START: list[Part] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
STEP: Part = {"type": "start-step"}


def _ready(call: str) -> Part:
    return {"type": "tool-input-available", "toolCallId": call, "toolName": "lookup", "input": {}}


SHAPES: dict[str, Callable[[int], list[Part]]] = {
    "answers of one call": lambda n: [
        _ready("a"), *[{"type": "tool-output-available", "toolCallId": "a", "output": "aborted"}] * n
    ],
    "one id in every step": lambda n: [part for _ in range(n) for part in (_ready("a"), STEP)],
    "open calls": lambda n: [_ready(f"a{i}") for i in range(n)],
    "steps begun anew": lambda n: [part for _ in range(n) for part in (_ready("a"), {"type": "reset-step"})],
    "open texts": lambda n: [{"type": "text-start", "id": f"t{i}"} for i in range(n)],
    "texts over steps": lambda n: [
        *(part for i in range(n) for part in ({"type": "text-start", "id": f"t{i}"}, STEP)),
        *({"type": "text-end", "id": f"t{i}"} for i in range(n)),
    ],
    "pieces of a text": lambda n: [{"type": "text-delta", "id": "t", "delta": "x"}] * n,
    "messages": lambda n: [
        part
        for i in range(n)
        for part in ({"type": "start", "messageId": f"m{i}"}, _ready("a"), {"type": "abort"})
    ],
    "parts nobody knows": lambda n: [{"type": "tool-ended"}] * n,
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_parts_take_ten_times_the_calls(shape: str) -> None:
    few, many = (_calls(START + SHAPES[shape](n)) for n in (FEW, FEW * TIMES))
    assert many < few * TIMES * SLACK


def _calls(parts: list[Part]) -> int:
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        repair_ui_stream(parts)
    finally:
        sys.setprofile(None)
    return count
