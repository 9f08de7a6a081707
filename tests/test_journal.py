"""The journal keeps what arrived, once, in order, and gives it back as it came."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journals import (
    NOW,
    chunks,
    frames,
    kinds,
    live,
    only_thread,
    raws,
    recorded,
    rows,
    say,
)  # fmt: skip
from tests.streams import call, call_started, event, finished, result, run_started, text
from turnscope.core import events as e
from turnscope.core import fold
from turnscope.core.events import Evidence
from turnscope.core.kinds import MARK
from turnscope.store import models, posting, segments
from turnscope.store.journal import Incoming, Journal, Replaced, Unknown

pytestmark = pytest.mark.django_db(transaction=True)

RUN = run_started() + call("c1", "lookup") + result("c1") + text() + finished()


@pytest.fixture
def journal() -> Journal:
    return Journal()


# ---------------------------------------------------------------- frames


def test_frames_come_back_as_they_came_behind_the_mark_of_their_stream(journal: Journal) -> None:
    receipt = say(journal, live(journal), chunks(RUN))
    assert raws(journal) == chunks(RUN)
    assert kinds(journal)[:2] == ["OPENED", "RUN_STARTED"]
    assert [frame.seq for frame in frames(journal)] == list(range(1, len(RUN) + 2))
    assert receipt.threads == {only_thread().pk: len(RUN) + 1}
    assert (receipt.frames, receipt.ack, receipt.seq) == (len(RUN), len(RUN), len(RUN) + 1)


def test_frames_keep_their_time_of_arrival(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(run_started()), at=NOW)
    say(journal, handle, chunks(text()), at=NOW + 5)
    assert [frame.at for frame in frames(journal)] == [NOW, NOW, NOW + 5, NOW + 5, NOW + 5, NOW + 5]


def test_a_recordings_frames_bear_their_own_time(journal: Journal) -> None:
    stamped = [{**one, "timestamp": NOW + 7 * n} for n, one in enumerate(RUN)]
    recorded(journal, b"".join(chunks(stamped)))
    assert [f.at for f in frames(journal) if f.kind < MARK] == [NOW + 7 * n for n in range(len(RUN))]


def test_numbering_has_no_gaps_however_the_frames_are_batched(journal: Journal) -> None:
    data = b"".join(chunks(RUN * 40))
    recorded(journal, data, batches=(1, 7, 300, 2, 1, 90))
    assert [frame.seq for frame in frames(journal)] == list(range(1, len(RUN) * 40 + 3))
    assert b"".join(raws(journal)) == data


def test_a_channel_that_is_not_there_is_not_made_unasked(journal: Journal) -> None:
    with pytest.raises(Unknown):
        journal.open_stream("nowhere")
    assert not models.Channel.objects.exists()


def test_an_unreadable_frame_is_stored_told_and_found(journal: Journal) -> None:
    receipt = say(journal, live(journal), [*chunks(run_started()), b'{"type": "TEXT_MESS\n'])
    assert [place for place, _ in receipt.rejected] == [2]
    assert raws(journal)[1] == b'{"type": "TEXT_MESS\n'
    assert models.Finding.objects.filter(code="S01").count() == 1


# ---------------------------------------------------------------- the producer's numbers


def test_what_was_sent_before_is_acknowledged_and_dropped(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(RUN[:5]), first=1)
    receipt = say(journal, handle, chunks(RUN[2:8]), first=3)
    assert (receipt.frames, receipt.ack) == (3, 8)
    assert raws(journal) == chunks(RUN[:8])


def test_numbers_in_envelopes_count_as_well(journal: Journal) -> None:
    wrapped = [{"n": n, "event": one} for n, one in enumerate(RUN, 1)]
    handle = live(journal)
    say(journal, handle, chunks(wrapped[:5]))
    receipt = say(journal, handle, chunks(wrapped[1:]))
    assert (receipt.frames, receipt.ack) == (len(RUN) - 5, len(RUN))
    assert raws(journal) == chunks(wrapped)


def test_a_producer_that_comes_back_hears_where_it_was(journal: Journal) -> None:
    say(journal, live(journal), chunks(RUN[:5]), first=1)
    assert live(Journal()).last_n == 5
    assert live(journal, key="another").last_n == 0


def test_frames_without_numbers_are_counted(journal: Journal) -> None:
    say(journal, live(journal), chunks(RUN[:5]))
    assert live(journal).last_n == 5


def test_a_frame_sent_again_does_not_lead_the_stream_back(journal: Journal) -> None:
    handle = live(journal)
    two = run_started(thread="a") + text() + run_started("run-2", thread="b") + text(id="m2")
    say(journal, handle, chunks(two), first=1)
    say(journal, handle, chunks(run_started(thread="a")), first=1)
    say(journal, handle, chunks(finished("run-2")), first=len(two) + 1)
    names = {thread.name: thread.pk for thread in models.Thread.objects.all()}
    assert raws(journal, names["b"])[-1:] == chunks(finished("run-2"))


def test_a_gap_in_the_numbers_leaves_a_mark(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(RUN[:2]), first=1)
    say(journal, handle, chunks(RUN[2:]), first=9)
    gap = next(frame for frame in frames(journal) if frame.kind >= MARK and frame.seq > 1)
    assert (gap.seq, gap.raw) == (4, b'{"expected":3,"got":9}')


def test_a_recording_is_kept_whole_whatever_its_numbers(journal: Journal) -> None:
    wrapped = [{"n": n, "event": one} for n, one in zip((1, 2, 2, 1, 7), RUN, strict=False)]
    handle = recorded(journal, b"".join(chunks(wrapped)))
    assert b"".join(journal.raw(handle.id)) == b"".join(chunks(wrapped))
    assert kinds(journal).count("GAP") == 3


# ---------------------------------------------------------------- who writes a stream


def test_a_second_hello_takes_the_stream_over(journal: Journal) -> None:
    first = live(journal)
    say(journal, first, chunks(RUN[:2]))
    second = live(journal)
    assert second.id == first.id
    with pytest.raises(Replaced):
        say(journal, first, chunks(RUN[2:4]))
    say(journal, second, chunks(RUN[2:4]))
    assert raws(journal) == chunks(RUN[:4])


def test_a_stream_taken_over_does_not_hold_up_the_others_of_its_commit(journal: Journal) -> None:
    lost, kept = live(journal, "lost"), live(journal, "kept")
    live(journal, "lost")
    batch = [Incoming(raw, NOW) for raw in chunks(RUN)]
    told = journal.append_many([(lost, batch), (kept, batch)])
    assert isinstance(told[0], Replaced)
    assert not isinstance(told[1], Replaced) and told[1].frames == len(RUN)


def test_closing_a_stream_that_was_taken_over_changes_nothing(journal: Journal) -> None:
    first = live(journal)
    say(journal, first, chunks(RUN[:2]))
    live(journal)
    journal.close_stream(first, "lost")
    assert "CLOSED" not in kinds(journal)


def test_a_closed_stream_leaves_a_mark_and_one_that_comes_back_another(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(RUN[:2]))
    journal.close_stream(handle, "lost")
    assert models.Stream.objects.get().closed_why == "lost"
    say(journal, live(journal), chunks(RUN[2:3]))
    assert kinds(journal) == [
        "OPENED", "RUN_STARTED", "TOOL_CALL_START", "CLOSED", "OPENED", "TOOL_CALL_ARGS"
    ]  # fmt: skip
    assert models.Stream.objects.get().closed_why == ""


# ---------------------------------------------------------------- which thread a frame belongs to


def test_a_stream_that_names_no_thread_is_its_own(journal: Journal) -> None:
    say(journal, live(journal), chunks(text()))
    say(journal, live(journal, "s2"), chunks(text()))
    assert models.Thread.objects.count() == 2


def test_the_first_name_renames_it(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(text()))
    say(journal, handle, chunks(run_started(thread="named")))
    assert only_thread().name == "named"
    assert raws(journal) == chunks(text() + run_started(thread="named"))


def test_earlier_frames_stay_where_a_thread_of_the_name_exists(journal: Journal) -> None:
    say(journal, live(journal, "s0"), chunks(run_started(thread="named")))
    handle = live(journal)
    say(journal, handle, chunks(text()))
    say(journal, handle, chunks(run_started("run-2", thread="named")))
    named = models.Thread.objects.get(name="named")
    assert raws(journal, named.pk) == chunks(
        run_started(thread="named") + run_started("run-2", thread="named")
    )
    assert raws(journal, models.Thread.objects.get(name="").pk) == chunks(text())


def test_two_live_streams_of_a_thread_are_numbered_together(journal: Journal) -> None:
    one, two = live(journal, "s1"), live(journal, "s2")
    say(journal, one, chunks(run_started("run-1") + call_started("c1")))
    say(journal, two, chunks(run_started("run-2")))
    say(journal, one, chunks(result("c1")))
    assert [frame.seq for frame in frames(journal)] == list(range(1, 7))
    assert models.Run.objects.count() == 2


def test_each_recording_has_threads_of_its_own(journal: Journal) -> None:
    for _ in range(2):
        recorded(journal, b"".join(chunks(RUN)))
    assert models.Thread.objects.filter(name="thread-1").count() == 2


def test_envelopes_take_frames_to_several_threads(journal: Journal) -> None:
    wrapped = [{"threadId": f"t{n % 3}", "event": one} for n, one in enumerate(RUN * 3)]
    handle = recorded(journal, b"".join(chunks(wrapped)), batches=(4, 1))
    assert models.Thread.objects.count() == 3
    for thread in models.Thread.objects.all():
        assert raws(journal, thread.pk) == chunks([w for w in wrapped if w["threadId"] == thread.name])
    assert b"".join(journal.raw(handle.id)) == b"".join(chunks(wrapped))


def test_an_envelope_does_not_lead_the_bare_frames_away(journal: Journal) -> None:
    bare, other = run_started(thread="a"), {"threadId": "b", "event": text()[0]}
    say(journal, live(journal), chunks([*bare, other, *text(id="m2")]))
    names = {thread.name: thread.pk for thread in models.Thread.objects.all()}
    assert raws(journal, names["a"]) == chunks(bare + text(id="m2"))


# ---------------------------------------------------------------- settings, evidence


def settings_seen(journal: Journal) -> list[bytes]:
    return [
        frame.raw for frame, kind in zip(frames(journal), kinds(journal), strict=True) if kind == "SETTINGS"
    ]


def test_settings_in_force_stand_at_the_start_of_a_thread(journal: Journal) -> None:
    models.Channel.objects.create(slug="acme", settings={"owners": {"server": ["lookup"]}, "origins": ["x"]})
    say(journal, live(journal), chunks(RUN))
    assert settings_seen(journal) == [b'{"settings":{"owners":{"server":["lookup"]}}}']
    assert kinds(journal)[:3] == ["OPENED", "SETTINGS", "RUN_STARTED"]
    assert only_thread().settings == {"owners": {"server": ["lookup"]}}


def test_new_settings_judge_from_the_next_frame_on(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(RUN))
    models.Channel.objects.update(settings={"preset": "claude_code"})
    say(journal, handle, chunks(run_started("run-2")))
    say(journal, handle, chunks(finished("run-2")))
    assert settings_seen(journal) == [b'{"settings":{"preset":"claude_code"}}']
    assert kinds(journal)[-3:] == ["SETTINGS", "RUN_STARTED", "RUN_FINISHED"]


def test_a_hosts_evidence_is_a_mark_and_part_of_what_arrived(journal: Journal) -> None:
    told = {"evidence": {"toolCallId": "c1", "phase": "result", "content": "done", "at": NOW}}
    sent = [*chunks(run_started() + call("c1")), *chunks([told])]
    handle = live(journal)
    say(journal, handle, sent)
    assert frames(journal)[-1].kind >= MARK
    assert list(journal.raw(handle.id)) == sent


def test_evidence_may_be_marked_by_the_journal_itself(journal: Journal) -> None:
    say(journal, live(journal), chunks(run_started() + call("c1") + finished()))
    journal.mark(only_thread().pk, Evidence("c1", "result", "done", NOW))
    assert kinds(journal)[-1] == "EVIDENCE"
    before = rows()
    journal.rebuild(only_thread().pk)
    assert rows() == before


# ---------------------------------------------------------------- commits


def test_listeners_hear_of_a_commit_and_cannot_break_it(journal: Journal) -> None:
    heard: list[tuple[int, ...]] = []

    def broken(*told: int) -> None:
        raise RuntimeError("a listener's own fault")

    journal.listeners += [broken, lambda *told: heard.append(told)]
    say(journal, live(journal), chunks(RUN))
    thread = only_thread()
    assert heard == [(thread.pk, thread.last_seq, thread.channel_id, 1)]


def test_a_channel_counts_its_commits(journal: Journal) -> None:
    one, two = live(journal, "s1"), live(journal, "s2")
    say(journal, one, chunks(run_started(thread="a")))
    say(journal, two, chunks(run_started(thread="b")))
    assert models.Channel.objects.get().last_change == 2
    assert {thread.name: thread.change for thread in models.Thread.objects.all()} == {"a": 1, "b": 2}


def test_a_commit_that_fails_leaves_nothing_and_can_be_repeated(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = live(journal)
    say(journal, handle, chunks(RUN[:4]))
    before = rows()

    def fails(*args: Any) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(posting, "_write_derived", fails)
        with pytest.raises(RuntimeError):
            say(journal, handle, chunks(RUN[4:]))
    assert rows() == before
    say(journal, handle, chunks(RUN[4:]))
    assert raws(journal) == chunks(RUN)


def test_what_two_channels_call_alike_stays_apart(journal: Journal) -> None:
    say(journal, live(journal, channel="one"), chunks(RUN))
    say(journal, live(journal, channel="two"), chunks(RUN))
    assert [thread.channel.slug for thread in models.Thread.objects.order_by("pk")] == ["one", "two"]


def test_a_stream_of_blank_lines_alone_is_kept(journal: Journal) -> None:
    sent = [b": keep-alive\n", b"\n", b"\n"]
    handle = live(journal)
    say(journal, handle, sent)
    assert list(journal.raw(handle.id)) == sent
    say(journal, handle, chunks(event("RUN_STARTED", threadId="late", runId="r")))
    assert only_thread().name == "late"


def test_a_mistake_of_ours_costs_one_frame_and_is_told(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any) -> Any:
        raise ZeroDivisionError("a bug")

    handle = live(journal)
    with monkeypatch.context() as patched:
        patched.setitem(fold._CHANGES, e.CallResult, broken)
        say(journal, handle, chunks(RUN))
        before = rows()
        journal.rebuild(only_thread().pk)
        assert rows() == before
    assert raws(journal) == chunks(RUN)
    finding = models.Finding.objects.get(code="S01")
    assert "our fold failed: ZeroDivisionError" in finding.message
    assert "could not be folded" in caplog.text


def test_a_dialect_that_is_none_is_refused_by_name(journal: Journal) -> None:
    with pytest.raises(Unknown, match="no dialect 'smoke signals'"):
        journal.open_stream("acme", dialect="smoke signals", create=True)


def test_a_thread_of_a_dialect_this_version_lacks_is_damaged_and_stops_no_watch(journal: Journal) -> None:
    say(journal, live(journal), chunks(run_started() + call_started("c1")))
    segment = models.Segment.objects.get()
    sheet = segments.unpack(1, bytes(segment.header), bytes(segment.body))
    sheet.bodies[0] = sheet.bodies[0].replace(b"ag_ui", b"later")
    segment.header, segment.body = segments.pack(sheet)
    segment.save()
    say(journal, live(journal, "s2"), chunks(run_started(thread="healthy")))
    fresh = Journal()
    with pytest.raises(segments.Damaged, match="does not read 'later'"):
        fresh.rebuild(models.Thread.objects.get(name="thread-1").pk)
    assert fresh.tick(NOW + 3_600_000) == [models.Thread.objects.get(name="healthy").pk]
