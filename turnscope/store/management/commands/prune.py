"""`turnscope prune`: old threads go, whole."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management import BaseCommand, CommandError

from turnscope.store.journal import get_journal
from turnscope.store.models import Channel
from turnscope.store.retention import old, prune

UNUSABLE = 2


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Remove threads that nothing was written to since a date, with everything made of them.\n\n"
        "A thread goes whole or stays; one with an open run stays. It cannot be undone.\n\n"
        "Example: turnscope prune --before 90d --channel acme-support --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("--before", required=True, metavar="WHEN", help="2026-11-30, or 90d: days ago")
        parser.add_argument("--channel", help="only this one")
        parser.add_argument("--dry-run", action="store_true", help="only say how many it would be")

    def handle(self, *args: Any, before: str, channel: str | None, dry_run: bool, **options: Any) -> None:
        moment = moment_of(before)
        if channel and not Channel.objects.filter(slug=channel).exists():
            raise CommandError(f"there is no channel {channel!r}", returncode=UNUSABLE)
        count = (
            old(moment, channel).count() if dry_run else max(prune(get_journal(), moment, channel), default=0)
        )
        verb = "would be removed" if dry_run else "removed"
        self.stdout.write(f"{count} {'thread' if count == 1 else 'threads'} {verb}.")


def moment_of(text: str) -> int:
    """ms since 1970 of a date, a time or `<days>d`. Raises CommandError."""
    try:
        if text.endswith("d") and text[:-1].isdecimal():
            when = datetime.now(UTC) - timedelta(days=int(text[:-1]))
        else:
            when = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise CommandError(
            f"--before {text!r}: neither a date nor a number of days", returncode=UNUSABLE
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return int(when.timestamp() * 1000)
