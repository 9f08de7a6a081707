"""The history a thread's events add up to, as the official AG-UI client builds it, and what else they prove.

Streamed messages and calls, results right behind the message that holds their call, inputs merged by
unseen ids at the end, snapshots merged by id. Two things are done better than the client does them,
because its way is itself a damage the repair would have to undo: a call announced again does not get
its arguments twice, and an id that comes again after its call was answered opens a call of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from turnscope.core import events as e
from turnscope.core.fold import apply
from turnscope.core.repair import shapes
from turnscope.core.repair.transcript import (
    ACTIVITY,
    ASSISTANT,
    CALL,
    RESULT,
    THINKING,
    TOOL,
    Evidence,
    Json,
    Message,
    Recorded,
    Transcript,
    as_text,
)
from turnscope.core.thread import BACKGROUND, CLIENT, PERSON, WAITING, Thread


@dataclass(slots=True, eq=False)
class _Call:
    id: str
    raw: dict[str, Json]
    holder: _Built
    args: list[str] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    ended: bool = False
    known: bool = False
    """A history carries it whole: nothing streamed is added to it."""
    answered: bool = False
    provider: bool = False


@dataclass(slots=True, eq=False)
class _Built:
    """A message as it stands so far."""

    raw: dict[str, Json]
    text: list[str] | None = None
    """Streamed text that is not in `raw` yet."""
    seqs: list[int] = field(default_factory=list)


class Reducer:
    """Events in, a transcript out, at any moment. Never raises for what an event holds."""

    def __init__(self) -> None:
        self.order: list[_Built] = []
        self.by_id: dict[str, _Built] = {}
        self.calls: dict[str, _Call] = {}
        """Call id -> its newest call."""
        self.evidence = Evidence()
        self._interrupts: dict[str, str] = {}
        self._digests: set[str] = set()

    def add(self, event: e.Event) -> None:
        take = _TAKES.get(type(event))
        if take is not None:
            take(self, event)

    def transcript(self) -> Transcript:
        """What has been built so far."""
        for built in self.order:
            if built.text is not None:
                built.raw["content"] = "".join(built.text)
        for call in self.calls.values():
            self._fill(call)
        messages = shapes.by_name("ag_ui").read([built.raw for built in self.order])
        for message, built in zip(messages, self.order, strict=True):
            self._mark(message, built)
        return Transcript(messages, "ag_ui", self.evidence)

    # ------------------------------------------------------------ messages

    def _new(self, identity: str, role: str, seq: int, agent: str | None, **fields: Json) -> _Built:
        raw: dict[str, Json] = {"id": identity, "role": role, **fields}
        if agent is not None:
            raw["subagentRunId"] = agent
        built = _Built(raw, seqs=[seq])
        self.order.append(built)
        self.by_id[identity] = built
        return built

    def text_start(self, event: e.TextStart) -> None:
        built = self.by_id.get(event.id)
        if built is None:
            built = self._new(event.id, event.role, event.seq, event.agent)
            if event.name is not None:
                built.raw["name"] = event.name
        if built.text is None and built.raw.get("role") not in (ACTIVITY, TOOL):
            content = built.raw.get("content")
            built.text = [content] if isinstance(content, str) else []

    def text_delta(self, event: e.TextDelta | e.ReasoningDelta) -> None:
        built = self.by_id.get(event.id)
        if built is not None and built.text is not None:
            built.text.append(event.delta)
            built.seqs[1:] = [event.seq]

    def text_end(self, event: e.TextEnd | e.ReasoningMessageEnd) -> None:
        built = self.by_id.get(event.id)
        if built is not None:
            built.seqs[1:] = [event.seq]

    def reasoning_start(self, event: e.ReasoningMessageStart) -> None:
        if event.id not in self.by_id:
            self._new(event.id, THINKING, event.seq, event.agent).text = []

    def encrypted(self, event: e.ReasoningEncrypted) -> None:
        if event.subtype == "tool-call" and event.entity in self.calls:
            self.calls[event.entity].raw["encryptedValue"] = event.value
        elif event.subtype != "tool-call" and event.entity in self.by_id:
            self.by_id[event.entity].raw["encryptedValue"] = event.value

    def activity(self, event: e.ActivitySnapshot) -> None:
        built = self.by_id.get(event.id)
        fields = {"activityType": event.kind, "content": event.content}
        if built is None:
            self._new(event.id, ACTIVITY, event.seq, event.agent, **fields)
        elif built.raw.get("role") == ACTIVITY and event.replace:
            built.raw.update(fields)

    # ------------------------------------------------------------ calls

    def call_start(self, event: e.CallStart) -> None:
        known = self.calls.get(event.id)
        if known is not None and not known.answered:
            return
        parent = self.by_id.get(event.parent) if event.parent else None
        if parent is None or parent.raw.get("role") != ASSISTANT:
            wanted = event.id if parent is not None or not event.parent else event.parent
            parent = self.by_id.get(wanted)
            if parent is None or parent.raw.get("role") != ASSISTANT or known is not None:
                parent = self._new(wanted, ASSISTANT, event.seq, event.agent)
        elif known is not None and known.holder is parent:
            parent = self._new(event.id, ASSISTANT, event.seq, event.agent)
        raw: dict[str, Json] = {
            "id": event.id,
            "type": "function",
            "function": {"name": event.name, "arguments": ""},
        }
        calls = parent.raw.get("toolCalls")
        parent.raw["toolCalls"] = [*(calls if isinstance(calls, list) else []), raw]
        if known is not None:
            self._fill(known)
        self.calls[event.id] = _Call(event.id, raw, parent, seqs=[event.seq], provider=event.provider)

    def call_args(self, event: e.CallArgs) -> None:
        call = self.calls.get(event.id)
        if call is not None and not call.ended and not call.known:
            call.args.append(event.delta)

    def call_end(self, event: e.CallEnd) -> None:
        call = self.calls.get(event.id)
        if call is not None and not call.ended:
            call.ended = True
            call.seqs.append(event.seq)

    def call_result(self, event: e.CallResult) -> None:
        if event.preliminary:
            self.evidence.started.add(event.id)
            return
        message = event.message or f"{event.id}-result"
        raw: dict[str, Json] = {
            "id": message,
            "role": TOOL,
            "toolCallId": event.id,
            "content": event.content,
        }
        if event.error:
            raw["error"] = as_text(event.content)
        if event.agent is not None:
            raw["subagentRunId"] = event.agent
        built = _Built(raw, seqs=[event.seq])
        call = self.calls.get(event.id)
        at = len(self.order)
        if call is not None:
            call.answered = True
            at = self._place(call.holder) + 1
            while at < len(self.order) and self.order[at].raw.get("role") == TOOL:
                at += 1
        self.order.insert(at, built)
        self.by_id.setdefault(message, built)
        self._record(
            event.id, event.content, error=bool(event.error), message=message, source="stream", seq=event.seq
        )

    def _place(self, built: _Built) -> int:
        """Where a message stands; results come soon after their call, so it is sought from the end."""
        for index in range(len(self.order) - 1, -1, -1):
            if self.order[index] is built:
                return index
        return len(self.order) - 1

    # ------------------------------------------------------------ histories

    def run_started(self, event: e.RunStarted) -> None:
        if event.input is not None:
            self._input(event.input, event.seq)

    def input_seen(self, event: e.InputSeen) -> None:
        self._input(event.input, event.seq)

    def _input(self, run_input: e.RunInput, seq: int) -> None:
        for entry in run_input.resume:
            call = self._interrupts.get(entry.interrupt)
            payload = entry.payload if isinstance(entry.payload, dict) else {}
            if call is not None and (entry.status == "cancelled" or payload.get("approved") is False):
                self.evidence.denied.add(call)
        for message in run_input.messages:
            key = message.id
            if key is None and message.digest in self._digests or key is not None and key in self.by_id:
                self._learn(message, "input", seq)
                continue
            self._append(message, "input", seq)

    def snapshot(self, event: e.MessagesSnapshot) -> None:
        new = {m.id: m for m in event.messages if m.id is not None}
        roles = {m.role for m in event.messages}
        kept: list[_Built] = []
        for built in self.order:
            identity = built.raw.get("id")
            role = built.raw.get("role")
            if isinstance(identity, str) and identity in new:
                kept.append(self._replace(built, new[identity], event.seq))
            elif role in (ACTIVITY, THINKING) and role not in roles:
                kept.append(built)
        self.order = kept
        self.by_id = {str(b.raw.get("id")): b for b in kept}
        for message in event.messages:
            if message.id is None or message.id not in self.by_id:
                self._append(message, "snapshot", event.seq)

    def _replace(self, built: _Built, message: e.HistoryMessage, seq: int) -> _Built:
        fresh = _Built(dict(message.raw), seqs=[*built.seqs[:1], seq])
        self._take_calls(fresh, message, seq)
        self._learn(message, "snapshot", seq)
        return fresh

    def _append(self, message: e.HistoryMessage, source: str, seq: int) -> None:
        built = _Built(message.raw, seqs=[seq])
        self.order.append(built)
        self._digests.add(message.digest)
        if message.id is not None:
            self.by_id[message.id] = built
        self._take_calls(built, message, seq)
        if message.answers is not None:
            call = self.calls.get(message.answers)
            if call is not None:
                call.answered = True
            self._learn(message, source, seq)

    def _take_calls(self, built: _Built, message: e.HistoryMessage, seq: int) -> None:
        found = message.raw.get("toolCalls", message.raw.get("tool_calls"))
        told = [raw for raw in found if isinstance(raw, dict)] if isinstance(found, list) else []
        raws = {raw["id"]: raw for raw in told if isinstance(raw.get("id"), str)}
        for call in message.calls:
            raw = raws.get(call.id)
            if raw is None:
                continue
            known = self.calls.get(call.id)
            seqs = known.seqs if known is not None else [seq]
            answered = (
                known.answered if known is not None and known.holder.raw.get("id") == message.id else False
            )
            self.calls[call.id] = _Call(
                call.id, raw, built, [], seqs, ended=True, known=True, answered=answered
            )

    def _learn(self, message: e.HistoryMessage, source: str, seq: int) -> None:
        """A tool message proves a result, whether or not the history keeps it."""
        if message.answers is not None:
            self._record(
                message.answers,
                message.content,
                error=message.error,
                message=message.id,
                source=source,
                seq=seq,
            )

    # ------------------------------------------------------------ what else is proved

    def run_finished(self, event: e.RunFinished) -> None:
        for interrupt in event.interrupts:
            if interrupt.call is not None:
                self._interrupts[interrupt.id] = interrupt.call

    def seen_by_host(self, event: e.Evidence) -> None:
        self.evidence.started.add(event.call)
        if event.phase != "start":
            record = Recorded(event.content, event.phase == "error", None, "host", (event.seq,))
            self.evidence.results.setdefault(event.call, []).insert(0, record)

    def _record(
        self, call: str, content: Json, *, error: bool, message: str | None, source: str, seq: int
    ) -> None:
        found = self.evidence.results.setdefault(call, [])
        if len(found) < 4:
            found.append(Recorded(content, error, message, source, (seq,)))

    # ------------------------------------------------------------ putting it together

    def _fill(self, call: _Call) -> None:
        if not call.known:
            call.raw["function"]["arguments"] = "".join(call.args)

    def _mark(self, message: Message, built: _Built) -> None:
        message.seqs = tuple(built.seqs)
        for part in message.parts:
            part.seqs = message.seqs
            call = self.calls.get(part.id or "")
            if call is None:
                continue
            if part.kind == CALL and part.raw is call.raw:
                part.seqs = tuple(call.seqs)
                part.complete = call.ended
                part.provider = call.provider
            elif part.kind == RESULT:
                part.provider = call.provider


_TAKES: dict[type[e.Event], Json] = {
    e.TextStart: Reducer.text_start,
    e.TextDelta: Reducer.text_delta,
    e.TextEnd: Reducer.text_end,
    e.ReasoningMessageStart: Reducer.reasoning_start,
    e.ReasoningDelta: Reducer.text_delta,
    e.ReasoningMessageEnd: Reducer.text_end,
    e.ReasoningEncrypted: Reducer.encrypted,
    e.ActivitySnapshot: Reducer.activity,
    e.CallStart: Reducer.call_start,
    e.CallArgs: Reducer.call_args,
    e.CallEnd: Reducer.call_end,
    e.CallResult: Reducer.call_result,
    e.RunStarted: Reducer.run_started,
    e.InputSeen: Reducer.input_seen,
    e.RunFinished: Reducer.run_finished,
    e.MessagesSnapshot: Reducer.snapshot,
    e.Evidence: Reducer.seen_by_host,
}


def from_events(events: Iterable[e.Event], thread: Thread | None = None) -> Transcript:
    """The transcript of a thread's events, with what they prove of its calls.

    `thread` is the picture of the same events; without it, it is folded here. It says which calls
    something is about to answer: those a client, a person or a job owes and may still answer, those
    that wait behind an interrupt or a hand-over, and those that run in a run that is still open.
    """
    reducer = Reducer()
    picture = thread if thread is not None else Thread()
    for event in events:
        reducer.add(event)
        if thread is None:
            apply(picture, event)
    transcript = reducer.transcript()
    for call in picture.calls:
        waits = call.state == WAITING and (
            call.owner in (CLIENT, PERSON, BACKGROUND) or call.waits_behind is not None
        )
        owing = [number for number in (call.run, call.resumed_run) if number]
        runs = call.open and any(picture.run(number).open for number in owing)
        if waits or runs:
            transcript.evidence.pending.add(call.id)
        else:
            transcript.evidence.pending.discard(call.id)
        if call.owner == BACKGROUND:
            transcript.evidence.extra.add(call.id)
    return transcript
