"""The commands that read and give back recordings: what they print, and how they end."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.journals import chunks, recorded, rows, say
from tests.serving import ROOT, environment, served, turnscope
from tests.streams import Event, call, call_started, event, finished, ndjson, result, run_started, text
from turnscope import cli
from turnscope.store import models
from turnscope.store.journal import Journal

STORIES = Path(__file__).parent / "corpus" / "stories"
TWO_OPEN = STORIES / "2a-28-started-26-answered.jsonl"
FINE = run_started() + call("c1", "lookup") + result("c1") + text() + finished()
UNANSWERED = run_started() + call("c1", "lookup") + text() + finished()


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run a command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run([str(argument) for argument in arguments])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run_


def file(folder: Path, events: list[Event], name: str = "run.jsonl") -> Path:
    path = folder / name
    path.write_bytes(ndjson(events))
    return path


# ---------------------------------------------------------------- findings


def test_findings_are_told_as_scripts_read_them(run: Any) -> None:
    code, out, err = run("findings", TWO_OPEN, "--format", "json", "--preset", "claude_code")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert {one["call"] for one in found} >= {"call-c9c1c354", "call-c3488955"}
    assert list(found[0]) == [
        "file", "code", "name", "severity", "subject", "occurrence", "thread", "run", "call", "seqs",
        "culprit", "message", "repair", "because_of",
    ]  # fmt: skip
    assert {one["thread"] for one in found} == {"thread-turin"}


def test_a_clean_recording_ends_with_0(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("findings", file(tmp_path, FINE))
    assert code == 0
    assert "1 call answered" in out


def test_fail_on_says_from_which_severity_on(run: Any, tmp_path: Path) -> None:
    silent = file(tmp_path, run_started() + call("c1") + result("c1") + finished())
    assert run("findings", silent)[0] == 0
    assert run("findings", silent, "--fail-on", "warning")[0] == 1
    assert run("findings", TWO_OPEN, "--fail-on", "never")[0] == 0


def test_only_the_rules_that_were_asked_for_are_told(run: Any) -> None:
    code, out, _ = run("findings", TWO_OPEN, "--rules", "s01,R02", "--format", "json")
    assert (code, json.loads(out)) == (0, [])


def test_a_rules_page_is_explained(run: Any) -> None:
    code, out, _ = run("findings", "--explain", "c03")
    assert code == 0
    assert out.startswith("C03 ended-on-harness-call") and "## Why it matters" in out


def test_settings_from_a_file_judge(run: Any, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"owners": {"client": ["lookup"]}}))
    recording = file(tmp_path, run_started() + call("c1", "lookup") + finished())
    assert [one["code"] for one in json.loads(run("findings", recording, "--format", "json")[1])] == ["C02"]
    assert json.loads(run("findings", recording, "--format", "json", "--settings", settings)[1]) == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl: No such file or directory"),
        (("--explain", "C99"), "there is no rule 'C99'"),
        (("--rules", "X1", "nowhere"), "there is no rule 'X1'"),
        (("--settings", "nowhere.json", "nowhere"), "nowhere.json: No such file or directory"),
        (("--preset", "none", "nowhere"), "unknown preset 'none'"),
        ((), "name a recording"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    run: Any, arguments: tuple[str, ...], complaint: str
) -> None:
    code, out, err = run("findings", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err and len(err.splitlines()) == 1


def test_a_file_of_which_no_line_can_be_read_is_unreadable(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "noise"
    path.write_bytes(b"\xff\xfe\n\xff\n")
    code, out, err = run("findings", path, "--format", "json")
    assert (code, json.loads(out)) == (2, [])
    assert "noise: no line of it can be read" in err


def test_a_readable_file_is_told_beside_an_unreadable_one(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("findings", tmp_path / "none", file(tmp_path, FINE))
    assert code == 2
    assert "1 call answered" in out


def test_an_empty_file_is_clean(run: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert run("findings", empty)[0] == 0


def test_a_producers_text_does_not_drive_the_terminal(run: Any, tmp_path: Path) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07"
    recording = file(tmp_path, run_started() + call("c1", hostile) + text() + finished())
    _, out, _ = run("findings", recording)
    assert "\x1b" not in out and "\x07" not in out
    assert "owned" in out


def test_packed_recordings_are_unpacked(run: Any, tmp_path: Path) -> None:
    data = ndjson(UNANSWERED)
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    (tmp_path / "b.zst").write_bytes(zstandard.compress(data))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("inside/one.jsonl", data)
        archive.writestr("inside/two.jsonl", data)
    code, out, _ = run("findings", tmp_path, "--format", "json")
    assert code == 1
    assert [one["file"].removeprefix(str(tmp_path)) for one in json.loads(out) if one["code"] == "C02"] == [
        "/a.gz", "/b.zst", "/c.zip!inside/one.jsonl", "/c.zip!inside/two.jsonl"
    ]  # fmt: skip


def test_findings_need_no_database_and_leave_no_trace(tmp_path: Path) -> None:
    home = tmp_path / "never-made"
    env = environment(home) | {"TURNSCOPE_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    done = subprocess.run(
        [sys.executable, "-m", "turnscope", "findings", "-", "--format", "json"],
        cwd=ROOT, env=env, input=ndjson(FINE), capture_output=True,
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], b"")
    assert not home.exists()


# ---------------------------------------------------------------- repair


def test_a_message_list_is_repaired_for_its_target(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    asked = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    path.write_text(json.dumps([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "user", "content": "and?"},
    ]))  # fmt: skip
    code, out, _ = run("repair", path, "--target", "openai_chat")
    done = json.loads(out)
    assert code == 0
    assert list(done) == ["target", "policy", "messages", "changes", "blockers", "pending", "sendable"]
    assert [message["role"] for message in done["messages"]] == ["user", "assistant", "tool", "user"]
    code, out, _ = run("repair", path, "--target", "openai_chat", "--policy", "drop", "--messages-only")
    assert [message["role"] for message in json.loads(out)] == ["user", "user"]
    code, out, _ = run("repair", path, "--target", "openai_chat", "--explain")
    assert out.startswith("answered c1:")


def test_calls_that_wait_end_with_3_and_a_blocked_repair_with_4(run: Any, tmp_path: Path) -> None:
    waits = file(tmp_path, run_started() + call("c1", "pick") + finished(pending=["c1"]))
    assert run("repair", waits, "--target", "openai_chat")[0] == 3
    path = tmp_path / "chat.json"
    asked = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    path.write_text(json.dumps([{"role": "assistant", "content": None, "tool_calls": [asked]},
                                {"role": "user", "content": "and?"}]))  # fmt: skip
    assert run("repair", path, "--target", "openai_chat", "--policy", "block")[0] == 4


def test_a_repair_goes_to_a_file(run: Any, tmp_path: Path) -> None:
    out_file = tmp_path / "mended.json"
    code, out, _ = run("repair", file(tmp_path, FINE), "--target", "anthropic", "-o", out_file)
    assert (code, out) == (0, "")
    assert json.loads(out_file.read_text())["target"] == "anthropic"


@pytest.mark.parametrize("content", [b"", b"not json at all\n", b"\xff\xff"])
def test_a_repair_of_what_is_neither_says_so(run: Any, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "what"
    path.write_bytes(content)
    code, out, err = run("repair", path, "--target", "anthropic")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_stored_run_is_repaired(run: Any) -> None:
    recorded(Journal(), ndjson(UNANSWERED))
    code, out, _ = run("repair", models.Run.objects.get().pk, "--target", "openai_chat")
    assert code == 0
    assert [change["action"] for change in json.loads(out)["changes"]] == ["answered"]
    assert run("repair", 10**9, "--target", "openai_chat")[0] == 2


# ---------------------------------------------------------------- ingest, export, the rest


@pytest.mark.django_db(transaction=True)
def test_ingest_tells_what_each_file_came_to(run: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(ndjson(FINE) + b'{"cut": \n')
    code, out, err = run("ingest", TWO_OPEN, bad, "--format", "json", "--channel", "acme")
    first, second = map(json.loads, out.splitlines())
    assert (code, err) == (0, "")
    assert first | {"findings": {}, "confidence": 0, "stream": 0} == {
        "file": str(TWO_OPEN), "dialect": "ag_ui", "frames": 146, "events": 146, "threads": 1, "runs": 1,
        "calls": {"started": 28, "ended": 28, "answered": 26, "open": 2}, "rejected": [],
        "findings": {}, "confidence": 0, "stream": 0,
    }  # fmt: skip
    assert first["findings"]["error"] == 2
    assert [one["line"] for one in second["rejected"]] == [len(FINE) + 1]
    assert set(models.Thread.objects.values_list("channel__slug", flat=True)) == {"acme"}


@pytest.mark.django_db(transaction=True)
def test_ingest_agrees_with_findings(run: Any) -> None:
    for path in sorted(STORIES.glob("*.jsonl")):
        told = json.loads(run("findings", path, "--format", "json")[1])
        stream = json.loads(run("ingest", path, "--format", "json")[1])["stream"]
        stored = models.Finding.objects.filter(thread__feeds__stream=stream, closed_seq=0)
        assert sorted(
            (row.code, row.severity, row.subject, row.occurrence, row.seqs, row.because_of) for row in stored
        ) == sorted(
            (one["code"], one["severity"], one["subject"], one["occurrence"], one["seqs"], one["because_of"])
            for one in told
        ), path.name


@pytest.mark.django_db(transaction=True)
def test_ingest_says_what_it_cannot_read_and_takes_the_rest(run: Any, tmp_path: Path) -> None:
    code, out, err = run("ingest", tmp_path / "none", file(tmp_path, FINE))
    assert code == 2
    assert "No such file" in err
    assert ": ag_ui, 10 frames, 1 run, 1 call, 0 errors, 0 warnings" in out


@pytest.mark.django_db(transaction=True)
def test_a_channels_name_is_checked(run: Any, tmp_path: Path) -> None:
    code, _, err = run("ingest", file(tmp_path, FINE), "--channel", "../etc")
    assert (code, err) == (2, "turnscope: '../etc' is no channel: letters, digits, - and _\n")


FRAMINGS = {
    "lines": ndjson(FINE),
    "crlf, bom, no last newline": b"\xef\xbb\xbf" + ndjson(FINE).replace(b"\n", b"\r\n")[:-2],
    "sse": b"".join(b": ping\n\nid: 1\ndata: " + raw + b"\n" for raw in chunks(FINE)) + b"data: [DONE]\n\n",
    "array": json.dumps(FINE, indent=2).encode(),
    "comments, blanks, cut": b"// a run\n\n" + ndjson(FINE) + b'{"type": "TEXT_MES',
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("data", FRAMINGS.values(), ids=FRAMINGS)
def test_a_stream_is_exported_byte_for_byte(run: Any, tmp_path: Path, data: bytes) -> None:
    handle = recorded(Journal(), data, batches=(3, 1, 100))
    out = tmp_path / "out"
    assert run("export", f"stream:{handle.id}", "--raw", "-o", out)[0] == 0
    assert out.read_bytes() == data
    assert run("export", f"stream:{handle.id}")[1] == data.decode()


@pytest.mark.django_db(transaction=True)
def test_a_turn_and_a_run_are_exported_by_number_and_by_address(run: Any) -> None:
    second = run_started("run-2") + text(id="m2") + finished("run-2")
    recorded(Journal(), ndjson(FINE + second))
    last = models.Run.objects.get(run_id="run-2")
    assert run("export", f"run:{last.pk}")[1] == ndjson(second).decode()
    turn = models.Turn.objects.order_by("number").first()
    assert turn is not None
    address = f"http://127.0.0.1:8000/turns/{turn.pk}/?event=3"
    assert run("export", address, "--frames")[1] == ndjson(FINE).decode()
    assert run("export", turn.pk)[1] == ndjson(FINE).decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", ["turn:999999", "nonsense", "call:1", "turn:" + "9" * 30])
def test_what_is_not_there_is_not_exported(run: Any, place: str) -> None:
    code, out, err = run("export", place)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_pasted_error_leads_to_the_call(run: Any) -> None:
    recorded(Journal(), ndjson(run_started() + call_started("call_8dd56dc7497c5ea9", "lookup") + finished()))
    code, out, _ = run("find", "Tool result is missing for tool call call_8dd56dc7497c5ea9.")
    turn = models.Turn.objects.get()
    assert code == 0
    assert out.startswith("call lookup call_8dd56dc7497c5ea9: ") and f"/turns/{turn.pk}/" in out
    code, out, err = run("find", "nothing like it")
    assert (code, out, err) == (1, "", "turnscope: nothing was found\n")


@pytest.mark.django_db(transaction=True)
def test_rebuild_mends_what_an_older_version_made(run: Any) -> None:
    recorded(Journal(), ndjson(FINE))
    before = rows()
    assert run("rebuild")[1] == "0 threads rebuilt.\n"
    models.Thread.objects.update(fold_version=0)
    models.Run.objects.update(state="nonsense")
    assert run("rebuild")[1] == "1 thread rebuilt.\n"
    assert rows() == before
    assert run("rebuild", 10**9)[0] == 2


@pytest.mark.django_db(transaction=True)
def test_prune_removes_old_threads_whole_and_keeps_the_rest(run: Any) -> None:
    journal = Journal()
    old = recorded(journal, ndjson(FINE), name="old")
    recorded(journal, ndjson(FINE), name="new")
    models.Stream.objects.filter(pk=old.id).update(opened_at=1_600_000_000_000)
    assert run("prune", "--before", "2021-01-01", "--dry-run")[1] == "1 thread would be removed.\n"
    assert models.Thread.objects.count() == 2
    assert run("prune", "--before", "2021-01-01", "--channel", "acme")[1] == "1 thread removed.\n"
    assert list(models.Stream.objects.values_list("name", flat=True)) == ["new"]
    kept = models.Thread.objects.get()
    for model in (models.Segment, models.Turn, models.Run, models.Call, models.Feed):
        assert set(model.objects.values_list("thread", flat=True)) == {kept.pk}
    assert run("prune", "--before", "yesterday")[0] == 2
    assert run("prune", "--before", "1d", "--channel", "none")[0] == 2


@pytest.mark.django_db(transaction=True)
def test_prune_keeps_a_thread_with_an_open_run(run: Any) -> None:
    journal = Journal()
    handle = journal.open_stream("acme", key="s1", create=True)
    say(journal, handle, chunks(run_started()), at=1_600_000_000_000)
    models.Stream.objects.update(opened_at=1_600_000_000_000)
    assert run("prune", "--before", "2021-01-01")[1] == "0 threads removed.\n"


# ---------------------------------------------------------------- beside a server


def test_beside_a_server_recordings_go_in_by_its_door(tmp_path: Path) -> None:
    path = file(tmp_path, [*FINE, *event("NO_SUCH_TYPE")])
    with served(tmp_path / "home") as server:
        told = json.loads(
            turnscope(server.home, "ingest", str(path), "--format", "json", "--channel", "acme")
        )
        # The process that took it in is the server: what it wrote bears its lease's traces in its own log.
        found = turnscope(server.home, "find", "c1")
    assert (told["frames"], told["events"], told["runs"]) == (11, 11, 1)
    assert told["confidence"] > 0.5
    assert server.url in found


def test_stdin_is_read_packed_as_well(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BufferedReader(io.BytesIO(gzip.compress(ndjson(FINE))))  # type: ignore[type-var]
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": packed})())
    assert run("findings", "-")[0] == 0


def test_a_folder_is_read_without_what_is_hidden_in_it(run: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file(tmp_path / ".git", UNANSWERED)
    file(tmp_path, FINE)
    assert run("findings", tmp_path)[0] == 0
