"""T01 refused-by: the history, as it would be sent now, is refused by the API it goes to.

## What it sees
Asked whenever no run is open, for one target: the one the channel's settings name, else the one in whose own
words a run was refused (once another run has come: until then R05 says so), else the recording's own shape. A
stream that does not say where it goes is not judged. It sees a call without a result where that target looks
for one, a result that comes too late or twice or answers nothing, arguments it cannot read, an id it does not
take, a message without a word: in the last full history and what was streamed since. A result without its
call is none where the history refers to an earlier response. Other targets are a table on the export page. A
call that something may still answer is no refusal. While a run is open it does not stand: what that run was
sent is T02.

## Why it matters
The conversation looks fine, and the next message to it fails. Mostly this is the effect of something else in
this list, which is then its cause; where it stands alone, only this target refuses what others take.

## Seen in
- rules/t01-refused-by.jsonl
- rules/t01-refused-by-empty-text.jsonl

## Repair
History: the repair for this very target, on the export page or by `turnscope repair`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..repair.targets import Target
from ..thread import Thread
from . import finding as f
from . import refusals as r

CODE, NAME, SEVERITY = "T01", "refused-by", f.ERROR
SUBJECT, ASKED = "thread", "rested"
REPAIRED_BY = (f.TRANSCRIPT,)
LOOKED_AT = 8


def check(thread: Thread, subject: Thread, now: int) -> Iterable[f.Finding]:
    refusals = thread.refusals
    if refusals is None or not refusals.name or refusals.said:
        return ()
    if not refusals.of:
        return _loose(thread, refusals)
    calls = [thread.calls[number - 1] for number in islice(refusals.of, LOOKED_AT)]
    first: r.Refusal = refusals.of[calls[0].number][0]
    target = refusals.target
    told = (
        f"{target.title} refuses the history as it would be sent now: {first.what} "
        f"({r.place(thread, calls[0])}), and {target.rule(first.rule).says}."
    )
    more = len(refusals.of) - 1
    if more:
        told += f" {f.many(more, 'more call is', 'more calls are')} refused."
    found = r.of_thread((CODE, NAME), thread, calls, told, _repair(target))
    found.count = len(refusals.of)
    return (found,)


def _loose(thread: Thread, refusals: r.Refusals) -> Iterable[f.Finding]:
    """What is refused where no call of the thread is."""
    target = refusals.target
    found = r.loose(thread, target)
    if not found:
        return ()
    what, where, rule = found[0]
    told = (
        f"{target.title} refuses the history as it would be sent now: {what} ({where}), "
        f"and {target.rule(rule).says}."
    )
    if len(found) > 1:
        told += f" {f.many(len(found) - 1, 'more message is', 'more messages are')} refused."
    one = r.of_thread((CODE, NAME), thread, [], told, _repair(target))
    one.count = len(found)
    return (one,)


def _repair(target: Target) -> str:
    return f"Repaired for {target.title}: the export page, or `turnscope repair --target {target.name}`."
