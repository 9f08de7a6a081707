"""Importing a file: `/import/` takes it, by a form, a drop or a program; `/import/<job>/` says how far it is.

The upload goes to disk as it comes and is read in by `store/jobs.py`; this page only asks its row. So it
survives a reload, and needs no script.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from turnscope.core.dialects import DIALECTS
from turnscope.store import files, imports, jobs
from turnscope.store.journal import clock
from turnscope.store.models import Channel, Import, Thread
from turnscope.store.reading import threads_of

from . import access, words
from .answers import error
from .forms import see_other
from .views import answer, failed, told

Dict = dict[str, Any]

RECENT = 20
"""Imports that the page lists."""
THREADS = 50
"""Threads that a job's page links."""


def line(row: Import) -> Dict:
    """A job as a line of a list, and as what its page asks again and again."""
    state = jobs.state(row)
    word, look, icon = words.IMPORTS.get(state, words.IMPORTS["failed"])
    said = row.answer if isinstance(row.answer, dict) else {}
    at, began = int(said.get("at") or 0), int(said.get("began") or 0)
    took = max((at if state not in ("reading",) else clock()) - began, 0) if began else 0
    events = int(said.get("events") or 0)
    left = None
    if state == "reading" and row.size and row.read and took > 500:
        left = round(took * max(row.size - row.read, 0) / row.read)
    return {
        "id": row.pk,
        "name": row.name,
        "channel": row.channel.slug,
        "state": state,
        "word": word,
        "look": look,
        "icon": icon,
        "over": state not in ("waiting", "reading"),
        "size": row.size,
        "read": row.read,
        "events": events,
        "frames": int(said.get("frames") or 0),
        "took_ms": took,
        "pace": round(events / took * 1000) if took else 0,
        "eta_ms": left,
        "rejected_total": int(said.get("rejected_total") or 0),
        "error": str(said.get("error") or ""),
        "ahead": jobs.ahead(row),
    }


def job_page(pk: int) -> Dict:
    """A job with what it could not read, and what it came to."""
    row = Import.objects.select_related("channel").filter(pk=pk).first()
    if row is None:
        raise Http404(f"There is no import {pk} here.")
    model = {**line(row), "rejected": row.rejected if isinstance(row.rejected, list) else []}
    said = row.answer if isinstance(row.answer, dict) else {}
    streams = list(said.get("streams") or ([row.stream_id] if row.stream_id else []))
    ids = [thread for stream in streams for thread in threads_of(stream)] if model["over"] else []
    threads = Thread.objects.filter(pk__in=ids[:THREADS]).order_by("pk")
    model["threads"] = [
        {"id": one.pk, "title": one.title or one.name or f"Thread {one.pk}", "events": one.last_seq,
         "findings": imports.roots([one.pk])}
        for one in threads
    ]  # fmt: skip
    model["more_threads"] = max(len(ids) - THREADS, 0)
    return model


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, *, twin: bool = False):
    """The form, and what was imported last; a POST brings a file."""
    if request.method == "POST":
        return _take(request)
    rows = Import.objects.filter(key="").select_related("channel").order_by("-pk")[:RECENT]
    model = {
        "imports": [line(row) for row in rows],
        "channels": list(Channel.objects.order_by("slug").values_list("slug", flat=True)[:200]),
        "dialects": ["auto", *(one.NAME for one in DIALECTS)],
        "limit": files.LIMIT,
    }
    more = {"near": access.loopback(access.scope_of(request)), "chosen": request.GET.get("channel", "")[:64]}
    return answer(request, "import.html", "import", model, twin=twin, **more)


def _take(request: HttpRequest):
    """A file of a form, or a body as it is (`?channel=&name=&dialect=`): kept, and read in later."""
    form = request.content_type == "multipart/form-data"
    given = request.POST if form else request.GET
    channel = given.get("channel", "").strip() or "local"
    dialect = given.get("dialect", "auto")
    if not access.SLUG.fullmatch(channel):
        return _refused(request, 422, "channel", f"{channel[:64]} is no channel: letters, digits, - and _")
    if dialect != "auto" and all(dialect != one.NAME for one in DIALECTS):
        return _refused(request, 422, "dialect", f"There is no dialect {dialect[:40]}.")
    shown = request.POST.get("token", "") if form else ""
    if not access.may_change(access.scope_of(request), channel, shown):
        return _refused(request, 403, "token", "That needs a token of the channel.")
    path = jobs.place()
    if form:
        upload = request.FILES.get("file")
        if upload is None or not upload.name:
            return _refused(request, 422, "file", "No file came along.")
        name = upload.name
        jobs.keep(upload, path)
    else:
        name = request.GET.get("name", "")[:200] or "body"
        jobs.keep(request, path)
    if not path.stat().st_size:
        path.unlink()
        return _refused(request, 422, "file", f"{name} is empty.")
    pk = jobs.begin(channel, path, name, dialect)
    url = f"/import/{pk}/"
    if _asks_for_json(request, form=form):
        return JsonResponse({"job": pk, "url": url}, status=202)
    return see_other(url)


def _asks_for_json(request: HttpRequest, *, form: bool) -> bool:
    return not form or request.headers.get("Accept", "").startswith("application/json")


def _refused(request: HttpRequest, status: int, code: str, message: str):
    if _asks_for_json(request, form=request.content_type == "multipart/form-data"):
        return error(status, code, message)
    return failed(request, status, message, "Go back and choose again.")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def job(request: HttpRequest, pk: int, *, twin: bool = False):
    """How far an import is; a POST stops it."""
    model = job_page(pk)
    if request.method == "POST":
        if not access.may_change(access.scope_of(request), model["channel"], request.POST.get("token", "")):
            return failed(
                request, 403, "That needs a token of the channel.", "From this machine none is needed."
            )
        jobs.stop(pk)
        return see_other(f"/import/{pk}/")
    if twin:
        return told(request, model)
    near = access.loopback(access.scope_of(request))
    shown = {**model, "took": words.duration(model["took_ms"]), "near": near}
    return answer(request, "import_job.html", "import", shown)
