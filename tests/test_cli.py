"""The `turnscope` command: what it offers, and how it says that something went wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import BaseCommand, CommandError
from django.db import OperationalError

from turnscope import cli

PACKAGE = Path(cli.__file__).parent


def failing(error: BaseException) -> BaseCommand:
    """A command that fails with that error."""

    class Command(BaseCommand):
        help = "Fails.\n\nMore about it."
        requires_system_checks = []

        def handle(self, *args, **options) -> None:
            raise error

    return Command()


@pytest.fixture
def runs(monkeypatch):
    """Let `turnscope serve` fail with an error; returns the exit code."""

    def run(error: BaseException) -> int:
        monkeypatch.setattr(cli, "_load", lambda name: failing(error))
        return cli.run(["serve"])

    return run


def test_every_command_of_ours_is_offered_and_nothing_else() -> None:
    folders = PACKAGE.glob("*/management/commands/*.py")
    assert sorted(cli.COMMANDS) == sorted(path.stem for path in folders if not path.stem.startswith("_"))


def test_alone_it_says_what_it_is_and_what_it_offers(capsys) -> None:
    assert cli.run([]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Turnscope: every agent turn as it happens")
    assert [line.split()[0] for line in text.split("Commands:\n")[1].split("\n\n")[0].splitlines()] == list(
        cli.COMMANDS
    )


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_each_command_helps_with_an_example(name: str, capsys) -> None:
    assert cli.run([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: turnscope {name}")
    assert f"turnscope {name}" in text.split("\n", 1)[1], "no example"
    assert "--pythonpath" not in text, "Django's own options are not for our help"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_no_command_asks_a_database_that_it_has_not_made_yet(name: str) -> None:
    """Django's checks of models open the database (from 6.1 on); a fresh machine has no folder for one."""
    command = cli._load(name)
    assert command is not None
    assert list(command.requires_system_checks) == []


def test_an_unknown_command_is_answered_with_the_nearest(capsys) -> None:
    assert cli.run(["fnidings"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "turnscope: there is no command 'fnidings'. Did you mean `turnscope findings`?\n"


@pytest.mark.parametrize("name", ["migrate", "shell", "../serve", "", "\x00"])
def test_what_is_not_ours_is_not_offered(name: str, capsys) -> None:
    assert cli.run([name]) == 2
    assert "there is no command" in capsys.readouterr().err


def test_a_wrong_option_is_explained_and_is_2(capsys) -> None:
    assert cli.run(["serve", "--no-such-option"]) == 2
    assert "unrecognized arguments: --no-such-option" in capsys.readouterr().err


def test_a_command_says_in_one_line_what_it_cannot_do(runs, capsys) -> None:
    assert runs(CommandError("x.jsonl is empty.")) == 2
    assert capsys.readouterr().err == "turnscope: x.jsonl is empty.\n"


def test_a_command_chooses_its_own_exit_code(runs) -> None:
    assert runs(CommandError("blocked", returncode=4)) == 4


def test_a_file_that_is_not_there_is_one_line(runs, capsys) -> None:
    assert runs(FileNotFoundError(2, "No such file or directory", "x.jsonl")) == 2
    assert capsys.readouterr().err == "turnscope: x.jsonl: No such file or directory\n"


def test_a_database_without_tables_tells_what_makes_them(runs, capsys) -> None:
    assert runs(OperationalError("no such table: store_channel")) == 2
    assert "`turnscope serve` makes them" in capsys.readouterr().err


def test_a_mistake_of_ours_is_70_and_no_traceback(runs, capsys) -> None:
    assert runs(ZeroDivisionError("division by zero")) == 70
    error = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in error
    assert "Traceback" not in error


def test_interrupting_is_130(runs) -> None:
    assert runs(KeyboardInterrupt()) == 130


def test_a_reader_that_has_enough_ends_it_quietly() -> None:
    done = subprocess.run(
        f"{sys.executable} -m turnscope | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
