"""A burst of deltas is read and folded in one go; what comes of it is what comes of them one by one."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import corpora
from tests.streams import arguments, call_started, event, run_started, text
from turnscope.core import events as e
from turnscope.core.bursts import Burst
from turnscope.core.picture import Intake, Picture, read_file

IDS = st.sampled_from(("a", "b", "c"))
DELTAS = st.one_of(
    st.builds(e.TextDelta, id=IDS, delta=st.text(max_size=3)),
    st.builds(e.CallArgs, id=IDS, delta=st.text(max_size=3)),
    st.builds(e.ReasoningDelta, id=IDS, delta=st.text(max_size=3)),
)
OTHERS = st.one_of(
    st.builds(e.RunStarted, thread=st.just("t"), run=IDS),
    st.builds(e.RunFinished, thread=st.just("t"), run=IDS, outcome=st.just("success")),
    st.builds(e.TextStart, id=IDS),
    st.builds(e.TextEnd, id=IDS),
    st.builds(e.ReasoningMessageStart, id=IDS),
    st.builds(e.CallStart, id=IDS, name=IDS),
    st.builds(e.CallEnd, id=IDS),
    st.builds(e.CallResult, id=IDS, content=st.just("done")),
    st.builds(e.Tick),
)
SCENES = st.lists(st.one_of(DELTAS, DELTAS, DELTAS, OTHERS), max_size=40)
TIMES = st.lists(st.integers(0, 100_000), min_size=40, max_size=40)


def opened() -> list[e.Event]:
    """A run with a text, a call and a reasoning open, so that deltas have something to belong to."""
    return [
        e.Opened("ag_ui", recording=False), e.RunStarted("t", "r"), e.TextStart("a"), e.CallStart("b", "x"),
        e.ReasoningMessageStart("c"),
    ]  # fmt: skip


def seen(picture: Picture) -> dict[str, Any]:
    changes = picture.drain()
    return {
        "thread": asdict(picture.thread) | {"policy": None},
        "turns": [turn.number for turn in changes.turns],
        "runs": [run.number for run in changes.runs],
        "calls": [call.number for call in changes.calls],
        "findings": [(found.key, found.changed, found.closed_seq) for found in changes.findings],
    }


@given(SCENES, TIMES)
def test_a_burst_makes_the_picture_its_deltas_make_one_by_one(scene: list[e.Event], times: list[int]) -> None:
    singly, at_once = Picture(), Picture()
    for picture in (singly, at_once):
        for seq, one in enumerate(opened(), 1):
            picture.add(seq, 0, 1, [one])
    first = len(opened()) + 1
    for place, one in enumerate(scene):
        singly.add(first + place, times[place], 1, [one])
    place = 0
    for (cls, _), group in groupby(scene, key=lambda one: (type(one), getattr(one, "id", None))):
        same = list(group)
        ats = times[place : place + len(same)]
        if cls in e.DELTAS:
            burst = Burst(0, same[0], [one.delta for one in same], [None] * len(same), numbered=False)  # type: ignore[attr-defined]
            at_once.add_burst(first + place, ats, 1, burst)
        else:
            for offset, one in enumerate(same):
                at_once.add(first + place + offset, ats[offset], 1, [one])
        place += len(same)
    assert seen(at_once) == seen(singly)


SPELLINGS = st.sampled_from(("bare", "spaced", "sse", "envelope", "timed envelope", "envelope of a thread"))
FRAMES = st.one_of(
    st.builds(lambda id, delta: text_delta(id, delta), IDS, st.text(max_size=4)),
    st.builds(lambda id, delta: arguments(id, delta)[0], IDS, st.text(max_size=4)),
    st.builds(lambda id: {"type": "TEXT_MESSAGE_CONTENT", "messageId": id}, IDS),
    st.builds(lambda id: event("TEXT_MESSAGE_END", messageId=id)[0], IDS),
    st.builds(lambda id: event("TEXT_MESSAGE_CHUNK", messageId=id, delta="x")[0], IDS),
)


def text_delta(id: str, delta: str) -> dict[str, Any]:
    return event("TEXT_MESSAGE_CONTENT", messageId=id, delta=delta, timestamp=1_796_000_000_000)[0]


def spelled(how: str, frame: dict[str, Any], n: int) -> bytes:
    if how == "bare":
        return json.dumps(frame, separators=(",", ":")).encode() + b"\n"
    if how == "spaced":
        return json.dumps(frame, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    if how == "sse":
        return b"data: " + json.dumps(frame).encode() + b"\n\n"
    beside = {"at": 5} if how == "timed envelope" else {"threadId": "t"} if "thread" in how else {}
    return json.dumps({"n": n, **beside, "event": frame}).encode() + b"\n"


@given(st.lists(st.tuples(SPELLINGS, FRAMES, st.integers(0, 1)), max_size=25))
def test_a_burst_is_read_as_its_frames_are_read_one_by_one(
    scene: list[tuple[str, dict[str, Any], int]],
) -> None:
    opening = chunks_of(run_started(thread="t") + text(id="a")[:1] + call_started("b") + text(id="c")[:1])
    n, raws = 0, list(opening)
    for how, frame, skipped in scene:
        n += 1 + (skipped if "envelope" in how else 0)
        raws.append(spelled(how, frame, n))
    singly, at_once = Intake("ag_ui"), Intake("ag_ui")
    expected = [singly.read(singly.place(raw), 0) for raw in raws]
    found: list[list[e.Event]] = []
    due = 1
    while len(found) < len(raws):
        burst = at_once.burst(raws, len(found), due, 0)
        if burst is not None:
            found += [[burst.event_at(place)] for place in range(len(burst))]
            due += len(burst) if burst.numbered else 0
            continue
        placed = at_once.place(raws[len(found)])
        due = placed.n + 1 if placed.n is not None else due
        found.append(at_once.read(placed, 0))
    assert found == expected


def chunks_of(events: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(one).encode() + b"\n" for one in events]


def test_numbers_that_do_not_follow_end_a_burst() -> None:
    intake = Intake("ag_ui")
    for raw in chunks_of(run_started() + text(id="a")[:1]):
        intake.read(intake.place(raw), 0)
    raws = [spelled("envelope", text_delta("a", "x"), n) for n in (7, 8, 9, 11, 12)]
    assert [
        len(burst) if (burst := intake.burst(raws, start, 7 + start, 0)) else 0 for start in (0, 2, 3)
    ] == [3, 1, 0]
    assert intake.burst(raws, 0, 6, 0) is None


@pytest.mark.parametrize("path", list(corpora.streams()), ids=corpora.name_of)
def test_a_file_is_the_same_whether_its_frames_are_kept_or_not(path: Path) -> None:
    """Kept, they are read one by one; else deltas go in bursts."""
    data, judged_by = path.read_bytes(), corpora.settings_of(path)
    kept, not_kept = (read_file(data, settings=judged_by, keep_frames=keep) for keep in (True, False))
    assert (kept.frames, kept.rejected) == (not_kept.frames, not_kept.rejected)
    for one, other in zip(kept.threads, not_kept.threads, strict=True):
        assert (one.name, one.last_seq, one.lines) == (other.name, other.last_seq, other.lines)
        assert repr(one.picture.judge.findings) == repr(other.picture.judge.findings)
        assert [repr(call) for call in one.picture.thread.calls] == [
            repr(call) for call in other.picture.thread.calls
        ]
        assert repr(one.picture.thread.runs) == repr(other.picture.thread.runs)
