"""The pages as the server draws them, over the stories: what a person must see before any script runs."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from tests.journals import NOW
from tests.streams import (
    call,
    failed,
    finished,
    ndjson,
    result,
    run_started,
    run_with_input,
    text,
    timed,
    user,
)
from turnscope.core.framing import split
from turnscope.store import models
from turnscope.store.journal import Incoming, Journal
from turnscope.web.words import cause

STORIES = Path(__file__).parent / "corpus" / "stories"
EXPECTED = json.loads((STORIES / "expected.json").read_text())

pytestmark = pytest.mark.django_db


def take_in(
    data: bytes, channel: str = "acme", settings: dict[str, Any] | None = None, name: str = "run.jsonl"
) -> None:
    journal = Journal()
    if settings:
        models.Channel.objects.create(slug=channel, settings=settings)
    handle = journal.open_stream(channel, recording=True, name=name, create=True)
    journal.append(handle, [Incoming(raw, NOW, None) for raw in split(data)])
    journal.close_stream(handle, "end")


def story(name: str) -> models.Turn:
    """Take a story in; its last turn."""
    path = next(STORIES.glob(f"{name}-*.jsonl"))
    take_in(path.read_bytes(), settings=EXPECTED[path.name].get("settings"))
    return models.Turn.objects.order_by("pk").last()


def of(events: list[dict[str, Any]]) -> models.Turn:
    take_in(ndjson(timed(events)))
    return models.Turn.objects.order_by("pk").last()


def page(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return answer.content.decode()


def turn_page(client: Client, turn: models.Turn, query: str = "") -> str:
    return page(client, f"/turns/{turn.pk}/{query}")


def words(text: str) -> str:
    """The page's text without its markup, spaces made one."""
    text = re.sub(r"<script.*?</script>|<!--.*?-->", " ", text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def tags(text: str) -> list[tuple[str, dict[str, str | None]]]:
    found: list[tuple[str, dict[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))  # type: ignore[method-assign]
    parser.feed(text)
    return found


def cards(text: str) -> list[dict[str, str]]:
    return [
        dict(re.findall(r'data-(\w+)="([^"]*)"', tag))
        for tag in re.findall(r"<article class=\"card[^>]*>", text)
    ]


# ---------------------------------------------------------------- the stories on their page


def test_28_started_and_26_answered_are_on_the_page(client: Client):
    text = turn_page(client, story("2a"))
    assert {"28 started", "28 ended", "26 answered", "2 open"} <= set(re.findall(r"\d+ \w+", words(text)))
    assert [c["owner"] for c in cards(text)[:2]] == ["harness", "server"]
    assert "nobody will answer" in words(text)


def test_the_cause_is_told_and_its_consequence_folds_under_it(client: Client):
    text = turn_page(client, story("2a"))
    assert re.findall(r'data-finding="(\w+)"', text) == ["C03"]
    assert "explained by C03" in words(text)
    assert 'href="/rules/C03/"' in text


def test_the_dropped_server_result_is_told_from_calls_that_wait(client: Client):
    shown = {c["call"]: (c["state"], c["owner"]) for c in cards(turn_page(client, story("1a")))}
    assert sorted(shown.values()) == [("unanswered", "server"), ("waiting", "client"), ("waiting", "client")]


def test_cards_stand_worst_first(client: Client):
    states = [c["state"] for c in cards(turn_page(client, story("2a")))]
    assert states == ["unanswered"] * 2 + ["ok"] * 26


@pytest.mark.parametrize("name", sorted(path.name.split("-")[0] for path in STORIES.glob("*.jsonl")))
def test_every_story_has_a_page_and_its_twin(client: Client, name: str):
    story(name)
    for turn in models.Turn.objects.all():
        text = turn_page(client, turn)
        twin = json.loads(page(client, f"/turns/{turn.pk}.json"))
        assert (
            len(cards(text))
            == len(twin["calls"])
            == models.Call.objects.filter(thread=turn.thread, turn=turn.number).count()
        )
        assert words(cause(turn.headline)) in words(text)
        assert set(re.findall(r'data-finding="(\w+)"', text)) == {g["code"] for g in twin["groups"]}
        again = json.loads(page(client, f"/turns/{turn.pk}/repaired.json"))
        assert again["diff"] is not None and again["target"]


@pytest.mark.parametrize(
    ("name", "word", "first"),
    [("1a", "Unanswered", ""), ("1c", "Waiting", "Finished"), ("2b", "Ended early", ""),
     ("3a", "Stopped silently", "")],
)  # fmt: skip
def test_a_list_the_page_and_the_headline_use_one_word(client: Client, name: str, word: str, first: str):
    """But for a turn that waits: its state says so, its sentence how the last run ended."""
    turn = story(name)
    twin = json.loads(page(client, f"/turns/{turn.pk}.json"))
    assert twin["turn"]["outcome"]["word"] == word
    assert re.match(rf"{first or word}[:;] ", twin["headline"]["text"])
    assert twin["headline"]["text"] in words(turn_page(client, turn))
    listed = page(client, "/channels/acme/")
    assert re.findall(r'<span class="word[^>]*>(?:<svg.*?</svg>)?([^<]*)</span>', listed)[0] == word


def test_a_healthy_turn_says_that_nothing_is_wrong(client: Client):
    events = run_with_input(user()) + call() + result() + text() + finished()
    shown = words(turn_page(client, of(events)))
    assert "No findings." in shown and "Finished" in shown


def test_a_turn_without_calls_says_so(client: Client):
    assert "No tool calls in this turn." in words(turn_page(client, of(run_started() + text() + finished())))


def test_a_failed_run_cuts_its_open_call_off(client: Client):
    text_ = turn_page(client, of(run_started() + call() + failed()))
    assert cards(text_)[0]["state"] == "aborted" and "Failed" in words(text_)


# ---------------------------------------------------------------- the event list


def test_a_link_to_an_event_shows_it_selected_without_scripts(client: Client):
    text_ = turn_page(client, story("2a"), "?event=100")
    assert re.search(r'id="e100" aria-selected="true"', text_)
    assert len(re.findall(r'aria-selected="true" data-seq', text_)) == 1


def test_the_list_goes_on_in_both_directions_without_scripts(client: Client):
    turn = story("2a")
    rows = [int(n) for n in re.findall(r'id="e(\d+)"', turn_page(client, turn, "?event=80"))]
    assert rows == list(range(72, 132))
    text_ = turn_page(client, turn, "?event=80")
    assert "?before=72" in text_ and "?after=131" in text_
    later = [int(n) for n in re.findall(r'id="e(\d+)"', turn_page(client, turn, "?after=131"))]
    assert later == list(range(132, turn.last_seq + 1))
    earlier = [int(n) for n in re.findall(r'id="e(\d+)"', turn_page(client, turn, "?before=72"))]
    assert earlier == list(range(12, 72))


def test_rows_are_given_by_page_kind_and_text(client: Client):
    turn = story("2a")
    base = f"/turns/{turn.pk}/events.json"
    found = json.loads(page(client, f"{base}?after=100&limit=5"))
    assert [row["seq"] for row in found["rows"]] == [101, 102, 103, 104, 105] and found["more"]
    starts = json.loads(page(client, f"{base}?seqs=1&kind=TOOL_CALL_START"))["seqs"]
    assert len(starts) == 28
    runs = json.loads(page(client, f"{base}?kind=runs"))["rows"]
    assert {row["kind"] for row in runs} == {"RUN_STARTED", "RUN_FINISHED"}
    words_ = json.loads(page(client, f'{base}?q="found 25"'))["rows"]
    assert [row["kind"] for row in words_] == ["TOOL_CALL_RESULT"]
    ends = json.loads(page(client, f"{base}?q=type:TOOL_CALL_END status:answered&limit=512"))["rows"]
    assert ({row["kind"] for row in ends}, len(ends)) == ({"TOOL_CALL_END"}, 26)
    later = json.loads(page(client, f"{base}?q=type:TOOL_CALL_END&before={ends[3]['seq']}&limit=2"))["rows"]
    assert [row["seq"] for row in later] == [ends[1]["seq"], ends[2]["seq"]]
    assert json.loads(page(client, f'{base}?seqs=1&q="found 25"'))["seqs"] == [row["seq"] for row in words_]


def test_one_event_is_given_whole_and_its_bytes_as_an_attachment(client: Client):
    turn = story("2a")
    frame = json.loads(page(client, f"/turns/{turn.pk}/events/{turn.first_seq}/"))
    assert json.loads(frame["text"])["type"] == "RUN_STARTED" and frame["pretty"].count("\n") > 5
    raw = client.get(f"/turns/{turn.pk}/events/{turn.first_seq}/?raw=1")
    assert raw["Content-Disposition"].startswith("attachment") and raw["Content-Type"].startswith(
        "text/plain"
    )
    assert json.loads(raw.content) == json.loads(frame["text"])
    page(client, f"/turns/{turn.pk}/events/99999/", 404)


# ---------------------------------------------------------------- hostile text

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202egpj.exe\u200b{{ 7*7 }}"


@pytest.fixture
def hostile(client: Client) -> models.Turn:
    events = run_with_input(user(EVIL, id=EVIL), run=EVIL, thread=EVIL, tools=[EVIL])
    events += (
        call(EVIL, EVIL, {"q": EVIL}) + result(EVIL, EVIL) + call("c2" + EVIL, EVIL, EVIL) + text(EVIL, EVIL)
    )
    events += failed(EVIL, code=EVIL)
    return of(events)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/channels/",
        "/channels/acme/",
        "/threads/{thread}/",
        "/turns/{turn}/",
        "/turns/{turn}/?tab=transcript",
        "/turns/{turn}/?panel=event&event=3",
        "/turns/{turn}/?panel=raw&event=3",
        "/turns/{turn}/events/?event=3",
        "/turns/{turn}/calls/1/",
        "/turns/{turn}/diff/",
        "/turns/{turn}/export/",
        "/turns/{turn}/export/?target=anthropic",
        "/findings/?all=1",
        "/find/?q={evil}",
    ],
)
def test_what_an_agent_emitted_is_never_markup(client: Client, hostile: models.Turn, path: str):
    text_ = page(client, path.format(turn=hostile.pk, thread=hostile.thread_id, evil=quote("x " + EVIL)))
    assert "<script>alert" not in text_ and "<img" not in text_
    # Raw on purpose: what is copied, what is typed again, and the id that people's own tests look up.
    raw = r'<script.*?</script>|<textarea.*?</textarea>| (?:value|data-call)="[^"]*"'
    assert not re.search(r"[\u202e\u200b]", re.sub(raw, "", text_, flags=re.S))


def test_hidden_characters_are_chips_on_the_page(client: Client, hostile: models.Turn):
    text_ = turn_page(client, hostile)
    assert 'title="RIGHT-TO-LEFT OVERRIDE"' in text_ and "U+200B" in text_


def test_pages_hold_no_inline_script_or_style(client: Client, hostile: models.Turn):
    for path in (
        "/",
        "/channels/acme/",
        f"/turns/{hostile.pk}/",
        f"/turns/{hostile.pk}/export/",
        "/rules/C01/",
    ):
        text_ = page(client, path)
        for tag, attributes in tags(text_):
            assert not [name for name in attributes if name == "style" or name.startswith("on")]
            assert tag != "style"
            if tag == "script":
                assert "src" in attributes or attributes["type"] == "application/json"


# ---------------------------------------------------------------- lists


def test_an_empty_overview_says_what_to_do(client: Client):
    text_ = words(page(client, "/"))
    assert "Nothing has arrived yet" in text_ and "Connect an agent" in text_


def test_an_empty_channel_teaches_how_to_send_to_it(client: Client):
    models.Channel.objects.create(slug="acme")
    text_ = page(client, "/channels/acme/")
    assert "curl --data-binary @run.jsonl http://testserver/api/channels/acme/frames" in html.unescape(text_)
    assert "ws://testserver/ws/ingest/acme/" in text_ and "<ts-channel" in text_


def test_a_channel_lists_its_turns_newest_first_with_what_is_wrong(client: Client):
    story("4a")
    text_ = page(client, "/channels/acme/")
    shown = re.findall(r'data-turn="(\d+)" data-state="(\w+)"', text_)
    assert [int(pk) for pk, _ in shown] == sorted((int(pk) for pk, _ in shown), reverse=True)
    assert [state for _, state in shown] == ["failed", "failed", "failed", "finished"]
    assert "1 started · 0 answered" in words(text_)


@pytest.mark.parametrize(
    ("query", "many"), [("?status=errors", 4), ("?status=live", 0), ("?q=nobody+says+this", 0)]
)
def test_a_channel_is_filtered(client: Client, query: str, many: int):
    story("4a")
    assert page(client, f"/channels/acme/{query}").count("data-turn=") == many


def test_a_thread_lists_its_turns_in_order(client: Client):
    turn = story("4a")
    assert [t["number"] for t in json.loads(page(client, f"/threads/{turn.thread_id}.json"))["turns"]] == [
        1,
        2,
        3,
        4,
    ]
    assert page(client, f"/threads/{turn.thread_id}/").count("data-turn=") == 4


def test_neighbouring_turns_are_linked(client: Client):
    story("4a")
    first, second, third, _ = models.Turn.objects.order_by("number")
    text_ = turn_page(client, second)
    assert (
        f'href="/turns/{first.pk}/" rel="prev"' in text_ and f'href="/turns/{third.pk}/" rel="next"' in text_
    )


def test_findings_over_all_threads_count_causes(client: Client):
    story("2a")
    assert page(client, "/findings/").count('class="frow') == 1
    assert page(client, "/findings/?all=1").count('class="frow') == 2
    assert page(client, "/findings/?all=1&code=c02").count('class="frow') == 1
