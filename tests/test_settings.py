"""The settings: what a person may set, and a clear word about what they mistyped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from turnscope import settings
from turnscope.web.checks import settings_that_mean_nothing


def test_each_setting_has_its_own_name_and_a_reason() -> None:
    names = [setting.name for setting in settings.SETTINGS]
    assert len(names) == len(set(names))
    assert all(name.startswith("TURNSCOPE_") for name in names)
    assert all(setting.reason.endswith(".") for setting in settings.SETTINGS)


@pytest.mark.parametrize(
    ("text", "size"), [("65536", 65536), ("16 MiB", 16 * 2**20), ("64kib", 2**16), ("1GiB", 2**30), ("7B", 7)]
)
def test_a_size_is_read_as_people_write_it(monkeypatch, text: str, size: int) -> None:
    monkeypatch.setenv("TURNSCOPE_FRAME_LIMIT", text)
    assert settings._size("TURNSCOPE_FRAME_LIMIT") == size


@pytest.mark.parametrize("text", ["lots", "-1", "1.5 MiB", "16 MB", "MiB", "²"])
def test_a_size_that_is_none_is_refused_by_name(monkeypatch, text: str) -> None:
    monkeypatch.setenv("TURNSCOPE_FRAME_LIMIT", text)
    with pytest.raises(ImproperlyConfigured, match="TURNSCOPE_FRAME_LIMIT"):
        settings._size("TURNSCOPE_FRAME_LIMIT")


def test_an_empty_variable_is_an_absent_one(monkeypatch) -> None:
    monkeypatch.setenv("TURNSCOPE_PORT", " ")
    assert settings._number("TURNSCOPE_PORT") == 8000


def test_a_database_url_names_a_postgresql() -> None:
    database = settings._database("postgres://ann:p%40ss@db.example:5433/turns?sslmode=require")
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["USER"], database["PASSWORD"]) == ("ann", "p@ss")
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", "5433", "turns")
    assert database["OPTIONS"] == {"sslmode": "require"}


def test_a_database_url_names_a_sqlite_file() -> None:
    assert settings._database("sqlite:////srv/turns.sqlite3")["NAME"] == Path("/srv/turns.sqlite3")
    assert settings._database("sqlite:///turns.sqlite3")["NAME"] == Path("turns.sqlite3")


@pytest.mark.parametrize("url", ["mysql://localhost/x", "turns.sqlite3", "postgres://localhost"])
def test_a_database_url_of_no_use_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="TURNSCOPE_DATABASE_URL"):
        settings._database(url)


@pytest.mark.django_db
def test_what_is_acked_survives_a_power_cut() -> None:
    """SQLite's documentation: only synchronous=FULL (2) lets a commit in WAL survive a loss of power."""
    from django.db import connection

    if connection.vendor != "sqlite":
        pytest.skip("this run is on PostgreSQL, whose commits are durable by default")
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_mistyped_variable_is_pointed_out(monkeypatch) -> None:
    monkeypatch.setenv("TURNSCOPE_DATABSE_URL", "postgres://localhost/x")
    [message] = settings_that_mean_nothing()
    assert message.id == "turnscope.W001"
    assert message.hint == "Did you mean TURNSCOPE_DATABASE_URL?"


def test_reading_the_settings_makes_no_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program = "from turnscope import settings; print(settings.HOME)"
    environment = {**os.environ, "TURNSCOPE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(home)
    assert not home.exists()
