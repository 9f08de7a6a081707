"""What every test may ask for. Fixtures of one subject stand beside its tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest_plugins = ["tests.services", "tests.databases", "tests.chromium", "tests.web"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write the outlines of the corpus anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether outlines are to be written rather than compared."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Tests on SQLite use a file of their own, as a server does: WAL and its locks are what is tested."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database.setdefault("TEST", {})["NAME"] = tmp_path_factory.mktemp("database") / "test.sqlite3"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings) -> Path:
    """A data directory per test: nothing of a test ends in the person's own."""
    settings.HOME = tmp_path / "home"
    return settings.HOME


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What pages remember of a thread is of another database's thread in the next test."""
    if (mended := sys.modules.get("turnscope.web.mended")) is not None:
        mended.forget()
