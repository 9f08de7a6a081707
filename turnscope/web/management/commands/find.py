"""`turnscope find`: any id, or a pasted error, and where it leads."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand

from turnscope.store import front_door
from turnscope.web import finder

NOTHING = 1
"""Exit code when nothing is found."""
Line = tuple[str, str]
"""What it is, and where it leads."""
SAYS: dict[str, Callable[[dict[str, Any]], Line]] = {
    "calls": lambda one: (f"call {one['name']} {one['id']}: {one['state']} ({one['where']})", one["url"]),
    "runs": lambda one: (f"run {one['id']}: {one['state']} ({one['where']})", one["url"]),
    "threads": lambda one: (f"thread {one['id']} ({one['where']})", one["url"]),
    "turns": lambda one: (f"turn {one['title'] or one['number']}: {one['headline']}", one["url"]),
    "findings": lambda one: (f"{one['code']} {one['message']} ({one['where']})", one["url"]),
}


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Find a call, run or thread by any id or by a pasted error text.\n\n"
        "Exit code 1: nothing was found.\n\n"
        'Example: turnscope find "Tool result is missing for tool call call_8dd56dc7497c5ea9"'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("text", nargs="+", help="an id, an error, or words of a title or a finding")

    def handle(self, *args: Any, text: list[str], **options: Any) -> None:
        found = finder.find(" ".join(text)[:4000])
        base = (front_door.running(settings.HOME) or "").rstrip("/")
        lines = [line for kind, say in SAYS.items() for line in map(say, found[kind])]
        if not lines:
            self.stderr.write("turnscope: nothing was found")
            raise SystemExit(NOTHING)
        for line, url in lines:
            # A producer's text must not drive the terminal.
            self.stdout.write(
                "".join(char if char.isprintable() else "?" for char in line) + f"\t{base}{url}"
            )
