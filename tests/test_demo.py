"""The demo: each stream shows what it is made for, and nothing in it is anybody's."""

from __future__ import annotations

import asyncio
import json
import re
from io import StringIO
from typing import Any

import pytest
from ag_ui.core import Event as OfficialEvent
from django.core.management import call_command
from pydantic import TypeAdapter

from turnscope import demo
from turnscope.core.events import Opened, SettingsInForce, Tick
from turnscope.core.ledger import ledger
from turnscope.core.picture import Intake, Picture, read_file
from turnscope.demo import SETTINGS, player
from turnscope.demo.scenes import SCENES, STREAMS
from turnscope.store.journal import Journal
from turnscope.store.models import Finding, Stream, Thread

OFFICIAL: TypeAdapter[Any] = TypeAdapter(OfficialEvent)

NAMES = sorted(SCENES)


def events_of(name: str) -> list[dict[str, Any]]:
    """The agent's own events: a host's evidence stands on lines of its own."""
    rows = [json.loads(line) for line in (STREAMS / f"{name}.jsonl").read_text().splitlines()]
    return [row for row in rows if "evidence" not in row]


def test_the_committed_streams_are_what_the_scripts_write():
    written = {f"{name}.jsonl": scene().lines() for name, scene in SCENES.items()}
    kept = {path.name: path.read_text() for path in STREAMS.iterdir()}
    assert kept == written


@pytest.mark.parametrize("name", NAMES)
def test_the_official_models_accept_every_event_of(name):
    for event in events_of(name):
        OFFICIAL.validate_python(event)


@pytest.mark.parametrize("name", NAMES)
def test_time_never_runs_backwards_in(name):
    stamps = [event["timestamp"] for event in events_of(name)]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize("topic", player.TOPICS, ids=lambda topic: topic.place)
def test_the_official_models_accept_every_event_that_is_played(topic):
    for event in player.conversation("live-1", topic).events:
        OFFICIAL.validate_python(event)


# stream -> (the root findings, what they explain), of error severity. Each stream was written for these.
MADE_FOR = {
    "desk-healthy": (set(), set()),
    "fleet-dropped-result": ({"C02"}, {"T02", "R05", "T01"}),
    "mail-28-started-26-answered": ({"C03"}, {"C02", "T01"}),
    "billing-approval-pending": (set(), set()),
    "notes-server-gone": ({"C13"}, {"C11", "R04", "T01"}),
    "warehouse-batch-one-failed": (set(), set()),
    "dashboard-torn-tab": ({"C04"}, {"T02", "R05", "R06", "T01"}),
    "translator-chunks": (set(), set()),
    "dashboard-late-result": ({"C06"}, {"R05", "T01"}),
    "report-run-error": ({"R05"}, {"T01"}),
}


def read(name: str):
    """The one thread of a stream, judged as the demo's channel judges it."""
    (thread,) = read_file((STREAMS / f"{name}.jsonl").read_bytes(), settings=SETTINGS, name=name).threads
    return thread.picture


@pytest.mark.parametrize("name", NAMES)
def test_each_stream_shows_what_it_is_made_for(name):
    errors = [finding for finding in read(name).findings if finding.severity == "error"]
    roots = {finding.code for finding in errors if not finding.because_of}
    explained = {finding.code for finding in errors if finding.because_of}
    assert (roots, explained) == MADE_FOR[name]


def test_the_mail_agent_has_28_calls_started_and_26_answered():
    thread = read("mail-28-started-26-answered").thread
    book = ledger(thread.calls)
    assert (book.started, book.answered) == (28, 26)
    assert {call.name: call.owner for call in thread.calls if call.state == "unanswered"} == {
        "fetch_thread": "server",
        "ToolSearch": "harness",
    }


def test_of_a_batch_of_five_one_failed_and_nothing_is_open():
    calls = read("warehouse-batch-one-failed").thread.calls
    assert sorted(call.state for call in calls if call.name == "count_pallets") == ["failed"] + ["ok"] * 4
    assert ledger(calls).open == 0


def test_an_approval_that_waits_is_a_persons_and_no_finding():
    picture = read("billing-approval-pending")
    waiting = [call for call in picture.thread.calls if call.state == "waiting"]
    assert [(call.name, call.owner) for call in waiting] == [("issue_refund", "person")]
    assert picture.findings == []


def test_the_repaired_stream_carries_the_result_that_the_host_captured():
    said = StringIO()
    call_command(
        "repair", str(STREAMS / "fleet-dropped-result.jsonl"), "--stream", "--target", "ag_ui", stdout=said
    )
    results = [
        event for line in said.getvalue().splitlines() if "RESULT" in (event := json.loads(line))["type"]
    ]
    assert [json.loads(event["content"]) for event in results] == [{"changed": 5, "unreachable": ["cr-2-04"]}]


@pytest.mark.django_db(transaction=True)
def test_loading_again_brings_nothing_new_and_a_reset_brings_all_of_it_anew():
    journal = Journal()
    assert demo.load(journal) == len(NAMES)
    first = set(Thread.objects.values_list("pk", flat=True))
    assert demo.load(journal) == 0
    assert set(Thread.objects.values_list("pk", flat=True)) == first
    assert demo.load(journal, reset=True) == len(NAMES)
    again = set(Thread.objects.values_list("pk", flat=True))
    assert len(again) == len(first) and not again & first


@pytest.mark.django_db(transaction=True)
def test_a_loaded_stream_has_the_findings_of_its_file():
    journal = Journal()
    demo.load(journal)
    for name in NAMES:
        stream = Stream.objects.get(name=f"{name}.jsonl")
        standing = Finding.objects.filter(thread=stream.thread, closed_seq=0)
        kept = sorted(standing.values_list("code", "subject", "occurrence", "severity"))
        told = sorted((f.code, f.subject, f.occurrence, f.severity) for f in read(name).findings)
        assert kept == told, name


ADDRESS = re.compile(
    r"[\w.+-]+@[\w-]+\.\w+|https?://|\bwww\.|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+\.(?:com|org|net|io|dev)\b"
)


def test_nothing_in_the_demo_is_an_address_of_anybody():
    played = "".join(player.conversation("live-1", topic).lines() for topic in player.TOPICS)
    kept = "".join(path.read_text() for path in sorted(STREAMS.iterdir()))
    assert ADDRESS.findall(played + kept) == []


def watched_live(topic: player.Topic) -> list[tuple[str, str]]:
    """(tool, what its card shows) whenever one changes, with a look at the clock once a second."""
    picture, intake, shown = Picture(), Intake("ag_ui"), []
    picture.add(1, 0, 1, [Opened("ag_ui", recording=False)])
    picture.add(2, 0, 1, [SettingsInForce(SETTINGS)])
    seq, clock = 2, 0

    def look() -> None:
        hanging = {finding.call for finding in picture.findings if finding.code == "C01"}
        for call in picture.thread.calls:
            card = (call.name, "hanging" if call.number in hanging else call.state)
            if card not in shown:
                shown.append(card)

    for event in player.conversation("live-1", topic).events:
        while clock + 1000 <= event["timestamp"]:
            clock += 1000
            if picture.due(clock):
                seq += 1
                picture.add(seq, clock, 0, [Tick()])
                look()
        seq += 1
        placed = intake.place(json.dumps(event).encode())
        picture.add(seq, event["timestamp"], 1, intake.read(placed, 1))
        look()
    assert picture.findings == [finding for finding in picture.findings if finding.severity == "info"]
    return shown


@pytest.mark.parametrize("topic", player.TOPICS, ids=lambda topic: topic.place)
def test_a_played_card_streams_runs_hangs_and_is_answered(topic):
    shown = watched_live(topic)
    assert [state for name, state in shown if name == "query_history"] == [
        "streaming",
        "running",
        "hanging",
        "ok",
    ]
    assert ("show_on_plan", "waiting") in shown and ("show_on_plan", "ok") in shown
    assert ("change_device", "waiting") in shown and ("change_device", "ok") in shown


async def test_the_player_sends_whole_conversations_and_stops(monkeypatch):
    slept: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr(player.asyncio, "sleep", sleep)
    sent: list[dict[str, Any]] = []

    async def send(text: str) -> None:
        sent.append(json.loads(text))

    await player.play(send, loops=2, speed=2.0)

    starts = [event for event in sent if event["type"] == "RUN_STARTED"]
    ends = [event for event in sent if event["type"] == "RUN_FINISHED"]
    assert len(starts) == len(ends) == 2 * 5
    assert len({event["threadId"] for event in starts}) == 2
    lasting = sum(player.conversation("live-1", topic).at for topic in player.TOPICS[:2]) / 1000
    assert sum(slept) == pytest.approx((lasting + player.PAUSE) / 2, rel=0.1)


async def test_what_the_players_door_raises_ends_the_playing():
    async def send(text: str) -> None:
        raise ConnectionError("the server is gone")

    with pytest.raises(ConnectionError):
        await player.play(send, speed=1000.0)
