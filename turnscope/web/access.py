"""Who may come in: by which name we are called, from whose page, with which token.

`Door` stands before everything in `asgi.py`, sockets and static files included, and reads no body. A
server on a person's own machine is reachable by every website that person opens; so, from the first day:

- **Host**: the name asked for must be ours (`TURNSCOPE_HOSTS`). A website that points its own name at
  127.0.0.1 (DNS rebinding) would otherwise be same-origin with us and read every page.
- **Origin**: on every write and every socket a browser says which page it comes from. It must be our own
  or one of the channel's (or server's) `origins`. `null` is nobody's. No Origin at all is a program.
  A browser that leaves it out still says `Sec-Fetch-Site`; only `same-origin` and `none` pass.
- **Token**: a program needs none where both its address and the name it used are this machine's. From
  anywhere else it needs the channel's, and a wrong one is refused everywhere.

There are no cookies and no accounts, so a form token (CSRF) would prove nothing that Origin does not:
browsers send Origin with every POST, and a page of another site can neither leave it out nor forge it.
Referrer-Policy stays `same-origin`: with `no-referrer` our own forms would send `Origin: null`.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from channels.db import database_sync_to_async
from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host

from turnscope.store.models import Channel, Token
from turnscope.store.tokens import digest

Scope = dict[str, Any]
Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""One policy for every response: what an agent emitted is hostile text, and no page of ours needs more."""

HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)
"""Set where the response does not say otherwise itself."""

SAFE = ("GET", "HEAD")
SLUG = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What a channel may be called."""
TOKEN_PROTOCOL = "turnscope.token."
PROTOCOL = "turnscope"

OPEN_TO_ORIGINS = (
    re.compile(r"/ws/ingest/(?P<channel>[\w-]{1,64})/?", re.ASCII),
    re.compile(r"/api/channels/(?P<channel>[\w-]{1,64})/frames/?", re.ASCII),
    re.compile(r"/replay/(?P<run>\d{1,18})/[a-z_]+/?", re.ASCII),
)
"""What a page of a channel's `origins` may reach: its producers' doors, and its replays. Nothing else."""

CORS = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type, content-encoding, idempotency-key"),
    (b"access-control-max-age", b"600"),
)


class Refusal(NamedTuple):
    """Why somebody may not come in."""

    status: int
    code: str
    message: str


NOT_OUR_NAME = Refusal(
    400, "host", "This server does not go by that name. TURNSCOPE_HOSTS lists the names it answers to."
)
NOT_YOUR_PAGE = Refusal(
    403, "origin", "Pages of other origins may not do this. A channel's `origins` say which may send to it."
)


class Door:
    """The outermost application: refuses who may not come in, puts our headers on what goes out."""

    def __init__(self, inside: Application) -> None:
        self.inside = inside

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.inside(scope, receive, send)
            return
        refusal, foreign = await self.judge(scope)
        if refusal is not None:
            await refuse(scope, refusal, dressed(scope, send, None))
        elif foreign and scope.get("method") == "OPTIONS":
            await answer(204, b"", list(CORS), dressed(scope, send, foreign))
        else:
            await self.inside(scope, receive, dressed(scope, send, foreign))

    async def judge(self, scope: Scope) -> tuple[Refusal | None, str | None]:
        """Why it is refused, if it is; and the foreign origin that is let in, if one is."""
        if not our_name(scope):
            return NOT_OUR_NAME, None
        origins = values(scope, b"origin")
        writes = scope["type"] == "websocket" or scope["method"] not in SAFE
        if not origins:
            # A browser that sends no Origin says at least where it stands.
            site = values(scope, b"sec-fetch-site")
            return (NOT_YOUR_PAGE if writes and site not in ([], ["same-origin"], ["none"]) else None), None
        if len(origins) == 1 and same_origin(scope, origins[0]):
            return None, None
        if len(origins) == 1 and await invited(scope, origins[0]):
            return None, origins[0]
        return (NOT_YOUR_PAGE if writes else None), None


# ---------------------------------------------------------------- names and origins


def values(scope: Scope, name: bytes) -> list[str]:
    """Every value of a header; hostile ones come as text."""
    return [value.decode("latin-1").strip() for key, value in scope.get("headers", ()) if key.lower() == name]


def our_name(scope: Scope) -> bool:
    """Whether the one Host asked for is among ours."""
    hosts = values(scope, b"host")
    if len(hosts) != 1:
        return False
    name, _ = split_domain_port(hosts[0])
    return bool(name) and validate_host(name, settings.ALLOWED_HOSTS)


def same_origin(scope: Scope, origin: str) -> bool:
    """Whether a page of `origin` is ours: the very host and port that were asked for."""
    return origin.lower() in {
        f"{scheme}://{values(scope, b'host')[0].lower()}" for scheme in ("http", "https")
    }


async def invited(scope: Scope, origin: str) -> bool:
    """Whether the channel that this path belongs to, or the server, invites pages of `origin` here."""
    for pattern in OPEN_TO_ORIGINS:
        found = pattern.fullmatch(scope["path"])
        if found:
            origins = settings.ORIGINS or []
            return origin in origins or origin in await channel_origins(found.groupdict())
    return False


@database_sync_to_async
def channel_origins(where: dict[str, str]) -> list[str]:
    """The `origins` of the channel that a path names, by its slug or by one of its runs."""
    rows = Channel.objects.all()
    if "run" in where:
        rows = rows.filter(threads__run__pk=int(where["run"]))
    else:
        rows = rows.filter(slug=where["channel"])
    row = rows.values_list("settings", flat=True).first()
    origins = row.get("origins") if isinstance(row, dict) else None
    return [one for one in origins if isinstance(one, str)] if isinstance(origins, list) else []


def loopback(scope: Scope) -> bool:
    """Whether both ends are this machine: the peer's address, and the name it used for us.

    Behind a proxy that serves a name of its own, every peer's address is this machine's: the name tells.
    """
    client = scope.get("client")
    name, _ = split_domain_port(values(scope, b"host")[0])
    return (client is None or _ours(str(client[0]))) and (name == "localhost" or _ours(name.strip("[]")))


def _ours(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


# ---------------------------------------------------------------- tokens


def token(scope: Scope) -> str | None:
    """The token that was shown: `Authorization: Bearer`, or a subprotocol, which browsers can send."""
    for value in values(scope, b"authorization"):
        kind, _, rest = value.partition(" ")
        if kind.lower() == "bearer":
            return rest.strip()
    for protocol in scope.get("subprotocols", ()):
        if protocol.startswith(TOKEN_PROTOCOL):
            return str(protocol.removeprefix(TOKEN_PROTOCOL))
    return None


def subprotocol(scope: Scope) -> str | None:
    """Which offered subprotocol to accept: a browser that offers some hangs up when none is."""
    offered = scope.get("subprotocols", ())
    return next((one for one in offered if one == PROTOCOL or one.startswith(TOKEN_PROTOCOL)), None)


def may_send(scope: Scope, channel: str) -> bool:
    """Whether this caller may send to the channel; Host and Origin were judged at the door.."""
    shown = token(scope)
    if shown is None:
        return loopback(scope)
    return Token.objects.filter(channel__slug=channel, digest=digest(shown)).exists()


def may_change(scope: Scope, channel: str, shown: str = "") -> bool:
    """Whether this caller may change the channel's settings; `shown` is a token out of a form."""
    told = token(scope) or shown or None
    if told is None:
        return loopback(scope)
    return Token.objects.filter(channel__slug=channel, digest=digest(told)).exists()


def scope_of(request: HttpRequest) -> Scope:
    """What is asked of a connection here, of a request; one that came by WSGI or a test client too."""
    scope = getattr(request, "scope", None)
    if scope is not None:
        return dict(scope)
    headers = [
        (name.lower().encode(), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
        if name != "Host"
    ]
    headers.append((b"host", request.get_host().encode("latin-1", "replace")))
    return {"type": "http", "headers": headers, "client": (request.META.get("REMOTE_ADDR", ""), 0)}


# ---------------------------------------------------------------- answers


def dressed(scope: Scope, send: Send, foreign: str | None) -> Send:
    """The same `send`: our headers where a response does not set them, and CORS for an invited origin."""
    if scope["type"] != "http":
        return send

    async def dress(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if foreign is not None:
                headers += [(b"access-control-allow-origin", foreign.encode("latin-1")), (b"vary", b"origin")]
                headers += [(b"cross-origin-resource-policy", b"cross-origin")]
            there = {key.lower() for key, _ in headers}
            headers += [(key, value) for key, value in HEADERS if key not in there]
            message = {**message, "headers": headers}
        await send(message)

    return dress


async def refuse(scope: Scope, why: Refusal, send: Send) -> None:
    """Say no: an error in the one shape, or no handshake for a socket."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": why.message})
        return
    body = json.dumps({"error": {"code": why.code, "message": why.message, "detail": {}}}).encode()
    await answer(why.status, body, [(b"content-type", b"application/json")], send)


async def answer(status: int, body: bytes, headers: list[tuple[bytes, bytes]], send: Send) -> None:
    """A whole response."""
    headers = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
