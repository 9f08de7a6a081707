"""Rows of turns and findings: what is wrong, how old it is, and where to go from there, in both halves."""

from __future__ import annotations

import json
import re

import pytest
from django.template import Context, Template
from django.test import Client

from tests.streams import call, finished, ndjson, result, run_started
from tests.test_pages import page, story, tags, take_in, turn_page
from tests.test_pages import words as read
from tests.test_show import BROWSER, in_node
from turnscope.web import waterfall, words

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
NOW = 1_796_083_200_000
"""2026-11-30, 24:00 UTC."""
AGES = {
    0: "now", 9 * SECOND: "now", 40 * SECOND: "40 s ago", 4 * MINUTE + 59_999: "4 min ago",
    22 * HOUR: "22 h ago", DAY: "1 d ago", DAY + 3 * HOUR: "1 d 3 h ago",
    12 * DAY + 59 * MINUTE: "12 d ago", 30 * DAY: "2026-11-01",
    -5 * MINUTE: "now", NOW: "no date", NOW - 12 * SECOND: "no date",
}  # fmt: skip


def links(text: str, row: str) -> list[str]:
    """Where a part of a page leads."""
    return [str(one["href"]) for name, one in tags(row_of(text, row)) if name == "a"]


def row_of(text: str, mark: str) -> str:
    return next(one for one in re.findall(r"<article.*?</article>", text, re.S) if mark in one)


# ---------------------------------------------------------------- ages


def test_an_age_reads_as_a_person_says_it():
    assert {age: words.ago(NOW - age, NOW) for age in AGES} == AGES


def test_an_age_reads_alike_in_both_halves():
    there = in_node(f"""{BROWSER}
        const {{ ago }} = await import("./times.js");
        console.log(JSON.stringify({json.dumps(list(AGES))}.map((age) => ago({NOW} - age, {NOW}))));""")
    assert there == list(AGES.values())


def test_the_exact_time_stands_beside_an_age_for_who_hovers_and_who_listens():
    shown = Template("{% load turnscope %}{% when at %}").render(Context({"at": NOW - 400 * DAY}))
    assert 'datetime="2025-10-27T00:00:00Z"' in shown
    assert 'title="2025-10-27 00:00:00 UTC"' in shown
    assert read(shown) == "2025-10-27 , 2025-10-27 00:00:00 UTC"


# ---------------------------------------------------------------- rows


def test_a_broken_turn_leads_to_its_repaired_transcript_and_a_sound_one_does_not(client: Client):
    broken = story("2a")
    take_in(
        ndjson(run_started("r", "t-ok") + call("c1") + result("c1", "ok") + finished("r", "t-ok")), name="ok"
    )
    text = page(client, "/channels/acme/")
    assert f"/turns/{broken.pk}/export/" in links(text, f'data-turn="{broken.pk}"')
    assert read(text).count("Repaired transcript") == 1
    assert "Repaired transcript for" in read(page(client, f"/turns/{broken.pk}/export/"))


def test_errors_are_counted_in_words(client: Client):
    story("2a")
    for path in ("/channels/acme/", "/channels/", "/threads/", "/"):
        assert "1 error" in read(page(client, path)), path


def test_what_is_open_is_drawn_in_its_look_behind_what_was_answered(client: Client):
    story("2a")
    drawn = [
        one for name, one in tags(page(client, "/channels/acme/")) if name == "rect" and one.get("width")
    ]
    done = next(one for one in drawn if one.get("class") == "t-ok")
    left = next(one for one in drawn if one.get("class") == "b unanswered" and one.get("height") == "6")
    assert (done["width"], left["x"], left["width"]) == ("92.857%", "92.857%", "7.143%")


@pytest.mark.parametrize(
    ("outcome", "waits", "live", "look"),
    [
        ("person", True, False, "person"), ("ok", True, False, "wait"), ("hanging", False, True, "hanging"),
        ("running", False, True, "running"), ("failed", False, False, "unanswered"),
        ("aborted", False, False, "aborted"), ("unanswered", False, False, "unanswered"),
    ],
)  # fmt: skip
def test_open_calls_take_the_look_of_how_their_turn_stands(outcome: str, waits: bool, live: bool, look: str):  # noqa: FBT001
    assert words.open_look(outcome, waits=waits, live=live) == look


def test_a_finding_in_a_list_leads_to_its_turn_its_call_and_each_of_its_events(client: Client):
    turn = story("2a")
    for path in ("/findings/", "/", "/rules/C03/"):
        text = page(client, path)
        there = links(text, 'data-finding="C03"')
        assert f"/turns/{turn.pk}/" in there, path
        assert "turn 1" in read(row_of(text, 'data-finding="C03"')), path
        assert [one for one in there if one.startswith(f"/turns/{turn.pk}/calls/")], path
        assert len([one for one in there if re.fullmatch(rf"/turns/{turn.pk}/\?event=\d+", one)]) == 3, path


# ---------------------------------------------------------------- cards and the timeline


def test_a_card_leads_to_its_call_and_names_causes_before_consequences(client: Client):
    turn = story("2a")
    card = row_of(turn_page(client, turn), "ToolSearch</bdi></a><a")
    number = re.search(r'data-number="(\d+)"', card)
    assert number is not None
    there = [str(one["href"]) for name, one in tags(card) if name == "a"]
    assert f"calls/{number[1]}/" in there
    assert page(client, f"/turns/{turn.pk}/calls/{number[1]}/")
    assert [one for one in there if one.startswith("/rules/")] == ["/rules/C03/"]


def test_no_label_of_the_ruler_is_cut_at_its_right_edge():
    for span, unit in [
        *((n, "ms") for n in range(1000, 60_000, 700)),
        *((n, "seq") for n in range(20, 20_000, 170)),
    ]:
        for tick in waterfall.axis(0, span, unit)["ticks"]:
            at = float(tick["x"].rstrip("%"))
            wide = 6 * len(tick["label"]) + 4  # px, from its tick on
            assert at / 100 * 1184 + wide <= 1184 or not tick["label"], (span, tick)
            # A small screen leaves minor ones out.
            assert tick["minor"] or at / 100 * 274 + wide <= 274, (span, tick)
