"""Commands over what is no recording, is half of one, or can be read but once: a clear line, an exit code."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.serving import ROOT, environment
from tests.streams import call, finished, ndjson, run_started
from turnscope import cli

UNANSWERED = ndjson(run_started() + call("c1", "lookup") + finished())


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run a command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run([str(argument) for argument in arguments])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run_


def told(*arguments: str, home: Path, **how: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, as a shell does."""
    command = [sys.executable, "-m", "turnscope", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment(home), stderr=subprocess.PIPE, **how)


def test_a_pipe_is_read_once_and_whole(run: Any, tmp_path: Path) -> None:
    """`turnscope findings <(zcat run.gz)`: looking at the first bytes of a pipe takes them away."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_bytes, args=(UNANSWERED,))
    writing.start()
    code, out, _ = run("findings", pipe, "--format", "json")
    writing.join()
    assert (code, [one["code"] for one in json.loads(out)]) == (0, ["C02"])


@pytest.mark.parametrize("cut", [4, 20, -10])
def test_a_zstd_file_that_ends_in_the_middle_is_no_whole_one(run: Any, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.jsonl.zst"
    path.write_bytes(zstandard.compress(UNANSWERED * 300)[:cut])
    code, out, err = run("findings", path)
    assert code == 2
    assert "ends in the middle" in err


def test_zstd_unpacks_frame_by_frame_and_skips_what_is_to_be_skipped(run: Any, tmp_path: Path) -> None:
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"  # RFC 8878, 3.1.2
    path = tmp_path / "run.jsonl.zst"
    path.write_bytes(
        zstandard.compress(UNANSWERED[:100]) + skippable + zstandard.compress(UNANSWERED[100:]) + skippable
    )
    code, out, _ = run("findings", path, "--format", "json")
    assert (code, [one["code"] for one in json.loads(out)]) == (0, ["C02"])


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_a_clear_line(run: Any, tmp_path: Path, method: int) -> None:
    path, body = tmp_path / "runs.zip", io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive:
        archive.writestr("run.jsonl", UNANSWERED * 50)
    whole = body.getvalue()
    for seed in range(20):
        damaged, at = bytearray(whole), random.Random(seed).randrange(40, len(whole) - 120)
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        code, _, err = run("findings", path)
        assert code == 2, err
        assert "should not happen" not in err


def test_a_folder_without_recordings_is_said(run: Any, tmp_path: Path) -> None:
    """A check of nothing at all must not pass."""
    code, _, err = run("findings", tmp_path)
    assert code == 2
    assert "no recording is in this folder" in err


@pytest.mark.parametrize("nested", ["[", '{"owners":'])
def test_settings_nested_without_end_are_said(run: Any, tmp_path: Path, nested: str) -> None:
    (tmp_path / "settings.json").write_text(nested * 100_000)
    (tmp_path / "run.jsonl").write_bytes(UNANSWERED)
    code, _, err = run("findings", tmp_path / "run.jsonl", "--settings", tmp_path / "settings.json")
    assert code == 2
    assert "not JSON" in err


@pytest.mark.parametrize(
    ("limits", "wrong"),
    [
        ({"default": "5s"}, "limits.default"),
        ({"default": True}, "limits.default"),
        ({"default": float("nan")}, "limits.default"),
        ({"silence": -1}, "limits.silence"),
        ({"grace": 1.5}, "limits.grace"),
        ({"result": []}, "limits.result"),
        ({"tools": 5}, "limits.tools"),
        ({"tools": {"search": None}}, "limits.tools.search"),
        ({"owners": {"client": "never"}}, "limits.owners.client"),
        ({"owners": {"nobody": 5_000}}, "nobody"),
    ],
)
def test_a_limit_that_means_nothing_is_said(run: Any, tmp_path: Path, limits: Any, wrong: str) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"limits": limits}))
    (tmp_path / "run.jsonl").write_bytes(UNANSWERED)
    code, _, err = run("findings", tmp_path / "run.jsonl", "--settings", tmp_path / "settings.json")
    assert code == 2
    assert wrong in err


def test_limits_that_mean_something_are_taken(run: Any, tmp_path: Path) -> None:
    limits = {"default": None, "silence": 60_000, "tools": {"search_*": 0}, "owners": {"client": None}}
    (tmp_path / "settings.json").write_text(json.dumps({"limits": limits, "policy": "drop"}))
    (tmp_path / "run.jsonl").write_bytes(UNANSWERED)
    code, _, err = run("findings", tmp_path / "run.jsonl", "--settings", tmp_path / "settings.json")
    assert (code, err) == (0, "")


def test_a_channel_that_no_page_could_show_is_refused(run: Any, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(UNANSWERED)
    code, _, err = run("ingest", tmp_path / "run.jsonl", "--channel", "a.b")
    assert code == 2
    assert "'a.b' is no channel" in err


@pytest.mark.django_db
def test_a_thread_number_beyond_the_database_is_no_thread(run: Any) -> None:
    code, _, err = run("rebuild", 10**20)
    assert code == 2
    assert "there is no thread" in err


def test_half_a_character_is_spelled_out(tmp_path: Path) -> None:
    calls = [{"id": "\ud800", "type": "function", "function": {"name": "\udc00", "arguments": "{"}}]
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    explain = ["repair", str(tmp_path / "chat.json"), "--target", "openai_chat", "--explain"]
    done = told(*explain, home=tmp_path, stdout=subprocess.PIPE)
    assert done.stderr == b""
    assert rb"\ud800" in done.stdout
    done = told(*explain, "-o", str(tmp_path / "out.txt"), home=tmp_path, stdout=subprocess.PIPE)
    assert done.stderr == b""
    assert rb"\ud800" in (tmp_path / "out.txt").read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(UNANSWERED)
    with open("/dev/full", "wb") as full:
        done = told("findings", str(tmp_path / "run.jsonl"), home=tmp_path, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"turnscope: No space left on device\n"


def test_a_closed_standard_input_is_said(tmp_path: Path) -> None:
    command = f"{sys.executable} -m turnscope findings - <&-"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment(tmp_path), capture_output=True)
    assert (done.returncode, done.stderr) == (2, b"turnscope: -: standard input is closed\n")
