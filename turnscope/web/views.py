"""The pages. Each view reads the query string, asks `pages.py` for one dict and gives it to a template.

With `twin` the same dict leaves as JSON: every page that shows something has its `.json` address. What a
page needs only for drawing (the words of the states, the label of the find box) is added here.
"""

from __future__ import annotations

from hashlib import blake2b
from http import HTTPStatus
from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from turnscope.store.models import Run

from . import (
    access,
    asked,
    catalogue,
    export,
    filters,
    finder,
    inbox,
    log,
    opened,
    pace,
    pages,
    patterns,
    sifting,
    turnpage,
    words,
)
from .answers import one_event

Dict = dict[str, Any]


SHORT = {"code": "rule", "severity": "severity"}


def answer(
    request: HttpRequest, template: str, section: str, model: Dict, *, twin: bool = False, **more: Any
):
    """The page, or its twin."""
    if twin:
        return told(request, model)
    text = render_to_string(template, {**model, **more, "section": section}, request)
    # Half a character that stands in no chip (in a box to copy from, say) is spelled, not a failure.
    return HttpResponse(text.encode("utf-8", "backslashreplace"))


def told(request: HttpRequest, model: Dict):
    """A twin, with what tells whether it has changed: who asks again and again hears so in a few bytes."""
    response = JsonResponse(model)
    etag = quote_etag(blake2b(response.content, digest_size=12).hexdigest())
    response["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


def number(request: HttpRequest, name: str) -> int:
    """A number of the query string; 0 for anything else. `1289..1290` is its first."""
    text = request.GET.get(name, "").split("..")[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def word(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "")[:200].replace("\x00", "")


# ---------------------------------------------------------------- lists


@require_safe
def overview(request: HttpRequest, *, twin: bool = False):
    """Its twin is asked again and again: while nothing has come, it is not even made."""
    etag = quote_etag(pages.news())
    if twin and (same := get_conditional_response(request, etag=etag)) is not None:
        return same
    if twin:
        response = JsonResponse(pages.overview())
        response["ETag"] = etag
        return response
    return answer(request, "overview.html", "overview", pages.overview(), twin=twin)


@require_safe
def channels(request: HttpRequest, *, twin: bool = False):
    return answer(request, "channels.html", "channels", pages.channels(), twin=twin)


@require_safe
def channel(request: HttpRequest, slug: str, *, twin: bool = False):
    status, query = word(request, "status"), word(request, "q")
    model = pages.channel(slug, status=status, query=query, before=number(request, "before"))
    connect = catalogue.snippets(request.build_absolute_uri("/"), slug) if not model["turns"] else []
    return answer(
        request,
        "channel.html",
        "channels",
        model,
        twin=twin,
        snippets=connect,
        first=not number(request, "before"),
    )


@require_safe
def turns(request: HttpRequest, *, twin: bool = False):
    """Turns of all channels, by the filter language."""
    model = pages.sifted(pages.ALL, word(request, "status"), word(request, "q"), number(request, "before"))
    first = not number(request, "before")
    return answer(request, "turns.html", "channels", model, twin=twin, first=first)


@require_safe
def threads(request: HttpRequest, *, twin: bool = False):
    model = pages.threads(
        word(request, "channel"), query=word(request, "q"), before=number(request, "before")
    )
    return answer(request, "threads.html", "channels", model, twin=twin)


@require_safe
def thread(request: HttpRequest, pk: int, *, twin: bool = False):
    model = pages.thread(pk, before=number(request, "before"))
    return answer(request, "thread.html", "channels", model, twin=twin)


@require_safe
def findings(request: HttpRequest, *, twin: bool = False):
    """`?q=&before=&show=all|muted`; `code` and `severity` are short for words of the filter."""
    words_ = [f"{name}:{word(request, key)}" for key, name in SHORT.items() if word(request, key)]
    query = " ".join([*words_, word(request, "q")]).strip()
    which = "all" if word(request, "all") == "1" else word(request, "show")
    model = inbox.findings(query=query, before=number(request, "before"), which=which)
    said = {name: word(request, name) for name in ("said", "channel", "rule", "subject")}
    near = access.loopback(access.scope_of(request))
    return answer(
        request,
        "findings.html",
        "findings",
        model,
        twin=twin,
        near=near,
        did=said,
        first=not number(request, "before"),
    )


# ---------------------------------------------------------------- one turn


@require_safe
def turn(request: HttpRequest, pk: int, *, twin: bool = False):
    only = [kind for kind in word(request, "kind").split(",") if kind]
    model = turnpage.turn_page(
        pk, event=number(request, "event"), by=word(request, "lanes"), only=only,
        call=number(request, "call"), which=word(request, "calls"),
        before=number(request, "before"), after=number(request, "after"),
        query=request.GET.get("q", "")[:1001], view=turnpage.view(word(request, "from"), word(request, "to")),
        whole=twin,
    )  # fmt: skip
    tab = word(request, "tab") if word(request, "tab") in ("transcript", "state") else "tools"
    more: Dict = {"tab": tab, "looks": words.states()}
    if tab != "tools" and not twin:
        more[tab] = turnpage.moment(tab, pk)
    if twin:
        return told(request, turnpage.told(model))
    more |= opened.of(request, pk, model)
    more["boot"] = {**turnpage.boot(model), "looks": more["looks"]}
    more["find_label"] = f"Find in {words.count(model['turn']['events'])} events"
    return answer(request, "turn.html", "channels", model, **more)


@require_safe
def turn_events(request: HttpRequest, pk: int):
    """`?after=` or `?before=` a seq, `&limit=`, `&kind=tools,TOOL_CALL_END`, `&q=` a filter: rows.

    With `&seqs=1` the numbers of all rows that match.
    """
    row = pages.turn_row(pk)
    only = log.numbers([kind for kind in word(request, "kind").split(",") if kind])
    query = filters.parse(request.GET.get("q", "")[: filters.LONGEST + 1], filters.EVENTS)
    sieve = asked.sieve_of(row, query)
    sieve.let(only)
    if request.GET.get("seqs"):
        found = list(islice((seq for some in sieve.seqs() for seq in some), log.MATCHES))
        return JsonResponse({"first": row.first_seq, "last": row.last_seq, "seqs": found})
    after, before = number(request, "after"), number(request, "before")
    limit = min(number(request, "limit") or 200, log.MOST)
    if query.terms:
        seqs = sieve.window(after=after, before=None if after else before or None, limit=limit)
        rows = sifting.picked(row.thread_id, seqs)
    else:
        rows = log.window(
            row.thread_id, row.first_seq, row.last_seq, after=after or None, before=before or None,
            limit=limit, only=only,
        )  # fmt: skip
    return JsonResponse({
        "first": row.first_seq, "last": row.last_seq, "rows": rows, "more": len(rows) == limit
    })  # fmt: skip


@require_safe
def turn_event(request: HttpRequest, pk: int, seq: int):
    """One event whole, as text: `?raw=1` is the frame's own bytes, never cut."""
    row = pages.turn_row(pk)
    frame = next(log.read(row.thread_id, seq - 1, seq), None)
    if frame is None:
        raise Http404(f"There is no event {seq} in this thread.")
    return one_event(request, frame, f"event-{seq}")


@require_safe
def turn_pace(request: HttpRequest, pk: int):
    """What a live page asks again while a turn grows: the pace, and the scrubber's drawing."""
    row = pages.turn_row(pk)
    found = turnpage.findings_of(row)
    measured = pace.pace(row.thread_id, row.first_seq, row.last_seq)
    return JsonResponse(
        {"pace": measured, "scrub": turnpage.scrub(measured, found), "now": turnpage.now_ms()}
    )


@require_safe
def turn_repaired(request: HttpRequest, pk: int):
    """The repaired turn as the page plays it, and the transcript for `?target=` beside the original."""
    return JsonResponse(export.repaired(pages.turn_row(pk), request.GET))


@require_safe
def turn_export(request: HttpRequest, pk: int, *, twin: bool = False):
    """`?target=&policy=` and the other choices of a repair, as `/api/runs/<id>/transcript` takes them."""
    row, model = pages.turn_row(pk), None
    if not twin and not number(request, "whole"):
        model = export.brief(row, request.GET, _base(request))
    model = model or export.page(row, request.GET, _base(request))
    return answer(request, "export.html", "channels", model, twin=twin)


@require_safe
def turn_verdict(request: HttpRequest, pk: int):
    """What one target makes of the conversation: a row of the export page that there was no time for."""
    return JsonResponse(export.verdict(pages.turn_row(pk), request.GET))


@require_safe
def turn_download(request: HttpRequest, pk: int, what: str):
    """One file of the export page, always as an attachment."""
    name, kind, body = export.download(pages.turn_row(pk), what, request.GET)
    response = HttpResponse(body, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _base(request: HttpRequest) -> str:
    return request.build_absolute_uri("/")


@require_safe
def run(request: HttpRequest, pk: int):
    """A run is shown in its turn."""
    row = Run.objects.filter(pk=pk).first()
    if row is None:
        raise Http404(f"There is no run {pk} here.")
    target = pages._turn_of(row.thread_id, row.turn)[0]
    return redirect(f"/turns/{target}/?event={row.start_seq}" if target else f"/threads/{row.thread_id}/")


# ---------------------------------------------------------------- finding things


@require_safe
def find(request: HttpRequest, *, twin: bool = False):
    """Any id, or a pasted error, leads to the call; several or none to the results."""
    query = request.GET.get("q", "")[:4000]
    model = finder.find(query)
    if model["only"] and not twin:
        return redirect(model["only"])
    return answer(request, "find.html", "find", model, twin=twin, find_q=query)


# ---------------------------------------------------------------- standing pages


@require_safe
def rules(request: HttpRequest, *, twin: bool = False):
    return answer(request, "rules.html", "rules", {"rules": catalogue.rules()}, twin=twin)


@require_safe
def rule(request: HttpRequest, code: str, *, twin: bool = False):
    model = catalogue.rule(code)
    if model is None:
        raise Http404(f"There is no rule {code}.")
    newest = inbox.findings(query=f"rule:{model['rule']['code']}")["findings"][:5]
    return answer(request, "rule.html", "rules", {**model, "findings": newest}, twin=twin)


@require_safe
def connect(request: HttpRequest, *, twin: bool = False):
    wanted = word(request, "channel")
    channel = wanted if access.SLUG.fullmatch(wanted) else "my-agent"
    model = {"snippets": catalogue.snippets(_base(request), channel), "channel": channel}
    return answer(request, "connect.html", "connect", model, twin=twin)


@require_safe
def patterns_(request: HttpRequest, *, twin: bool = False):
    """Every partial in every state."""
    line = "tool:slack* nope:x"
    more: Dict = {
        "filter": filters.parse(line).told(), "snippets": catalogue.snippets(_base(request), "my-agent")[:1],
        "crumb": {"thread": {"id": 0, "title": "A conversation"}, "channel": {"slug": "patterns"}},
        "inline": catalogue.inline("As C02 says, `code` is code."),
        "quiet": {"gap": 4110}, "none_selected": {"selected": 0},
    }  # fmt: skip
    return answer(request, "patterns.html", "patterns", patterns.patterns_page(), twin=twin, **more)


@require_safe
def keys(request: HttpRequest, *, twin: bool = False):
    return answer(request, "keys.html", "keys", {"keys": catalogue.KEYS}, twin=twin)


@require_safe
def favicon(request: HttpRequest):
    return redirect("/static/icon.svg", permanent=True)


# ---------------------------------------------------------------- errors


def failed(request: HttpRequest, status: int, what: str, hint: str):
    """An error as a page, or in the one JSON shape where JSON was asked for."""
    if request.path.endswith(".json") or request.path.startswith("/api/"):
        error = {"code": str(status), "message": what, "detail": {}}
        return JsonResponse({"error": error}, status=status)
    model = {"status": status, "phrase": HTTPStatus(status).phrase, "what": what, "hint": hint}
    return render(request, "error.html", model, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None):
    return failed(request, 400, "That request could not be understood.", "Check the address.")


def forbidden(request: HttpRequest, exception: Exception | None = None):
    return failed(request, 403, "That is not allowed from here.", "Open the page directly and try again.")


def not_found(request: HttpRequest, exception: Exception | None = None):
    told = str(exception.args[0]) if isinstance(exception, Http404) and exception.args else ""
    what = told if told.startswith("There is no") else "There is no page at this address."
    return failed(request, 404, what, "It may have been removed by retention, or the link is cut.")


def broken(request: HttpRequest):
    return failed(request, 500, "Turnscope failed here. Nothing that was recorded is lost.", "Try again.")
