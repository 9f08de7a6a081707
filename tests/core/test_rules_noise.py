"""What is told once although it happens again and again, and what is told as what it is."""

from __future__ import annotations

from judged import found, only, read

from tests.streams import event, finished, run_started, run_with_input, text, user
from turnscope.core.rules.headline import headline


def test_a_time_that_every_event_spells_in_another_way_is_told_once() -> None:
    frames = run_started() + text() + finished()
    seen = found([{**one, "timestamp": "2026-11-30T09:00:00"} for one in frames])["S03"]
    assert seen.count == len(frames)
    assert "timestamp of RUN_STARTED, timestamp of TEXT_MESSAGE_START" in seen.message


def test_a_text_that_is_left_out_is_no_empty_one() -> None:
    frames = event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
    frames += event("TEXT_MESSAGE_CONTENT", messageId="m1") + event("TEXT_MESSAGE_END", messageId="m1")
    seen = found(run_started() + frames + text("Hello.", "m2") + finished())
    assert "delta of TEXT_MESSAGE_CONTENT" in seen["S03"].message
    assert "S10" not in seen


def test_an_empty_text_is_one() -> None:
    frames = event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
    frames += event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="")
    frames += event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Hello.")
    assert only(run_started() + frames + event("TEXT_MESSAGE_END", messageId="m1") + finished()).code == "S10"


def test_a_request_body_alone_was_asked_and_not_cut_off() -> None:
    body = run_with_input(user())[0]["input"]
    thread = read([body]).picture
    assert headline(thread.thread, None, thread.judge.findings).text == "Asked; no calls"


def test_a_recorders_clock_beside_the_producers_is_no_clock_in_disorder() -> None:
    frames = [{**one, "_timestamp": 2200.3 + n} for n, one in enumerate(run_started() + text() + finished())]
    frames[0]["timestamp"] = 1_796_000_000_000
    frames[3]["timestamp"] = 1_796_000_002_000
    thread = read(frames)
    assert thread.picture.findings == []
    assert thread.picture.thread.runs[0].end_at == 1_796_000_002_000


def test_a_recorders_clock_serves_where_the_producer_has_none() -> None:
    frames = [{**one, "_timestamp": 2200.5 + n} for n, one in enumerate(run_started() + text() + finished())]
    run = read(frames).picture.thread.runs[0]
    assert run.end_at - run.start_at == 5000
