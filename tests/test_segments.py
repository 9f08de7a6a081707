"""Segments: what goes in comes out, whatever it is, and a filter by kind unpacks no more than it needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnscope.store import segments
from turnscope.store.segments import FULL_BYTES, MOST_FRAMES, Damaged, Sheet

one_frame = st.tuples(
    st.integers(0, 255),
    st.integers(0, 2**53 - 1),
    st.integers(0, 2**62),
    st.integers(0, 2**62),
    st.binary(max_size=300),
)


def sheet_of(frames: list[tuple[int, int, int, int, bytes]], first: int = 1) -> Sheet:
    sheet = Sheet(first)
    for frame in frames:
        sheet.add(*frame)
    return sheet


def columns(sheet: Sheet) -> tuple[object, ...]:
    return (bytes(sheet.kinds), sheet.ats, sheet.streams, sheet.places, sheet.bodies, sheet.size)


@given(st.lists(one_frame, min_size=1, max_size=40))
def test_a_sheet_comes_back_as_it_was_packed(frames: list[tuple[int, int, int, int, bytes]]) -> None:
    sheet = sheet_of(frames, first=7)
    assert columns(segments.unpack(7, *segments.pack(sheet))) == columns(sheet)


@given(st.integers(1, 50), st.integers(0, 2**40), st.integers(1, 2**40))
def test_the_usual_stream_costs_little_more_than_its_lengths(count: int, at: int, place: int) -> None:
    sheet = sheet_of([(21, at, 5, place + i, b"x" * 200) for i in range(count)])
    header, _ = segments.pack(sheet)
    # A kind and a length each; arrival, stream and place are told once.
    assert len(header) <= 40 + 2 * count
    assert columns(segments.unpack(1, header, segments.pack(sheet)[1])) == columns(sheet)


def test_kinds_and_streams_are_read_without_the_body() -> None:
    header, _ = segments.pack(sheet_of([(21, 1, 4, 1, b"a"), (200, 1, 9, 0, b"b"), (33, 2, 4, 2, b"c")]))
    assert segments.kinds_of(header) == bytes((21, 200, 33))
    assert segments.streams_of(header) == (4, 9)
    assert segments.tally(header) == {(4, 21): 1, (9, 200): 1, (4, 33): 1}


def test_frames_are_chosen_by_seq_and_kind() -> None:
    packed = segments.pack(
        sheet_of([(kind, 5, 1, n, b"%d" % n) for n, kind in enumerate((10, 21, 21, 33), 1)])
    )
    found = segments.frames_of(100, *packed, after=100, until=102, kinds={21})
    assert [(f.seq, f.kind, f.n, f.raw) for f in found] == [(101, 21, 2, b"2"), (102, 21, 3, b"3")]
    # No frame of the kind: the body, here none at all, is not looked at.
    assert list(segments.frames_of(100, packed[0], b"not a body", kinds={99})) == []


def test_a_large_batch_is_cut_into_segments_that_follow_one_another() -> None:
    sheet = sheet_of([(21, 1, 1, n, b"x") for n in range(1, 2 * MOST_FRAMES + 4)], first=11)
    parts = list(sheet.cut())
    assert [len(part) for part in parts] == [MOST_FRAMES, MOST_FRAMES, 3]
    assert [part.first_seq for part in parts] == [11, 11 + MOST_FRAMES, 11 + 2 * MOST_FRAMES]
    assert [body for part in parts for body in part.bodies] == sheet.bodies


def test_large_frames_make_small_segments() -> None:
    half = b"x" * (FULL_BYTES // 2 + 1)
    parts = list(sheet_of([(21, 1, 1, n, half) for n in (1, 2, 3)]).cut())
    assert [len(part) for part in parts] == [1, 1, 1]
    assert [part.size for part in parts] == [len(half)] * 3


@given(st.data())
def test_a_damaged_segment_says_so(data: st.DataObject) -> None:
    header, body = segments.pack(sheet_of([(21, 7, 3, n, b"some text " * 9) for n in range(1, 20)]))
    which, at = data.draw(st.sampled_from(("header", "body"))), data.draw(st.integers(0, 10_000))
    if which == "header":
        header = header[: at % len(header)]
    else:
        body = body[: at % len(body)]
    with pytest.raises(Damaged):
        segments.unpack(1, header, body)


def test_a_newer_versions_segment_is_refused_by_name() -> None:
    header, body = segments.pack(sheet_of([(21, 7, 3, 1, b"x")]))
    with pytest.raises(Damaged, match="version 9"):
        segments.unpack(1, b"\x09" + header[1:], body)
