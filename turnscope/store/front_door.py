"""The front door of a running server, for commands that put something in beside it.

A server notes in the data directory where it is. Going in by it, its pages hear at once of what came;
without one a command writes to the database itself.
"""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

NOTE = "server.json"
"""`{"url", "pid"}`, written by `turnscope serve`."""
QUICKLY, PATIENTLY = 2.0, 600.0
"""Seconds: to find out whether it is there; for it to store a recording."""


class Refused(Exception):
    """The server did not take it, in a sentence."""


def running(home: Path) -> str | None:
    """The address of the server that keeps its data in `home`, if it answers."""
    try:
        url = json.loads((home / NOTE).read_bytes())["url"]
        status, _ = _ask("GET", url, "healthz", QUICKLY)
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        return None
    return str(url) if status == 200 else None


def post(url: str, channel: str, body: bytes, name: str) -> dict[str, Any]:
    """Hand a recording in; what became of it. Raises Refused."""
    query = urlencode({"recording": 1, "name": name}, errors="replace")
    path = f"api/channels/{quote(channel, safe='')}/frames?{query}"
    try:
        status, said = _ask("POST", url, path, PATIENTLY, body)
        answer = json.loads(said)
    except (OSError, ValueError, HTTPException) as error:
        raise Refused(f"the server at {url} did not answer: {error}") from error
    if status != 200:
        told = answer.get("error", {}) if isinstance(answer, dict) else {}
        raise Refused(f"the server at {url} refused it: {told.get('message', status)}")
    assert isinstance(answer, dict)
    return answer


def _ask(method: str, url: str, path: str, seconds: float, body: bytes | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=seconds)
    try:
        connection.request(method, f"{urlsplit(url).path or '/'}{path}", body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
