"""Static files as pages get them: joined, compressed once, and named by what is in them.

`/assets/<version>/<file>`: the version is a digest of everything under `static/`, so that a browser keeps a
file for a year and never an old one. A style sheet of JOINED is several files one after the other; a script
of JOINED is one module and all that it imports (`joining.py`), so a page asks for one of each. Everything
else is served as it stands. With TURNSCOPE_DEBUG=1 nothing is kept: files are read anew at each request.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
from collections.abc import Callable
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import zstandard
from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from . import joining

ROOT = Path(settings.STATICFILES_DIRS[0])
YEAR = "public, max-age=31536000, immutable"
SMALL = 400
"""Bytes from which a file is worth compressing."""

_SHEETS = ("css/tokens.css", "css/shell.css", "css/states.css")


def _styled(*names: str) -> bytes:
    """Style sheets one after the other, less their comments."""
    text = "\n".join((ROOT / name).read_text("utf-8") for name in names)
    return re.sub(r"/\*.*?\*/\s*", "", text, flags=re.S).encode()


PARTS = joining.parts_of(ROOT, "js/turn.js")
"""Scripts that most visits to a turn do not need: asked for when they are."""

JOINED: dict[str, Callable[[], bytes]] = {
    "css/site.css": partial(_styled, *_SHEETS, "css/pages.css", "css/deep.css", "css/events.css"),
    "css/events-page.css": partial(_styled, *_SHEETS, "css/turn.css", "css/panels.css", "css/events.css"),
    "css/turn-page.css": partial(_styled, *_SHEETS, "css/timeline.css", "css/turn.css", "css/panels.css"),
    "js/site.js": partial(joining.joined, ROOT, "js/boot.js"),
    "js/events-page.js": partial(joining.joined, ROOT, "js/events.js", parts=("js/channel.js",)),
    "js/turn-page.js": partial(joining.joined, ROOT, "js/turn.js", parts=PARTS),
    **{joining.part_name(name): partial(joining.part, ROOT, name, "js/turn.js", PARTS) for name in PARTS},
}
"""What is made of several files, and how."""


class Asset(NamedTuple):
    """One file, ready to be sent."""

    kind: str
    plain: bytes
    packed: dict[str, bytes]
    """By content encoding, the best first; empty where packing makes it no smaller."""


class Storage(StaticFilesStorage):
    """Where `{% static %}` says a file is."""

    def url(self, name: str | None) -> str:
        return f"/assets/{version()}/{name}"


def version() -> str:
    return "live" if settings.DEBUG else _version()


@cache
def _version() -> str:
    digest = blake2b(digest_size=6)
    for path in sorted(path for path in ROOT.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\n{path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def asset(name: str) -> Asset | None:
    """One file by its name under `static/`, or one of JOINED; None: there is none."""
    if settings.DEBUG:
        return _asset.__wrapped__(name)
    return _asset(name) if name in JOINED or name in names() else None


@cache
def names() -> frozenset[str]:
    """Every file there is. Asked first, so that names of nothing fill no memory."""
    return frozenset(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())


@cache
def _asset(name: str) -> Asset | None:
    if name in JOINED:
        plain = JOINED[name]()
    else:
        path = (ROOT / name).resolve()
        if not path.is_relative_to(ROOT.resolve()) or not path.is_file():
            return None
        plain = path.read_bytes()
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
    kind = kind or ("font/woff2" if name.endswith(".woff2") else "application/octet-stream")
    packed = {}
    if len(plain) > SMALL and not name.endswith(".woff2"):
        packed = {
            "zstd": zstandard.ZstdCompressor(level=19).compress(plain),
            "gzip": gzip.compress(plain, 9, mtime=0),
        }
    text = kind.startswith("text/") or kind.endswith("svg+xml")
    return Asset(f"{kind}; charset=utf-8" if text else kind, plain, packed)


@require_safe
def serve(request: HttpRequest, wanted: str, name: str) -> HttpResponse:
    """One file. Of another version, after an upgrade, it is the one of now, and not kept."""
    found = asset(name)
    if found is None:
        raise Http404("There is no such file here.")
    accepted = request.headers.get("Accept-Encoding", "")
    encoding = next((one for one in found.packed if re.search(rf"\b{one}\b(?!\s*;\s*q=0)", accepted)), "")
    response = HttpResponse(found.packed.get(encoding, found.plain), content_type=found.kind)
    if encoding:
        response["Content-Encoding"] = encoding
    response["Vary"] = "Accept-Encoding"
    response["Cache-Control"] = YEAR if wanted == version() != "live" else "no-cache"
    return response
