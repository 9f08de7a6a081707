"""Importing a file by a page: what a form, a drop and a program bring, how far it is, and what came of it."""

from __future__ import annotations

import gzip
import io
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.services import free_port
from tests.serving import served
from tests.streams import call, finished, ndjson, result, run_started
from tests.test_faults_server import get
from tests.test_pages import page, words
from turnscope.store import jobs, journal, models

pytestmark = pytest.mark.django_db(transaction=True)
HERE = {"HTTP_HOST": "localhost:8000"}
RUN = ndjson(run_started() + call("call-1", "look_up") + result("call-1", "ok") + finished())


@pytest.fixture(autouse=True)
def fresh_journal():
    journal._journal = None
    yield
    journal._journal = None


def upload(client: Client, data: bytes, name: str = "run.jsonl", status: int = 303, **fields: str) -> Any:
    given = {"channel": "acme", **fields, "file": SimpleUploadedFile(name, data)}
    answer = client.post("/import/", given, **HERE)
    assert answer.status_code == status, answer.content.decode()[:500]
    return answer


def over(client: Client, url: str) -> dict[str, Any]:
    """The job's twin, once it is over."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        twin = json.loads(page(client, url.rstrip("/") + ".json"))
        if twin["over"] and not jobs._worker.has(twin["id"]):
            return twin
        time.sleep(0.02)
    raise AssertionError("the import did not end")


def test_a_form_brings_a_file_and_leads_to_its_job_and_its_conversation(client: Client):
    twin = over(client, upload(client, RUN)["Location"])
    assert (twin["state"], twin["read"], twin["size"], twin["frames"]) == ("done", len(RUN), len(RUN), 6)
    [thread] = twin["threads"]
    assert models.Thread.objects.get(pk=thread["id"]).channel.slug == "acme"
    text = page(client, f"/import/{twin['id']}/")
    assert f'href="/threads/{thread["id"]}/"' in text
    assert "run.jsonl" in page(client, "/import/")


def test_lines_that_could_not_be_read_are_listed_with_their_reasons(client: Client):
    lines = RUN.splitlines(keepends=True)
    twin = over(
        client, upload(client, b"".join([*lines[:2], b"{cut\n", *lines[2:], b"\xff\xfe\n"]))["Location"]
    )
    assert [one["line"] for one in twin["rejected"]] == [3, 8]
    assert twin["rejected_total"] == 2
    text = words(page(client, f"/import/{twin['id']}/"))
    assert "line 3" in text
    assert twin["rejected"][0]["reason"] in text


def test_packed_files_and_archives_of_many_are_read(client: Client):
    packed = over(client, upload(client, gzip.compress(RUN), "run.jsonl.gz")["Location"])
    assert (packed["frames"], packed["size"]) == (6, 0)  # how much it unpacks to is not known before
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(3):
            archive.writestr(f"runs/{number}.jsonl", RUN)
    twin = over(client, upload(client, many.getvalue(), "runs.zip")["Location"])
    assert (twin["frames"], len(twin["threads"]), twin["size"]) == (18, 3, 3 * len(RUN))
    names = set(models.Stream.objects.values_list("name", flat=True))
    assert "runs.zip!runs/0.jsonl" in names


def test_a_program_posts_the_body_as_it_is_and_is_told_where_to_look(client: Client):
    answer = client.post(
        "/import?channel=acme&name=night.jsonl", RUN, content_type="application/x-ndjson", **HERE
    )
    assert answer.status_code == 202
    twin = over(client, answer.json()["url"])
    assert (twin["name"], twin["frames"]) == ("night.jsonl", 6)


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"channel": "no spaces"}, "no channel"), ({"dialect": "nobody"}, "no dialect"),
     ({"channel": "../etc"}, "no channel")],
)  # fmt: skip
def test_what_cannot_be_imported_is_refused_in_a_sentence(client: Client, fields: dict[str, str], said: str):
    assert said in words(upload(client, RUN, status=422, **fields).content.decode())
    assert not models.Import.objects.exists()


def test_an_empty_file_is_refused_and_leaves_nothing_behind(client: Client, settings):
    assert "is empty" in words(upload(client, b"", status=422).content.decode())
    assert list((settings.HOME / "imports").iterdir()) == []


def test_a_file_that_is_cut_keeps_what_was_read_and_says_so(client: Client, settings):
    data = gzip.compress(RUN * 2000)
    twin = over(client, upload(client, data[:-200], "cut.jsonl.gz")["Location"])
    assert twin["state"] == "failed"
    assert "cut.jsonl.gz" in twin["error"]
    assert str(settings.HOME) not in twin["error"]
    assert twin["frames"] > 0
    assert "What was read until then is stored." in words(page(client, f"/import/{twin['id']}/"))
    assert list((settings.HOME / "imports").iterdir()) == []


LIST = json.dumps(
    [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    ]
).encode()  # fmt: skip


@pytest.mark.parametrize(
    ("data", "said"),
    [(LIST, "a message list in the shape of openai_chat"),
     (b"no recording\n" * 9, "no line of it can be read"),
     (b"\x00\x01\xff\xfe" * 50, "no line of it can be read")],
)  # fmt: skip
def test_what_is_no_recording_fails_with_what_it_is_and_stores_nothing(
    client: Client, data: bytes, said: str
):
    twin = over(client, upload(client, data, "mine.json")["Location"])
    assert twin["state"] == "failed" and twin["error"].startswith(f"mine.json: {said}")
    assert not models.Stream.objects.exists()
    text = words(page(client, f"/import/{twin['id']}/"))
    assert said in text and "Nothing of it was kept." in text


def test_what_is_no_recording_in_an_archive_is_told_and_the_others_are_read(client: Client):
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for name, data in (("a.jsonl", RUN), ("b.json", LIST), ("c.jsonl", RUN)):
            archive.writestr(name, data)
    twin = over(client, upload(client, many.getvalue(), "runs.zip")["Location"])
    assert (twin["state"], twin["frames"], twin["rejected_total"]) == ("done", 12, 1)
    assert "b.json: a message list" in twin["rejected"][0]["reason"]


def test_an_archive_without_a_recording_fails_and_nothing_is_said_to_be_stored(client: Client):
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        archive.writestr("a.json", LIST)
        archive.writestr("b.txt", "no recording")
    twin = over(client, upload(client, many.getvalue(), "lists.zip")["Location"])
    assert (twin["state"], twin["rejected_total"]) == ("failed", 2)
    assert "a.json: a message list" in twin["error"]
    assert "is stored" not in words(page(client, f"/import/{twin['id']}/"))


def test_a_name_that_would_be_a_path_is_only_a_name(client: Client, settings):
    twin = over(client, upload(client, RUN, "../../../etc/cron.d/x.jsonl")["Location"])
    assert twin["name"] == "x.jsonl"
    answer = client.post(
        "/import?channel=acme&name=../../<b>x", RUN, content_type="application/x-ndjson", **HERE
    )
    other = over(client, answer.json()["url"])
    assert "&lt;b&gt;x" in page(client, f"/import/{other['id']}/")


def test_a_job_can_be_stopped_and_says_what_became_of_it(client: Client):
    url = upload(client, RUN * 20_000)["Location"]
    client.post(url, **HERE)
    twin = over(client, url)
    assert twin["state"] == "stopped"
    assert twin["read"] < twin["size"]
    # How far it came is a matter of moments; what is said of it is not.
    kept = "What was read until then is stored." if twin["frames"] else "Nothing of it was kept."
    assert kept in words(page(client, url))


def test_a_job_whose_server_has_gone_says_so(client: Client):
    channel = models.Channel.objects.create(slug="acme")
    row = models.Import.objects.create(
        channel=channel, name="x", size=10, read=5, state="reading", answer={"at": 1, "began": 1}
    )
    assert json.loads(page(client, f"/import/{row.pk}.json"))["state"] == "lost"
    assert "has stopped" in words(page(client, f"/import/{row.pk}/"))


def test_from_elsewhere_a_token_is_needed(client: Client):
    given = {"channel": "acme", "file": SimpleUploadedFile("run.jsonl", RUN)}
    assert client.post("/import/", given, HTTP_HOST="testserver").status_code == 403
    assert not models.Import.objects.exists()


# ---------------------------------------------------------------- one after the other


def test_a_second_import_says_that_it_waits_and_for_how_many(client: Client, monkeypatch: pytest.MonkeyPatch):
    go, real = threading.Event(), jobs.Job._read
    monkeypatch.setattr(jobs.Job, "_read", lambda job: (go.wait(20), real(job)))
    urls = [upload(client, RUN, f"{n}.jsonl")["Location"] for n in range(3)]
    try:
        for n, url in enumerate(urls[1:], 1):
            twin = json.loads(page(client, url.rstrip("/") + ".json"))
            assert (twin["state"], twin["over"], twin["ahead"]) == ("waiting", False, n)
            told = words(page(client, url))
            assert f"waits behind {n} other import" in told and "kept until it is read" in told
        client.post(urls[1], **HERE)
        twin = json.loads(page(client, urls[1].rstrip("/") + ".json"))
        assert (twin["state"], twin["over"]) == ("stopped", True)
        assert json.loads(page(client, urls[2].rstrip("/") + ".json"))["ahead"] == 1
    finally:
        go.set()
    assert [over(client, url)["state"] for url in urls] == ["done", "stopped", "done"]
    assert models.Stream.objects.count() == 2


def left(data: bytes, state: str = "waiting", **said: Any) -> models.Import:
    """An import whose process is over: a row, and its file."""
    path = jobs.place()
    path.write_bytes(data)
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    answer = {"at": jobs.clock(), "by": f"{socket.gethostname()}:{int(gone.stdout)}", "dialect": "auto",
              "file": path.name, "name": "night.jsonl", **said}  # fmt: skip
    channel, _ = models.Channel.objects.get_or_create(slug="acme")
    return models.Import.objects.create(
        channel=channel, name="night.jsonl", size=len(data), state=state, answer=answer
    )


def test_an_import_that_waited_when_its_server_went_is_read_by_the_next(client: Client):
    row = left(RUN)
    assert json.loads(page(client, f"/import/{row.pk}.json"))["state"] == "waiting"
    assert jobs.adopt() == 1
    twin = over(client, f"/import/{row.pk}/")
    assert (twin["state"], twin["frames"], twin["events"]) == ("done", 6, 6)
    assert jobs.adopt() == 0


def test_an_import_that_was_being_read_goes_on_behind_what_is_stored(client: Client):
    row = left(RUN, "reading", began=1)
    lines = RUN.splitlines(keepends=True)
    handle = (own := journal.get_journal()).open_stream("acme", key=f"import:{row.pk}:0", recording=True)
    own.append(handle, [journal.Incoming(line, 1) for line in lines[:4]])
    assert jobs.adopt() == 1
    assert over(client, f"/import/{row.pk}/")["state"] == "done"
    stream = models.Stream.objects.get()
    assert (stream.frames, stream.closed_why) == (6, "end")
    assert b"".join(own_raw(stream.pk)) == RUN


def own_raw(stream: int) -> Any:
    from turnscope.store import reading

    return reading.raw(stream)


def test_what_a_living_process_reads_is_left_to_it_and_what_lost_its_file_is_lost(client: Client):
    mine = left(RUN, by=jobs.HERE)
    assert jobs.adopt() == 0 and json.loads(page(client, f"/import/{mine.pk}.json"))["state"] == "waiting"
    gone = left(RUN)
    jobs._file(gone).unlink()  # type: ignore[union-attr]
    assert jobs.adopt() == 0 and json.loads(page(client, f"/import/{gone.pk}.json"))["state"] == "lost"


@pytest.mark.django_db(transaction=True)
def test_imports_survive_a_server_that_is_killed_and_nothing_is_there_twice(tmp_path: Path):
    many = ndjson(run_started() + [event for n in range(9_000) for event in call(f"c{n}")] + finished())
    home, port = tmp_path / "home", free_port()
    with served(home, port=port) as server:
        urls = []
        for name, data in (("long", many), ("next", RUN), ("last", RUN)):
            request = urllib.request.Request(
                f"{server.url}/import?channel=acme&name={name}", data, method="POST"
            )
            with urllib.request.urlopen(request) as answer:
                urls.append(json.load(answer)["url"])
        server.process.kill()
        server.process.wait()
    with served(home, port=port) as server:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            twins = [get(server, f"{url.rstrip('/')}.json") for url in urls]
            if all(twin["over"] for twin in twins):
                break
            time.sleep(0.1)
        assert [twin["state"] for twin in twins] == ["done"] * 3
        assert [twin["frames"] for twin in twins] == [len(many.splitlines()), 6, 6]
