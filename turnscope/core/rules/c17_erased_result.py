"""C17 erased-result: a snapshot keeps a call and loses its streamed result.

## What it sees
A MESSAGES_SNAPSHOT that carries the call and not the tool message that answered it in the stream. One
finding per thread, however many snapshots repeat it, with a count of the calls. A warning, once per thread,
for a streamed text that a snapshot lacks under its id and tells under another.

## Why it matters
The official client deletes what a snapshot lacks: the answered call becomes unanswered again, and the next
request is refused. A text under another id is removed and drawn anew: what people did to the message, and
where they were in it, is gone.

## Seen in
- agui/20-snapshot-drops-result.jsonl (CopilotKit/CopilotKit#6294)
- rules/c17-erased-result.jsonl
- rules/c17-erased-result-text-moved.jsonl

## Repair
Stream and transcript: the streamed result is put back behind its call.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C17", "erased-result", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.snapshot_lost_seq:
        return ()
    streamed = next((answer.seq for answer in call.answers if answer.plane == "stream"), 0)
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"A snapshot kept the call {f.named(call)} and lost its result, which had been streamed.",
            seqs=(call.start_seq, streamed, call.snapshot_lost_seq),
            culprit=(f.PRODUCER, "its snapshot is behind its own stream"),
            repair="The streamed result is put back behind its call.",
            fold="snapshot",
        ),
    )


def moved(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.moved_text is None:
        return ()
    old, new, seq = run.moved_text
    streamed = thread.messages[old].start_seq if old in thread.messages else 0
    return (
        f.of_run(
            (CODE, NAME),
            run,
            f.WARNING,
            f"A snapshot tells a streamed text under another id: {f.shown(old)} became {f.shown(new)}.",
            seqs=(streamed, seq),
            culprit=(f.ADAPTER, "its snapshot gives the messages ids of its own"),
            repair="The snapshot's message gets the id it was streamed under.",
            fold="text",
        ),
    )


ALSO = (("run", "touched", moved),)
