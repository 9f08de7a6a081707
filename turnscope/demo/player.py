"""The live half of the demo: an agent that works in front of the viewer, over and over.

Each loop is a new conversation of three turns: a card that streams, runs, hangs past its limit and is
answered after all; a call the browser owes; an approval. What is played comes in by the front door like
anybody's events.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from turnscope.demo.script import Script

MOST_LOOPS = 200
"""Where an endless player stops, so that a forgotten server does not fill the disk: some five hours."""

PAUSE = 15.0
"""Seconds between two conversations."""

PAGE_TOOLS = ("show_on_plan",)
"""What the page offers: the browser answers these."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What one conversation is about."""

    question: str
    first: str
    place: str
    slow_query: dict[str, Any]
    found: str
    change: str
    arguments: dict[str, Any]


TOPICS = (
    Topic(
        question="Why is hall 2 so warm today?",
        first="I'll compare the sensors of hall 2 with the last two weeks.",
        place="hall-2",
        slow_query={"signal": "temperature", "zone": "hall-2", "days": 14},
        found="The roof vents have stayed shut since Monday; before that they opened every day around noon.",
        change="Open the vents to 40 percent, please.",
        arguments={"zone": "hall-2", "vents": 40},
    ),
    Topic(
        question="The water meter of the greenhouse looks wrong. Is there a leak?",
        first="I'll look at the flow at night, when nothing should run.",
        place="greenhouse",
        slow_query={"signal": "flow", "zone": "greenhouse", "days": 30},
        found="There is a steady 3 litres a minute between midnight and five. Valve 6 never closes fully.",
        change="Close the line behind valve 6 until somebody has looked at it.",
        arguments={"zone": "greenhouse", "valve": 6, "state": "closed"},
    ),
    Topic(
        question="Which charging points in the yard are slower than they should be?",
        first="I'll compare what each point delivers with what it is rated for.",
        place="yard",
        slow_query={"signal": "power", "zone": "yard", "days": 7},
        found="Points 4 and 9 deliver half of what they are rated for, both since the firmware update.",
        change="Restart points 4 and 9 tonight.",
        arguments={"zone": "yard", "points": [4, 9], "action": "restart"},
    ),
)


def conversation(thread: str, topic: Topic, at: int = 0) -> Script:
    """One loop: three turns about a topic, about a minute and a half of them."""
    s = Script(thread, at, tools=PAGE_TOOLS)
    s.user(topic.question)
    s.start()
    s.think("I need the live values and the history. The history is a large query, so I ask for all at once.")
    s.say(topic.first, pace=90)
    live = s.call("read_sensors", {"zone": topic.place, "fresh": True}, pace=140)
    history = s.call("query_history", topic.slow_query, pace=160)
    alarms = s.call("list_alarms", {"zone": topic.place, "open": True}, pace=120)
    s.result(live, {"zone": topic.place, "sensors": 8, "stale": 0}, after=900)
    s.result(alarms, {"open": 1}, after=1_300)
    s.result(history, {"points": 20_160, "resampled": "5 min"}, after=12_500)
    s.next_step()
    s.say(topic.found, pace=90)
    s.finish()

    s.wait(4_000)
    s.user("Show me where that is.")
    s.start()
    s.say("I'll mark it on the plan.", pace=90)
    plan = s.call("show_on_plan", {"zone": topic.place, "zoom": 3}, pace=140)
    s.finish(pending=[plan])
    s.wait(8_000)
    s.answer(plan, "shown")
    s.start()
    s.say("It is marked in red.", pace=90)
    s.finish()

    s.wait(5_000)
    s.user(topic.change)
    s.start()
    s.say("That changes a machine, so it needs your approval.", pace=90)
    change = s.call("change_device", topic.arguments, pace=140)
    interrupt = f"int_{thread}"
    s.finish(interrupts=[{"id": interrupt, "reason": "tool_approval", "toolCallId": change}])
    s.wait(9_000)
    s.start(resume=[{"interruptId": interrupt, "status": "resolved", "payload": {"approved": True}}])
    s.result(change, {"accepted": True}, after=2_400)
    s.say("Done. I'll keep an eye on it.", pace=90)
    s.finish()
    return s


async def play(
    send: Callable[[str], Awaitable[None]], *, loops: int | None = None, speed: float = 1.0
) -> None:
    """Play conversations through `send`, one event a message, at their own pace.

    `loops`: how many (None: `MOST_LOOPS`); `speed`: 2.0 is twice as fast. What `send` raises ends it.
    """
    if speed <= 0:
        raise ValueError("speed must be positive")
    for loop in range(MOST_LOOPS if loops is None else loops):
        if loop:
            await asyncio.sleep(PAUSE / speed)
        began = time.time_ns() // 1_000_000
        script = conversation(f"live-{began}-{loop + 1}", TOPICS[loop % len(TOPICS)])
        before = 0
        for event in script.events:
            await asyncio.sleep((event["timestamp"] - before) / 1000 / speed)
            before = event["timestamp"]
            await send(json.dumps({**event, "timestamp": time.time_ns() // 1_000_000}))
