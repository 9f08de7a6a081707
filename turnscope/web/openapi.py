"""The programs' door described for programs: `/api/openapi.json`, OpenAPI 3.1, made from one table.

A test holds the table to the routes: what is routed under `/api/` is described, and nothing else is.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from turnscope import __version__
from turnscope.core.repair import CHOICES, TARGETS

Dict = dict[str, Any]

JSON, LINES = "application/json", "application/x-ndjson"


class Way(NamedTuple):
    """One route and method."""

    method: str
    path: str
    summary: str
    query: dict[str, str] = {}
    """Name -> what it means."""
    kind: str = JSON
    body: str = ""
    """What a POST brings; "" for none."""
    more: tuple[int, ...] = ()
    """Refusals beside 404, by status."""


WAYS: tuple[Way, ...] = (
    Way("get", "/healthz", "Whether the server answers, and its database too"),
    Way("get", "/api/channels/", "The channels, with live threads, turns and findings"),
    Way("get", "/api/channels/{slug}/", "A channel's turns, newest first",
        {"status": "live, errors or open", "q": "a line of the filter language",
         "before": "the cursor that `more` gave"}),
    Way("post", "/api/channels/{slug}/frames", "Send frames: what was streamed, as it is",
        {"recording": "1: a finished recording, with its own times", "name": "what the stream is called"},
        body="NDJSON, an SSE body or a JSON array; plain, gzip or zstd", more=(400, 401, 409, 413, 422)),
    Way("get", "/api/turns/{pk}/", "A turn: its runs, calls, findings and ledger",
        {"event": "a seq, for the findings around it"}),
    Way("get", "/api/threads/{pk}/frames", "A conversation's frames and marks, in order",
        {"after": "a seq", "limit": "rows, at most 512", "kind": "kinds, by commas: tools, TOOL_CALL_END"}),
    Way("get", "/api/runs/{pk}/transcript", "The messages as a target accepts them, each change with why",
        {"target": ", ".join(TARGETS), **{name: ", ".join(allowed) for name, allowed in CHOICES.items()},
         "boundary": "a role that closes the window for results; several times for several",
         "pending": "the id of a call about to be answered; several times for several",
         "started": "the id of a call known to have begun; several times for several",
         "cancel": "the id of a call that nobody waits for any more, or all"}, more=(400,)),
    Way("get", "/api/runs/{pk}/events", "A run's events, one JSON object a line",
        {"repaired": "1: as a strict client accepts them"}, kind=LINES),
    Way("get", "/api/find", "Where an id, or an error text, leads", {"q": "an id, or the whole text"}),
    Way("get", "/api/openapi.json", "This description"),
    Way("post", "/import", "Have a file read in; the answer says where to look how far it is",
        {"channel": "made if it is not there", "name": "the file's name", "dialect": "auto, or one by name"},
        body="a recording: JSON lines, an SSE body, a JSON array; plain, gzip, zstd or zip", more=(403, 422)),
    Way("get", "/import/{pk}.json", "How far an import is, and the lines that could not be read"),
)  # fmt: skip


def described() -> Dict:
    """The whole document."""
    paths: Dict = {}
    for way in WAYS:
        paths.setdefault(way.path, {})[way.method] = _operation(way)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Turnscope",
            "version": __version__,
            "description": "Every page that shows something has the same as JSON beside it:"
            " `/channels/acme/` is `/channels/acme.json`. Programs on this machine need no token; from"
            " elsewhere a channel's.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object", "required": ["error"],
                    "properties": {"error": {
                        "type": "object", "required": ["code", "message", "detail"],
                        "properties": {"code": {"type": "string"}, "message": {"type": "string"},
                                       "detail": {"type": "object"}},
                    }},
                }
            },
        },
    }  # fmt: skip


def _operation(way: Way) -> Dict:
    inside = [part[1:].split("}")[0] for part in way.path.split("/") if part.startswith("{")]
    parameters: list[Dict] = [
        {"name": name, "in": "path", "required": True,
         "schema": {"type": "string" if name == "slug" else "integer"}}
        for name in inside
    ]  # fmt: skip
    parameters += [
        {"name": name, "in": "query", "description": what, "schema": {"type": "string"}}
        for name, what in way.query.items()
    ]
    refused = {"$ref": "#/components/schemas/Error"}
    statuses = sorted({*way.more, *((404,) if inside else ())})
    status = "202" if way.path == "/import" else "200"
    found: Dict = {
        "summary": way.summary,
        "operationId": "_".join([way.method, *re.findall(r"\w+", way.path)]),
        "parameters": parameters,
        "responses": {
            status: {"description": way.summary, "content": {way.kind: {"schema": {}}}},
            **{
                str(one): {"description": "Refused", "content": {JSON: {"schema": refused}}}
                for one in statuses
            },
        },
    }
    if way.body:
        found["requestBody"] = {
            "required": True, "description": way.body,
            "content": {"application/octet-stream": {"schema": {}}, LINES: {"schema": {}}},
        }  # fmt: skip
        found["security"] = [{}, {"token": []}]
    return found


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """The document."""
    return JsonResponse(described())
