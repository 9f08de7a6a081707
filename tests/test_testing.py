"""`turnscope.testing`: what other people's tests ask, and what they are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ag_ui import core as ag_ui

from tests import corpora
from tests.streams import assistant as held
from tests.streams import call, failed, finished, ndjson, result, run_started, run_with_input, text, user
from turnscope.testing import assert_clean, findings

FINE = run_started() + call("c1", "lookup") + result("c1") + text() + finished()
UNANSWERED = run_started() + call("c1", "lookup") + text() + finished()
OTHER_ID = run_started() + text() + finished("graph-7")


def complaint(events: Any, **more: Any) -> str:
    with pytest.raises(AssertionError) as told:
        assert_clean(events, **more)
    return str(told.value)


# ---------------------------------------------------------------- what it takes


def test_events_a_path_and_bytes_are_judged_alike(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(ndjson(UNANSWERED))
    lines = ndjson(UNANSWERED).splitlines()
    for given in (UNANSWERED, path, str(path), path.read_bytes(), lines, [line.decode() for line in lines]):
        assert "C02 unanswered-call" in complaint(given)
        assert [found.code for found in findings(given)] == ["C02"]


def test_the_official_events_are_taken_as_they_are() -> None:
    events = [
        ag_ui.RunStartedEvent(thread_id="t", run_id="r"),
        ag_ui.ToolCallStartEvent(tool_call_id="c1", tool_call_name="lookup"),
        ag_ui.ToolCallEndEvent(tool_call_id="c1"),
        ag_ui.TextMessageStartEvent(message_id="m1"),
        ag_ui.TextMessageContentEvent(message_id="m1", delta="Done."),
        ag_ui.TextMessageEndEvent(message_id="m1"),
        ag_ui.RunFinishedEvent(thread_id="t", run_id="r"),
    ]
    assert "lookup was never answered" in complaint(events)
    assert_clean(
        [*events[:3], ag_ui.ToolCallResultEvent(message_id="a", tool_call_id="c1", content="7"), *events[3:]]
    )


def test_a_generator_is_read_once() -> None:
    assert_clean(event for event in FINE)


def test_a_clean_stream_is_clean() -> None:
    assert_clean(FINE)
    assert_clean(corpora.CORPUS / "stories/1c-runtime-settles-itself.jsonl")


def test_nothing_at_all_is_not_clean() -> None:
    assert "not one event" in complaint([])
    assert findings([]) == []


def test_a_file_that_is_not_there_is_not_clean_either(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        assert_clean(tmp_path / "nowhere.jsonl")


# ---------------------------------------------------------------- what it says


def test_it_says_what_is_wrong_where_whose_doing_it_is_and_how_to_let_it_through() -> None:
    said = complaint(UNANSWERED)
    assert said.startswith("the events\n  Unanswered: lookup was never answered")
    for part in (
        "1 started · 1 ended · 0 answered · 1 open",
        "error   C02 unanswered-call  c1",
        "events 3, 5, 6, 10 (lines 2, 4, 5, 9)",
        "culprit  server tool",
        "repair   Answered in stream and transcript",
        "allow=['C02:lookup']",
        "turnscope findings --explain",
    ):
        assert part in said


def offered(said: str) -> list[str]:
    return list(json.loads(said.rpartition("allow=")[2].rstrip(".").replace("'", '"')))


def test_what_it_offers_to_let_through_is_let_through() -> None:
    poison = run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"))
    poison += failed("Tool result is missing for tool call c1.")
    root = offered(complaint(poison))
    effects = offered(complaint(poison, allow=root))
    assert (root, effects) == (["T02"], ["R05"])
    assert_clean(poison, allow=root + effects)


# ---------------------------------------------------------------- what is let through


def test_warnings_are_let_through_unless_they_are_asked_for() -> None:
    assert_clean(OTHER_ID)
    assert "R09" in complaint(OTHER_ID, fail_on="warning")
    assert_clean(OTHER_ID, ["R09"], fail_on="warning")


@pytest.mark.parametrize("allow", [["C02"], ["C02:look*"], ["C02:c1"]])
def test_a_code_is_allowed_alone_or_for_what_it_is_about(allow: list[str]) -> None:
    assert_clean(UNANSWERED, allow)


@pytest.mark.parametrize("allow", [[], ["C02:save"], ["C03"]])
def test_nothing_else_is(allow: list[str]) -> None:
    assert "C02" in complaint(UNANSWERED, allow=allow)


def test_settings_judge_as_a_channels_do() -> None:
    waits = run_started() + call("c1", "show_map") + finished()
    assert "C02" in complaint(waits, fail_on="warning")
    assert_clean(waits, settings={"owners": {"client": ["show_*"]}}, fail_on="warning")
    muted = {"mutes": [{"code": "C02", "reason": "Known.", "date": "2026-11-30"}]}
    assert_clean(UNANSWERED, settings=muted)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"allow": ["C99"]}, "allow names 'C99': there is no such rule"),
        ({"allow": "C02"}, r"allow is a list, as in \['C02'\]"),
        ({"settings": {"owner": {}}}, "unknown setting 'owner'"),
        ({"fail_on": "fatal"}, "fail_on is one of error, warning, info, not 'fatal'"),
    ],
)
def test_an_argument_that_is_none_is_a_mistake_of_the_test(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        assert_clean(FINE, **arguments)


def test_an_event_that_is_none_is_a_mistake_of_the_test() -> None:
    with pytest.raises(ValueError, match="an event is a mapping"):
        assert_clean([7])


# ---------------------------------------------------------------- in a test file of somebody else's

THEIRS = """
import json
from turnscope.testing import assert_clean

def agent(answers):
    yield {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    yield {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "hold_seats"}
    yield {"type": "TOOL_CALL_END", "toolCallId": "c1"}
    if answers:
        yield {"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "c1", "content": "held"}
    yield {"type": "TEXT_MESSAGE_START", "messageId": "m2", "role": "assistant"}
    yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": "Two seats are on hold."}
    yield {"type": "TEXT_MESSAGE_END", "messageId": "m2"}
    yield {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}

def test_good():
    assert_clean(agent(answers=True))

def test_bad():
    assert_clean(agent(answers=False))

def test_known():
    assert_clean(agent(answers=False), allow=["C02:hold_seats"])
"""


def test_it_serves_in_a_project_that_knows_neither_django_nor_this_one(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(THEIRS)
    root = str(Path(__file__).parent.parent)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "DJANGO"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "no:cacheprovider", "test_theirs.py"],
        cwd=tmp_path,
        env={**clean, "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout
    assert "E       AssertionError: the events" in done.stdout
    assert "hold_seats was never answered" in done.stdout and "allow=['C02:hold_seats']" in done.stdout
    assert "turnscope/testing.py" not in done.stdout, "the traceback ends in their test"
