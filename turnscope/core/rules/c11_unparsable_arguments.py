"""C11 unparsable-arguments: the arguments are complete, and not one JSON object.

## What it sees
Arguments that were cut, are two documents glued together, are no object or no JSON, or that got a stray
fragment after their END. A warning where the call was answered with an error: the runtime saw it too.
Arguments of an open or aborted call are not complete; empty argument text is `{}`.

## Why it matters
Handlers get `{}` instead, or nothing runs at all: frameworks set the call aside as invalid, and with no
valid call the turn just ends. A model API that reads arguments refuses the history from then on.

## Seen in
- stories/3a-vanished-tool-silent-stop.jsonl
- agui/08-args-after-end.jsonl (pydantic/pydantic-ai#4733)
- rules/c11-unparsable-arguments.jsonl

## Repair
Stream: a stray fragment after END is dropped. History: what each target asks for, told as a change.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import wording
from ..thread import ABORTED, FAILED, Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C11", "unparsable-arguments", f.ERROR
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM, f.TRANSCRIPT)

NEIGHBOURS = 4
"""How far a sibling is looked for, in calls before and after."""
WORDS = {
    "cut": "were cut off",
    "two documents": "are two documents glued together",
    "not an object": "are not an object",
    "not JSON": "are not JSON",
    "fragment after the end": "got another fragment after their END",
}


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not bad(call):
        return ()
    detail = f" ({f.shown(call.args_detail, 100)})" if call.args_detail else ""
    if call.args_verdict == "fragment after the end":
        culprit = (f.ADAPTER, "it sent arguments for a call it had ended")
    else:
        culprit = (f.MODEL, "it wrote them; a producer that stops early can cut them too")
    return (
        f.of_call(
            (CODE, NAME),
            call,
            f.WARNING if _answered_so(call) else SEVERITY,
            f"The arguments of {f.named(call)} {WORDS[call.args_verdict]}{detail}.{_swallowed(thread, call)}",
            seqs=(call.start_seq, call.end_seq, *call.late_args[:4]),
            culprit=culprit,
            repair="A fragment after END is dropped; in the history they become what the target takes.",
        ),
    )


def _answered_so(call: Call) -> bool:
    """Whether the runtime answered with an error, by a flag or in words."""
    return call.state == FAILED or any(wording.error(one.excerpt) for one in call.answers if not one.late)


def _swallowed(thread: Thread, call: Call) -> str:
    """The sibling whose arguments may be the second document: one of its step that has none of its own."""
    if call.args_verdict != "two documents":
        return ""
    near = thread.calls[max(0, call.number - 1 - NEIGHBOURS) : call.number + NEIGHBOURS]
    bare = [
        one
        for one in near
        if one.run == call.run and one.parent == call.parent and one.args_verdict == "empty" and one.end_seq
    ]
    names = f.listed(f"{f.named(one)} ({f.shown(one.id)})" for one in bare)
    return f" What follows may be that of {names}, which came without any." if bare else ""


def bad(call: Call) -> bool:
    """Whether the arguments are complete and wrong."""
    return call.args_verdict in WORDS and call.end_seq > 0 and call.state != ABORTED
