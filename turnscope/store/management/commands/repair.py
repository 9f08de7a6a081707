"""`turnscope repair`: a conversation, or a stream, as its next reader accepts it."""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from turnscope.core import repair as core
from turnscope.core import tools
from turnscope.core.repair import CHOICES, TARGETS, Change, Repaired, ui_parts
from turnscope.core.reports import plain
from turnscope.store import sources
from turnscope.store.files import Unreadable
from turnscope.store.sources import AG_UI, AI_SDK, Source

from .findings import settings_of

UNUSABLE, PENDING, BLOCKED = 2, 3, 4
"""Exit codes beside 0, sendable."""
STREAMS = {AG_UI: "ag_ui_stream", AI_SDK: "ai_sdk_stream"}
"""Protocol of a stream -> what the target of its repair is called."""
LISTS_ONLY: dict[str, Any] = {
    "boundary": None,
    "pending": [],
    "started": [],
    "cancel": None,
    "messages_only": False,
}
"""Options that say something about a history alone, beside the choices -> what they are unless given."""
OF_STREAM = "Of the recorded stream: "
"""How a note begins that tells what its client would have refused."""
OFFERS = {
    "other_target": "another --target", "flatten_pair": "--ids flatten", "id_map": "--ids map",
    "policy_answer": "--policy answer", "policy_drop": "--policy drop",
}  # fmt: skip
"""What a blocker offers -> the option that takes it."""

HELP = {
    "policy": "what becomes of a call that nobody answered",
    "purpose": "resume: what is open at the end is about to be answered",
    "late": "what becomes of a result behind its window",
    "orphans": "what becomes of a result whose call is nowhere",
    "duplicates": "which of two real results stays",
    "thinking": "what becomes of signed thinking behind a change",
    "ids": "what becomes of a call whose id the target refuses; map explains the ids it makes",
}


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Give a conversation back in a form that its target accepts, with each change and its reason.\n\n"
        "FILE is a message list, a recording (its last thread, or --thread) or a UI message stream of the\n"
        "AI SDK; a number is a stored run. The targets ag_ui_stream and ai_sdk_stream repair the stream\n"
        "itself, and --stream whichever of them it is; --policy to --cancel and --messages-only are for\n"
        "histories alone.\n"
        "Exit code 0: it can be sent; 3: calls wait for an answer; 4: blocked; 2: cannot be read.\n\n"
        "Example: turnscope repair chat.json --target anthropic -o mended.json\n"
        "         turnscope repair chat.json --target openai_chat --late quote --explain\n"
        "         turnscope repair answer.sse --target ai_sdk_stream -o mended.sse"
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # --settings is ours here: Django's own option of that name gives way.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("source", metavar="FILE|RUN", help="a file, - for stdin, or a run's number")
        parser.add_argument("--target", choices=(*TARGETS, *STREAMS.values()), help="who is to accept it")
        for name, allowed in CHOICES.items():
            parser.add_argument(
                f"--{name}", choices=allowed, default=allowed[0], help=f"{HELP[name]}; %(default)s"
            )
        parser.add_argument(
            "--boundary",
            nargs="+",
            metavar="ROLE",
            help="roles that close the window for results, if not the target's",
        )
        parser.add_argument(
            "--pending", nargs="+", default=[], metavar="ID", help="calls about to be answered"
        )
        parser.add_argument(
            "--started", nargs="+", default=[], metavar="ID", help="calls known to have begun"
        )
        parser.add_argument(
            "--cancel",
            nargs="*",
            metavar="ID",
            help="go on without the answers that are waited for (all, or these)",
        )
        parser.add_argument(
            "--settings",
            metavar="FILE",
            help="a channel's settings, as JSON: a client's or a job's call at the end is waited for",
        )
        parser.add_argument("--preset", help=f"one of {', '.join(one.name for one in tools.PRESETS)}")
        parser.add_argument("--thread", help="the thread of a recording, by its id")
        parser.add_argument("--messages-only", action="store_true", help="print the message list alone")
        parser.add_argument(
            "--explain", action="store_true", help="print the changes as sentences; with -o beside the file"
        )
        parser.add_argument("--stream", action="store_true", help="repair the stream itself")
        parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")

    def handle(self, *args: Any, source: str, target: str | None, **options: Any) -> None:
        if not options["stream"] and target is None:
            raise CommandError(
                f"--target is one of {', '.join((*TARGETS, *STREAMS.values()))}", returncode=UNUSABLE
            )
        settings = settings_of(options["settings"], options["preset"])
        try:
            said = sources.opened(source, options["thread"], settings)
        except Unreadable as why:
            raise CommandError(str(why), returncode=UNUSABLE) from why
        if options["stream"] or target in STREAMS.values():
            self._stream(said, target, options)
        else:
            assert target is not None
            self._messages(said, target, options)

    # ------------------------------------------------------------ the history

    def _messages(self, said: Source, target: str, options: dict[str, Any]) -> None:
        transcript = said.transcript()
        done = self._repaired(transcript, target, options, cancel=options["cancel"] or ())
        if options["cancel"] == []:
            done = self._repaired(transcript, target, options, cancel=done.pending)
        done.notes += [f"{OF_STREAM}{change.reason}" for change in said.told]
        value = done.messages if options["messages_only"] else done.as_json()
        self._put(json.dumps(value, indent=1), list(explained(done)), options)
        if options["messages_only"]:
            self._say_who_waits(done.pending, "it cannot be sent yet", options)
        if done.blockers or done.pending:
            raise SystemExit(BLOCKED if done.blockers else PENDING)

    def _repaired(
        self, transcript: Any, target: str, options: dict[str, Any], cancel: Sequence[str]
    ) -> Repaired:
        chosen = {name: options[name] for name in CHOICES}
        return core.repair(
            transcript, target, **chosen, pending=options["pending"], started=options["started"],
            boundary=options["boundary"], cancel=cancel,
        )  # fmt: skip

    # ------------------------------------------------------------ the stream

    def _stream(self, said: Source, target: str | None, options: dict[str, Any]) -> None:
        """Repairs the stream in the protocol it came in. Raises CommandError for what is none."""
        if given := of_lists_alone(options):
            why = "the repair of a stream knows no such choice, it answers what its host owes"
            raise CommandError(f"{', '.join(given)}: for a history; {why}", returncode=UNUSABLE)
        if said.protocol is None:
            raise CommandError("this is a message list; a stream is a recording", returncode=UNUSABLE)
        own = STREAMS[said.protocol]
        if target is not None and target in STREAMS.values() and target != own:
            raise CommandError(f"this stream is another's: its target is {own}", returncode=UNUSABLE)
        done = said.stream()
        lines = [*map(sentence, done.changes), *(f"pending {call}" for call in done.pending)]
        if done.offers:
            lines.append("To go on without them, send with the next message:")
            lines += [json.dumps(one) for one in done.offers]
        if said.protocol == AI_SDK:
            text = ui_parts.written(done.sent).decode("ascii").removesuffix("\n")
        else:
            text = "\n".join(json.dumps(event, separators=(",", ":")) for event in done.sent)
        self._put(text, lines or ["Its client accepts it as it is."], options)
        self._say_who_waits(done.pending, "the stream may end so", options)

    # ------------------------------------------------------------ out

    def _say_who_waits(self, pending: Sequence[str], so: str, options: dict[str, Any]) -> None:
        """On stderr, where what is printed does not say it."""
        if pending and not options["explain"]:
            calls = "1 call waits" if len(pending) == 1 else f"{len(pending)} calls wait"
            some = ", ".join(map(plain, pending[:5])) + (", ..." if len(pending) > 5 else "")
            self.stderr.write(f"turnscope: {calls} for an answer ({some}): {so}; --explain says more")

    def _put(self, text: str, lines: list[str], options: dict[str, Any]) -> None:
        """The result, the sentences, or with -o the one there and the other here."""
        path = options["output"]
        if path is not None:
            try:
                Path(path).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
            except OSError as error:
                raise CommandError(f"{path}: {error.strerror}", returncode=UNUSABLE) from error
        if options["explain"]:
            self.stdout.write("\n".join(map(plain, lines)))
        elif path is None:
            self.stdout.write(text + "\n")


def of_lists_alone(options: dict[str, Any]) -> list[str]:
    """The options that were given and that only a history's repair knows, as they were spelled."""
    chosen = [f"--{name} {options[name]}" for name, allowed in CHOICES.items() if options[name] != allowed[0]]
    given = [name for name, unsaid in LISTS_ONLY.items() if options[name] != unsaid]
    return chosen + [f"--{name.replace('_', '-')}" for name in given]


def sentence(change: Change) -> str:
    action, reason = change.action, change.reason
    if (
        change.code == "malformed_arguments"
        and " are spelled as " in reason
        and " did not parse" not in reason
    ):
        # Nothing was damaged: a shape that spells arguments otherwise is written.
        action, reason = "respelled", f"nothing is lost, {reason}"
    return f"{action} {change.call_id or ''}: {reason}".replace(" :", ":")


def explained(done: Repaired) -> Iterator[str]:
    """The repair in sentences."""
    yield from map(sentence, done.changes)
    for blocker in done.blockers:
        ways = [OFFERS.get(offer, offer) for offer in blocker.offers]
        offers = f" ({' or '.join(ways)})" if ways else ""
        yield f"blocked {blocker.call_id or ''}: {blocker.message}{offers}".replace(" :", ":")
    for call in done.pending:
        yield f"pending {call}"
    for sent, own in done.ids.items():
        yield f"{sent} stands for {own}"
    yield from done.notes
    refused = any(note.startswith(OF_STREAM) for note in done.notes)
    if not done.changes and not done.blockers and not done.pending and not refused:
        yield f"{done.target} accepts it as it is."
