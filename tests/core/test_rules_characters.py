"""Rules about characters and clocks: what hides, what was lost, what goes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged import found, only, read

from tests.streams import BEGAN, call, event, finished, result, run_started, text, timed
from turnscope.core import hidden
from turnscope.core.rules.finding import Finding

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "hidden.json").read_text())
OVERRIDE, TAGS, ZERO_WIDTH = "\u202e", "\U000e0068\U000e0069", "\u200b"


def stream(*, name: str = "lookup", id_: str = "c1", args: Any = None, content: Any = "done") -> list:
    return run_started() + call(id_, name, args) + result(id_, content) + text() + finished()


def coded(code: str, frames: list) -> list[Finding]:
    return [one for one in read(frames).picture.findings if one.code == code]


# ---------------------------------------------------------------- S08


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["why"] for vector in VECTORS])
def test_what_hides_in_a_name_and_in_a_text_is_what_the_vectors_say(vector: dict[str, str]) -> None:
    assert hidden.in_name(vector["text"])[0] == vector["in_name"]
    assert hidden.in_text(vector["text"])[0] == vector["in_text"]


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        (stream(name=f"look{ZERO_WIDTH}up"), "Hidden in a tool's name: zero-width character (U+200B in look"),
        (stream(name="l\u043eokup"), "Hidden in a tool's name: mixed scripts (Cyrillic And Latin in l"),
        (stream(id_=f"c{TAGS}"), "Hidden in a call's id: tag character (U+E0068 in c"),
        (
            stream(args={"file": f"a{OVERRIDE}gnp.exe"}),
            "Hidden in the arguments of a call: direction override",
        ),
        (
            stream(args='{"file": "a\u202egnp.exe"}'),
            "Hidden in the arguments of a call: direction override (U+202E",
        ),
        (stream(content=f"ok{TAGS}"), "Hidden in a result: tag character (U+E0068 in that of lookup)."),
        (
            stream(content=[{"type": "text", "text": f"a{OVERRIDE}b"}]),
            "Hidden in a result: direction override",
        ),
    ],
)
def test_hidden_characters_are_told_with_place_and_kind(frames: list, told: str) -> None:
    seen = only(frames)
    assert (seen.code, seen.severity) == ("S08", "warning")
    assert seen.message.startswith(told)


@pytest.mark.parametrize(
    "frames",
    [
        stream(name="поиск", content="нашёл"),
        stream(name="search_поиск"),
        stream(name="検索", content="見つかりました"),
        stream(content="خانه\u200cها \u200eمرکزی"),
        stream(content="क्\u200dष"),
        stream(content="\U0001f469\u200d\U0001f680 \u2764\ufe0f"),
        stream(content="\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"),
        stream(content="\ufeffid,name\n1,Ann"),
        stream(args={"q": "Straße, naïve, 東京"}),
        stream(args={"pattern": "\\u0041"}),
    ],
    ids=[
        "russian",
        "two words",
        "japanese",
        "persian",
        "hindi",
        "emoji",
        "a flag",
        "a BOM",
        "accents",
        "escapes",
    ],
)
def test_other_scripts_emoji_and_marks_are_not_hidden(frames: list) -> None:
    assert not found(frames)


def test_the_same_place_and_kind_is_told_once_with_a_count() -> None:
    frames = run_started()
    for n in range(5):
        frames += call(f"c{n}") + result(f"c{n}", f"{n}{TAGS}")
    (seen,) = coded("S08", frames + text() + finished())
    assert (seen.count, len(seen.seqs)) == (5, 3)


# ---------------------------------------------------------------- S11


def pieces(*deltas: str) -> list:
    return [
        *run_started(),
        *event("TEXT_MESSAGE_START", messageId="m1"),
        *(one for delta in deltas for one in event("TEXT_MESSAGE_CONTENT", messageId="m1", delta=delta)),
        *event("TEXT_MESSAGE_END", messageId="m1"),
        *finished(),
    ]


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        (pieces("caf", "\ufffd\ufffd", " au lait"), "A text came with a replacement character"),
        (pieces("hm ", "\ud83d"), "A text came with half a character"),
        (stream(args='{"q": "caf\ufffd"}'), "The arguments of a call came with a replacement character"),
        (stream(content="caf\ufffd"), "A result came with a replacement character"),
    ],
)
def test_characters_that_were_lost_are_told(frames: list, told: str) -> None:
    seen = only(frames)
    assert (seen.code, seen.severity) == ("S11", "warning")
    assert seen.message.startswith(told)


def test_damage_in_a_burst_of_pieces_is_found_at_its_frame() -> None:
    frames = timed(pieces(*["plain "] * 40, "caf\ufffd", *[" text"] * 40))
    assert only(frames).seqs == (44,)


def test_whole_characters_are_not_damaged() -> None:
    assert not found(pieces("Zażółć ", "gęślą jaźń ", "東京 \U0001f600", "é"))


# ---------------------------------------------------------------- S09


def test_a_timestamp_that_goes_back_is_an_info_at_the_event_that_does() -> None:
    frames = timed(run_started() + text() + call() + result() + text("Done.", "m2") + finished())
    frames[5]["timestamp"] = BEGAN - 5_000
    seen = only(frames)
    assert (seen.code, seen.severity, seen.seqs) == ("S09", "info", (7,))
    assert "TOOL_CALL_START goes back" in seen.message


def test_a_clock_that_was_set_back_once_is_told_once() -> None:
    frames = timed(run_started() + text()) + timed(text(id="m2") + finished(), start=BEGAN - 60_000)
    (seen,) = coded("S09", frames)
    assert seen.count == 1


@pytest.mark.parametrize(("scale", "unit"), [(1 / 1000, "in seconds"), (1000, "in microseconds")])
def test_timestamps_of_another_unit_are_told_once_and_read(scale: float, unit: str) -> None:
    frames = timed(run_started() + text() + call() + result() + text("Done.", "m2") + finished(), every=4_000)
    frames = [{**one, "timestamp": int(one["timestamp"] * scale)} for one in frames]
    seen = only(frames)
    assert (seen.code, seen.message) == ("S09", f"The timestamp of RUN_STARTED is {unit}.")
    assert read(frames).picture.thread.runs[0].start_at == BEGAN


def test_a_little_overtaking_and_no_timestamps_at_all_are_no_disorder() -> None:
    frames = timed(run_started() + text() + call() + result() + text("Done.", "m2") + finished())
    frames[5]["timestamp"] -= 300
    assert not found(frames)
    assert not found(run_started() + text() + finished())
