"""C13 vanished-tool: the model called a tool that is no longer there.

## What it sees
A call to a tool that an earlier run of the thread offered and this run's list lacks, which did not succeed;
or a call answered `server_unavailable` or `auth_required`. An info when the tool is there but its
definition changed since it was offered first.

## Why it matters
Without a schema the model writes the arguments from memory; they often do not parse, nothing runs, and the
turn ends without a word. The cause is a server that went away, not the model.

## Seen in
- stories/3a-vanished-tool-silent-stop.jsonl
- stories/3b-answered-in-snapshot-only-and-reported-pending.jsonl
- rules/c13-vanished-tool.jsonl

## Repair
None for the tool. Its unanswered call is answered like any other; keep a loaded tool's definition in the
thread so that the list never shrinks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..thread import FAILED, OK, Call, Run, Thread
from . import finding as f
from .c11_unparsable_arguments import bad

CODE, NAME, SEVERITY = "C13", "vanished-tool", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY: tuple[str, ...] = ()

GONE = re.compile(
    r"""\A\s*(?:\{[^{}]*"(?:error|code|status|type|reason)"\s*:\s*")?(server_unavailable|auth_required)\b"""
)
"""What a middleware answers for a tool whose server is gone: the first word, or a field of the object."""


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if call.plane != "stream" or not call.run:
        return ()
    run = thread.runs[call.run - 1]
    if run.vanished and call.name in run.vanished:
        if call.state != OK and (run.end_seq or call.state == FAILED or bad(call)):
            return (_vanished(thread, call, run),)
    elif run.changed_tools and call.name in run.changed_tools:
        return (_changed(thread, call, run),)
    for answer in call.answers:
        gone = GONE.match(answer.excerpt)
        if gone is not None:
            return (_unavailable(call, gone.group(1), answer.seq),)
    return ()


def _vanished(thread: Thread, call: Call, run: Run) -> f.Finding:
    offered = thread.tools_seen.get(call.name)
    before = f"run {f.run_subject(thread.runs[offered[1] - 1])}" if offered else "an earlier run"
    return f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        f"The model called {f.named(call)} from its memory of the thread: {before} offered it, run "
        f"{f.run_subject(run)} does not, and nobody is there to run it.",
        seqs=(run.input_seq, call.start_seq, call.end_seq),
        culprit=(f.PRODUCER, "the list of tools was rebuilt without it"),
        repair="None for the tool: keep a loaded tool's definition in the thread. Its call is answered.",
    )


def _changed(thread: Thread, call: Call, run: Run) -> f.Finding:
    return f.of_call(
        (CODE, NAME),
        call,
        f.INFO,
        f"{f.named(call)} was called in run {f.run_subject(run)}, where it is defined otherwise than before.",
        seqs=(run.input_seq, call.start_seq),
        culprit=(f.PRODUCER, "the definition of the tool changed inside the thread"),
        repair="Nothing to mend: the first definition should win for the length of a thread.",
    )


def _unavailable(call: Call, word: str, seq: int) -> f.Finding:
    why = "its server is gone" if word == "server_unavailable" else "its server wants a new sign-in"
    return f.of_call(
        (CODE, NAME),
        call,
        SEVERITY,
        f"{f.named(call)} could not run: it was answered {word}, {why}.",
        seqs=(call.start_seq, call.end_seq, seq),
        culprit=(f.SERVER_TOOL, why),
        repair="Nothing to mend in the conversation: bring the tool's server back.",
    )
