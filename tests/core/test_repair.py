"""Repair on the corpus: every malformed list reaches the list, the changes and the blockers it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.laws import lawful
from turnscope.core.repair import TARGETS, repair, shapes, validate
from turnscope.core.repair.texts import TEXTS

CORPUS = Path(__file__).parent.parent / "corpus" / "transcripts"
FILES = sorted(path.stem for path in CORPUS.glob("[0-9]*.json") if not path.stem.endswith(".expected"))


def load(stem: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CORPUS / f"{stem}.json").read_text())
    return found


def choices(options: dict[str, Any]) -> dict[str, Any]:
    renamed = {"unanswered": "policy"}
    return {renamed.get(key, key): value for key, value in options.items()}


def by_first_word(value: Any) -> Any:
    """Synthetic texts are compared by their first word."""
    if isinstance(value, dict):
        return {key: by_first_word(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [by_first_word(inner) for inner in value]
    if isinstance(value, str) and value.startswith("TOOL_"):
        return value.split(":")[0]
    return value


def test_every_file_of_the_corpus_has_its_target() -> None:
    assert len(FILES) > 30
    assert {load(stem)["target"] for stem in FILES} <= set(TARGETS)


@pytest.mark.parametrize("stem", FILES)
def test_the_corpus_is_repaired_as_expected(stem: str) -> None:
    case, expected = load(stem), load(f"{stem}.expected")
    shape = TARGETS[case["target"]].shapes[0]
    done = lawful(shape, case["target"], case["messages"], **choices(case["options"]))
    assert by_first_word(done.messages) == by_first_word(expected["expected"])
    assert [
        (c.code, c.action, c.call_id, sorted({message for message, _ in c.src})) for c in done.changes
    ] == [(c["code"], c["action"], c["call_id"], c["src"]) for c in expected["changes"]]
    assert [(b.code, b.call_id) for b in done.blockers] == [
        (b["code"], b["call_id"]) for b in expected["blockers"]
    ]
    assert done.pending == expected["pending"]
    for change, told in zip(done.changes, expected["changes"], strict=True):
        assert change.lossy == told.get("lossy", False)
        assert change.crossed_assistant == told.get("crossed_assistant", False)


@pytest.mark.parametrize("stem", FILES)
def test_the_shape_of_a_corpus_file_is_guessed(stem: str) -> None:
    """Lists with calls or results tell their shape; plain texts fit any."""
    case = load(stem)
    assert shapes.guess(case) in TARGETS[case["target"]].shapes


@pytest.mark.parametrize("stem", FILES)
def test_what_the_corpus_says_is_refused_is_found_refused(stem: str) -> None:
    """T01 in expected.json: the list is refused as it stands. An open end is none: it may be answered, unless
    the person's decision on one of its calls has come and gone."""
    fires = json.loads((CORPUS / "expected.json").read_text())[stem]["fire"]
    case = load(stem)
    open_end = stem != "28-responses-missing-output"
    assert bool(validate(case["target"], case["messages"], open_end=open_end)) == ("T01" in fires)


LISTS = sorted((CORPUS.parent / "dialects").glob("*.repaired.json"))


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name.split(".")[0])
def test_lists_of_frameworks_are_repaired_as_expected(path: Path) -> None:
    """Compared by state and place: the words of a synthetic text are ours."""
    messages = json.loads(path.with_name(path.name.replace(".repaired", "")).read_text())
    shape = shapes.guess(messages)
    target = "langchain" if shape == "langchain" else "ai_sdk"
    assert (target == "langchain") == ("-lg-" in path.name or "-lc-" in path.name)
    done = repair(shapes.read(messages), target)
    assert [without_words(m) for m in done.messages] == [
        without_words(m) for m in json.loads(path.read_text())
    ]
    assert not done.blockers
    again = repair(shapes.read(done.messages, shape), target)
    assert again.messages == done.messages and all(c.action == "kept" for c in again.changes)


def without_words(message: dict[str, Any]) -> dict[str, Any]:
    if message.get("status") == "error":
        return {**message, "content": ""}
    parts = message.get("parts", [])
    return {**message, "parts": [{key: part[key] for key in part if key != "errorText"} for part in parts]}


@pytest.mark.parametrize(
    ("state", "more", "becomes", "word"),
    [
        ("input-available", {}, "output-error", "TOOL_NOT_EXECUTED"),
        ("approval-requested", {"approval": {"id": "a"}}, "output-denied", "TOOL_NOT_EXECUTED"),
        (
            "approval-responded",
            {"approval": {"id": "a", "approved": True}},
            "output-error",
            "TOOL_NOT_EXECUTED",
        ),
        ("approval-responded", {"approval": {"id": "a", "approved": False}}, "output-denied", "TOOL_DENIED"),
        ("output-available", {"output": "60 %", "preliminary": True}, "output-error", "TOOL_OUTCOME_UNKNOWN"),
        ("output-available", {}, "output-error", "TOOL_NOT_EXECUTED"),
    ],
)
def test_no_ui_part_stays_open_in_front_of_a_user(
    state: str, more: dict[str, Any], becomes: str, word: str
) -> None:
    part = {"type": "tool-lookup", "toolCallId": "c1", "state": state, "input": {"a": 1}, **more}
    messages = [
        {"id": "a1", "role": "assistant", "parts": [{"type": "step-start"}, part]},
        {"id": "u2", "role": "user", "parts": [{"type": "text", "text": "?"}]},
    ]
    done = lawful("ai_sdk_ui", "ai_sdk", messages)
    [_, settled] = done.messages[0]["parts"]
    assert settled["state"] == becomes
    said = settled.get("errorText") or settled["approval"]["reason"]
    assert said.startswith(f"{word}: ")


def test_an_approval_that_is_last_keeps_waiting_and_a_half_made_call_goes() -> None:
    asked = {
        "type": "tool-f",
        "toolCallId": "c1",
        "state": "approval-requested",
        "input": {},
        "approval": {"id": "a"},
    }
    half = {"type": "tool-f", "toolCallId": "c2", "state": "input-streaming", "input": {"a": 1}}
    messages = [{"id": "a1", "role": "assistant", "parts": [asked, half]}]
    done = lawful("ai_sdk_ui", "ai_sdk", messages)
    assert done.pending == ["c1"] and done.messages[0]["parts"] == [asked]


def test_a_change_says_what_it_did_in_a_sentence_that_quotes_the_target() -> None:
    case = load("01-dangling-then-user")
    [change] = repair(shapes.read(case), "anthropic").changes
    assert "toolu_a1" in change.reason and "lookup" in change.reason
    assert TARGETS["anthropic"].answered.says in change.reason
    assert change.dst == ((2, 0),)
    assert change.as_json()["src"] == [1] and change.as_json()["dst"] == [2]


def test_a_blocker_names_the_id_and_what_remains() -> None:
    long = "c" * 65
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [_call(long)]},
        {"role": "tool", "tool_call_id": long, "content": "ok"},
    ]
    done = lawful("openai_chat", "openai_chat", messages)
    assert done.messages == messages and not done.changes and not done.sendable
    [blocker] = done.blockers
    assert (blocker.code, blocker.call_id, blocker.src) == ("id_too_long", long, (0, 1))
    assert blocker.offers == ("other_target", "flatten_pair", "id_map")


def test_the_policy_block_leaves_the_choice_to_the_person() -> None:
    case = load("01-dangling-then-user")
    done = lawful("anthropic", "anthropic", case["messages"], policy="block")
    assert done.messages == case["messages"]
    assert [(b.code, b.call_id) for b in done.blockers] == [("unanswered_call", "toolu_a1")]


def test_the_policy_drop_takes_a_late_result_with_its_call() -> None:
    case = load("05-interleaved-user-chat")
    done = lawful("openai_chat", "openai_chat", case["messages"], policy="drop")
    assert [message["role"] for message in done.messages] == ["user", "user", "user"]
    assert [(c.code, c.action) for c in done.changes] == [
        ("unanswered_call", "dropped"),
        ("empty_message", "dropped"),
        ("late_result", "dropped"),
    ]


def test_a_late_result_can_be_quoted_where_it_stands() -> None:
    case = load("05-interleaved-user-chat")
    done = lawful("openai_chat", "openai_chat", case["messages"], late="quote")
    assert done.messages[2]["content"].startswith("TOOL_OUTCOME_UNKNOWN")
    assert done.messages[4] == {"role": "user", "content": "[Late result of tool call: call_a1]\n3 hits"}


def test_an_orphan_can_be_quoted_instead_of_dropped() -> None:
    case = load("10-orphan-mixed-with-text")
    done = lawful("anthropic", "anthropic", case["messages"], orphans="quote")
    texts = [block["text"] for block in done.messages[2]["content"]]
    assert texts == ["[Result of a tool call that is not in this history: toolu_gone]\nold", "and now this"]
    assert [(c.code, c.action, c.lossy) for c in done.changes] == [("orphan_result", "quoted", False)]


def test_a_call_that_is_pending_by_name_stays_open_only_at_the_end() -> None:
    open_call = {"role": "assistant", "content": "", "tool_calls": [_call("c1")]}
    at_the_end = lawful("openai_chat", "openai_chat", [open_call], pending=["c1"])
    assert (at_the_end.pending, at_the_end.sendable, at_the_end.messages) == (["c1"], False, [open_call])
    abandoned = lawful("openai_chat", "openai_chat", [open_call, _user("never mind")], pending=["c1"])
    assert abandoned.pending == [] and abandoned.sendable
    assert abandoned.messages[1]["content"].startswith("TOOL_NOT_EXECUTED")


def test_the_later_of_two_real_results_stays_when_asked_for() -> None:
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [_call("c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": "10 %"},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    assert lawful("openai_chat", "openai_chat", messages).messages[1]["content"] == "10 %"
    last = lawful("openai_chat", "openai_chat", messages, duplicates="last")
    assert last.messages[1]["content"] == "done" and last.changes[0].lossy


def test_a_conflicting_call_goes_with_its_result() -> None:
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [_call("c1"), _call("c1", '{"other": 1}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "first"},
        {"role": "tool", "tool_call_id": "c1", "content": "second"},
    ]
    done = lawful("openai_chat", "openai_chat", messages)
    assert [m.get("content") for m in done.messages] == ["", "first"]
    assert [(c.code, c.lossy) for c in done.changes] == [
        ("conflicting_call", True),
        ("conflicting_call", True),
    ]


def test_a_call_replayed_before_it_was_answered_is_one_call() -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [_call("c1")]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    done = lawful("openai_chat", "openai_chat", [_user("go"), asked, dict(asked), answer])
    assert done.messages == [_user("go"), asked, answer]
    assert [c.code for c in done.changes] == ["duplicate_call", "empty_message"]


def test_an_older_call_whose_id_was_taken_again_is_answered_on_its_own() -> None:
    first = {"role": "assistant", "content": None, "tool_calls": [_call("c1", '{"n": 1}')]}
    second = {"role": "assistant", "content": None, "tool_calls": [_call("c1", '{"n": 2}')]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "two"}
    done = lawful("openai_chat", "openai_chat", [first, second, answer])
    assert [m.get("content") for m in done.messages[1:]] == [
        TEXTS["unknown"],
        None,
        "two",
    ]


def test_an_early_result_answers_the_next_call_unless_a_user_spoke_between() -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [_call("c1")]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    moved = lawful("openai_chat", "openai_chat", [answer, asked])
    assert moved.messages == [asked, answer]
    assert [(c.code, c.action) for c in moved.changes] == [("result_before_call", "relocated")]
    dropped = lawful("openai_chat", "openai_chat", [answer, _user("go"), asked])
    assert [c.code for c in dropped.changes] == ["early_result_dropped", "unanswered_call"]


def test_signed_thinking_behind_a_change_is_reported_and_left_alone() -> None:
    case = load("01-dangling-then-user")
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    later = {"role": "assistant", "content": [thought, {"type": "text", "text": "B is here."}]}
    done = lawful("anthropic", "anthropic", [*case["messages"], later])
    assert done.messages[-1] is not None and done.messages[-1] == later
    assert [(c.code, c.action, c.review) for c in done.changes] == [
        ("unanswered_call", "answered", False),
        ("thinking_invalidated", "kept", True),
    ]
    assert "drop_block" in done.changes[1].reason


def test_a_split_pair_of_the_providers_own_goes_as_a_whole() -> None:
    messages = [
        {"role": "user", "content": "look it up"},
        {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s1", "name": "web_search"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
                {"type": "text", "text": "Found it."},
            ],
        },
        {"role": "user", "content": "thanks"},
    ]
    done = lawful("anthropic", "anthropic", messages)
    assert done.messages[1] == {"role": "assistant", "content": [{"type": "text", "text": "Found it."}]}
    assert [c.code for c in done.changes].count("server_pair_split") == 2


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize(
    "hostile",
    [
        [],
        [None, 3, "x", [], {}],
        [{"role": "assistant", "tool_calls": [None, 1, {}, {"id": None}, {"id": 7, "function": []}]}],
        [{"role": "tool"}, {"role": "tool", "tool_call_id": None, "content": None}],
        [{"role": "user", "content": [None, 1, {"type": None}, {"type": "text", "text": None}]}],
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use"}, {"type": "tool-call"}, {"type": "tool_result"}],
            }
        ],
        [{"id": 3, "role": "assistant", "parts": [None, {"type": "tool-x", "state": "input-available"}]}],
        [{"role": ["user"], "content": {"deep": 1}}, {"role": "\x00\ud800", "content": "\ud800"}],
    ],
)
def test_hostile_lists_give_blockers_and_never_a_traceback(target: str, hostile: list[Any]) -> None:
    done = repair(shapes.read(hostile), target)
    assert isinstance(done.as_json(), dict)
    assert validate(target, hostile) is not None


def test_deep_nesting_is_survived() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    messages = [{"role": "assistant", "content": None, "tool_calls": [_call("c1", deep)]}]
    assert repair(shapes.read(messages), "anthropic").changes


def _call(identity: str, arguments: Any = "{}") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "f", "arguments": arguments}}


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
