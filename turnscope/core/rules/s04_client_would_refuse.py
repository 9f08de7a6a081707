"""S04 client-would-refuse: the official client throws at this event, and shows the run as failed.

## What it sees
The first throw of `@ag-ui/client` 1.0 in a run: an event its validators refuse, an order it does not take, a
tag that disagrees with the owner. Its own words, and the event that made it throw. Each run has a client of
its own. Told once per kind, event type and field, with a count. A warning where the channel's settings name
another client.

## Why it matters
The client has no other mode: the first throw fails the whole run, whatever good came before it or after.

## Seen in
- agui/03-run-finished-open-tool-call.jsonl (ag-ui-protocol/ag-ui#2024)
- agui/08-args-after-end.jsonl (pydantic/pydantic-ai#4733)
- agui/10-end-without-start.jsonl (agentscope-ai/agentscope-java#418)
- agui/23-finished-after-error.jsonl (agentscope-ai/agentscope-java#2642)
- agui/32-step-open-at-finish.jsonl (LibreChat-AI/agents#417)
- agui/34-run-started-while-active.jsonl (ag-ui-protocol/ag-ui#1582)
- agui/35-result-after-run-finished.jsonl (CopilotKit/CopilotKit#5812)
- agui/37-subagent-never-finished.jsonl
- rules/s04-client-would-refuse.jsonl

## Repair
Stream: what its cause names. The repaired stream is one the client takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Oddity, Thread
from . import finding as f
from .oddities import of_oddity

CODE, NAME, SEVERITY = "S04", "client-would-refuse", f.ERROR
SUBJECT, ASKED = "frame", "touched"
REPAIRED_BY = (f.STREAM,)
OFFICIAL = "official"
"""What the setting `client` says, or leaves unsaid, where the channel's client is the official one."""


def check(thread: Thread, odd: Oddity, now: int) -> Iterable[f.Finding]:
    if odd.code != CODE:
        return ()
    official = thread.settings.get("client", OFFICIAL) == OFFICIAL
    return (
        of_oddity(
            (CODE, NAME),
            thread,
            odd,
            SEVERITY if official else f.WARNING,
            f"The official client refuses {f.shown(odd.type)}: {f.shown(odd.detail, 160)}",
            culprit=(f.PRODUCER, "it sent what the protocol does not allow"),
            repair="Mended in the stream with what explains it; the client takes the repaired one.",
        ),
    )
