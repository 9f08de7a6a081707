"""The servers of the tests: ours, reachable, and not the machine's own."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
import redis


def test_a_postgresql_of_our_own_answers(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        folder = connection.execute("show data_directory").fetchone()[0]
        encoding = connection.execute("show server_encoding").fetchone()[0]

    assert "turnscope-postgres-" in folder
    assert encoding == "UTF8"
    assert urlsplit(postgres_url).port != 5432


def test_a_redis_of_our_own_answers_and_is_empty(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as connection:
        assert connection.ping()
        assert connection.dbsize() == 0
        assert "turnscope-redis-" in connection.config_get("dir")["dir"]
    assert urlsplit(redis_url).port != 6379
