"""The settings pages: a form filled as a person fills it, judged with paths, and what is habit offered."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.streams import call, finished, ndjson, result, run_started, timed
from tests.test_pages import page, story, take_in, words
from turnscope.core.tools import compile_settings
from turnscope.store import choices, models, suggestions, tokens

pytestmark = pytest.mark.django_db
HERE = {"HTTP_HOST": "localhost:8000"}


@pytest.fixture
def channel() -> models.Channel:
    return models.Channel.objects.create(
        slug="acme", settings={"owners": {"server": ["look_*"]}, "severities": {"C18": "warning"}}
    )


def send(client_: Client, status: int = 303, **fields: str) -> str:
    answer = client_.post("/settings/acme/", fields, **HERE)
    assert answer.status_code == status, answer.content.decode()[:600]
    return answer.content.decode() if status != 303 else answer["Location"]


def filled(client: Client) -> dict[str, str]:
    """What a browser would send of the form as it stands, nothing touched."""
    text = page(client, "/settings/acme/").split('<form class="form box"')[1].split("</form>")[0]
    fields = dict(re.findall(r'<input type="(?:hidden|text)" name="([^"]+)" value="([^"]*)"', text))
    fields |= dict(re.findall(r'<textarea name="([^"]+)"[^>]*>([^<]*)<', text))
    for name, options in re.findall(r'<select name="([^"]+)">(.*?)</select>', text, re.S):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options)
        fields[name] = (chosen[1] if chosen[1] is not None else chosen[2]) if chosen else ""
    return {**fields, "do": "save"}


def now(channel: models.Channel) -> Any:
    channel.refresh_from_db()
    return channel.settings


def test_a_form_that_nobody_touched_changes_nothing(client: Client, channel: models.Channel):
    settings = {
        "owners": {"server": ["look_*"], "client": ["show_*", "filter"]},
        "limits": {"tools": {"look_up": 5000, "x": 1234}, "owners": {"client": 120_000, "server": None},
                   "silence": 90_000, "result": 77},
        "preset": "claude_code", "target": "anthropic", "policy": "drop", "origins": ["http://localhost:3000"],
        "severities": {"C18": {"severity": "warning", "reason": "slow is bad", "date": "2026-11-30"}},
        "mutes": [{"code": "R09", "reason": "known", "date": "2026-11-30"}], "client": "lenient",
    }  # fmt: skip
    choices.replace(channel.pk, settings)
    send(client, **filled(client))
    assert now(channel) == settings


def test_lengths_of_time_are_read_with_their_units(client: Client, channel: models.Channel):
    send(client, **{**filled(client), "limits.server": "250 ms", "limits.client": "none", "silence": "5 min",
                    "tool_limits": "look_up = 1.5 s\nslow_* = 1 h"})  # fmt: skip
    assert now(channel)["limits"] == {
        "owners": {"server": 250, "client": None}, "silence": 300_000,
        "tools": {"look_up": 1500, "slow_*": 3_600_000},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("field", "text", "path"),
    [("tool_limits", "look_up = soon", "limits.tools.look_up"), ("silence", "x", "limits.silence"),
     ("limits.server", "30", "limits.owners.server"), ("severities", "C18 = loud", "severities.C18"),
     ("target", "nobody", "target")],
)  # fmt: skip
def test_what_is_not_understood_is_named_by_its_path_and_nothing_is_saved(
    client: Client, channel: models.Channel, field: str, text: str, path: str
):
    before = now(channel)
    answer = send(client, 422, **{**filled(client), field: text})
    assert path in words(answer)
    assert "Nothing was saved" in words(answer)
    assert text in answer  # what was typed is still there
    assert now(channel) == before


def test_of_two_people_who_edit_at_once_the_second_is_told(client: Client, channel: models.Channel):
    mine = filled(client)
    choices.replace(channel.pk, {"policy": "drop"})
    answer = send(client, 409, **{**mine, "limits.server": "5 s"})
    assert "Somebody else has changed these settings" in words(answer)
    assert now(channel) == {"policy": "drop"}


def test_json_that_is_none_says_where(client: Client, channel: models.Channel):
    seal = choices.seal(now(channel))
    assert "This is not JSON" in words(send(client, 422, do="json", seal=seal, json='{"owners": '))
    assert "NaN is no JSON number" in words(send(client, 422, do="json", seal=seal, json='{"limits": NaN}'))
    assert "unknown setting" in words(send(client, 422, do="json", seal=seal, json='{"ownners": {}}'))
    send(client, do="json", seal=seal, json='{"policy": "block"}')
    assert now(channel) == {"policy": "block"}


def test_the_count_of_a_channels_changes_is_not_put_back(channel: models.Channel):
    models.Channel.objects.filter(pk=channel.pk).update(last_change=7)
    choices.mute(channel.pk, "C18", "*", "known", "2026-11-30")
    assert models.Channel.objects.get(pk=channel.pk).last_change == 7


# ---------------------------------------------------------------- who may


def test_from_elsewhere_a_token_of_the_channel_is_needed(client: Client, channel: models.Channel):
    other = models.Channel.objects.create(slug="other")
    before = now(channel)
    for extra in ({"HTTP_HOST": "testserver"}, {"HTTP_HOST": "localhost", "REMOTE_ADDR": "10.0.0.9"}):
        for shown in ("", "wrong", tokens.mint(other, "theirs")):
            answer = client.post("/settings/acme/", {"do": "json", "json": "{}", "token": shown}, **extra)
            assert answer.status_code == 403
    assert now(channel) == before
    good = tokens.mint(channel, "mine")
    answer = client.post(
        "/settings/acme/", {"do": "json", "json": "{}", "token": good}, HTTP_HOST="testserver"
    )
    assert answer.status_code == 303


def test_a_token_is_shown_once_and_can_be_taken_back(client: Client, channel: models.Channel):
    text = send(client, 200, do="token", label="ci")
    minted = re.search(r'id="minted">([^<]+)<', text)[1]
    assert models.Token.objects.get(channel=channel).digest == tokens.digest(minted)
    assert minted not in page(client, "/settings/acme/")
    send(client, do="revoke", id=str(models.Token.objects.get().pk))
    assert not models.Token.objects.exists()


def test_secrets_of_the_server_are_on_no_page(client: Client, settings):
    settings.SECRET_KEY = "do-not-show-this"
    assert "do-not-show-this" not in page(client, "/settings/")


# ---------------------------------------------------------------- suggestions


def test_a_tool_near_its_limit_is_offered_a_longer_one_and_one_click_accepts(client: Client):
    begin = 1_800_000_000_000
    stream: list[dict[str, Any]] = timed(run_started())
    at = begin
    for i in range(10):
        for event in call(f"c{i}", "render"):
            at += 10
            stream.append({**event, "timestamp": at})
        at += 27_000 if i else 1_000
        stream.append({**result(f"c{i}", "ok")[0], "timestamp": at})
    stream += [{**event, "timestamp": at + 5} for event in finished()]
    take_in(ndjson(stream))
    channel = models.Channel.objects.get()
    offered = suggestions.suggestions(channel.pk, {})
    [one] = [one for one in offered if one.path.startswith("limits.")]
    assert (one.path, one.value) == ("limits.tools.render", 45_000)
    assert "27 s at p95" in one.text
    answer = client.post(
        "/settings/acme/", {"do": "accept", "key": one.key, "seal": choices.seal({})}, **HERE
    )
    assert answer.status_code == 303
    assert compile_settings(models.Channel.objects.get().settings).limit("render", "server")[0] == 45_000
    assert one.key not in [
        it.key for it in suggestions.suggestions(channel.pk, models.Channel.objects.get().settings)
    ]


def test_a_tool_that_two_have_answered_is_offered_no_owner(channel: models.Channel):
    thread = models.Thread.objects.create(channel=channel, key="k", name="t")
    answered = [{"late": False, "seq": 1}]
    for number, owner in enumerate(["client", "client", "client", "server"], 1):
        models.Call.objects.create(
            thread=thread, number=number, changed_at_seq=1, call_id=str(number), call_key="", name="mixed",
            plane="stream", state="ok", owner=owner, answers=answered,
        )  # fmt: skip
        models.Call.objects.create(
            thread=thread, number=number + 10, changed_at_seq=1, call_id=str(number), call_key="", name="*",
            plane="stream", state="ok", owner="client", answers=answered,
        )  # fmt: skip
    assert suggestions.suggestions(channel.pk, {}) == []
    models.Call.objects.filter(owner="server").delete()
    [one] = suggestions.suggestions(channel.pk, {})
    assert one.text == "mixed was always answered by the browser"
    assert one.applied({"owners": {"client": ["a"]}}) == {"owners": {"client": ["a", "mixed"]}}


@pytest.mark.parametrize(
    ("values", "expected"), [([1], 1), (list(range(1, 101)), 95), (list(range(1, 21)), 19)]
)
def test_a_percentile_is_the_nearest_rank(values: list[int], expected: int):
    assert suggestions.percentile(values, 0.95) == expected


# ---------------------------------------------------------------- mutes


def test_a_finding_is_muted_with_a_reason_and_counted_again(client: Client):
    story("2a")
    row = models.Finding.objects.filter(code="C03").first()
    assert client.post(f"/findings/{row.pk}/mute/", {"reason": " "}, **HERE).status_code == 422
    answer = client.post(f"/findings/{row.pk}/mute/", {"reason": "known bug", "scope": "this"}, **HERE)
    assert answer.status_code == 303
    channel = models.Channel.objects.get()
    [one] = channel.settings["mutes"]
    assert (one["code"], one["subject"], one["reason"]) == ("C03", row.subject, "known bug")
    undo = {"do": "unmute", "code": "C03", "subject": row.subject, "back": "findings"}
    slug = channel.slug
    assert client.post(f"/settings/{slug}/", undo, **HERE)["Location"] == "/findings/?said=unmuted"
    channel.refresh_from_db()
    assert "mutes" not in channel.settings
    assert "gone" in client.post(f"/settings/{slug}/", undo, **HERE)["Location"]


def test_a_mute_of_one_subject_covers_no_other_whatever_stars_its_name_has(client: Client):
    from turnscope.core.muting import compile_muting
    from turnscope.web.forms import pattern

    row = models.Finding(code="C02", subject="call[1]*?")
    muting = compile_muting(
        {"mutes": [{"code": "C02", "subject": pattern(row, "this"), "reason": "r", "date": "2026-11-30"}]}
    )
    assert muting.mute("C02", "call[1]*?")
    assert not muting.mute("C02", "call[1]xy")
    assert not muting.mute("C02", "call1*?")


def test_the_twin_has_what_the_page_has(client: Client, channel: models.Channel):
    twin = json.loads(page(client, "/settings/acme.json"))
    assert twin["settings"] == channel.settings
    assert {"suggestions", "mutes", "tokens", "problems", "seal"} <= twin.keys()
