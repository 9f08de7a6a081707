"""What people change from a page: settings, mutes, tokens. Each is a plain form, answered by a redirect.

Host and Origin are judged at the door (`access.py`), for these as for every write. Whoever comes from another
machine, or by another name than this machine's, shows a token of the channel, here in a field of the form.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from turnscope.store import choices, tokens
from turnscope.store.models import NAME, Call, Channel, Finding, Token

from . import access, settingspage
from .pages import channel_row
from .views import answer, failed, word

Dict = dict[str, Any]


def refused(request: HttpRequest, slug: str) -> HttpResponse | None:
    """The answer to somebody who may not change this channel; None: they may."""
    if access.may_change(access.scope_of(request), slug, request.POST.get("token", "")):
        return None
    return failed(
        request, 403, "That needs a token of the channel.",
        "From this machine, as localhost, none is needed. `turnscope channel NAME --token LABEL` makes one.",
    )  # fmt: skip


def see_other(path: str) -> HttpResponse:
    """The answer to a form that was heeded: the page that shows it, fetched anew."""
    response = redirect(path)
    response.status_code = 303
    return response


# ---------------------------------------------------------------- settings


@require_http_methods(["GET", "HEAD"])
def settings(request: HttpRequest, *, twin: bool = False):
    """Every channel, and the server's own."""
    return answer(request, "settings.html", "settings", settingspage.server_page(), twin=twin)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def channel_settings(request: HttpRequest, slug: str, *, twin: bool = False):
    """One channel's settings; a POST says by `do` what is to be done."""
    if request.method != "POST":
        model = settingspage.page(slug)
        if twin:
            return answer(request, "", "", model, twin=True)
        return _shown(request, model, settingspage.form(model["settings"]), said=word(request, "said"))
    row = channel_row(slug)
    if (no := refused(request, slug)) is not None:
        return no
    seen = request.POST.get("seal", "")
    act = {
        "save": _save,
        "json": _save,
        "accept": _accept,
        "unmute": _unmute,
        "token": _token,
        "revoke": _revoke,
    }
    do = act.get(request.POST.get("do", ""))
    if do is None:
        return failed(request, 400, "The form does not say what to do.", "Open the page anew.")
    try:
        return do(request, row, seen)
    except choices.Moved:
        return _again(
            request,
            row,
            ["Somebody else has changed these settings meanwhile; below is what they are now."],
            409,
        )


def _save(request: HttpRequest, row: Channel, seen: str) -> HttpResponse:
    before = row.settings if isinstance(row.settings, dict) else {}
    if request.POST.get("do") == "json":
        try:
            after = json.loads(request.POST.get("json", ""), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            return _again(
                request, row, [f"This is not JSON: {error}"], 422, text=request.POST.get("json", "")
            )
    else:
        after = settingspage.read(request.POST, before)
    try:
        choices.replace(row.pk, after, seen)
    except choices.Wrong as wrong:
        return _again(request, row, wrong.problems, 422, wanted=after if isinstance(after, dict) else None,
                      text=request.POST.get("json", ""))  # fmt: skip
    return see_other(f"/settings/{row.slug}/?said=saved")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _again(
    request: HttpRequest, row: Channel, problems: list[str], status: int, *, wanted: Dict | None = None,
    text: str = "",
) -> HttpResponse:  # fmt: skip
    """The page with what was filled in, and what is wrong with it."""
    model = settingspage.page(row.slug)
    model["problems"] = settingspage.told(problems)
    filled = settingspage.form(model["settings"] if wanted is None else wanted)
    if text:
        filled["json"] = text
    return _shown(request, model, filled, status=status)


def _shown(
    request: HttpRequest, model: Dict, filled: Dict, *, status: int = 200, **more: Any
) -> HttpResponse:
    near = access.loopback(access.scope_of(request))
    wrong = {one["field"] for one in model["problems"]}
    return render(
        request, "settings_channel.html",
        {**model, **settingspage.CHOICES, **more, "form": filled, "wrong": wrong, "near": near,
         "section": "settings"},
        status=status,
    )  # fmt: skip


def _accept(request: HttpRequest, row: Channel, seen: str) -> HttpResponse:
    one = settingspage.accepted(row, request.POST.get("key", ""), seen)
    return see_other(f"/settings/{row.slug}/?said={'accepted' if one else 'gone'}")


def _unmute(request: HttpRequest, row: Channel, seen: str) -> HttpResponse:
    try:
        choices.unmute(row.pk, request.POST.get("code", ""), request.POST.get("subject", "*"))
    except LookupError:
        return see_other(f"/settings/{row.slug}/?said=gone")
    back = request.POST.get("back", "")
    return see_other(
        "/findings/?said=unmuted" if back == "findings" else f"/settings/{row.slug}/?said=unmuted"
    )


def _token(request: HttpRequest, row: Channel, seen: str) -> HttpResponse:
    """A new token, shown this once."""
    made = tokens.mint(row, request.POST.get("label", "").strip()[:80] or "from the settings page")
    model = settingspage.page(row.slug)
    response = _shown(request, model, settingspage.form(model["settings"]), minted=made)
    response["Cache-Control"] = "no-store"
    return response


def _revoke(request: HttpRequest, row: Channel, seen: str) -> HttpResponse:
    number = request.POST.get("id", "")
    if number.isascii() and number.isdigit() and len(number) < 16:
        Token.objects.filter(channel=row, pk=int(number)).delete()
    return see_other(f"/settings/{row.slug}/?said=revoked")


# ---------------------------------------------------------------- mutes

SCOPES = ("this", "tool", "all")


@csrf_exempt
@require_POST
def mute(request: HttpRequest, pk: int):
    """Mute a finding in its channel: `reason`, and `scope`: this subject, its tool's, or the whole rule."""
    row = Finding.objects.select_related("thread__channel").filter(pk=pk).first()
    if row is None:
        raise Http404(f"There is no finding {pk} here.")
    channel = row.thread.channel
    if (no := refused(request, channel.slug)) is not None:
        return no
    reason = " ".join(request.POST.get("reason", "").split())[:300]
    if not reason:
        return failed(
            request, 422, "A mute says its reason.", "Go back and say why this is not to be counted."
        )
    subject = pattern(row, request.POST.get("scope", ""))
    choices.mute(channel.pk, row.code, subject, reason, datetime.now(UTC).date().isoformat())
    query = urlencode(
        {"said": "muted", "channel": channel.slug, "rule": row.code, "subject": subject}, quote_via=quote
    )
    return see_other(f"/findings/?{query}")


def pattern(row: Finding, scope: str) -> str:
    """The pattern of subjects that a mute of this scope covers; a producer's own stars mean themselves."""
    if scope == "all":
        return "*"
    name = row.subject
    if scope == "tool" and row.call:
        name = (
            Call.objects.filter(thread_id=row.thread_id, number=row.call)
            .values_list("name", flat=True)
            .first()
            or name
        )
    cut = len(name) >= NAME and name.endswith("…")  # a column holds the beginning of a long one
    literal = "".join(
        f"[{letter}]" if letter in "*?[" else letter for letter in name.removesuffix("…" if cut else "")
    )
    return f"{literal}*" if cut else literal
