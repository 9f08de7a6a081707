"""The laws of the journal, on SQLite and on PostgreSQL: whatever happened, a rebuild gives the same rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.journals import (
    NOW,
    chunks,
    frames,
    kinds,
    live,
    only_thread,
    raws,
    rebuild_all,
    recorded,
    rows,
    say,
)  # fmt: skip
from tests.streams import (
    Event,
    call,
    call_started,
    event,
    finished,
    result,
    run_started,
    run_with_input,
    text,
    timed,
    user,
)  # fmt: skip
from turnscope.core.kinds import KINDS, MARK
from turnscope.store import leases, models, reading, segments
from turnscope.store.journal import Journal
from turnscope.store.text import digest

pytestmark = pytest.mark.django_db(transaction=True)

CORPUS = Path(__file__).parent / "corpus"
RECORDINGS = sorted([*CORPUS.glob("stories/*.jsonl"), *CORPUS.glob("agui/*.jsonl")])
SURROGATES = ("id", "thread_id", "channel_id", "stream")
SETTINGS = {"owners": {"server": ["lookup"]}, "limits": {"default": 10_000}}


@pytest.fixture
def journal() -> Journal:
    return Journal()


def chat(number: int) -> list[Event]:
    """A turn that answers one of its calls and leaves the other open."""
    run, one, two = f"run-{number}", f"a{number}", f"b{number}"
    return (
        run_with_input(user(f"Question {number}", id=f"u{number}"), run=run)
        + call(one, "lookup", {"n": number}) + call(two, "lookup") + result(one)
        + text(f"Answer {number} " * 20, id=f"m{number}", pieces=40) + finished(run)
    )  # fmt: skip


# ---------------------------------------------------------------- rebuilding


def test_every_recording_gives_the_same_rows_in_any_batches_and_rebuilt(
    either: str, journal: Journal
) -> None:
    assert RECORDINGS, "the corpus is part of the project"
    for at, path in enumerate(RECORDINGS):
        batches = ((1,), (3, 1, 8), (1000,))[at % 3]
        handle = recorded(journal, path.read_bytes(), batches=batches, name=path.name)
        assert b"".join(journal.raw(handle.id)) == path.read_bytes()
    before = rows()
    assert before["Finding"], "a corpus of faults without one would prove nothing"
    rebuild_all(journal)
    assert rows() == before


def test_a_live_session_with_ticks_is_rebuilt_to_the_row(either: str, journal: Journal) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    handle, other = live(journal), live(journal, "s2")
    say(journal, other, chunks(run_started("beside")))
    for number in range(12):
        at = NOW + number * 60_000
        sent = chunks(chat(number))
        say(journal, handle, sent[:7], at=at)
        journal.tick(at + 9_000)
        journal.tick(at + 20_000)
        beside = result(f"b{number}") if number % 3 else text(id=f"x{number}")
        say(journal, other, chunks(beside), at=at + 21_000)
        for raw in sent[7:]:
            say(journal, handle, [raw], at=at + 30_000)
    journal.close_stream(handle, "lost")
    journal.tick(NOW + 3_600_000)
    assert "TICK" in kinds(journal)
    before = rows()
    rebuild_all(journal)
    assert rows() == before
    # And once more from a process that knows nothing.
    rebuild_all(Journal())
    assert rows() == before


def test_rows_an_older_fold_made_are_mended_when_the_thread_is_opened(journal: Journal) -> None:
    recorded(journal, b"".join(chunks(chat(1))))
    before = rows()
    thread = only_thread()
    models.Thread.objects.update(fold_version=0)
    models.Call.objects.update(state="nonsense", changed_at_seq=999)
    models.Turn.objects.create(
        thread=thread, number=9, changed_at_seq=1, first_seq=1, last_seq=1, headline="gone in this version"
    )
    assert journal.refresh(thread.pk)
    assert rows() == before
    assert not journal.refresh(thread.pk)


def test_rows_an_older_fold_made_are_mended_by_the_next_frame(journal: Journal) -> None:
    handle = live(journal)
    say(journal, handle, chunks(chat(1)))
    models.Thread.objects.update(fold_version=0)
    models.Call.objects.update(state="nonsense")
    say(Journal(), live(Journal()), chunks(run_started("run-2")))
    assert not models.Call.objects.filter(state="nonsense").exists()


# ---------------------------------------------------------------- forgetting and several writers


def test_a_desk_without_room_gives_the_same_rows() -> None:
    def play(journal: Journal) -> dict[str, object]:
        streams = [journal.open_stream("acme", key=f"s{n}", create=True) for n in range(3)]
        for number in range(4):
            for n, stream in enumerate(streams):
                sent = [{**one, "threadId": f"t{n}"} if "threadId" in one else one for one in chat(number)]
                for at in range(0, len(sent), 11):
                    say(journal, stream, chunks(sent[at : at + 11]), at=NOW + number)
        found = {
            (table, *(row[key] for key in ("number", "key", "name") if key in row)): {
                name: value for name, value in row.items() if name not in SURROGATES
            }
            for table, all_ in rows().items()
            for row in all_
        }
        models.Channel.objects.all().delete()
        return found

    assert play(Journal(room=1)) == play(Journal())


def test_two_writers_of_one_thread_number_its_frames_without_gaps(either: str, journal: Journal) -> None:
    other = Journal()
    one, two = live(journal, "s1"), live(other, "s2")
    for number in range(6):
        say(journal, one, chunks(chat(2 * number)))
        say(other, two, chunks(chat(2 * number + 1)))
    found = frames(journal)
    assert [frame.seq for frame in found] == list(range(1, len(found) + 1))
    assert len(raws(journal)) == sum(len(chat(n)) for n in range(12))
    before = rows()
    rebuild_all(Journal())
    assert rows() == before


def test_a_thread_made_by_another_writer_meanwhile_is_found(journal: Journal) -> None:
    other, sent = Journal(), chunks(chat(1))
    one, two = live(journal, "s1"), live(other, "s2")
    placed = journal.desk.thread

    def forestalled(channel: int, key: str) -> object:
        found = placed(channel, key)
        if found is None:
            journal.desk.thread = placed  # type: ignore[method-assign]
            say(other, two, sent)
        return found

    journal.desk.thread = forestalled  # type: ignore[method-assign,assignment]
    say(journal, one, sent)
    assert only_thread().last_seq == 2 * len(sent) + 2


# ---------------------------------------------------------------- segments


def test_small_segments_become_one_and_read_the_same(journal: Journal) -> None:
    handle = live(journal)
    sent = chunks(run_started() + text("word " * 400, pieces=600) + finished())
    for raw in sent:
        say(journal, handle, [raw])
    assert raws(journal) == sent
    spans = list(models.Segment.objects.order_by("first_seq").values_list("first_seq", "last_seq"))
    full = [span for span in spans if span[1] - span[0] + 1 >= segments.FULL_FRAMES]
    assert len(full) == len(sent) // segments.FULL_FRAMES
    assert len(spans) < segments.FULL_FRAMES + len(full)
    assert all(before[1] + 1 == after[0] for before, after in pairwise(spans))


def test_merging_goes_on_after_a_restart(journal: Journal) -> None:
    sent = chunks(run_started() + text("word " * 300, pieces=300))
    for raw in sent[:200]:
        say(journal, live(journal), [raw])
    again = Journal()
    handle = live(again)
    for raw in sent[200:]:
        say(again, handle, [raw])
    assert raws(again) == sent
    spans = list(models.Segment.objects.order_by("first_seq").values_list("first_seq", "last_seq"))
    assert spans[0] == (1, segments.FULL_FRAMES)


def test_any_window_of_a_thread_is_read_as_it_stands_there(journal: Journal) -> None:
    data = b"".join(chunks([one for number in range(60) for one in chat(number)]))
    recorded(journal, data, batches=(1, 5, 700, 2, 40))
    whole, pk = frames(journal), only_thread().pk
    random_ = random.Random(7)
    for _ in range(60):
        after, length = random_.randrange(len(whole)), random_.choice((1, 50, 200, 900))
        found = list(reading.read(pk, after, after + length))
        assert found == whole[after : after + length]
    wanted = {KINDS["TOOL_CALL_RESULT"], KINDS["RUN_STARTED"]}
    assert list(reading.read(pk, 40, kinds=wanted)) == [f for f in whole[40:] if f.kind in wanted]
    assert list(reading.read(pk, len(whole))) == []


def test_segments_merged_while_they_are_read_lose_nothing(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = live(journal)
    sent = chunks(run_started() + text("word " * 60, pieces=300))
    for raw in sent[:200]:
        say(journal, handle, [raw])
    asked = reading.holds

    def while_read(header: bytes, kinds: frozenset[int]) -> bool:
        monkeypatch.setattr(reading, "holds", asked)
        say(journal, handle, sent[200:])
        return asked(header, kinds)

    monkeypatch.setattr(reading, "holds", while_read)
    found = list(reading.read(only_thread().pk, kinds={KINDS["TEXT_MESSAGE_CONTENT"], KINDS["OPENED"]}))
    spans = models.Segment.objects.order_by("first_seq").values_list("first_seq", "last_seq")
    assert spans[0] == (1, len(sent) + 1), "nothing was merged"
    assert [frame.seq for frame in found][:199] == [1, *range(4, 202)]


def test_a_text_is_found_as_it_is_and_as_json_spells_it(journal: Journal) -> None:
    sent = chunks(run_started() + text("Zürich <b>", pieces=1) + text("Zürich", id="m2", pieces=1))
    sent[-2] = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"Zürich"}\n'.encode()
    say(journal, live(journal), sent)
    assert [frame.raw for frame in reading.containing(only_thread().pk, "Zürich")] == [sent[2], sent[5]]


# ---------------------------------------------------------------- the clock


def overdue(journal: Journal) -> list[str]:
    return list(models.Finding.objects.filter(code="C01", closed_seq=0).values_list("subject", flat=True))


def test_the_watch_marks_the_moment_a_call_becomes_overdue_and_no_other(journal: Journal) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    handle = live(journal)
    say(journal, handle, chunks(run_started() + call("c1", "lookup")), at=NOW)
    assert journal.tick(NOW + 9_000) == []
    assert journal.tick(NOW + 11_000) == [only_thread().pk]
    assert overdue(journal) == ["c1"]
    assert models.Turn.objects.get().state == "hanging"
    assert [journal.tick(NOW + 12_000 + n) for n in range(5)] == [[]] * 5
    say(journal, handle, chunks(result("c1")), at=NOW + 20_000)
    assert overdue(journal) == []
    assert kinds(journal).count("TICK") == 1


def test_only_one_of_two_watches_leaves_a_mark(either: str, journal: Journal) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    say(journal, live(journal), chunks(run_started() + call("c1", "lookup")), at=NOW)
    other = Journal()
    assert [journal.tick(NOW + 11_000), other.tick(NOW + 11_000)].count([]) == 1
    assert kinds(journal).count("TICK") == 1


def test_new_settings_reach_open_runs_at_the_next_tick(journal: Journal) -> None:
    say(journal, live(journal), chunks(run_started()), at=NOW)
    assert journal.tick(NOW + 1_000) == []
    models.Channel.objects.update(settings=SETTINGS)
    assert journal.tick(NOW + 2_000) == [only_thread().pk]
    assert kinds(journal)[-1] == "SETTINGS"


def test_the_streams_of_a_process_that_died_are_lost(journal: Journal) -> None:
    say(journal, live(journal), chunks(run_started() + call_started("c1")), at=NOW)
    now = journal.leases._seen_at
    survivor = Journal()
    survivor.tick(now + leases.GONE - 1_000)
    assert models.Stream.objects.get().closed_why == ""
    survivor.tick(now + leases.GONE + leases.EVERY)
    assert models.Stream.objects.get().closed_why == "lost"
    assert "CLOSED" in kinds(survivor)


# ---------------------------------------------------------------- hostile text


def hostile(name: str) -> Sequence[Event]:
    """Every place that a column is made from, with this text in it."""
    return [
        *run_started(name, thread=name),
        *call(name, name, '{"k": "\\ud800"}'),
        *result(name, name),
        *event("TEXT_MESSAGE_START", messageId=name, role="user"),
        *event("NO_SUCH_TYPE", name=name),
        *event("RUN_ERROR", message=name, code=name),
    ]


@pytest.mark.parametrize(
    "name",
    ["\x00", "a\x00b" * 400, "\ud800", "x\udfff" * 300, "%s %(x)s {0} '; DROP TABLE", "\U0001f600" * 999],
    ids=["nul", "many nuls", "surrogate", "many surrogates", "formats", "wide"],
)
def test_hostile_names_are_stored_shown_and_exported_unharmed(
    either: str, journal: Journal, name: str
) -> None:
    sent = chunks(timed(hostile(name), start=NOW))
    handle = live(journal)
    say(journal, handle, sent)
    assert list(journal.raw(handle.id)) == sent
    row = models.Call.objects.get(call_key=digest(name))
    assert "\x00" not in row.call_id and row.call_id.encode()
    assert len(row.call_id) <= models.NAME
    before = rows()
    rebuild_all(journal)
    assert rows() == before


def test_a_name_of_ten_megabytes_is_kept_whole_and_shown_cut(either: str, journal: Journal) -> None:
    name = "n" * 10_000_000
    sent = chunks(run_started(thread=name) + call_started("c1", name))
    handle = live(journal)
    say(journal, handle, sent)
    assert list(journal.raw(handle.id)) == sent
    assert models.Call.objects.get().name == "n" * (models.NAME - 1) + "…"
    assert only_thread().name_key == digest(name)


def test_bytes_that_are_no_text_are_kept(journal: Journal) -> None:
    sent = [b"\xff\xfe\x00\x01\n", b"\x00" * 300 + b"\n", b"{" * 2000 + b"\n"]
    handle = live(journal)
    say(journal, handle, sent)
    assert list(journal.raw(handle.id)) == sent
    assert all(frame.kind < MARK for frame in frames(journal)[1:])
