"""What the views for programs share: methods, the one error shape, numbers, long answers in pieces."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from turnscope.core.events import Frame

from . import log

View = Callable[..., Any]
T = TypeVar("T")

DRAWN = 256
"""Items of a long answer read at a time."""


def error(status: int, code: str, message: str, **detail: Any) -> JsonResponse:
    """The one shape."""
    return JsonResponse({"error": {"code": code, "message": message, "detail": detail}}, status=status)


def api(*methods: str) -> Callable[[View], View]:
    """A view for programs: these methods alone, no form token, errors in the one shape."""

    def wrap(view: View) -> View:
        @csrf_exempt
        @functools.wraps(view)
        def wrapped(request: HttpRequest, **where: Any) -> Any:
            if request.method not in methods:
                response = error(405, "method", f"This takes {' or '.join(methods)}.")
                response["Allow"] = ", ".join(methods)
                return response
            try:
                return view(request, **where)
            except Http404 as missing:
                return error(404, "not_found", str(missing))

        return wrapped

    return wrap


def number(request: HttpRequest, name: str, default: int = 0) -> int:
    """A number of the query string; the default for anything else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else default


async def drawn(make: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """The items of a blocking iterator, made and read in the request's thread, a handful at a time."""
    items = await sync_to_async(make)()
    while some := await sync_to_async(lambda: list(islice(items, DRAWN)))():
        for item in some:
            yield item


def one_event(request: HttpRequest, frame: Frame, name: str) -> HttpResponse:
    """An event whole; with `?raw=1` its bytes, to keep under a name: never as a page."""
    if request.GET.get("raw"):
        response = HttpResponse(frame.raw, content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}.txt"'
        return response
    return JsonResponse(log.whole(frame))
