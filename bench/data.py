"""The events the benchmarks are fed: AG-UI JSON lines, 206 bytes and 93 % deltas on average, seeded.

Healthy conversations, one thread: turns of a few hundred events, each with text, two or three calls and their
results, and a run input that carries the new user message only.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

BEGAN = 1_796_000_000_000
"""The first event's timestamp, in ms."""

QUICK, FULL = 200_000, 1_000_000
"""Events of a run of the bench."""

WORDS = (
    "the order was delivered on time and the customer asked whether another lamp can be sent before friday "
    "because one of them came with a crack in its glass and the shop in the old town has none of them left"
).split()

TOOLS = ("find_order", "check_stock", "delivery_slots", "send_message", "read_sensors", "query_history")


def full(count: int) -> bool:
    """Whether a bench is to measure in full, however long it takes."""
    return count >= FULL


def lines(count: int, *, seed: int = 1, thread: str = "bench-thread", every: int = 20) -> Iterator[bytes]:
    """`count` events as JSON lines; the same seed gives the same bytes. `every`: ms between two events."""
    made = 0
    for turn in _turns(random.Random(seed), thread):
        for event in turn:
            event["timestamp"] = BEGAN + made * every
            yield json.dumps(event, separators=(",", ":")).encode() + b"\n"
            made += 1
            if made == count:
                return


def file(count: int, folder: Path, *, seed: int = 1, thread: str = "bench-thread") -> Path:
    """The same events in a file, made once per folder."""
    path = folder / f"{thread}-{seed}-{count}.jsonl"
    if not path.exists():
        with path.open("wb") as out:
            out.writelines(lines(count, seed=seed, thread=thread))
    return path


def one_run(count: int, folder: Path) -> Path:
    """One turn of one run with so many events: text, a call in every thousand, a rare word at the end."""
    path = folder / f"one-run-{count}.jsonl"
    if path.exists():
        return path
    pick = random.Random(5)
    thread = {"threadId": "one-run", "runId": "one-run-1"}
    with path.open("w") as out:

        def write(made: int, **event: object) -> int:
            out.write(json.dumps({**event, "timestamp": BEGAN + made * 5}, separators=(",", ":")) + "\n")
            return made + 1

        made = write(0, type="RUN_STARTED", **thread)
        number = 0
        while made < count - 1:
            number += 1
            for event in _call(f"call_{number:06d}", pick.choice(TOOLS), {"limit": number}):
                made = write(made, **event)
            message = f"message-{number}"
            made = write(made, type="TEXT_MESSAGE_START", messageId=message, role="assistant")
            for _ in range(min(990, max(count - 3 - made, 0))):
                delta = _words(pick, 12) + " "
                made = write(made, type="TEXT_MESSAGE_CONTENT", messageId=message, delta=delta)
            if made >= count - 3:
                made = write(made, type="TEXT_MESSAGE_CONTENT", messageId=message, delta="needle-at-the-end")
            made = write(made, type="TEXT_MESSAGE_END", messageId=message)
        write(made, type="RUN_FINISHED", **thread)
    return path


def many_calls(count: int, folder: Path) -> Path:
    """One turn of so many calls of forty tools, up to fourteen at once."""
    path = folder / f"many-calls-{count}.jsonl"
    pick, at = random.Random(3), BEGAN
    thread = {"threadId": "many-calls", "runId": "many-calls-1"}
    with path.open("w") as out:

        def write(event: dict[str, object], by: int) -> None:
            nonlocal at
            at += by
            out.write(json.dumps({**event, "timestamp": at}, separators=(",", ":")) + "\n")

        write({"type": "RUN_STARTED", **thread}, 0)
        waiting: list[dict[str, object]] = []
        for n in range(count):
            *begin, answer = _call(f"call_{n:06d}", f"tool_{n % 40:02d}", {"q": n})
            for event in begin:
                write(event, pick.randint(3, 60))
            waiting.append(answer)
            while len(waiting) > pick.randint(2, 14) or (n == count - 1 and waiting):
                write(waiting.pop(pick.randrange(len(waiting))), pick.randint(1, 20))
        write({"type": "RUN_FINISHED", **thread}, 5)
    return path


def _call(id_: str, tool: str, arguments: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": tool},
        {"type": "TOOL_CALL_ARGS", "toolCallId": id_, "delta": json.dumps(arguments)},
        {"type": "TOOL_CALL_END", "toolCallId": id_},
        {"type": "TOOL_CALL_RESULT", "messageId": f"answer-{id_}", "toolCallId": id_, "content": "done"},
    ]


def transcript(messages: int) -> list[dict[str, object]]:
    """A message list in OpenAI's shape to be repaired: every tenth call has lost its answer."""
    out: list[dict[str, object]] = []
    turn = 0
    while len(out) < messages:
        call = f"call_{turn:06d}"
        out.append({"role": "user", "content": f"Where is order {turn}?"})
        out.append(
            {
                "role": "assistant",
                "content": "I'll look.",
                "tool_calls": [
                    {
                        "id": call,
                        "type": "function",
                        "function": {"name": "find_order", "arguments": json.dumps({"order": turn})},
                    }
                ],
            }
        )
        if turn % 10:
            out.append({"role": "tool", "tool_call_id": call, "content": "delivered"})
        out.append({"role": "assistant", "content": "It was delivered."})
        turn += 1
    return out[:messages]


def _turns(pick: random.Random, thread: str) -> Iterator[list[dict[str, object]]]:
    number = 0
    while True:
        number += 1
        yield list(_turn(pick, thread, number))


def _turn(pick: random.Random, thread: str, number: int) -> Iterator[dict[str, object]]:
    run = _uuid(pick)
    question = {"id": f"user-{number}", "role": "user", "content": _words(pick, 20)}
    run_input = {"threadId": thread, "runId": run, "messages": [question], "tools": []}
    yield {"type": "RUN_STARTED", "threadId": thread, "runId": run, "input": run_input}
    for _ in range(pick.randint(2, 3)):
        yield from _text(pick, pick.randint(20, 100))
        call = "call_" + _uuid(pick)
        yield {"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": pick.choice(TOOLS)}
        arguments = json.dumps({"query": _words(pick, 40), "limit": pick.randint(1, 99)})
        for at in range(0, len(arguments), 24):
            yield {"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": arguments[at : at + 24]}
        yield {"type": "TOOL_CALL_END", "toolCallId": call}
        yield {
            "type": "TOOL_CALL_RESULT",
            "messageId": _uuid(pick),
            "toolCallId": call,
            "content": _words(pick, pick.randint(10, 400)),
            "role": "tool",
        }
    yield from _text(pick, pick.randint(20, 100))
    yield {"type": "RUN_FINISHED", "threadId": thread, "runId": run, "outcome": {"type": "success"}}


def _text(pick: random.Random, deltas: int) -> Iterator[dict[str, object]]:
    message = _uuid(pick)
    yield {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}
    for _ in range(deltas):
        delta = _words(pick, 17) + " "
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": delta}
    yield {"type": "TEXT_MESSAGE_END", "messageId": message}


def _words(pick: random.Random, count: int) -> str:
    return " ".join(pick.choices(WORDS, k=count))


def _uuid(pick: random.Random) -> str:
    digits = f"{pick.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
