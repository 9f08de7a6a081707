"""`turnscope channel`: the settings of a channel shown or replaced, and tokens for those who send to it."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings as server
from django.core.management import BaseCommand, CommandError, CommandParser, call_command
from django.db import transaction

from turnscope.core import tools
from turnscope.store import front_door, tokens
from turnscope.store.models import Channel
from turnscope.store.text import harmless, shown

UNUSABLE = 2
SLUG = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What the addresses of pages and doors can hold."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Show or replace a channel's settings, and make tokens; without a name, list the channels.\n\n"
        "A running server heeds new settings within a second and tokens at once. Settings that are not\n"
        "understood change nothing: each problem is a line on stderr, and the exit code is 2.\n\n"
        "Example: turnscope channel acme-support --create --settings acme.json\n"
        "         turnscope channel acme-support --show > acme.json\n"
        "         turnscope channel acme-support --token ci"
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # --settings is ours here: Django's own option of that name gives way.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("name", nargs="?", metavar="NAME", help="a channel; all are listed without it")
        parser.add_argument("--create", action="store_true", help="make it if it is not there")
        parser.add_argument("--settings", metavar="FILE", help="replace its settings; - is stdin")
        parser.add_argument(
            "--show", action="store_true", help="print its settings, as --settings takes them"
        )
        parser.add_argument("--token", metavar="LABEL", help="make a token and print it, this once")
        parser.add_argument("--json", action="store_true", help="for scripts: one JSON value")

    def handle(self, *args: Any, name: str | None, **options: Any) -> None:
        wanted = None if options["settings"] is None else self._read(options["settings"])
        server.HOME.mkdir(parents=True, exist_ok=True)
        if front_door.running(server.HOME) is None:
            call_command("migrate", verbosity=0, interactive=False)
        if name is None:
            if options["create"] or options["show"] or wanted is not None or options["token"] is not None:
                raise CommandError("name a channel", returncode=UNUSABLE)
            self._list(options["json"])
            return
        with transaction.atomic():
            channel, made = _channel(name, create=options["create"])
            if wanted is not None:
                # Not save(): what a running server counts in the same row must not be put back.
                Channel.objects.filter(pk=channel.pk).update(settings=wanted)
                channel.settings = wanted
            token = None if options["token"] is None else tokens.mint(channel, options["token"])
        if options["json"]:
            value = {**_told(channel), "created": made, **({"token": token} if token else {})}
            self.stdout.write(json.dumps(value, ensure_ascii=False))
            return
        if made:
            self.stdout.write(f"{name}: made.")
        if wanted is not None:
            self.stdout.write(f"{name}: settings replaced.")
        if token is not None:
            self.stdout.write(token)
        if options["show"]:
            self.stdout.write(json.dumps(channel.settings, indent=2, ensure_ascii=False))
        elif not made and wanted is None and token is None:
            self.stdout.write(_line(channel))

    def _list(self, as_json: bool) -> None:  # noqa: FBT001
        channels = Channel.objects.order_by("slug")
        if as_json:
            self.stdout.write(json.dumps([_told(channel) for channel in channels], ensure_ascii=False))
            return
        for channel in channels:
            self.stdout.write(_line(channel))

    def _read(self, path: str) -> dict[str, Any]:
        """Settings that are understood. Raises CommandError for what is no JSON; exits after any problem."""
        try:
            data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
            value = json.loads(data, parse_constant=_refuse)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=UNUSABLE) from error
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{path}: not JSON: {error}", returncode=UNUSABLE) from error
        problems = tools.problems(value)
        if not problems and harmless(value) != value:
            problems = ["NUL and lone surrogates cannot be kept"]
        for problem in problems:
            self.stderr.write(f"turnscope: {path}: {problem}")
        if problems:
            raise SystemExit(UNUSABLE)
        assert isinstance(value, dict)
        return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _channel(name: str, *, create: bool) -> tuple[Channel, bool]:
    """The channel, and whether it was made now. Raises CommandError."""
    found = Channel.objects.filter(slug=name).first()
    if found is not None:
        return found, False
    if not create:
        raise CommandError(f"there is no channel {shown(name)!r}; --create makes it", returncode=UNUSABLE)
    if not SLUG.fullmatch(name):
        raise CommandError(f"{shown(name)!r} is no channel: letters, digits, - _", returncode=UNUSABLE)
    return Channel.objects.get_or_create(slug=name)


def _told(channel: Channel) -> dict[str, Any]:
    """A channel as scripts read it."""
    return {
        "channel": channel.slug,
        "threads": channel.threads.count(),
        "tokens": list(channel.tokens.order_by("pk").values_list("label", flat=True)),
        "settings": channel.settings,
    }


def _line(channel: Channel) -> str:
    """The same for a person, on one line."""
    told = _told(channel)
    parts = [
        _many(told["threads"], "thread"),
        _many(len(told["tokens"]), "token"),
        f"settings: {', '.join(told['settings'])}" if told["settings"] else "no settings",
    ]
    return f"{channel.slug}: {', '.join(parts)}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else noun + 's'}"
