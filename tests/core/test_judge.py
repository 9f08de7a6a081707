"""The judge: laws that hold for any events, and how findings open, change, close and explain each other."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from judged import Live, call, read
from soup import streams

from tests.streams import call as a_call
from tests.streams import finished, result, run_started, text
from turnscope.core import events as e
from turnscope.core.fold import apply
from turnscope.core.picture import Picture
from turnscope.core.rules import RULES, asking, judge
from turnscope.core.rules import r05_run_error as r05
from turnscope.core.rules.causes import counts, groups, root_of
from turnscope.core.rules.finding import CULPRITS, SEVERITIES, Finding
from turnscope.core.rules.judge import Judge
from turnscope.core.thread import Thread


def judged(stream: list[e.Event], picture: Picture | None = None) -> Picture:
    picture = picture or Picture()
    for event in stream:
        picture.add(event.seq, event.at, event.stream, [event])
    return picture


def told(picture: Picture) -> list[str]:
    return sorted(repr(one) for one in picture.judge.findings.values())


def ask(patch: pytest.MonkeyPatch, about: str, *rules: tuple[str, Any]) -> None:
    """Ask these alone about calls (`of_call`) or runs (`of_run`) that are touched."""
    patch.setattr(judge, about, lambda subject, holding: rules)


# ---------------------------------------------------------------- laws


@settings(max_examples=300, deadline=None)
@given(streams())
def test_no_rule_raises_whatever_comes(stream: list[e.Event]) -> None:
    picture = judged(stream)
    assert not [one.message for one in picture.findings if one.code == "S99"]


@settings(max_examples=150, deadline=None)
@given(streams())
def test_judging_in_halves_with_a_copy_between_equals_judging_the_whole(stream: list[e.Event]) -> None:
    whole = told(judged(stream))
    for cut in (len(stream) // 3, len(stream) // 2):
        half = judged(stream[:cut])
        half.thread.policy = None  # compiled anew, as after a rebuild
        for copied in (copy.deepcopy(half), pickle.loads(pickle.dumps(half))):
            assert told(judged(stream[cut:], copied)) == whole


@settings(max_examples=150, deadline=None)
@given(streams())
def test_what_changed_is_reported_once_and_nothing_else_changed(stream: list[e.Event]) -> None:
    picture = Picture()
    known: dict[Any, str] = {}
    for event in stream:
        judged([event], picture)
        changed = picture.drain().findings
        assert len({one.key for one in changed}) == len(changed)
        now = {key: repr(one) for key, one in picture.judge.findings.items()}
        assert {key for key, text in now.items() if known.get(key) != text} == {one.key for one in changed}
        assert all(one.changed == event.seq for one in changed)
        known = now
    assert not picture.drain().findings


@settings(max_examples=200, deadline=None)
@given(streams())
def test_findings_are_explained_by_standing_ones_and_every_chain_ends_at_a_root(
    stream: list[e.Event],
) -> None:
    findings = judged(stream).judge.findings
    for key, one in findings.items():
        assert key == one.key
        assert one.severity in SEVERITIES and one.culprit in CULPRITS and one.culprit_reason
        assert one.message and one.repair and one.opened_seq
        if one.stands:
            assert all(findings[cause].stands for cause in one.because_of), one
            assert root_of(one, findings).root
    members = [one.key for group in groups(findings) for one in (group.root, *group.effects)]
    assert sorted(members) == sorted(key for key, one in findings.items() if one.stands)


@settings(max_examples=100, deadline=None)
@given(streams(most=25))
def test_batches_do_not_matter(stream: list[e.Event]) -> None:
    by_one = judged(stream)
    thread = Thread()
    judge_ = Judge(thread)
    for event in stream:
        refs = apply(thread, event)
        if type(event) not in e.DELTAS or thread.unusual:
            thread.unusual = False
            judge_.judge(event, refs)
    assert sorted(repr(one) for one in judge_.findings.values()) == told(by_one)


@settings(max_examples=200, deadline=None)
@given(streams())
def test_a_rule_that_is_not_asked_would_have_found_nothing(stream: list[e.Event]) -> None:
    """What a rule says it needs of its subject, it needs."""
    asked_less = told(judged(stream))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "of_call", lambda call, holding: asking.of_call(call, holding=True))
        patch.setattr(judge, "of_run", lambda run, holding: asking.of_run(run, holding=True))
        assert told(judged(stream)) == asked_less


def test_what_rules_need_is_known() -> None:
    assert {getattr(rule, "NEEDS", "") for rule in RULES} - {""} == set(asking.NEEDS)


# ---------------------------------------------------------------- opening and closing


def test_a_finding_keeps_where_it_opened_when_it_closes_and_opens_again() -> None:
    live = Live({"limits": {"default": 1_000}})
    live.say(0, e.RunStarted("t", "r1"), *call())
    live.tick(2_000)
    (first,) = live.standing("C01")
    live.say(2_100, e.RunFinished("t", "r1", "success"))
    assert first.closed_seq == live.seq
    assert first.opened_seq == live.seq - 1


def test_a_finding_that_only_stands_on_is_not_reported_again() -> None:
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), *call(), e.CallResult("c1", "a"), e.CallResult("c1", "b"))
    assert [one.code for one in live.picture.drain().findings] == ["C08"]
    live.say(1, e.TextStart("m1"), e.TextEnd("m1"))
    assert not live.picture.drain().findings


def test_one_call_can_be_wrong_in_each_of_its_occurrences() -> None:
    stream = run_started()
    for n in range(2):
        stream += a_call() + result(content="a", message=f"a{n}") + result(content="b", message=f"b{n}")
    found = read(stream + text() + finished()).picture.findings
    assert [(one.code, one.occurrence) for one in found] == [("C08", 1), ("C08", 2)]


def test_runs_that_share_an_id_have_findings_of_their_own() -> None:
    stream = (run_started() + finished()) * 2
    found = read(stream).picture.findings
    assert [(one.code, one.subject, one.occurrence) for one in found] == [
        ("R04", "run-1", 1),
        ("R04", "run-1", 2),
    ]


# ---------------------------------------------------------------- a rule that raises


def test_a_rule_that_raises_becomes_a_finding_about_itself_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[Finding]:
        raise ZeroDivisionError("secret words of a stream")

    ask(monkeypatch, "of_run", ("R05", broken), ("R02", RULES[0].check))
    monkeypatch.setattr(judge, "RUN_ENDED", ())
    picture = Picture()
    for seq in (1, 2, 3):
        picture.add(seq, seq, 1, [e.TextStart(f"m{seq}")])
    (seen,) = picture.findings
    assert (seen.code, seen.name, seen.severity, seen.subject) == ("S99", "rule-failed", "warning", "R05")
    assert "ZeroDivisionError" in seen.message and "secret" not in seen.message


def test_a_rule_that_raises_leaves_what_it_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = read(run_started() + text() + finished() + result()).picture
    before = {one.code for one in picture.findings}

    def broken(*_: object) -> list[Finding]:
        raise RecursionError

    ask(monkeypatch, "of_call", ("C07", broken))
    picture.add(99, 99, 1, [e.CallResult("c1", "again")])
    assert {one.code for one in picture.findings} == before | {"S99"}


# ---------------------------------------------------------------- counting


def test_badges_count_roots_each_as_severe_as_what_it_explains() -> None:
    stream = run_started() + a_call("c1", "ToolSearch") + finished()
    found = read(stream, {"owners": {"harness": ["ToolSearch"]}}).picture.judge.findings
    assert {one.code for one in found.values()} == {"C03", "R04"}
    assert counts(found) == {"error": 1, "warning": 0, "info": 0}


def test_a_warning_is_counted_as_the_error_it_explains() -> None:
    made = [
        Finding("R07", "overlapping-runs", "warning", "r1", 1, (4,), "producer", "why", "It.", "none"),
        Finding("S04", "client-would-refuse", "error", "#4", 1, (4,), "producer", "why", "It.", "none"),
    ]
    made[1].because_of = (made[0].key,)
    (group,) = groups({one.key: one for one in made})
    assert (group.root.code, group.severity) == ("R07", "error")


# ---------------------------------------------------------------- cost


def test_an_event_asks_only_the_rules_of_what_it_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def count(thread: Thread, subject: Any, now: int) -> tuple[()]:
        asked.append(subject.number)
        return ()

    ask(monkeypatch, "of_call", ("C02", count))
    stream = run_started()
    for n in range(300):
        stream += a_call(f"c{n}") + result(f"c{n}")
    read(stream + text() + finished())
    assert len(asked) == 3 * 300  # START, END, RESULT; never a scan of what came before


def test_a_final_verdict_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def count(thread: Thread, run: Any, now: int) -> Any:
        asked.append(run.number)
        return r05.check(thread, run, now)

    ask(monkeypatch, "of_run", ("R05", count))
    live = Live()
    live.say(0, e.RunStarted("t", "r1"), e.RunFailed("boom"))
    before = len(asked)
    live.say(1, *(e.TextStart(f"m{n}") for n in range(50)))
    assert len(asked) == before
    assert live.standing("R05")
