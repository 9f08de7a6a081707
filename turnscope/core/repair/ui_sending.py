"""What the repair of a UI message stream sends and tells: parts, marks, honest answers, changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from turnscope.core.repair import ui_parts as p
from turnscope.core.repair.texts import TEXTS
from turnscope.core.repair.transcript import Change, Json, Recorded, as_text, compact, parsed
from turnscope.core.repair.ui_calls import ASKED, DENIED, STREAMING, UiCall
from turnscope.core.thread import HARNESS, PROVIDER, UNKNOWN
from turnscope.core.tools import Policy

Dict = dict[str, Json]

PROGRESS = 2000
"""Characters of a last progress report that go into a synthetic text."""
OWN_MARK = ("tool-input-error", "tool-output-available", "tool-output-error")
"""Types whose part keeps our mark, in its provider metadata, where a reader of the message finds it."""


class Out(Protocol):
    parts: list[Dict]
    changes: list[Change]
    begun: set[str]


class Sender:
    """Everything that leaves goes through here."""

    def __init__(
        self, policy: Policy, captured: Mapping[str, Recorded], started: frozenset[str], out: Out, *,
        answers: bool = True,
    ) -> None:  # fmt: skip
        self.policy = policy
        self.captured = captured
        self.started = started
        self.out = out
        self.answers = answers
        self.odd: dict[int, str] = {}
        """Places of parts that were put right -> the code."""
        self.note: Dict | None = None
        self.stranded = False
        """A call of the harness's own was answered here."""

    def owner(self, call: UiCall) -> str:
        if call.provider:
            return PROVIDER
        found = self.policy.owner(call.name)
        return found[0] if found else UNKNOWN

    def readable(self, parts: Iterable[Json]) -> list[tuple[int, Dict]]:
        """The parts a client can take, with their places; what can be put right is, the rest is dropped."""
        found: list[tuple[int, Dict]] = []
        for index, came in enumerate(parts):
            part, why, odd = p.put_right(came)
            if part is None:
                told = isinstance(came, dict) and isinstance(came.get("type"), str)
                code = "unreadable_frame" if not told else "invalid_event"
                kind = str(came["type"])[:60] if told else "a frame"
                if told and kind not in p.FIELDS:
                    code = "unknown_event"
                self.tell(code, "dropped", f"{kind} was dropped: {why}", index)
                continue
            if odd:
                self.odd[index] = "invalid_event"
                self.tell(
                    "invalid_event", "relabelled", f"{part['type']} was put right: {', '.join(odd)}", index
                )
            found.append((index, part))
        return found

    # ------------------------------------------------------------ out

    def send(self, part: Dict) -> None:
        """Sends what came, with a mark in front of it if it is not quite what came."""
        if self.note is not None:
            self.out.parts.append(self.note)
        self.note = None
        self.out.parts.append(part)

    def noted(self, index: int, part: Dict) -> None:
        """The part at hand, which may be sent or not."""
        odd, call = self.odd.get(index), part.get("toolCallId")
        self.note = p.marked(part["type"], "relabelled", odd, call) if odd else None

    def add(
        self, part: Dict, index: int, code: str, why: str, *, action: str = "filler_added",
        call: str | None = None, text: str = "",
    ) -> None:  # fmt: skip
        """Sends a part of ours."""
        kind = part["type"]
        if kind in OWN_MARK:
            part = {**part, "providerMetadata": p.mark(action, code)}
        else:
            self.out.parts.append(p.marked(kind, action, code, call))
        self.tell(code, action, f"{kind} was added: {why}", index, call=call, made=True, text=text)
        self.out.parts.append(part)

    def altered(self, part: Dict, index: int, code: str, what: str, *, call: str | None = None) -> Dict:
        """The part, told as not quite what came."""
        self.note = p.marked(part["type"], "relabelled", code, call)
        self.tell(code, "relabelled", f"{part['type']} was put right: {what}", index, call=call)
        return part

    def drop(self, index: int, part: Dict, code: str, why: str, *, lossy: bool = False) -> None:
        self.tell(
            code,
            "dropped",
            f"{part['type']} was dropped: {why}",
            index,
            call=part.get("toolCallId"),
            lossy=lossy,
        )

    def tell(
        self, code: str, action: str, reason: str, index: int, *, call: str | None = None, made: bool = False,
        lossy: bool = False, text: str = "",
    ) -> None:  # fmt: skip
        """Records one change. `src` and `dst` are places in the two streams, counted from 0."""
        self.out.changes.append(
            Change(
                code=code, action=action, src=((index, 0),),
                dst=((len(self.out.parts), 0),) if made else (), call_id=call, reason=f"{reason}.",
                rule="strict_client", lossy=lossy, seqs=(index + 1,), text=text,
            )
        )  # fmt: skip

    # ------------------------------------------------------------ answers

    def answer(self, call: UiCall, index: int, *, here: bool) -> None:
        """The result a host captured, or one that says what is known. `here`: its step is still open."""
        if not self.answers:
            if self._begun(call):
                self.out.begun.add(call.id)
            return
        self.stranded = self.stranded or self.owner(call) == HARNESS
        about: Dict = {"toolCallId": call.id}
        known = self.captured.get(call.id)
        if call.state == STREAMING and here:
            raw = "".join(call.text)
            fit = parsed(raw) if raw.strip() else None
            about |= {"toolName": call.name, "input": raw if fit is None else fit, "dynamic": call.dynamic}
            part = {"type": "tool-input-error", **about, "errorText": TEXTS["unparsed"]}
            why = "its arguments never completed"
            self.add(
                part, index, "unclosed_call", why, action="answered", call=call.id, text=TEXTS["unparsed"]
            )
        elif call.state == DENIED:
            part = {"type": "tool-output-denied", **about}
            self.add(part, index, "unanswered_call", "a person had said no", action="answered", call=call.id)
        elif known is not None:
            why = "a host captured it, and the stream lost it"
            kind = "tool-output-error" if known.error else "tool-output-available"
            content = {"errorText": as_text(known.content)} if known.error else {"output": known.content}
            self.add({"type": kind, **about, **content}, index, "result_recovered", why, action="recovered",
                     call=call.id)  # fmt: skip
        else:
            text = self._text(call)
            part = {"type": "tool-output-error", **about, "errorText": text}
            self.add(part, index, "unanswered_call", "nobody answered the call", action="answered",
                     call=call.id, text=text)  # fmt: skip

    def _text(self, call: UiCall) -> str:
        if call.progress:
            last = call.progress[0] if isinstance(call.progress[0], str) else compact(call.progress[0])
            return f"{TEXTS['unknown']}\nlast progress: {last[:PROGRESS]}"
        if call.state == STREAMING:
            return TEXTS["unparsed"]
        return TEXTS["unknown" if self._begun(call) else "not_executed"]

    def _begun(self, call: UiCall) -> bool:
        """Whether it may have been run: a host runs its tools before their step is finished."""
        return call.went_on or not call.handed or call.id in self.started


def cancelled(call: UiCall) -> list[Dict]:
    """The parts that cancel a call which somebody outside owes."""
    if call.state == ASKED and call.approval is not None:
        text = TEXTS["unapproved"]
        no: Dict = {"type": "tool-approval-response", "approvalId": call.approval, "approved": False}
        return [{**no, "reason": text}, {"type": "tool-output-denied", "toolCallId": call.id}]
    if call.provider:
        return []
    return [{
        "type": "tool-output-error", "toolCallId": call.id, "errorText": TEXTS["cancelled"],
        "providerMetadata": p.mark("cancelled", "pending_call"),
    }]  # fmt: skip
