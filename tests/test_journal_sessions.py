"""Sessions drawn at random: several streams, faults of every kind, ticks, kills; then rebuilt to the row."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.journals import NOW, live, rebuild_all, rows
from tests.streams import (
    Event,
    arguments,
    assistant,
    call,
    call_ended,
    call_started,
    event,
    failed,
    finished,
    interrupt,
    result,
    resume,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)  # fmt: skip
from turnscope.core.ledger import ledger
from turnscope.store import models
from turnscope.store.journal import Incoming, Journal

pytestmark = pytest.mark.django_db(transaction=True)

Draw = random.Random
SETTINGS: tuple[dict[str, Any], ...] = (
    {}, {"owners": {"server": ["a*"]}, "limits": {"default": 5_000, "silence": 20_000}},
    {"preset": "claude_code"}, {"owners": {"client": ["b"]}, "limits": {"owners": {"client": 3_000}}},
    {"target": "anthropic", "client": "our own", "severities": {"C02": "info", "R09": "error"}},
    {"mutes": [{"code": code, "reason": "-", "date": "2026-11-30"} for code in ("C01", "C02", "R05", "S07")]},
)  # fmt: skip


def _call(draw: Draw) -> str:
    return f"c{draw.randrange(6)}"


def _name(draw: Draw) -> str:
    return draw.choice(("a1", "a2", "b", "ToolSearch", ""))


def _history(draw: Draw) -> list[Event]:
    messages = [user(f"q{draw.randrange(4)}", id=f"u{draw.randrange(4)}")]
    for _ in range(draw.randrange(3)):
        one = _call(draw)
        messages.append(assistant((one, _name(draw), draw.choice(("{}", '{"x": 1}', "{"))), id=f"m{one}"))
        if draw.random() < 0.6:
            messages.append(tool(one))
        if draw.random() < 0.3:
            messages.append(user("and?", id=f"u{draw.randrange(9)}"))
    return messages


PIECES: tuple[Callable[[Draw], list[Event]], ...] = (
    lambda draw: run_started(f"r{draw.randrange(9)}", thread=f"t{draw.randrange(2)}"),
    lambda draw: run_with_input(
        *_history(draw), run=f"r{draw.randrange(9)}", thread=f"t{draw.randrange(2)}", tools=["b"],
        resume=[resume(f"i{draw.randrange(3)}")] if draw.random() < 0.3 else [],
    ),
    lambda draw: finished(
        f"r{draw.randrange(9)}", thread="t0",
        pending=draw.choice((None, [], [_call(draw)])),
        interrupts=[interrupt(f"i{draw.randrange(3)}", _call(draw))] if draw.random() < 0.2 else [],
    ),
    lambda draw: failed(draw.choice(("gone", f"Tool result is missing for tool call {_call(draw)}"))),
    lambda draw: call(_call(draw), _name(draw), draw.choice(("{}", "{", '{"a":1}{"b":2}', ""))),
    lambda draw: call_started(_call(draw), _name(draw)) + arguments(_call(draw), '{"k":'),
    lambda draw: call_ended(_call(draw)),
    lambda draw: result(_call(draw), draw.choice(("done", "", None, "Error: no"))),
    lambda draw: text("words " * draw.randrange(9), f"m{draw.randrange(5)}", pieces=draw.randrange(1, 9)),
    lambda draw: text(id=f"m{draw.randrange(5)}")[draw.randrange(2) :],
    lambda draw: event("MESSAGES_SNAPSHOT", messages=_history(draw)),
    lambda draw: event("STEP_STARTED", stepName="s") + event("STEP_FINISHED", stepName=draw.choice("sx")),
    lambda draw: event("STATE_DELTA", delta=[{"op": "add", "path": "/no/where", "value": 1}]),
    lambda draw: event(draw.choice(("THINKING_START", "NO_SUCH", "RUN_FINISHED", "TOOL_CALL_RESULT"))),
    lambda draw: [{"evidence": {"toolCallId": _call(draw), "phase": draw.choice(("start", "result"))}}],
)  # fmt: skip


class Session:
    """What happens to one channel, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = NOW
        self.journal = Journal(room=self.draw.choice((1, 10**9)))
        models.Channel.objects.get_or_create(slug="acme")
        self.handles = {key: live(self.journal, key) for key in ("s1", "s2", "s3")}
        self.numbers = dict.fromkeys(self.handles, 0)

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.now += self.draw.choice((1, 400, 7_000))
            self.draw.choices(
                (self.frames, self.tick, self.leave, self.settle, self.restart), (20, 3, 1, 1, 1)
            )[0]()

    def frames(self) -> None:
        batches = []
        for key in self.draw.sample(sorted(self.handles), self.draw.randrange(1, 3)):
            raws = [self._raw(key, one) for _ in range(self.draw.randrange(1, 5)) for one in self._piece()]
            if self.draw.random() < 0.2:
                raws.append(b'{"type": "TEXT_MESS\n')
            batches.append((self.handles[key], [Incoming(raw, self.now) for raw in raws]))
        self.journal.append_many(batches)

    def _piece(self) -> list[Event]:
        return self.draw.choice(PIECES)(self.draw)

    def _raw(self, key: str, one: Event) -> bytes:
        if key != "s3" or "evidence" in one:
            return json.dumps(one).encode() + b"\n"
        # The third stream numbers its frames, and now and then loses one or says one twice.
        self.numbers[key] += self.draw.choice((1, 1, 1, 1, 1, 2, 0))
        return json.dumps({"n": self.numbers[key], "event": one}).encode() + b"\n"

    def tick(self) -> None:
        self.now += self.draw.choice((1_000, 10_000, 60_000))
        self.journal.tick(self.now)

    def leave(self) -> None:
        key = self.draw.choice(sorted(self.handles))
        self.journal.close_stream(self.handles[key], self.draw.choice(("lost", "left", "end")))
        self.handles[key] = live(self.journal, key)

    def settle(self) -> None:
        models.Channel.objects.update(settings=self.draw.choice(SETTINGS))

    def restart(self) -> None:
        self.journal = Journal(room=self.draw.choice((1, 10**9)))
        self.handles = {key: live(self.journal, key) for key in self.handles}


def hold(seed: int, steps: int) -> None:
    session = Session(seed)
    session.play(steps)
    before = rows()
    assert before["Call"] and before["Finding"]
    for row in models.Turn.objects.all():
        thread = session.journal.picture(row.thread_id).thread
        book = ledger([one for one in thread.calls if one.turn == row.number])
        assert {name: getattr(row, name) for name in book.__slots__} == {
            name: getattr(book, name) for name in book.__slots__
        }
    rebuild_all(Journal())
    assert rows() == before
    models.Channel.objects.all().delete()


@pytest.mark.parametrize("seed", range(3))
def test_a_drawn_session_is_rebuilt_to_the_row(seed: int) -> None:
    hold(seed, steps=60)


@pytest.mark.prove
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(100, 200, 20))
def test_many_drawn_sessions_are_rebuilt_to_the_row(first: int) -> None:
    for seed in range(first, first + 20):
        hold(seed, steps=100)
