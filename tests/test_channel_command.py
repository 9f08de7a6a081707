"""`turnscope channel`: settings and tokens from the command line, and what a refused one leaves as it was."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.journals import chunks, kinds, live, say
from tests.streams import finished, run_started
from turnscope import cli
from turnscope.store import models
from turnscope.store.journal import Journal
from turnscope.store.tokens import digest
from turnscope.web import access

SETTINGS = {"owners": {"harness": ["ToolSearch"]}, "limits": {"silence": 90_000}, "client": "our own"}
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run(["channel", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """SETTINGS in a file."""
    path = tmp_path / "acme.json"
    path.write_text(json.dumps(SETTINGS))
    return path


def settings() -> Any:
    return models.Channel.objects.get(slug="acme").settings


def test_it_makes_a_channel_with_settings_and_shows_them_as_it_takes_them(run: Any, acme: Path) -> None:
    assert run("acme", "--create", "--settings", acme) == (0, "acme: made.\nacme: settings replaced.\n", "")
    assert settings() == SETTINGS
    code, out, err = run("acme", "--show")
    assert (code, json.loads(out), err) == (0, SETTINGS, "")


def test_settings_are_read_from_standard_input_and_replace_all_there_were(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"policy": "drop"}')))
    assert run("acme", "--settings", "-")[0] == 0
    assert settings() == {"policy": "drop"}


def test_each_problem_is_a_line_and_nothing_is_changed(run: Any, tmp_path: Path) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    bad = tmp_path / "bad.json"
    bad.write_text('{"colour": 1, "target": "abacus"}')
    for name in ("acme", "other"):
        code, out, err = run(name, "--create", "--settings", bad, "--token", "ci")
        first, second = err.splitlines()
        assert (code, out, first) == (2, "", f"turnscope: {bad}: unknown setting 'colour'")
        assert second.startswith(f"turnscope: {bad}: unknown target 'abacus'; one of ")
    assert settings() == SETTINGS
    assert models.Channel.objects.count() == 1
    assert not models.Token.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"{", "not JSON"), (b'{"limits": NaN}', "not JSON"), (b"[" * 100_000, "not JSON"),
     (b"[]", "settings must be one JSON object"), (b"\xff", "not JSON"),
     (b'{"client": "\\u0000"}', "NUL and lone surrogates cannot be kept")],
    ids=["cut", "NaN", "deep", "a list", "no UTF-8", "NUL"],
)  # fmt: skip
def test_hostile_settings_are_one_clear_line(run: Any, tmp_path: Path, content: bytes, said: str) -> None:
    models.Channel.objects.create(slug="acme", settings=SETTINGS)
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    code, out, err = run("acme", "--settings", bad)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"turnscope: {bad}: ") and said in err
    assert settings() == SETTINGS


def test_a_channel_that_is_not_there_is_made_only_when_asked(run: Any) -> None:
    assert run("acme") == (2, "", "turnscope: there is no channel 'acme'; --create makes it\n")
    assert run("../etc", "--create") == (2, "", "turnscope: '../etc' is no channel: letters, digits, - _\n")
    assert run("--show") == (2, "", "turnscope: name a channel\n")
    assert not models.Channel.objects.exists()


def test_a_token_is_printed_once_opens_its_channel_alone_and_only_its_digest_is_kept(run: Any) -> None:
    models.Channel.objects.create(slug="acme")
    models.Channel.objects.create(slug="other")
    code, out, err = run("acme", "--token", "ci")
    token = out.strip()
    assert (code, out, err) == (0, f"{token}\n", "")
    assert len(token) >= 32
    shown = {"headers": [(b"authorization", f"Bearer {token}".encode())], "subprotocols": ()}
    assert access.may_send(shown, "acme") and not access.may_send(shown, "other")
    assert access.token({"headers": [], "subprotocols": [f"turnscope.token.{token}"]}) == token
    (row,) = models.Token.objects.all().values()
    assert row["label"] == "ci"
    assert token not in str(row)
    assert token not in run("acme", "--json")[1]


def test_without_a_name_the_channels_are_listed(run: Any) -> None:
    assert run() == (0, "", "")
    models.Channel.objects.create(slug="b")
    models.Channel.objects.create(slug="a", settings={"policy": "drop"}).tokens.create(label="ci", digest="0")
    listed = "a: 0 threads, 1 token, settings: policy\nb: 0 threads, 0 tokens, no settings\n"
    assert run() == (0, listed, "")
    assert json.loads(run("--json")[1]) == [
        {"channel": "a", "threads": 0, "tokens": ["ci"], "settings": {"policy": "drop"}},
        {"channel": "b", "threads": 0, "tokens": [], "settings": {}},
    ]


def test_a_script_reads_what_was_done(run: Any, acme: Path) -> None:
    told = json.loads(run("acme", "--create", "--settings", acme, "--token", "ci", "--json")[1])
    token = told.pop("token")
    assert digest(token) == models.Token.objects.get().digest
    assert told == {"channel": "acme", "threads": 0, "tokens": ["ci"], "settings": SETTINGS, "created": True}


def test_new_settings_judge_what_a_running_journal_takes_next(run: Any, acme: Path) -> None:
    journal = Journal()
    handle = live(journal)
    say(journal, handle, chunks(run_started()))
    before = models.Channel.objects.get().last_change
    run("acme", "--settings", acme)
    assert models.Channel.objects.get().last_change == before
    say(journal, handle, chunks(finished()))
    assert kinds(journal)[-2:] == ["SETTINGS", "RUN_FINISHED"]
    assert models.Thread.objects.get().settings == SETTINGS
