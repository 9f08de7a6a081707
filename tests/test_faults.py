"""Killed at any moment: no acknowledged frame is lost, and none is there twice. In a process of its own.

The producer here is the process itself: it appends numbered frames and says on stdout what was acknowledged.
After a kill another goes on from what the database says, as a client does from `after` in the answer to its
hello.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.journals import kinds, only_thread, rebuild_all, rows
from tests.services import free_port
from tests.serving import environment, served
from tests.streams import arguments, call_started, run_started
from turnscope.client import Recorder
from turnscope.core.kinds import MARK
from turnscope.store import models
from turnscope.store.journal import Journal

ROOT = Path(__file__).parents[1]
LAST = 100_000
"""More frames than any process lives to send."""

PRODUCER = """
import json, sys, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.streams import run_started, call_started, arguments
from turnscope.store.journal import Incoming, Journal
journal = Journal()
handle = journal.open_stream("acme", key="s1", create=True)
n, size, last = handle.last_n, int(sys.argv[1]), int(sys.argv[2])
print(json.dumps({"after": n}), flush=True)
while n < last:
    batch = []
    for k in range(n + 1, n + size + 1):
        frame = (run_started() if k == 1 else call_started() if k == 2 else arguments(delta=f"{k} "))[0]
        batch.append(Incoming(json.dumps({"n": k, "event": frame}).encode() + b"\\n", 1_796_000_000_000 + k))
    n = journal.append(handle, batch).ack
    print(json.dumps({"ack": n}), flush=True)
"""


def produce(home: Path, url: str, size: int, kill_after: int) -> tuple[int, int]:
    """Run a producer until its nth ack, and kill it somewhere after that: (where it began, its last ack)."""
    env = environment(home) | {"DJANGO_SETTINGS_MODULE": "turnscope.settings", "PYTHONPATH": str(ROOT)}
    if url:
        env["TURNSCOPE_DATABASE_URL"] = url
    process = subprocess.Popen(
        [sys.executable, "-c", PRODUCER, str(size), str(LAST)], cwd=ROOT, env=env, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    after, acked = -1, 0
    with process, process.stdout as said:
        for count, line in enumerate(said):
            told = json.loads(line)
            after, acked = told.get("after", after), told.get("ack", acked)
            if count == kill_after:
                os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return after, acked


def prove(home: Path, url: str, kills: int, seed: int) -> None:
    random_, acked = random.Random(seed), 0
    for _ in range(kills):
        after, last = produce(home, url, random_.choice((1, 3, 40)), random_.randrange(1, 60))
        assert after >= acked, "an acknowledged frame is lost"
        acked = max(after, last)
    check(home, url, acked)


def check(home: Path, url: str, acked: int) -> None:
    """What the database holds, looked at from this process."""
    from tests.databases import using

    with using(url or f"sqlite:///{home / 'turnscope.sqlite3'}"):
        journal = Journal()
        found = [frame for frame in journal.read(only_thread().pk) if frame.kind < MARK]
        numbers = [json.loads(frame.raw)["n"] for frame in found]
        assert numbers == list(range(1, len(numbers) + 1)), "a frame is missing or there twice"
        assert len(numbers) >= acked
        assert "GAP" not in kinds(journal)
        assert models.Call.objects.get().args_length == sum(len(f"{n} ") for n in numbers[2:])
        before = rows()
        rebuild_all(journal)
        assert rows() == before
        models.Channel.objects.all().delete()


def send_through_kills(home: Path, kills: int, each: int) -> int:
    """Record numbered deltas with the SDK while the server is killed and started anew; how many were sent."""
    port, sent = free_port(), 0
    recorder = Recorder(f"http://127.0.0.1:{port}", "acme", stream="s1")
    try:
        for round_ in range(kills + 1):
            with served(home, port=port) as server:
                for _ in range(each):
                    sent += 1
                    first = {1: run_started(), 2: call_started()}.get(sent)
                    recorder.send((first or arguments(delta=f"{sent} "))[0])
                if round_ < kills:
                    time.sleep(random.Random(round_).random() / 2)
                    server.process.kill()
                else:
                    assert recorder.flush(timeout=60), "not everything was acknowledged"
    finally:
        recorder.close(1.0)
    assert (recorder.lost, recorder.refused) == (0, "")
    return sent


@pytest.mark.django_db(transaction=True)
def test_a_killed_writer_loses_no_acknowledged_frame_and_doubles_none(tmp_path: Path) -> None:
    prove(tmp_path, "", kills=3, seed=1)


@pytest.mark.prove
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(3))
def test_killed_again_and_again_on_sqlite(tmp_path: Path, seed: int) -> None:
    prove(tmp_path, "", kills=12, seed=seed)


@pytest.mark.prove
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_a_server_killed_while_a_client_records_has_every_event_once(tmp_path: Path) -> None:
    sent = send_through_kills(tmp_path, kills=5, each=400)
    check(tmp_path, "", sent)


@pytest.mark.prove
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_killed_again_and_again_on_postgresql(tmp_path: Path, postgres_tables: str) -> None:
    prove(tmp_path, postgres_tables, kills=12, seed=9)
