"""Lists on which a law of repair once broke, found by damaging conversations: small, with what is right."""

from __future__ import annotations

from typing import Any

from tests.core.laws import lawful
from turnscope.core.repair import Evidence
from turnscope.core.repair.transcript import Recorded


def _said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def _asks(name: str, **own: Any) -> dict[str, Any]:
    return {"functionCall": {**own, "name": name, "args": {}}}


def _answers(name: str, said: str, **own: Any) -> dict[str, Any]:
    return {"functionResponse": {**own, "name": name, "response": {"result": said}}}


def _two_turns() -> list[dict[str, Any]]:
    """A call with an id and one without, of one function; between them an answer to neither."""
    return [
        _said("go"),
        {"role": "model", "parts": [_asks("look", id="c1")]},
        {"role": "user", "parts": [_answers("other", "lost", id="c9")]},
        {"role": "model", "parts": [_asks("look")]},
        {"role": "user", "parts": [_answers("look", "four")]},
    ]


def test_an_answer_without_an_id_is_for_the_call_without_one_and_the_blocker_for_the_other() -> None:
    done = lawful("gemini", "gemini", _two_turns(), policy="block")
    asked = [message["parts"] for message in done.messages if message["role"] == "model"]
    assert asked == [[_asks("look", id="c1")], [_asks("look")]], "an open call keeps its turn to itself"
    assert done.messages[-1]["parts"] == [_answers("look", "four")]
    assert [(b.code, b.call_id, b.src) for b in done.blockers] == [("unanswered_call", "c1", (1,))]


def test_of_two_calls_without_an_id_a_blocker_names_neither_and_counts_right() -> None:
    messages = [
        _said("go"),
        {"role": "model", "parts": [_asks("look"), _asks("look")]},
        {"role": "user", "parts": [_answers("look", "four")]},
    ]
    done = lawful("gemini", "gemini", messages, policy="block")
    assert done.messages == messages
    assert [(b.code, b.call_id, b.src) for b in done.blockers] == [("unanswered_call", None, (1,))]


def test_an_answer_with_an_id_leaves_the_other_call_to_the_answer_without_one() -> None:
    messages = [
        _said("go"),
        {"role": "model", "parts": [_asks("look", id="c1"), _asks("look", id="c2")]},
        {"role": "user", "parts": [_answers("look", "first"), _answers("look", "second", id="c1")]},
    ]
    done = lawful("gemini", "gemini", messages)
    assert done.changes == [] and done.messages == messages


def test_a_number_given_to_a_call_without_an_id_is_no_id_that_another_has() -> None:
    messages = [
        _said("go"),
        {"role": "model", "parts": [_asks("look", id="look#1"), _asks("look")]},
        {"role": "user", "parts": [_answers("look", "first", id="look#1")]},
    ]
    done = lawful("gemini", "gemini", messages)
    assert [part["functionResponse"].get("id") for part in done.messages[2]["parts"]] == ["look#1", None]
    assert [(c.code, c.call_id) for c in done.changes] == [("unanswered_call", None)]


def test_a_call_set_aside_as_invalid_stays_when_its_valid_sibling_is_dropped() -> None:
    """Spelled by role, and after the drop no valid call is left to tell the spelling by."""
    cut = {"name": "f", "args": '{"cut": ', "id": "c2", "error": "cut", "type": "invalid_tool_call"}
    valid = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}
    use = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    messages = [
        {"role": "assistant", "content": [use], "tool_calls": [valid], "invalid_tool_calls": [cut]},
        {"role": "tool", "content": "could not be read", "tool_call_id": "c2"},
        {"role": "user", "content": "and?"},
    ]
    for target in ("langchain", "langgraph"):
        done = lawful("langchain", target, messages, policy="drop")
        assert done.messages[0] == {**messages[0], "content": [], "tool_calls": []}
        assert done.messages[1:] == messages[1:]
        assert [(c.code, c.action, c.call_id) for c in done.changes] == [("unanswered_call", "dropped", "c1")]


def _calls(*ids: str, text: str | None = None, name: str = "look") -> dict[str, Any]:
    calls = [{"id": one, "type": "function", "function": {"name": name, "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def _tool(id_: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def test_a_late_result_is_not_quoted_behind_a_call_that_waits_since_that_would_end_the_wait() -> None:
    messages = [{"role": "user", "content": "go"}, _calls("c1"), _calls("c2"), _tool("c1", "late")]
    evidence = Evidence(pending={"c2"})
    done = lawful("openai_chat", "openai_chat", messages, late="quote", evidence=evidence)
    assert done.pending == ["c2"] and not done.blockers
    assert done.messages == [*messages[:2], _tool("c1", "late"), _calls("c2")]


def test_a_recorded_result_that_was_told_as_text_answers_no_other_call_of_its_id() -> None:
    """The second call's name is refused, so it becomes text with the recorded result; repaired again, the
    first call keeps the placeholder it came with."""
    messages = [
        {"role": "user", "content": "go"},
        _calls("call00000"),
        _tool("call00000", "aborted"),
        _calls("call00000", name="with space"),
        {"role": "assistant", "content": "done"},
    ]
    evidence = Evidence(results={"call00000": [Recorded("the real one")]})
    done = lawful("openai_chat", "mistral", messages, ids="flatten", evidence=evidence)
    assert [m["content"] for m in done.messages if m["role"] == "tool"] == ["aborted"]
    assert any("the real one" in str(m["content"]) for m in done.messages if m["role"] == "user")


def test_where_calls_are_dropped_an_answer_of_ours_stands_though_a_record_of_that_id_is_left() -> None:
    """The record may be the dropped call's, and what is repaired stays as it is."""
    messages = [
        _calls("c1"),
        {"role": "user", "content": "one"},
        _calls("c1"),
        _tool("c1", "first"),
        {"role": "user", "content": "two"},
        _tool("c1", "second"),
        {"role": "user", "content": "three"},
    ]
    evidence = Evidence(results={"c1": [Recorded("recorded")]})
    for choice in ({"late": "drop"}, {"policy": "drop"}, {"late": "drop", "duplicates": "last"}):
        lawful("openai_chat", "openai_chat", messages, evidence=evidence, **choice)
