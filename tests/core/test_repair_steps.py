"""Steps of the repair that no law sees, since any answer would be lawful: the right one, on a small list."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import Evidence, Recorded

Json = dict[str, Any]
USER = {"role": "user", "content": "go"}


def _asks(call: str, arguments: str = "{}", name: str = "look") -> Json:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }


def _answer(said: str, call: str = "c1") -> Json:
    return {"role": "tool", "tool_call_id": call, "content": said}


def said(done: Any) -> list[str]:
    """What the tools say in the end, synthetic texts by their first word."""
    found = [m["content"] for m in done.messages if m["role"] == "tool"]
    return [text.split(":")[0] if text.startswith("TOOL_") else text for text in found]


# ---------------------------------------------------------------- one id, called again


def test_a_call_whose_id_was_taken_while_it_was_open_has_no_claim_on_what_is_recorded() -> None:
    """Whatever came under the id, came when the later call had it."""
    messages = [USER, _asks("c1", '{"n":1}'), _asks("c1", '{"n":2}'), _answer("four")]
    evidence = Evidence(results={"c1": [Recorded("four"), Recorded("five")]})
    done = lawful("openai_chat", "openai_chat", messages, evidence=evidence)
    assert said(done) == ["TOOL_OUTCOME_UNKNOWN", "four"]
    assert [(c.code, c.action) for c in done.changes] == [("unanswered_call", "answered")]


def test_a_call_whose_id_was_taken_is_not_what_something_is_about_to_answer() -> None:
    done = lawful(
        "openai_chat", "openai_chat", [_asks("c1", '{"n":1}'), _asks("c1", '{"n":2}')], pending=["c1"]
    )
    assert said(done) == ["TOOL_OUTCOME_UNKNOWN"] and done.pending == ["c1"]
    assert done.messages[-1] == _asks("c1", '{"n":2}')


@pytest.mark.parametrize(("between", "calls"), [([], 1), ([{"role": "user", "content": "hello?"}], 2)])
def test_the_same_call_again_is_a_replay_unless_the_user_spoke(between: list[Json], calls: int) -> None:
    messages = [USER, _asks("c1"), *between, _asks("c1"), _answer("four")]
    done = lawful("openai_chat", "openai_chat", messages)
    assert sum("tool_calls" in message for message in done.messages) == calls
    assert said(done) == ["TOOL_NOT_EXECUTED"] * (calls - 1) + ["four"]
    assert [c.code for c in done.changes][0] == ("duplicate_call" if calls == 1 else "unanswered_call")


def test_an_answered_call_may_be_made_again_and_is_no_replay() -> None:
    messages = [USER, _asks("c1"), _answer("four"), _asks("c1"), _answer("five")]
    assert lawful("openai_chat", "openai_chat", messages).changes == []


# ---------------------------------------------------------------- what may be said of an unanswered call


@pytest.mark.parametrize(("agent", "word"), [(None, "TOOL_OUTCOME_UNKNOWN"), ("sub-1", "TOOL_NOT_EXECUTED")])
def test_only_the_same_agent_going_on_makes_an_outcome_unknown(agent: str | None, word: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    next_said: Json = {"id": "m2", "role": "assistant", "content": "Done."}
    messages = [
        {"id": "m1", "role": "assistant", "toolCalls": [call]},
        next_said if agent is None else {**next_said, "subagentRunId": agent},
        {"id": "u1", "role": "user", "content": "?"},
    ]
    assert said(lawful("ag_ui", "ag_ui", messages)) == [word]


@pytest.mark.parametrize(
    ("evidence", "word"),
    [
        (Evidence(), "TOOL_NOT_EXECUTED"),
        (Evidence(started={"c1"}), "TOOL_OUTCOME_UNKNOWN"),
        (Evidence(denied={"c1"}, started={"c1"}), "TOOL_DENIED"),
        (Evidence(results={"c1": [Recorded("aborted")]}), "TOOL_NOT_EXECUTED"),
        (Evidence(results={"c1": [Recorded("aborted"), Recorded("four")]}, started={"c1"}), "four"),
    ],
)
def test_what_is_known_decides_what_is_said(evidence: Evidence, word: str) -> None:
    messages = [USER, _asks("c1"), {"role": "user", "content": "?"}]
    assert said(lawful("openai_chat", "openai_chat", messages, evidence=evidence)) == [word]


def test_a_recorded_result_takes_the_place_of_a_placeholder_and_never_of_a_real_one() -> None:
    evidence = Evidence(results={"c1": [Recorded("recorded")]})
    stand_in = lawful(
        "openai_chat", "openai_chat", [USER, _asks("c1"), _answer("aborted")], evidence=evidence
    )
    assert said(stand_in) == ["recorded"]
    real = lawful("openai_chat", "openai_chat", [USER, _asks("c1"), _answer("four")], evidence=evidence)
    assert said(real) == ["four"] and real.changes == []


def test_a_declined_call_waits_for_nobody_though_it_is_named_pending() -> None:
    evidence = Evidence(denied={"c1"}, pending={"c1"})
    done = lawful("openai_chat", "openai_chat", [USER, _asks("c1")], evidence=evidence)
    assert said(done) == ["TOOL_DENIED"] and done.pending == []


def test_a_long_running_tools_last_report_is_its_result() -> None:
    messages = [USER, _asks("c1"), _answer("10 %"), _answer("done")]
    assert said(lawful("openai_chat", "openai_chat", messages)) == ["10 %"]
    assert said(lawful("openai_chat", "openai_chat", messages, evidence=Evidence(extra={"c1"}))) == ["done"]


# ---------------------------------------------------------------- places, and what changes say


def test_results_that_move_keep_their_order_and_come_behind_those_in_place() -> None:
    call = _asks("c1")
    call["tool_calls"] += _asks("c2")["tool_calls"] + _asks("c3")["tool_calls"]
    messages = [call, _answer("two", "c2"), USER, _answer("three", "c3"), _answer("one", "c1")]
    done = lawful("openai_chat", "openai_chat", messages)
    assert said(done) == ["two", "three", "one"]
    assert [(c.code, c.src, c.dst) for c in done.changes] == [
        ("late_result", ((3, 0),), ((2, 0),)),
        ("late_result", ((4, 0),), ((3, 0),)),
    ]


def test_thinking_behind_a_message_that_is_gone_is_bound_to_what_stood_there() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "gone", "content": "old"}]},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "Done."}]},
    ]
    done = lawful("anthropic", "anthropic", messages)
    assert [c.code for c in done.changes] == ["orphan_result", "thinking_invalidated"]
    assert done.messages == [messages[0], messages[2]]


def test_a_change_carries_a_digest_of_what_stood_there() -> None:
    messages = [USER, _answer("old", "gone")]
    [change] = lawful("openai_chat", "openai_chat", messages).changes
    spelled = json.dumps([messages[1]], sort_keys=True, separators=(",", ":"))
    assert change.before == hashlib.sha256(spelled.encode()).hexdigest()[:16]


def test_what_a_person_should_look_at_is_marked_and_the_rest_is_not() -> None:
    """A late result that jumped what the model wrote without it, against one that only jumped the user."""
    aside = {"role": "assistant", "content": "Still waiting."}
    [jumped] = lawful("openai_chat", "openai_chat", [_asks("c1"), aside, _answer("four")]).changes
    assert (jumped.code, jumped.crossed_assistant, jumped.review) == ("late_result", True, True)
    [late] = lawful("openai_chat", "openai_chat", [_asks("c1"), USER, _answer("four")]).changes
    assert (late.code, late.crossed_assistant, late.review) == ("late_result", False, False)


@pytest.mark.parametrize("choice", [{"late": "drop"}, {"late": "quote"}, {"policy": "drop"}])
def test_what_goes_stands_between_nothing(choice: Json) -> None:
    """A replay or an orphan between a call and its result is gone before places are compared."""
    replayed = lawful(
        "openai_chat", "openai_chat", [USER, _asks("c1"), _asks("c1"), _answer("four")], **choice
    )
    assert said(replayed) == ["four"] and [c.code for c in replayed.changes][0] == "duplicate_call"
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "gone", "content": "old"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "four"}]},
    ]
    orphaned = lawful("anthropic", "anthropic", messages, **choice)
    assert orphaned.messages == [messages[0], messages[2]]
    assert [c.code for c in orphaned.changes] == ["orphan_result"]


def test_a_search_of_the_providers_own_is_going_on_and_ends_the_wait_before_it() -> None:
    def use(call: str) -> Json:
        return {"type": "tool_use", "id": call, "name": "look", "input": {}}

    searched = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ]
    messages = [
        {"role": "assistant", "content": [use("c1")]},
        {"role": "assistant", "content": [*searched, use("c2")]},
    ]
    done = lawful("anthropic", "anthropic", messages, pending=["c1", "c2"])
    assert done.pending == ["c2"] and done.messages[2] == messages[1]
    assert done.messages[1]["content"][0]["content"].startswith("TOOL_OUTCOME_UNKNOWN: ")
