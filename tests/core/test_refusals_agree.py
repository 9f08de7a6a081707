"""T01 judges from the picture's facts what the validator judges from the messages: both say the same."""

from __future__ import annotations

from collections import Counter

import pytest

from tests import corpora
from turnscope.core.picture import ReadThread, read_file
from turnscope.core.repair import TARGETS, from_events, shapes, validate
from turnscope.core.repair.convert import converted
from turnscope.core.repair.transcript import CALL, copied

TEXTS = {"empty_message", "empty_text", "unknown_role", "consecutive_role", "first_not_user",
         "malformed_content", "name_missing", "role_order"}  # fmt: skip
"""What only the messages show."""


def as_sent(thread: ReadThread, target: str) -> set[str | None]:
    """Ids of the calls that the validator refuses in the unmended history."""
    transcript = from_events(thread.events, thread.picture.thread)
    shape = shapes.by_name(TARGETS[target].shapes[0])
    messages = copied(transcript.messages)
    if shape.NAME != transcript.shape:
        messages, _, _ = converted(messages, shape)
    waiting = {call.id for call in thread.picture.thread.calls if call.open}
    problems = validate(
        target,
        [raw for message in messages for raw in shapes.written(shape, message)],
        transcript.evidence.pending | waiting,
    )
    return {problem.call_id for problem in problems if problem.code not in TEXTS}


def otherwise_built(thread: ReadThread) -> bool:
    """The repair's list is not the client's: it builds two kinds of damage better, and where an input gives
    the message of a streamed call another id it holds both. Or the list is not all: it refers to more."""
    seen = thread.picture.thread
    if seen.held is not None and seen.held.refers_back:
        return True
    transcript = from_events(thread.events, seen)
    made = Counter(part.id for message in transcript.messages for part in message.of(CALL))
    return any(count > len(seen.by_id.get(id_ or "", ())) for id_, count in made.items()) or any(
        call.late_args or any(kind != "same" for _, kind in call.restarts) for call in seen.calls
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_facts_and_the_messages_are_refused_alike(target: str) -> None:
    compared = 0
    for path in corpora.streams():
        data, settings = path.read_bytes(), {**corpora.settings_of(path), "target": target}
        for thread in read_file(data, settings=settings).threads:
            if otherwise_built(thread):
                continue
            seen = thread.picture.thread
            # Of a call that waits, the validator knows only whether it stands at the end.
            waiting = {call.id for call in seen.calls if call.open}
            told = {seen.calls[number - 1].id for number in seen.refusals.of} - waiting
            assert told == as_sent(thread, target) - waiting, corpora.name_of(path)
            compared += 1
    assert compared > 60
