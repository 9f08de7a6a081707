"""The pages beside the turn page: its events at full height, one of its calls, original beside repaired."""

from __future__ import annotations

from django.http import HttpRequest
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from turnscope.store.models import Call

from . import callpage, comparepage, diffpage, eventspage, opened
from .pages import turn_row
from .views import answer, number, word


@require_safe
def call(request: HttpRequest, pk: int, call: int, *, twin: bool = False):
    """One call: what it was given, what it gave, and its events. One of another turn is shown there."""
    own = callpage.turn_of(pk, call)
    if own not in (0, pk):
        return redirect(f"/turns/{own}/calls/{call}{'.json' if twin else '/'}")
    return answer(request, "call.html", "channels", callpage.call_page(pk, call), twin=twin)


@require_safe
def diff(request: HttpRequest, pk: int, *, twin: bool = False):
    """`?change=2&mode=split|unified&target=&policy=`: what the repair changed, message by message."""
    if not twin and not number(request, "read") and (unread := diffpage.unread(pk, request.GET)):
        return answer(request, "diff_unread.html", "channels", unread)
    model = diffpage.diff_page(
        pk, target=word(request, "target"), policy=word(request, "policy"), mode=word(request, "mode"),
        change=number(request, "change"), whole=word(request, "whole") == "1",
    )  # fmt: skip
    return answer(request, "diff.html", "channels", model, twin=twin)


@require_safe
def compare(request: HttpRequest, *, twin: bool = False):
    """`?a=<run>&b=<run>`: two runs, call by call."""
    model = comparepage.compare_page(number(request, "a"), number(request, "b"))
    shown = [{**model[side], "letter": side.upper()} for side in "ab" if model[side]]
    return answer(request, "compare.html", "channels", model, twin=twin, runs_shown=shown)


@require_safe
def events(request: HttpRequest, pk: int):
    """`?event=731&q=&kind=&call=` (its id or number): the whole list; without scripts, a page of it."""
    kinds = [kind for kind in word(request, "kind").split(",") if kind]
    model = eventspage.events_page(
        pk,
        event=number(request, "event"),
        query=" ".join([*_of_call(pk, word(request, "call")), word(request, "q")]),
        kinds=kinds,
        before=number(request, "before"),
        after=number(request, "after"),
    )
    return answer(request, "events.html", "channels", {**model, **opened.of(request, pk, model, "event")})


def _of_call(pk: int, call: str) -> list[str]:
    """The term of the filter language that lets the events of a call through."""
    row = turn_row(pk)
    if call.isascii() and call.isdigit() and len(call) < 10:
        rows = Call.objects.filter(thread_id=row.thread_id, number=int(call))
        call = rows.values_list("call_id", flat=True).first() or call
    escaped = call.replace("\\", "\\\\").replace('"', '\\"')
    return [f'call:"{escaped}"'] if call else []
