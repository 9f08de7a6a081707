"""Histories, inputs, outcomes and evidence, as AG-UI spells them."""

from __future__ import annotations

import json

from ag_ui_samples import COMPLETE, complete, odd, read, shape

from turnscope.core import events as e
from turnscope.core.dialects import ag_ui
from turnscope.core.kinds import KINDS


def test_the_input_echo_tells_history_tools_and_resume():
    (found,) = read(complete("RUN_STARTED"))
    assert isinstance(found, e.RunStarted) and found.input is not None
    user, assistant, tool, parts = found.input.messages
    assert (user.id, user.role, user.content, user.answers) == ("1", "user", "hi", None)
    assert [(call.id, call.name, call.arguments) for call in assistant.calls] == [("c1", "look", "{}")]
    assert (tool.answers, tool.content, tool.error) == ("c1", "found", False)
    assert isinstance(parts.content, list)
    assert found.input.tools is not None and [offered.name for offered in found.input.tools] == ["look"]
    assert [(entry.interrupt, entry.status, entry.payload) for entry in found.input.resume] == [
        ("i1", "resolved", {"ok": True})
    ]


def test_an_input_without_tools_is_not_one_that_offers_none():
    base = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    for tools, expected in (({}, None), ({"tools": []}, ())):
        (found,) = read(base | {"input": {"threadId": "t", "runId": "r", "messages": [], **tools}})
        assert isinstance(found, e.RunStarted) and found.input is not None
        assert found.input.tools == expected


def test_an_outcome_tells_interrupts_and_pending_calls():
    (found,) = read(complete("RUN_FINISHED"))
    assert isinstance(found, e.RunFinished) and found.pending is None
    assert [(one.id, one.reason, one.call, one.expires) for one in found.interrupts] == [
        ("i1", "approval", "c1", "2026-12-01T00:00:00Z")
    ]
    pending = {"type": "success", "pendingToolCallIds": ["c1"]}
    (found,) = read({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": pending})
    assert isinstance(found, e.RunFinished) and found.pending == ("c1",) and found.outcome == "success"


def test_arguments_told_as_an_object_are_compact_json_and_odd():
    call = {"id": "c", "type": "function", "function": {"name": "n", "arguments": {"a": [1]}}}
    found = read(
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "1", "role": "assistant", "toolCalls": [call]}]}
    )
    assert odd(found) == [("messages[0].toolCalls[0].function.arguments", "not a string")]
    snapshot = found[-1]
    assert isinstance(snapshot, e.MessagesSnapshot)
    assert snapshot.messages[0].calls[0].arguments == '{"a":[1]}'


def test_a_tool_message_with_an_error_is_an_error():
    messages = [
        {"id": "1", "role": "tool", "toolCallId": "c", "content": "x", "error": error}
        for error in ("boom", "")
    ]
    (snapshot,) = read({"type": "MESSAGES_SNAPSHOT", "messages": messages})
    assert isinstance(snapshot, e.MessagesSnapshot)
    assert [message.error for message in snapshot.messages] == [True, False]


def test_equal_messages_have_equal_digests_whatever_the_order_of_their_keys():
    def digest(text: str) -> str:
        (found,) = read({"type": "MESSAGES_SNAPSHOT", "messages": [json.loads(text)]})
        assert isinstance(found, e.MessagesSnapshot)
        return found.messages[0].digest

    one = digest('{"id":"1","role":"user","content":"a"}')
    assert digest('{"content":"a","role":"user","id":"1"}') == one
    assert digest('{"id":"1","role":"user","content":"b"}') != one
    lone = digest('{"id":"1","role":"user","content":"\\ud800"}')
    assert lone not in (one, digest('{"id":"1","role":"user","content":"\\ud801"}'))


def test_ten_thousand_odd_messages_make_few_notes():
    found = read({"type": "MESSAGES_SNAPSHOT", "messages": [{}] * 10_000})
    assert 0 < len(odd(found)) < 100


def test_a_bare_input_is_seen_as_the_input_of_the_run_that_follows():
    value = COMPLETE["RUN_STARTED"]["input"]
    (found,) = read(value)
    assert isinstance(found, e.InputSeen)
    assert (found.thread, found.run, len(found.input.messages)) == ("t", "r", 4)
    assert ag_ui.kind(value) == KINDS["INPUT"]
    assert ag_ui.thread_of(value, None) == "t"


def test_evidence_of_a_host_is_evidence():
    told = {"toolCallId": "c1", "phase": "result", "at": "2026-02-06T07:34:07.250Z", "content": {"a": 1}}
    (found,) = read({"evidence": told})
    assert shape(found) == ("Evidence", "c1", "result", {"a": 1}, 1_770_363_247_250)
    assert ag_ui.kind({"evidence": told}) == KINDS["EVIDENCE"]
    assert isinstance(read({"evidence": {"phase": "start"}})[0], e.Unread)
    assert isinstance(read({"evidence": {"toolCallId": "c", "phase": []}})[0], e.Unread)
