"""The fold: laws that hold for any events, in any order, with any repeats."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from soup import streams

from turnscope.core import events as e
from turnscope.core.fold import apply
from turnscope.core.ledger import ledger
from turnscope.core.thread import Thread


def entities(thread: Thread) -> dict[tuple[str, int], str]:
    """Every entity's whole content, by ref."""
    found = {("call", c.number): repr(c) for c in thread.calls}
    found |= {("run", r.number): repr(r) for r in thread.runs}
    found |= {("turn", t.number): repr(t) for t in thread.turns}
    return found | {("frame", o.number): repr(o) for o in thread.oddities.values()}


@settings(max_examples=300, deadline=None)
@given(streams())
def test_apply_never_raises_and_touched_names_exactly_what_changed(stream: list[e.Event]) -> None:
    thread = Thread()
    before = entities(thread)
    for event in stream:
        touched = set(apply(thread, event))
        after = entities(thread)
        changed = {ref for ref, text in after.items() if before.get(ref) != text}
        assert changed <= touched, f"{type(event).__name__} changed {changed - touched} in silence"
        before = after


@settings(max_examples=150, deadline=None)
@given(streams())
def test_folding_a_prefix_and_then_the_rest_equals_folding_the_whole(stream: list[e.Event]) -> None:
    whole = Thread()
    for event in stream:
        apply(whole, event)
    for cut in (len(stream) // 3, len(stream) // 2):
        part = Thread()
        for event in stream[:cut]:
            apply(part, event)
        part = copy.deepcopy(part)
        for event in stream[cut:]:
            apply(part, event)
        part.policy = whole.policy = None
        assert part == whole


@settings(max_examples=150, deadline=None)
@given(streams())
def test_the_ledger_adds_up_whatever_comes(stream: list[e.Event]) -> None:
    thread = Thread()
    for event in stream:
        apply(thread, event)
    book = ledger(thread.calls)
    assert book.started == book.answered + book.open
    assert book.waiting <= book.open
    assert book.failed <= book.answered
