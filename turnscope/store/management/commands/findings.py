"""`turnscope findings`: what is wrong in recordings, without a server or a database."""

from __future__ import annotations

import json
import shutil
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from turnscope.core import rules, tools
from turnscope.core.dialects import DIALECTS
from turnscope.core.muting import compile_muting
from turnscope.core.picture import Reading, read_file
from turnscope.core.reports import FORMATS, Report, Tally, junit, machine, plain, report, sarif, text
from turnscope.core.rules.finding import SEVERITIES
from turnscope.store import sources
from turnscope.store.collecting import seldom_collected
from turnscope.store.files import Recording, Unreadable, recordings

FOUND, UNUSABLE = 1, 2
"""Exit codes: findings at or above --fail-on; a file that cannot be read."""
NEVER = "never"
LIMIT = 1024**3
"""Most bytes of a recording: it is read whole."""
BAR = 24
"""Width of the progress bar."""
WIDEST = 120
"""Of a line on a terminal, in characters."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Find what is wrong in recordings. Needs no server and no database.\n\n"
        "Exit code 0: nothing at or above --fail-on; 1: findings; 2: something could not be read: a file of\n"
        "which no line can be, a message list, a UI message stream of the AI SDK (`turnscope repair` takes\n"
        "both). Single lines that cannot be read are findings (S01). An empty recording passes, and stderr\n"
        "says that it is empty.\n"
        "Findings that others explain are listed under them and do not count.\n\n"
        "Example: turnscope findings run.jsonl --fail-on warning\n"
        "         turnscope findings recordings/ --format sarif > findings.sarif\n"
        "         turnscope findings --explain C03"
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # --settings is ours here: Django's own option of that name gives way.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("files", nargs="*", metavar="FILE", help="recordings, folders, or - for stdin")
        parser.add_argument("--format", choices=FORMATS, default="text", help="%(default)s")
        parser.add_argument("--fail-on", choices=(*SEVERITIES, NEVER), default="error", help="%(default)s")
        parser.add_argument("--rules", default="", metavar="LIST", help="only these codes, by commas")
        parser.add_argument("--explain", metavar="CODE", help="print a rule's page")
        judging = 'JSON, as {"owners": {"harness": ["ToolSearch"]}, "target": "anthropic", "mutes": []}'
        parser.add_argument("--settings", metavar="FILE", help=judging)
        parser.add_argument("--preset", help=f"one of {', '.join(one.name for one in tools.PRESETS)}")
        parser.add_argument(
            "--dialect", default="auto", choices=("auto", *(one.NAME for one in DIALECTS)), help="%(default)s"
        )

    def handle(self, *args: Any, files: Sequence[str], explain: str | None, **options: Any) -> None:
        if explain:
            self.stdout.write(explained(explain))
            return
        if not files:
            raise CommandError("name a recording, or - for standard input", returncode=UNUSABLE)
        only = wanted(options["rules"])
        settings = settings_of(options["settings"], options["preset"])
        tally = Tally()
        reports = map(tally.add, self._reports(files, settings, options["dialect"], only))
        self._write(reports, options["format"], options["fail_on"])
        if tally.unreadable:
            raise SystemExit(UNUSABLE)
        if tally.fails(options["fail_on"]):
            raise SystemExit(FOUND)

    def _reports(
        self, files: Sequence[str], settings: dict[str, Any], dialect: str, only: frozenset[str] | None
    ) -> Iterator[Report]:
        muting = compile_muting(settings)
        for one in recordings(files):
            name = one.name if isinstance(one, Recording) else ""
            try:
                reading = read(one, settings, dialect, self._progress(name))
            except Unreadable as why:
                self.stderr.write(f"turnscope: {why}")
                yield Report(name or str(why).partition(":")[0], str(why))
            else:
                if not reading.frames:
                    self.stderr.write(f"turnscope: {name}: empty: there is nothing in it to judge")
                yield report(name, reading, muting, only)

    def _write(self, reports: Iterator[Report], format: str, fail_on: str) -> None:
        if format == "json":
            self.stdout.write(machine.write(reports))
        elif format == "sarif":
            self.stdout.write(sarif.write(reports))
        elif format == "junit":
            self.stdout.write(junit.write(reports, fail_on=fail_on))
        else:
            width = min(WIDEST, shutil.get_terminal_size().columns) if self.stdout.isatty() else 0
            for block in text.write(reports, width=width, paint=self._paint):
                self.stdout.write(block)

    def _paint(self, role: str, said: str) -> str:
        """In the terminal's colours, where there are any."""
        styles: dict[str, Callable[[str], str]] = {
            "error": self.style.ERROR, "warning": self.style.WARNING, "title": self.style.MIGRATE_HEADING,
        }  # fmt: skip
        return styles[role](said) if role in styles else said

    def _progress(self, name: str) -> Callable[[int, int], None] | None:
        """A bar on a terminal, gone when the recording is read; nothing elsewhere."""
        if not self.stderr.isatty():
            return None

        def draw(done: int, whole: int) -> None:
            bar = "#" * (done * BAR // max(whole, 1))
            line = f"{plain(name[-40:])} [{bar:<{BAR}}]"
            self.stderr.write(f"\r{line if done < whole else ' ' * len(line)}", ending="\r")
            self.stderr.flush()

        return draw


def read(
    one: Recording | Unreadable,
    settings: dict[str, Any],
    dialect: str = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> Reading:
    """The recording, judged. Raises Unreadable."""
    if isinstance(one, Unreadable):
        raise one
    data = b"".join(one.pieces(LIMIT))
    if dialect == "auto" and (why := sources.no_recording(data, one.name)):
        raise Unreadable(why)
    with seldom_collected():
        reading = read_file(
            data, settings=settings, dialect=dialect, name=one.name, keep_frames=False, progress=progress
        )
    if progress is not None:
        progress(1, 1)
    if reading.frames and len(reading.rejected) == reading.frames:
        line, reason = reading.rejected[0]
        raise Unreadable(f"{one.name}: no line of it can be read; line {line}: {reason}")
    return reading


def wanted(text: str) -> frozenset[str] | None:
    """The codes a --rules list names; None for all. Raises CommandError for a code that is none."""
    codes = [code.strip().upper() for code in text.split(",") if code.strip()]
    for code in codes:
        known(code)
    return frozenset(codes) if codes else None


def known(code: str) -> Any:
    found = rules.rule(code.upper())
    if found is None:
        codes = ", ".join(one.CODE for one in rules.RULES)
        raise CommandError(f"there is no rule {code!r}; one of {codes}", returncode=UNUSABLE)
    return found


def explained(code: str) -> str:
    """A rule's page."""
    return (known(code).__doc__ or "").strip()


def settings_of(path: str | None, preset: str | None) -> dict[str, Any]:
    """Settings from a file and a preset. Raises CommandError, with what is wrong with them."""
    settings: Any = {}
    if path:
        try:
            settings = json.loads(Path(path).read_bytes())
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=UNUSABLE) from error
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{path}: not JSON: {error}", returncode=UNUSABLE) from error
    if preset and isinstance(settings, dict):
        settings = {**settings, "preset": preset}
    wrong = tools.problems(settings)
    if wrong:
        raise CommandError(f"{path or '--preset'}: {'; '.join(wrong)}", returncode=UNUSABLE)
    assert isinstance(settings, dict)
    return settings
