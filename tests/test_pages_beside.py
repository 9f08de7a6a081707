"""The pages around a turn: find, rules, export, errors, and what every page has."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.test_pages import STORIES, page, story, turn_page, words
from turnscope.core.rules import RULES
from turnscope.store import models

pytestmark = pytest.mark.django_db

# ---------------------------------------------------------------- find


@pytest.mark.parametrize(
    "asked",
    [
        "call-c3488955",
        "AI_MissingToolResultsError: Tool result is missing for tool call call-c3488955.",
        '{"error": "No tool output found for function call call-c3488955."}',
        "\u201ccall-c3488955\u201d",
    ],
)
def test_an_id_or_a_pasted_error_leads_to_the_call(client: Client, asked: str):
    turn = story("2a")
    answer = client.get("/find/", {"q": asked})
    assert answer.status_code == 302
    assert answer["Location"] == f"/turns/{turn.pk}/?call=28&event=144"


def test_words_lead_to_what_holds_them(client: Client):
    story("2a")
    assert "Turns" in words(page(client, "/find/?q=offline+devices"))


@pytest.mark.parametrize("query", ["", "%00", "nothing+of+the+kind", "a" * 3000, "%F0%9F%98%80", "'%22;--"])
def test_what_is_nowhere_is_said_plainly(client: Client, query: str):
    page(client, f"/find/?q={query}")


def test_a_run_leads_to_its_turn(client: Client):
    turn = story("2a")
    run = models.Run.objects.get()
    assert client.get(f"/runs/{run.pk}/")["Location"] == f"/turns/{turn.pk}/?event={run.start_seq}"


# ---------------------------------------------------------------- rules, export, errors


@pytest.mark.parametrize("module", RULES, ids=lambda module: module.CODE)
def test_every_rule_has_its_page(client: Client, module: Any):
    text_ = words(page(client, f"/rules/{module.CODE}/"))
    for heading in ("What it sees", "Why it matters", "Repair"):
        assert heading in text_
    assert "# " not in text_


def test_the_list_of_rules_leads_to_each(client: Client):
    text_ = page(client, "/rules/")
    assert all(f'href="/rules/{module.CODE}/"' in text_ for module in RULES)


@pytest.mark.parametrize("target", ["openai_chat", "anthropic", "ai_sdk", "ag_ui"])
def test_the_export_page_gives_each_target_its_messages(client: Client, target: str):
    turn = story("2a")
    text_ = page(client, f"/turns/{turn.pk}/export/?target={target}")
    shown = re.search(r"<textarea[^>]*>(.*?)</textarea>", text_, re.S)
    assert shown
    answer = client.get(f"/turns/{turn.pk}/download/transcript.json?target={target}")
    assert answer["Content-Disposition"].startswith("attachment")
    assert json.loads(html.unescape(shown[1])) == json.loads(answer.content)
    assert "TOOL_NOT_EXECUTED" in answer.content.decode()


def test_the_frames_of_a_turn_are_downloaded_as_they_arrived(client: Client):
    turn = story("2a")
    lines = client.get(f"/turns/{turn.pk}/download/frames.jsonl").content.splitlines()
    assert lines == next(STORIES.glob("2a-*.jsonl")).read_bytes().splitlines()


def test_an_address_that_is_none_gives_a_page_and_a_twin_gives_json(client: Client):
    assert "There is no turn 999 here." in words(page(client, "/turns/999/", 404))
    answer = client.get("/turns/999.json")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "There is no turn 999 here."


@pytest.mark.parametrize(
    "query", ["?event=x", "?event=-4", "?event=9" * 9, "?kind=,,x&before=0&after=y", "?lanes=z&call=%00"]
)
def test_a_query_that_means_nothing_is_read_over(client: Client, query: str):
    turn_page(client, story("1a"), query)


def test_nothing_is_written_by_looking(client: Client):
    turn = story("2a")
    assert client.post(f"/turns/{turn.pk}/").status_code in (403, 405)


def test_the_theme_a_reader_chose_is_there_from_the_first_byte(client: Client):
    client.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in page(client, "/rules/")
    client.cookies["theme"] = '"><script>'
    assert '<html lang="en">' in page(client, "/rules/")


def test_the_standing_pages_are_there(client: Client):
    for path in ("/connect/", "/help/keys/", "/rules/", "/channels/", "/findings/", "/find/"):
        page(client, path)
    assert client.get("/favicon.ico").status_code == 301


def test_the_snippet_for_python_runs_as_it_stands(client: Client):
    """It names what the client has; the agent is the reader's own."""
    from turnscope import client as sdk

    text = html.unescape(page(client, "/connect/?channel=acme"))
    code = re.search(
        r"<pre[^>]*>(# pip install 'turnscope\[client\]'\nfrom turnscope.client.*?)</pre>", text, re.S
    )
    assert code

    sent: list[Any] = []

    class Recorder:
        def __init__(self, server: str, channel: str) -> None:
            assert (server, channel) == ("http://testserver", "acme")

        send = sent.append

    class Agent:
        def run(self, question: str) -> list[str]:
            return [question]

    assert callable(sdk.Recorder.send)
    code_ = code[1].replace("from turnscope.client import Recorder", "")
    exec(code_, {"Recorder": Recorder, "agent": Agent(), "question": "why?"})
    assert sent == ["why?"]
