"""What the repair of a stream knows and sends: the picture, a strict client's books, the events, the changes.

The picture is of what is sent, with the marks and inputs that came beside it; a terminal alone is folded
before what it makes necessary is sent. `stream.py` and `ending.py` decide.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnscope.core import events as e
from turnscope.core.dialects.ag_ui import Reader
from turnscope.core.fold import apply
from turnscope.core.framing import Decoded
from turnscope.core.repair import respell as r
from turnscope.core.repair.strict import Client
from turnscope.core.repair.transcript import Change, Json, Recorded
from turnscope.core.thread import Call, Run, Thread

Dict = dict[str, Json]
CALLS = (e.CallStart, e.CallArgs, e.CallEnd, e.CallResult)


@dataclass(slots=True)
class Hindsight:
    """What a recording, read to its end, tells about its middle. Empty for a live stream."""

    calls: dict[tuple[str, int], Call] = field(default_factory=dict)
    """(id, occurrence) -> the call as it stands at the end."""
    spurious: set[int] = field(default_factory=set)
    """Results that a real one of the same call follows (by identity of the event)."""
    early: set[int] = field(default_factory=set)
    """Results whose call is announced only later."""


class Sending:
    """The books of one repaired stream."""

    def __init__(self, settings: Dict | None, context: Iterable[e.Event], hindsight: Hindsight) -> None:
        self.thread = Thread()
        self.client = Client()
        self.reader = Reader()
        """Reads what is sent as the client does, chunks expanded."""
        self.changes: list[Change] = []
        self.hindsight = hindsight
        self.captured: dict[str, Recorded] = {}
        """What a host saw its tools answer."""
        self.results: dict[str, Dict] = {}
        """Call id -> the tool message its newest occurrence has, sent or known from a history."""
        self.interrupts: dict[str, e.Interrupt] = {}
        self.sent: list[Dict] = []
        """What is to go out for the frame at hand."""
        self.count = 0
        """How many events have gone out before."""
        self.moment = (0, 0, 0)
        """seq, at and stream of the frame at hand."""
        if settings:
            self.know(e.SettingsInForce(settings))
        for event in context:
            self.know(event)
            self.remember(event)

    # ------------------------------------------------------------ in

    def know(self, event: e.Event) -> None:
        """Folds an event. Where a stream ends is for `ending.cut` to say."""
        if isinstance(event, e.Closed):
            return
        if isinstance(event, e.Evidence) and event.phase != "start":
            self.captured[event.call] = Recorded(event.content, event.phase == "error", seqs=(event.seq,))
        elif isinstance(event, e.RunFinished):
            self.interrupts.update({one.call: one for one in event.interrupts if one.call is not None})
        elif isinstance(event, e.RunStarted | e.InputSeen) and event.input is not None:
            self.learn(event.input.messages)
        apply(self.thread, event)

    def learn(self, messages: tuple[e.HistoryMessage, ...]) -> None:
        """The results a history carries."""
        for found in messages:
            spelled = r.message(found) if found.answers is not None else None
            if spelled is not None and found.answers is not None:
                self.results[found.answers] = spelled

    def remember(self, event: e.Event) -> None:
        """What the client has of results once the event is sent."""
        if isinstance(event, e.CallResult):
            self.results[event.id] = {
                "id": event.message or f"{event.id}-result",
                "role": "tool",
                "toolCallId": event.id,
                "content": r.content(event.content),
            }
        elif isinstance(event, e.MessagesSnapshot):
            self.learn(event.messages)

    def run(self) -> Run:
        """The run that is open, or ended last."""
        return self.thread.runs[self.thread.streams[self.stream()].run - 1]

    def stream(self) -> int:
        return self.thread.runs[-1].stream if self.thread.runs else 0

    def new_id(self, wanted: str) -> str:
        """A message id that no message of the thread has."""
        number, found = 1, wanted
        while found in self.thread.messages or found in self.thread.known:
            number += 1
            found = f"{wanted}-{number}"
        return found

    # ------------------------------------------------------------ out

    def send(self, value: Dict, *, known: bool = False) -> None:
        """Sends an event; `known` says that the picture has it already."""
        self.sent.append(value)
        self.count += 1
        for event in self.reader.read(_decoded(value)):
            self.client.take(event)
            if not known:
                event.seq, event.at, event.stream = self.moment
                self.know(event)
                self.remember(event)

    def refused(self, value: Dict) -> str | None:
        """In a few words why the client would throw at this event; None if it would not."""
        plain = not self.reader.pending()
        reader = self.reader if plain and not _is_chunk(value) else copy.deepcopy(self.reader)
        events = reader.read(_decoded(value))
        client = self.client if len(events) == 1 else copy.deepcopy(self.client)
        for event in events:
            if isinstance(event, e.Odd):
                return f"{event.path} {event.problem}"
            if client.alien(event):
                return "it belongs to another agent"
            if why := client.refuses(event):
                return why
            if client.in_lane(event):
                return "it ends with the chunks that opened it"
            client.take(event)
        return None

    def add(
        self,
        event: e.Event,
        value: Dict,
        code: str,
        why: str,
        *,
        call: str | None = None,
        action: str = "filler_added",
        text: str = "",
        known: bool = False,
    ) -> None:
        """Sends an event of ours, at the time of the one that made it necessary."""
        beside: Dict = {"timestamp": value.get("timestamp")}
        spelled = r.respell(event, beside) or r.unnamed(event, beside)
        if spelled is None:
            return
        spelled["metadata"] = mark(code, action)
        self.tell(code, action, f"{spelled['type']} was added: {why}", event, call=call, made=True, text=text)
        self.send(spelled, known=known)

    def altered(self, value: Dict, event: e.Event, code: str, what: str, *, call: str | None = None) -> Dict:
        """The event with the mark that it is not quite what came; why is told."""
        kind = value.get("type")
        self.tell(
            code,
            "relabelled",
            f"{kind} was put right{f': {what}' if what else ''}",
            event,
            call=call,
            made=True,
        )
        return marked(value, code)

    def drop(self, event: e.Event, code: str, why: str, *, lossy: bool = False) -> Change:
        """Tells that an event is not sent on. Repetitions of one reason are one change."""
        call = event.id if isinstance(event, CALLS) else None
        what = f"{type(event).__name__} was dropped{f': {why}' if why else ''}."
        last = self.changes[-1] if self.changes else None
        if last is not None and (last.code, last.action, last.call_id, last.reason) == (
            code, "dropped", call, what,
        ):  # fmt: skip
            last.seqs += (event.seq,)
            return last
        return self.tell(code, "dropped", what, event, call=call, lossy=lossy)

    def tell(
        self,
        code: str,
        action: str,
        reason: str,
        event: e.Event,
        *,
        call: str | None = None,
        made: bool = False,
        lossy: bool = False,
        text: str = "",
    ) -> Change:
        """Records one change. `dst` is the place in the repaired stream, counted from 0."""
        change = Change(
            code=code,
            action=action,
            src=(),
            dst=((self.count, 0),) if made else (),
            call_id=call,
            reason=f"{reason.rstrip('.')}.",
            rule="strict_client",
            lossy=lossy,
            seqs=(event.seq,) if event.seq else (),
            text=text,
        )
        self.changes.append(change)
        return change


def _decoded(value: Dict) -> Decoded:
    return Decoded(value=value, envelope=None, reason="", blank=False)


def _is_chunk(value: Dict) -> bool:
    return str(value.get("type", "")).endswith("_CHUNK")


def mark(code: str, action: str = "filler_added") -> Dict:
    """The metadata of an event of ours."""
    return {"turnscope": {"synthetic": action, "code": code}}


def marked(value: Dict, code: str) -> Dict:
    """The event with `code` among what was altered in it; the given one is left alone."""
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    mark = metadata.get("turnscope")
    codes = mark.get("altered", []) if isinstance(mark, dict) else []
    return {**value, "metadata": {**metadata, "turnscope": {"altered": [*codes, code]}}}
