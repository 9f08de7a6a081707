"""Part of the fold: turns and runs, how they open and how they end. Called by `fold.py` alone."""

from __future__ import annotations

from . import tools, turns
from .arguments import UNUSABLE
from .events import Event, Interrupt, Json, Opened, RunFailed, RunFinished, RunInput, RunStarted
from .thread import (
    ABORTED,
    BACKGROUND,
    CLIENT,
    DENIED,
    EXCERPT,
    HARNESS,
    PERSON,
    RUN_CANCELLED,
    RUN_FAILED,
    RUN_FINISHED,
    RUN_INTERRUPTED,
    RUN_OPEN,
    RUN_TRUNCATED,
    RUNNING,
    SERVER,
    STREAMING,
    THREAD,
    UNANSWERED,
    UNKNOWN,
    WAITING,
    Call,
    Ref,
    Run,
    StreamView,
    Thread,
    Trouble,
)  # fmt: skip

WAITERS = (CLIENT, PERSON, BACKGROUND)
"""Owners whose answer comes after the run: a call of theirs is waiting, not unanswered."""
ERROR_LENGTH = 2000
NO_RESULT: tuple[Json, ...] = (None, "", {}, [])
"""What a run that gives its caller nothing has as its result."""


def policy_of(thread: Thread) -> tools.Policy:
    """The compiled settings in force."""
    if thread.policy is None:
        thread.policy = tools.compile_settings(thread.settings)
    policy: tools.Policy = thread.policy
    return policy


def view_of(thread: Thread, event: Event) -> StreamView:
    view = thread.streams.get(event.stream)
    if view is None:
        view = thread.streams[event.stream] = StreamView(event.stream)
    return view


def touch_run(thread: Thread, run: Run, event: Event) -> None:
    """The run heard from its stream."""
    seq, at = event.seq, event.at
    run.last_seq = run.changed = seq
    turn = thread.turns[run.turn - 1]
    turn.last_seq = turn.changed = seq
    if at > run.last_at:
        run.last_at = at
    if at > turn.last_at:
        turn.last_at = at


def current(thread: Thread, event: Event) -> Run:
    """The run an event belongs to: its stream's. Content with no run opens an inferred one."""
    view = thread.streams.get(event.stream)
    if view is None or not view.run:
        run = open_run(thread, view_of(thread, event), event, run_id="", inferred=True)
        trouble(thread, run, "before-run", "", event)
        return run
    run = thread.runs[view.run - 1]
    # touch_run, spelled out: nine events in ten pass here.
    seq, at = event.seq, event.at
    run.last_seq = run.changed = seq
    turn = thread.turns[run.turn - 1]
    turn.last_seq = turn.changed = seq
    if at > run.last_at:
        run.last_at = at
    if at > turn.last_at:
        turn.last_at = at
    if run.end_seq:
        trouble(thread, run, "after-terminal", getattr(event, "id", "") or "", event)
    return run


def trouble(thread: Thread, run: Run, kind: str, about: str, event: Event) -> None:
    """Note something out of order, once per kind, subject and type."""
    key = (kind, about, type(event).__name__)
    known = run.troubles.get(key)
    if known is None:
        thread.unusual = True
        run.troubles[key] = Trouble(kind, about, key[2], event.seq)
    else:
        known.count += 1
    run.changed = event.seq


def open_run(
    thread: Thread, view: StreamView, event: Event, *, run_id: str, inferred: bool, turn: int = 0
) -> Run:
    """A new run on this stream, in `turn`, or in one assumed for it."""
    if not turn:
        turn = turns.open_turn(thread, event, "", None, inferred=True).number
    run = Run(len(thread.runs) + 1, run_id, turn, event.stream, inferred=inferred, dialect=view.dialect)
    run.start_seq, run.start_at = event.seq, event.at
    name_run(thread, run, run_id)
    run.refs = (run.ref, ("turn", turn))
    thread.runs.append(run)
    thread.turns[turn - 1].runs.append(run.number)
    view.run = run.number
    touch_run(thread, run, event)
    return run


def name_run(thread: Thread, run: Run, id_: str) -> None:
    """The run's id, and which run of that id it is: producers use ids again."""
    run.id = id_
    run.occurrence = thread.run_ids[id_] = thread.run_ids.get(id_, 0) + 1


# ---------------------------------------------------------------- opening


def start(thread: Thread, event: RunStarted, input_: RunInput | None) -> tuple[Run, bool]:
    """The run that RUN_STARTED opens, and whether it is a new one (its input is not taken yet)."""
    view = view_of(thread, event)
    before = thread.runs[view.run - 1] if view.run else None
    run_id = event.run or ""
    if before is not None and before.state == RUN_OPEN:
        body_only = before.inferred and before.has_input and before.last_seq == before.input_seq
        if body_only and (not before.id or not run_id or before.id == run_id):
            before.inferred = False
            if run_id and run_id != before.id:
                name_run(thread, before, run_id)
            before.start_seq, before.start_at = event.seq, event.at
            touch_run(thread, before, event)
            return before, False
        if run_id and before.id == run_id:
            touch_run(thread, before, event)
            trouble(thread, before, "overlap", run_id, event)
            return before, False
        before.overrun_by = len(thread.runs) + 1
        cut(thread, before, event, f"run {run_id or before.overrun_by} opened before it ended")
    turn = turns.turn_for(thread, event, input_)
    run = open_run(thread, view, event, run_id=run_id, inferred=False, turn=turn)
    run.parent = event.parent
    return run, True


def reopened(thread: Thread, event: Opened) -> tuple[Ref, ...]:
    """A stream opens, or comes back: a run that was only cut off goes on."""
    view = view_of(thread, event)
    view.dialect, view.recording = event.dialect, event.recording
    view.closed, view.closed_at = "", 0
    if not view.run:
        return (THREAD,)
    run = thread.runs[view.run - 1]
    if run.state == RUN_TRUNCATED and not run.overrun_by and not run.end_seq:
        run.state = RUN_OPEN
        touch_run(thread, run, event)
    return (THREAD, *run.refs)


# ---------------------------------------------------------------- ending


def close_call(thread: Thread, call: Call, event: Event, state: str, reason: str) -> None:
    """An open call reaches a state in which nobody owes it any more."""
    call.state, call.reason, call.args = state, reason, None
    call.closed_seq, call.closed_at = event.seq, event.at
    call.changed = event.seq


def cut(thread: Thread, run: Run, event: Event, reason: str) -> list[Ref]:
    """The run is over without a terminal."""
    run.state, run.changed = RUN_TRUNCATED, event.seq
    return [*run.refs, *_abort(thread, run, event, reason)]


def _abort(thread: Thread, run: Run, event: Event, reason: str) -> list[Ref]:
    calls = [call for number in run.open_calls if (call := thread.calls[number - 1]).open]
    for call in calls:
        close_call(thread, call, event, ABORTED, reason)
    return [call.ref for call in calls]


def fail(thread: Thread, event: RunFailed) -> tuple[Ref, ...]:
    view = view_of(thread, event)
    if not view.run:
        open_run(thread, view, event, run_id=event.run or "", inferred=True)
    run = thread.runs[view.run - 1]
    touch_run(thread, run, event)
    if run.state == RUN_FAILED:
        trouble(thread, run, "after-terminal", "", event)
        return run.refs
    run.state, run.end_seq, run.end_at = RUN_FAILED, event.seq, event.at
    run.error, run.error_code = event.message[:ERROR_LENGTH], (event.code or "")[:EXCERPT]
    cut_off = _abort(thread, run, event, "the run failed")
    return (*run.refs, *cut_off, *settle_earlier(thread, run, event))


def finish(thread: Thread, event: RunFinished) -> tuple[Ref, ...]:
    view = view_of(thread, event)
    if not view.run:
        run = open_run(thread, view, event, run_id=event.run or "", inferred=True)
        trouble(thread, run, "before-run", "", event)
    run = thread.runs[view.run - 1]
    touch_run(thread, run, event)
    if run.state != RUN_OPEN:
        trouble(
            thread,
            run,
            "finished-after-error" if run.state == RUN_FAILED else "after-terminal",
            event.run or "",
            event,
        )
        return run.refs
    run.end_seq, run.end_at, run.outcome = event.seq, event.at, event.outcome
    if event.result not in NO_RESULT:
        run.activity_seq = event.seq
    run.state = {"interrupt": RUN_INTERRUPTED, "cancelled": RUN_CANCELLED}.get(event.outcome, RUN_FINISHED)
    if event.run and run.id and event.run != run.id:
        run.terminal_id = event.run
    if run.state != RUN_CANCELLED:
        run.left_open = _left_open(run)
    refs: list[Ref] = list(run.refs)
    _pending(thread, run, event)
    interrupted = [_interrupt(thread, run, one, event) for one in event.interrupts]
    refs += [call.ref for call in interrupted if call is not None and call.number not in run.open_calls]
    open_ = [thread.calls[number - 1] for number in run.open_calls]
    # Whoever may be the client keeps the harness waiting: only the next run shows that nobody will answer.
    handed_over = any(call.open and call.owner in (*WAITERS, UNKNOWN) for call in open_)
    for call in open_:
        if call.open or call.number in {c.number for c in interrupted if c is not None}:
            _settle_at_end(thread, run, call, event, handed_over=handed_over)
        refs.append(call.ref)
    return (*refs, *settle_earlier(thread, run, event))


def _left_open(run: Run) -> tuple[tuple[str, str, int], ...]:
    left = [("step", name, seq) for (name, _), seq in run.open_steps.items()]
    parts = {"text": run.open_texts, "reasoning": run.open_reasoning, "subagent": run.open_agents}
    left += [(kind, id_, seq) for kind, open_ in parts.items() for id_, seq in open_.items()]
    return tuple(left)


def _pending(thread: Thread, run: Run, event: RunFinished) -> None:
    """What the pending list says of the owners, and where it is wrong."""
    run.pending = event.pending
    if event.pending is None:
        return
    named, wrong = set(event.pending), []
    policy = policy_of(thread)
    for number in run.open_calls:
        call = thread.calls[number - 1]
        call.pending = call.id in named
        if call.pending:
            tools.assign(call, CLIENT, "declared", "pendingToolCallIds names it", policy)
        elif call.owner not in WAITERS or call.owner_source in ("", "inferred", "observed"):
            tools.assign(call, SERVER, "excluded", "the pending list does not name it", policy)
        else:
            wrong.append((call.id, "missing"))
        call.changed = event.seq
    for id_ in event.pending:
        known = thread.latest(id_)
        if known is None or known.state == "orphan":
            wrong.append((id_, "unknown"))
        elif known.answered and not known.held_place:
            wrong.append((id_, "answered"))
    run.pending_wrong = tuple(wrong)


def _interrupt(thread: Thread, run: Run, interrupt: Interrupt, event: Event) -> Call | None:
    """Record one interrupt; the call it names now waits for a person."""
    thread.interrupts[interrupt.id] = (run.number, interrupt.call)
    run.interrupts += (interrupt.id,)
    if interrupt.call is None:
        return None
    run.interrupt_calls += (interrupt.call,)
    thread.interrupted_calls[interrupt.call] = interrupt.id
    call = thread.latest(interrupt.call)
    if call is None or call.answered:
        return None
    call.interrupt = interrupt.id
    tools.assign(
        call,
        PERSON,
        "declared",
        f"an interrupt names it ({interrupt.reason or 'no reason given'})",
        policy_of(thread),
    )
    call.state, call.reason, call.waits_behind = WAITING, "waits for a person's answer", "interrupt"
    call.closed_seq = call.closed_at = call.approved_seq = call.refused_seq = 0
    call.changed = event.seq
    return call


def _settle_at_end(thread: Thread, run: Run, call: Call, event: Event, *, handed_over: bool) -> None:
    """What becomes of a call that is open when its run ends without an error."""
    if run.state == RUN_CANCELLED:
        close_call(thread, call, event, ABORTED, "the run was cancelled")
        return
    if run.state == RUN_INTERRUPTED:
        call.waits_behind = "interrupt"
        call.state = WAITING
        call.reason = "waits for a person's answer" if call.interrupt else "waits behind an interrupt"
        call.changed = event.seq
        return
    if not call.end_seq:
        close_call(thread, call, event, UNANSWERED, "the run finished before its arguments ended")
        return
    if call.owner in WAITERS:
        call.state, call.reason = WAITING, f"the run ended; the {call.owner} owes the answer"
    elif call.owner == UNKNOWN and call.args_verdict in UNUSABLE:
        close_call(thread, call, event, UNANSWERED, "nothing can run on its arguments")
    elif call.owner == UNKNOWN:
        call.state, call.reason = WAITING, "the run ended and nothing says who owes the answer"
    elif call.owner == HARNESS and handed_over:
        call.waits_behind, call.state = "hand-over", WAITING
        thread.handed_over[call.number] = None
        call.reason = "the run was handed over; the next one must answer it"
    else:
        close_call(thread, call, event, UNANSWERED, "the run ended and nobody will answer")
    call.changed = event.seq


def settle_earlier(thread: Thread, run: Run, event: Event) -> list[Ref]:
    """Calls of earlier runs that this run had to answer, and did not."""
    refs: list[Ref] = []
    for number in sorted({*thread.handed_over, *run.resumed}):
        call = thread.calls[number - 1]
        if call.run == run.number:
            continue
        thread.handed_over.pop(number, None)
        if not call.open or call.waits_behind is None:
            continue
        if call.waits_behind == "hand-over":
            why = "the run after the hand-over ended without its answer"
            close_call(thread, call, event, UNANSWERED, why)
        elif call.resumed_run != run.number or run.state != RUN_FINISHED:
            continue
        elif call.owner in WAITERS and call.approved is not False:
            call.state, call.reason = WAITING, f"it was approved; the {call.owner} owes the answer"
            call.waits_behind, call.changed = None, event.seq
        elif call.approved is False:
            close_call(thread, call, event, DENIED, "it was refused")
        else:
            close_call(thread, call, event, UNANSWERED, "the resumed run ended without its answer")
        refs.append(call.ref)
    return refs


def state_of_open(call: Call) -> tuple[str, str]:
    """(state, reason) of an unanswered call while its run goes on."""
    if not call.end_seq:
        return STREAMING, "its arguments are arriving"
    if call.owner in WAITERS:
        return WAITING, f"the {call.owner} owes the answer"
    return (
        RUNNING,
        "nobody has answered yet" if call.owner == UNKNOWN else f"the {call.owner} owes the answer",
    )
