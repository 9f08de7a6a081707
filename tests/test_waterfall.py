"""The waterfall's two halves, Python for the first drawing and JavaScript after it, draw the same numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_show import BROWSER, in_node
from turnscope.core.picture import read_file
from turnscope.web import pace, played, waterfall, words

STORIES = sorted((Path(__file__).parent / "corpus" / "stories").glob("*.jsonl"))


ENDED = {"label": "RUN_FINISHED", "look": "ok"}


def drawn(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(pace, dressed calls) of a recording, as its page has them."""
    expected = json.loads((path.parent / "expected.json").read_text())
    reading = read_file(path.read_bytes(), settings=expected.get(path.name, {}).get("settings"))
    thread = reading.threads[0]
    seen = [f for f in thread.frames if f.kind < 200]
    part = pace.Part(seen[0].seq, bytes(f.kind for f in seen), [f.at for f in seen])
    measured = pace.measured([part], seen[0].seq, seen[-1].seq)
    return measured, played.drawn(thread.picture, measured)["calls"]


def close(one: Any, other: Any) -> bool:
    """Equal but for the last digit of a rounded percentage."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(close(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str) and one.endswith("%") and other.endswith("%"):
        return abs(float(one[:-1]) - float(other[:-1])) <= 0.0015
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-6 * max(1, abs(one))
    return bool(one == other)


@pytest.mark.parametrize("view", [None, (1500, 4200)])
@pytest.mark.parametrize("by", ["call", "tool", "packed"])
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_both_halves_draw_the_same(path: Path, by: str, view: tuple[int, int] | None):
    measured, calls = drawn(path)
    here = waterfall.waterfall(
        calls,
        start=measured["start"],
        end=measured["end"],
        now=measured["end"],
        unit=measured["unit"],
        by=by,
        gaps=measured["gaps"],
        texts=measured["texts"],
        view=view,
        ended=ENDED | {"at": measured["end"]},
    )
    given = {key: measured[key] for key in ("start", "end", "unit", "gaps", "texts")}
    given |= {"now": measured["end"], "by": by, "view": view, "ended": ENDED | {"at": measured["end"]}}
    there = in_node(f"""{BROWSER}
        const {{ waterfall }} = await import("./waterfall.js");
        const {{ useLooks, callsAt }} = await import("./model.js");
        useLooks({json.dumps(words.states())});
        const given = {json.dumps(given)};
        const calls = {json.dumps(calls)};
        const there = callsAt(calls, []).map(({{ended, answered}}, i) => ({{...calls[i], ended, answered}}));
        console.log(JSON.stringify(waterfall(there, given)));""")
    assert close(here, there), (here, there)


def test_a_bar_begins_where_its_arguments_do_and_ends_where_it_was_answered():
    measured, calls = drawn(next(path for path in STORIES if path.name.startswith("2a")))
    shown = waterfall.waterfall(
        calls, start=measured["start"], end=measured["end"], now=measured["end"], unit="ms", by="call"
    )
    first, call = shown["lanes"][0], calls[0]
    length = (measured["end"] - measured["start"]) * (1 + waterfall.MARGIN)
    assert float(first["bars"][0]["x"][:-1]) == pytest.approx(
        (call["start_at"] - measured["start"]) / length * 100, abs=0.01
    )
    assert float(first["bars"][1]["x2"][:-1]) == pytest.approx(
        (call["closed_at"] - measured["start"]) / length * 100, abs=0.01
    )


@pytest.mark.parametrize(("look", "codes"), [("hanging", ["C01"]), ("ok", ["C18"])])
def test_an_overdue_bar_is_marked_where_its_limit_passed(look: str, codes: list[str]):
    _, [call, *_] = drawn(next(path for path in STORIES if path.name.startswith("2a")))
    begun = {"start_at": 1000, "end_at": 3000, "closed_at": 11_000, "limit_ms": 5000}
    late = call | begun | {"look": look, "codes": codes}
    scale = waterfall.axis(1000, 11_000, "ms")
    *_, bar = waterfall.bars(late, scale, 11_000)
    assert float(bar["limit"][:-1]) == pytest.approx(7000 / 10_600 * 100, abs=0.01)
    assert bar["at"] == bar["limit"]
    for other in (late | {"codes": [], "look": "ok"}, late | {"limit_ms": None}, late | {"limit_ms": 9000}):
        *_, bar = waterfall.bars(other, scale, 11_000)
        assert (bar["limit"], bar["at"]) == ("", bar["x"])


def test_a_turn_with_many_calls_has_a_lane_per_tool():
    measured, calls = drawn(next(path for path in STORIES if path.name.startswith("2a")))
    shown = waterfall.waterfall(calls, start=measured["start"], end=measured["end"], now=0, unit="ms")
    assert shown["by"] == "tool"
    assert sum(len(lane["bars"]) for lane in shown["lanes"]) == 56
    assert "9 of 10" in {lane["detail"] for lane in shown["lanes"]}


def test_a_recording_without_times_is_drawn_in_order_of_events():
    measured = pace.measured([pace.Part(3, bytes(5), [0] * 5)], 3, 7)
    assert (measured["unit"], measured["start"], measured["end"]) == ("seq", 3, 7)
    assert waterfall.axis(3, 7, "seq")["ticks"][0]["label"] == "#3"


@pytest.mark.parametrize("span", [1, 40, 999, 7_260, 59_999, 61_000, 3_600_000, 90_000_000, 10**12])
def test_the_axis_never_has_more_than_thirteen_ticks(span: int):
    ticks = waterfall.axis(0, span, "ms")["ticks"]
    assert 2 <= len(ticks) <= 13


def test_a_live_axis_stands_still_while_seconds_pass():
    lengths = {waterfall.axis(0, second * 1000, "ms", live=True)["length"] for second in range(1, 10)}
    assert lengths == {waterfall.LIVE_LEAST}


def test_quiet_time_is_a_gap_only_when_it_is_long():
    part = pace.Part(1, bytes(4), [1000, 1500, 9000, 9100])
    assert pace.measured([part], 1, 4)["gaps"] == [[1500, 9000]]


def test_the_time_of_a_seq_runs_evenly_between_samples():
    measured = pace.measured([pace.Part(1, bytes(3), [1000, 2000, 4000])], 1, 3)
    assert [pace.time_of(measured, seq) for seq in (0, 1, 2, 3, 9)] == [1000, 1000, 2000, 4000, 4000]
