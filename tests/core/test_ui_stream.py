"""The live plane of the AI SDK: what is sound passes, what is owed is paid before the terminal, no more."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.core.ui_client import damaged, read, soup
from turnscope.core.repair import ui_parts
from turnscope.core.repair.transcript import Recorded
from turnscope.core.repair.ui_stream import UiRepaired, repair_ui_stream

Part = dict[str, Any]

STREAMS = sorted((Path(__file__).parent.parent / "corpus" / "ui_streams").glob("*.sse"))
SOUND = {
    "01-ai-dangling-at-finish", "09-ai-approval-pending", "11-ai-mixed-server-client-batch",
    "12-ai-input-error",
}  # fmt: skip
"""Streams in which nothing is broken: calls that wait for a client or a person may wait."""
ENDED = ("output-available", "output-error", "output-denied")

START: list[Part] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
END: list[Part] = [{"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}]


def called(call: str, name: str = "lookup", **more: Any) -> list[Part]:
    return [
        {"type": "tool-input-start", "toolCallId": call, "toolName": name, **more},
        {"type": "tool-input-available", "toolCallId": call, "toolName": name, "input": {"n": 1}, **more},
    ]


def output(call: str, value: Any = "done", **more: Any) -> Part:
    return {"type": "tool-output-available", "toolCallId": call, "output": value, **more}


def text(name: str = "t") -> list[Part]:
    return [
        {"type": "text-start", "id": name},
        {"type": "text-delta", "id": name, "delta": "So."},
        {"type": "text-end", "id": name},
    ]


def bare(done: UiRepaired) -> list[Part]:
    """What was sent, our transient marks left out."""
    return [part for part in done.parts if part["type"] != ui_parts.MARK]


def of(done: UiRepaired, call: str) -> list[str]:
    return [part["type"] for part in bare(done) if part.get("toolCallId") == call]


# ---------------------------------------------------------------- every recorded stream, every broken one


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_stream_in_order_passes_as_it_came(path: Path) -> None:
    parts = ui_parts.read(path.read_bytes())
    before = copy.deepcopy(parts)
    done = repair_ui_stream(parts)
    assert parts == before
    assert (done.parts == parts) == (path.stem in SOUND) == (not done.changes)


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_prefix_is_read_to_its_end_with_every_card_settled_or_waiting(path: Path) -> None:
    parts = ui_parts.read(path.read_bytes())
    for cut in range(1, len(parts) + 1):
        held_to_the_law(parts[:cut])


@pytest.mark.parametrize("seed", range(400))
def test_a_stream_nobody_would_send_is_read_to_its_end_too(seed: int) -> None:
    held_to_the_law(soup(random.Random(f"ui {seed}")))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_damaged_recording_is_read_to_its_end(path: Path) -> None:
    parts = ui_parts.read(path.read_bytes())
    for seed in range(40):
        held_to_the_law(damaged(random.Random(f"{path.stem} {seed}"), parts))


@pytest.mark.prove
@pytest.mark.timeout(600)
def test_twenty_thousand_streams_nobody_would_send_are_read_to_their_end() -> None:
    for seed in range(20_000):
        chance = random.Random(f"prove {seed}")
        whole = ui_parts.read(chance.choice(STREAMS).read_bytes())
        held_to_the_law(soup(chance) if seed % 2 else damaged(chance, whole))


def held_to_the_law(parts: list[Any]) -> None:
    done = repair_ui_stream(parts)
    refused, message = read(done.parts)
    assert refused is None, done.parts
    assert not [part for part in message if part["type"] in ("text", "reasoning") and part["state"] != "done"]
    for card in (part for part in message if "call" in part):
        waits = card["state"] in ("input-available", "approval-requested", "approval-responded")
        ended = card["state"] in ENDED and not (card["state"] == ENDED[0] and card.get("preliminary"))
        assert ended or (waits and card["call"] in done.pending), (card, done.parts)
    again = repair_ui_stream(done.parts)
    assert again.parts == done.parts and again.changes == []
    came = [json.dumps(part) for part in parts]
    made = [part for part in bare(done) if json.dumps(part) not in came]
    assert len(made) <= sum(
        1 for change in done.changes if change.dst or change.action == "relabelled"
    ) + len([c for c in done.changes if c.code == "event_after_terminal"])
    results = [part["output"] for part in bare(done) if part["type"] == "tool-output-available"]
    assert all(json.dumps(one) in json.dumps(parts) for one in results)


# ---------------------------------------------------------------- who is answered


def test_a_call_that_a_client_or_a_person_owes_is_never_answered_and_its_cancelling_is_offered() -> None:
    asked: Part = {"type": "tool-approval-request", "approvalId": "q", "toolCallId": "b"}
    settings = {"owners": {"client": ["pick"]}}
    for end in (END, [{"type": "abort"}], []):
        done = repair_ui_stream([*START, *called("a", "pick"), *called("b"), asked, *end], settings)
        assert of(done, "a") == ["tool-input-start", "tool-input-available"]
        assert of(done, "b")[-1] == "tool-approval-request"
        assert done.pending == ["a", "b"]
        cancel, no, denied = done.offers
        assert (cancel["type"], cancel["toolCallId"]) == ("tool-output-error", "a")
        assert cancel["errorText"].startswith("TOOL_CANCELLED: ")
        assert (no["approvalId"], no["approved"], denied["toolCallId"]) == ("q", False, "b")
        refused, message = read([*done.parts, *done.offers])
        assert refused is None
        assert [card["state"] for card in message if "call" in card] == ["output-error", "output-denied"]


@pytest.mark.parametrize("end", [{"type": "abort"}, {"type": "error", "errorText": "it broke"}, None])
def test_a_call_nobody_is_known_to_owe_is_the_clients_once_its_step_is_finished(end: Part | None) -> None:
    """The AI SDK runs a host's tools before it finishes a step; what is open then, the browser runs."""
    handed = repair_ui_stream([*START, *called("c", "pick"), END[0], *([end] if end else [])])
    assert of(handed, "c")[-1] == "tool-input-available" and handed.pending == ["c"]
    running = repair_ui_stream([*START, *called("s"), *([end] if end else [])])
    assert of(running, "s")[-1] == "tool-output-error" and running.pending == []
    answer = next(part for part in running.parts if part["type"] == "tool-output-error")
    assert answer["errorText"].startswith("TOOL_OUTCOME_UNKNOWN: "), "its runtime begins at once"


def test_the_servers_call_is_answered_before_the_terminal() -> None:
    parts = [*START, *called("s"), *called("c", "pick"), *END]
    done = repair_ui_stream(parts, {"owners": {"server": ["lookup"]}})
    answer = done.parts[-3]
    assert answer["toolCallId"] == "s" and answer["errorText"].endswith("retry: yes")
    assert answer["providerMetadata"]["turnscope"] == {"synthetic": "answered", "code": "unanswered_call"}
    assert done.pending == ["c"]
    assert [part for part in done.parts if part is not answer] == parts


def test_what_a_host_captured_is_used_instead_of_words() -> None:
    parts = [*START, *called("s"), *called("f"), *END]
    done = repair_ui_stream(parts, captured={"s": Recorded({"n": 7}), "f": Recorded("no disk", error=True)})
    assert [part.get("output", part.get("errorText")) for part in done.parts[-4:-2]] == [{"n": 7}, "no disk"]
    assert {change.code for change in done.changes} == {"result_recovered"}


def test_a_call_the_model_went_on_after_may_have_run() -> None:
    done = repair_ui_stream(
        [*START, *called("s"), {"type": "finish-step"}, {"type": "start-step"}, *text(), *END]
    )
    answer = next(part for part in done.parts if part["type"] == "tool-output-error")
    assert answer["errorText"].startswith("TOOL_OUTCOME_UNKNOWN: ")
    assert bare(done).index(answer) < bare(done).index({"type": "finish-step"})


def test_a_preliminary_output_is_no_result_and_is_quoted() -> None:
    done = repair_ui_stream([*START, *called("s"), output("s", {"pct": 60}, preliminary=True), *END])
    assert done.parts[-3]["errorText"].startswith("TOOL_OUTCOME_UNKNOWN: ")
    assert done.parts[-3]["errorText"].endswith('last progress: {"pct":60}')


def test_a_call_that_a_person_declined_ends_as_declined() -> None:
    asked: Part = {"type": "tool-approval-request", "approvalId": "q", "toolCallId": "s"}
    said: Part = {"type": "tool-approval-response", "approvalId": "q", "approved": False}
    done = repair_ui_stream([*START, *called("s"), asked, said, *END])
    assert of(done, "s")[-1] == "tool-output-denied" and done.pending == []


def test_a_call_cut_in_its_arguments_is_never_given_to_a_client_to_run() -> None:
    begun: list[Part] = [
        {"type": "tool-input-start", "toolCallId": "a", "toolName": "pick"},
        {"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": '{"n": 1'},
    ]
    done = repair_ui_stream([*START, *begun, {"type": "abort"}], {"owners": {"client": ["pick"]}})
    assert of(done, "a") == ["tool-input-start", "tool-input-delta", "tool-input-error"]
    assert done.parts[-2]["input"] == '{"n": 1' and "could not be parsed" in done.parts[-2]["errorText"]


def test_a_message_that_ended_on_the_harness_alone_says_that_it_stopped() -> None:
    done = repair_ui_stream([*START, *called("h", "ToolSearch"), *END], {"preset": "claude_code"})
    assert [part["type"] for part in bare(done)[-4:]] == [
        "tool-output-error",
        "finish-step",
        "error",
        "finish",
    ]
    assert "stopped before it finished" in bare(done)[-2]["errorText"]


# ---------------------------------------------------------------- what comes twice, early, late or not at all


def test_one_end_is_left_and_it_is_the_last_finish() -> None:
    first: Part = {"type": "finish", "finishReason": "tool-calls", "messageMetadata": {"tokens": 3}}
    done = repair_ui_stream([*START, *text(), first, *text("u"), *END])
    assert [part["type"] for part in bare(done)].count("finish") == 1
    assert bare(done)[-1] == END[-1]
    assert {"type": "message-metadata", "messageMetadata": {"tokens": 3}} in done.parts


def test_a_result_behind_the_end_is_brought_before_it() -> None:
    done = repair_ui_stream([*START, *called("s"), {"type": "abort"}, output("s")])
    assert [part["type"] for part in done.parts[-2:]] == ["tool-output-available", "abort"]
    assert [(change.code, change.action) for change in done.changes] == [
        ("event_after_terminal", "relocated")
    ]


def test_of_two_results_the_first_real_one_is_shown() -> None:
    parts = [*START, *called("s"), output("s", "aborted"), output("s", "blue"), output("s", "green"), *END]
    done = repair_ui_stream(parts)
    assert [part["output"] for part in done.parts if "output" in part] == ["blue"]
    assert [change.lossy for change in done.changes] == [True, True]


def test_a_result_waits_for_its_call() -> None:
    start, ready = called("s")
    for parts in ([start, output("s"), ready], [output("s"), start, ready]):
        done = repair_ui_stream([*START, *parts, *END])
        assert of(done, "s") == ["tool-input-start", "tool-input-available", "tool-output-available"]


def test_an_orphan_is_dropped_unless_the_message_it_continues_has_its_call() -> None:
    stream = [START[0], output("s"), *END[1:]]
    assert of(repair_ui_stream(stream), "s") == []
    part = {"type": "tool-lookup", "toolCallId": "s", "state": "input-available", "input": {}}
    message = {"id": "m", "role": "assistant", "parts": [part]}
    done = repair_ui_stream(stream, message=message)
    assert done.parts == stream and done.changes == [] and done.pending == []


def test_a_card_is_announced_once_in_a_step_and_may_come_again_in_another() -> None:
    once = [*called("s"), output("s")]
    twice = repair_ui_stream([*START, *once, *called("s"), *END])
    assert of(twice, "s") == ["tool-input-start", "tool-input-available", "tool-output-available"]
    later = [*START, *once, {"type": "finish-step"}, {"type": "start-step"}, *once, *END]
    assert repair_ui_stream(later).parts == later


def test_text_is_opened_and_closed_where_its_start_or_end_was_lost() -> None:
    _, delta, end = text()
    done = repair_ui_stream([*START, delta, *text("u")[:2], {"type": "text-end", "id": "t"}, end, *END])
    assert [part["type"] for part in bare(done)[2:-2]] == [
        "text-start", "text-delta", "text-start", "text-delta", "text-end", "text-end",
    ]  # fmt: skip


def test_a_step_begun_anew_takes_its_cards_with_it() -> None:
    stream = [*START, called("s")[0], {"type": "reset-step"}, *text(), *END]
    assert repair_ui_stream(stream).parts == stream


def test_what_a_client_would_refuse_is_put_right_or_dropped_and_told() -> None:
    odd: Part = {**output("s"), "providerMetadata": None}
    parts = [*START, *called("s"), odd, {"type": "tool-ended"}, {"type": "text-delta", "id": "t"}, 3, *END]
    done = repair_ui_stream(parts)
    assert bare(done) == [*START, *called("s"), output("s"), *END]
    assert sorted(change.code for change in done.changes) == [
        "invalid_event", "invalid_event", "unknown_event", "unreadable_frame",
    ]  # fmt: skip


def test_two_answers_recorded_as_one_stream_are_two_messages() -> None:
    first = [{"type": "start", "messageId": "m1"}, START[1], *called("s"), {"type": "abort"}]
    second = [{"type": "start", "messageId": "m2"}, START[1], *text(), *END]
    done = repair_ui_stream([*first, *second])
    assert bare(done)[-len(second) :] == second
    assert bare(done)[4]["type"] == "tool-output-error"


def test_bytes_are_read_and_written_as_the_client_has_them() -> None:
    data = b': stream-open\n\ndata: {"type":"start"}\n\ndata: {"type":\n\ndata: [DONE]\n\n'
    parts = ui_parts.read(data)
    assert parts[0] == {"type": "start"} and len(parts) == 2
    assert ui_parts.written(parts[:1]) == b'data: {"type":"start"}\n\ndata: [DONE]\n\n'
    assert ui_parts.telling(parts[:1]) and not ui_parts.telling([{"type": "RUN_STARTED"}])
