"""Django's system checks: what about this set-up a person should know. Each has an id and a hint."""

from __future__ import annotations

import difflib
from typing import Any

from django.core.checks import CheckMessage, Warning, register

from turnscope import settings


@register()
def settings_that_mean_nothing(**_: Any) -> list[CheckMessage]:
    """turnscope.W001: a TURNSCOPE_ variable that is no setting; mistyped, it silently changes nothing."""
    known = [setting.name for setting in settings.SETTINGS]
    found: list[CheckMessage] = []
    for name in settings.unknown_settings():
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else "The settings are listed in the README."
        found.append(Warning(f"{name} is set and means nothing.", hint=hint, id="turnscope.W001"))
    return found
