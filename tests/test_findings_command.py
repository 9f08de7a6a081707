"""`turnscope findings` as CI servers and people at terminals see it. Counterpart: core/test_reports.py."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import corpora
from tests.serving import ROOT
from tests.streams import call, finished, ndjson, run_started, text
from turnscope import cli
from turnscope.core.framing import decode, split
from turnscope.core.repair import shapes
from turnscope.store import models, sources

STREAM = corpora.CORPUS / "rules/r09-run-id-mismatch.jsonl"
MUTES = {"mutes": [{"code": "R09", "reason": "Known.", "date": "2026-11-30"}]}


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run the command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run(["findings", *map(str, arguments)])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run_


def test_it_reads_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "turnscope", "findings", "-", "--format", "json"],
        input=(corpora.CORPUS / "rules/c02-unanswered-call.jsonl").read_bytes(),
        cwd=ROOT,
        capture_output=True,
    )
    assert done.returncode == 1
    assert [(row["file"], row["code"]) for row in json.loads(done.stdout)] == [("-", "C02")]


def test_a_folder_is_all_recordings_in_it_and_what_is_none_is_said(run: Any, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/one.jsonl").write_bytes(STREAM.read_bytes())
    (tmp_path / "two.jsonl").write_bytes(STREAM.read_bytes())
    code, out, err = run(tmp_path, "--fail-on", "warning", "--format", "json")
    assert (code, err) == (1, "")
    assert [Path(row["file"]).name for row in json.loads(out)] == ["one.jsonl", "two.jsonl"]
    (tmp_path / "README.md").write_text("Our recordings.\n")
    code, out, err = run(tmp_path)
    assert code == 2 and "README.md: no line of it can be read" in err
    assert out.strip().endswith("3 recordings: 0 clean, 1 unreadable, 2 warnings")


@pytest.mark.parametrize("format", ["sarif", "junit"])
def test_a_ci_server_reads_what_it_writes(run: Any, format: str) -> None:
    code, out, err = run(STREAM, "--format", format, "--fail-on", "warning")
    assert (code, err) == (1, "")
    if format == "sarif":
        assert json.loads(out)["runs"][0]["results"][0]["ruleId"] == "R09"
    else:
        assert ElementTree.fromstring(out).get("failures") == "1"


def test_what_is_muted_is_shown_and_does_not_fail(run: Any, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(MUTES))
    code, out, _ = run(STREAM, "--fail-on", "warning", "--settings", settings)
    assert code == 0
    assert "R09 run-id-mismatch" in out and "muted    Known. (2026-11-30)" in out


def test_a_severity_of_the_settings_decides(run: Any, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"severities": {"R09": "error"}}))
    assert run(STREAM)[0] == 0
    assert run(STREAM, "--settings", settings)[0] == 1


def test_an_effect_of_what_was_not_asked_for_counts_by_itself(run: Any) -> None:
    story = corpora.CORPUS / "stories/4a-torn-down-tab-three-refusals.jsonl"
    code, out, _ = run(story, "--rules", "R06")
    assert code == 1 and "R06 poisoned-thread" in out and "C04" not in out


def test_a_terminal_shows_a_bar_while_it_reads_and_nothing_of_it_stays(tmp_path: Path) -> None:
    long = tmp_path / "long.jsonl"
    long.write_bytes(ndjson(run_started() + call() + text("word " * 12_000, pieces=12_000) + finished()))
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "turnscope", "findings", str(long), "--fail-on", "never"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert b"C02 unanswered-call" in done.stdout and b"####" not in done.stdout
    assert "long.jsonl [##########" in drawn
    assert not drawn.rstrip("\r").rpartition("\r")[2].strip()


@pytest.mark.django_db(transaction=True)
def test_another_client_than_the_official_one_weighs_alike_in_a_file_and_on_a_page(
    run: Any, tmp_path: Path
) -> None:
    refused, own = corpora.CORPUS / "rules/s04-client-would-refuse.jsonl", {"client": "our own"}
    (tmp_path / "settings.json").write_text(json.dumps(own))
    models.Channel.objects.create(slug="acme", settings=own)
    told = json.loads(run(refused, "--format", "json", "--settings", tmp_path / "settings.json")[1])
    assert cli.run(["ingest", str(refused), "--channel", "acme"]) == 0
    stored = models.Finding.objects.filter(code="S04", closed_seq=0)
    assert {one["severity"] for one in told if one["code"] == "S04"} == {"warning"}
    assert set(stored.values_list("severity", flat=True)) == {"warning"}


def test_what_a_repair_takes_and_is_no_recording_is_named_in_one_line(run: Any, tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps({"messages": [{"role": "user", "content": "go"}]}, indent=2))
    code, _, err = run(chat)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "a message list in the shape of openai_chat, not a recording: `turnscope repair" in err
    code, _, err = run(corpora.CORPUS / "ui_streams/01-ai-dangling-at-finish.sse")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "an AI SDK UI stream" in err and "--target ai_sdk_stream` mends it" in err


def test_no_recording_of_the_corpus_is_taken_for_something_else() -> None:
    """Every stream of AG-UI, and also as one JSON array; every list and UI stream is none."""
    streams = [
        path for folder in ("agui", "rules", "stories") for path in corpora.CORPUS.glob(f"{folder}/*.jsonl")
    ]
    assert len(streams) > 100
    for path in streams:
        data = path.read_bytes()
        assert sources.no_recording(data, path.name) is None, path.name
        values = [one.value for one in map(decode, split(data)) if not one.blank and not one.reason]
        assert sources.no_recording(json.dumps(values).encode(), path.name) is None, path.name
    lists = [path for path in corpora.CORPUS.glob("transcripts/*.json") if "expected" not in path.name]
    lists = [path for path in lists if shapes.telling(json.loads(path.read_bytes()))]
    assert len(lists) > 20
    for path in [*lists, *corpora.CORPUS.glob("ui_streams/*.sse")]:
        assert sources.no_recording(path.read_bytes(), path.name) is not None, path.name


def test_a_request_body_of_ag_ui_is_a_recording_however_long_it_is(run: Any, tmp_path: Path) -> None:
    said = [{"id": f"m{n}", "role": "user", "content": "word " * 400} for n in range(300)]
    body = {"threadId": "t", "runId": "r", "messages": said, "tools": [], "context": [], "state": {}}
    path = tmp_path / "input.json"
    path.write_text(json.dumps({**body, "forwardedProps": {}}))
    assert path.stat().st_size > 2 * sources.HEAD
    code, out, err = run(path)
    assert (code, err) == (0, "") and "Asked" in out


def test_an_empty_recording_passes_and_is_said_to_be_empty(run: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"\n\n")
    code, out, err = run(empty, STREAM)
    assert code == 0 and err == f"turnscope: {empty}: empty: there is nothing in it to judge\n"
