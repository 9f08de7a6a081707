"""What is kept, and how it goes: `/retention/` weighs each channel, and removes one or a thread in two steps.

The first step says what would go, and gives the form of the second a seal: signed by this server, for this
very thing in this very state, for ten minutes. So no request can remove what a person has not just been
shown, whatever page it comes from; Host and Origin are judged at the door (`access.py`), as for every write.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.db.models import Count, Max, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from turnscope.store import retention
from turnscope.store.journal import get_journal
from turnscope.store.models import Channel, Thread

from . import access, mended
from .forms import refused, see_other
from .views import answer, failed, number, word

Dict = dict[str, Any]

CHANNELS, THREADS = 200, 50
"""Channels, and threads of one, that the page lists."""
SECONDS = 600
"""How long a seal holds."""
DAYS = (7, 30, 90, 365)
"""Ages of the threads that can go together."""

_weights: mended.Kept[dict[str, int]] = mended.Kept(1_000)


def model(slug: str, before: int) -> Dict:
    """Every channel with what it weighs, and of one its threads."""
    rows = Channel.objects.order_by("slug").annotate(
        n=Count("threads"), events=Sum("threads__last_seq"), newest=Max("threads__last_at"),
        live=Count("threads", filter=Q(threads__live=True)),
    )  # fmt: skip
    listed = [
        {"id": row.pk, "slug": row.slug, "threads": row.n, "events": row.events or 0, "live": row.live,
         "newest": row.newest or 0, **_weight(row)}
        for row in rows[:CHANNELS]
    ]  # fmt: skip
    found = (
        Thread.objects.filter(channel__slug=slug, pk__gt=before).order_by("pk")
        if slug
        else Thread.objects.none()
    )
    some = list(found[: THREADS + 1])
    threads = [
        {"id": one.pk, "title": one.title or one.name or f"Thread {one.pk}", "name": one.name,
         "events": one.last_seq, "last_at": one.last_at, "live": one.live}
        for one in some[:THREADS]
    ]  # fmt: skip
    return {
        "channels": listed, "more_channels": max(Channel.objects.count() - CHANNELS, 0), "chosen": slug,
        "threads": threads, "more": some[THREADS - 1].pk if len(some) > THREADS else 0,
        "database": retention.database(), "free": (free := shutil.disk_usage(_home()).free),
        "free_gb": round(free / 1e9, 1), "days": list(DAYS),
    }  # fmt: skip


def _home() -> str:
    return str(settings.HOME if settings.HOME.exists() else settings.HOME.anchor)


def _weight(row: Channel) -> dict[str, int]:
    """Remembered until something is written to the channel."""
    return _weights.make((row.pk, row.last_change), lambda: retention.weight(row.pk))


@require_http_methods(["GET", "HEAD"])
def page(request: HttpRequest, *, twin: bool = False):
    """`?channel=&before=`: what is kept, and the threads of a channel."""
    found = model(word(request, "channel"), number(request, "before"))
    return answer(request, "retention.html", "settings", found, twin=twin, said=word(request, "said"))


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, kind: str, pk: int):
    """`/retention/channel/<id>/?days=`, `/retention/thread/<id>/`: GET says what would go, POST does it."""
    days = number(request, "days")
    what = _what(kind, pk, days if kind == "channel" else 0)
    if request.method != "POST":
        near = access.loopback(access.scope_of(request))
        return render(request, "retention_remove.html", {**what, "near": near, "section": "settings"})
    if (no := refused(request, what["channel"])) is not None:
        return no
    if not _sealed(request.POST.get("seal", ""), what):
        return failed(
            request, 409, "This is not what was shown, or it was shown too long ago. Nothing was removed.",
            "Go back, look again at what would go, and confirm it.",
        )  # fmt: skip
    return _gone(request, what, kind, pk, days)


def _gone(request: HttpRequest, what: Dict, kind: str, pk: int, days: int) -> HttpResponse:
    journal = get_journal()
    try:
        if kind == "thread":
            retention.remove_thread(journal, Thread.objects.get(pk=pk))
        elif days:
            for _ in retention.prune(journal, _edge(days), what["channel"]):
                pass
        else:
            retention.remove_channel(journal, Channel.objects.get(pk=pk))
    except retention.Busy as why:
        return failed(request, 409, str(why), "Nothing more was removed. Then try again.")
    except (Thread.DoesNotExist, Channel.DoesNotExist):
        pass  # somebody else was quicker: it is gone
    back = "" if kind == "channel" and not days else f"&channel={what['channel']}"
    return see_other(f"/retention/?said=removed{back}")


def _what(kind: str, pk: int, days: int) -> Dict:
    """What would go. Raises Http404."""
    if kind == "thread":
        row = Thread.objects.select_related("channel").filter(pk=pk).first()
        if row is None:
            raise Http404(f"There is no thread {pk} here.")
        told = {"title": row.title or row.name or f"Thread {pk}", "threads": 1, "events": row.last_seq}
        return _told(kind, pk, row.channel, told, retention.busy(row.channel_id, pk), 0)
    channel = Channel.objects.filter(pk=pk).first() if kind == "channel" else None
    if channel is None:
        raise Http404(f"There is no {'channel' if kind == 'channel' else 'such thing'} {pk} here.")
    rows = retention.old(_edge(days), channel.slug) if days else Thread.objects.filter(channel=channel)
    found = rows.aggregate(n=Count("pk"), events=Sum("last_seq"))
    told = {"title": channel.slug, "threads": found["n"], "events": found["events"] or 0}
    return _told(kind, pk, channel, told, "" if days else retention.busy(pk), days)


def _told(kind: str, pk: int, channel: Channel, told: Dict, busy: str, days: int) -> Dict:
    what = {"kind": kind, "id": pk, "channel": channel.slug, "busy": busy, "days": days, **told}
    return {**what, "seal": signing.dumps(_state(what), salt="retention")}


def _state(what: Dict) -> list[Any]:
    """What a seal is for. A conversation that has gone on since is another."""
    return [what[name] for name in ("kind", "id", "days", "threads", "events")]


def _sealed(seal: str, what: Dict) -> bool:
    try:
        return bool(signing.loads(seal, salt="retention", max_age=SECONDS) == _state(what))
    except signing.BadSignature:
        return False


def _edge(days: int) -> int:
    """ms since 1970, so many days ago."""
    days = min(days, 36_500)
    return int((datetime.now(UTC) - timedelta(days=days)).timestamp() * 1000)
