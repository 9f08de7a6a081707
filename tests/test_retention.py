"""What is kept, on its page: how much it is, and how it goes, in two steps and for nobody who may not."""

from __future__ import annotations

import html
import json
import re
import time
from typing import Any

import pytest
from django.test import Client

from tests.journals import live, recorded, say
from tests.streams import call, finished, ndjson, result, run_started, text
from tests.test_access import ask, headers
from tests.test_pages import page, words
from tests.web import in_thread
from turnscope.core.framing import split
from turnscope.store import journal, models, tokens
from turnscope.web import keeping

pytestmark = pytest.mark.django_db(transaction=True)
HERE = {"HTTP_HOST": "localhost:8000"}
HOSTILE = '"><script>alert(1)</script>\u202e'


def run(name: str) -> bytes:
    return ndjson(run_started(thread=name) + call("c1") + result("c1") + text() + finished(thread=name))


@pytest.fixture(autouse=True)
def fresh_journal():
    journal._journal = None
    yield
    journal._journal = None


@pytest.fixture
def two() -> tuple[models.Thread, models.Thread]:
    """Two threads of the channel acme, and one of another channel."""
    own = journal.get_journal()
    for name in ("a", "b"):
        recorded(own, run(name))
    other = own.open_stream("other", recording=True, create=True)
    say(own, other, split(run("c")))
    own.close_stream(other, "end")
    first, second = models.Thread.objects.filter(channel__slug="acme").order_by("pk")
    return first, second


def seal(text_: str) -> str:
    found = re.search(r'name="seal" value="([^"]*)"', text_)
    assert found, words(text_)
    return html.unescape(found[1])


def left() -> dict[str, int]:
    return {slug: models.Thread.objects.filter(channel__slug=slug).count()
            for slug in models.Channel.objects.values_list("slug", flat=True)}  # fmt: skip


# ---------------------------------------------------------------- how much


def test_each_channel_is_told_with_what_it_weighs(client: Client, two: Any) -> None:
    told = json.loads(page(client, "/retention.json"))
    acme = next(one for one in told["channels"] if one["slug"] == "acme")
    assert (acme["threads"], acme["raw"]) == (2, len(run("a")) + len(run("b")) + marks("acme"))
    assert 0 < acme["disk"] and told["database"] > 0 and told["free"] > 0
    assert acme["events"] == sum(one.last_seq for one in two)
    assert "until you remove it" in words(page(client, "/retention/"))
    assert [one["id"] for one in json.loads(page(client, "/retention.json?channel=acme"))["threads"]] == [
        one.pk for one in two
    ]


def marks(slug: str) -> int:
    """Bytes of our own rows, which are kept beside what came."""
    from turnscope.core.kinds import MARK
    from turnscope.store import reading

    threads = models.Thread.objects.filter(channel__slug=slug)
    return sum(len(frame.raw) for one in threads for frame in reading.read(one.pk) if frame.kind >= MARK)


def test_many_threads_are_listed_page_by_page(
    client: Client, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "THREADS", 1)
    first = json.loads(page(client, "/retention.json?channel=acme"))
    second = json.loads(page(client, f"/retention.json?channel=acme&before={first['more']}"))
    assert [one["id"] for one in first["threads"] + second["threads"]] == [one.pk for one in two]
    assert second["more"] == 0


# ---------------------------------------------------------------- two steps


def test_a_thread_goes_in_two_steps_and_alone(client: Client, two: Any) -> None:
    first, second = two
    address = f"/retention/thread/{first.pk}/"
    shown = page(client, address)
    assert "cannot be undone" in words(shown) and left() == {"acme": 2, "other": 1}
    answer = client.post(address, {"seal": seal(shown)}, **HERE)
    assert (answer.status_code, answer["Location"]) == (303, "/retention/?said=removed&channel=acme")
    assert left() == {"acme": 1, "other": 1}
    assert not models.Segment.objects.filter(thread=first.pk).exists()
    assert models.Turn.objects.filter(thread=second).exists()
    assert client.get(f"/threads/{first.pk}/", **HERE).status_code == 404


def test_a_channel_goes_with_all_that_is_its(client: Client, two: Any) -> None:
    pk = models.Channel.objects.get(slug="acme").pk
    tokens.mint(models.Channel.objects.get(pk=pk), "ci")
    shown = page(client, f"/retention/channel/{pk}/")
    assert "2 threads of acme" in words(shown)
    assert client.post(f"/retention/channel/{pk}/", {"seal": seal(shown)}, **HERE).status_code == 303
    assert left() == {"other": 1}
    assert not models.Token.objects.exists() and models.Stream.objects.count() == 1
    recorded(journal.get_journal(), run("a"))
    assert left() == {"acme": 1, "other": 1}, "the channel can be made anew"


def test_what_nothing_was_written_to_for_long_goes_together(client: Client, two: Any) -> None:
    pk, long_ago = models.Channel.objects.get(slug="acme").pk, int((time.time() - 40 * 86400) * 1000)
    models.Thread.objects.filter(pk=two[0].pk).update(last_at=long_ago)
    models.Stream.objects.filter(feeds__thread=two[0]).update(opened_at=long_ago)
    models.Thread.objects.filter(pk=two[1].pk).update(last_at=int(time.time() * 1000))
    address = f"/retention/channel/{pk}/?days=30"
    assert "1 thread of acme" in words(page(client, address))
    assert client.post(address, {"seal": seal(page(client, address))}, **HERE).status_code == 303
    assert left() == {"acme": 1, "other": 1}
    assert "nothing that old" in words(page(client, address))


def test_nothing_goes_without_the_seal_of_what_was_shown(client: Client, two: Any) -> None:
    first, second = two
    pk = models.Channel.objects.get(slug="acme").pk
    other = seal(page(client, f"/retention/thread/{second.pk}/"))
    for given in ("", "x", other, f"{other}x"):
        for address in (f"/retention/thread/{first.pk}/", f"/retention/channel/{pk}/"):
            assert client.post(address, {"seal": given}, **HERE).status_code == 409
    # It went on meanwhile: that is no longer what was shown.
    shown = seal(page(client, f"/retention/thread/{first.pk}/"))
    models.Thread.objects.filter(pk=first.pk).update(last_seq=first.last_seq + 1)
    assert client.post(f"/retention/thread/{first.pk}/", {"seal": shown}, **HERE).status_code == 409
    # A seal for the old ones is none for all.
    models.Thread.objects.update(last_at=1)
    models.Stream.objects.update(opened_at=1)
    old = seal(page(client, f"/retention/channel/{pk}/?days=7"))
    assert client.post(f"/retention/channel/{pk}/", {"seal": old}, **HERE).status_code == 409
    assert client.get(f"/retention/thread/{first.pk}/?seal={other}", **HERE).status_code == 200
    assert left() == {"acme": 2, "other": 1}


def test_a_seal_does_not_hold_for_ever(client: Client, two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"/retention/thread/{two[0].pk}/"
    shown = seal(page(client, address))
    monkeypatch.setattr(keeping, "SECONDS", -1)
    assert client.post(address, {"seal": shown}, **HERE).status_code == 409
    assert left()["acme"] == 2


def test_what_somebody_writes_to_stays(client: Client, two: Any) -> None:
    own = journal.get_journal()
    handle = live(own)
    say(own, handle, split(ndjson(run_started(thread="now"))))
    thread = models.Thread.objects.get(name="now")
    for address in (f"/retention/thread/{thread.pk}/", f"/retention/channel/{thread.channel_id}/"):
        text_ = page(client, address)
        assert "Not now:" in words(text_) and 'name="seal"' not in text_
        what = keeping._what(address.split("/")[2], int(address.split("/")[3]), 0)
        assert client.post(address, {"seal": what["seal"]}, **HERE).status_code == 409
    assert left()["acme"] == 3
    own.close_stream(handle, "end")
    address = f"/retention/thread/{thread.pk}/"
    assert client.post(address, {"seal": seal(page(client, address))}, **HERE).status_code == 303


def test_an_import_that_is_not_over_keeps_its_channel(client: Client, two: Any) -> None:
    channel = models.Channel.objects.get(slug="acme")
    models.Import.objects.create(channel=channel, name="x", state="waiting")
    assert "stop it first" in words(page(client, f"/retention/channel/{channel.pk}/"))


# ---------------------------------------------------------------- who may


def test_from_elsewhere_a_token_of_the_channel_is_needed(client: Client, two: Any) -> None:
    address, away = f"/retention/thread/{two[0].pk}/", {"HTTP_HOST": "testserver"}
    shown = client.get(address, **away).content.decode()
    given = {"seal": seal(shown)}
    assert client.post(address, given, **away).status_code == 403
    assert client.post(address, {**given, "token": "wrong"}, **away).status_code == 403
    wrong = tokens.mint(models.Channel.objects.get(slug="other"), "other")
    assert client.post(address, {**given, "token": wrong}, **away).status_code == 403
    assert left()["acme"] == 2
    right = tokens.mint(models.Channel.objects.get(slug="acme"), "mine")
    assert client.post(address, {**given, "token": right}, **away).status_code == 303


async def test_another_page_cannot_remove_anything_even_with_a_seal(web: Any, two: Any) -> None:
    address = f"/retention/thread/{two[0].pk}/"
    _, _, body = await ask(web, "GET", address, headers())
    given = b"seal=" + seal(body.decode()).encode()
    form = {"content_type": "application/x-www-form-urlencoded"}
    for origin in ("http://evil.example", "null"):
        status, _, _ = await ask(web, "POST", address, headers(origin=origin, **form), given)
        assert status == 403
    assert (await in_thread(left))["acme"] == 2


def test_hostile_names_are_text(client: Client) -> None:
    recorded(journal.get_journal(), run(HOSTILE))
    thread = models.Thread.objects.get()
    for address in ("/retention/?channel=acme", f"/retention/thread/{thread.pk}/"):
        text_ = page(client, address)
        assert "<script>alert" not in text_ and "\u202e" not in text_


@pytest.mark.parametrize("address", ["/retention/thread/99/", "/retention/channel/99/", "/retention/turn/1/"])
def test_what_is_not_there_cannot_go(client: Client, address: str) -> None:
    assert client.get(address, **HERE).status_code == 404
