"""Lists and what is beside them: the filter over turns and findings, threads, two runs compared, patterns."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.streams import call, failed, finished, ndjson, result, run_started, run_with_input, timed, user
from tests.test_pages import STORIES, of, page, story, tags, take_in, words
from turnscope.store import choices, models
from turnscope.web import comparepage, filters, lists, mini, pages
from turnscope.web.words import IMPORTS, STATES

pytestmark = pytest.mark.django_db


def listed(client: Client, query: str, channel: str = "acme", **more: str) -> list[str]:
    answer = client.get(f"/channels/{channel}.json", {"q": query, **more})
    return [turn["thread_name"] for turn in answer.json()["turns"]]


@pytest.fixture
def three(client: Client) -> None:
    """Three turns: one answered, one failed, one with a call that nobody will answer."""
    answered = (
        run_started("r-ok", "t-ok") + call("c1", "slack_send") + result("c1", "ok") + finished("r-ok", "t-ok")
    )
    broken = run_started("r-bad", "t-bad") + call("c2", "search") + failed()
    left = run_started("r-left", "t-left") + call("c3", "slack_read") + finished("r-left", "t-left")
    for events in (answered, broken, left):
        take_in(ndjson(timed(events)), name=events[0]["threadId"])


# ---------------------------------------------------------------- the filter over turns


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"t-ok", "t-bad", "t-left"}),
        ("tool:slack*", {"t-ok", "t-left"}), ("tool:SLACK_send", {"t-ok"}), ("-tool:slack*", {"t-bad"}),
        ("tool:search,slack_read", {"t-bad", "t-left"}), ("status:failed", {"t-bad"}),
        ("status:answered", {"t-ok"}), ("run:r-b*", {"t-bad"}), ("thread:*ok", {"t-ok"}),
        ("tool:slack* -status:answered", {"t-left"}), ("dur:>1h", set()), ("channel:other", set()),
        ("t-left", {"t-left"}), ("tool:sl_ck*", set()), ("tool:%", set()),
        ("after:2001-01-01", {"t-ok", "t-bad", "t-left"}),
        ("before:2001-01-01", set()),
    ],
)  # fmt: skip
def test_a_channel_is_filtered_by_the_language(client: Client, three: None, query: str, names: set[str]):
    assert set(listed(client, query)) == names


def test_what_a_rule_says_of_a_turn_finds_it(client: Client):
    story("2a")
    slug = models.Channel.objects.get().slug
    assert len(listed(client, "rule:C03", slug)) == 1
    assert listed(client, "rule:C07", slug) == []


def test_letters_that_databases_fold_each_in_their_own_way_are_found(client: Client):
    of(run_started() + call("c1", "STRASSE_Ärger") + result("c1", "ok") + finished())
    assert len(listed(client, "tool:straße_ärger")) == 1
    assert len(listed(client, "tool:*ÄRGER")) == 1


def test_what_is_not_understood_is_told_and_the_rest_holds(client: Client, three: None):
    text = page(client, "/channels/acme/?q=tool:search+nope:x")
    assert "There is no “nope:”" in words(text)
    assert len(re.findall(r'<article class="trow', text)) == 1
    assert 'href="?q=nope%3Ax&amp;status="' in text  # the chip takes its term out


def test_pages_of_a_filtered_list_hold_every_row_once(client: Client, monkeypatch: pytest.MonkeyPatch):
    for number in range(7):
        take_in(ndjson(run_started("r", f"t-{number}") + finished("r", f"t-{number}")), name=str(number))
    monkeypatch.setattr(lists, "PIECE", 2)
    rows = models.Turn.objects.select_related("thread__channel").order_by("-pk")
    query = filters.parse("thread:t-*", filters.TURNS)
    seen: list[str] = []
    before = 0
    while True:
        found = lists.turns(rows, query, before=before, limit=3, now=0)
        seen += [row.thread.name for row in found.rows]
        before = found.more
        if not before:
            break
    assert seen == [f"t-{number}" for number in range(6, -1, -1)]


def test_a_filter_that_fits_nothing_stops_and_says_where_it_would_go_on(monkeypatch: pytest.MonkeyPatch):
    for number in range(6):
        take_in(ndjson(run_started("r", f"t-{number}") + finished("r", f"t-{number}")), name=str(number))
    monkeypatch.setattr(lists, "PIECE", 2)
    monkeypatch.setattr(lists, "LOOKED", 4)
    rows = models.Turn.objects.select_related("thread__channel").order_by("-pk")
    found = lists.turns(rows, filters.parse("-thread:t-*", filters.TURNS), limit=3, now=0)
    assert (found.rows, found.cut) == ([], True)
    assert found.more == models.Turn.objects.order_by("-pk")[3].pk


# ---------------------------------------------------------------- the findings inbox


def inbox(client: Client, **query: str) -> list[str]:
    return [one["code"] for one in client.get("/findings.json", query).json()["findings"]]


def test_findings_are_filtered_by_the_language(client: Client):
    story("2a")
    assert inbox(client, q="rule:C03") == ["C03"]
    assert inbox(client, q="tool:ToolSearch") == ["C03"]
    assert inbox(client, q="tool:nothing*") == []
    assert inbox(client, q="culprit:adapter severity:error") == ["C03"]
    assert inbox(client, q="-rule:C03") == []
    assert len(inbox(client, show="all")) > 1
    assert inbox(client, code="C03", all="1") == ["C03"]  # as older links say it


def test_what_is_muted_is_gone_from_the_inbox_at_once_and_stands_among_the_muted(client: Client):
    story("2a")
    row = models.Finding.objects.get(code="C03")
    choices.mute(models.Channel.objects.get().pk, "C03", row.subject, "known", "2026-11-30")
    assert inbox(client) == []


def test_a_mute_button_says_of_which_channel_and_asks_for_a_reason(client: Client):
    story("2a")
    form = next(
        one
        for name, one in tags(page(client, "/findings/"))
        if name == "form" and "mute" in str(one.get("action"))
    )
    assert form["method"] == "post"
    fields = [
        one
        for name, one in tags(page(client, "/findings/"))
        if name == "input" and one.get("name") == "reason"
    ]
    assert "required" in fields[0]


# ---------------------------------------------------------------- threads, twins


def test_threads_are_listed_with_how_they_ended(client: Client, three: None):
    text = page(client, "/threads/")
    assert {"Failed", "Finished"} <= set(re.findall(r'class="word s-\w+">.*?</svg>([^<]+)<', text))
    twin = json.loads(page(client, "/threads.json?channel=acme&q=left"))
    assert [row["name"] for row in twin["threads"]] == ["t-left"]


def test_a_thread_shows_each_turn_in_miniature(client: Client):
    turn = story("2a")
    twin = json.loads(page(client, f"/threads/{turn.thread_id}.json"))
    [row] = [one for one in twin["turns"] if one["id"] == turn.pk]
    assert len(row["mini"]["bars"]) == 28
    assert '<svg class="fall g"' in page(client, f"/threads/{turn.thread_id}/")


def test_bars_of_a_miniature_lie_beside_each_other_only_where_they_overlap():
    def one(start: int, end: int, look: str = "ok") -> dict[str, Any]:
        return {"start_at": start, "closed_at": end, "answer_at": 0, "look": look}

    drawn = mini.mini([one(100, 140), one(150, 190), one(160, 170), one(195, 0, "running")], 100, 200)
    assert [bar["y"] for bar in drawn["bars"]] == [0, 0, 5, 0]
    assert drawn["bars"][3]["w"] == "5%"
    assert mini.mini([one(0, 0)], 5, 5)["bars"] == []


def test_who_asks_a_twin_again_is_answered_in_a_few_bytes_until_something_changes(
    client: Client, three: None
):
    first = client.get("/channels/acme.json")
    again = client.get("/channels/acme.json", HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    of(run_started("r", "t-new") + finished("r", "t-new"))
    assert client.get("/channels/acme.json", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 200


# ---------------------------------------------------------------- two runs


def compared(client: Client, a: list[Any], b: list[Any]) -> dict[str, Any]:
    of(run_started("r-a", "t-a") + a + finished("r-a", "t-a"))
    of(run_started("r-b", "t-b") + b + finished("r-b", "t-b"))
    runs = list(models.Run.objects.order_by("pk").values_list("pk", flat=True))
    return json.loads(page(client, f"/compare.json?a={runs[0]}&b={runs[1]}"))


def test_runs_are_aligned_by_tool_and_part_at_the_first_difference(client: Client):
    a = call("1", "look_up") + result("1", "x") + call("2", "pay") + result("2", "ok")
    b = call("3", "look_up") + result("3", "x") + call("4", "check") + result("4", "y") + call("5", "pay")
    twin = compared(client, a, b)
    told = [(row["a"] and row["a"]["name"], row["b"] and row["b"]["name"]) for row in twin["rows"]]
    assert told == [("look_up", "look_up"), (None, "check"), ("pay", "pay")]
    assert twin["parts"] == 2
    assert twin["rows"][0]["differs"] == []
    assert twin["rows"][1]["differs"] == ["only in B"]
    runs = twin["wanted"]
    text = page(client, f"/compare/?a={runs[0]}&b={runs[1]}")
    assert text.count('id="first"') == 1
    assert "They part at call 2" in words(text)


def test_runs_that_did_the_same_are_told_as_the_same(client: Client):
    twin = compared(client, call("1", "a") + result("1", "x"), call("2", "a") + result("2", "x"))
    assert (twin["parts"], twin["same"]) == (0, 1)


LONG = {"note": "x" * 500}


@pytest.mark.parametrize(
    ("args", "said", "differs"),
    [
        (LONG, "y" * 900, []),
        ({"note": "x" * 499 + "z"}, "y" * 900, ["other arguments"]),
        (LONG, "y" * 899 + "z", ["another result"]),
        ({"note": "x" * 499 + "z"}, "y" * 899 + "z", ["other arguments", "another result"]),
    ],
)
def test_what_differs_behind_what_rows_keep_is_told(client: Client, args: Any, said: str, differs: list[str]):
    """The same beginning, the same length: only whole do they differ."""
    a = call("1", "send", LONG) + result("1", "y" * 900)
    b = call("1", "send", args) + result("1", said)
    twin = compared(client, call("0", "look_up") + a, call("0", "look_up") + b)
    assert [row["differs"] for row in twin["rows"]] == [[], differs]
    assert twin["parts"] == (2 if differs else 0)


def test_a_thousand_calls_of_one_tool_are_aligned_in_no_time():
    many = [{"name": "poll", "n": n} for n in range(2000)]
    assert comparepage.aligned(many, many[:1500])[0] == (many[0], many[0])
    assert len(comparepage.aligned(many, many[:1500])) == 2000


@pytest.mark.parametrize("query", ["", "?a=1", "?a=x&b=y", "?a=99999999&b=1", "?a=9999999999999999999"])
def test_a_comparison_of_what_is_not_there_offers_what_is(client: Client, query: str):
    of(run_started() + finished())
    assert "Choose" in words(page(client, f"/compare/{query}"))


# ---------------------------------------------------------------- patterns

TEMPLATES = Path(__file__).parents[1] / "templates"


def test_the_patterns_page_draws_every_partial_and_every_state(client: Client):
    answer = client.get("/patterns")
    drawn = {template.name for template in answer.templates}
    partials = {
        path.relative_to(TEMPLATES).as_posix()
        for path in (*TEMPLATES.glob("_*.html"), *TEMPLATES.glob("turn/_*.html"))
    }
    assert partials <= drawn
    text = answer.content.decode()
    cards = text.split("<h2>Cards</h2>")[1].split("</section>")[0]
    assert {look for look in STATES if f"edge s-{look}" in cards} == set(STATES)
    imports = text.split("An import, in every state")[1]
    assert [word for word, _, _ in IMPORTS.values() if f"<h2>{word}</h2>" in imports] == [
        "Waiting", "Reading", "Done", "Failed", "Stopped", "Interrupted",
    ]  # fmt: skip


def test_the_patterns_have_a_twin_that_holds_what_they_draw(client: Client):
    told = json.loads(page(client, "/patterns.json"))
    assert [card["look"] for card in told["cards"]] == list(STATES)
    assert told["missing"] == []


def test_the_turns_of_all_channels_are_listed_and_filtered(client: Client, three: None):
    take_in(ndjson(run_started("r-x", "t-x") + finished("r-x", "t-x")), channel="other")
    twin = json.loads(page(client, "/turns.json?q=channel:other"))
    assert [turn["thread_name"] for turn in twin["turns"]] == ["t-x"]
    assert len(json.loads(page(client, "/turns.json"))["turns"]) == 4
    assert "No turn matches" in words(page(client, "/turns/?q=nothing-like-this"))


ROUTES = [
    "",
    "channels/",
    "threads/",
    "turns/",
    "findings/",
    "rules/",
    "settings/",
    "import/",
    "connect/",
    "help/keys/",
]


@pytest.mark.parametrize("path", ROUTES)
def test_every_page_has_its_twin_and_teaches_when_there_is_nothing(client: Client, path: str):
    text = page(client, f"/{path}")
    assert text.count("<h1") == 1
    twin = page(client, f"/{path.rstrip('/') or 'overview'}.json")
    assert isinstance(json.loads(twin), dict)


@pytest.mark.parametrize("path", ["/rules/C01/", "/nothing/here/"])
def test_a_page_of_words_has_one_heading_of_the_first_order(client: Client, path: str):
    assert client.get(path, headers={"host": "localhost"}).content.count(b"<h1") == 1


def test_what_the_database_narrows_down_leaves_out_no_turn_that_fits(client: Client):
    """Every status of every turn of the stories finds it again, and so do its length and its beginning."""
    for path in sorted(STORIES.glob("*.jsonl")):
        take_in(path.read_bytes(), settings=None, name=path.name, channel=path.stem[:40])
    rows = models.Turn.objects.select_related("thread__channel").order_by("-pk")
    asked = 0
    for row in rows:
        lasted = row.last_at - row.started_at
        lines = [f"status:{one}" for one in lists.statuses(row)]
        if row.started_at:
            begun = datetime.fromtimestamp(row.started_at // 1000, UTC)
            lines += [f"dur:>={lasted}ms", f"dur:<={lasted}ms", f"after:{begun.isoformat()}"]
        for line in lines:
            query = filters.parse(line, filters.TURNS)
            assert query.problems == (), line
            found = lists.turns(rows, query, limit=1000, now=0)
            assert row.pk in [one.pk for one in found.rows], (line, row.headline)
            asked += 1
    assert asked > 50


def test_a_thread_of_many_turns_shows_the_newest_and_leads_to_the_earlier_ones(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first byte does not wait for ten thousand rows."""
    monkeypatch.setattr(pages, "TURNS", 2)
    events = []
    for n in range(5):
        events += (
            run_with_input(user("again", id=f"u{n}"), run=f"r{n}")
            + call(f"c{n}")
            + result(f"c{n}", message=f"m{n}")
        )
        events += finished(f"r{n}")
    turn = of(events)
    seen, before = [], 0
    while True:
        address = f"/threads/{turn.thread_id}.json?before={before}"
        told = json.loads(page(client, address))
        assert told["count"] == 5
        assert {one["turn"] for one in told["groups"]} <= {one["number"] for one in told["turns"]}
        assert all(one["tools"] for one in told["turns"])
        seen = [one["number"] for one in told["turns"]] + seen
        shown = page(client, f"/threads/{turn.thread_id}/?before={before}")
        assert ("Earlier turns" in shown) == bool(told["more"]) and ("<ts-channel" in shown) == (not before)
        if not (before := told["more"]):
            break
    assert seen == [1, 2, 3, 4, 5]
