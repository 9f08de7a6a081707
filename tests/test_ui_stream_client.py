"""The AI SDK's own client reads what was repaired to the end, and its model calls take what it then holds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.core.test_ui_stream import ENDED, STREAMS
from tests.core.ui_client import damaged, read, soup
from tests.interop import told
from turnscope.core.repair import ui_parts
from turnscope.core.repair.ui_messages import messages_of
from turnscope.core.repair.ui_stream import UiRepaired, repair_ui_stream

pytestmark = [pytest.mark.prove, pytest.mark.timeout(600)]

SOUPS = 1500
JUDGE = "ai_stream.mjs"
UNPAIRED = "AI_MissingToolResultsError"


def streams() -> list[list[Any]]:
    """Every prefix of every recorded stream, damaged ones, and streams that nobody would send."""
    recorded = [ui_parts.read(path.read_bytes()) for path in STREAMS]
    cut = [parts[:end] for parts in recorded for end in range(1, len(parts) + 1)]
    chances = [random.Random(f"damaged {seed}") for seed in range(SOUPS // 3)]
    cut += [damaged(chance, chance.choice(recorded)) for chance in chances]
    return cut + [soup(random.Random(f"client {seed}")) for seed in range(SOUPS)]


def body(parts: list[Any]) -> str:
    return ui_parts.written(parts).decode()


def cards(verdict: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for message in verdict["messages"] for part in message["parts"] if "toolCallId" in part]


def test_what_was_repaired_is_read_to_its_end_and_every_card_is_settled_or_waits() -> None:
    done = [repair_ui_stream(parts) for parts in streams()]
    found = told(JUDGE, [body(one.parts) for one in done])
    assert [verdict["refused"] for verdict in found] == [None] * len(done)
    for one, verdict in zip(done, found, strict=True):
        for card in cards(verdict):
            ended = card["state"] in ENDED and not (card["state"] == ENDED[0] and card.get("preliminary"))
            assert ended or card["toolCallId"] in one.pending, card
        texts = [p for m in verdict["messages"] for p in m["parts"] if p["type"] in ("text", "reasoning")]
        assert all(text["state"] == "done" for text in texts)


def test_a_model_call_takes_the_message_once_nobody_is_waited_for_or_the_waiting_is_cancelled() -> None:
    """Of what was recorded some is refused as it came, else the judge would say nothing."""
    recorded = [ui_parts.read(path.read_bytes()) for path in STREAMS]
    assert any(one["history"] != "ok" for one in told(JUDGE, [body(parts) for parts in recorded]))
    cut = [parts[:end] for parts in recorded for end in range(1, len(parts) + 1)]
    done = [repair_ui_stream(parts) for parts in cut]
    cancelled = [body([*one.parts, *one.offers]) for one in done]
    assert any(one.offers for one in done)
    assert [one["history"] for one in told(JUDGE, cancelled)] == ["ok"] * len(done)


def test_our_reader_refuses_and_holds_what_the_vendors_does() -> None:
    """The quick tests believe `ui_client.py`; here it is held to the package."""
    came = [soup(random.Random(f"held {seed}")) for seed in range(SOUPS)]
    found = told(JUDGE, [body(parts) for parts in came])
    mistaken = []
    for parts, verdict in zip(came, found, strict=True):
        refused, message = read(parts)
        if (refused is None) != (verdict["refused"] is None):
            mistaken.append((refused, verdict["refused"], parts))
        elif refused is None:
            ours = [part["state"] for part in message if "call" in part]
            assert ours == [card["state"] for card in cards(verdict)], parts
    assert mistaken == []
    assert any(verdict["refused"] for verdict in found)


def test_the_version_before_reads_what_was_repaired_as_well() -> None:
    """`ai` 6, for streams that hold nothing it does not know."""
    done: list[UiRepaired] = [repair_ui_stream(ui_parts.read(path.read_bytes())) for path in STREAMS]
    found = told(JUDGE, [body(one.parts) for one in done], options=["ai6"])
    assert [verdict["refused"] for verdict in found] == [None] * len(done)


def test_the_messages_we_make_of_a_repaired_stream_are_the_clients() -> None:
    done = [repair_ui_stream(parts) for parts in streams()]
    for one, verdict in zip(done, told(JUDGE, [body(one.parts) for one in done]), strict=True):
        assert simple(messages_of(one.parts)) == simple(verdict["messages"])


def simple(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Their parts. The client tells of a step only once something is in it."""
    return [said(part) for one in messages for part in one["parts"] if part["type"] != "step-start"]


def said(part: dict[str, Any]) -> dict[str, Any]:
    """What of a part says something; half-read arguments of a call that was cut are the client's guess."""
    names = ["type", "text", "toolCallId", "state", "output", "errorText", "data"]
    names += ["input"] if part.get("state") == "input-available" else []
    return {name: part[name] for name in names if part.get(name) is not None}
