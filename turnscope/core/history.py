"""Part of the fold: what inputs and snapshots say of calls and results. Called by `fold.py` alone.

Each history is walked once (`walk.py`), and what it says is put beside what the stream said.
"""

from __future__ import annotations

from hashlib import blake2b

from . import answers, calls, mismatch, moved, runs, tools, turns
from .arguments import verdict
from .events import Event, HistoryMessage, Json, MessagesSnapshot, Resume, RunInput
from .thread import (
    CLIENT,
    HARNESS,
    ORPHAN,
    RUN_FAILED,
    SERVER,
    UNANSWERED,
    UNKNOWN,
    Call,
    Ref,
    Run,
    Thread,
)  # fmt: skip
from .walk import Walk, walk

REFERENCES = ("previous_response_id", "previousResponseId")
REASON, SHORTEST = 60, 6
"""Characters that are kept of a person's reason, and that make one."""

# ---------------------------------------------------------------- a run's input


def take_input(thread: Thread, run: Run, input_: RunInput, event: Event) -> tuple[Ref, ...]:
    """The run's input: tools offered, interrupts resumed, calls answered, late or left dangling."""
    run.has_input, run.input_seq, run.changed = True, event.seq, event.seq
    run.input_messages = len(input_.messages)
    run.input_last = input_.messages[-1].id if input_.messages else None
    run.history_key = _history_key(input_.messages)
    _take_tools(thread, run, input_)
    touched = _resume(thread, run, input_.resume, event)
    run.delta_input = bool(thread.known or thread.messages) and not any(
        m.id in thread.known or m.id in thread.messages for m in input_.messages if m.id
    )
    found, known = walk(input_.messages), len(thread.calls)
    touched |= _answers(thread, found, "input", event, run.number)
    touched |= _carried(thread, run, found, event)
    moved.told_later(thread, run, found, input_.messages, known + 1)
    waits = _excused(thread, run, input_.resume)
    run.input_late = tuple(found.late)
    run.input_dangling = tuple(
        id_
        for id_ in found.open
        if id_ not in found.late and id_ not in waits and not _harness_turn(thread, id_)
    )
    run.input_calls = len(found.groups)
    run.input_answers = len(found.answered) + len(found.late)
    if not run.delta_input:
        thread.held, thread.silent = found.held(event.seq), {}
        thread.held.refers_back = _refers_back(input_.raw)
    touched |= _lost(thread, run, event)
    touched |= _exclude(thread, found, event)
    touched |= _move_on(thread, run, found, waits, event)
    remember(thread, input_.messages)
    return _refs(thread, touched)


def _refers_back(raw: dict[str, Json]) -> bool:
    """Whether the input, its properties or its state name an earlier response."""
    places = (raw, raw.get("forwardedProps"), raw.get("forwarded_props"), raw.get("state"))
    return any(isinstance(place, dict) and place.get(key) for place in places for key in REFERENCES)


def _refs(thread: Thread, touched: set[int]) -> tuple[Ref, ...]:
    """The calls and their runs: an answer takes a call off its run's list."""
    return tuple(ref for number in sorted(touched) for ref in thread.calls[number - 1].refs)


def _history_key(messages: tuple[HistoryMessage, ...]) -> str:
    """The history with the user's messages aside: the same one fails the same way."""
    digest = blake2b(digest_size=8)
    for message in messages:
        if message.role != "user":
            digest.update(message.digest.encode())
    return digest.hexdigest()


def failing_since(thread: Thread, run: Run) -> int:
    """The first of the row of failures on this very history that this run continues; 0: it continues none."""
    before = thread.runs[run.number - 2] if run.number > 1 else None
    if before is None or before.state != RUN_FAILED or not run.has_input:
        return 0
    if before.history_key != run.history_key or not _same_failure(before, run):
        return 0
    return before.failing_since or before.number


def _same_failure(one: Run, other: Run) -> bool:
    """The same words, numbers and request ids aside."""
    return one.error_code == other.error_code and _words(one.error) == _words(other.error)


def _words(error: str) -> list[str]:
    return [word for word in error.split() if not any(char.isdigit() for char in word)]


def _lost(thread: Thread, run: Run, event: Event) -> set[int]:
    """Results that were streamed and that this input lacks, although it carries their calls."""
    touched: set[int] = set()
    for id_ in run.input_dangling:
        call = thread.latest(id_)
        if call is None or call.input_lost_seq or not call.answers:
            continue
        if any(answer.plane == "stream" and not answer.preliminary for answer in call.answers):
            call.input_lost_seq = call.changed = event.seq
            touched.add(call.number)
    return touched


def _take_tools(thread: Thread, run: Run, input_: RunInput) -> None:
    if input_.tools is None:
        return
    names = {tool.name: tool.digest for tool in input_.tools}
    run.tools = tuple(names)
    run.vanished = tuple(name for name in thread.tools_seen if name not in names)
    run.changed_tools = tuple(
        name
        for name, digest in names.items()
        if name in thread.tools_seen and thread.tools_seen[name][0] != digest
    )
    for name, digest in names.items():
        thread.tools_seen[name] = (digest, run.number)


def _resume(thread: Thread, run: Run, resume: tuple[Resume, ...], event: Event) -> set[int]:
    """Interrupts this run resumes: the calls they name are the agent's to answer again."""
    touched: set[int] = set()
    run.resume = tuple(entry.interrupt for entry in resume)
    for entry in resume:
        raised, call_id = thread.interrupts.get(entry.interrupt, (0, None))
        named = thread.latest(call_id) if call_id is not None else None
        if named is not None:
            named.resumed, named.approved = entry.status, _approved(entry)
            if named.approved:
                named.approved_seq = named.approved_seq or event.seq
            else:
                named.refused_seq = named.refused_seq or event.seq
                named.refusal = _said(entry.payload)
            touched.add(named.number)
        behind = thread.runs[raised - 1].open_calls if raised else {}
        for number in sorted({*behind, *([named.number] if named is not None else [])}):
            call = thread.calls[number - 1]
            if number not in thread.open_calls or not (call is named or call.waits_behind == "interrupt"):
                continue
            call.resumed_run, call.changed = run.number, event.seq
            run.resumed.append(number)
            if call is named:
                policy = runs.policy_of(thread)
                offered = run.tools is not None and call.name in run.tools
                owner = CLIENT if offered else SERVER
                word = "given: the agent runs it" if named.approved else "refused: the agent says so"
                why = "the run's input offers it" if offered else f"its approval was {word}"
                tools.assign(call, owner, "declared", why, policy)
                call.state, call.reason = runs.state_of_open(call)
            touched.add(number)
    return touched


def _approved(entry: Resume) -> bool:
    if entry.status == "cancelled":
        return False
    payload = entry.payload
    if isinstance(payload, bool):
        return payload
    if isinstance(payload, dict):
        return payload.get("approved", payload.get("accepted", True)) is not False
    return True


def _said(payload: Json) -> str:
    """The first words in an answer to an interrupt that may be a reason."""
    values = payload.values() if isinstance(payload, dict) else (payload,)
    return next((one[:REASON] for one in values if isinstance(one, str) and len(one) >= SHORTEST), "")


def _excused(thread: Thread, run: Run, resume: tuple[Resume, ...]) -> set[str]:
    """Calls that a resume entry, or the interrupt's own run, is about to answer."""
    ids: set[str] = set()
    for entry in resume:
        raised, call_id = thread.interrupts.get(entry.interrupt, (0, None))
        if call_id is not None:
            ids.add(call_id)
        if raised:
            ids.update(thread.calls[number - 1].id for number in thread.runs[raised - 1].open_calls)
    return ids


def _harness_turn(thread: Thread, call_id: str) -> bool:
    """The harness's own call after a hand-over: this run answers it, so its input cannot."""
    call = thread.latest(call_id)
    return call is not None and call.owner == HARNESS and call.waits_behind == "hand-over" and call.open


# ---------------------------------------------------------------- what a history says of each call


def _answers(thread: Thread, found: Walk, source: str, event: Event, run: int) -> set[int]:
    touched: set[int] = set()
    for late, messages in (
        (False, found.answered.values()),
        (True, found.late.values()),
        (False, found.twice),
        (False, found.unannounced),
    ):
        for message in messages:
            call = thread.latest(message.answers or "")
            if call is None or _told(call, message):
                continue
            answer = answers.answer_of(
                message.content, plane="history", source=source, event=event, error=message.error
            )
            answer.message, answer.run, answer.late = message.id, run, late
            calls.add_answer(thread, call, answer, event, message.content)
            touched.add(call.number)
    return touched


def _told(call: Call, message: HistoryMessage) -> bool:
    """Whether a history already brought this very message for the call."""
    return (
        any(a.plane == "history" and a.message == message.id for a in call.answers)
        or len(call.answers) >= calls.ANSWERS
    )


def _carried(thread: Thread, run: Run | None, found: Walk, event: Event) -> set[int]:
    """Calls the history carries: the known ones are compared, the others become calls of the history's."""
    touched: set[int] = set()
    turn = run.turn if run is not None else (thread.turns[-1].number if thread.turns else 0)
    for message, _ in found.carried:
        if message.id is not None and thread.known.get(message.id) == message.digest:
            continue
        for told in message.calls:
            call = thread.latest(told.id)
            if call is None:
                if isinstance(event, MessagesSnapshot):
                    touched.add(mismatch.reminted(thread, message, told, found.groups, event))
                call = _history_call(thread, told.id, told.name, told.arguments, turn, event)
                _answer_new(thread, call, found, event, run)
                touched.add(call.number)
            digest = verdict(told.arguments)[2]
            if call.history_seq and call.history_digest == digest and (call.name or call.state != ORPHAN):
                continue
            call.history_seq = call.history_seq or event.seq
            call.history_digest, call.changed = digest, event.seq
            if call.end_seq and call.args_digest != digest and not call.args_differ_seq:
                call.args_differ_seq = event.seq
            call.name = call.name or told.name
            touched.add(call.number)
    touched.discard(0)
    return touched


def _history_call(thread: Thread, id_: str, name: str, arguments: str, turn: int, event: Event) -> Call:
    call = calls.new_call(thread, event, id_, name, 0, turn)
    call.plane, call.state, call.reason = "history", UNANSWERED, "only a history knows it, without a result"
    calls.finish_args(call, arguments, event.seq, event.at)
    call.end_seq = call.end_at = 0
    call.closed_seq, call.closed_at = event.seq, event.at
    policy = runs.policy_of(thread)
    configured = policy.owner(name)
    if configured is not None:
        tools.assign(call, configured[0], "configured", configured[1], policy)
    return call


def _answer_new(thread: Thread, call: Call, found: Walk, event: Event, run: Run | None) -> None:
    for late, table in ((False, found.answered), (True, found.late)):
        message = table.get(call.id)
        if message is None:
            continue
        source = "input" if run is not None and run.input_seq == event.seq else "snapshot"
        answer = answers.answer_of(
            message.content, plane="history", source=source, event=event, error=message.error
        )
        answer.message, answer.late = message.id, late
        calls.add_answer(thread, call, answer, event, message.content)


def _exclude(thread: Thread, found: Walk, event: Event) -> set[int]:
    """An input that answers a call's siblings and not it: the caller did not owe it."""
    touched: set[int] = set()
    for id_, group in found.open.items():
        if not found.group_answers.get(group):
            continue
        call = thread.latest(id_)
        if call is None or call.plane != "stream" or call.answered or call.owner == HARNESS:
            continue
        if call.owner != UNKNOWN and call.owner_source == "declared":
            continue
        if tools.assign(
            call, SERVER, "excluded", "the next input answers its siblings and not it", runs.policy_of(thread)
        ):
            call.changed = event.seq
            touched.add(call.number)
    return touched


def _carried_open(thread: Thread, run: Run, found: Walk) -> list[int]:
    """Open calls that this input carries, in start order; none if it is a delta."""
    if run.delta_input:
        return []
    numbers = (number for id_ in found.groups for number in thread.by_id.get(id_, ()))
    return sorted(number for number in numbers if number in thread.open_calls)


def _move_on(thread: Thread, run: Run, found: Walk, waits: set[str], event: Event) -> set[int]:
    """Open calls this run leaves behind: it neither answers nor resumes them."""
    touched: set[int] = set()
    turn = thread.turns[run.turn - 1]
    new_message = turn.start_seq == run.start_seq and not turn.inferred
    resumes = bool(run.resume) and not new_message
    for number in list(thread.open_calls) if new_message else _carried_open(thread, run, found):
        call = thread.calls[number - 1]
        if call.moved_on_seq or call.run == run.number or call.id in waits or _harness_turn(thread, call.id):
            continue
        if resumes and call.waits_behind:
            continue
        source = thread.runs[call.run - 1] if call.run else None
        if source is not None and source.open and source.stream != run.stream:
            continue  # a run of another stream is still on it
        call.moved_on_seq, call.moved_on_run, call.changed = event.seq, run.number, event.seq
        if call.open:
            runs.close_call(thread, call, event, UNANSWERED, "the conversation went on without its answer")
        thread.open_calls.pop(number, None)
        touched.add(number)
    return touched


# ---------------------------------------------------------------- snapshots


def snapshot(thread: Thread, run: Run, event: MessagesSnapshot) -> tuple[Ref, ...]:
    """A MESSAGES_SNAPSHOT: answers credited once, streamed results it lost, calls only it knows."""
    found = walk(event.messages)
    thread.held, thread.silent = found.held(event.seq), {}
    known = len(thread.calls)
    moved.texts(thread, run, event.messages, event.seq)
    touched = _answers(thread, found, "snapshot", event, run.number)
    carried = _carried(thread, run, found, event)
    changed = [thread.calls[number - 1] for number in carried]
    streamed = {id_ for call in changed if call.mismatch == "snapshot" for id_ in call.mismatch_ids}
    new = {call.id: call.number for call in changed if call.number > known and call.id not in streamed}
    moved.calls(run, found, event.messages, new)
    touched |= carried
    for id_ in found.open:
        call = thread.latest(id_)
        if call is None or id_ in found.late or call.snapshot_lost_seq:
            continue
        if any(answer.plane == "stream" and not answer.preliminary for answer in call.answers):
            call.snapshot_lost_seq = call.changed = event.seq
            touched.add(call.number)
    for message in event.messages:
        fresh = message.id not in thread.known and message.id not in thread.messages
        if fresh and message.role == "assistant" and message.content:
            run.activity_seq = event.seq  # adapters that only send snapshots show their text this way
        if message.role == "user":
            thread.users.setdefault(message.id or message.digest, run.turn)
            turn = thread.turns[run.turn - 1]
            if turn.inferred and not turn.title:
                turn.title, turn.message = turns.title_of(message.content), message.id
    remember(thread, event.messages)
    return (*run.refs, *_refs(thread, touched))


def remember(thread: Thread, messages: tuple[HistoryMessage, ...]) -> None:
    for message in messages:
        if message.id is not None:
            thread.known[message.id] = message.digest
            known = thread.messages.get(message.id)
            if known is not None:
                known.digest = message.digest
