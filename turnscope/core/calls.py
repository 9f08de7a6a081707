"""Part of the fold: one call's life in the stream. Called by `fold.py` alone."""

from __future__ import annotations

from . import answers, hidden, mismatch, risks, runs, tools
from .arguments import verdict
from .events import CallArgs, CallEnd, CallResult, CallStart, Event, Evidence, Json
from .thread import (
    CLIENT,
    EXCERPT,
    FAILED,
    OK,
    ORPHAN,
    PROVIDER,
    SERVER,
    UNKNOWN,
    Again,
    Answer,
    Call,
    Message,
    Ref,
    Run,
    Thread,
)  # fmt: skip

ANSWERS = 8
"""How many results of one call are kept; a producer that sends more repeats itself."""
TAIL_PARTS = 40
NEIGHBOURS = 16
"""How far back a call is looked for that another one may be the echo of, in calls."""


def new_call(thread: Thread, event: Event, id_: str, name: str, run: int, turn: int) -> Call:
    numbers = thread.by_id.setdefault(id_, [])
    call = Call(len(thread.calls) + 1, id_, len(numbers) + 1, name, turn, run)
    thread.calls.append(call)
    numbers.append(call.number)
    call.changed = event.seq
    call.refs = (call.ref, *(thread.runs[run - 1].refs if run else (("turn", turn),)))
    if turn:
        thread.turns[turn - 1].calls.append(call.number)
    return call


def open_(thread: Thread, call: Call, run: Run | None) -> None:
    """Put the call among those that may still be answered."""
    thread.open_calls[call.number] = None
    if run is not None:
        run.open_calls[call.number] = None


def shut(thread: Thread, call: Call) -> None:
    thread.open_calls.pop(call.number, None)
    if call.run:
        thread.runs[call.run - 1].open_calls.pop(call.number, None)


# ---------------------------------------------------------------- START


def _move(thread: Thread, call: Call, turn: int, event: Event) -> tuple[Ref, ...]:
    """Put the call into the turn that its START shows; the turn it leaves, if it is another."""
    if call.turn == turn:
        return ()
    before, call.turn = call.turn, turn
    thread.turns[turn - 1].calls.append(call.number)
    if not before:
        return ()
    left = thread.turns[before - 1]
    left.calls.remove(call.number)
    left.changed = event.seq
    return (left.ref,)


def start(thread: Thread, event: CallStart) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    known, moved = thread.latest(event.id), tuple[Ref, ...]()
    if event.expanded and not event.name:
        runs.trouble(thread, run, "nameless-chunk", event.id, event)
    if known is not None and known.state == ORPHAN and not known.start_seq:
        call = known  # its result came first
        moved = _move(thread, call, run.turn, event)
        call.name, call.run = event.name, run.number
        call.refs = (call.ref, *run.refs)
    elif known is None or known.answered:
        call = new_call(thread, event, event.id, event.name, run.number, run.turn)
    elif known.plane == "history" and known.name == event.name:
        call = known  # a history spoke of it before the stream did
        moved = _move(thread, call, run.turn, event)
        call.plane, call.run, call.closed_seq, call.closed_at = "stream", run.number, 0, 0
        call.refs = (call.ref, *run.refs)
    elif known.end_seq == 0 and known.open:
        known.restarts.append((event.seq, "open"))
        known.changed = event.seq
        return (known.ref, *run.refs)
    elif known.name == event.name:
        known.again = Again(event.seq, event.at, run.number)
        known.changed = event.seq
        return (known.ref, *run.refs)
    else:
        known.restarts.append((event.seq, "other"))
        known.changed = event.seq
        call = new_call(thread, event, event.id, event.name, run.number, run.turn)
    begin(thread, run, call, event, event.at)
    call.parent, call.agent = event.parent, event.agent
    if not event.id:
        mismatch.note(call, event, "empty", "")
    _parent(thread, run, call, event)
    _first_owner(thread, run, call, provider=event.provider)
    refs = (known.ref,) if known is not None and known is not call else ()
    return (*call.refs, *refs, *moved)


def begin(thread: Thread, run: Run, call: Call, event: Event, at: int) -> None:
    call.start_seq, call.start_at, call.changed = event.seq, at, event.seq
    if getattr(event, "agent", None) is None and (run.open_texts or risks.streaming(thread, run)):
        risks.note(thread, run, "call in a text" if run.open_texts else "calls at once", event)
    call.args = []
    if call.state == ORPHAN:
        call.state, call.reason = OK, "its result came before its start"
    else:
        call.state, call.reason = "streaming", "its arguments are arriving"
        open_(thread, call, run)
    run.started += 1
    call.evidence += tuple(thread.evidence.pop(call.id, ()))


def _parent(thread: Thread, run: Run, call: Call, event: CallStart) -> None:
    """The message that holds the call, as the official client's reducer finds or makes it."""
    id_ = event.parent or event.id
    thread.silent.pop(id_, None)
    message = thread.messages.get(id_)
    if message is None:
        if event.parent is not None and run.has_assistant and id_ not in thread.known:
            call.wrong_parent = "unknown"
        thread.messages[id_] = Message(id_, "assistant", run.number, event.seq, event.agent, event.seq)
    elif message.role != "assistant":
        call.wrong_parent = message.role


def _first_owner(thread: Thread, run: Run, call: Call, *, provider: bool) -> None:
    policy = runs.policy_of(thread)
    call.limit, call.limit_source = policy.limit(call.name, call.owner)
    configured = policy.owner(call.name)
    if configured is not None:
        tools.assign(call, configured[0], "configured", configured[1], policy)
    elif provider:
        tools.assign(call, PROVIDER, "declared", "the stream says the provider runs it", policy)
    elif run.tools is not None and call.name in run.tools:
        tools.assign(call, CLIENT, "declared", "the run's input offers it", policy)
    elif call.name in thread.observed:
        owner = thread.observed[call.name]
        tools.assign(call, owner, "observed", tools.EARLIER[owner], policy)


# ---------------------------------------------------------------- ARGS and END


def args(thread: Thread, event: CallArgs) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    numbers = thread.by_id.get(event.id)
    if not numbers:
        runs.trouble(thread, run, "delta-without-start", event.id, event)
        return run.refs
    call = thread.calls[numbers[-1] - 1]
    call.changed = event.seq
    if call.again is not None:
        call.again.parts.append(event.delta)
    elif call.args is not None:
        call.args.append(event.delta)
        call.args_length += len(event.delta)
        call.last_args_seq = event.seq
        if not call.first_args_seq:
            call.first_args_seq = event.seq
    else:
        if len(call.late_args) < ANSWERS:
            call.late_args += (event.seq,)
        thread.unusual = True
        if call.args_verdict in ("object", "empty"):
            call.args_verdict, call.args_detail = "fragment after the end", f"at event {event.seq}"
    return call.refs if call.run == run.number else (*call.refs, *run.refs)


def tail(call: Call) -> str:
    """The end of the arguments as far as they have arrived, for a live card."""
    if call.args is None:
        return call.args_excerpt
    return "".join(call.args[-TAIL_PARTS:])[-EXCERPT:]


def end(thread: Thread, event: CallEnd) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    call = thread.latest(event.id)
    if call is None or call.state == ORPHAN:
        runs.trouble(thread, run, "end-without-start", event.id, event)
        return (*run.refs, *mismatch.meant(thread, event, event.id, "end"))
    call.changed = event.seq
    if call.again is not None:
        return (*_end_again(thread, run, call, event), *run.refs)
    if call.args is None:
        runs.trouble(thread, run, "end-twice" if call.end_seq else "end-without-start", event.id, event)
        return (call.ref, *run.refs)
    text = "".join(call.args)
    finish_args(call, text, event.seq, event.at)
    run.ended += 1
    run.fresh.append(call.number)
    if call.open:
        call.state, call.reason = runs.state_of_open(call)
    return (call.ref, *run.refs, *mismatch.glue(thread, run, call, text, event))


def finish_args(call: Call, text: str, seq: int, at: int) -> None:
    """The arguments are complete: what they are, without keeping them."""
    call.args_verdict, call.args_detail, call.args_digest = verdict(text)
    call.args_length, call.args_excerpt, call.args = len(text), text[:EXCERPT], None
    call.hidden, call.damaged = hidden.in_text(text), hidden.damaged(text)
    call.end_seq, call.end_at = seq, at


def _end_again(thread: Thread, run: Run, call: Call, event: CallEnd) -> tuple[Ref, ...]:
    """What the second announcement was: the same call again, or another one under its id."""
    again, call.again = call.again, None
    if again is None:
        return ()
    text = "".join(again.parts)
    same = not text.strip() or call.args_verdict == "empty" or verdict(text)[2] == call.args_digest
    if same:
        call.restarts.append((again.seq, "same"))
        return (call.ref,)
    call.restarts.append((again.seq, "other"))
    other = new_call(thread, event, call.id, call.name, run.number, run.turn)
    begin(thread, run, other, event, again.at)
    other.start_seq = again.seq
    finish_args(other, text, event.seq, event.at)
    _first_owner(thread, run, other, provider=call.owner == PROVIDER)
    run.ended += 1
    run.fresh.append(other.number)
    other.state, other.reason = runs.state_of_open(other)
    return (call.ref, *other.refs)


# ---------------------------------------------------------------- RESULT


def result(thread: Thread, event: CallResult) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    run.results += 1
    run.last_result_seq = event.seq
    run.has_assistant = False  # what the model says next may be a message of its own
    call, others = thread.latest(event.id), tuple[Ref, ...]()
    if call is None:
        others = mismatch.meant(thread, event, event.id, "result")
        call = new_call(thread, event, event.id, "", run.number, run.turn)
        call.state, call.reason = ORPHAN, "nobody announced this call"
        call.interrupt = thread.interrupted_calls.get(event.id)
        call.closed_seq, call.closed_at = event.seq, event.at
    if call.again is not None:
        call.restarts.append((call.again.seq, "same"))
        call.again = None
    found = answers.answer_of(
        event.content, plane="stream", source="event", event=event, error=event.error is True
    )
    found.message, found.run = event.message, run.number
    found.after_end = bool(call.end_seq) or call.state == ORPHAN
    found.preliminary = event.preliminary
    if not call.answers:
        _echo(thread, call, found)
    add_answer(thread, call, found, event, event.content)
    if event.message:
        thread.messages.setdefault(
            event.message, Message(event.message, "tool", run.number, event.seq, end_seq=event.seq)
        )
    return (*others, *call.refs, *run.refs) if call.run != run.number else (*others, *call.refs)


def add_answer(thread: Thread, call: Call, found: Answer, event: Event, content: Json) -> None:
    """Record a result and what it makes of the call."""
    was_answered = call.answered
    if len(call.answers) < ANSWERS:
        call.answers.append(found)
    call.changed = event.seq
    if found.late or found.preliminary or call.state == ORPHAN:
        return
    if call.args is not None:
        # Answered while its arguments stream: they are judged at END all the same.
        call.reason = "answered before its arguments ended"
    if was_answered and not (call.state == FAILED and not found.error):
        return
    call.state, call.reason = answers.state_after(call, found, content)
    call.closed_seq, call.closed_at = event.seq, event.at
    _observe(thread, call, found)
    shut(thread, call)
    if call.turn and call.args_digest and not was_answered and not call.echo_of:
        repeats, key = thread.turns[call.turn - 1].repeats, (call.name, call.args_digest, found.digest)
        call.repeats = repeats[key] = repeats.get(key, 0) + 1


def _echo(thread: Thread, call: Call, found: Answer) -> None:
    """Whether the call was told before under another id: it began, ended and was answered in one moment, with
    the very arguments and result of a call of its run that took its time."""
    if not call.start_at or call.start_at != found.at or call.args_verdict != "object":
        return
    for other in reversed(thread.calls[max(0, call.number - 1 - NEIGHBOURS) : call.number - 1]):
        if other.run != call.run or other.name != call.name or other.args_digest != call.args_digest:
            continue
        told = other.answers[0] if other.answers and not other.echo_of else None
        if told is not None and told.digest == found.digest and told.at > other.start_at:
            call.plane, call.echo_of = "echo", other.number
            run = thread.runs[call.run - 1]
            run.started, run.ended, run.results = run.started - 1, run.ended - 1, run.results - 1
            return


_BROUGHT = {
    "event": "its result came in the stream",
    "snapshot": "a snapshot brought its result",
    "input": "a later input brought its result",
}


def _observe(thread: Thread, call: Call, found: Answer) -> None:
    """An answer shows who gives it. One that a history tells of a call it alone knows shows nothing."""
    if call.plane == "history":
        return
    owner = SERVER if found.plane == "stream" or found.source == "snapshot" else CLIENT
    if call.owner == UNKNOWN:
        how = _BROUGHT[found.source if found.plane == "history" else "event"]
        tools.assign(call, owner, "observed", how, runs.policy_of(thread))
    if call.name and call.owner_source in ("observed", "inferred", "excluded", "declared"):
        thread.observed.setdefault(call.name, owner)


def follow(thread: Thread, run: Run, event: Event) -> tuple[Ref, ...]:
    """The model went on: calls of the run that ended before were the server's, if nobody says otherwise."""
    fresh, run.fresh = run.fresh, []
    refs: list[Ref] = []
    for number in fresh:
        call = thread.calls[number - 1]
        if call.answered or call.followed_seq:
            continue
        call.followed_seq = call.changed = event.seq
        if (
            tools.assign(call, SERVER, "inferred", "the model went on after it", runs.policy_of(thread))
            and call.open
        ):
            call.state, call.reason = runs.state_of_open(call)
        refs.append(call.ref)
    return tuple(refs)


def evidence(thread: Thread, event: Evidence) -> tuple[Ref, ...]:
    """What a host saw of its tool; kept for the call, known or to come."""
    call = thread.latest(event.call)
    seen = (event.phase, event.when or event.at)
    if call is None:
        kept = thread.evidence.setdefault(event.call, [])
        if len(kept) < ANSWERS:
            kept.append(seen)
        return ()
    if len(call.evidence) < ANSWERS:
        call.evidence += (seen,)
    call.changed = event.seq
    return (call.ref,)
