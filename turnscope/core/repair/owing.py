"""Which calls of a run that ends are ours to answer in the stream, and with what. Reads the picture only."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from turnscope.core import events as e
from turnscope.core.repair.texts import TEXTS
from turnscope.core.repair.transcript import Json, compact
from turnscope.core.thread import (
    ABORTED,
    BACKGROUND,
    CLIENT,
    DENIED,
    HARNESS,
    PERSON,
    PROVIDER,
    RUN_FINISHED,
    UNANSWERED,
    UNKNOWN,
    WAITING,
    Call,
    Run,
    Thread,
)

EARLY = "The agent stopped before it finished answering. Try again."
EARLY_CODE = "RUN_ENDED_EARLY"

OTHERS = (CLIENT, PERSON, BACKGROUND, PROVIDER)
"""Owners nobody here answers for."""
PARSED = ("object", "empty")


def others(call: Call | None) -> bool:
    """Whether the call is known to be somebody else's to answer."""
    return call is not None and call.owner in OTHERS


def due(call: Call, at_last: Call | None, sources: Collection[str] | None, now: int) -> bool:
    """Whether the call has to be answered now that its run has ended.

    A call whose arguments never completed, or whose approval was given and led to nothing, has no
    owner left who could still answer it. One that nothing is known of keeps waiting, unless hindsight
    (`at_last`: the call at the end of the recording) shows that nobody ever answered and none could. One
    that hindsight shows answered later than `now` (a seq) is left to its real answer.
    """
    if call.answered or (at_last is not None and _answered_after(at_last, now)):
        return False
    if call.state == WAITING and call.owner == UNKNOWN and at_last is not None:
        call = at_last
    if call.answered or call.state not in (UNANSWERED, ABORTED, DENIED):
        return False
    if call.state == DENIED or (call.state == UNANSWERED and (not call.end_seq or call.resumed is not None)):
        return True
    if others(call):
        return False
    return sources is None or call.owner_source in sources


def _answered_after(call: Call, now: int) -> bool:
    return any(a.seq > now and not a.late and not a.preliminary for a in call.answers)


def text_for(call: Call, thread: Thread) -> str:
    """What is honest to say in place of its result."""
    if call.state == DENIED or call.approved is False or call.resumed == "cancelled":
        return TEXTS["denied"]
    if not call.end_seq or (call.args_verdict and call.args_verdict not in PARSED):
        return TEXTS["unparsed"]
    resumed = thread.run(call.resumed_run) if call.resumed_run else None
    went_on = call.followed_seq or (resumed is not None and resumed.last_text_seq)
    if went_on or any(phase == "start" for phase, _ in call.evidence):
        return TEXTS["unknown"]
    return TEXTS["not_executed"]


def calls_of(thread: Thread, run: Run) -> list[Call]:
    """The calls a run opened, in order."""
    found = (thread.call(number) for number in thread.turn(run.turn).calls)
    return [call for call in found if call.run == run.number]


def stranded(thread: Thread, run: Run, results: Mapping[str, Json]) -> list[Call]:
    """The harness's own calls of a run that finished, if nobody else is left who could carry it on."""
    if run.state != RUN_FINISHED:
        return []
    own = [
        call for call in thread.calls if call.run == run.number and call.id not in results and call.end_seq
    ]
    harness = [call for call in own if call.owner == HARNESS and call.state in (UNANSWERED, WAITING)]
    others_wait = any(call.state == WAITING and call.owner != HARNESS for call in own)
    return [] if others_wait else harness


def early_end(value: Mapping[str, Json]) -> dict[str, Json]:
    """RUN_ERROR in place of a RUN_FINISHED that nobody would have followed up."""
    out: dict[str, Json] = {"type": "RUN_ERROR", "message": EARLY, "code": EARLY_CODE}
    for key in ("timestamp", "usage", "metadata"):
        if value.get(key) is not None:
            out[key] = value[key]
    return out


def pending(thread: Thread, run: Run, named: Collection[str], results: Mapping[str, Json]) -> list[str]:
    """The calls of the run that wait for somebody outside: those named first, in their order."""
    waiting = [
        call.id
        for call in calls_of(thread, run)
        if call.state == WAITING and call.owner != HARNESS and call.id not in results
    ]
    return [one for one in named if one in waiting] + [one for one in waiting if one not in named]


def left_open(thread: Thread, results: Mapping[str, Json]) -> list[Call]:
    """The calls that somebody outside may still answer, whatever run opened them."""
    return [call for call in thread.calls if call.state == WAITING and call.id and call.id not in results]


def cancelling(call: Call, message: str) -> dict[str, Json]:
    """A tool message for whoever goes on without the call's answer. Offered, never sent by us."""
    text = TEXTS["unapproved" if call.owner == PERSON and call.approved is None else "cancelled"]
    mark = {"turnscope": {"synthetic": "cancelled", "code": "pending_call"}}
    about = {"toolCallId": call.id, "content": text, "error": text, "metadata": mark}
    return {"id": message, "role": "tool", **about}


def recorded_call(interrupt: e.Interrupt | None) -> tuple[str, str] | None:
    """Name and argument text of a call as an interrupt recorded them; None without a name."""
    raw = interrupt.raw if interrupt is not None and isinstance(interrupt.raw, dict) else {}
    for place in (raw, raw.get("metadata"), raw.get("payload"), raw.get("value")):
        if not isinstance(place, dict):
            continue
        name = next(
            (place[k] for k in ("toolName", "toolCallName", "name") if isinstance(place.get(k), str)), ""
        )
        if name:
            arguments: Json = next((place[k] for k in ("args", "arguments", "input") if k in place), {})
            return name, arguments if isinstance(arguments, str) else compact(arguments)
    return None
