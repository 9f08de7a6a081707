"""The fold: apply one event to the picture. The only place the picture changes.

`apply` never raises, whatever comes in whatever order, and costs O(1) per event, amortised (a history
costs its own length). Its parts: `runs.py` (turns and runs), `calls.py` (a call in the stream),
`history.py` (inputs and snapshots), `tools.py` (owners). Raise FOLD_VERSION whenever the same events
make another picture: kept threads are then rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import calls, gates, history, leaks, moved, odd, risks, runs, turns
from . import events as e
from .odd import LONGEST
from .patches import STATE, Failure, activity
from .reasons import FinishReason
from .thread import RUN_OPEN, THREAD, Message, Ref, Run, Thread
from .verify import INVALID

FOLD_VERSION = 9


def apply(thread: Thread, event: e.Event) -> tuple[Ref, ...]:
    """Change the picture by one event; what it touched, each entity at least once."""
    thread.last_seq = event.seq
    if event.at > thread.now:
        thread.now = event.at
    change = _CHANGES.get(type(event))
    return change(thread, event) if change is not None else _heard(thread, event)


def _heard(thread: Thread, event: e.Event) -> tuple[Ref, ...]:
    """An event that only shows that its stream is alive."""
    return runs.current(thread, event).refs


# ---------------------------------------------------------------- runs


def _run_started(thread: Thread, event: e.RunStarted) -> tuple[Ref, ...]:
    earlier = runs.view_of(thread, event).run
    run, new = runs.start(thread, event, event.input)
    if event.thread and not thread.name:
        thread.name = event.thread
    _given_state(thread, event.input)
    refs: tuple[Ref, ...] = (THREAD, *run.refs)
    if earlier and thread.runs[earlier - 1].overrun_by == run.number:
        before = thread.runs[earlier - 1]
        refs = (*refs, *before.refs, *(("call", number) for number in before.open_calls))
    if event.input is not None and (new or not run.has_input):
        refs = (*refs, *history.take_input(thread, run, event.input, event))
        refs = (*refs, *gates.resumed(thread, event.input.resume, event))
    return refs


def _run_finished(thread: Thread, event: e.RunFinished) -> tuple[Ref, ...]:
    refs = runs.finish(thread, event)
    if event.interrupts:
        gates.raised(thread, event)
    return refs


def _finish_reason(thread: Thread, event: FinishReason) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    run.finish_reason, run.finish_seq = event.reason, event.seq
    return run.refs


def _run_failed(thread: Thread, event: e.RunFailed) -> tuple[Ref, ...]:
    refs = runs.fail(thread, event)
    run = thread.runs[thread.streams[event.stream].run - 1]
    if run.end_seq == event.seq:
        run.failing_since = history.failing_since(thread, run)
    return refs


def _input_seen(thread: Thread, event: e.InputSeen) -> tuple[Ref, ...]:
    if event.thread and not thread.name:
        thread.name = event.thread
    _given_state(thread, event.input)
    view = runs.view_of(thread, event)
    turn = turns.turn_for(thread, event, event.input)
    run = runs.open_run(thread, view, event, run_id=event.run or "", inferred=True, turn=turn)
    refs = history.take_input(thread, run, event.input, event)
    return (THREAD, *run.refs, *refs, *gates.resumed(thread, event.input.resume, event))


# ---------------------------------------------------------------- text, reasoning, steps, subagents


def _text_start(thread: Thread, event: e.TextStart) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if event.id in run.open_texts:
        runs.trouble(thread, run, "start-twice", event.id, event)
        return run.refs
    run.open_texts[event.id] = event.seq
    moved.began(run, event.id)
    if event.agent is None and risks.streaming(thread, run):
        risks.note(thread, run, "text in a call", event)
    run.has_assistant = run.has_assistant or event.role == "assistant"
    known = thread.messages.get(event.id)
    if known is None:
        thread.messages[event.id] = Message(event.id, event.role, run.number, event.seq, event.agent)
    return (*run.refs, *calls.follow(thread, run, event)) if run.fresh else run.refs


def _text_delta(thread: Thread, event: e.TextDelta) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    start = run.open_texts.get(event.id)
    if start is None:
        runs.trouble(thread, run, "delta-without-start", event.id, event)
    elif event.delta:
        if run.last_text_seq < start:
            moved.first(thread, run, event.id, event.delta)
        run.text_length += len(event.delta)
        run.last_text_seq = event.seq
        if run.watch is not None or "<" in event.delta:
            leaks.watch(run, event)
        if not event.delta.isascii() and (lost := odd.text(thread, event, "text", event.delta)):
            return (*lost, *run.refs)
    elif event.agent is None:
        risks.note(thread, run, "empty text", event)
    return run.refs


def _text_end(thread: Thread, event: e.TextEnd) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if run.open_texts.pop(event.id, None) is None:
        runs.trouble(thread, run, "end-without-start", event.id, event)
    elif event.id in thread.messages:
        thread.messages[event.id].end_seq = event.seq
        moved.ended(thread, run, thread.messages[event.id])
    return run.refs


def _reasoning_start(thread: Thread, event: e.ReasoningStart | e.ReasoningMessageStart) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    key = _reasoning_key(event)
    if key in run.open_reasoning:
        runs.trouble(thread, run, "start-twice", event.id, event)
    run.open_reasoning[key] = event.seq
    return run.refs


def _reasoning_delta(thread: Thread, event: e.ReasoningDelta) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if event.id not in run.open_reasoning:
        runs.trouble(thread, run, "delta-without-start", event.id, event)
    return run.refs


def _reasoning_end(thread: Thread, event: e.ReasoningEnd | e.ReasoningMessageEnd) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if run.open_reasoning.pop(_reasoning_key(event), None) is None:
        runs.trouble(thread, run, "end-without-start", event.id, event)
    return run.refs


def _reasoning_key(event: Any) -> str:
    """One id may name both a span and a message in it."""
    span = isinstance(event, e.ReasoningStart | e.ReasoningEnd)
    return f"span:{event.id}" if span else str(event.id)


def _step_started(thread: Thread, event: e.StepStarted) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    key = (event.name, event.agent)
    if key in run.open_steps:
        runs.trouble(thread, run, "start-twice", event.name, event)
    run.open_steps[key] = event.seq
    return (*run.refs, *calls.follow(thread, run, event)) if run.fresh else run.refs


def _step_finished(thread: Thread, event: e.StepFinished) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if run.open_steps.pop((event.name, event.agent), None) is None:
        other = any(name == event.name for name, _ in run.open_steps)
        runs.trouble(thread, run, "closed-by-other" if other else "end-without-start", event.name, event)
    return run.refs


def _agent_started(thread: Thread, event: e.SubagentStarted) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if event.agent in run.open_agents:
        runs.trouble(thread, run, "start-twice", event.agent, event)
    run.open_agents[event.agent] = event.seq
    return run.refs


def _agent_ended(thread: Thread, event: e.SubagentFinished | e.SubagentFailed) -> tuple[Ref, ...]:
    run = runs.current(thread, event)
    if run.open_agents.pop(event.agent, None) is None:
        runs.trouble(thread, run, "end-without-start", event.agent, event)
    return run.refs


# ---------------------------------------------------------------- calls


def _call_started(thread: Thread, event: e.CallStart) -> tuple[Ref, ...]:
    refs = calls.start(thread, event)
    return (*odd.names(thread, event), *refs)


def _call_ended(thread: Thread, event: e.CallEnd) -> tuple[Ref, ...]:
    refs, call = calls.end(thread, event), thread.latest(event.id)
    if call is None or call.end_seq != event.seq or not (call.hidden[0] or call.damaged):
        return refs
    return (*odd.arguments(thread, call, event), *refs)


def _call_result(thread: Thread, event: e.CallResult) -> tuple[Ref, ...]:
    refs = calls.result(thread, event)
    return (*odd.result(thread, event), *refs)


# ---------------------------------------------------------------- state, history, the rest


def _given_state(thread: Thread, input_: e.RunInput | None) -> None:
    """The state a run begins with, as its caller has it."""
    if input_ is not None and input_.raw.get("state") is not None:
        thread.documents.put(STATE, input_.raw["state"])


def _state(thread: Thread, event: e.StateSnapshot) -> tuple[Ref, ...]:
    thread.documents.put(STATE, event.state)
    return runs.current(thread, event).refs


def _state_patch(thread: Thread, event: e.StatePatch) -> tuple[Ref, ...]:
    refs = runs.current(thread, event).refs
    return _tried(thread, event, "STATE_DELTA", thread.documents.patch(STATE, event.operations), refs)


def _activity(thread: Thread, event: e.ActivitySnapshot) -> tuple[Ref, ...]:
    key = activity(event.id)
    if event.replace or key not in thread.documents.known:
        thread.documents.put(key, event.content)
    return _seen(thread, event)


def _activity_patch(thread: Thread, event: e.ActivityPatch) -> tuple[Ref, ...]:
    refs, failure = _seen(thread, event), thread.documents.patch(activity(event.id), event.operations)
    return _tried(thread, event, "ACTIVITY_DELTA", failure, refs)


def _tried(
    thread: Thread, event: e.Event, type_: str, failure: Failure | None, refs: tuple[Ref, ...]
) -> tuple[Ref, ...]:
    """A patch was tried: where it does not apply, it is odd (S06)."""
    if failure is None:
        return refs
    path = f"{failure.operation} {failure.path}"[:LONGEST]
    return (*odd.note(thread, event, ("S06", type_, path, failure.problem), failure.met), *refs)


def _snapshot(thread: Thread, event: e.MessagesSnapshot) -> tuple[Ref, ...]:
    for message in event.messages:
        if message.role == "activity" and message.id is not None:
            thread.documents.put(activity(message.id), message.content)
    return history.snapshot(thread, runs.current(thread, event), event)


def _seen(thread: Thread, event: e.Event) -> tuple[Ref, ...]:
    """Something a person may have seen, which is no text."""
    run = runs.current(thread, event)
    run.activity_seq = event.seq
    return run.refs


def _oddity(thread: Thread, event: e.Unread | e.Unknown | e.Odd | e.Gap | e.Refused) -> tuple[Ref, ...]:
    detail = ""
    if isinstance(event, e.Gap):
        key = ("S05", "", "", "missing" if event.got > event.expected else "back")
        detail = f"number {event.got} came where {event.expected} was due"
    elif isinstance(event, e.Refused):
        where = event.about if event.kind == INVALID else ""
        key = ("S04", event.type[:LONGEST], where[:LONGEST], event.kind[:LONGEST])
        detail = event.sentence[:LONGEST]
    elif isinstance(event, e.Unread):
        key = ("S01", "", "", event.reason[:LONGEST])
    elif isinstance(event, e.Unknown):
        key = ("S02", event.type[:LONGEST], "", "legacy" if event.legacy else "unknown")
    else:
        code = "S09" if event.problem in odd.CLOCK else "S03"
        key = (code, event.type[:LONGEST], event.path[:LONGEST], event.problem[:LONGEST])
    return odd.note(thread, event, key, detail)


# ---------------------------------------------------------------- marks


def _closed(thread: Thread, event: e.Closed) -> tuple[Ref, ...]:
    view = runs.view_of(thread, event)
    view.closed, view.closed_at = event.why, event.at
    if not view.run:
        return (THREAD,)
    run = thread.runs[view.run - 1]
    if run.state != RUN_OPEN:
        # What waits may have expired: at the end of a file nothing else would ask.
        waits = (call.ref for number in thread.open_calls if (call := thread.calls[number - 1]).expires)
        return (THREAD, *run.refs, *waits)
    run.changed = event.seq
    if view.recording or event.why in ("end", "left"):
        return (
            THREAD,
            *runs.cut(thread, run, event, "the stream ended without a terminal"),
            ("turn", run.turn),
        )
    return (THREAD, *run.refs)


def _settings(thread: Thread, event: e.SettingsInForce) -> tuple[Ref, ...]:
    thread.settings, thread.policy = event.settings, None
    return (THREAD,)


def _tick(thread: Thread, event: e.Tick) -> tuple[Ref, ...]:
    """Somebody looked at the clock: lost streams past their grace are over, open calls are judged anew."""
    refs: list[Ref] = [THREAD]
    for view in thread.streams.values():
        run = thread.runs[view.run - 1] if view.run else None
        if run is None or run.state != RUN_OPEN:
            continue
        refs += run.refs
        if lost(thread, run, event.at):
            refs += runs.cut(thread, run, event, "the connection was lost")
    refs += [("call", number) for number in thread.open_calls]
    return tuple(refs)


def lost(thread: Thread, run: Run, now: int) -> bool:
    """Whether the run's stream has been gone for longer than the grace."""
    view = thread.streams[run.stream]
    return bool(view.closed) and now - view.closed_at >= runs.policy_of(thread).grace


def _marked(thread: Thread, event: e.Event) -> tuple[Ref, ...]:
    """A mark that changes nothing but the thread's length."""
    return (THREAD,)


_CHANGES: dict[type[e.Event], Callable[[Thread, Any], tuple[Ref, ...]]] = {
    e.TextDelta: _text_delta,
    e.CallArgs: calls.args,
    e.RunStarted: _run_started,
    e.InputSeen: _input_seen,
    e.RunFinished: _run_finished,
    FinishReason: _finish_reason,
    e.RunFailed: _run_failed,
    e.StepStarted: _step_started,
    e.StepFinished: _step_finished,
    e.TextStart: _text_start,
    e.TextEnd: _text_end,
    e.ReasoningStart: _reasoning_start,
    e.ReasoningEnd: _reasoning_end,
    e.ReasoningMessageStart: _reasoning_start,
    e.ReasoningDelta: _reasoning_delta,
    e.ReasoningMessageEnd: _reasoning_end,
    e.CallStart: _call_started,
    e.CallEnd: _call_ended,
    e.CallResult: _call_result,
    e.MessagesSnapshot: _snapshot,
    e.StateSnapshot: _state,
    e.StatePatch: _state_patch,
    e.ActivitySnapshot: _activity,
    e.ActivityPatch: _activity_patch,
    e.SubagentStarted: _agent_started,
    e.SubagentFinished: _agent_ended,
    e.SubagentFailed: _agent_ended,
    e.Unread: _oddity,
    e.Unknown: _oddity,
    e.Odd: _oddity,
    e.Refused: _oddity,
    e.Opened: runs.reopened,
    e.Closed: _closed,
    e.SettingsInForce: _settings,
    e.Evidence: calls.evidence,
    e.Tick: _tick,
    e.Guarded: _marked,
    e.Gap: _oddity,
}
