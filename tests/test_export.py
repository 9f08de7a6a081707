"""The export page: one target in full, each target's verdict, changes with their evidence, and files."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.streams import call, finished, result, run_started, run_with_input, text, user
from tests.test_pages import of, page, story, words
from turnscope.core.repair import CHOICES, TARGETS
from turnscope.store import models
from turnscope.web import export, mended

pytestmark = pytest.mark.django_db

HOSTILE = '"><script>alert(1)</script>'


def twin(client: Client, turn: models.Turn, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/turns/{turn.pk}/export.json{query}")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def shown(text_: str) -> Any:
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", text_, re.S)
    assert found
    return json.loads(html.unescape(found[1]))


# ---------------------------------------------------------------- one target in full


@pytest.mark.parametrize("target", TARGETS)
def test_each_targets_messages_are_those_of_its_file(client: Client, target: str) -> None:
    turn = story("2a")
    text_ = page(client, f"/turns/{turn.pk}/export/?target={target}")
    answer = client.get(f"/turns/{turn.pk}/download/transcript.json?target={target}")
    assert shown(text_) == json.loads(answer.content)
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == f'attachment; filename="turn-{turn.pk}-{target}.json"'


def test_each_change_has_its_sentence_its_rule_and_links_to_the_events_it_rests_on(client: Client) -> None:
    turn = story("1b")
    text_ = page(client, f"/turns/{turn.pk}/export/?target=openai_chat")
    changes = twin(client, turn, "?target=openai_chat")["changes"]
    assert changes
    for change in changes:
        assert change["reason"] in words(text_) and f"rule {change['rule']}" in words(text_)
        assert change["source"] in words(text_) or len(change["source"]) > 60
        for seq, at in change["links"]:
            assert f'href="/turns/{at}/?event={seq}"' in text_
            row = models.Turn.objects.get(pk=at)
            assert row.first_seq <= seq <= row.last_seq
    assert any(change["links"] for change in changes)


def test_original_and_repaired_face_each_other_by_what_a_message_is(client: Client) -> None:
    """The answered call's message faces itself although an answer was put behind it."""
    blocks = [block for block in twin(client, story("2a"))["blocks"] if "folded" not in block]
    added = [block for block in blocks if not block["old"]]
    assert len(added) == 2 and all(block["changes"] for block in added)
    assert all(block["new"] >= block["old"] for block in blocks if block["old"])


def test_one_endless_message_does_not_make_an_endless_page(client: Client) -> None:
    long = "\n".join(f"line {n}" for n in range(20_000))
    turn = of(run_started() + call("c1") + text(long) + finished())
    text_ = page(client, f"/turns/{turn.pk}/export/?target=openai_chat")
    assert "more lines of this message" in words(text_) or "more messages are not shown here" in words(text_)
    assert text_.count('role="cell"') < 3 * export.LINES and len(text_) < 3 * export.SHOWN


def test_choices_are_kept_in_every_link_and_in_the_file(client: Client) -> None:
    turn = of(
        run_with_input(user("go"), run="r1") + call("c1") + finished("r1")
        + run_with_input(user("hello?", id="u2"), run="r2") + result("c1") + text() + finished("r2")
    )  # fmt: skip
    query = "target=openai_chat&policy=answer&late=quote"
    found = twin(client, turn, f"?{query}&boundary=user")
    assert found["query"] == f"{query}&boundary=user"
    assert all("late=quote&boundary=user" in row["query"] for row in found["targets"])
    [field] = [field for field in found["fields"] if field["name"] == "late"]
    assert [one["value"] for one in field["options"] if one["on"]] == ["quote"]
    assert {one["name"] for one in found["fields"]} == set(CHOICES) - {"policy"}
    answer = client.get(f"/turns/{turn.pk}/download/repair.json?{query}")
    assert json.loads(answer.content)["messages"] == json.loads(found["messages"])


def test_a_choice_that_means_nothing_is_read_over(client: Client) -> None:
    found = twin(client, story("2a"), "?target=klingon&policy=hope&late=never&ids=&boundary=nobody")
    assert found["target"] in TARGETS and found["policy"] == "answer" and not found["chosen"]


def test_what_is_waited_for_can_be_cancelled_with_one_click(client: Client) -> None:
    turn = of(run_with_input(user("go")) + call("c1", "pick") + finished(pending=["c1"]))
    text_ = page(client, f"/turns/{turn.pk}/export/?target=anthropic")
    assert "Not ready to send" in words(text_) and "Cancel 1 call" in words(text_)
    link = re.search(r'href="(\?[^"]*cancel=all)"', text_)
    assert link
    text_ = page(client, f"/turns/{turn.pk}/export/{html.unescape(link[1])}")
    assert "Ready to send" in words(text_) and "TOOL_CANCELLED" in text_


def test_what_blocks_is_told_once_with_what_remains(client: Client) -> None:
    calls = call("call-one") + result("call-one") + call("call-two") + result("call-two", message="r2")
    turn = of(run_with_input(user("go")) + calls + finished())
    text_ = page(client, f"/turns/{turn.pk}/export/?target=mistral")
    assert "Not ready to send" in words(text_) and "So are 1 more." in words(text_)
    link = re.search(r'href="(\?[^"]*ids=map)"', text_)
    assert link
    assert "Ready to send" in words(page(client, f"/turns/{turn.pk}/export/{html.unescape(link[1])}"))


# ---------------------------------------------------------------- every target's verdict


def test_every_target_has_its_verdict_with_why(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "BUDGET", 60.0)
    rows = {row["name"]: row for row in twin(client, story("2a"))["targets"]}
    assert list(rows) == list(TARGETS)
    for name, row in rows.items():
        answer = client.get(f"/turns/{models.Turn.objects.get().pk}/export.json?target={name}").json()
        assert row["known"] and row["sendable"] == answer["sendable"]
        assert row["blocked"] == len(answer["blockers"])
        assert (row["word"] == "blocked") == bool(row["blocked"]) and (not row["blocked"] or row["why"])
    healthy = of(run_with_input(user("go")) + call("abcdefgh1") + result("abcdefgh1") + text() + finished())
    assert {row["word"] for row in twin(client, healthy, "?target=openai_chat")["targets"]} >= {
        "accepts it as it is"
    }


def test_what_there_is_no_time_for_says_so_and_is_worked_out_when_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BUDGET", 0.0)
    turn = story("2a")
    text_ = page(client, f"/turns/{turn.pk}/export/?target=openai_chat")
    asked = [html.unescape(one) for one in re.findall(r'data-verdict="([^"]*)"', text_)]
    assert len(asked) == len(TARGETS) - 1 and words(text_).count("not yet worked out") == len(asked)
    told = [client.get(address).json() for address in asked]
    assert [one["name"] for one in told] == [name for name in TARGETS if name != "openai_chat"]
    assert "not yet worked out" not in words(page(client, f"/turns/{turn.pk}/export/?target=openai_chat"))


def test_a_conversation_is_read_and_repaired_once_until_it_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = story("2a")
    read: list[Any] = []
    real = mended.runs.events
    monkeypatch.setattr(mended.runs, "events", lambda *where: read.append(where) or real(*where))
    for query in ("", "?target=anthropic", "?policy=drop", ""):
        page(client, f"/turns/{turn.pk}/export/{query}")
    assert read == [(turn.thread_id, turn.thread.last_seq)]
    assert mended.repaired((-1, 1), export.choices.named("", "", {})).messages == []


# ---------------------------------------------------------------- replay, files, hostile names


def test_every_run_of_a_turn_has_its_address_and_the_turn_has_one(client: Client) -> None:
    turn = story("2e")
    found = twin(client, turn)
    runs = models.Run.objects.filter(thread=turn.thread, turn=turn.number).order_by("number")
    assert [run["url"] for run in found["runs"]] == [
        f"http://testserver/replay/{run.pk}/ag_ui/?repaired=1" for run in runs
    ]
    assert len(runs) == 2 and found["replay"] == f"http://testserver/replay/turn/{turn.pk}/ag_ui/?repaired=1"
    for at in found["runs"]:
        assert at["url"] in page(client, f"/turns/{turn.pk}/export/")
    alone = twin(client, story_of_one())
    assert alone["replay"] == alone["runs"][0]["url"]


def story_of_one() -> models.Turn:
    return of(run_started(thread="alone") + text() + finished(thread="alone"))


@pytest.mark.parametrize(
    ("what", "name", "kind"),
    [
        ("transcript.json?target=ag_ui", "turn-{}-ag_ui.json", "application/json"),
        ("repair.json?target=gemini", "turn-{}-gemini-repair.json", "application/json"),
        ("frames.jsonl", "turn-{}.jsonl", "application/x-ndjson"),
        ("repaired.jsonl", "turn-{}-repaired.jsonl", "application/x-ndjson"),
    ],
)
def test_a_file_has_its_name_and_its_type(client: Client, what: str, name: str, kind: str) -> None:
    turn = story("2a")
    answer = client.get(f"/turns/{turn.pk}/download/{what}")
    assert answer["Content-Disposition"] == f'attachment; filename="{name.format(turn.pk)}"'
    assert answer["Content-Type"] == kind
    for line in answer.content.splitlines() if kind.endswith("ndjson") else [answer.content]:
        json.loads(line)


@pytest.mark.parametrize("what", ["transcript.exe", "passwd", "frames.jsonl%00", "..%2F..%2Fetc"])
def test_another_file_there_is_not(client: Client, what: str) -> None:
    assert client.get(f"/turns/{story('2a').pk}/download/{what}").status_code == 404


@pytest.mark.parametrize("target", ["openai_chat", "anthropic", "mistral"])
def test_hostile_ids_names_and_queries_break_out_of_nothing(client: Client, target: str) -> None:
    calls = call(HOSTILE, HOSTILE) + call("\u202egnp.exe\x00", "a\nb")
    turn = of(run_started(run=HOSTILE, thread=HOSTILE) + calls + text() + finished(HOSTILE, HOSTILE))
    for query in ("", "&ids=map", "&ids=flatten", f"&cancel={HOSTILE}&pending={HOSTILE}&policy=drop"):
        text_ = page(client, f"/turns/{turn.pk}/export/?target={target}{query}")
        assert "<script>alert" not in text_ and "\u202e" not in text_.split("<textarea")[0]
    name = client.get(f"/turns/{turn.pk}/download/transcript.json?target={target}")["Content-Disposition"]
    assert name == f'attachment; filename="turn-{turn.pk}-{target}.json"'


def test_a_long_list_is_cut_on_the_page_and_whole_in_its_file(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "SHOWN", 300)
    turn = story("2a")
    text_ = page(client, f"/turns/{turn.pk}/export/?target=openai_chat")
    assert "Shown are the first 300 of" in words(text_)
    assert (
        f'data-copy-url="/turns/{turn.pk}/download/transcript.json?target=openai_chat&amp;policy=answer"'
        in text_
    )
