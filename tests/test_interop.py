"""What Turnscope repairs, before the judges of the vendors: `@ag-ui/client` 1.0.0, and `ai` 7 and 6."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.core import broken
from tests.core.mended import STREAMS, frames_of, loaded, mended, settings_for, soup
from tests.interop import judge
from tests.streams import ndjson
from turnscope.core.picture import read_file
from turnscope.core.repair import from_events, repair, shapes, validate

CORPUS = Path(__file__).parent / "corpus"


def written(folder: Path, lists: Iterable[tuple[str, Any]]) -> list[Path]:
    """A file per (name, events or messages): events one a line, messages as one array."""
    paths = []
    for name, said in lists:
        path = folder / name
        path.write_text(
            "\n".join(json.dumps(one) for one in said) if name.endswith("l") else json.dumps(said)
        )
        paths.append(path)
    return paths


def refused(verdicts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(Path(one["file"]).name, one["verdict"]) for one in verdicts if one["verdict"] != "ok"]


# ---------------------------------------------------------------- streams


def test_the_official_client_says_of_the_corpus_what_its_index_says() -> None:
    """The judge is the right one: it refuses what it is known to refuse, and nothing else."""
    index = (CORPUS / "agui" / "INDEX.md").read_text()
    known: dict[str, str] = {}
    for section in index.split("\n## ")[1:]:
        [line] = re.findall(r"^- client 1\.0: (.*)$", section, re.MULTILINE)
        known[section.split("\n")[0].strip()] = line
    paths = [path for path in STREAMS if path.name in known]
    assert len(paths) == len(known)
    for verdict in judge("agui_client.mjs", paths):
        told = known[Path(verdict["file"]).name]
        assert verdict["verdict"] == ("ok" if told.startswith("ok") else told)


def test_the_official_client_accepts_every_repaired_stream_of_the_corpus(tmp_path: Path) -> None:
    lists = [(path.name, mended(loaded(path), settings_for(path)).events) for path in STREAMS]
    assert refused(judge("agui_client.mjs", written(tmp_path, lists))) == []


def test_the_official_client_accepts_every_prefix_of_the_stories_once_repaired(tmp_path: Path) -> None:
    lists = []
    for path in STREAMS:
        stream = loaded(path)
        step = 1 if len(stream) < 40 else 17
        for cut in range(1, len(stream), step):
            done = mended(stream[:cut], settings_for(path))
            lists.append((f"{path.stem}-{cut}.jsonl", done.events))
    assert len(lists) > 400
    assert refused(judge("agui_client.mjs", written(tmp_path, lists))) == []


def test_the_official_client_accepts_anything_at_all_once_repaired(tmp_path: Path) -> None:
    lists = []
    for seed in range(600):
        done = mended(soup(Random(seed)), {"owners": {"harness": ["ToolSearch"]}})
        lists.append((f"{seed}.jsonl", done.events))
    lists = [(name, events) for name, events in lists if events]
    assert refused(judge("agui_client.mjs", written(tmp_path, lists))) == []


def test_the_history_is_the_one_the_official_client_builds() -> None:
    """But where its way is a damage in itself: a call announced again has its arguments twice there."""
    streams = [path for path in STREAMS if not path.stem.startswith(("15-", "08-", "44-"))]
    verdicts = judge("agui_client.mjs", streams)
    compared = 0
    for path, verdict in zip(streams, verdicts, strict=True):
        if verdict["verdict"] != "ok":
            continue
        [thread] = read_file(path.read_bytes()).threads
        own = from_events(thread.events, thread.picture.thread).raws
        assert [_comparable(m) for m in own] == [_comparable(m) for m in verdict["messages"]], path.stem
        compared += 1
    assert compared > 30


def _comparable(message: dict[str, Any]) -> dict[str, Any]:
    """A message without empty fields, which the client sometimes writes and sometimes leaves out."""
    return {key: value for key, value in message.items() if value not in ("", [], None)}


# ---------------------------------------------------------------- transcripts


VERSIONS = pytest.mark.parametrize("package", ["ai", "ai6"])


@VERSIONS
def test_the_repaired_transcript_of_every_story_passes_the_ai_package(package: str, tmp_path: Path) -> None:
    lists = []
    for path in STREAMS:
        [thread] = read_file(path.read_bytes(), settings=settings_for(path)).threads
        done = repair(from_events(thread.events, thread.picture.thread), "ai_sdk")
        assert not done.blockers, path.stem
        if done.sendable and done.messages:
            lists.append((f"{path.stem}.json", done.messages))
    assert len(lists) > 30
    assert refused(judge("ai_sdk.mjs", written(tmp_path, lists), AI_PACKAGE=package)) == []


@VERSIONS
@pytest.mark.parametrize("shape", ["ai_sdk", "ai_sdk_ui"])
@pytest.mark.parametrize("policy", ["answer", "drop"])
def test_damaged_lists_pass_the_ai_package_once_repaired(
    package: str, shape: str, policy: str, tmp_path: Path
) -> None:
    lists = []
    for seed in range(200):
        random = Random(f"interop {shape} {seed}")
        messages = broken.damaged(random, shape, broken.conversation(random, shape))
        done = repair(shapes.read(messages, shape), "ai_sdk", policy)
        if done.sendable and done.messages:
            lists.append((f"{seed}.json", done.messages))
    assert len(lists) > 100
    assert refused(judge("ai_sdk.mjs", written(tmp_path, lists), AI_PACKAGE=package)) == []


def test_the_official_client_holds_damaged_lists_once_repaired(tmp_path: Path) -> None:
    """AG-UI has no request of its own for messages: a snapshot brings them, validated as any event."""
    lists = []
    for seed in range(200):
        random = Random(f"interop ag_ui {seed}")
        messages = broken.damaged(random, "ag_ui", broken.conversation(random, "ag_ui"))
        done = repair(shapes.read(messages, "ag_ui"), "ag_ui")
        run = {"threadId": "t", "runId": "r"}
        snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": done.messages}
        events = [{"type": "RUN_STARTED", **run}, snapshot, {"type": "RUN_FINISHED", **run}]
        lists.append((f"{seed}.jsonl", events))
    verdicts = judge("agui_client.mjs", written(tmp_path, lists))
    assert refused(verdicts) == []
    for (_, events), verdict in zip(lists, verdicts, strict=True):
        assert list(map(_comparable, verdict["messages"])) == list(map(_comparable, events[1]["messages"]))


@VERSIONS
def test_what_the_ai_package_misses_results_in_our_checker_finds_too(package: str, tmp_path: Path) -> None:
    """Ours is the stricter: it also refuses what only the provider behind the package would."""
    lists = []
    for seed in range(300):
        random = Random(f"judged {seed}")
        messages = broken.damaged(random, "ai_sdk", broken.conversation(random, "ai_sdk"))
        if messages:
            lists.append((f"{seed}.json", messages))
    verdicts = judge("ai_sdk.mjs", written(tmp_path, lists), AI_PACKAGE=package)
    missing = [one for one in verdicts if "MissingToolResults" in one["verdict"]]
    assert len(missing) > 30
    by_name = dict(lists)
    for verdict in missing:
        assert validate("ai_sdk", by_name[Path(verdict["file"]).name], shape="ai_sdk"), verdict


# ---------------------------------------------------------------- story 1, from end to end


@pytest.mark.parametrize("stem", ["1a", "1b"])
def test_the_dropped_result_is_mended_in_both_planes_with_what_the_host_captured(
    stem: str, tmp_path: Path
) -> None:
    path = next(path for path in STREAMS if path.stem.startswith(stem))
    stream = loaded(path)
    lost = next(one["toolCallId"] for one in stream if one.get("toolCallName") == "set_device_state")
    seen = {"evidence": {"toolCallId": lost, "phase": "result", "content": '{"changed": 3}'}}
    at = next(n for n, one in enumerate(stream) if one["type"] == "RUN_FINISHED")
    told = [*stream[:at], seen, *stream[at:]]

    live = mended(told).events
    assert refused(judge("agui_client.mjs", written(tmp_path, [("live.jsonl", live)]))) == []
    answers = {one["toolCallId"]: one["content"] for one in live if one["type"] == "TOOL_CALL_RESULT"}
    assert answers == {lost: '{"changed": 3}'}

    done = repair(from_events(event for _, found in frames_of(ndjson(told)) for event in found), "ai_sdk")
    results = [part for m in done.messages if m["role"] == "tool" for part in m["content"]]
    assert {"type": "text", "value": '{"changed": 3}'} in [part["output"] for part in results]
    assert [change.code for change in done.changes if change.action != "kept"] == ["result_recovered"]
    if done.sendable:
        assert refused(judge("ai_sdk.mjs", written(tmp_path, [("list.json", done.messages)]))) == []
    else:
        assert len(done.pending) == 2, "the two view tools wait for the browser"
