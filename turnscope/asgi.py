"""The whole of Turnscope as one ASGI application, for `turnscope serve` and any other server.

From the outside in: the door (who may come in), then sockets by path, then static files and Django.
"""

from __future__ import annotations

import os
from typing import Any, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "turnscope.settings")

from django.core.asgi import get_asgi_application

django = get_asgi_application()  # before anything that needs the models

from channels.routing import URLRouter
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.exceptions import SuspiciousFileOperation
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import path, re_path

from turnscope.web.access import Door
from turnscope.web.hints import hints
from turnscope.web.live import watch_channel, watch_thread
from turnscope.web.sockets import ingest, nowhere


class StaticFiles(ASGIStaticFilesHandler):
    """Django's own, for which a path that cannot be a file's is one more file that is not there."""

    def serve(self, request: HttpRequest) -> HttpResponse | FileResponse:
        try:
            return super().serve(request)
        except (SuspiciousFileOperation, ValueError, OSError) as error:
            raise Http404("There is no such file here.") from error


pages = StaticFiles(django)
routes: list[tuple[str, Any]] = [
    ("ws/ingest/<str:channel>/", ingest),
    ("ws/threads/<int:pk>/", watch_thread),
    ("ws/channels/<str:channel>/", watch_channel),
]
sockets = URLRouter(
    [*(path(route, application) for route, application in routes), re_path("", cast("Any", nowhere))]
)


async def inside(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """What stands behind the door."""
    if scope["type"] == "lifespan":
        raise ValueError("Turnscope starts by itself: it needs no lifespan.")
    hints.begin()
    await (sockets if scope["type"] == "websocket" else pages)(scope, receive, send)


application = Door(inside)
