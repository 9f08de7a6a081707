"""Who may come in. Three actors: a program on this machine, a page of ours, a website of somebody else's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from tests import streams
from tests.web import WAIT, Socket, in_thread, socket
from turnscope.store.tokens import digest
from turnscope.web import sockets

FRAMES = "/api/channels/acme/frames"
BODY = streams.ndjson(streams.run_started())
OURS, EVIL = "http://localhost:8000", "https://evil.example"
Headers = Sequence[tuple[bytes, bytes]]


def headers(host: str = "localhost:8000", **more: str) -> list[tuple[bytes, bytes]]:
    found = [(b"host", host.encode("latin-1"))]
    return found + [
        (name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in more.items()
    ]


async def ask(
    web: Any, method: str, path: str, heads: Headers, body: bytes = b"", client: str = "127.0.0.1"
) -> tuple[int, dict[str, str], bytes]:
    """One HTTP request; its status, headers and body."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "root_path": "", "scheme": "http", "query_string": query.encode(), "headers": list(heads),
        "client": (client, 5), "server": ("127.0.0.1", 8000),
    }  # fmt: skip
    one = ApplicationCommunicator(web, scope)
    await one.send_input({"type": "http.request", "body": body, "more_body": False})
    start = await one.receive_output(WAIT)
    whole = b""
    while True:
        part = await one.receive_output(WAIT)
        whole += part.get("body", b"")
        if not part.get("more_body"):
            break
    await one.wait(WAIT)
    found = {key.decode().lower(): value.decode() for key, value in start["headers"]}
    return start["status"], found, whole


async def status(web: Any, *args: Any, **more: Any) -> int:
    return (await ask(web, *args, **more))[0]


async def joins(web: Any, path: str, heads: Headers, protocols: Sequence[str] = ()) -> bool:
    """Whether the handshake succeeds."""
    one = Socket(web, path, headers=list(heads), subprotocols=list(protocols))
    opened = await one.opens()
    if opened:
        await one.disconnect(1000, WAIT)
    return opened


# ---------------------------------------------------------------- a website of another origin


async def test_it_can_not_post_frames(web: Any) -> None:
    from turnscope.store.models import Channel

    assert await status(web, "POST", FRAMES, headers(origin=EVIL), BODY) == 403
    assert not await in_thread(Channel.objects.exists)


@pytest.mark.parametrize(
    "origin",
    [EVIL, "null", "http://localhost:3000", "http://localhost", "http://127.0.0.1:8000", "file://", "",
     "http://localhost:8000.evil.example", "http://evil@localhost:8000", "http://localhost:8000/", "http://[::"],
)  # fmt: skip
async def test_no_origin_but_our_very_own_is_ours(web: Any, origin: str) -> None:
    assert await status(web, "POST", FRAMES, headers(origin=origin), BODY) == 403
    assert not await joins(web, "/ws/ingest/acme/", headers(origin=origin))


async def test_it_can_open_no_socket(web: Any) -> None:
    async with socket(web, "/ws/ingest/acme/") as producer:
        await producer.sends(streams.run_started())
        await producer.hears()
    for path in ("/ws/ingest/acme/", "/ws/threads/1/", "/ws/channels/acme/", "/ws/nowhere/"):
        assert not await joins(web, path, headers(origin=EVIL))


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "127.0.0.2.nip.io"]
)
async def test_it_reads_nothing_by_pointing_its_name_here(web: Any, host: str) -> None:
    """DNS rebinding: the browser thinks that it talks to evil.example, and sends that as Host and Origin."""
    heads = headers(host, origin=f"http://{host}")
    for path in ("/healthz", "/api/channels/", "/static/icon.svg", "/"):
        answered, _, body = await ask(web, "GET", path, heads)
        assert answered == 400
        assert json.loads(body)["error"]["code"] == "host"
    assert not await joins(web, "/ws/ingest/acme/", heads)


async def test_two_hosts_or_none_are_nobody(web: Any) -> None:
    assert await status(web, "GET", "/healthz", [*headers(), (b"host", b"evil.example")]) == 400
    assert await status(web, "GET", "/healthz", []) == 400


async def test_a_second_origin_does_not_hide_behind_ours(web: Any) -> None:
    heads = [*headers(origin=OURS), (b"origin", EVIL.encode())]
    assert await status(web, "POST", FRAMES, heads, BODY) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_browser_that_sends_no_origin_is_known_by_its_site(web: Any, site: str) -> None:
    assert await status(web, "POST", FRAMES, headers(sec_fetch_site=site), BODY) == 403
    assert not await joins(web, "/ws/ingest/acme/", headers(sec_fetch_site=site))


async def test_a_preflight_of_a_stranger_is_refused(web: Any) -> None:
    heads = headers(origin=EVIL, access_control_request_method="POST")
    answered, found, _ = await ask(web, "OPTIONS", FRAMES, heads)
    assert answered == 403
    assert "access-control-allow-origin" not in found


async def test_it_can_not_read_across_origins_either(web: Any) -> None:
    """Nothing forbids a browser to ask; nothing allows it to hand the answer to the page."""
    _, found, _ = await ask(web, "GET", "/api/channels/", headers(origin=EVIL))
    assert "access-control-allow-origin" not in found
    assert found["cross-origin-resource-policy"] == "same-origin"


# ---------------------------------------------------------------- a page of ours, a program


async def test_a_page_of_ours_may_write(web: Any) -> None:
    assert await status(web, "POST", FRAMES, headers(origin=OURS, sec_fetch_site="same-origin"), BODY) == 200
    assert await joins(web, "/ws/channels/acme/", headers(origin=OURS))


@pytest.mark.parametrize(
    "host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "localhost", "LOCALHOST:8000"]
)
async def test_a_program_on_this_machine_needs_nothing(web: Any, host: str) -> None:
    assert await status(web, "POST", FRAMES, headers(host), BODY) == 200


async def test_a_program_from_elsewhere_needs_a_token(web: Any) -> None:
    assert await status(web, "POST", FRAMES, headers(), BODY, client="192.0.2.7") == 401
    await in_thread(grant, "acme", "s3cret")
    heads = headers(authorization="Bearer s3cret")
    assert await status(web, "POST", FRAMES, heads, BODY, client="192.0.2.7") == 200


async def test_behind_a_proxy_everybody_is_near_so_the_name_tells(web: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["turns.example"]
    assert await status(web, "POST", FRAMES, headers("turns.example"), BODY) == 401


async def test_a_wrong_token_is_refused_even_here(web: Any) -> None:
    await in_thread(grant, "acme", "s3cret")
    await in_thread(grant, "other", "theirs")
    for shown in ("wrong", "theirs", ""):
        assert await status(web, "POST", FRAMES, headers(authorization=f"Bearer {shown}"), BODY) == 401


async def test_a_socket_takes_a_token_as_header_or_subprotocol(web: Any) -> None:
    await in_thread(grant, "acme", "s3cret")
    path = "/ws/ingest/acme/"
    assert await joins(web, path, headers(authorization="Bearer s3cret"))
    one = Socket(web, path, headers=headers(), subprotocols=["turnscope", "turnscope.token.s3cret"])
    assert await one.connect(WAIT) == (True, "turnscope")
    await one.says_hello()
    await one.disconnect()
    wrong = Socket(web, path, headers=headers(), subprotocols=["turnscope.token.wrong"])
    assert await wrong.connect(WAIT) == (True, "turnscope.token.wrong")
    assert await wrong.closed_with() == sockets.NOT_ALLOWED
    await wrong.disconnect()


# ---------------------------------------------------------------- an invited origin


async def test_a_page_of_the_channels_origins_may_send_to_it_and_to_it_alone(web: Any) -> None:
    invited = "http://localhost:3000"
    await in_thread(invite, "acme", [invited])
    await in_thread(invite, "other", [EVIL])
    answered, found, _ = await ask(web, "POST", FRAMES, headers(origin=invited), BODY)
    assert answered == 200
    assert found["access-control-allow-origin"] == invited
    assert await joins(web, "/ws/ingest/acme/", headers(origin=invited))
    preflight = headers(origin=invited, access_control_request_method="POST")
    assert await status(web, "OPTIONS", FRAMES, preflight) == 204
    for path in ("/api/channels/other/frames", "/api/channels/acme/import", "/api/channels/"):
        assert await status(web, "POST", path, headers(origin=invited), BODY) == 403
    for path in ("/ws/ingest/other/", "/ws/channels/acme/", "/ws/threads/1/"):
        assert not await joins(web, path, headers(origin=invited))


async def test_a_real_client_of_an_invited_page_may_replay(web: Any) -> None:
    from turnscope.store.models import Run

    await in_thread(invite, "acme", ["http://localhost:3000"])
    await ask(web, "POST", FRAMES, headers(), streams.ndjson(streams.run_started() + streams.finished()))
    path = f"/replay/{await in_thread(lambda: Run.objects.get().pk)}/ag_ui/?speed=0"
    answered, found, _ = await ask(web, "POST", path, headers(origin="http://localhost:3000"), b"{}")
    assert answered == 200
    assert found["access-control-allow-origin"] == "http://localhost:3000"
    assert await status(web, "POST", path, headers(origin=EVIL), b"{}") == 403


async def test_settings_may_invite_an_origin_to_every_channel(web: Any, settings: Any) -> None:
    settings.ORIGINS = ["http://localhost:3000"]
    assert await status(web, "POST", FRAMES, headers(origin="http://localhost:3000"), BODY) == 200
    assert await status(web, "GET", "/api/channels/", headers(origin="http://localhost:3000")) == 200


@pytest.mark.parametrize("origins", [None, "http://localhost:3000", [3], {"a": 1}])
async def test_origins_that_are_no_list_of_texts_invite_nobody(web: Any, origins: Any) -> None:
    await in_thread(invite, "acme", origins)
    assert await status(web, "POST", FRAMES, headers(origin="http://localhost:3000"), BODY) == 403


# ---------------------------------------------------------------- what goes out


@pytest.mark.parametrize(
    "path", ["/healthz", "/api/channels/", "/no/such/page", "/static/icon.svg", "/static/no.svg"]
)
async def test_every_response_carries_the_policy(web: Any, path: str) -> None:
    _, found, _ = await ask(web, "GET", path, headers())
    policy = found["content-security-policy"]
    # Spelled out here and not taken from the code: this is what the pages were measured to be clean under.
    for part in (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
        "font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'self'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    ):  # fmt: skip
        assert part in policy.split("; ")
    assert "unsafe" not in policy
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "same-origin"


async def test_a_refusal_carries_the_policy_too(web: Any) -> None:
    _, found, _ = await ask(web, "GET", "/", headers("evil.example"))
    assert "frame-ancestors 'none'" in found["content-security-policy"]


def grant(slug: str, token: str) -> None:
    from turnscope.store.models import Channel, Token

    channel, _ = Channel.objects.get_or_create(slug=slug)
    Token.objects.create(channel=channel, digest=digest(token), label="test")


def invite(slug: str, origins: Any) -> None:
    from turnscope.store.models import Channel

    Channel.objects.update_or_create(slug=slug, defaults={"settings": {"origins": origins}})


# ---------------------------------------------------------------- what pages change

CHANGES = [
    ("/settings/acme/", b"do=json&json=%7B%22policy%22%3A+%22block%22%7D"),
    ("/settings/acme/", b"do=token&label=theirs"),
    ("/findings/1/mute/", b"reason=because&scope=all"),
    ("/import/?channel=acme&name=run.jsonl", BODY),
    ("/import/1/", b""),
]
FORM = {"content_type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(("path", "body"), CHANGES)
async def test_a_website_of_another_origin_changes_nothing_by_a_form(
    web: Any, path: str, body: bytes
) -> None:
    from turnscope.store.models import Channel, Import, Token

    await in_thread(lambda: Channel.objects.create(slug="acme"))
    for heads in (
        headers(origin=EVIL, **FORM), headers(origin="null", **FORM),
        headers(sec_fetch_site="cross-site", **FORM),
    ):  # fmt: skip
        assert await status(web, "POST", path, heads, body) == 403
    assert (
        await status(web, "POST", path, headers("evil.example", origin="http://evil.example", **FORM), body)
        == 400
    )
    assert await in_thread(lambda: Channel.objects.get().settings) == {}
    assert not await in_thread(Token.objects.exists)
    assert not await in_thread(Import.objects.exists)


@pytest.mark.parametrize(("path", "body"), CHANGES[:2])
async def test_from_another_machine_a_form_needs_a_token_of_its_channel(
    web: Any, path: str, body: bytes
) -> None:
    from turnscope.store.models import Channel, Token

    def make() -> None:
        for slug, token in (("acme", "good"), ("other", "theirs")):
            channel = Channel.objects.create(slug=slug)
            Token.objects.create(channel=channel, digest=digest(token), label=slug)

    await in_thread(make)
    heads = headers(origin=OURS, **FORM)
    for shown in (b"", b"&token=wrong", b"&token=theirs"):
        assert await status(web, "POST", path, heads, body + shown, client="10.0.0.7") == 403
    assert await status(web, "POST", path, heads, body + b"&token=good", client="10.0.0.7") in (200, 303)
    assert await status(web, "POST", path, heads, body) in (200, 303)


async def test_a_page_reads_nothing_of_a_form_by_getting_it(web: Any) -> None:
    """A mute and a stop are posts alone: a picture of an address does not set them off."""
    from turnscope.store.models import Channel

    await in_thread(lambda: Channel.objects.create(slug="acme"))
    assert await status(web, "GET", "/findings/1/mute/?reason=x", headers()) == 405
    assert await status(web, "GET", "/settings/acme/?do=token", headers()) == 200
    assert await in_thread(lambda: Channel.objects.get().tokens.count()) == 0
