"""`turnscope export`: what arrived, as it arrived, or as something to read and to hand on."""

from __future__ import annotations

import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from django.core.management import BaseCommand, CommandError
from django.core.management.base import OutputWrapper

from turnscope.core.kinds import MARK
from turnscope.core.redact import Redactor
from turnscope.core.repair import POLICIES, TARGETS
from turnscope.store import reading
from turnscope.store.models import Run, Stream, Turn
from turnscope.store.segments import Damaged
from turnscope.web import choices, takeaway

UNUSABLE = 2
Row: TypeAlias = Stream | Turn | Run
PLACE = re.compile(r"(?:.*/)?(turn|run|stream)s?[:/](\d{1,18})/?(?:[?#].*)?")
"""`run:7`, `/runs/7/`, `http://127.0.0.1:8000/runs/7/?event=3`."""
OF_TURNS = {"bundle": "bundle.zip", "markdown": "turn.md", "html": "turn.html"}
"""Formats that are of a whole turn, and what its export page calls each."""
FORMATS = ("raw", "frames", *OF_TURNS)


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Write out what a stream, a turn or a run brought: byte for byte, or to read and to hand on.\n\n"
        "raw: a stream gives back its input, framing included; a turn or a run gives its own frames.\n"
        "frames: one a line. markdown, html: a turn to read; the page loads nothing and runs nothing.\n"
        "bundle: a zip of a turn's stream, its repaired transcript, its findings and both to read, which\n"
        "`turnscope ingest` reads again.\n\n"
        "--redact replaces values: every text becomes as many x, every digit a 1, each boolean true. Types,\n"
        "roles, states, times, ids, names of tools, steps and events, and the keys of objects stay, and the\n"
        "sentences of findings are left out. Look at what is left before you hand it on.\n\n"
        "Example: turnscope export stream:12 --raw > input.sse\n"
        "         turnscope export http://127.0.0.1:8000/turns/7/ --bundle --redact -o turn-7.zip"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        help_ = "turn:7, run:7, stream:7, or a page's address; a number alone is a turn"
        parser.add_argument("place", metavar="TURN|RUN|STREAM", help=help_)
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--format", choices=FORMATS, default="raw", help="%(default)s unless you say so")
        for name in ("raw", "frames", "bundle"):
            how.add_argument(
                f"--{name}", dest="format", action="store_const", const=name, help=f"--format {name}"
            )
        parser.add_argument("--redact", action="store_true", help="without its values")
        parser.add_argument("--target", choices=TARGETS, help="of a bundle: whose transcript it holds")
        parser.add_argument("--policy", choices=POLICIES, help="of a bundle: for calls nobody answered")
        parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")

    def handle(self, *args: Any, place: str, format: str, output: str | None, **options: Any) -> None:
        row = found(place)
        if format == "raw" and options["redact"]:
            raise CommandError(
                "raw bytes keep their values; --redact goes with --format frames, markdown, html or bundle",
                returncode=UNUSABLE,
            )
        try:
            chunks = self._made(row, format, options)
            if output:
                with open(output, "wb") as file:
                    file.writelines(chunks)
            else:
                self._write(self.stdout, chunks)
        except OSError as error:
            raise CommandError(f"{output or 'stdout'}: {error.strerror}", returncode=UNUSABLE) from error
        except Damaged as why:
            raise CommandError(str(why), returncode=UNUSABLE) from why

    def _made(self, row: Row, format: str, options: dict[str, Any]) -> Iterator[bytes]:
        """What is to be written. Raises CommandError."""
        if format in OF_TURNS:
            turn = row if isinstance(row, Turn) else turn_of(row)
            settings = turn.thread.settings or turn.thread.channel.settings
            chosen = choices.named(options["target"] or "", options["policy"] or "", settings)
            yield takeaway.file(turn, OF_TURNS[format], replace(chosen, redact=options["redact"]))[2]
            return
        chunks = brought(row)
        if options["redact"]:
            one = Redactor()
            chunks = map(one.frame, chunks)
        if format == "frames":
            chunks = (b" ".join(chunk.split(b"\n")).strip() + b"\n" for chunk in chunks if chunk.strip())
        yield from chunks

    def _write(self, out: OutputWrapper, chunks: Iterator[bytes]) -> None:
        """Bytes, where stdout can take them."""
        binary = getattr(out._out, "buffer", None)
        for chunk in chunks:
            if binary is not None:
                binary.write(chunk)
            else:
                out.write(chunk.decode("utf-8", "surrogateescape"), ending="")
        out.flush()


def found(place: str) -> Row:
    """The turn, run or stream that the argument names. Raises CommandError."""
    told = PLACE.fullmatch(f"turn:{place}" if place.isdecimal() else place)
    if told is None:
        raise CommandError(
            f"{place!r} is none of turn:7, run:7, stream:7 and no address", returncode=UNUSABLE
        )
    kind, number = told[1], int(told[2])
    model: Any = {"turn": Turn, "run": Run, "stream": Stream}[kind]
    row: Row | None = model.objects.filter(pk=number).first()
    if row is None:
        raise CommandError(f"there is no {kind} {number}", returncode=UNUSABLE)
    return row


def turn_of(row: Stream | Run) -> Turn:
    """The turn that a run is part of. Raises CommandError."""
    if isinstance(row, Run):
        turn = Turn.objects.filter(thread_id=row.thread_id, number=row.turn).first()
        if turn is not None:
            return turn
    raise CommandError("this is of a turn, or of a run's; name one", returncode=UNUSABLE)


def brought(row: Row) -> Iterator[bytes]:
    """The frames of a stream, a turn or a run, marks left out."""
    if isinstance(row, Stream):
        yield from reading.raw(row.pk)
        return
    first = row.first_seq if isinstance(row, Turn) else row.start_seq
    for frame in reading.read(row.thread_id, first - 1, row.last_seq):
        own = isinstance(row, Turn) or frame.stream == row.stream
        if own and (frame.kind < MARK or frame.n):
            yield frame.raw
