"""`turnscope ingest` on files that hold no recording: what it says, how it ends, what is stored of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests import corpora
from tests.serving import served, turnscope
from tests.streams import finished, ndjson, run_started, text
from turnscope import cli
from turnscope.store import models, sources

pytestmark = pytest.mark.django_db(transaction=True)

FINE = ndjson(run_started() + text() + finished())
NOTHING = {
    "binary": bytes(range(256)) * 40,
    "prose": b"Our recordings.\nThey are elsewhere.\n",
    "a cut document": b'{"type": "RUN_STARTED", "threadId": ',
}
CHAT = json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "content": "So."}]).encode()
UI_STREAM = (corpora.CORPUS / "ui_streams/01-ai-dangling-at-finish.sse").read_bytes()


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run the command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run(["ingest", *map(str, arguments)])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run_


@pytest.mark.parametrize("body", NOTHING.values(), ids=NOTHING)
def test_a_file_of_which_nothing_can_be_read_is_refused_and_not_stored(
    run: Any, tmp_path: Path, body: bytes
) -> None:
    (tmp_path / "1-nothing").write_bytes(body)
    (tmp_path / "2-packed.gz").write_bytes(gzip.compress(body))
    (tmp_path / "3-fine.jsonl").write_bytes(FINE)
    code, out, err = run(tmp_path)
    assert code == 2 and len(err.splitlines()) == 2
    assert all("no line of it can be read; line 1: " in line for line in err.splitlines())
    assert len(out.splitlines()) == 1 and "3-fine.jsonl: ag_ui" in out
    assert models.Stream.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [(CHAT, "a message list in the shape of openai_chat"), (UI_STREAM, "an AI SDK UI stream")],
    ids=["list", "stream"],
)
def test_what_a_repair_takes_is_not_stored_as_a_recording(
    run: Any, tmp_path: Path, body: bytes, said: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(body)
    code, out, err = run(path)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err and f"`turnscope repair {path} --target " in err
    assert not models.Stream.objects.exists()


def test_lines_that_cannot_be_read_are_counted_beside_those_that_can(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"Our recording:\n" + FINE + b'{"cut": \n')
    code, out, err = run(path)
    assert (code, err) == (0, "") and out.endswith(", 2 frames unreadable\n")


def test_a_file_too_long_to_look_through_first_is_stored_and_told(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LOOKED_AT", 1000)
    path = tmp_path / "long"
    path.write_bytes(b"Not a recording.\n" * 500)
    code, out, err = run(path)
    assert code == 2 and err.endswith(": no line of it can be read; it is stored as it came\n")
    assert ", 500 frames unreadable" in out and models.Stream.objects.count() == 1


def test_an_empty_file_is_told_as_no_frames(run: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    code, out, err = run(tmp_path / "empty.jsonl")
    assert (code, err) == (0, "") and ", 0 frames," in out


def test_a_running_server_is_not_handed_what_is_no_recording(tmp_path: Path) -> None:
    chat, fine = tmp_path / "chat.json", tmp_path / "fine.jsonl"
    chat.write_bytes(CHAT)
    fine.write_bytes(FINE)
    with served(tmp_path / "home") as server:
        with pytest.raises(RuntimeError, match="ended with 2: .*a message list in the shape of openai_chat"):
            turnscope(server.home, "ingest", str(chat))
        assert "fine.jsonl: ag_ui" in turnscope(server.home, "ingest", str(fine))
