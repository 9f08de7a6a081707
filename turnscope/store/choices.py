"""What people choose for a channel: its settings, replaced whole or in one place, and its mutes.

Settings that are not understood change nothing. Whoever edits says which settings they saw (`seal`), so that
of two people who edit at once the second is told, and nobody's work is lost without a word. The frames'
judging follows by itself: the journal reads settings anew, and records from which event on they judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from django.db import transaction

from turnscope.core import tools

from .journal import get_journal
from .models import Channel
from .text import harmless

Settings = dict[str, Any]


class Moved(Exception):
    """Somebody else has changed the settings since they were read."""


class Wrong(Exception):
    """The settings are not understood: `problems`, in sentences that begin with their path."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def seal(settings: Settings) -> str:
    """What tells these settings from others."""
    data = orjson.dumps(harmless(settings), option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def problems(settings: Any) -> list[str]:
    """Why these settings cannot be kept; [] if they can."""
    found = tools.problems(settings)
    if not found and harmless(settings) != settings:
        found = ["NUL and lone surrogates cannot be kept"]
    return found


def change(channel: int, make: Callable[[Settings], Settings], seen: str = "") -> Settings:
    """Put what `make` makes of the channel's settings in their place. Raises Moved, Wrong.

    With `seen`, a seal, only if they are still those.
    """
    with transaction.atomic():
        row = Channel.objects.select_for_update().get(pk=channel)
        before = row.settings if isinstance(row.settings, dict) else {}
        if seen and seen != seal(before):
            raise Moved
        after = make(orjson.loads(orjson.dumps(before)))
        if found := problems(after):
            raise Wrong(found)
        # Not save(): what the journal counts in the same row must not be put back.
        Channel.objects.filter(pk=channel).update(settings=after)
    get_journal().settings_changed(channel)
    return after


def replace(channel: int, settings: Settings, seen: str = "") -> Settings:
    """New settings in place of the old. Raises Moved, Wrong."""
    return change(channel, lambda _: settings, seen)


def mute(channel: int, code: str, subject: str, reason: str, date: str) -> Settings:
    """Have findings of this code, about subjects of this pattern, not counted. Raises Wrong."""
    one = {"code": code, "subject": subject, "reason": reason, "date": date}

    def add(settings: Settings) -> Settings:
        mutes = settings.get("mutes")
        kept = [it for it in mutes if not _same(it, one)] if isinstance(mutes, list) else []
        return {**settings, "mutes": [*kept, one]}

    return change(channel, add)


def unmute(channel: int, code: str, subject: str) -> Settings:
    """Count them again. Raises Wrong; LookupError where no such mute is."""

    def remove(settings: Settings) -> Settings:
        mutes = settings.get("mutes")
        mutes = mutes if isinstance(mutes, list) else []
        kept = [it for it in mutes if not _same(it, {"code": code, "subject": subject})]
        if len(kept) == len(mutes):
            raise LookupError(f"{code} of {subject} is not muted")
        rest = {name: value for name, value in settings.items() if name != "mutes"}
        return {**rest, "mutes": kept} if kept else rest

    return change(channel, remove)


def _same(one: Any, other: dict[str, str]) -> bool:
    if not isinstance(one, dict):
        return False
    return one.get("code") == other["code"] and one.get("subject", "*") == other["subject"]
