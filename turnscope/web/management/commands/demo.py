"""`turnscope demo`: the demo channel, from the recordings that come with Turnscope."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, call_command

from turnscope import demo
from turnscope.store.journal import get_journal


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Load the demo channel: invented conversations, each showing one thing that happens to agents.\n\n"
        "Example: turnscope demo --reset"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reset", action="store_true", help="empty the channel first")

    def handle(self, *args: Any, reset: bool, **options: Any) -> None:
        settings.HOME.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        loaded = demo.load(get_journal(), reset=reset)
        self.stdout.write(f"{loaded} recordings are new in the channel {demo.CHANNEL!r}.")
