"""Mutes and severities of a channel: what counts, what is shown as muted, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from judged import read

from tests.streams import Event as Frame
from tests.streams import assistant as held
from tests.streams import call, failed, finished, run_started, run_with_input, text, tool, user
from turnscope.core import tools
from turnscope.core.muting import Told, compile_muting

WHY = {"reason": "Known, and being mended.", "date": "2026-11-30"}
UNANSWERED = run_started() + call("c1", "lookup") + text() + finished()
OTHER_ID = run_started() + text() + finished("graph-7")


def told(frames: list[Frame], **settings: Any) -> list[Told]:
    thread = read(frames).picture
    return compile_muting(settings).told(thread.thread, thread.judge.findings)


def test_without_a_choice_everything_counts_as_its_rule_has_it() -> None:
    (one,) = told(UNANSWERED)
    assert (one.severity, one.muted) == ("error", None)


def test_a_muted_finding_is_told_and_does_not_count() -> None:
    (one,) = told(OTHER_ID, mutes=[{"code": "R09", **WHY}])
    assert one.severity == ""
    assert one.muted is not None and one.muted.reason == WHY["reason"]


@pytest.mark.parametrize(("glob", "muted"), [("look*", True), ("c?", True), ("save", False), ("*", True)])
def test_a_mute_names_a_call_by_its_id_or_its_tool(glob: str, *, muted: bool) -> None:
    (one,) = told(UNANSWERED, mutes=[{"code": "C02", "subject": glob, **WHY}])
    assert (one.muted is not None) == muted


def test_a_mute_of_another_code_mutes_nothing() -> None:
    (one,) = told(UNANSWERED, mutes=[{"code": "R09", **WHY}])
    assert one.severity == "error"


def test_what_a_muted_finding_explains_still_counts() -> None:
    """A mute of the cause is no mute of the conversation that it broke."""
    frames = run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"))
    frames += failed("Tool result is missing for tool call c1.")
    (one,) = told(frames, mutes=[{"code": "T02", **WHY}])
    assert one.group.root.code == "T02" and one.muted is not None
    assert one.severity == "error"


def test_a_severity_is_the_channels_own() -> None:
    (one,) = told(OTHER_ID, severities={"R09": {"severity": "error", **WHY}})
    assert one.severity == "error"
    (one,) = told(UNANSWERED, severities={"C02": "info"})
    assert one.severity == "info"


def test_the_strongest_that_counts_comes_first_and_the_muted_last() -> None:
    frames = run_started() + call("c1", "lookup") + text() + finished("graph-7")
    assert [one.group.root.code for one in told(frames)] == ["C02", "R09"]
    muted = told(frames, mutes=[{"code": "C02", **WHY}])
    assert [one.group.root.code for one in muted] == ["R09", "C02"]


def test_the_findings_themselves_stay_what_the_rules_say() -> None:
    mutes = {"mutes": [{"code": "C02", **WHY}], "severities": {"C02": "info"}}
    (one,) = read(UNANSWERED, mutes).picture.findings
    assert (one.code, one.severity) == ("C02", "error")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no list": ({"mutes": {}}, "mutes must be a list"),
    "no object": ({"mutes": [7]}, "mutes[0] must be an object"),
    "no code": ({"mutes": [{"code": "all", **WHY}]}, "mutes[0] names 'all', which is no code"),
    "no pattern": ({"mutes": [{"code": "C02", "subject": 7, **WHY}]}, "mutes[0] must name its subject"),
    "no reason": ({"mutes": [{"code": "C02", "date": "2026-11-30"}]}, "mutes[0] must say the reason"),
    "blank reason": ({"mutes": [{"code": "C02", **WHY, "reason": " "}]}, "mutes[0] must say the reason"),
    "no date": ({"mutes": [{"code": "C02", **WHY, "date": "soon"}]}, "mutes[0] must say the date"),
    "no severities": ({"severities": []}, "severities must be an object"),
    "no such severity": ({"severities": {"C02": "fatal"}}, "severities.C02 must be one of"),
    "no such code": ({"severities": {"all": "info"}}, "severities names 'all'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_them_is_said_and_ignored(what: str) -> None:
    settings, sentence = WRONG[what]
    assert [one[: len(sentence)] for one in tools.problems(settings)] == [sentence]
    (one,) = told(UNANSWERED, **settings)
    assert (one.severity, one.muted) == ("error", None)


def test_nothing_is_wrong_with_good_ones() -> None:
    good = {
        "mutes": [{"code": "C02", "subject": "lookup", **WHY}],
        "severities": {"C18": "warning", "R09": {"severity": "info", **WHY}},
        "target": "anthropic",
    }
    assert tools.problems(good) == []
    assert tools.problems({"target": "nobody"})[0].startswith("unknown target 'nobody'")


def test_a_call_answered_by_nobody_is_muted_by_its_tool_in_a_history_too() -> None:
    frames = (
        run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"), tool()) + text() + finished()
    )
    (one,) = told(frames, mutes=[{"code": "C06", "subject": "lookup", **WHY}])
    assert one.severity == ""
