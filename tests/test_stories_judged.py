"""The four stories, sent on to every target under both policies: what our oracles and the vendors say."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import interop, judges, oracles
from tests.core.mended import STREAMS, settings_for
from turnscope.core.picture import read_file
from turnscope.core.repair import TARGETS, Repaired, Transcript, from_events, repair

ANYWHERE = ("openai_responses", "langgraph", "pydantic_ai")
"""Targets that take a result behind a user's words."""
STORIES = [path for path in STREAMS if path.parent.name == "stories"]
POLICIES = ("answer", "drop")


@cache
def transcript(path: Path) -> Transcript:
    [thread] = read_file(path.read_bytes(), settings=settings_for(path)).threads
    return from_events(thread.events, thread.picture.thread)


def sent(path: Path, target: str, policy: str) -> Repaired:
    """As it goes out. Where a target refuses the ids of the recording, they are mapped: that is asked for."""
    done = repair(transcript(path), target, policy)
    if any(blocker.code.startswith("id_") for blocker in done.blockers):
        done = repair(transcript(path), target, policy, ids="map")
    assert not done.blockers, (path.stem, target, done.blockers)
    return done


def story(stem: str) -> Path:
    [path] = [path for path in STORIES if path.stem.startswith(stem)]
    return path


def results(messages: list[Any]) -> list[str]:
    return [atom.said for atom in oracles.atoms(messages) if atom.kind == "result"]


def calls(messages: list[Any]) -> set[str | None]:
    return {atom.call for atom in oracles.atoms(messages) if atom.kind == "call"}


def test_all_four_stories_are_there() -> None:
    assert {path.stem[0] for path in STORIES} == set("1234") and len(STORIES) == 15


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("target", TARGETS)
def test_every_story_is_accepted_or_waits(target: str, policy: str) -> None:
    waiting = set()
    for path in STORIES:
        done = sent(path, target, policy)
        assert oracles.refusals(target, done.messages, tuple(done.pending)) == [], path.stem
        if done.pending:
            waiting.add(path.stem[:2])
    assert waiting <= {"1a", "1c", "2c", "2d", "3b", "3c", "4c"}, waiting


@pytest.mark.parametrize("target", TARGETS)
def test_no_real_result_is_lost_but_the_late_one_that_goes_with_its_call(target: str) -> None:
    for path in STORIES:
        real = [text for text in results(transcript(path).raws) if text]
        for policy in POLICIES:
            there = "\n".join(results(sent(path, target, policy).messages))
            gone = [text for text in real if inside(text) not in there]
            late = policy == "drop" and path.stem.startswith("4b") and target not in ANYWHERE
            assert len(gone) == late, (path.stem, policy, gone)


def inside(text: str) -> str:
    """A result as it stands within one that is spelled as JSON: its longest run of plain characters."""
    return max("".join(c if c.isalnum() or c in " -_." else "\n" for c in text).split("\n"), key=len)


@pytest.mark.parametrize("target", TARGETS)
def test_the_call_that_bricked_the_channel_is_answered_or_gone(target: str) -> None:
    before = calls(transcript(story("4a")).raws)
    kept = calls(sent(story("4a"), target, "answer").messages)
    left = calls(sent(story("4a"), target, "drop").messages)
    assert len(kept) == len(before) and len(left) == len(before) - 1


@pytest.mark.parametrize("target", TARGETS)
def test_a_late_result_is_moved_or_goes_with_its_call(target: str) -> None:
    moved, dropped = (sent(story("4b"), target, policy) for policy in POLICIES)
    late = [[c.action for c in done.changes if c.code == "late_result"] for done in (moved, dropped)]
    assert late == ([[], []] if target in ANYWHERE else [["relocated"], ["dropped"]])
    assert not any(c.action == "answered" for c in moved.changes)


# ---------------------------------------------------------------- before the vendors


def going(target: str) -> list[tuple[str, list[Any]]]:
    done = [(f"{path.stem}-{policy}", sent(path, target, policy)) for path in STORIES for policy in POLICIES]
    return [(name, [*one.before, *one.messages]) for name, one in done if one.sendable]


@pytest.mark.prove
@pytest.mark.timeout(900)
@pytest.mark.parametrize("target", judges.OF)
def test_the_vendors_own_packages_take_every_story(target: str) -> None:
    lists = going(target)
    assert len(lists) > 16
    for judge in judges.OF[target]:
        verdicts = judges.verdicts(judge, [messages for _, messages in lists])
        refused = [(name, why) for (name, _), why in zip(lists, verdicts, strict=True) if why]
        assert refused == [], judge


@pytest.mark.prove
@pytest.mark.timeout(900)
@pytest.mark.parametrize("package", ["ai", "ai6"])
def test_the_ai_sdk_takes_every_story(package: str, tmp_path: Path) -> None:
    paths = []
    for name, messages in going("ai_sdk"):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(messages))
    verdicts = interop.judge("ai_sdk.mjs", paths, AI_PACKAGE=package)
    assert [one for one in verdicts if one["verdict"] != "ok"] == []


@pytest.mark.prove
@pytest.mark.timeout(900)
def test_the_official_client_takes_every_story(tmp_path: Path) -> None:
    paths = []
    run = {"threadId": "t", "runId": "r"}
    for name, messages in going("ag_ui"):
        snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": messages}
        events = [{"type": "RUN_STARTED", **run}, snapshot, {"type": "RUN_FINISHED", **run}]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, events)))
    assert [one for one in interop.judge("agui_client.mjs", paths) if one["verdict"] != "ok"] == []
