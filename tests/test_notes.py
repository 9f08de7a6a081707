"""Habits of a channel's producer, told once on the channel; and what a person has muted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from tests.journals import recorded
from tests.streams import (
    Event,
    call,
    event,
    failed,
    finished,
    ndjson,
    run_started,
    run_with_input,
    text,
    user,
)
from tests.streams import assistant as held
from turnscope.store.journal import Journal
from turnscope.store.models import Channel, Finding, Thread, Turn
from turnscope.store.notes import Note, chosen, fingerprint, muted, notes
from turnscope.web.patches import thread_patch

pytestmark = pytest.mark.django_db(transaction=True)

WHY = {"reason": "Known, and being mended.", "date": "2026-11-30"}


@pytest.fixture
def journal() -> Journal:
    return Journal()


def run(n: int, *, other: bool = True, thread: str = "") -> list[Event]:
    """A whole run that ends under another id, or under its own."""
    thread = thread or f"thread-{n}"
    frames = run_started(f"run-{n}", thread) + text(f"Answer {n}.", f"m{n}")
    return frames + finished(f"inner-{n}" if other else f"run-{n}", thread)


def told(journal: Journal, *runs: list[Event]) -> list[Note]:
    for number, frames in enumerate(runs):
        recorded(journal, ndjson(frames), name=f"run-{number}.jsonl")
    return notes(Channel.objects.get().pk)


def test_what_three_of_the_last_runs_show_is_one_note(journal: Journal) -> None:
    (note,) = told(journal, *(run(n, other=n % 2 == 0) for n in range(6)))
    assert (note.code, note.severity, note.runs, note.of) == ("R09", "warning", 3, 6)
    assert note.text.startswith("3 of the last 6 runs, most recently: Run run-4 was ended under another id")
    assert note.fingerprint == fingerprint(Finding.objects.get(pk=note.finding))


def test_what_every_run_shows_says_so(journal: Journal) -> None:
    (note,) = told(journal, *(run(n) for n in range(4)))
    assert note.text.startswith("All of the last 4 runs")


def test_twice_is_no_habit(journal: Journal) -> None:
    assert told(journal, *(run(n, other=n < 2) for n in range(6))) == []


def test_only_the_last_ten_runs_count(journal: Journal) -> None:
    assert told(journal, *(run(n, other=n < 3) for n in range(13))) == []


def test_runs_of_one_thread_count_each(journal: Journal) -> None:
    (note,) = told(journal, [one for n in range(3) for one in run(n, thread="thread-1")])
    assert (note.code, note.runs) == ("R09", 3)


def test_one_run_that_does_it_often_is_one_run(journal: Journal) -> None:
    strange = [one for _ in range(5) for one in event("SEAT_MAP_SHOWN")]
    first = run_started() + strange + text() + finished()
    assert told(journal, first, *(run(n, other=False) for n in range(4))) == []


def test_a_private_event_of_every_run_is_a_note_by_its_type(journal: Journal) -> None:
    runs = [
        run_started(f"r{n}", f"t{n}") + event("SEAT_MAP_SHOWN") + text() + finished(f"r{n}", f"t{n}")
        for n in range(3)
    ]
    (note,) = told(journal, *runs, run_started("r9", "t9") + event("OTHER") + text() + finished("r9", "t9"))
    assert (note.code, note.runs, note.of) == ("S02", 3, 4)
    assert "SEAT_MAP_SHOWN" in note.text


@pytest.mark.parametrize(
    "broken",
    [
        call("c1", "lookup") + text("Well.", "m2") + finished(),
        failed("It broke."),
        finished(),
    ],
    ids=["C02", "R05", "R04"],
)
def test_what_is_news_every_time_is_no_habit(journal: Journal, broken: list[Event]) -> None:
    runs = [
        run_started("run-1", f"t{n}") + [{**one, "threadId": f"t{n}"} for one in broken] for n in range(4)
    ]
    assert told(journal, *runs) == []
    assert Finding.objects.count() == 4


def test_a_channel_without_runs_has_no_notes(journal: Journal) -> None:
    journal.open_stream("acme", key="s", create=True)
    assert notes(Channel.objects.get().pk) == []


# ---------------------------------------------------------------- muted


def test_a_mute_covers_a_tool_whatever_the_call_id(journal: Journal) -> None:
    frames = run_started() + call("c1", "lookup") + call("c2", "save") + text("Well.", "m2") + finished()
    recorded(journal, ndjson(frames))
    assert muted({}, Finding.objects.all()) == {}
    rows = {row.subject: row.pk for row in Finding.objects.all()}
    found = muted({"mutes": [{"code": "C02", "subject": "look*", **WHY}]}, Finding.objects.all())
    assert list(found) == [rows["c1"]] and found[rows["c1"]].reason == WHY["reason"]


def test_a_mute_covers_what_is_about_a_run(journal: Journal) -> None:
    recorded(journal, ndjson(run(1)))
    settings = {"mutes": [{"code": "R09", "subject": "run-*", **WHY}]}
    assert len(muted(settings, Finding.objects.all())) == 1


def test_a_severity_is_the_channels_own(journal: Journal) -> None:
    recorded(journal, ndjson(run(1)))
    row = Finding.objects.get()
    assert chosen({}, [row]) == {}
    assert chosen({"severities": {"R09": "info"}}, [row]) == {row.pk: ("info", "")}


def test_settings_of_another_shape_choose_nothing(journal: Journal) -> None:
    recorded(journal, ndjson(run_with_input(user()) + text() + finished("graph-7")))
    rows = list(Finding.objects.all())
    assert rows and chosen({"mutes": "all", "severities": 7}, rows) == {}


def test_the_channels_page_and_its_twin_tell_the_notes(journal: Journal, client: Client) -> None:
    (note,) = told(journal, *(run(n) for n in range(3)))
    page = client.get("/channels/acme/").content.decode()
    assert "Habits of this producer" in page and "All of the last 3 runs" in page
    (row,) = client.get("/channels/acme.json").json()["notes"]
    assert (row["code"], row["runs"], row["of"], row["finding"]) == ("R09", 3, 3, note.finding)


def test_a_runs_own_page_shows_a_habit_greyed_and_outside_its_badge(journal: Journal, client: Client) -> None:
    told(journal, *(run(n) for n in range(3)))
    turn = Turn.objects.latest("pk").pk
    page = client.get(f"/turns/{turn}/").content.decode()
    assert "A habit, and not counted" in page and "3 of the last 3 runs of its channel" in page
    assert 'class="n sev-warning"' not in page
    (finding,) = client.get(f"/turns/{turn}.json").json()["findings"]
    assert (finding["code"], finding["habit"]) == ("R09", True)


def test_what_is_no_habit_yet_counts_on_its_page(journal: Journal, client: Client) -> None:
    told(journal, run(1), run(2))
    page = client.get(f"/turns/{Turn.objects.latest('pk').pk}/").content.decode()
    assert "A habit" not in page and 'class="n sev-warning"' in page


def test_a_channel_without_habits_says_nothing_of_them(journal: Journal, client: Client) -> None:
    assert told(journal, run(1, other=False)) == []
    assert "Habits" not in client.get("/channels/acme/").content.decode()


def muted_turn(client: Client, **settings: object) -> dict[str, Any]:
    channel = Channel.objects.get()
    channel.settings = settings
    channel.save()
    turn: dict[str, Any] = client.get(f"/turns/{Turn.objects.get().pk}.json").json()
    return turn


def test_a_muted_finding_is_shown_with_its_reason_and_not_counted(journal: Journal, client: Client) -> None:
    recorded(journal, ndjson(run(1)))
    before = muted_turn(client)
    assert [group["worst"] for group in before["groups"]] == ["warning"]
    after = muted_turn(client, mutes=[{"code": "R09", **WHY}])
    (group,) = after["groups"]
    assert (group["worst"], group["muted"]) == ("", "Known, and being mended. (2026-11-30)")
    page = client.get(f"/turns/{Turn.objects.get().pk}/").content.decode()
    assert "Muted here, and not counted" in page and 'class="n sev-warning"' not in page


def test_the_page_takes_a_severity_as_the_channel_does(journal: Journal, client: Client) -> None:
    recorded(journal, ndjson(run(1)))
    (group,) = muted_turn(client, severities={"R09": "error"})["groups"]
    assert (group["severity"], group["worst"], group["icon"]) == ("error", "error", "octagon-x")


def test_a_tail_is_told_the_same(journal: Journal, client: Client) -> None:
    recorded(journal, ndjson(run(1)))
    muted_turn(client, mutes=[{"code": "R09", **WHY}])
    patch = thread_patch(Thread.objects.get().pk, 0)
    assert patch is not None
    (shown,) = json.loads(patch.text)["findings"].values()
    assert shown["muted"].startswith("Known")


# ---------------------------------------------------------------- what lists count

MUTED = {"mutes": [{"code": "C02", "subject": "lookup", **WHY}]}
CONTRADICTED = run_started() + call("c1", "lookup") + text("Well.", "m2") + finished("inner")


def listed(journal: Journal, settings: dict[str, Any]) -> tuple[Turn, list[str]]:
    """The turn's row, and the codes that lists count, of a channel with these settings."""
    journal.open_stream("acme", key="first", create=True)
    Channel.objects.update(settings=settings)
    recorded(journal, ndjson(CONTRADICTED))
    return Turn.objects.get(), heads()


def heads() -> list[str]:
    return list(Finding.objects.filter(heads=True).order_by("code").values_list("code", flat=True))


def test_the_row_of_a_turn_counts_as_the_channel_counts(journal: Journal) -> None:
    turn, codes = listed(journal, {})
    assert (turn.errors, turn.warnings, turn.severity, codes) == (1, 1, "error", ["C02", "R09"])
    assert turn.headline.startswith("Unanswered: lookup was never answered")


def test_what_is_muted_is_in_no_row_of_a_list(journal: Journal) -> None:
    turn, codes = listed(journal, MUTED)
    assert (turn.errors, turn.warnings, turn.severity, codes) == (0, 1, "warning", ["R09"])
    assert turn.headline.startswith("Unanswered: Run run-1 was ended under another id")
    assert Finding.objects.get(code="C02").muted == "Known, and being mended. (2026-11-30)"


def test_a_severity_of_the_channels_own_is_the_rows(journal: Journal) -> None:
    turn, _ = listed(journal, {"severities": {"R09": {"severity": "error", **WHY}, "C02": "info"}})
    assert (turn.errors, turn.warnings, turn.severity) == (1, 0, "error")
    assert Finding.objects.get(code="R09").severity == "error"
    assert turn.headline.startswith("Unanswered: Run run-1 was ended under another id")


def test_the_effect_of_a_muted_cause_is_news_by_itself(journal: Journal) -> None:
    frames = run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"))
    frames += failed("Tool result is missing for tool call c1.")
    journal.open_stream("acme", key="first", create=True)
    Channel.objects.update(settings={"mutes": [{"code": "T02", **WHY}]})
    recorded(journal, ndjson(frames))
    turn = Turn.objects.get()
    assert heads() == ["R05"]
    assert (turn.errors, turn.severity) == (1, "error")
    assert turn.headline.startswith("Failed: Run run-1 failed: Tool result is missing")


def test_a_choice_reaches_threads_at_rest_with_a_mark_and_a_rebuild_repeats_it(journal: Journal) -> None:
    listed(journal, {})
    before = Thread.objects.get()
    Channel.objects.update(settings=MUTED)
    assert journal.tick(0) == [before.pk]
    turn, after = Turn.objects.get(), Thread.objects.get()
    assert (turn.errors, heads(), after.last_seq, after.last_at) == (
        0, ["R09"], before.last_seq + 1, before.last_at,
    )  # fmt: skip
    assert journal.tick(0) == []
    rows = list(Finding.objects.order_by("pk").values()), list(Turn.objects.values())
    journal.rebuild(after.pk)
    assert (list(Finding.objects.order_by("pk").values()), list(Turn.objects.values())) == rows

    Channel.objects.update(settings={})
    journal.tick(0)
    assert (Turn.objects.get().errors, heads()) == (1, ["C02", "R09"])
