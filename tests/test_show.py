"""View-models say of rows what a person should read, and hostile text stays text."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.template import Context, Template

from tests.services import missing
from turnscope.core import kinds
from turnscope.core.events import Frame
from turnscope.core.thread import CALL_STATES, OWNERS
from turnscope.store import models
from turnscope.web import hidden, log, show, vendor, words

VECTORS = json.loads((Path(__file__).parent / "vectors" / "hidden.json").read_text("utf-8"))
JS = Path(__file__).resolve().parents[1] / "static" / "js"


def call(**columns: Any) -> models.Call:
    given = {
        "number": 1,
        "call_id": "call_1",
        "name": "lookup",
        "plane": "stream",
        "state": "running",
        "owner": "server",
        "turn": 1,
        "run": 1,
        "start_seq": 4,
        "end_seq": 6,
        "start_at": 1000,
        "end_at": 1500,
        "changed_at_seq": 6,
        "args_verdict": "object",
        "args_excerpt": "{}",
    }
    return models.Call(pk=1, **{**given, **columns})


def finding(**columns: Any) -> dict[str, Any]:
    given = {
        "code": "C01",
        "name": "hanging-call",
        "severity": "error",
        "subject": "call_1",
        "culprit": "server tool",
        "message": "lookup has not answered.",
        "seqs": [4, 6],
        "call": 1,
        "turn": 1,
        "opened_seq": 7,
        "changed_at_seq": 7,
    }
    return show.finding(models.Finding(pk=1, **{**given, **columns}))


def answer(**fields: Any) -> dict[str, Any]:
    given = {"plane": "stream", "source": "event", "seq": 8, "at": 2500, "length": 2, "error": False}
    return {**given, "excerpt": "ok", "late": False, **fields}


def frame(kind: str, raw: bytes, seq: int = 5) -> Frame:
    return Frame(seq, 1000, 1, seq, kinds.KINDS[kind], raw)


# ---------------------------------------------------------------- looks


@pytest.mark.parametrize("state", CALL_STATES)
@pytest.mark.parametrize("owner", OWNERS)
def test_every_state_of_every_owner_has_a_word_an_icon_and_a_colour(state: str, owner: str):
    shown = show.call(call(state=state, owner=owner))
    assert shown["word"] and shown["icon"] in vendor.ICONS and shown["owner_icon"] in vendor.ICONS
    colours = (JS.parent / "css" / "tokens.css").read_text()
    assert f".s-{shown['look']} {{" in colours


@pytest.mark.parametrize(
    ("owner", "word"),
    [
        ("client", "waiting for client"),
        ("person", "waiting for approval"),
        ("background", "waiting for a job"),
        ("unknown", "waiting"),
        ("harness", "waiting"),
    ],
)
def test_a_waiting_call_says_whom_it_waits_for(owner: str, word: str):
    assert show.call(call(state="waiting", owner=owner))["word"] == word


def test_a_call_hangs_only_while_a_c01_stands_for_it():
    plain = show.call(call(limit_ms=5000))
    assert show.dressed(plain, [finding()])["look"] == "hanging"
    assert show.dressed(plain, [finding()])["note"] == "limit 5 s"
    assert show.dressed(plain, [finding(closed_seq=9)])["look"] == "running"
    assert show.dressed(plain, [finding(code="C18", name="slow-call")])["look"] == "running"


def test_a_hanging_call_keeps_its_stored_state_beside_the_judgement():
    assert show.dressed(show.call(call()), [finding()])["state"] == "running"


def test_findings_dress_their_own_call_alone():
    two = [show.call(call()), show.call(call(number=2, call_id="call_2"))]
    assert [c["codes"] for c in show.dressed_all(two, [finding(call=2)])] == [[], ["C01"]]


def test_the_worst_call_comes_first():
    calls = [
        show.call(call(number=n, state=s)) for n, s in enumerate(("ok", "failed", "running", "unanswered"), 1)
    ]
    assert [c["state"] for c in show.worst_first(calls)] == ["unanswered", "failed", "running", "ok"]


# ---------------------------------------------------------------- ledger


def test_the_ledger_counts_answers_in_either_plane_but_no_late_one():
    calls = [
        show.call(call(number=1, state="ok", answers=[answer()])),
        show.call(call(number=2, state="ok", answers=[answer(plane="history", source="input")])),
        show.call(call(number=3, state="unanswered", answers=[answer(late=True)])),
        show.call(call(number=4, state="orphan", answers=[answer()])),
        show.call(call(number=5, plane="history", state="ok", answers=[answer()])),
    ]
    book = show.ledger(calls)
    assert [book[name] for name in ("started", "ended", "answered", "open")] == [3, 3, 2, 1]
    assert [slot["look"] for slot in book["slots"]] == ["ok", "ok", "no"]
    assert book["open_slots"] == ["unanswered"] and book["nobody"]


def test_somebody_may_still_answer_while_a_call_waits():
    assert not show.ledger([show.call(call(state="waiting", owner="client"))])["nobody"]


# ---------------------------------------------------------------- outcomes and findings


def test_a_clean_finish_is_less_clean_with_findings_or_open_calls():
    assert show.outcome("finished")["word"] == "Finished"
    assert show.outcome("finished", codes=["C03"])["word"] == "Ended early"
    assert show.outcome("finished", codes=["R04"])["word"] == "Stopped silently"
    assert show.outcome("finished", unanswered=2)["word"] == "Unanswered"
    assert show.outcome("failed", codes=["C03"])["word"] == "Failed"


@pytest.mark.parametrize(
    ("state", "headline", "word"),
    [("finished", "Stopped silently: Run r1 finished.", "Stopped silently"), ("failed", "Stuck: x.", "Stuck"),
     ("open", "Stalled: nothing came.", "Stalled"), ("interrupted", "Paused; no calls", "Paused"),
     ("waiting", "Finished; 1 call waits for the browser", "Waiting"), ("failed", "", "Failed")],
)  # fmt: skip
def test_a_turns_outcome_is_the_word_its_headline_begins_with(state: str, headline: str, word: str):
    became = show.outcome(state, headline=headline)
    assert became["word"] == word


def test_consequences_stand_under_their_cause_however_far():
    cause = finding(code="C03", subject="call_9", severity="warning")
    effect = finding(code="C02", because_of=[{"code": "C03", "subject": "call_9", "occurrence": 1}])
    far = finding(code="T02", subject="r", because_of=[{"code": "C02", "subject": "call_1", "occurrence": 1}])
    [group] = show.grouped([effect, far, cause])
    assert group["code"] == "C03" and [e["code"] for e in group["explains"]] == ["C02", "T02"]
    assert group["worst"] == "error"


def test_causes_that_explain_each_other_are_still_shown():
    one = finding(code="C02", because_of=[{"code": "T02", "subject": "r", "occurrence": 1}])
    two = finding(code="T02", subject="r", because_of=[{"code": "C02", "subject": "call_1", "occurrence": 1}])
    shown = show.grouped([one, two])
    assert sum(1 + len(group["explains"]) for group in shown) == 2


def test_closed_findings_come_last_and_a_silent_stop_last_among_equals():
    shown = show.grouped(
        [
            finding(code="C08", subject="a", closed_seq=9),
            finding(code="R04", subject="b", opened_seq=1),
            finding(code="C02", subject="c", opened_seq=8),
            finding(code="C23", subject="d", severity="info"),
        ]
    )
    assert [group["code"] for group in shown] == ["C02", "R04", "C23", "C08"]


# ---------------------------------------------------------------- frames


def test_a_row_shows_the_payload_without_what_other_columns_say():
    raw = b'{"type": "TOOL_CALL_ARGS", "toolCallId": "c\\"1", "delta": "{}", "timestamp": 17}'
    row = show.frame(frame("TOOL_CALL_ARGS", raw))
    assert row["call"] == 'c"1'
    assert row["payload"] == '{"delta": "{}"}'


@pytest.mark.parametrize(
    "around",
    [
        '{"n": 1, "at": 1796000000040, "event": %s}',
        '{"event": %s, "n": 1}',
        'data: {"kind":"event","connId":"c-1","tMs":12.5,"event":%s}',
        '{"n":1,"at":"2026-11-30T21:00:00Z","threadId":"t","event": %s }',
    ],
)
def test_a_row_shows_the_event_and_not_its_envelope(around: str):
    event = '{"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}}"}'
    row = show.frame(frame("TOOL_CALL_ARGS", (around % event).encode()))
    assert (row["call"], row["payload"]) == ("c", '{"delta": "{}}"}')


def test_a_long_event_in_an_envelope_begins_with_its_own_fields():
    raw = '{"n": 1, "at": 2, "event": {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "' + "x" * 9000
    assert show.frame(frame("TOOL_CALL_ARGS", raw.encode() + b'"}}'))["payload"].startswith('{"delta": "xxx')


def test_an_event_with_a_field_called_event_is_no_envelope():
    row = show.frame(frame("CUSTOM", b'{"type": "CUSTOM", "name": "n", "event": {"a": 1}}'))
    assert row["payload"] == '{"name": "n", "event": {"a": 1}}'


def test_what_is_no_json_is_shown_as_it_came():
    row = show.frame(frame("UNREADABLE", b'{"type": "TOOL_CALL_ARGS", "delta": "\xff'))
    assert row["payload"].endswith('"delta": "\ufffd')
    assert row["icon"] == "octagon-x"


def test_a_mark_is_told_from_a_frame():
    assert show.frame(frame("CLOSED", b'{"why":"end"}'))["mark"]
    assert not show.frame(frame("CUSTOM", b"{}"))["mark"]


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_of_frame_has_an_icon(kind: str):
    assert show.frame(frame(kind, b"{}"))["icon"] in vendor.ICONS


def test_laying_out_changes_nothing_but_space():
    text = '{"n": 12345678901234567890123, "n": 1.0, "s": "a, b: {c} \\" d", "e": {}, "l": [1, [2]]}'
    laid = log.laid_out(text)
    assert laid.splitlines()[1] == '  "n": 12345678901234567890123,'
    assert json.loads(laid) == json.loads(text)
    assert "".join(laid.split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["", "{", "not json", '{"a": 1} {"b": 2}', "[" * 100_000])
def test_what_is_no_json_is_not_laid_out(text: str):
    assert log.laid_out(text) == ""


# ---------------------------------------------------------------- hidden characters


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["why"])
def test_hidden_characters_are_made_visible(vector: dict[str, str]):
    assert hidden.visible(vector["text"]) == vector["shown"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["why"])
def test_the_pieces_of_a_text_are_the_text(vector: dict[str, str]):
    assert "".join(piece for _, piece in hidden.pieces(vector["text"])) == vector["text"]


def in_node(script: str) -> Any:
    node = shutil.which("node")
    if node is None:
        missing("node is not installed: the browser's half is not compared")
    done = subprocess.run(
        [node, "--input-type=module"],
        input=script.encode(),
        cwd=JS,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


BROWSER = "globalThis.document = {createComment() {}, createTreeWalker() {}, createElement() {}};"


def test_the_browser_makes_the_same_characters_visible():
    told = in_node(f"""{BROWSER} const {{ visible }} = await import("./text.js");
        const vectors = {json.dumps(VECTORS)};
        console.log(JSON.stringify(vectors.map((v) => visible(v.text))));""")
    assert told == [vector["shown"] for vector in VECTORS]


TIMES = [
    0,
    1,
    999,
    1000,
    1500,
    5000,
    59_990,
    59_996,
    60_000,
    61_000,
    192_400,
    599_999,
    600_000,
    3_600_000,
    3_661_004,
    86_400_000,
    172_800_000,
    1_000_000_000,
]


@pytest.mark.parametrize("name", ["duration", "short", "clock"])
def test_numbers_read_alike_in_both_halves(name: str):
    told = in_node(f"""{BROWSER} const text = await import("./text.js");
        console.log(JSON.stringify({TIMES}.map(text.{name})));""")
    assert told == [getattr(words, name)(ms) for ms in TIMES]


@pytest.mark.parametrize(
    ("ms", "said"),
    [(810, "0.81 s"), (21_420, "21.42 s"), (192_000, "3 min 12 s"), (18_180_000, "5 h 03 min")],
)
def test_durations_read_as_a_person_says_them(ms: int, said: str):
    assert words.duration(ms) == said


def test_hostile_text_is_never_markup():
    page = Template("{% load turnscope %}{{ text|shown }}")
    text = "<script>alert(1)</script>\u202e&amp;"
    shown = page.render(Context({"text": text}))
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown and "&amp;amp;" in shown
    assert '<span class="u" title="RIGHT-TO-LEFT OVERRIDE" data-char="U+202E">U+202E</span>' in shown
    assert shown.startswith('<bdi dir="ltr">')


SAID = {
    '{"error": "HTTP 504"}': "HTTP 504",
    '{"message":"gone, and cut wi': "gone, and cut wi",
    '{"detail": "a \\"quoted\\" word", "code": 3}': 'a \\"quoted\\" word',
    '{"status": 500}': '{"status": 500}',
    "plain words": "plain words",
    '{"error": {"code": 1}}': '{"error": {"code": 1}}',
    "": "",
}


def test_an_error_is_told_in_its_own_words_by_both_halves():
    assert {text: words.said(text) for text in SAID} == SAID
    there = in_node(f"""{BROWSER}
        const {{ said }} = await import("./text.js");
        console.log(JSON.stringify({json.dumps(list(SAID))}.map(said)));""")
    assert there == list(SAID.values())
