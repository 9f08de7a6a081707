"""The programs' door over HTTP: frames in, and everything a page shows as JSON.

Errors have one shape, `{"error": {"code", "message", "detail"}}`; lists are paged by cursor (`more` is the
next one's `before` or `after`, 0 at the end). Views of what a page shows give that page's own dict.
Who may come in is decided in `access.py`; a form token is not asked for (its docstring says why).
"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods

from turnscope import __version__
from turnscope.store.journal import Replaced, get_journal
from turnscope.store.models import Thread

from . import access, bodies, choices, finder, log, mended, pages, posts, runs, turnpage
from .answers import api, drawn, error, number


@require_http_methods(["GET", "HEAD"])
def health(request: HttpRequest) -> HttpResponse:
    """Whether the server answers and its database too."""
    Thread.objects.exists()
    return JsonResponse({"ok": True, "version": __version__})


# ---------------------------------------------------------------- in


@api("POST")
def frames(request: HttpRequest, slug: str) -> HttpResponse:
    """`?recording=1&name=`: NDJSON, an SSE body or a JSON array, and gzip or zstd of them.

    A bad line among good ones is kept and told in the answer; what is wholly no stream is refused, 422.
    """
    scope = access.scope_of(request)
    shown = access.token(scope)
    if not access.SLUG.fullmatch(slug):
        return error(
            404, "not_found", f"There is no channel {slug[:64]!r}; a name has letters, digits, - and _"
        )
    if not access.may_send(scope, slug):
        return error(401, "token", "This needs a token of the channel." if shown is None else "Wrong token.")
    body = bodies.unpacked(
        bodies.pieces(request.read), settings.BODY_LIMIT, request.headers.get("Content-Encoding", "")
    )
    try:
        answer = posts.take(
            get_journal(), slug, body, create=access.loopback(scope),
            recording=request.GET.get("recording") == "1", name=request.GET.get("name", "")[:200],
            key=request.headers.get("Idempotency-Key", "")[:400],
        )  # fmt: skip
    except bodies.TooLarge:
        limit = settings.BODY_LIMIT
        return error(413, "too_large", f"The body has more than {limit} bytes.", limit=limit)
    except bodies.Unreadable as why:
        return error(400, "body", str(why))
    except posts.NoRecording as why:
        return error(422, "no_recording", str(why), line=why.line, reason=why.reason)
    except posts.OtherBody:
        return error(422, "key_used", "This Idempotency-Key has brought another body; take a new key.")
    except Replaced:
        return error(409, "in_progress", "Another request with this Idempotency-Key has taken over.")
    except LookupError:
        return error(404, "not_found", f"There is no channel {slug!r}.")
    return JsonResponse(answer)


# ---------------------------------------------------------------- out


@api("GET")
def channels(request: HttpRequest) -> HttpResponse:
    return JsonResponse(pages.channels())


@api("GET")
def channel(request: HttpRequest, slug: str) -> HttpResponse:
    """`?status=live|errors|open&q=&before=`"""
    query = request.GET.get("q", "")[:200].replace("\0", "")
    before, status = number(request, "before"), request.GET.get("status", "")
    return JsonResponse(pages.channel(slug, status=status, query=query, before=before))


@api("GET")
def turn(request: HttpRequest, pk: int) -> HttpResponse:
    return JsonResponse(turnpage.told(turnpage.turn_page(pk, event=number(request, "event"))))


@api("GET")
def thread_frames(request: HttpRequest, pk: int) -> HttpResponse:
    """`?after=<seq>&limit=&kind=`: the thread's frames and marks, in order; `more` is the next `after`."""
    row = pages.thread_row(pk)
    limit = min(max(number(request, "limit", 100), 1), log.MOST)
    only = log.numbers([kind for kind in request.GET.get("kind", "").split(",") if kind])
    after = number(request, "after")
    rows = log.window(row.pk, 1, row.last_seq, after=after, limit=limit, only=only)
    more = rows[-1]["seq"] if len(rows) == limit and rows[-1]["seq"] < row.last_seq else 0
    return JsonResponse({"thread": row.pk, "last_seq": row.last_seq, "frames": rows, "more": more})


@api("GET")
def run_transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """The messages after a run as the target accepts them, and each difference with its reason.

    `?target=&policy=` and every other choice of the repair by its name: `purpose`, `late`, `orphans`,
    `duplicates`, `thinking`, `ids`; `boundary` (a role), `pending`, `started` and `cancel` (an id, or
    `cancel=all`) may be given more than once.
    """
    row = runs.row(pk)
    if (wrong := choices.problem(request.GET)) is not None:
        code, sentence, detail = wrong
        return error(400, code, sentence, **detail)
    settings_in_force = row.thread.settings or row.thread.channel.settings
    chosen = choices.asked(request.GET, settings_in_force, "openai_chat")
    done = mended.repaired(mended.of_run(row), chosen)
    return JsonResponse({"run": row.pk, **done.as_json()})


@api("GET")
def run_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The run's events, one JSON object a line: as they came, or `?repaired=1` for a strict client."""
    row = runs.row(pk)
    repaired = request.GET.get("repaired") == "1"

    def lines() -> Iterator[bytes]:
        events = (data for _, data in runs.repaired(row)) if repaired else runs.originals(row)
        return (line + b"\n" for line in events)

    return StreamingHttpResponse(drawn(lines), content_type="application/x-ndjson")


@api("GET")
def find(request: HttpRequest) -> HttpResponse:
    """`?q=`: any id of a producer's, or a pasted error text."""
    return JsonResponse(finder.find(request.GET.get("q", "")[:4000]))
