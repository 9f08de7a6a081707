"""The store as a Django app: what is kept."""

from __future__ import annotations

from django.apps import AppConfig


class StoreConfig(AppConfig):
    name = "turnscope.store"
    label = "store"
    default_auto_field = "django.db.models.BigAutoField"
