"""Part of the fold: turns, how one opens and which one a run belongs to. Called by it alone."""

from __future__ import annotations

from .events import Event, Json, RunInput
from .thread import EXCERPT, Thread, Turn


def open_turn(thread: Thread, event: Event, title: str, message: str | None, *, inferred: bool) -> Turn:
    turn = Turn(len(thread.turns) + 1, title, message, inferred, event.seq, event.at)
    turn.last_seq = turn.changed = event.seq
    turn.last_at = event.at
    thread.turns.append(turn)
    return turn


def turn_for(thread: Thread, event: Event, input_: RunInput | None) -> int:
    """The number of the turn a run with this input belongs to; 0: one must be assumed."""
    if input_ is None:
        return 0
    fresh = [m for m in input_.messages if m.role == "user" and (m.id or m.digest) not in thread.users]
    resumes = any(entry.interrupt in thread.interrupts for entry in input_.resume)
    if fresh and not (resumes and thread.turns):
        last = fresh[-1]
        number = open_turn(thread, event, title_of(last.content), last.id, inferred=False).number
    elif thread.turns:
        number = thread.turns[-1].number
    else:
        number = 0
    for message in fresh:
        thread.users[message.id or message.digest] = number
    return number


def title_of(content: Json) -> str:
    """The beginning of what a user said, on one line."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = " ".join(text for text in texts if isinstance(text, str))
    return " ".join(content[: EXCERPT * 4].split())[:EXCERPT] if isinstance(content, str) else ""
