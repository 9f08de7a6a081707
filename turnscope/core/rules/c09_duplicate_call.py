"""C09 duplicate-call: a call was announced again before it was answered.

## What it sees
A START for an id that is still open; or, after its END and without an answer, one with the same name and
arguments (announced again: a warning, one card, arguments counted once), or with another name or other
arguments (an id used twice: the earlier call stays unanswered). After an answer the id may be used again:
that is a new call, and legal. Also an echo, a warning: a call of the run told once more under a new id, with
the same arguments and result and no time between its start and its answer. It counts in no ledger.

## Why it matters
The official client appends the arguments a second time, which makes two JSON documents of them, and a card
that was done goes back to loading.

## Seen in
- agui/15-reannounced-call-on-resume.jsonl (ag-ui-protocol/ag-ui#2014, #1773, #1524)
- rules/c09-duplicate-call.jsonl

## Repair
Stream: the second announcement is dropped; an echo stays, as a call of its own. History: the first call is
kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C09", "duplicate-call", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)

WORDS = {
    "open": "was started again while its arguments were still arriving",
    "other": "was started again under its id with another name or other arguments, before it was answered",
    "same": "was announced again with the same name and arguments, before it was answered",
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.echo_of:
        return (_echo(thread, call),)
    if not call.restarts:
        return ()
    kinds = [kind for _, kind in call.restarts[:8]]
    worst = next((kind for kind in ("other", "open") if kind in kinds), "same")
    times = f", {len(call.restarts)} times" if len(call.restarts) > 1 else ""
    return (
        f.of_call(
            (CODE, NAME),
            call,
            f.WARNING if worst == "same" else SEVERITY,
            f"{f.named(call)} {WORDS[worst]}{times}.",
            seqs=(call.start_seq, *(seq for seq, _ in call.restarts[:7])),
            culprit=(
                f.ADAPTER,
                "it replays a call the client already has" if worst == "same" else "it uses an id twice",
            ),
            repair="The second announcement is dropped; its result is kept.",
        ),
    )


def _echo(thread: Thread, call: Call) -> f.Finding:
    told = thread.calls[call.echo_of - 1]
    return f.of_call(
        (CODE, NAME),
        call,
        f.WARNING,
        f"{f.named(call)} was told once more under a new id ({f.shown(call.id)}): an echo of "
        f"{f.shown(told.id)}, with its arguments and its result, in no time.",
        seqs=(told.start_seq, call.start_seq, call.answers[0].seq),
        culprit=(f.ADAPTER, "it replays a call it has told already"),
        repair="None: it has an answer of its own. The ledger does not count it.",
    )
