"""C01 hanging-call: somebody owes an answer now, and is past the limit.

## What it sees
A call whose arguments are complete, in a run that is open on a live stream, that the server, the harness
or the provider owes and that is older than the limit in force when it opened (per tool, per owner, per
channel). Only a tick of the clock opens it; an answer or the end of the run closes it. A warning where
nothing says who owes the answer. Never on a recording: the end of a file is a closed stream.

## Why it matters
A spinner says nothing. The age against the limit, and whether the stream itself still lives, tell a dead
tool from a dead connection: heartbeats prove the socket, not the tool.

## Seen in
- rules/c01-hanging-call.jsonl

mastra-ai/mastra#4466 as its users saw it live. A recording cannot show it: time is what it sees.

## Repair
None while the run is open. The repaired stream answers it before its terminal.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import HARNESS, PROVIDER, RUN_OPEN, RUNNING, SERVER, UNKNOWN, Call, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C01", "hanging-call", f.ERROR
SUBJECT, ASKED = "call", "ticked"
REPAIRED_BY: tuple[str, ...] = ()

OWES = {
    SERVER: ("The server owes it", f.SERVER_TOOL),
    HARNESS: ("The harness owes it", f.HARNESS),
    PROVIDER: ("The model's provider owes it", f.MODEL),
    UNKNOWN: ("Nothing says who owes it", f.UNKNOWN),
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not overdue(thread, call, now):
        return ()
    run = running_in(thread, call)
    owes, culprit = OWES[call.owner]
    view = thread.streams[run.stream]
    # A sentence is written once and read much later: it says what stays true. Ages are the card's to count.
    since = _since(call, run)
    if view.closed:
        alive = "and the stream is lost"
    elif run.last_at > since:
        alive = f"and the stream is alive: a frame came {f.seconds(run.last_at - since)} into the wait"
    else:
        alive = "and nothing has come since the call"
    message = (
        f"{f.named(call)} has not answered within {f.seconds(call.limit or 0)}, its limit. {owes}, {alive}."
    )
    severity = f.WARNING if call.owner == UNKNOWN else SEVERITY
    return (
        f.of_call(
            (CODE, NAME),
            call,
            severity,
            message,
            run=run.number,
            seqs=(call.start_seq, call.end_seq, run.last_seq),
            culprit=(culprit, call.owner_reason),
            repair="Nothing to mend while the run is open; should it end so, the repair answers for it.",
        ),
    )


def overdue(thread: Thread, call: Call, now: int) -> bool:
    """Whether the call is past its limit at `now`, and still somebody's to answer in an open run."""
    if call.state != RUNNING or call.limit is None or call.owner not in OWES:
        return False
    run = running_in(thread, call)
    if run.state != RUN_OPEN or run.stream not in thread.streams or thread.streams[run.stream].recording:
        return False
    return now - _since(call, run) >= call.limit


def running_in(thread: Thread, call: Call) -> Run:
    """The run that is to answer it: the one that opened it, or that resumed it."""
    return thread.runs[(call.resumed_run or call.run) - 1]


def _since(call: Call, run: Run) -> int:
    return max(call.end_at or call.start_at, run.start_at)
