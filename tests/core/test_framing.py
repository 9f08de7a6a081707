"""Framing: no byte is lost, cuts do not matter, and everything met in real recordings is read."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnscope.core.framing import MAX_DEPTH, MAX_FRAME, Decoded, Splitter, decode, milliseconds, split

BOM = b"\xef\xbb\xbf"
SCRAPS = [
    b'{"a":1}', b"\n", b"\r\n", b"\r", b"data: ", b"data:", b"[", b",", b"]", b"{", b"}", b'"', b"\\", BOM,
    b": ping\n", b"event: x\n", b"id: 1\n", b'data: {"a":1}\n\n', b'data: {"a":1}\n', b"//x\n", b"# head\n",
    b"[DONE]", b" ", b"\t", b"\xff", b'"a":{', b"}{", b"} {", b"x", b'{"delta":"}{"}\n', b'"MessageChunk"',
    b"null", b"1", b'[{"a":"b"},\n', b"{\n", b'  "a": 1\n', b"retry",
]  # fmt: skip
WIRE = st.lists(st.sampled_from(SCRAPS), max_size=25).map(b"".join) | st.binary(max_size=80)
LIMITS = st.sampled_from([3, 7, 20, 64, MAX_FRAME])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "type", "}{", "x y"]), VALUES, min_size=1, max_size=3)


def frames(data: bytes) -> list[Decoded]:
    return [found for found in map(decode, split(data)) if not found.blank]


def values(data: bytes) -> list[Any]:
    found = frames(data)
    assert [frame.reason for frame in found if frame.reason] == []
    return [frame.value for frame in found]


def fed(data: bytes, sizes: list[int], limit: int = MAX_FRAME) -> list[bytes]:
    splitter, chunks, at = Splitter(limit), [], 0
    for size in sizes:
        chunks += splitter.feed(data[at : at + size])
        at += size
    return chunks + splitter.feed(data[at:]) + splitter.flush()


# ---------------------------------------------------------------- laws


@settings(max_examples=1_000, deadline=None)
@given(WIRE, LIMITS)
def test_the_chunks_joined_are_the_input_and_none_is_longer_than_the_limit(data: bytes, limit: int):
    chunks = split(data, limit)
    assert b"".join(chunks) == data
    assert all(0 < len(chunk) <= limit for chunk in chunks)


@settings(max_examples=1_000, deadline=None)
@given(WIRE, LIMITS, st.lists(st.integers(0, 30), max_size=8))
def test_it_does_not_matter_where_a_stream_is_cut(data: bytes, limit: int, sizes: list[int]):
    whole = split(data, limit)
    assert fed(data, sizes, limit) == whole
    assert fed(data, [1] * len(data), limit) == whole


@settings(max_examples=1_000, deadline=None)
@given(WIRE)
def test_decoding_never_raises_and_says_one_thing(data: bytes):
    for chunk in split(data):
        found = decode(chunk)
        assert not (found.blank and found.reason)
        if found.reason or found.blank:
            assert found.value is None


@settings(deadline=None)
@given(st.lists(OBJECTS, max_size=5), st.sampled_from([None, 0, 2, 4]))
def test_an_array_of_events_is_a_frame_per_element_however_it_is_printed(
    events: list[Any], indent: int | None
):
    assert values(json.dumps(events, indent=indent).encode()) == events


@pytest.mark.parametrize("end", ["", "\n", " \r\n"])
def test_the_last_event_of_an_array_without_a_space_is_read_like_the_others(end: str):
    """As JavaScript's JSON.stringify prints it."""
    events = [{"type": "RUN_STARTED"}, {"type": "STEP_STARTED", "stepName": "a]"}, {"type": "RUN_FINISHED"}]
    data = json.dumps(events, separators=(",", ":")) + end
    assert values(data.encode()) == events


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([1, 2, 4, "\t"]))
def test_an_object_printed_over_many_lines_is_one_frame(event: Any, indent: Any):
    data = json.dumps(event, indent=indent).encode() + b"\n"
    assert values(data) == [event]
    assert values(data + data) == [event, event]


@settings(deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n", "", " "]), st.booleans())
def test_json_lines_are_read_with_any_line_end_or_none(events: list[Any], end: str, ascii: bool):  # noqa: FBT001
    data = "".join(json.dumps(event, ensure_ascii=ascii) + end for event in events).encode()
    assert values(data) == events


@settings(deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=5), st.sampled_from(["\n\n", "\r\n\r\n", "\n"]))
def test_sse_blocks_are_read_with_any_line_end_and_without_the_blank_line(events: list[Any], end: str):
    data = "".join(f"data: {json.dumps(event)}{end}" for event in events).encode()
    assert values(data) == events


# ---------------------------------------------------------------- what is met in recordings


def test_an_empty_file_has_no_frames():
    assert split(b"") == []
    assert frames(BOM) == frames(b"\n\n \r\n") == frames(b"[]\n") == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(BOM + b'{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}], id="byte order mark"),
        pytest.param(BOM + b'data: {"a":1}\n\n', [{"a": 1}], id="byte order mark before SSE"),
        pytest.param(BOM + b'[\n  {"a":1}\n]', [{"a": 1}], id="byte order mark before an array"),
        pytest.param(b'{"a":1}\n{"a":2}', [{"a": 1}, {"a": 2}], id="no final newline"),
        pytest.param(b'{"a":1}{"a":2}\n{"a":3} {"a":4}\n', [{"a": n} for n in (1, 2, 3, 4)], id="glued"),
        pytest.param(b'{"a":"}{"}\n', [{"a": "}{"}], id="what looks glued inside a string"),
        pytest.param(b'// recorded on a Monday\n{"a":1}\n', [{"a": 1}], id="comment line"),
        pytest.param(b'{"a":1},\n{"a":2},\n', [{"a": 1}, {"a": 2}], id="comma after each line"),
        pytest.param(b'data: {"a":1}\n\ndata: [DONE]\n\n', [{"a": 1}], id="end marker"),
        pytest.param(b': ping\n\n: ping\n\ndata: {"a":1}\n\n', [{"a": 1}], id="SSE comments"),
        pytest.param(b'event: m\nid: 7\nretry: 9\ndata: {"a":1}\n\n', [{"a": 1}], id="SSE fields"),
        pytest.param(b'data:{"a":1}\n\n', [{"a": 1}], id="SSE without the space"),
        pytest.param(b'data: {"a":\ndata: 1}\n\n', [{"a": 1}], id="data over two lines"),
        pytest.param(
            b'event: m\ndata: {"a":1}\nevent: m\ndata: {"a":2}\n', [{"a": 1}, {"a": 2}], id="no blank"
        ),
        pytest.param(b'data: {"a":1}{"a":2}\n\n', [{"a": 1}, {"a": 2}], id="glued in one SSE block"),
        pytest.param(b'Turn 2 begins\n\ndata: {"a":1}\n\n', [{"a": 1}], id="heading before an SSE block"),
        pytest.param(b'## turn 2\n{"a":1}\n', [{"a": 1}], id="heading before JSON lines"),
        pytest.param(b'{"a":1}\n\n\n{"a":2}\n', [{"a": 1}, {"a": 2}], id="blank lines"),
        pytest.param(b'{"a":1}\ndata: {"a":2}\n\n{"a":3}\n', [{"a": n} for n in (1, 2, 3)], id="mixed"),
    ],
)
def test_framing_is_tolerated(data: bytes, expected: list[Any]):
    assert values(data) == expected


def test_a_truncated_last_line_is_unreadable_and_loses_nothing_before_it():
    found = frames(b'{"a":1}\n{"type":"TEXT_MESS')
    assert found[0].value == {"a": 1}
    assert found[1].reason.startswith("cut")


def test_a_truncated_line_in_the_middle_spoils_only_itself():
    for broken in (b'{"a":', b'{"a":"b', b'{"a":[', b"{"):
        found = frames(b'{"a":1}\n' + broken + b'\n{"a":2}\n{"a":3}\n')
        assert [frame.value for frame in found if not frame.reason] == [{"a": 1}, {"a": 2}, {"a": 3}]
        assert sum(bool(frame.reason) for frame in found) == 1


def test_text_that_is_no_json_is_unreadable():
    assert [bool(frame.reason) for frame in frames(b'{"a":1}\nnot json\n')] == [False, True]


def test_a_pair_of_langgraphs_messages_mode_stays_one_frame():
    line = b'[{"type": "AIMessageChunk", "content": "a"}, {"langgraph_step": 1}]\n'
    assert values(line * 2) == [json.loads(line)] * 2


def test_a_tuple_that_begins_with_a_word_stays_one_frame():
    assert values(b'["updates", {"a": 1}]\n') == [["updates", {"a": 1}]]


def test_bytes_that_are_no_utf_8_are_unreadable_and_say_so():
    assert decode(b'{"a":"\xff"}').reason == "not UTF-8"


@pytest.mark.parametrize("text", ['{"a":"\\ud800"}', '{"a":NaN}', '{"a":-Infinity}'])
def test_what_orjson_refuses_and_json_reads_is_read(text: str):
    assert repr(decode(text.encode()).value) == repr(json.loads(text))


def test_a_number_beyond_64_bits_is_read():
    assert decode(b'{"a":123456789012345678901234567890}').value["a"] == pytest.approx(1.2345678901234568e29)


@pytest.mark.parametrize("brackets", [b"[", b'{"a":', b'[{"a":'])
def test_a_bomb_of_brackets_is_unreadable(brackets: bytes):
    assert decode(brackets * 200_000).reason == "nested too deeply"


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 900])
@pytest.mark.parametrize("rest", ["1", '"\\ud800"'])
def test_what_no_writer_could_give_back_is_nested_too_deeply(depth: int, rest: str):
    found = decode(b'{"type":"RAW","event":' + b"[" * (depth - 1) + rest.encode() + b"]" * (depth - 1) + b"}")
    assert bool(found.reason) == (depth > MAX_DEPTH)


def test_ten_thousand_objects_side_by_side_are_not_deep():
    event = {"type": "MESSAGES_SNAPSHOT", "messages": [{"a": [{}]}] * 10_000}
    assert decode(json.dumps(event).encode()).value == event


def test_a_string_of_ten_megabytes_passes():
    text = "x\\" * 5_000_000
    data = json.dumps({"a": text}).encode() + b"\n"
    assert values(b"[" + data + b"]") == [{"a": text}]


def test_a_frame_over_the_limit_is_cut_and_what_follows_is_read():
    found = frames(b'{"a":"' + b"x" * MAX_FRAME + b'"}\n{"a":1}\n')
    assert found[0].reason == "over the limit"
    assert found[-1].value == {"a": 1}


def test_memory_is_bounded_while_a_line_does_not_end():
    splitter = Splitter(limit=1_000)
    held = sum(len(chunk) for _ in range(1_000) for chunk in splitter.feed(b"x" * 100))
    assert held >= 1_000 * 100 - 1_000


def test_elements_of_an_array_come_as_soon_as_their_comma_does():
    splitter = Splitter()
    assert splitter.feed(b'[{"a":1},{"a"') == [b'[{"a":1},']
    assert splitter.feed(b":2}]") == []
    assert splitter.flush() == [b'{"a":2}]']


def test_a_flushed_splitter_begins_anew():
    splitter = Splitter()
    splitter.feed(b'[{"a":1}')
    splitter.flush()
    assert splitter.feed(b'{"a":2}\n') == [b'{"a":2}\n']


def test_random_bytes_between_good_lines_spoil_no_good_line():
    noise = random.Random(7)
    for _ in range(200):
        junk = bytes(noise.choice(b"abc\xff\x00;(") for _ in range(noise.randrange(1, 30)))
        found = [frame.value for frame in frames(b'{"a":1}\n' + junk + b'\n{"a":2}\n') if not frame.reason]
        assert found == [{"a": 1}, {"a": 2}]


# ---------------------------------------------------------------- envelopes and times


def test_an_envelope_is_taken_off():
    found = decode(b'{"n":57,"at":1700000000000,"threadId":"t","runId":"r","event":{"type":"RAW"}}\n')
    assert found.value == {"type": "RAW"}
    envelope = found.envelope
    assert envelope is not None
    assert (envelope.n, envelope.at, envelope.thread, envelope.run) == (57, 1_700_000_000_000, "t", "r")


def test_copilotkits_debug_envelope_is_the_same_thing():
    found = decode(
        b'data: {"timestamp":1700000000000,"agentId":"x","threadId":"t","runId":"r","event":{"type":"A"}}\n\n'
    )
    assert found.value == {"type": "A"}
    assert found.envelope is not None
    assert (found.envelope.at, found.envelope.thread) == (1_700_000_000_000, "t")


def test_a_raw_event_and_langchains_events_are_no_envelopes():
    raw = b'{"type":"RAW","event":{"type":"x"}}'
    assert decode(raw).value == json.loads(raw)
    chain = b'{"event":"on_chain_start","data":{}}'
    assert decode(chain).value == json.loads(chain)


def test_an_evidence_line_stays_what_it_is():
    line = b'{"evidence":{"toolCallId":"c1","phase":"start"}}\n'
    assert decode(line).value == json.loads(line)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (1_770_363_247, 1_770_363_247_000),
        (1_770_363_247.5, 1_770_363_247_500),
        (1_770_363_247_123, 1_770_363_247_123),
        (1_770_363_247_123_456, 1_770_363_247_123),
        (1_770_363_247_123_456_789, 1_770_363_247_123),
        ("1770363247", 1_770_363_247_000),
        ("2026-02-06T07:34:07.250Z", 1_770_363_247_250),
        ("2026-02-06T08:34:07.250+01:00", 1_770_363_247_250),
        ("2026-02-06T07:34:07.250", 1_770_363_247_250),
        (25_376.5, 25_376_500),
        ("yesterday", None),
        (float("nan"), None),
        (float("inf"), None),
        (-5, None),
        (True, None),
        ([1], None),
        (None, None),
        ("9" * 5_000, None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_times_of_any_unit_are_milliseconds(told: Any, expected: int | None):
    assert milliseconds(told) == expected
