"""Passes for targets that read turns: neighbours of one role are one turn, the user's comes first,
roles follow one another as they may, and the first call of a turn is signed."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    DEVELOPER,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Message,
    Part,
)
from turnscope.core.repair.work import Work, named

FILLER = "."
"""What a turn that has to be there says: as little as a model takes for a text."""


def results_stand_alone(work: Work) -> None:
    """What stands behind results in their message is a message of its own, where results are a turn."""
    turns = work.target.alternate.value and work.shape.CONTAINER != "shared"
    if not (turns and work.target.results_first.value):
        return
    out: list[Message] = []
    for message in work.messages:
        out.append(message)
        behind = next((n for n, part in enumerate(message.parts) if part.kind != RESULT), 0)
        if message.role != USER or not behind:
            continue
        rest = Message(USER, message.parts[behind:], src=message.src, seqs=message.seqs)
        message.role, message.parts, message.changed = TOOL, message.parts[:behind], True
        out.append(rest)
        reason = "what stood behind results has a turn of its own"
        work.record(
            "results_not_first", "split", reason, rule="results_first", parts=rest.parts, made=[message, rest]
        )
    work.messages = out


def neighbours_are_one_turn(work: Work) -> None:
    """No message follows another of its role: told before anything is paired, since a turn is one group.

    Results that share the user's turn stay where they are until then: behind words they may be late.
    """
    _merge_turns(work, paired=False)


def _merge_turns(work: Work, *, paired: bool) -> None:
    if not work.target.alternate.value:
        return
    out: list[Message] = []
    left_open = {id(p.message) for p in work.pairs if not (p.results or p.kept or work.is_doomed(p.call))}
    for message in work.messages:
        if out and id(out[-1]) in left_open and message.role == ASSISTANT:
            out.append(_apart(work, message))
        late = not paired and message.role == USER and bool(message.of(RESULT))
        if out and one_turn(out[-1], message, work.shape) and not (late and not out[-1].only_results):
            _merge(work, out[-1], message)
        else:
            out.append(message)
    work.messages = out


def _apart(work: Work, message: Message) -> Message:
    """What stands between a turn whose calls are left open and the next: as one they might be made twice."""
    filler = Message(USER, [Part(TEXT, None, text=FILLER)])
    reason = "the turn before has calls that nobody answered, so it is not one with this"
    src = ((message.src, 0),) if message.src >= 0 else ()
    work.record("consecutive_role", "filler_added", reason, rule="alternate", made=[filler], src=src)
    return filler


def turns_alternate(work: Work) -> None:
    """No message follows another of its role, now that everything has its place; the first is the user's."""
    _merge_turns(work, paired=True)
    if not work.target.first_user.value or not work.messages or work.messages[0].role != ASSISTANT:
        return
    filler = Message(USER, [Part(TEXT, None, text=FILLER)])
    work.messages.insert(0, filler)
    reason = "the history began with the assistant, so a turn of the user's stands before it"
    work.record("first_not_user", "filler_added", reason, rule="first_user", made=[filler])


def system_comes_first(work: Work) -> None:
    """System texts stand before all others, in one message, where the target reads them nowhere else."""
    if not work.target.system_first.value:
        return
    told = [message for message in work.messages if message.role in (SYSTEM, DEVELOPER)]
    if not told or work.messages[: len(told)] == told[:1]:
        return
    first, *rest = told
    if work.messages[0] is not first:
        reason = "a system message stood behind others and comes first"
        _record_system(work, first, first, "relocated", reason)
    for message in rest:
        first.parts = [*first.parts, *message.parts]
        first.changed = True
        _record_system(work, first, message, "merged", "a second system message is part of the first")
    work.messages = [first, *(message for message in work.messages if message not in told)]


def _record_system(work: Work, first: Message, message: Message, action: str, reason: str) -> None:
    src = ((message.src, 0),)
    work.record(
        "system_not_first", action, reason, rule="system_first", src=src, made=[first], review=True,
        seqs=message.seqs,
    )  # fmt: skip


def roles_are_known(work: Work) -> None:
    """No message has a role the target does not know: the developer's is the system's there."""
    for message in work.messages if not work.target.developer.value else ():
        if message.role == DEVELOPER and isinstance(message.raw, dict):
            message.role, message.raw, message.changed = SYSTEM, {**message.raw, "role": SYSTEM}, True
            reason = "a developer message is written as the system's"
            work.record(
                "unknown_role",
                "relabelled",
                reason,
                rule="developer",
                made=[message],
                src=((message.src, 0),),
            )


def roles_may_follow(work: Work) -> None:
    """No role follows another that it may not follow: as little as possible is said between them."""
    for at, between in reversed(list(apart(work.target.bridges.value, work.messages))):
        before, message = work.messages[at - 1], work.messages[at]
        fillers = [Message(role, [Part(TEXT, None, text=FILLER)]) for role in between]
        work.messages[at:at] = fillers
        work.record(
            "user_after_tool" if (before.role, message.role) == (TOOL, USER) else "role_order",
            "filler_added",
            f"a message of role {message.role} came behind one of {before.role}: a filler stands between",
            rule="bridges",
            made=fillers,
            src=((message.src, 0),) if message.src >= 0 else (),
        )


def apart(
    bridges: tuple[tuple[str, str, tuple[str, ...]], ...], messages: list[Message]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where a message may not follow the one before it, and the roles of what is put between."""
    between = {(before, behind): roles for before, behind, roles in bridges}
    for at in range(1, len(messages) if bridges else 0):
        roles = between.get((messages[at - 1].role, messages[at].role))
        if roles:
            yield at, roles


def one_turn(before: Message, message: Message, shape: ModuleType) -> bool:
    """Whether two neighbours are one turn: results stand in a turn of their own, or share the user's."""
    if before.role != message.role or before.role not in (USER, ASSISTANT, TOOL):
        return False
    return shape.CONTAINER == "shared" or before.role != USER or not (before.of(RESULT) or message.of(RESULT))


def _merge(work: Work, before: Message, message: Message) -> None:
    work.record(
        "consecutive_role",
        "merged",
        "two neighbours of one role are one turn",
        rule="alternate",
        src=tuple((one.src, 0) for one in (before, message) if one.src >= 0),
        made=[before],
        seqs=(*before.seqs, *message.seqs),
    )
    before.parts = [*before.parts, *message.parts]
    before.seqs = (*before.seqs, *message.seqs)
    before.changed = True


def first_calls_are_signed(work: Work) -> None:
    """Since the user last spoke, the first call of every turn is signed, if these calls are signed at all."""
    if work.target.reasoning.value != "first_call_signature":
        return
    calls = [part for message in work.messages for part in message.of(CALL)]
    if not any(part.signed or part.raw is None for part in calls):
        return
    for message, part in unsigned(work.messages):
        work.shape.sign(part)
        message.changed = True
        work.record(
            "signature_missing",
            "filler_added",
            f"{named(part)} had no signature and carries the stand-in",
            rule="reasoning",
            parts=[part],
            made=[part],
            call=part.id,
            review=True,
        )


def unsigned(messages: list[Message]) -> list[tuple[Message, Part]]:
    """The first calls without a signature, of the turns since the user last spoke."""
    found: list[tuple[Message, Part]] = []
    for message in reversed(messages):
        if message.role == USER and message.parts:
            break
        calls = message.of(CALL) if message.role == ASSISTANT else []
        if calls and not calls[0].signed:
            found.insert(0, (message, calls[0]))
    return found


def carries_a_signature(work: Work, message: Message, call: Part) -> bool:
    """Whether a call must stay because the signature of its turn is on it, and other calls of it stay."""
    if work.target.reasoning.value != "first_call_signature" or not call.signed:
        return False
    calls = [part for part in message.of(CALL) if not work.is_doomed(part)]
    answered = {id(pair.call) for pair in work.pairs if pair.results or pair.kept}
    return calls[:1] == [call] and any(id(part) in answered for part in calls[1:])
