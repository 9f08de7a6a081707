"""A long turn's calls come thin, and nothing that is told of them differs from what whole ones tell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from tests import streams
from tests.journals import recorded
from tests.test_show import BROWSER, in_node
from turnscope.store.journal import Journal
from turnscope.store.models import Call, Turn
from turnscope.web import show, thin, turnpage

pytestmark = pytest.mark.django_db

LONG = 260
SPELLED = (
    "number", "call_id", "name", "plane", "state", "owner", "limit_ms", "start_seq", "end_seq", "closed_seq",
    "start_at", "end_at", "closed_at", "answer_seq", "answer_at", "changed",
)  # fmt: skip
TOLD = (*SPELLED, "look", "word", "icon", "codes")


@pytest.fixture
def turn() -> Turn:
    """So many calls, of which some failed, some are open, one id comes twice; and an answer to no call."""
    events = streams.run_with_input(streams.user("Go"))
    for n in range(LONG):
        events += streams.call(f"c{n - (n == 40)}", f"tool_{n % 7}", {"n": n, "text": "word " * 20})
        if n % 50 == 3:
            events += streams.result(f"c{n}", {"error": "not found"}, isError=True)
        elif n % 60 != 5:
            events += streams.result(f"c{n - (n == 40)}", f"answer {n}")
    events += streams.result("nobody", "hello") + streams.result("c7", "again") + streams.finished()
    recorded(Journal(), streams.ndjson(streams.timed(events)))
    return Turn.objects.get()


def test_thin_calls_are_counted_looked_at_and_ordered_as_whole_ones(turn: Turn):
    whole, found, _ = turnpage.turn_parts(turn)
    calls, _ = turnpage.thin_parts(turn)
    assert len({call["look"] for call in whole}) >= 4 and any(call["codes"] for call in whole)
    assert [told(call) for call in calls] == [told(call) for call in whole]
    assert show.ledger(calls) == show.ledger(whole)
    assert [show.answered(call) for call in calls] == [show.answered(call) for call in whole]
    order = show.worst_first(whole)
    assert [call["id"] for call in show.worst_first(calls)] == [call["id"] for call in order]
    assert thin.whole(turn, show.worst_first(calls)[:50], found) == order[:50]


def told(call: dict[str, Any]) -> dict[str, Any]:
    return {key: list(call[key]) if key == "codes" else call[key] for key in TOLD}


def test_the_page_of_a_long_turn_begins_as_with_whole_calls_and_carries_few(turn: Turn):
    whole = turnpage.turn_page(turn.pk)
    page = turnpage.turn_page(turn.pk, whole=False)
    assert page["cards"] == whole["cards"][: len(page["cards"])]
    assert len(page["cards"]) + page["more_cards"] == LONG + 1
    for part in ("ledger", "waterfall", "groups", "headline", "looks_used", "scrub"):
        assert page[part] == whole[part], part
    assert [call["id"] for call in turnpage.boot(page)["calls"]] == [
        call["id"] for call in show.worst_first(whole["calls"])[: thin.WHOLE]
    ]
    by_call = turnpage.turn_page(turn.pk, whole=False, by="call")
    assert by_call["waterfall"] == turnpage.turn_page(turn.pk, by="call")["waterfall"]


def test_the_selected_call_comes_whole_wherever_it_stands(turn: Turn):
    last = show.worst_first(turnpage.turn_parts(turn)[0])[-1]
    page = turnpage.boot(turnpage.turn_page(turn.pk, whole=False, call=last["number"]))
    assert page["thin"] and last["args"] in [call.get("args") for call in page["calls"]]


def test_columns_are_read_in_the_browser_as_the_rows_they_were(turn: Turn):
    answer = Client().get(f"/turns/{turn.pk}/calls.json").json()
    rows = in_node(f"""{BROWSER} const {{ rows }} = await import("./columns.js");
        console.log(JSON.stringify(rows({json.dumps(answer)}, {{ answers: [] }})));""")
    whole = {call["id"]: call for call in turnpage.turn_parts(turn)[0]}
    assert [row["id"] for row in rows] == list(whole)
    for row in rows:
        call = whole[row["id"]]
        assert {key: row[key] for key in SPELLED} == {key: call[key] for key in SPELLED}
        assert any(not one["late"] for one in row["answers"]) == show.answered(call)


def test_calls_are_given_whole_by_their_ids_and_only_those_of_the_turn(turn: Turn):
    recorded(Journal(), streams.ndjson(streams.run_started("r9", "t9") + streams.call("far")))
    far = Call.objects.get(call_id="far").pk
    some = [call.pk for call in Call.objects.filter(turn=turn.number, thread=turn.thread)[:3]]
    asked = ",".join(map(str, [*some, far, 10**14]))
    rows = Client().get(f"/turns/{turn.pk}/calls.json?ids={asked},x,-1").json()["calls"]
    assert [row["id"] for row in rows] == some
    assert rows[0] == json.loads(json.dumps(show.call(Call.objects.get(pk=some[0]))))
