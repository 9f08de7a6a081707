"""The demo: a channel of invented conversations, each showing one thing that happens to agents.

`load` puts the recordings of `streams/` into the channel; `player.play` adds a live one. All of it was
written for this: no name, host or text in it is anybody's.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnscope.core import framing
from turnscope.demo.scenes import SCENES, STREAMS

if TYPE_CHECKING:
    from turnscope.store.journal import Journal

CHANNEL = "demo"

AT_ANY_TIME = 1 << 62
"""ms; later than anything that was written."""

SETTINGS: dict[str, Any] = {
    "owners": {
        # The harness of the mail agent runs these itself; nobody else can answer them.
        "harness": ["ToolSearch", "Read"],
        "server": ["fetch_thread", "search_mail", "label_thread", "read_attachment", "query_history"],
    },
    "limits": {
        "tools": {
            # So that the live conversation's slow query is seen hanging before it is answered.
            "query_history": 5_000,
            "count_pallets": 8_000,
        },
    },
    "target": "openai_chat",
    "policy": "answer",
}
"""What judges the demo's threads (shape: `core/tools.py`)."""


def load(journal: Journal, *, reset: bool = False) -> int:
    """Bring every recording into the channel `demo`; how many were new. Again: none.

    `reset` empties the channel first, but for a conversation that is being played. What the database raises
    passes.
    """
    # The store needs Django to be set up; the rest of this package does not.
    from turnscope.store.models import Channel, Stream
    from turnscope.store.retention import prune

    if reset:
        for _ in prune(journal, before=AT_ANY_TIME, channel=CHANNEL):
            pass
    channel, _ = Channel.objects.update_or_create(slug=CHANNEL, defaults={"settings": SETTINGS})
    journal.settings_changed(channel.pk)
    known = set(Stream.objects.filter(channel=channel, recording=True).values_list("name", flat=True))
    fresh = [path for name in SCENES if (path := STREAMS / f"{name}.jsonl").name not in known]
    for path in fresh:
        _record(journal, path)
    return len(fresh)


def _record(journal: Journal, path: Path) -> None:
    from turnscope.store.journal import Incoming

    now = time.time_ns() // 1_000_000
    handle = journal.open_stream(
        CHANNEL, key=f"demo/{path.name}", dialect="ag_ui", recording=True, name=path.name
    )
    journal.append(handle, [Incoming(raw, now, None) for raw in framing.split(path.read_bytes())])
    journal.close_stream(handle, "end")
