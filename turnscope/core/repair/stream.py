"""The live plane: a stream a strict client accepts, with every card in an end state.

What is sound passes through as it came. Before one terminal everything open is closed, the server's and
the harness's calls are answered (with what a host captured, else honestly), the pending list is made
true; what a client would refuse is dropped or put right. Never an answer for a client or a person.
Those calls stay pending, and `offers` cancels them for whoever goes on without them. Whatever is added
or altered says so in `metadata.turnscope`. Counterparts: `passes.py`, the history; `ui_stream.py`.

    repaired = repair_stream(frames, settings)         # a whole recording
    live = StreamRepair(settings); live.feed(value, events); live.end()
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from turnscope.core import events as e
from turnscope.core.fold import apply
from turnscope.core.odd import CLOCK
from turnscope.core.repair import owing
from turnscope.core.repair import respell as r
from turnscope.core.repair.ending import Ending
from turnscope.core.repair.sending import Dict, Hindsight
from turnscope.core.repair.strict import RUNNING
from turnscope.core.repair.texts import placeholder
from turnscope.core.repair.transcript import Change, Json, canonical
from turnscope.core.thread import ORPHAN, PROVIDER, Thread

CONTINUES: tuple[type[e.Event], ...] = (
    e.TextDelta, e.TextEnd, e.ReasoningDelta, e.ReasoningMessageEnd, e.ReasoningEnd, e.CallArgs, e.CallEnd,
    e.StepFinished, e.SubagentFinished, e.SubagentFailed,
)  # fmt: skip
"""What continues or closes something: behind a terminal it has nothing to speak of."""


NEVER_NULL = ("metadata", "subagentRunId", "timestamp")
"""Fields of every event that may be absent and not null."""


@dataclass(slots=True)
class StreamRepaired:
    """A stream as a strict client accepts it."""

    events: list[Dict]
    changes: list[Change]
    pending: list[str] = field(default_factory=list)
    """Calls that somebody outside may still answer: a client, a person, a job, a provider."""
    offers: list[Dict] = field(default_factory=list)
    """Tool messages that cancel those calls, for whoever continues the thread without their answers."""


def repair_stream(
    frames: Iterable[tuple[Json, list[e.Event]]],
    settings: Dict | None = None,
    *,
    context: Iterable[e.Event] = (),
    sources: Collection[str] | None = None,
) -> StreamRepaired:
    """A recorded stream, repaired. Each frame comes with the events that were read out of it.

    A frame whose value is None is a mark: it is known and not sent. `context` is what the thread knows
    beside (earlier runs, evidence). `sources` names how an owner must be known for its call to be
    answered (`configured`, `declared`, ...); None: in any way.
    """
    listed, before = list(frames), list(context)
    live = StreamRepair(
        settings, context=before, sources=sources, hindsight=_hindsight(listed, before, settings)
    )
    events: list[Dict] = []
    for value, found in listed:
        events += live.feed(value, found)
    events += live.end()
    left = owing.left_open(live.thread, live.results)
    offers = [
        owing.cancelling(call, live.new_id(f"{call.id}-cancelled")) for call in left if call.owner != PROVIDER
    ]
    return StreamRepaired(events, live.changes, [call.id for call in left], offers)


def _hindsight(
    frames: list[tuple[Json, list[e.Event]]], context: list[e.Event], settings: Dict | None
) -> Hindsight:
    thread = Thread()
    if settings:
        apply(thread, e.SettingsInForce(settings))
    for event in context:
        if not isinstance(event, e.Closed):
            apply(thread, event)
    found = Hindsight()
    waiting: dict[str, list[e.CallResult]] = {}
    started: set[str] = set(thread.by_id)
    for event in (event for _, events in frames for event in events):
        if isinstance(event, e.CallStart):
            earlier = waiting.pop(event.id, [])
            if event.id not in started:
                found.early.update(id(one) for one in earlier[-1:])
            started.add(event.id)
        elif isinstance(event, e.CallResult):
            earlier = waiting.setdefault(event.id, [])
            if not placeholder(event.content):
                found.spurious.update(id(one) for one in earlier if placeholder(one.content))
            earlier.append(event)
        if not isinstance(event, e.Closed):
            apply(thread, event)
    found.calls = {(call.id, call.occurrence): call for call in thread.calls}
    return found


class StreamRepair(Ending):
    """The repair of one stream, event by event. Sends nothing it would have to take back."""

    def __init__(
        self,
        settings: Dict | None = None,
        *,
        context: Iterable[e.Event] = (),
        sources: Collection[str] | None = None,
        hindsight: Hindsight | None = None,
    ) -> None:
        super().__init__(settings, context, hindsight or Hindsight(), sources)
        self._muted: dict[str, Change] = {}
        """Calls whose second announcement is being dropped."""
        self._thoughts = 0
        self._ending: set[str] = set()
        """What chunks had opened and the frame at hand ends."""

    def feed(self, value: Json, events: list[e.Event]) -> list[Dict]:
        """One frame and its events; what is to be sent for it."""
        self.sent = []
        if events:
            self.moment = (events[-1].seq, events[-1].at, events[-1].stream)
        own = [event for event in events if type(event) in r.WRITERS]
        if not isinstance(value, dict) or not own:
            self._no_event(value, events)
            return self.sent
        notes = (event for event in events if isinstance(event, e.Odd) and event.problem not in CLOCK)
        odd = {event.path.split(".")[0].split("[")[0] for event in notes}
        odd |= {"type" for event in events if isinstance(event, e.Unknown)}
        odd |= {key for key in NEVER_NULL if value.get(key, "") is None}
        if isinstance(own[-1], e.ReasoningMessageStart) and not own[-1].expanded and "role" not in value:
            odd.add("role")  # required by the schema, although nothing else fits
        *ends, last = own
        self._ending = {getattr(event, "id", "") for event in ends}
        if str(value.get("type", "")).upper().endswith("_CHUNK"):
            self._chunk(value, own, odd)
            return self.sent
        for event in ends:
            self._lane_ends(value, event)
        self._event(value, self._named(last, value), odd)
        return self.sent

    def end(self) -> list[Dict]:
        """The stream is over: what it owes is made good."""
        self.sent = []
        if self.client.state == RUNNING:
            self.cut("truncated_run")
        return self.sent

    # ------------------------------------------------------------ frames

    def _no_event(self, value: Json, events: list[e.Event]) -> None:
        """A mark, a request body, evidence: known. What could not be read, or no protocol knows: dropped."""
        for event in events:
            self.know(event)
            if value is not None and isinstance(event, e.Unread):
                self.drop(event, "unreadable_frame", event.reason)
            elif isinstance(event, e.Unknown):
                self.drop(event, "unknown_event", f"no client knows the type {event.type[:60]}")

    def _chunk(self, value: Dict, own: list[e.Event], odd: set[str]) -> None:
        """A chunk passes where the client makes of it what was meant; else its events are spelled out."""
        self.ensure_run(own[-1])
        announced = False
        for event in own:
            if isinstance(event, e.CallStart):
                announced = self._announced_before(event)
        muted = announced or getattr(own[-1], "id", "") in self._muted
        chunk = r.pruned(value, odd) if odd else value
        if not muted and self.refused(chunk) is None:
            if odd:
                chunk = self.altered(chunk, own[-1], "invalid_event", ", ".join(sorted(odd)))
            self.send(chunk)
            return
        for event in own:
            if isinstance(event, e.TextEnd | e.CallEnd | e.ReasoningMessageEnd):
                self._lane_ends(value, event)
            elif not muted:
                self._pass(value, self._owned(event), {"type"}, put_right=False)

    def _lane_ends(self, value: Dict, event: e.Event) -> None:
        """What a chunk had opened ends; the client sees that by itself unless it was spelled out for it."""
        identity = getattr(event, "id", "")
        self._muted.pop(identity, None)
        books = {"text": self.client.texts, "call": self.client.calls, "thought": self.client.thoughts}
        kind = {e.TextEnd: "text", e.CallEnd: "call"}.get(type(event), "thought")
        if identity in books[kind] and (kind, identity) not in self.client.laned:
            if self.refused(r.respell(event, {}) or {}) is None:
                self.add(event, value, "unclosed_part", "the chunks that made it are over")

    def _named(self, event: e.Event, value: Dict) -> e.Event:
        """THINKING events carry no id; each span and each message outside of one gets its own."""
        if not str(value.get("type", "")).startswith("THINKING"):
            return event
        outside = isinstance(event, e.ReasoningMessageStart) and not self.client.spans
        self._thoughts += isinstance(event, e.ReasoningStart) or outside
        return replace(event, id=f"thinking-{self._thoughts}")  # type: ignore[call-arg]

    def _event(self, value: Dict, event: e.Event, odd: set[str]) -> None:
        if isinstance(event, e.RunStarted):
            self.run_started(value, event, odd)
        elif isinstance(event, e.RunFinished):
            self.run_finished(value, event, odd)
        elif isinstance(event, e.RunFailed):
            self.run_failed(value, event, odd)
        elif self.client.state != RUNNING and isinstance(event, CONTINUES):
            self.drop(event, "event_after_terminal", "nothing is open that it could speak of")
        else:
            self.ensure_run(event)
            self._content(value, event, odd)

    def _content(self, value: Dict, event: e.Event, odd: set[str]) -> None:
        if isinstance(event, e.CallStart) and self._announced_before(event):
            return
        if isinstance(event, e.CallArgs | e.CallEnd) and event.id in self._muted:
            self._muted[event.id].seqs += (event.seq,)
            if isinstance(event, e.CallEnd):
                del self._muted[event.id]
            return
        if isinstance(event, e.CallResult) and self._superfluous(value, event, odd):
            return
        owned = self._owned(event)
        self._pass(value, owned, odd, put_right=owned is not event)

    def _pass(self, value: Dict, event: e.Event, odd: set[str], *, put_right: bool) -> None:
        """Sends an event unless a client would refuse it; what can be put right is."""
        if isinstance(event, e.MessagesSnapshot):
            value = self._with_results(value, event, odd)
        elif odd or put_right:
            spelled = r.respell(event, value)
            if spelled is None:
                self.drop(event, "invalid_event", "it cannot be spelled as the protocol has it")
                return
            value = spelled
        why = self.refused(value)
        if why and not (self._reopened(event, value) and self.refused(value) is None):
            self.drop(event, "out_of_order", why)
            return
        if (odd or put_right) and not isinstance(event, e.MessagesSnapshot):
            code = "wrong_parent" if put_right and isinstance(event, e.CallStart) else "wrong_owner"
            what = ", ".join(sorted(odd)) or "what it belongs to"
            value = self.altered(value, event, code if put_right else "invalid_event", what)
        self.send(value)
        if isinstance(event, e.CallEnd) and event.id in self.held:
            self.release(event.id)

    # ------------------------------------------------------------ what can be put right

    def _owned(self, event: e.Event) -> e.Event:
        """The event under the owner its subject was opened by, and under a parent that exists."""
        if self.client.alien(event):
            event = replace(event, agent=None)  # type: ignore[call-arg]
            alone = isinstance(event, e.CallStart) and self.client.alien(event)
            return replace(event, parent=None) if alone else event  # type: ignore[call-arg]
        if isinstance(event, e.StepFinished) and (event.name, event.agent) not in self.client.steps:
            owner = [agent for name, agent in self.client.steps if name == event.name]
            return replace(event, agent=owner[0]) if owner else event
        if isinstance(event, e.SubagentStarted) and event.parent is not None:
            known = event.parent in self.client.agents or event.parent in self.client.gone_agents
            return event if known else replace(event, parent=None)
        if isinstance(event, e.CallStart) and event.parent is not None and event.agent is None:
            return self._under_a_parent(event)
        return event

    def _under_a_parent(self, event: e.CallStart) -> e.Event:
        """A call's parent is an assistant message; one nobody knows is replaced by the run's own."""
        messages = self.thread.messages
        parent = messages.get(event.parent or "")
        if parent is not None:
            return event if parent.role == "assistant" else replace(event, parent=None)
        run = self.run() if self.thread.runs else None
        if event.parent in self.thread.known or run is None or not run.has_assistant:
            return event
        own = [
            m for m in messages.values() if m.run == run.number and m.role == "assistant" and m.agent is None
        ]
        return replace(event, parent=own[-1].id) if own else event

    def _reopened(self, event: e.Event, value: Dict) -> bool:
        """Text and reasoning whose start was lost, or that goes on behind its end, is opened for it."""
        start: e.TextStart | e.ReasoningMessageStart
        if isinstance(event, e.TextDelta) and event.id:
            start = e.TextStart(event.id, agent=event.agent)
        elif isinstance(event, e.ReasoningDelta) and event.id:
            start = e.ReasoningMessageStart(event.id, agent=event.agent)
        else:
            return False
        start.seq = event.seq
        if self.client.alien(start):
            start.agent = None
        self.add(start, value, "out_of_order", "its start was lost")
        return True

    # ------------------------------------------------------------ calls

    def _announced_before(self, event: e.CallStart) -> bool:
        """Whether the client has this call already, unanswered: then it is not shown again."""
        known = self.thread.latest(event.id)
        again = known is not None and known.state != ORPHAN and not known.answered
        if event.id in self.client.calls:
            self.drop(event, "duplicate_call", "it is open already")
            return True
        if again:
            self._muted[event.id] = self.drop(event, "duplicate_call", "the client has this call already")
            return True
        self._muted.pop(event.id, None)
        self.results.pop(event.id, None)
        return False

    def _superfluous(self, value: Dict, event: e.CallResult, odd: set[str]) -> bool:
        """Whether a result is not sent now: its call was never announced, it has one, or it has to wait."""
        known = self.thread.latest(event.id)
        before = self.results.get(event.id)
        if id(event) in self.hindsight.early or (
            event.id in self.client.calls and event.id not in self._ending
        ):
            if before is None and event.id:
                self._hold(value, event, odd)
                return True
        if known is None or (known.state == ORPHAN and before is None):
            return not self._restored(event)
        if id(event) in self.hindsight.spurious:
            self.drop(event, "duplicate_result", "the real result follows it")
            return True
        if before is None or placeholder(before.get("content")):
            return False
        self._doubled(event, before.get("content"))
        return True

    def _hold(self, value: Dict, event: e.CallResult, odd: set[str]) -> None:
        """A result waits for the end of its call: of two the first, unless that only held the place."""
        first = self.held[event.id][1] if event.id in self.held else None
        if first is not None and not placeholder(r.content(first.content)):
            self._doubled(event, r.content(first.content))
            return
        self.held[event.id] = (value, event, odd)
        if first is not None:
            self.drop(first, "duplicate_result", "the real result follows it")
        else:
            self.tell("result_out_of_order", "relocated", "a result waits for the end of its call", event,
                      call=event.id)  # fmt: skip

    def _doubled(self, event: e.CallResult, content: Json) -> None:
        """Drops a result of a call that has `content` for one."""
        differs = canonical(content) != canonical(event.content)
        self.drop(event, "duplicate_result", "its call has a result already", lossy=differs)

    def _restored(self, event: e.CallResult) -> bool:
        """Opens the call of an orphan from what an interrupt recorded of it; drops the orphan otherwise."""
        found = owing.recorded_call(self.interrupts.get(event.id))
        if found is None:
            self.drop(event, "orphan_result", "no start of its call is on record", lossy=True)
            return False
        name, arguments = found
        made: Any
        for made in (e.CallStart(event.id, name), e.CallArgs(event.id, arguments), e.CallEnd(event.id)):
            made.seq = event.seq
            self.add(
                made, {}, "orphan_result", "an interrupt recorded the call", call=event.id, action="recovered"
            )
        return True

    # ------------------------------------------------------------ snapshots

    def _with_results(self, value: Dict, event: e.MessagesSnapshot, odd: set[str]) -> Dict:
        """A snapshot that keeps a call keeps its result; a result only it has is shown live as well."""
        self._show_live(value, event)
        out, lost = self.completed(r.messages(event.messages) if odd else value["messages"], event.messages)
        value = self.spelled(value, event, odd)
        for call in lost:
            what = "the snapshot had lost a result that was streamed"
            value = self.altered(value, event, "erased_result", what, call=call)
        return {**value, "messages": out} if lost else value

    def _show_live(self, value: Dict, event: e.MessagesSnapshot) -> None:
        for found in event.messages:
            call = self.thread.latest(found.answers) if found.answers is not None else None
            if call is None or call.plane != "stream" or found.answers is None or found.id is None:
                continue
            streamed = any(answer.plane == "stream" for answer in call.answers)
            if streamed or found.answers in self.results or owing.others(call) or not call.end_seq:
                continue
            result = e.CallResult(found.answers, found.content, found.id, agent=call.agent)
            result.seq = event.seq
            why = "only a snapshot had it"
            self.add(result, value, "result_not_streamed", why, call=found.answers, action="recovered")
