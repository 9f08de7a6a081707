"""Bedrock Converse: one user turn for results and words, empty contents, ids, and what goes beside."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import repair, shapes

GO = {"role": "user", "content": [{"text": "go"}]}
MORE = {"role": "user", "content": [{"text": "and?"}]}


def use(id_: str = "tu_1", name: str = "f", **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": id_, "name": name, "input": {}, **more}}],
    }


def result(id_: str = "tu_1", content: Any = None, **more: Any) -> dict[str, Any]:
    said = [{"text": "ok"}] if content is None else content
    return {"toolResult": {"toolUseId": id_, "content": said, **more}}


def test_an_answer_stands_before_the_words_in_one_user_message() -> None:
    done = lawful("bedrock", "bedrock", [GO, use(), MORE])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "user"]
    [answer, words] = done.messages[2]["content"]
    assert answer["toolResult"]["status"] == "error" and words == {"text": "and?"}
    assert [(c.code, c.action, c.dst) for c in done.changes] == [("unanswered_call", "answered", ((2, 0),))]


def test_results_and_words_in_two_user_messages_are_one() -> None:
    done = lawful("bedrock", "bedrock", [GO, use(), {"role": "user", "content": [result()]}, MORE])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "user"]
    assert done.messages[2]["content"] == [result(), {"text": "and?"}]
    assert [c.code for c in done.changes] == ["consecutive_role"]


def test_a_result_behind_words_comes_first() -> None:
    done = lawful(
        "bedrock", "bedrock", [GO, use(), {"role": "user", "content": [{"text": "and?"}, result()]}]
    )
    assert done.messages[2]["content"] == [result(), {"text": "and?"}]
    assert [(c.code, c.action) for c in done.changes] == [("results_not_first", "reordered")]


@pytest.mark.parametrize(
    ("content", "becomes"),
    [
        ([], [{"text": "."}]),
        ([{"text": " \n"}], [{"text": "."}]),
        ("60 %", [{"text": "60 %"}]),
        ([{"json": [1, 2]}], [{"text": "[1,2]"}]),
        ([{"json": {"n": 1}}], None),
        ([{"image": {"format": "png"}}], None),
    ],
)
def test_a_result_says_something(content: Any, becomes: Any) -> None:
    messages = [GO, use(), {"role": "user", "content": [result(content=content)]}]
    done = lawful("bedrock", "bedrock", messages)
    assert done.messages[2]["content"][0]["toolResult"]["content"] == (
        content if becomes is None else becomes
    )
    assert [c.code for c in done.changes] == ([] if becomes is None else ["malformed_content"])


def test_the_assistant_does_not_begin_and_the_last_message_is_not_empty() -> None:
    empty = {"role": "assistant", "content": []}
    done = lawful("bedrock", "bedrock", [use(), {"role": "user", "content": [result()]}, empty])
    assert [m["role"] for m in done.messages] == ["user", "assistant", "user"]
    assert done.messages[0] == {"role": "user", "content": [{"text": "."}]}


def test_ids_and_names_are_reported_and_never_changed() -> None:
    messages = [GO, use("tu/1", "look up"), {"role": "user", "content": [result("tu/1")]}]
    done = lawful("bedrock", "bedrock", messages)
    assert done.messages == messages
    assert [b.code for b in done.blockers] == ["id_format", "name_format"]


def test_what_the_provider_ran_is_a_pair_of_its_own() -> None:
    own = use("srv_1", "nova_grounding", type="server_tool_use")
    own["content"] += [result("srv_1"), {"text": "Found it."}]
    assert lawful("bedrock", "bedrock", [GO, own, MORE]).changes == []


def test_what_the_provider_ran_has_an_object_for_its_input_too() -> None:
    """As Anthropic's request types and the service model want it; of no other target's is anything known."""
    own = use("srv_1", "nova_grounding", type="server_tool_use", input='{"cut": ')
    own["content"] += [result("srv_1")]
    done = lawful("bedrock", "bedrock", [GO, own, MORE])
    assert done.messages[1]["content"][0]["toolUse"]["input"] == {"__unparsed_arguments": '{"cut": '}
    theirs = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": '{"q": 1}'},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
    ]
    done = lawful("anthropic", "anthropic", [{"role": "assistant", "content": theirs}])
    assert done.messages[0]["content"] == [{**theirs[0], "input": {"q": 1}}, theirs[1]]
    assert [(c.code, c.action) for c in done.changes] == [("malformed_arguments", "wrapped")]


def test_a_history_with_calls_says_what_the_request_needs_beside_it() -> None:
    messages = [GO, use(), {"role": "user", "content": [result()]}]
    done = repair(shapes.read(messages), "bedrock")
    assert len(done.notes) == 1 and "toolConfig" in done.notes[0]
    assert done.as_json()["notes"] == done.notes
    assert (
        repair(shapes.read([GO]), "bedrock").notes == [] == repair(shapes.read(messages), "anthropic").notes
    )


def test_two_turns_are_not_one_where_a_call_of_the_first_is_left_open() -> None:
    """The result between them answers nothing and goes; merged, the turn would make one call twice."""
    stray = {"role": "user", "content": [result("tu_9")]}
    messages = [GO, use(), stray, use(input={"n": 2}), {"role": "user", "content": [result()]}]
    done = lawful("bedrock", "bedrock", messages, policy="block")
    assert done.messages == [GO, use(), {"role": "user", "content": [{"text": "."}]}, *messages[3:]]
    assert [(b.code, b.call_id) for b in done.blockers] == [("unanswered_call", "tu_1")]
    assert lawful("bedrock", "bedrock", messages).sendable


def test_a_text_spelled_for_another_api_has_a_block_of_its_own() -> None:
    told = {"role": "user", "content": [{"type": "text", "text": "go"}]}
    done = lawful("bedrock", "bedrock", [{"role": "user", "content": "go"}, use()])
    assert done.messages[0] == GO
    done = lawful("bedrock", "bedrock", [told, use(), {"role": "user", "content": [result()]}])
    assert done.messages[0] == GO
    assert [(c.code, c.action, c.lossy) for c in done.changes] == [("malformed_content", "wrapped", False)]


def test_every_other_shape_is_told_from_this_one() -> None:
    assert shapes.guess([GO]) == shapes.guess([use()]) == "bedrock"
    assert shapes.guess([{"role": "user", "content": [{"type": "text", "text": "go"}]}]) != "bedrock"
