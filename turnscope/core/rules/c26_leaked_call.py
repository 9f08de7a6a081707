"""C26 leaked-call: the model wrote a tool call into its text, and nothing made a call of it.

## What it sees
Tool-call markup with a name in an assistant's text (`<tool_call>`, `<function=`, `<invoke name=` and the
like), where the turn has no call of that name. The name must be a tool's that the thread knows, if it knows
any. Markup in code is an example.

## Why it matters
The server's parser missed it: the tool never ran, and people read markup.

## Seen in
- rules/c26-leaked-call.jsonl

## Repair
None: it is text, and a call is never invented. The model server's tool parser is to be set.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Leak, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C26", "leaked-call", f.WARNING
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY: tuple[str, ...] = ()


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.leaks:
        return ()
    called = {thread.calls[number - 1].name for number in thread.turns[run.turn - 1].calls}
    leaked = [leak for leak in run.leaks if leak.name not in called and _known(thread, leak)]
    if not leaked:
        return ()
    names = f.tally(f.shown(leak.name) for leak in leaked)
    return (
        f.of_run(
            (CODE, NAME),
            run,
            SEVERITY,
            f"Text {f.shown(leaked[0].text)} holds a call of {names} as markup; nothing made a call of it.",
            seqs=(leak.seq for leak in leaked),
            culprit=(f.SERVER_TOOL, "the model server's parser left it in the text"),
            repair="None: a call is never invented. The model server's tool parser is to be set.",
        ),
    )


def _known(thread: Thread, leak: Leak) -> bool:
    """Whether the thread knows a tool of that name, or knows none at all."""
    if leak.name in thread.tools_seen:
        return True
    named = [call.name for call in thread.calls if call.name]
    return leak.name in named or not (named or thread.tools_seen)
