"""`turnscope repair` as people use it: any list, any stream, each choice, and what it prints where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.mended import STREAMS as AG_UI_STREAMS
from tests.core.test_ui_stream import STREAMS as UI_STREAMS
from tests.core.ui_client import read
from tests.journals import recorded
from tests.streams import call, finished, ndjson, run_started, text
from turnscope import cli
from turnscope.core.repair import CHOICES, TARGETS, ui_parts
from turnscope.store import models
from turnscope.store.journal import Journal

TRANSCRIPTS = Path(__file__).parent / "corpus" / "transcripts"


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run a command in this process: (exit code, stdout, stderr)."""

    def run_(*arguments: object) -> tuple[int, str, str]:
        code = cli.run([str(argument) for argument in arguments])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run_


@pytest.fixture
def late(tmp_path: Path) -> Path:
    """Chat messages with a result behind the next question."""
    asked = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    path = tmp_path / "late.json"
    path.write_text(json.dumps([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "user", "content": "hello?"},
        {"role": "tool", "tool_call_id": "c1", "content": "blue"},
    ]))  # fmt: skip
    return path


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Chat messages that end with two calls."""
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(("pick_color", "lookup"), 1)
    ]
    path = tmp_path / "asked.json"
    path.write_text(json.dumps([
        {"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": calls}
    ]))  # fmt: skip
    return path


@pytest.fixture
def owners(tmp_path: Path) -> Path:
    path = tmp_path / "owners.json"
    path.write_text(json.dumps({"owners": {"client": ["pick_*"], "server": ["lookup"]}}))
    return path


# ---------------------------------------------------------------- who is waited for


def test_a_lists_call_at_its_end_waits_for_the_client_that_settings_name(
    run: Any, asked: Path, owners: Path
) -> None:
    """Of the two the server's is answered; what is not named has no owner, and is answered too."""
    for target in ("openai_chat", "anthropic", "gemini"):
        code, out, _ = run("repair", asked, "--target", target, "--settings", owners)
        said = json.loads(out)
        assert (code, said["pending"], said["sendable"]) == (3, ["c1"], False)
        assert [one["call_id"] for one in said["changes"] if one["action"] == "answered"] == ["c2"]
    code, out, _ = run("repair", asked, "--target", "openai_chat", "--settings", owners, "--cancel")
    assert code == 0 and "TOOL_CANCELLED" in out
    assert run("repair", asked, "--target", "openai_chat")[0] == 0


def test_a_clients_call_that_the_list_has_gone_on_from_is_answered_whoever_owes_it(
    run: Any, late: Path, tmp_path: Path
) -> None:
    gone = json.loads(late.read_text())[:-1]
    late.write_text(json.dumps(gone))
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"owners": {"client": ["lookup"]}}))
    code, out, _ = run("repair", late, "--target", "openai_chat", "--settings", mine)
    assert code == 0 and json.loads(out)["pending"] == []


@pytest.mark.django_db(transaction=True)
def test_settings_given_for_a_stored_run_name_its_owners_too(run: Any, owners: Path) -> None:
    recorded(Journal(), ndjson(run_started() + call("c1", "pick_color") + call("c2", "lookup") + finished()))
    pk = models.Run.objects.get().pk
    code, out, _ = run("repair", pk, "--target", "openai_chat", "--settings", owners)
    assert (code, json.loads(out)["pending"]) == (3, ["c1"])


def test_a_stream_says_beside_its_events_that_a_call_waits(run: Any, owners: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(ndjson(run_started() + call("c1", "pick_color") + finished()))
    code, out, err = run("repair", path, "--stream", "--settings", owners)
    assert code == 0 and all(json.loads(line) for line in out.splitlines())
    assert err == "turnscope: 1 call waits for an answer (c1): the stream may end so; --explain says more\n"
    code, out, err = run("repair", path, "--stream", "--settings", owners, "--explain")
    assert "pending c1" in out and err == ""
    code, out, err = run("repair", path, "--target", "anthropic", "--settings", owners, "--messages-only")
    assert code == 3 and "1 call waits for an answer (c1): it cannot be sent yet" in err


# ---------------------------------------------------------------- choices


def test_each_choice_of_the_core_is_an_option_of_the_command(run: Any) -> None:
    code, out, _ = run("repair", "--help")
    assert code == 0
    for name, allowed in CHOICES.items():
        assert f"--{name} {{{','.join(allowed)}}}" in " ".join(out.split())


def test_a_late_result_goes_where_it_was_chosen_to(run: Any, late: Path) -> None:
    def roles(*choice: str) -> list[str]:
        _, out, _ = run("repair", late, "--target", "openai_chat", "--messages-only", *choice)
        return [message["role"] for message in json.loads(out)]

    assert roles() == ["user", "assistant", "tool", "user"]
    assert roles("--late", "quote") == ["user", "assistant", "tool", "user", "user"]
    assert roles("--late", "drop") == ["user", "user"]


def test_an_id_that_the_target_refuses_is_blocked_told_or_mapped(run: Any, tmp_path: Path) -> None:
    asked = {"id": "call:1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "call:1", "content": "blue"},
    ]))  # fmt: skip
    code, out, _ = run("repair", path, "--target", "anthropic", "--explain")
    assert code == 4 and "another --target or --ids flatten or --ids map" in out
    assert run("repair", path, "--target", "anthropic", "--ids", "flatten")[0] == 0
    code, out, _ = run("repair", path, "--target", "anthropic", "--ids", "map")
    [made] = json.loads(out)["ids"].items()
    assert code == 0 and made[1] == "call:1"


def test_what_is_waited_for_is_cancelled_by_choice(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    calls = call("c1", "pick") + call("c2", "pick")
    path.write_bytes(ndjson(run_started() + calls + finished(pending=["c1", "c2"])))
    assert run("repair", path, "--target", "openai_chat")[0] == 3
    code, out, _ = run("repair", path, "--target", "openai_chat", "--cancel")
    assert code == 0 and out.count('"content": "TOOL_CANCELLED') == 2
    code, out, _ = run("repair", path, "--target", "openai_chat", "--cancel", "c1")
    assert code == 3 and json.loads(out)["pending"] == ["c2"]


def test_the_sentences_are_told_beside_the_file(run: Any, late: Path, tmp_path: Path) -> None:
    mended = tmp_path / "mended.json"
    code, out, _ = run("repair", late, "--target", "openai_chat", "--explain", "-o", mended)
    assert code == 0 and out.startswith("relocated c1: ")
    assert [one["role"] for one in json.loads(mended.read_text())["messages"]][-1] == "user"


@pytest.mark.parametrize("target", TARGETS)
def test_a_list_of_any_shape_is_read_for_every_target(run: Any, target: str) -> None:
    """The corpus of lists, whatever they are spelled in: what is printed is JSON, and its code is told."""
    for path in sorted(TRANSCRIPTS.glob("*[0-9a-z].json")):
        if path.name.endswith(".expected.json") or path.name == "expected.json":
            continue
        code, out, err = run("repair", path, "--target", target)
        assert code in (0, 3, 4), (path.name, err)
        done = json.loads(out)
        assert (code == 0) == done["sendable"]


def test_a_producers_text_does_not_drive_the_terminal(run: Any, tmp_path: Path) -> None:
    hostile = "c\x1b[2J\x1b]0;owned\x07"
    asked = {"id": hostile, "type": "function", "function": {"name": hostile, "arguments": "{}"}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([
        {"role": "assistant", "content": None, "tool_calls": [asked]}, {"role": "user", "content": "go"}
    ]))  # fmt: skip
    stream = tmp_path / "answer.sse"
    ready = {"type": "tool-input-available", "toolCallId": hostile, "toolName": hostile, "input": {}}
    stream.write_bytes(ui_parts.written([ready]))
    for arguments in ((path, "--target", "mistral"), (path, "--target", "anthropic"), (stream, "--stream")):
        _, out, _ = run("repair", *arguments, "--explain")
        assert "owned" in out and "\x1b" not in out and "\x07" not in out


# ---------------------------------------------------------------- streams


@pytest.mark.parametrize("path", UI_STREAMS, ids=lambda path: path.stem)
def test_a_stream_of_the_ai_sdk_is_repaired_as_one(run: Any, tmp_path: Path, path: Path) -> None:
    mended = tmp_path / "mended.sse"
    assert run("repair", path, "--target", "ai_sdk_stream", "-o", mended)[0] == 0
    assert mended.read_text().endswith("data: [DONE]\n\n")
    assert read(ui_parts.read(mended.read_bytes()))[0] is None
    code, out, _ = run("repair", path, "--stream")
    assert code == 0 and out == mended.read_text()


def test_a_stream_of_the_ai_sdk_is_a_history_too(run: Any) -> None:
    [dangling] = [path for path in UI_STREAMS if path.stem.startswith("01")]
    assert run("repair", dangling, "--target", "openai_chat")[0] == 3
    code, out, _ = run("repair", dangling, "--target", "openai_chat", "--cancel", "--messages-only")
    assert code == 0
    assert [message["role"] for message in json.loads(out)] == ["assistant", "tool"]


TOLD: list[dict[str, Any]] = [
    {"type": "start", "messageId": "m"},
    {"type": "start-step"},
    {"type": "tool-input-available", "toolCallId": "k1", "toolName": "look", "input": {"city": "Graz"}},
    {"type": "tool-output-available", "toolCallId": "k1", "output": {"temp": 17}},
    {"type": "tool-input-start", "toolCallId": "k2", "toolName": "book"},
    {"type": "tool-input-delta", "toolCallId": "k2", "inputTextDelta": '{"people":'},
]
CUT = b'data: {"type": "tool-outpu'
BEGUN = {"type": "tool-input-available", "toolCallId": "k2", "toolName": "book", "input": {"people": 4}}


def cut(folder: Path, *more: dict[str, Any]) -> Path:
    """A recording that stops in the middle of a part."""
    path = folder / "cut.sse"
    path.write_bytes(
        b"".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in [*TOLD, *more]) + CUT
    )
    return path


@pytest.mark.parametrize("target", ["openai_chat", "ai_sdk", "anthropic"])
def test_what_a_cut_stream_owes_is_the_histories_to_settle_by_its_policy(
    run: Any, tmp_path: Path, target: str
) -> None:
    path = cut(tmp_path, BEGUN)

    def repaired(*choice: str) -> tuple[int, dict[str, Any]]:
        code, out, _ = run("repair", path, "--target", target, *choice)
        return code, json.loads(out)

    def about(done: dict[str, Any]) -> list[str]:
        told = done["changes"]
        return [one["action"] for one in told if one["call_id"] == "k2" and one["action"] != "wrapped"]

    code, done = repaired()
    assert code == 0 and about(done) == ["answered"]
    # The host runs a tool as soon as its arguments are there: that it was run cannot be ruled out.
    assert "TOOL_OUTCOME_UNKNOWN" in json.dumps(done["messages"])
    code, done = repaired("--policy", "drop")
    assert code == 0 and about(done) == ["dropped"]
    assert "k2" not in json.dumps(done["messages"]) and "k1" in json.dumps(done["messages"])
    code, done = repaired("--policy", "block")
    assert code == 4 and about(done) == []
    assert [one["call_id"] for one in done["blockers"]] == ["k2"]
    assert "TOOL_" not in json.dumps(done["messages"])


@pytest.mark.parametrize("policy", ["answer", "drop", "block"])
def test_a_stream_cut_in_the_arguments_holds_no_such_call(run: Any, tmp_path: Path, policy: str) -> None:
    code, out, _ = run("repair", cut(tmp_path), "--target", "openai_chat", "--policy", policy)
    done = json.loads(out)
    [change] = [one for one in done["changes"] if one["call_id"] == "k2"]
    assert code == 0 and change["action"] == "dropped" and "never completed" in change["reason"]
    assert "k2" not in json.dumps(done["messages"]) and "k1" in json.dumps(done["messages"])


def test_what_a_client_would_refuse_of_a_stream_is_told_beside_its_history(run: Any, tmp_path: Path) -> None:
    stray = {"type": "tool-output-available", "toolCallId": "nobody", "output": 1}
    path = tmp_path / "stray.sse"
    ended = {"type": "finish", "finishReason": "stop"}
    path.write_bytes(ui_parts.written([*TOLD[:4], stray, {"type": "new"}, {"type": "finish-step"}, ended]))
    code, out, _ = run("repair", path, "--target", "ai_sdk", "--explain")
    told = [line for line in out.splitlines() if line.startswith("Of the recorded stream: ")]
    assert code == 0 and len(told) == 2 and "no part of this message announces its call" in "".join(told)
    assert "accepts it as it is" not in out


def test_a_choice_that_a_streams_repair_does_not_know_is_refused(run: Any, tmp_path: Path) -> None:
    for choice in (["--policy", "drop"], ["--cancel"], ["--messages-only"], ["--pending", "k2"]):
        for how in (["--stream"], ["--target", "ai_sdk_stream"]):
            code, out, err = run("repair", cut(tmp_path, BEGUN), *how, *choice)
            assert (code, out) == (2, "") and err.startswith(f"turnscope: {' '.join(choice[:2])[:8]}")
            assert "knows no such choice" in err and len(err.splitlines()) == 1
    assert run("repair", cut(tmp_path, BEGUN), "--stream", "--policy", "answer")[0] == 0


def test_arguments_that_are_only_spelled_otherwise_do_not_sound_damaged(run: Any, tmp_path: Path) -> None:
    _, out, _ = run("repair", cut(tmp_path), "--target", "openai_chat", "--explain")
    assert "respelled k1: nothing is lost, the arguments of call k1" in out and "wrapped" not in out


def test_settings_say_whose_call_it_is(run: Any, tmp_path: Path) -> None:
    [dangling] = [path for path in UI_STREAMS if path.stem.startswith("01")]
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"owners": {"server": ["lookup_*"]}}))
    code, out, _ = run("repair", dangling, "--stream", "--explain", "--settings", settings)
    assert code == 0 and out.startswith("answered call_1: tool-output-error was added")
    _, out, _ = run("repair", dangling, "--stream", "--explain")
    assert "pending call_1" in out and "To go on without them" in out and "TOOL_CANCELLED" in out


@pytest.mark.parametrize("path", AG_UI_STREAMS[:6], ids=lambda path: path.stem)
def test_a_recording_of_ag_ui_is_repaired_as_one(run: Any, path: Path) -> None:
    code, out, _ = run("repair", path, "--target", "ag_ui_stream")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and events[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
    assert run("repair", path, "--stream")[1] == out


def test_a_stream_is_not_repaired_as_another_protocols(run: Any, late: Path) -> None:
    for path, target in (
        (AG_UI_STREAMS[0], "ai_sdk_stream"),
        (UI_STREAMS[0], "ag_ui_stream"),
        (late, "ag_ui_stream"),
    ):
        code, out, err = run("repair", path, "--target", target)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_stored_run_is_repaired_as_a_stream_by_its_channels_settings(run: Any) -> None:
    models.Channel.objects.create(slug="acme", settings={"owners": {"server": ["lookup"]}})
    lines = ndjson(run_started() + call("c1", "lookup") + finished())
    recorded(Journal(), lines + ndjson(run_started("run-2") + text() + finished("run-2")))
    first, second = models.Run.objects.order_by("pk")
    code, out, _ = run("repair", first.pk, "--stream")
    assert code == 0 and '"TOOL_CALL_RESULT"' in out and "run-2" not in out
    assert '"run-1"' not in run("repair", second.pk, "--stream")[1]
