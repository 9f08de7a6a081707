"""Either database for a test of the store: the suite's own, and a PostgreSQL beside it.

`either` runs a test twice; its module is marked `django_db(transaction=True)`, which makes the suite's own
database. What a test does in threads or other processes is seen, since nothing is wrapped
in a transaction: tables are emptied afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

SQLITE, POSTGRES = "sqlite", "postgresql"


@contextmanager
def using(url: str) -> Iterator[None]:
    """Have Django's default connection lead to another database until the block ends."""
    from turnscope.settings import _database

    other = connections.configure_settings({"default": _database(url)})["default"]
    ours = connections.databases["default"]
    connections["default"].close()
    connections.databases["default"] = other
    del connections["default"]
    try:
        yield
    finally:
        connections["default"].close()
        connections.databases["default"] = ours
        del connections["default"]


@pytest.fixture(scope="session")
def postgres_tables(postgres_url: str, django_db_blocker: Any) -> str:
    """A PostgreSQL with our tables, empty."""
    with django_db_blocker.unblock(), using(postgres_url):
        call_command("migrate", verbosity=0, interactive=False)
    return postgres_url


@pytest.fixture(params=[SQLITE, POSTGRES])
def either(request: pytest.FixtureRequest, transactional_db: None, django_db_blocker: Any) -> Iterator[str]:
    """Empty tables in either database; the URL of the PostgreSQL, or ""."""
    if request.param == SQLITE:
        yield ""
        return
    if os.environ.get("TURNSCOPE_DATABASE_URL", "").startswith("postgres"):
        pytest.skip("the whole suite runs on PostgreSQL already")
    url = request.getfixturevalue("postgres_tables")
    with django_db_blocker.unblock(), using(url):
        yield url
        call_command("flush", verbosity=0, interactive=False)
