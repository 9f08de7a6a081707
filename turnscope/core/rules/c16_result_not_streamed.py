"""C16 result-not-streamed: a result that only a history knows, or that a history lost.

## What it sees
A call announced in the stream whose answer came by a snapshot alone (or by an input, for a tool that the
server or harness runs): the live card never knew. Not for a client's or a person's call, whose answer comes
by input. Also a result that was streamed and that the next input lacks, with the seq where it was lost; and
a whole call that a run made and never announced, told behind the last message of its own input by a snapshot
of the run, or by the next run's input before the last message that the run streamed (once per thread, with a
count).
A snapshot that loses a streamed result is C17.

## Why it matters
The live card spins while the model has the result; only a reload shows it. Middleware that answers a call
itself does this, since its answers are not on the tool-execution stream.

## Seen in
- stories/3b-answered-in-snapshot-only-and-reported-pending.jsonl
- rules/c16-result-not-streamed.jsonl
- rules/c16-result-not-streamed-call.jsonl
- rules/c16-result-not-streamed-input.jsonl

## Repair
Stream: the result is emitted where the history first has it. History: the streamed result is put back.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import CLIENT, PERSON, Answer, Call, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C16", "result-not-streamed", f.WARNING
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or call.plane != "stream" or not call.start_seq:
        return ()
    if call.input_lost_seq:
        return (_lost(call),)
    told: Answer | None = None
    for answer in call.answers:
        if answer.plane == "stream":
            return ()
        if told is None and not answer.late:
            told = answer
    if told is None or not _servers(call, told):
        return ()
    where = "a snapshot" if told.source == "snapshot" else "a later input"
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{f.named(call)} was answered in {where} only: no result in the stream, no live card knew.",
            seqs=(call.start_seq, call.end_seq, told.seq),
            culprit=(f.ADAPTER, "what answered the call is not on the stream of tool results"),
            repair="The result is emitted in the stream where the history first has it.",
        ),
    )


def _servers(call: Call, told: Answer) -> bool:
    """Whether the stream should have brought the answer."""
    if call.owner in (CLIENT, PERSON):
        return False
    if told.source == "snapshot":
        return True
    return told.source == "input" and call.owner_source in ("configured", "excluded")


def _lost(call: Call) -> f.Finding:
    streamed = next((answer.seq for answer in call.answers if answer.plane == "stream"), 0)
    return f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        f"The result of {f.named(call)} was streamed, and the next input carries the call without it.",
        seqs=(call.start_seq, streamed, call.input_lost_seq),
        culprit=(f.CLIENT, "the history it sent back lacks a result it was given"),
        repair="The streamed result is put back into the history.",
    )


def unannounced(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    before = thread.runs[run.number - 2] if run.untold else run
    for made_by, numbers, where in (
        (run, run.unstreamed, "a snapshot"),
        (before, run.untold, "the next run's input"),
    ):
        for number in numbers:
            call = thread.calls[number - 1]
            if call.plane == "stream" or call.owner in (CLIENT, PERSON) or call.name in (made_by.tools or ()):
                continue
            yield f.of_call(
                (CODE, NAME),
                call,
                SEVERITY,
                f"Run {f.run_subject(made_by)} called {f.named(call)}, and only {where} says so: "
                "no event announced the call, no live card was drawn.",
                run=made_by.number,
                seqs=(made_by.input_seq, call.history_seq, made_by.end_seq),
                culprit=(f.ADAPTER, "it tells the call in its history and not in its stream"),
                repair="The call is announced in the stream where the history first has it.",
                fold="call",
            )


ALSO = (("run", "ended", unannounced),)
