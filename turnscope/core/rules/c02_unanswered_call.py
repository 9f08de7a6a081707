"""C02 unanswered-call: the run ended and nobody answered a call that the server or the harness owed.

## What it sees
A call announced in the stream, its arguments complete, with no result in either plane after its run
finished: the pending list does not name it, or the model went on after it, or the next run's input
answers its siblings and not it, or the channel says who runs the tool. Where nothing says who owes it and
nothing contradicts that somebody will still answer, it is a warning. It names the known signatures:
dropped when batched with a client call; seen by the host and lost by the adapter, its result or its error.
Silent where another finding says it better: C03, C07, C11, C12, C14, C15, R11, R12, or an error of the run.

## Why it matters
The card spins for ever, and the next request carries a call without a result: the model API refuses the
whole history, and no message can get through until it is mended.

## Seen in
- stories/1a-server-result-dropped-live.jsonl
- stories/1b-server-result-dropped-then-refused.jsonl
- stories/2d-hand-over-harness-call-never-answered.jsonl
- agui/01-server-tool-never-answered.jsonl (mastra-ai/mastra#4466, #4978)
- rules/c02-unanswered-call.jsonl

## Repair
Stream and transcript: the result a host captured if there is one, else `TOOL_NOT_EXECUTED`, right where
it is due.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import (
    BACKGROUND,
    CLIENT,
    HARNESS,
    PERSON,
    RUN_FINISHED,
    UNANSWERED,
    UNKNOWN,
    WAITING,
    Call,
    Run,
    Thread,
)  # fmt: skip
from . import finding as f

CODE, NAME, SEVERITY = "C02", "unanswered-call", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "rest"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)
REPAIR = (
    "Answered in stream and transcript: with the captured result if a host recorded one, "
    "else as TOOL_NOT_EXECUTED."
)
NEIGHBOURS = 4
"""How far siblings are looked for, in calls before and after."""


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.state != UNANSWERED and (call.state != WAITING or call.owner != UNKNOWN):
        return ()
    if call.plane != "stream" or call.answered or not call.run:
        return ()
    run = thread.runs[call.run - 1]
    if call.state == UNANSWERED:
        return () if call.owner in (CLIENT, PERSON, BACKGROUND) else (_unanswered(thread, call, run),)
    return (_perhaps(call, run),) if run.state == RUN_FINISHED and call.waits_behind is None else ()


def _unanswered(thread: Thread, call: Call, run: Run) -> f.Finding:
    sentence, culprit = _signature(thread, call)
    owed = (
        "Nothing says who owed it."
        if call.owner == UNKNOWN
        else f"The {call.owner} owed it: {call.owner_reason}."
    )
    message = f"{f.named(call)} was never answered: {call.reason or 'the run ended'}. {owed} {sentence}"
    return f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        message.rstrip(),
        seqs=(call.start_seq, call.end_seq, call.followed_seq, call.closed_seq, run.end_seq),
        culprit=culprit,
        repair=REPAIR,
    )


def _perhaps(call: Call, run: Run) -> f.Finding:
    message = (
        f"{f.named(call)} has no answer and run {f.run_subject(run)} has finished. Nothing says who owes it: "
        "the browser may still answer, or nobody will."
    )
    return f.of_call(
        (CODE, NAME),
        call,
        f.WARNING,
        message,
        seqs=(call.start_seq, call.end_seq, run.end_seq),
        culprit=(f.UNKNOWN, call.owner_reason),
        repair="Say in the channel's settings who runs the tool: it is then answered, or left waiting.",
    )


def _signature(thread: Thread, call: Call) -> tuple[str, tuple[str, str]]:
    """How it was lost, as far as the evidence goes: a sentence, and (culprit, reason)."""
    for phase, at in call.evidence:
        if phase == "error":
            told = f"The tool failed{_took(call, at)}; the adapter swallowed its error."
            return told, (f.ADAPTER, "the host recorded the tool's error")
        if phase == "result":
            told = f"The tool answered{_took(call, at)}; the adapter lost it."
            return told, (f.ADAPTER, "the host recorded the tool's result")
    if call.owner == HARNESS:
        return "", (f.HARNESS, call.owner_reason)
    others = [other for other in _siblings(thread, call) if other.owner in (CLIENT, PERSON)]
    if others:
        names = f.listed(f.named(other) for other in others)
        why = f"it was batched with {names}, which the {others[0].owner} answers"
        told = f"It was batched with {names}, which the {others[0].owner} answers: its result was dropped."
        return told, (f.ADAPTER, why)
    if call.evidence:
        return "The host saw the tool start and no result.", (
            f.SERVER_TOOL,
            "the host saw it start, and no more",
        )
    return "", (f.UNKNOWN, call.owner_reason) if call.owner == UNKNOWN else (f.SERVER_TOOL, call.owner_reason)


def _took(call: Call, answered: int) -> str:
    """How long the tool took, by the host's own clock where it said when the tool started."""
    started = next((at for phase, at in call.evidence if phase == "start"), 0)
    if started and answered >= started:
        return f" in {f.seconds(answered - started)}"
    if call.end_at and answered >= call.end_at:
        return f" {f.seconds(answered - call.end_at)} after its arguments ended"
    return ""


def _siblings(thread: Thread, call: Call) -> list[Call]:
    """Calls near it that the same message holds (or the same run, where no message is named)."""
    near = thread.calls[max(0, call.number - 1 - NEIGHBOURS) : call.number + NEIGHBOURS]
    return [one for one in near if one is not call and one.run == call.run and one.parent == call.parent]
