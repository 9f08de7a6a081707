"""What a host owes when a step is over, and whether its run may end: four stories, and the example."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from docs.examples import host
from tests.core.mended import STREAMS, loaded
from tests.streams import ndjson
from turnscope.core.picture import read_file
from turnscope.core.repair import Recorded, StepCall, settle

OWNERS = {"lookup": "server", "pick": "client", "ToolSearch": "harness", "refund": "person"}
SERVER, CLIENT, OTHER_CLIENT = StepCall("s", "lookup"), StepCall("c", "pick"), StepCall("d", "pick")
HARNESS, PERSON, NOBODYS = StepCall("h", "ToolSearch"), StepCall("p", "refund"), StepCall("n", "new_tool")


# ---------------------------------------------------------------- story 1


def test_the_servers_call_that_the_runtime_dropped_is_answered_and_the_pages_are_handed_over() -> None:
    settled = settle([SERVER, CLIENT, OTHER_CLIENT], {}, OWNERS)
    [frame], [message] = settled.frames, settled.messages
    assert (frame["type"], frame["toolCallId"]) == ("TOOL_CALL_RESULT", "s")
    assert frame["content"].startswith("TOOL_NOT_EXECUTED: ") and frame["content"].endswith("retry: yes")
    assert (message["role"], message["toolCallId"], message["content"]) == ("tool", "s", frame["content"])
    assert (settled.waiting, settled.may_end) == (["c", "d"], True)
    assert settled.outcome == {"type": "success", "pendingToolCallIds": ["c", "d"]}


def test_what_was_captured_is_given_back_instead_of_words() -> None:
    settled = settle([SERVER], {"s": {"rows": 7}}, OWNERS)
    assert settled.frames[0]["content"] == '{"rows":7}' and "error" not in settled.messages[0]
    failed = settle([SERVER], {"s": Recorded("no disk", error=True)}, OWNERS)
    assert failed.messages[0]["error"] == "no disk"
    assert [change.code for change in settled.changes + failed.changes] == ["result_recovered"] * 2


def test_a_runtime_that_answers_by_itself_leaves_nothing_to_do() -> None:
    settled = settle([SERVER, CLIENT], {"s": "late"}, OWNERS, answered=["s"])
    assert (settled.frames, settled.messages, settled.waiting) == ([], [], ["c"])


def test_a_tool_that_was_seen_to_begin_is_not_said_to_be_safe_to_retry() -> None:
    [frame] = settle([StepCall("s", "lookup", started=True)], {}, OWNERS).frames
    assert frame["content"].endswith("retry: check first")


def test_the_recorded_turn_is_settled_as_its_repair_settles_it() -> None:
    """Of story 1's stream: the same call, by the same first word, with the same calls left to the page."""
    events = loaded(next(path for path in STREAMS if path.stem.startswith("1a")))
    calls = [StepCall(e["toolCallId"], e["toolCallName"]) for e in events if e["type"] == "TOOL_CALL_START"]
    pending = events[-1]["outcome"]["pendingToolCallIds"]
    owners = {call.name: "client" if call.id in pending else "server" for call in calls}
    settled = settle(calls, {}, owners)
    assert [frame["toolCallId"] for frame in settled.frames] == ["call-eb475b2"]
    assert settled.waiting == pending


# ---------------------------------------------------------------- story 2


def test_a_run_does_not_end_for_the_caller_on_the_harness_own_call() -> None:
    settled = settle([SERVER, HARNESS], {"s": "done"}, OWNERS)
    assert (settled.may_end, settled.carried, settled.outcome) == (False, ["h"], None)
    assert [frame["toolCallId"] for frame in settled.frames] == ["s"]


def test_a_preset_names_the_harness_own_tools() -> None:
    assert settle([HARNESS], settings={"preset": "claude_code"}).carried == ["h"]
    assert settle([HARNESS]).waiting == ["h"]


def test_a_call_nobody_is_named_for_ends_the_run_since_hosts_add_tools_late() -> None:
    settled = settle([HARNESS, NOBODYS], {}, OWNERS)
    assert (settled.may_end, settled.waiting) == (True, ["n"])


def test_a_hand_over_beside_the_harness_own_call_is_legal() -> None:
    settled = settle([CLIENT, HARNESS], {}, OWNERS)
    assert (settled.frames, settled.waiting, settled.carried) == ([], ["c"], ["h"])
    assert settled.outcome == {"type": "success", "pendingToolCallIds": ["c"]}


def test_a_harness_that_stopped_on_its_own_calls_ends_with_an_error_and_never_silently() -> None:
    settled = settle([HARNESS], {}, OWNERS, stopped=True)
    assert settled.may_end and settled.outcome is None
    assert settled.error is not None and settled.error["code"] == "RUN_ENDED_EARLY"
    assert settled.frames[0]["toolCallId"] == "h"


# ---------------------------------------------------------------- story 3


def test_a_call_to_a_server_that_is_gone_names_it() -> None:
    [frame] = settle(
        [StepCall("x", "plan_week", '{"week":')], {}, OWNERS, gone={"plan_week": "planner"}
    ).frames
    assert (
        frame["content"] == "TOOL_NOT_EXECUTED: the server planner of this tool is not available. retry: no"
    )


@pytest.mark.parametrize("name", ["lookup", "new_tool"])
def test_arguments_that_do_not_parse_are_answered_so_that_the_model_asks_again(name: str) -> None:
    settled = settle([StepCall("x", name, '{"week": 3')], {}, OWNERS)
    assert "could not be parsed" in settled.frames[0]["content"] and not settled.may_end


def test_a_call_cut_in_its_arguments_is_nobodys_and_is_answered() -> None:
    settled = settle([StepCall("c", "pick", "{", complete=False)], {}, OWNERS)
    assert [frame["toolCallId"] for frame in settled.frames] == ["c"] and settled.waiting == []


# ---------------------------------------------------------------- people, and what is odd


def test_a_person_is_asked_by_an_interrupt_and_a_no_is_told() -> None:
    settled = settle([PERSON, CLIENT], {}, OWNERS)
    assert (settled.asked, settled.waiting, settled.may_end, settled.outcome) == (["p"], ["c"], True, None)
    [frame] = settle([StepCall("p", "refund", denied=True)], {}, OWNERS).frames
    assert frame["content"].startswith("TOOL_DENIED: ")


def test_a_step_without_calls_is_the_end() -> None:
    assert settle([]).may_end and settle([]).outcome == {"type": "success"}


def test_ids_do_not_collide_and_nothing_given_is_changed() -> None:
    calls: list[Any] = [{"id": "s", "function": {"name": "lookup", "arguments": "{}"}}]
    results: dict[str, Any] = {"s": [1, {"a": 2}]}
    before = copy.deepcopy((calls, results))
    settled = settle(calls, results, OWNERS, taken=["s-result"])
    assert settled.frames[0]["messageId"] == settled.messages[0]["id"] == "s-result-2"
    assert (calls, results) == before
    assert settle(calls, results, OWNERS) == settle(calls, results, OWNERS)


def test_an_owner_that_is_none_is_a_mistake_of_the_hosts() -> None:
    with pytest.raises(ValueError, match="unknown owner 'browser'; one of server"):
        settle([CLIENT], {}, {"pick": "browser"})


# ---------------------------------------------------------------- the example


def run(steps: list[list[StepCall]], **choices: Any) -> tuple[list[Any], list[Any]]:
    history: list[Any] = [{"id": "u1", "role": "user", "content": "Go."}]
    tools = {"load_orders": lambda **_: {"orders": 3}}
    events = list(host.conversation(steps, tools, history, **choices))
    for event in events:
        TypeAdapter(Event).validate_python(event)
    found = read_file(ndjson(events), settings={"preset": "claude_code"}).findings
    assert not {one.code for one in found} & {"S04", "C02", "C07", "C21"}, found
    return events, history


def test_the_example_hands_the_pages_calls_over_with_the_servers_answered() -> None:
    events, history = run([[StepCall("a", "load_orders"), StepCall("b", "show_panel")]])
    assert [event["type"] for event in events[-2:]] == ["TOOL_CALL_RESULT", "RUN_FINISHED"]
    assert events[-1]["outcome"]["pendingToolCallIds"] == ["b"]
    assert history[-1]["content"] == '{"orders":3}'


def test_the_example_goes_on_where_only_the_harness_has_a_call() -> None:
    events, _ = run([[StepCall("a", "load_orders"), StepCall("h", "ToolSearch")], []])
    assert events[-1]["outcome"] == {"type": "success"} and events[-2]["type"] == "TEXT_MESSAGE_CHUNK"
    stopped, _ = run([[StepCall("h", "ToolSearch")]], carries_on=False)
    assert stopped[-1]["code"] == "RUN_ENDED_EARLY" and stopped[-2]["toolCallId"] == "h"


def test_the_example_answers_a_call_to_a_tool_that_went_away() -> None:
    events, _ = run([[StepCall("x", "plan_week", '{"week"')], []], gone={"plan_week": "planner"})
    assert "server planner" in events[-3]["content"] and events[-1]["type"] == "RUN_FINISHED"


def test_the_example_asks_a_person_by_an_interrupt() -> None:
    events, _ = run([[StepCall("p", "refund")]])
    assert events[-1]["outcome"]["interrupts"][0]["toolCallId"] == "p"


def test_the_example_sends_no_call_that_nobody_will_answer_and_keeps_what_a_resume_answers() -> None:
    _, history = run([[StepCall("b", "show_panel")]])
    stored = copy.deepcopy(history)
    after = [*history, {"id": "u2", "role": "user", "content": "Hello?"}]
    assert "tool_calls" not in json.dumps(host.to_the_model(after))
    assert "tool_calls" in json.dumps(host.to_the_model(history, resumed=["b"]))
    assert history == stored


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    host.main()
    assert "pendingToolCallIds" in capsys.readouterr().out
