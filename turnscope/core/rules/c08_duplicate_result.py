"""C08 duplicate-result: one call, two results in one plane.

## What it sees
Two results in the stream for one call, or two tool messages for it in one history. Preliminary outputs do
not count, nor does the same message told again by a later history. An info when they are identical. Also two
answers to one approval that contradict each other: a yes and a no to the same question.

## Why it matters
The client makes two tool messages of them; model APIs refuse a history with two results for one call, and
which of two different results the model believed cannot be told.

## Seen in
- agui/29-duplicate-results.jsonl (ag-ui-protocol/ag-ui#1346)
- rules/c08-duplicate-result.jsonl
- rules/c08-duplicate-result-approvals.jsonl

## Repair
Stream and transcript: one is kept. An empty placeholder or a known "aborted" text yields to a real result;
otherwise the first is kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import CLIENT, Answer, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C08", "duplicate-result", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.approved_seq and call.refused_seq:
        return (_both(call),)
    if len(call.answers) < 2:
        return ()
    twice = _twice(call.answers)
    if len(twice) < 2:
        return ()
    same = len({answer.digest for answer in twice}) == 1
    where = "the stream" if twice[0].plane == "stream" else "one history"
    told = f"{f.named(call)} has {f.many(len(twice), 'result')} in {where}, " + (
        "all the same." if same else "with different contents."
    )
    who = (f.PRODUCER, f"{where} brought a second result for the same call")
    if call.owner == CLIENT and twice[0].plane == "stream" and twice[0].empty:
        told += " The first is a server's placeholder for a tool that the client runs."
        who = (f.ADAPTER, "it answered a client's tool with a placeholder")
    return (
        f.of_call(
            (CODE, NAME),
            call,
            f.INFO if same else SEVERITY,
            told,
            seqs=(call.start_seq, *(answer.seq for answer in twice)),
            culprit=who,
            repair="One result is kept: a real one before a placeholder, else the first.",
        ),
    )


def _both(call: Call) -> f.Finding:
    return f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        f"{f.named(call)} was approved and refused: two answers to one question contradict each other.",
        seqs=(call.start_seq, call.approved_seq, call.refused_seq),
        culprit=(f.CLIENT, "it answered the same interrupt a second time, otherwise"),
        repair="The first answer is kept.",
    )


def _twice(answers: list[Answer]) -> list[Answer]:
    """The results that stand in one plane: all of the stream, or those of one history."""
    streamed = [answer for answer in answers if answer.plane == "stream" and not answer.preliminary]
    if len(streamed) > 1:
        return streamed
    told = [answer for answer in answers if answer.plane == "history"]
    return next((both for one in told if len(both := [a for a in told if a.seq == one.seq]) > 1), [])
