"""Streams made to be expensive: thousands of threads in one, thousands of runs that stay open."""

from __future__ import annotations

import pytest

from tests.journals import NOW, chunks, kinds, live, rows, say
from tests.streams import Event, event
from turnscope.store import journal as journals
from turnscope.store import models, segments
from turnscope.store.journal import Journal

pytestmark = pytest.mark.django_db(transaction=True)


def opened(count: int) -> list[Event]:
    """As many threads, each with a run that is open."""
    return [one for n in range(count) for one in event("RUN_STARTED", threadId=f"t{n}", runId="r")]


def test_closing_a_stream_asks_ten_times_as_much_of_ten_times_the_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looking through all that is at hand for each thread once took ten minutes of ten thousand threads."""
    asked = 0
    real = segments.Sheet.__len__

    def counted(self: segments.Sheet) -> int:
        nonlocal asked
        asked += 1
        return real(self)

    def closing(threads: int) -> int:
        nonlocal asked
        journal = Journal(room=1)  # nothing fits: every thread is read anew
        handle = live(journal, key=f"s{threads}", channel=f"c{threads}")
        say(journal, handle, chunks(opened(threads)))
        asked = 0
        journal.close_stream(handle, "left")
        return asked

    monkeypatch.setattr(segments.Sheet, "__len__", counted)
    few, many = closing(40), closing(400)
    assert many < 15 * few


def test_a_stream_of_many_threads_is_closed_in_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "TOGETHER", 4)
    journal = Journal()
    handle = live(journal)
    say(journal, handle, chunks(opened(10)))
    journal.close_stream(handle, "left")
    for thread in models.Thread.objects.all():
        assert kinds(journal, thread.pk)[-1] == "CLOSED"
    assert models.Stream.objects.get().closed_why == "left"


def test_a_thread_in_use_stays_at_hand_where_there_is_no_room() -> None:
    """It is evicted by what is read for the same batch, were it not in use: its frames would be lost."""
    journal = Journal(room=1)
    handle = live(journal)
    say(journal, handle, chunks(opened(50)))
    again = [
        {"threadId": f"t{n}", "event": event("RUN_FINISHED", threadId=f"t{n}", runId="r")[0]}
        for n in range(50)
    ]
    say(journal, handle, chunks(again))
    assert {(row.last_seq, row.live) for row in models.Thread.objects.all()} == {(3, False)}
    before = rows()
    for thread in models.Thread.objects.all():
        journal.rebuild(thread.pk)
    assert rows() == before


def test_a_look_at_the_clock_reads_few_threads_and_all_have_their_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journals, "READ", 3)
    journal = Journal(room=1)
    say(journal, live(journal), chunks(opened(10)))
    journal.desk.drop(list(journal.desk._threads.values()))
    late, looks = NOW + 3_600_000, []
    for second in range(8):
        looks.append(len(journal.tick(late + 1_000 * second)))
    assert max(looks) <= 4  # one that was read for the last look may still be at hand
    assert sum(looks) == 10
    assert all(kinds(journal, thread.pk)[-1] == "TICK" for thread in models.Thread.objects.all())
