"""The repaired turn's events, asked for as the stored ones are: `/turns/<id>/repaired/...`.

What it is made of is `played.py`; counterparts: `asked.py` and `views.turn_events`, of the original.
"""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from turnscope.store.models import Turn

from . import asked, filters, log, moments, pages, played, sifting
from .answers import number, one_event

Dict = dict[str, Any]


def _of(pk: int) -> played.Played:
    found = played.of(pages.turn_row(pk))
    if found is None:
        raise Http404("There is no repaired stream of this turn here.")
    return found


def _sieve(request: HttpRequest, found: played.Played) -> sifting.Sieve:
    query = filters.parse(request.GET.get("q", "")[: filters.LONGEST + 1], filters.EVENTS)
    row = cast("Turn", SimpleNamespace(thread_id=0, first_seq=1, last_seq=found.last))
    told = found.told
    known = sifting.known_of(told["calls"], told["findings"], told["pace"], told["pace"]["end"])
    sieve = sifting.Sieve(row, query, known, found.between)
    sieve.let(log.numbers([kind for kind in request.GET.get("kind", "").split(",") if kind]))
    return sieve


@require_safe
def events(request: HttpRequest, pk: int) -> JsonResponse:
    """`?after=&limit=&kind=&q=`: rows, as of the original."""
    found = _of(pk)
    limit = min(number(request, "limit") or 200, log.MOST)
    seqs = _sieve(request, found).window(after=number(request, "after"), limit=limit)
    rows = _picked(found, seqs)
    return JsonResponse({"first": 1, "last": found.last, "rows": rows, "more": len(rows) == limit})


@require_safe
def rows(request: HttpRequest, pk: int) -> JsonResponse:
    """`?seqs=` as `asked.rows` takes them: these rows and no others."""
    return JsonResponse({"rows": _picked(_of(pk), asked.spelled(request))})


def _picked(found: played.Played, seqs: list[int]) -> list[Dict]:
    wanted = frozenset(seqs)
    if not wanted:
        return []
    between = found.frames(min(wanted) - 1, max(wanted))
    return played.lines(islice((one for one in between if one.seq in wanted), log.MOST))


@require_safe
def matches(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """`?q=&kind=`: what a filter lets through, as of the original."""
    sieve = _sieve(request, _of(pk))
    return asked.streamed(request, sifting.blocks(sieve.query, sieve))


@require_safe
def event(request: HttpRequest, pk: int, seq: int) -> HttpResponse:
    """One event whole; `?raw=1` is its own bytes."""
    frame = next(_of(pk).frames(seq - 1, seq), None)
    if frame is None:
        raise Http404(f"There is no event {seq} in the repaired turn.")
    return one_event(request, frame, f"repaired-event-{seq}")


@require_safe
def moment(request: HttpRequest, pk: int, tab: str) -> JsonResponse:
    """`?at=` a seq: the messages or the state of the repaired turn up to there."""
    found = _of(pk)
    upto = min(number(request, "at") or found.last, found.last)
    told = moments.transcript_of if tab == "transcript" else moments.state_of
    return JsonResponse(told(found.events(upto), upto))
