"""A viewer that takes fields: whole rows once, then what differs, and it adds up to the whole."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from django.db import connections

from tests import streams
from tests.journals import chunks, live, only_thread, say
from tests.test_live import INGEST, begun
from tests.test_show import in_node
from tests.web import in_thread, socket
from turnscope.store import models, reading
from turnscope.store.journal import Journal
from turnscope.web import patches, show
from turnscope.web.live import Viewer


async def test_a_viewer_that_takes_fields_is_sent_whole_rows_once_and_then_what_differs(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=0&fields=1") as viewer:
            first = await viewer.hears()
            [(row, whole)] = first["calls"].items()
            assert whole["state"] == "streaming"
            await viewer.send_json_to({"ack": first["seq"]})
            await producer.sends(streams.call_ended("c1"))
            second = await viewer.hears()
            assert "calls" not in second
            back, fields = second["fields"]["calls"][row]
            assert second["seq"] - back == whole["changed"]
            assert (fields["state"], fields["changed"]) == ("running", 4)
            assert "name" not in fields


async def test_arguments_that_stream_are_sent_as_what_was_added(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=0&fields=1") as viewer:
            first = await viewer.hears()
            [row] = first["calls"].values()
            seen, changed = row["args"], row["changed"]
            for n in range(30):
                await viewer.send_json_to({"ack": first["seq"]})
                await producer.sends(streams.arguments("c1", f"<{n}> twelve "))
                first = await viewer.hears()
                [[id_, back, now, text]] = first["added"]
                assert (id_, first["seq"] - back) == (row["id"], changed)
                seen, changed = (seen + text)[-160:], first["seq"] - now
            whole = await in_thread(lambda: models.Call.objects.get())
            assert seen == whole.args_excerpt
            assert len(seen) == 160
            assert seen.endswith("<29> twelve ")


async def test_viewers_with_and_without_fields_end_with_the_same_rows(web: Any) -> None:
    """Whatever is merged, and whoever joined when: what differs adds up to the whole."""
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        last = 3 + 40

        async def watch(*, lazy: bool) -> dict[int, Any]:
            rows: dict[int, Any] = {}
            async with socket(web, f"/ws/threads/{pk}/?after=0&fields=1") as viewer:
                seq = 0
                while seq < last:
                    patch = await viewer.hears()
                    seq = patch["seq"]
                    rows.update({row["id"]: row for row in patch.get("calls", {}).values()})
                    for id_, (back, fields) in patch.get("fields", {}).get("calls", {}).items():
                        assert rows[int(id_)]["changed"] == seq - back
                        rows[int(id_)].update(fields)
                    for id_, back, now, text in patch.get("added", []):
                        assert rows[id_]["changed"] == seq - back
                        args = (rows[id_]["args"] + text)[-160:]
                        rows[id_].update(
                            args=args, changed=seq - now, args_length=rows[id_]["args_length"] + len(text)
                        )
                    await asyncio.sleep(0.2 if lazy else 0)
                    await viewer.send_json_to({"ack": seq})
            return rows

        watchers = []
        for n in range(40):
            if n % 10 == 0:
                watchers.append(asyncio.create_task(watch(lazy=n % 20 == 0)))
            some = (
                streams.call_started(f"d{n}") if n % 5 == 0 else streams.arguments(f"d{n - n % 5}", f"{n} ")
            )
            await producer.sends(some)
            await asyncio.sleep(0.02)
        ended = await asyncio.gather(*watchers)
        stored = await in_thread(lambda: {row.pk: show.call(row) for row in models.Call.objects.all()})
        for rows in ended:
            for pk_, row in rows.items():
                told = {key: row[key] for key in ("args", "args_length", "state", "changed", "name")}
                assert told == {key: stored[pk_][key] for key in told}


@pytest.fixture
def between(transactional_db: None, monkeypatch: Any) -> Any:
    """(a thread, have frames committed after a patch has read the seq and before it reads rows)."""
    held = Journal()
    producer = live(held)
    say(held, producer, chunks(streams.run_started() + streams.call_started("c1")))
    pk = only_thread().pk
    real = patches._changed

    def commit_first(events: list[streams.Event]) -> None:
        def changed(*args: Any) -> Any:
            monkeypatch.setattr(patches, "_changed", real)
            apart = threading.Thread(
                target=lambda: (say(held, producer, chunks(events)), connections.close_all())
            )
            apart.start()
            apart.join()
            return real(*args)

        monkeypatch.setattr(patches, "_changed", changed)

    return pk, commit_first


def test_a_patch_shows_no_row_newer_than_its_seq(between: Any) -> None:
    """Else two viewers at one seq had different versions of a row, and a difference fitted one of them."""
    pk, commit_first = between
    book = patches.ThreadBook()
    commit_first(streams.arguments("c1", "late"))
    first = patches.thread_patch(pk, 0, book, fields=True)
    assert first is not None and first.cursor == 3
    [row] = json.loads(first.text)["calls"].values()
    assert (row["changed"], row["args"]) == (3, "")
    second = patches.thread_patch(pk, 3, book, fields=True)
    assert second is not None
    assert json.loads(second.text)["added"] == [[row["id"], 1, 0, "late"]]


def test_a_viewer_that_was_sent_a_part_is_sent_whole_rows_again(transactional_db: None) -> None:
    """Rows that changed again later were not in the part: a difference has nothing to go on from."""
    held = Journal()
    many = [event for n in range(patches.ROWS + 1) for event in streams.call_started(f"c{n}")]
    say(held, live(held), chunks(streams.run_started() + many))
    patch = patches.thread_patch(only_thread().pk, 0, patches.ThreadBook())
    assert patch is not None and not patch.complete
    viewer = Viewer(None)  # type: ignore[arg-type]
    viewer._say = lambda message: None  # type: ignore[method-assign]
    viewer.offer(patch)
    assert not viewer.primed
    rest = patches.thread_patch(only_thread().pk, patch.cursor, patches.ThreadBook())
    assert rest is not None and rest.complete
    viewer.offer(rest)
    assert viewer.primed


def test_fifty_cards_whose_arguments_arrive_cost_thirty_bytes_each() -> None:
    """20 patches a second for 50 cards in at most 30 kB."""
    book, upto = patches.ThreadBook(), 90_000
    was = {n: {"id": n, "args": "x" * 160, "args_length": 900 + n, "changed": upto - 60 + n % 50, "note": "",
               "name": "lookup", "state": "streaming"} for n in range(4000, 4050)}  # fmt: skip
    for n, row in was.items():
        book.note(upto - 10, "calls", n, row)
    now = {n: {**row, "args": row["args"][7:] + '"city",', "args_length": row["args_length"] + 7, "note": "9",
               "changed": row["changed"] + 50} for n, row in was.items()}  # fmt: skip
    told = patches.lessened({"calls": now}, upto + 50, upto - 10, book)
    assert len(told["added"]) == 50
    assert len(patches._text({"seq": upto, **told})) <= 30_000 / 20


# ---------------------------------------------------------------- who follows the event list


async def test_who_follows_the_event_list_is_sent_its_newest_rows(web: Any) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=0&fields=1") as viewer:
            first = await viewer.hears()
            assert "events" not in first
            await viewer.send_json_to({"ack": first["seq"], "rows": 3})
            await producer.sends([event for n in range(5) for event in streams.arguments("c1", f"<{n}>")])
            seen, last = [], 3
            while last < 8:
                patch = await viewer.hears()
                assert patch["events"][0] + len(patch["events"]) - 2 == patch["seq"]
                assert len(patch["events"]) - 1 == min(patch["seq"] - last, 3)
                seen, last = seen + drawn([patch]), patch["seq"]
                await viewer.send_json_to({"ack": last, "rows": 3})
            stored = await in_thread(lambda: {frame.seq: show.frame(frame) for frame in reading.read(pk)})
            assert [row["seq"] for row in seen[-3:]] == [6, 7, 8]
            for row in seen:
                assert row == {name: stored[row["seq"]][name] for name in (*patches.EVENT, "seq")}
            await viewer.send_json_to({"rows": 0})
            await producer.sends(streams.call_ended("c1"))
            assert "events" not in await viewer.hears()


@pytest.mark.parametrize(("said", "most"), [(10**9, 64), (-5, 0), (12, 12)])
async def test_a_viewer_is_sent_a_screenful_of_rows_at_most(web: Any, said: int, most: int) -> None:
    async with socket(web, INGEST) as producer:
        pk = await begun(producer)
        async with socket(web, f"/ws/threads/{pk}/?after=3") as viewer:
            await viewer.send_json_to({"pause": True, "rows": said})
            await producer.sends([event for n in range(90) for event in streams.arguments("c1", f"{n} ")])
            await producer.hears_until("ack", 2 + 90)
            await viewer.send_json_to({"pause": False})
            assert len((await viewer.hears()).get("events", [0])) - 1 == most


def test_rows_say_only_what_the_row_before_does_not(transactional_db: None) -> None:
    held = Journal()
    events = [event for n in range(40) for event in streams.arguments("c1", f"{n} ")]
    say(held, live(held), chunks(streams.run_started() + streams.call_started("c1") + events))
    pk = only_thread().pk
    first, *rows = patches.newest(pk, 0, 43, 30)
    assert (first, len(rows)) == (14, 30)
    assert all(len(row) == 1 for row in rows[1:])
    assert len(patches._text({"events": [first, *rows]})) <= 30 * 30


# ---------------------------------------------------------------- the page's half


def drawn(patches_: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the event list that the page reads from patches."""
    return in_node(f"""
        const {{ eventsOf }} = await import("./patching.js");
        console.log(JSON.stringify(eventsOf({json.dumps(patches_)})));""")


def test_the_page_fills_in_what_a_row_leaves_to_the_one_before():
    row = {"payload": "a", "call": "c1", "at": 5, "kind": "TOOL_CALL_ARGS", "icon": "pen-line", "mark": False}
    patch = {"seq": 12, "events": [10, list(row.values()), [], ["b", None, 0]]}
    assert drawn([{"seq": 9}, patch]) == [
        {**row, "seq": 10},
        {**row, "seq": 11},
        {**row, "seq": 12, "payload": "b", "at": 0},
    ]


def put(
    patches_: list[dict[str, Any]], calls: list[dict[str, Any]]
) -> tuple[list[Any], list[dict[str, Any]]]:
    """(what each patch made the page ask again from, the rows after all of them)."""
    told = in_node(f"""
        const {{ put }} = await import("./patching.js");
        const calls = new Map({json.dumps(calls)}.map((c) => [c.id, c]));
        const again = {json.dumps(patches_)}.map((patch) => put({{ calls }}, patch, () => true));
        console.log(JSON.stringify([again, [...calls.values()]]));""")
    return told[0], told[1]


ROW = {"id": 7, "changed": 10, "args": '{"q":', "args_length": 5, "state": "streaming"}


def test_the_page_adds_what_was_added_and_changes_what_changed():
    again, rows = put(
        [
            {"seq": 14, "added": [[7, 4, 1, ' "é😀"']]},
            {"seq": 16, "fields": {"calls": {"7": [3, {"state": "running", "changed": 15}]}}},
        ],
        [ROW],
    )
    assert again == [None, None]
    assert rows == [{**ROW, "changed": 15, "args": '{"q": "é😀"', "args_length": 10, "state": "running"}]


def test_a_page_that_lacks_the_version_before_asks_again_from_what_it_has():
    for patch in ({"seq": 14, "added": [[7, 2, 1, "x"]]},
                  {"seq": 14, "fields": {"calls": {"7": [2, {"state": "ok", "changed": 13}]}}}):  # fmt: skip
        again, rows = put([patch], [ROW])
        assert (again, rows) == ([10], [ROW])


def test_a_page_that_is_further_along_lets_an_older_difference_pass():
    newer = {**ROW, "changed": 20}
    again, rows = put(
        [
            {
                "seq": 14,
                "added": [[7, 4, 1, "x"]],
                "fields": {"calls": {"7": [4, {"state": "ok", "changed": 13}]}},
            }
        ],
        [newer],
    )
    assert (again, rows) == ([None], [newer])


def test_of_long_arguments_the_page_keeps_the_end():
    _, rows = put(
        [{"seq": 12, "added": [[7, 2, 0, "y" * 150]]}], [{**ROW, "args": "x" * 160, "args_length": 900}]
    )
    assert rows[0]["args"] == "x" * 10 + "y" * 150
    assert rows[0]["args_length"] == 1050
