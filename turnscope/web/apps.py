"""The web as a Django app: who comes in and what they see."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "turnscope.web"
    label = "web"

    def ready(self) -> None:
        from turnscope.web import checks  # noqa: F401  (registers them)
