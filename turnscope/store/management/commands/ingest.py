"""`turnscope ingest`: recordings in, by the front door of a running server or straight into the database."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from turnscope.core.dialects import DIALECTS
from turnscope.core.framing import split
from turnscope.core.picture import guess
from turnscope.store import front_door, sources
from turnscope.store.files import LIMIT, Recording, Unreadable, recordings
from turnscope.store.imports import Progress, Told, bring_in, summary
from turnscope.store.journal import get_journal

UNUSABLE = 2
CHANNEL = "local"
SLUG = re.compile(r"[\w-]{1,64}", re.ASCII)
BAR = 24
"""Width of the progress bar."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Read recordings in: JSON lines, SSE bodies, JSON arrays, and gzip, zstd or zip of them.\n\n"
        "A running server takes them at its door, so that its pages show them at once; without one they\n"
        "go straight into the database.\n\n"
        "Exit code 2: a file could not be opened or unpacked, no line of it can be read, or it is a message\n"
        "list or a UI message stream of the AI SDK (`turnscope repair` takes both). Of such a file nothing\n"
        "is stored, and the others are. Exit code 0: all the rest; lines that cannot be read are stored as\n"
        'they came and counted ("1 frame unreadable"; `rejected` in JSON).\n\n'
        "Example: turnscope ingest runs/ --channel acme-support"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("files", nargs="+", metavar="FILE", help="files, folders, or - for stdin")
        parser.add_argument("--channel", default=CHANNEL, help="made if it is not there (%(default)s)")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="%(default)s")
        parser.add_argument(
            "--dialect", default="auto", choices=("auto", *(one.NAME for one in DIALECTS)), help="%(default)s"
        )

    def handle(self, *args: Any, files: Sequence[str], channel: str, format: str, **options: Any) -> None:
        if not SLUG.fullmatch(channel):
            raise CommandError(f"{channel!r} is no channel: letters, digits, - and _", returncode=UNUSABLE)
        settings.HOME.mkdir(parents=True, exist_ok=True)
        url = front_door.running(settings.HOME) if options["dialect"] == "auto" else None
        if url is None:
            call_command("migrate", verbosity=0, interactive=False)
        failed = False
        for one in recordings(files):
            try:
                if isinstance(one, Unreadable):
                    raise one
                told = self._take(one, channel, options["dialect"], url)
            except (Unreadable, front_door.Refused) as why:
                self.stderr.write(f"turnscope: {why}")
                failed = True
                continue
            value = as_json(one.name, told)
            if told.unread and told.unread >= value["frames"]:
                self.stderr.write(
                    f"turnscope: {one.name}: no line of it can be read; it is stored as it came"
                )
                failed = True
            self.stdout.write(json.dumps(value) if format == "json" else as_text(value, told))
        if failed:
            raise SystemExit(UNUSABLE)

    def _take(self, one: Recording, channel: str, dialect: str, url: str | None) -> Told:
        """Read one recording in. Raises Unreadable, Refused."""
        small = url is not None and one.size <= settings.BODY_LIMIT
        pieces = sources.looked_at(one.pieces(settings.BODY_LIMIT if small else LIMIT), one.name, dialect)
        if url is not None and small:
            try:
                body = b"".join(pieces)
            except Unreadable:
                if one.once:
                    raise
                pieces = one.pieces()
            else:
                return handed_in(url, channel, one.name, body)
        # What is too large for one request goes straight in: several writers are no harm to the journal.
        return bring_in(
            get_journal(), channel, pieces, name=one.name, dialect=dialect, progress=self._progress(one)
        )

    def _progress(self, one: Recording) -> Progress:
        """A bar on a terminal, nothing elsewhere."""
        if not self.stderr.isatty():
            return lambda size: None
        whole = one.size

        def draw(size: int) -> None:
            part = min(1.0, size / whole) if whole else 0.0
            bar = "#" * int(part * BAR)
            self.stderr.write(f"\r{one.name[-40:]} [{bar:<{BAR}}] {size / 1e6:.1f} MB", ending="\r")
            self.stderr.flush()

        return draw


def handed_in(url: str, channel: str, name: str, body: bytes) -> Told:
    """Through the server's door. Raises Refused."""
    answer = front_door.post(url, channel, body, name)
    _, confidence = guess(split(body[: 1 << 18]))
    rejected = [(line["line"], line["reason"]) for line in answer["rejected"]]
    return Told(
        answer["stream"], answer["dialect"], confidence, answer["frames"], answer["events"], rejected,
        answer["rejected_total"],
    )  # fmt: skip


def as_json(file: str, told: Told) -> dict[str, Any]:
    """What one recording came to, as scripts read it."""
    counts = summary(told.stream)
    return {
        "file": file,
        "dialect": told.dialect,
        "confidence": round(told.confidence, 3),
        "frames": counts["frames"],
        "events": told.events,
        "threads": counts["threads"],
        "runs": counts["runs"],
        "calls": counts["calls"],
        "findings": counts["findings"],
        "rejected": [{"line": line, "reason": reason} for line, reason in told.rejected],
        "stream": told.stream,
    }


def as_text(value: dict[str, Any], told: Told) -> str:
    """The same for a person, on one line."""
    calls, findings = value["calls"], value["findings"]
    parts = [
        value["dialect"],
        many(value["frames"], "frame"),
        many(value["runs"], "run"),
        many(calls["started"], "call") + (f" ({calls['open']} open)" if calls["open"] else ""),
        many(findings["error"], "error"),
        many(findings["warning"], "warning"),
    ]
    if told.unread:
        parts.append(f"{many(told.unread, 'frame')} unreadable")
    return f"{value['file']}: {', '.join(parts)}"


def many(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else noun + 's'}"
