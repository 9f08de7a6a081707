"""Part of the fold: tool-call markup in a text, as models write it when their server does not parse it.

A text is not kept: from a `<` on, its end is, until it is clear that no markup begins there; behind markup,
as much as a name needs. Markup in code (behind a backtick, in a fence) is somebody's example, and none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .events import TextDelta
from .thread import Leak, Run

MARKS = (
    "<tool_call", "<tool_use", "<function_call", "<function=", "<invoke name=", "<|tool_call", "<|tool▁call",
    "<｜tool▁call", "<|python_tag|>", "<|assistant|>tool", "<invoke",
)  # fmt: skip
"""How such markup begins, by the formats of open models and of agents' prompts."""
_LONGEST = max(map(len, MARKS))
ROOM = 400
"""How many characters behind markup are looked at for a name."""
MOST = 8
"""How many leaks of one run are kept."""
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,80})"|\bname="([^"]{1,80})"|<function=([\w.-]{1,80})[>\s({]|'
                   r'<\|tool▁sep\|>([\w.-]{1,80})\s')  # fmt: skip


@dataclass(slots=True)
class Watch:
    """A text in which markup may have begun."""

    id: str
    tail: str
    seq: int
    marked: bool = False


def watch(run: Run, event: TextDelta) -> None:
    """One more piece of a text of which the last pieces may begin markup."""
    known = run.watch
    if known is None or known.id != event.id:
        known = run.watch = Watch(event.id, "", event.seq)
    known.tail += event.delta
    if not known.marked:
        at = min((found for mark in MARKS if (found := known.tail.find(mark)) >= 0), default=-1)
        if at < 0:
            known.tail = known.tail[-(_LONGEST + ROOM // 8) :]
            if "<" not in known.tail[-_LONGEST:]:
                run.watch = None
            return
        if "`" in known.tail[:at]:
            run.watch = None
            return
        known.marked, known.tail, known.seq = True, known.tail[at:], event.seq
    name = _NAME.search(known.tail)
    if name is not None:
        if len(run.leaks) < MOST:
            run.leaks.append(Leak(next(filter(None, name.groups())), known.id, known.seq))
        run.watch = None
    elif len(known.tail) > ROOM:
        run.watch = None
