"""What an open turn page asks for: rows by their seqs, what a filter lets through, calls, a moment.

Counterparts: `static/js/log.js`, `matches.js`, `thin.js` and `moments.js`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from turnscope.store.models import Turn

from . import answers, filters, log, moments, pace, pages, show, sifting, thin, turnpage

Dict = dict[str, Any]


def sieve_of(row: Turn, query: filters.Query) -> sifting.Sieve:
    """A query made ready for a turn. Only what it asks about is read."""
    calls: list[Dict] = []
    found: list[Dict] = []
    if query.of(*sifting.OF_CALL, *sifting.OF_FINDING):
        calls, found = turnpage.thin_parts(row)
    measured = {"unit": "seq", "start": 0}
    if any(point.kind == "span" for term in query.of("after", "before") for point in term.points()):
        measured = pace.pace(row.thread_id, row.first_seq, row.last_seq)
    return sifting.Sieve(row, query, sifting.known_of(calls, found, measured, turnpage.now_ms()))


@require_safe
def matches(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """`?q=` a line of the filter language, `&kind=tools`: how it was understood, then the seqs that match.

    `&since=` a seq: only later ones, for a list that is open while events come.
    """
    row = pages.turn_row(pk)
    query = filters.parse(request.GET.get("q", "")[: filters.LONGEST + 1], filters.EVENTS)
    sieve = sieve_of(row, query)
    sieve.let(log.numbers([kind for kind in request.GET.get("kind", "").split(",") if kind]))
    return streamed(request, sifting.blocks(query, sieve, answers.number(request, "since")))


def streamed(request: HttpRequest, found: Iterator[bytes]) -> StreamingHttpResponse:
    """Blocks of matches, each as soon as it is there."""

    async def sent() -> AsyncIterator[bytes]:
        while some := await sync_to_async(lambda: next(found, b""))():
            yield some

    # By WSGI (or a test's client) the plain iterator does.
    sending = sent() if hasattr(request, "scope") else found
    return StreamingHttpResponse(sending, content_type="application/octet-stream")


@require_safe
def rows(request: HttpRequest, pk: int) -> JsonResponse:
    """`?seqs=` the first in base 36 and each next one's distance: these rows and no others."""
    row = pages.turn_row(pk)
    inside = [seq for seq in spelled(request) if row.first_seq <= seq <= row.last_seq]
    return JsonResponse({"rows": sifting.picked(row.thread_id, inside)})


def spelled(request: HttpRequest) -> list[int]:
    """The seqs that `?seqs=` names."""
    at, wanted = 0, []
    for part in request.GET.get("seqs", "").split(",")[: log.MOST]:
        if part.isascii() and part.isalnum() and len(part) < 11:
            at += int(part, 36)
            wanted.append(at)
    return wanted


@require_safe
def calls(request: HttpRequest, pk: int) -> JsonResponse:
    """Every call of a turn as columns; with `?ids=` those rows whole, as a live patch brings them."""
    row = pages.turn_row(pk)
    if "ids" not in request.GET:
        return JsonResponse(thin.columns(row))
    parts = request.GET["ids"].split(",")[: thin.ASKED]
    ids = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 16]
    return JsonResponse({"calls": [show.call(one) for one in thin.asked(row, ids)]})


@require_safe
def transcript(request: HttpRequest, pk: int) -> JsonResponse:
    """`?at=` a seq: the messages up to there."""
    return JsonResponse(moments.transcript_at(pages.turn_row(pk), answers.number(request, "at")))


@require_safe
def state(request: HttpRequest, pk: int) -> JsonResponse:
    """`?at=` a seq: the state and the activities up to there."""
    return JsonResponse(moments.state_at(pages.turn_row(pk), answers.number(request, "at")))
