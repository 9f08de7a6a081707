"""C12 unknown-tool: the model called a tool that does not exist.

## What it sees
A call whose result says so, in the words runtimes use: unknown tool, not found, not a valid tool. That is a
warning, since the model was told. Where the run failed with those words and the tool's name, nobody told the
model: an error if a tool of nearly that name is known in the thread, which is then named, else a warning. A
tool that was there before and is gone is C13. A name that no list of the run has proves nothing: hosts add
tools after the point where a stream is seen.

## Why it matters
The model goes on from memory or from a wrong description, and nothing of what it asked for happened.

## Seen in
- rules/c12-unknown-tool.jsonl

## Repair
None: the runtime has answered. The tool's description, or its name, misleads the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from .. import wording
from ..thread import EXCERPT, RUN_FAILED, Call, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C12", "unknown-tool", f.ERROR
SUBJECT, ASKED = "call", "touched"
NEEDS = "answer"
REPAIRED_BY: tuple[str, ...] = ()
_WORD = re.compile(r"[\w.-]{3,}")
LOOKED_AT = 200
"""How many tools of the thread are compared."""


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.answers or not call.name:
        return ()
    answer = next((one for one in call.answers if not one.late and not one.preliminary), None)
    if answer is None or not wording.unknown_tool(answer.excerpt):
        return ()
    near = _near(thread, call.name, answer.excerpt)
    told = f"The runtime knows no tool {f.shown(call.name)}."
    if near:
        told += f" There is {f.shown(near)}."
    return (
        f.of_call(
            (CODE, NAME),
            call,
            f.WARNING,
            told,
            seqs=(call.start_seq, answer.seq),
            culprit=(f.MODEL, "it calls a tool that is not there"),
            repair="None: the runtime has answered the call.",
        ),
    )


def failed(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    """The run failed because of the tool it names."""
    if run.state != RUN_FAILED or not run.open_calls or not wording.unknown_tool(run.error[:EXCERPT]):
        return
    named = set(_words(run.error[:EXCERPT]))
    for number in islice(reversed(run.open_calls), LOOKED_AT):
        call = thread.calls[number - 1]
        if call.name in named:
            near = _near(thread, call.name, run.error[:EXCERPT])
            told = f"The runtime knows no tool {f.shown(call.name)}, and the run failed for it."
            yield f.of_call(
                (CODE, NAME),
                call,
                SEVERITY if near else f.WARNING,
                told + (f" There is {f.shown(near)}." if near else ""),
                seqs=(call.start_seq, run.end_seq),
                culprit=(f.MODEL, "it calls a tool that is not there"),
                repair="None: a runtime that answers such a call lets the model correct itself.",
            )
            return


ALSO = (("run", "ended", failed),)


def _words(told: str) -> list[str]:
    return [word.rstrip(".-") for word in _WORD.findall(told)]


def _near(thread: Thread, name: str, told: str) -> str:
    """The tool of nearly that name that the thread knows, or that the runtime names."""
    known = [*islice(reversed(thread.tools_seen), LOOKED_AT), *_words(told)]
    known += [one.name for one in thread.calls[-LOOKED_AT:] if one.answered]
    return next(iter(get_close_matches(name, [one for one in known if one != name], 1, 0.75)), "")
