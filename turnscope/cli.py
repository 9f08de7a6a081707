"""The `turnscope` command: our own commands in the help, one clear line for what went wrong.

Does none of the work: each command is a module in a `management/commands/` folder, run by Django.
Counterpart: `manage.py`, which offers Django's own commands as well.

Exit codes: those of the command (`turnscope COMMAND --help`); 2 for what cannot be read or done;
70 for a mistake of ours; 130 when interrupted.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

from turnscope import __doc__ as what_it_is
from turnscope import __version__

if TYPE_CHECKING:
    from django.core.management import BaseCommand

SETTINGS = "turnscope.settings"

COMMANDS = (
    "serve",
    "demo",
    "ingest",
    "findings",
    "repair",
    "export",
    "find",
    "channel",
    "rebuild",
    "prune",
)
"""In the order of the help: first what a newcomer needs. Held to the folders by tests/test_cli.py."""

UNUSABLE = 2
OURS = 70
INTERRUPTED = 130
BASE_OPTIONS = (
    "--version",
    "--verbosity",
    "--settings",
    "--pythonpath",
    "--traceback",
    "--no-color",
    "--force-color",
    "--skip-checks",
)
"""Django's own options, which every command takes and nobody here needs to read about."""


def manage(argv: Sequence[str]) -> None:
    """Run any command as Django does. Django's own exits and errors pass through."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    from django.core.management import execute_from_command_line

    execute_from_command_line(list(argv))


def main() -> NoReturn:
    """The console script. Never shows a traceback unless TURNSCOPE_DEBUG is 1."""
    for stream in (sys.stdout, sys.stderr):
        # Half a character of an agent's, or a terminal that knows no Unicode, must not cost the rest.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(argv: Sequence[str]) -> int:
    """Run one of our commands; its exit code. Errors are said on stderr."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    try:
        return _dispatch(list(argv))
    except SystemExit as exit_:
        return _code(exit_)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `turnscope findings ... | head`: the reader has what it wanted. Nothing more goes into that pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # the last line of defence: said in one line, whatever it is
        return _say(error)


def _dispatch(argv: list[str]) -> int:
    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "--help"]
    if not argv or argv[0] in ("-h", "--help"):
        print(overview())
        return 0
    name, rest = argv[0], argv[1:]
    if name in ("-V", "--version"):
        print(f"turnscope {__version__}")
        return 0
    command = _load(name)
    if command is None:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean `turnscope {near[0]}`?" if near else " `turnscope --help` lists them."
        return _complain(f"there is no command {name!r}.{hint}")
    _execute(command, name, rest)
    return 0


def _load(name: str) -> BaseCommand | None:
    """The command of that name, if it is one of ours and there."""
    if name not in COMMANDS:
        return None
    import django
    from django.core.management import get_commands, load_command_class

    django.setup()
    app = get_commands().get(name)
    if not isinstance(app, str) or not app.startswith("turnscope."):
        return None
    return load_command_class(app, name)


def _execute(command: BaseCommand, name: str, argv: list[str]) -> None:
    """As BaseCommand.run_from_argv, but errors come out as they are, and --settings may be its own."""
    from django.db import connections

    # Django's own switch: a wrong option then prints the usage and exits with 2. The stubs do not know it.
    command._called_from_command_line = True  # type: ignore[attr-defined]
    command.suppressed_base_arguments = {*command.suppressed_base_arguments, *BASE_OPTIONS}
    options = vars(command.create_parser("turnscope", name).parse_args(argv))
    try:
        command.execute(*options.pop("args", ()), **options)
        sys.stdout.flush()
    finally:
        connections.close_all()


def overview() -> str:
    """What `turnscope` alone prints: how to begin, and each command with the first line of its help."""
    rows = []
    for name in COMMANDS:
        command = _load(name)
        if command is not None:
            rows.append(f"  {name:<10} {(command.help or '').strip().splitlines()[0]}")
    return "\n".join(
        [
            f"{(what_it_is or '').strip()}",
            "",
            "Begin with `turnscope serve --demo`; then open the address it prints.",
            "",
            "Commands:",
            *rows,
            "",
            "`turnscope COMMAND --help` tells more, with an example. Settings are in the README.",
        ]
    )


# ---------------------------------------------------------------- what went wrong, in one line


def _say(error: Exception) -> int:
    """One line for an error, and its exit code."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import CommandError
    from django.db import DatabaseError

    if isinstance(error, CommandError):
        # Django's default is 1, which `findings` needs for its own answer.
        return _complain(str(error), error.returncode if error.returncode != 1 else UNUSABLE)
    if isinstance(error, ImproperlyConfigured):
        return _complain(str(error))
    if isinstance(error, DatabaseError):
        return _complain(_about_the_database(str(error).strip()))
    if isinstance(error, OSError) and error.strerror:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if settings.DEBUG:
        raise error
    return _complain(
        f"this should not happen: {type(error).__name__}: {error}"
        " (TURNSCOPE_DEBUG=1 shows where; please report it)",
        OURS,
    )


def _about_the_database(text: str) -> str:
    from django.conf import settings

    if "no such table" in text or "does not exist" in text:
        return "the database has no tables yet. `turnscope serve` makes them; so does `turnscope ingest`."
    if "unable to open database file" in text:
        return f"there is no database in {settings.HOME} (TURNSCOPE_HOME). `turnscope serve` makes one."
    return f"the database refuses: {text}"


def _complain(text: str, code: int = UNUSABLE) -> int:
    print(f"turnscope: {text}", file=sys.stderr)
    return code


def _code(exit_: SystemExit) -> int:
    if exit_.code is None or isinstance(exit_.code, int):
        return exit_.code or 0
    return _complain(str(exit_.code))
