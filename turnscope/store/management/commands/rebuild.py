"""`turnscope rebuild`: every derived row anew, from the frames."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management import BaseCommand, CommandError

from turnscope.core.fold import FOLD_VERSION
from turnscope.store.journal import get_journal
from turnscope.store.models import Thread
from turnscope.store.segments import Damaged

UNUSABLE = 2


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Make turns, runs, calls and findings anew from the frames, by this version's rules.\n\n"
        "Without --all only threads that an older version made are rebuilt; opening one does the same.\n\n"
        "Example: turnscope rebuild --all"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("threads", nargs="*", type=int, metavar="THREAD", help="only these, by number")
        parser.add_argument("--all", action="store_true", help="also what this version made itself")

    def handle(self, *args: Any, threads: list[int], **options: Any) -> None:
        rows = Thread.objects.order_by("pk")
        if threads:
            rows = rows.filter(pk__in=[pk for pk in threads if pk < 2**63])
            missing = sorted(set(threads) - set(rows.values_list("pk", flat=True)))
            if missing:
                raise CommandError(f"there is no thread {missing[0]}", returncode=UNUSABLE)
        elif not options["all"]:
            rows = rows.exclude(fold_version=FOLD_VERSION)
        journal, done, damaged = get_journal(), 0, 0
        for pk in list(rows.values_list("pk", flat=True)):
            try:
                journal.rebuild(pk)
                done += 1
            except Damaged as why:
                self.stderr.write(f"turnscope: thread {pk}: {why}")
                damaged += 1
        self.stdout.write(f"{done} {'thread' if done == 1 else 'threads'} rebuilt.")
        if damaged:
            raise SystemExit(UNUSABLE)
