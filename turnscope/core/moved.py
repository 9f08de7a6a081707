"""Part of the fold: what only a history tells of a run: texts under another id, calls nobody streamed.

A text is told again under another id if the snapshot lacks the streamed message and has one nobody knows with
the same beginning and length; that is known for texts that streamed alone. A call was made in the run and not
streamed if it stands behind the last message of the run's own input: what stands before it may be old.
"""

from __future__ import annotations

from itertools import islice

from .events import HistoryMessage
from .thread import RUN_FINISHED, RUN_INTERRUPTED, Message, Run, Thread
from .walk import Walk

HEAD = 80
"""Characters of a text's beginning that are kept."""
SHORTEST = 16
"""Characters of a text that is worth comparing: shorter ones may be equal by chance."""
LATEST = 100
"""How many streamed texts of a run are looked for, the last ones, and how many calls are noted."""


def began(run: Run, id_: str) -> None:
    """A text opened: alone, or beside others, and then its length cannot be told from theirs."""
    run.alone = (id_, run.text_length) if len(run.open_texts) == 1 else None


def first(thread: Thread, run: Run, id_: str, delta: str) -> None:
    """The first piece of a text came."""
    if run.alone is not None and run.alone[0] == id_ and id_ in thread.messages:
        thread.messages[id_].head = delta[:HEAD]


def ended(thread: Thread, run: Run, message: Message) -> None:
    """A text closed: how long it is, if it streamed alone; whether it said anything."""
    _silent(thread, run, message)
    if run.alone is not None and run.alone[0] == message.id and not message.length:
        message.length = run.text_length - run.alone[1]
        if message.role == "assistant" and message.length >= SHORTEST:
            run.texts[message.id] = None
    run.alone = None


def _silent(thread: Thread, run: Run, message: Message) -> None:
    nothing = run.alone == (message.id, run.text_length)
    if message.role != "assistant" or message.length or not nothing:
        thread.silent.pop(message.id, None)  # it may have gone on
    elif len(thread.silent) < LATEST and not any(
        call.parent == message.id for call in thread.calls[-LATEST:]
    ):
        thread.silent[message.id] = message.end_seq


def texts(thread: Thread, run: Run, messages: tuple[HistoryMessage, ...], seq: int) -> None:
    """Note the first streamed text that this snapshot tells under another id. Before it is remembered."""
    if run.moved_text is not None or not run.texts:
        return
    unknown = [
        message
        for message in messages
        if message.role == "assistant"
        and isinstance(message.content, str)
        and message.id not in thread.known
        and message.id not in thread.messages
    ]
    if not unknown:
        return
    ids = {message.id for message in messages}
    for id_ in islice(reversed(run.texts), LATEST):
        told = thread.messages[id_]
        if id_ in ids or not told.head:
            continue
        for message in unknown:
            if len(message.content) == told.length and message.content.startswith(told.head):
                run.moved_text = (id_, message.id or "", seq)
                return


def told_later(thread: Thread, run: Run, found: Walk, messages: tuple[HistoryMessage, ...], new: int) -> None:
    """Note the calls that this run's input tells of the run before it. `new`: the first that nobody knew.

    They stand before the last message that it streamed: what comes later somebody else may have said.
    """
    before = thread.runs[run.number - 2] if run.number > 1 else None
    if (
        before is None
        or before.inferred
        or not before.has_input
        or run.delta_input
        or new > len(thread.calls)
    ):
        return
    if before.state not in (RUN_FINISHED, RUN_INTERRUPTED):
        return
    streamed = (
        index
        for index, message in enumerate(messages)
        if message.id in thread.messages and thread.messages[message.id].run == before.number
    )
    last = max(streamed, default=-1)
    numbers = {
        call.id: call.number
        for call in thread.calls[new - 1 :]
        if call.plane == "history" and found.groups.get(call.id, last + 1) <= last
    }
    known = len(before.unstreamed)
    calls(before, found, messages, numbers)
    run.untold, before.unstreamed[known:] = before.unstreamed[known:], ()


def calls(run: Run, found: Walk, messages: tuple[HistoryMessage, ...], new: dict[str, int]) -> None:
    """Note the calls of this history that the run itself made. `new`: call id -> number, of those that
    nobody knew before it."""
    if not new or run.input_last is None or run.delta_input or len(run.unstreamed) >= LATEST:
        return
    anchor = next((index for index, message in enumerate(messages) if message.id == run.input_last), None)
    if anchor is None:
        return
    for id_, number in new.items():
        if found.groups[id_] > anchor and len(run.unstreamed) < LATEST:
            run.unstreamed.append(number)
