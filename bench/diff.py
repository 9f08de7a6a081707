"""Original beside repaired for conversations of 5,000 lines: from navigation until it is drawn, in Chromium.

Each page is asked for the first time: what the server repairs and compares is part of the time. Every tenth
call has lost its answer, so that the changes lie all over it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.page import Seen, chromium
from bench.rows import Row
from tests.serving import served, turnscope

LINES = 5_000
TIMES = 5
MUST, AIM = 200.0, 100.0
DRAWN = """
addEventListener("DOMContentLoaded", () =>
  requestAnimationFrame(() => requestAnimationFrame(() => (window.done_ = performance.now()))));
"""


def measure(folder: Path, count: int) -> list[Row]:
    home = folder / "diff"
    for number in range(TIMES + 1):
        path = folder / f"diff-{number}.jsonl"
        path.write_text("".join(f"{json.dumps(event)}\n" for event in conversation(f"diff-{number}", LINES)))
        turnscope(home, "ingest", str(path), "--channel", "diff")
    with served(home) as server, chromium() as browser:
        context = browser.new_context()
        turns = context.request.get(f"{server.url}/channels/diff.json").json()["turns"]
        context.close()
        first, *others = [turn["id"] for turn in turns]
        seen = Seen(browser, server.url)
        seen.page.add_init_script(DRAWN)
        _drawn(seen.page, first)  # what the server loads at its first page is loaded
        took = sorted(_drawn(seen.page, turn) for turn in others)
        again = sorted(_drawn(seen.page, turn) for turn in others)
        shown = seen.page.locator(".dx .row").count()
        changes = seen.page.locator(".changes li").count()
        seen.context.close()
    middle, note = (
        len(took) // 2,
        f"{changes} changes, {shown:,} lines drawn; again {again[len(again) // 2]:.0f} ms",
    )
    return [Row(f"diff of {LINES:,} lines until drawn, p50", took[middle], "ms", MUST, AIM, note=note)]


def _drawn(page: Any, turn: int) -> float:
    """Ms from navigation until the page is drawn."""
    page.goto(f"/turns/{turn}/diff/")
    return float(page.wait_for_function("window.done_").json_value())


def conversation(name: str, lines: int) -> list[dict[str, Any]]:
    """A turn whose history has so many lines of text, arguments and results."""
    messages: list[dict[str, Any]] = []
    made, number = 0, 0
    while made < lines:
        number += 1
        call = f"{name}-call-{number}"
        function = {"name": "find_order", "arguments": json.dumps({"order": number, "of": name})}
        messages += [
            {
                "id": f"{call}-u",
                "role": "user",
                "content": f"Where is order {number}?\nIt was paid for.\nI wait.",
            },
            {
                "id": f"{call}-a",
                "role": "assistant",
                "content": "I'll look.\nOne moment.",
                "toolCalls": [{"id": call, "type": "function", "function": function}],
            },
        ]
        made += 3 + 2 + 1
        if number % 10:
            found = "\n".join(f"station {stop}: passed" for stop in range(6))
            messages.append({"id": f"{call}-r", "role": "tool", "toolCallId": call, "content": found})
            made += 6
    run = {"threadId": name, "runId": f"{name}-run"}
    return [
        {"type": "RUN_STARTED", **run, "input": {**run, "messages": messages, "tools": []}},
        {"type": "RUN_FINISHED", **run},
    ]
