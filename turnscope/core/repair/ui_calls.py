"""The calls of one message of an AI SDK UI stream, as its client tells them apart.

A recording is read to its end before anything is sent: of two results the real one is known, and a result
that came too early waits for its call. Counterpart: `ui_stream.py`, which sends.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from turnscope.core.repair.texts import placeholder
from turnscope.core.repair.ui_parts import Dict

STREAMING, READY, ASKED, APPROVED, DENIED, DONE = "streaming", "ready", "asked", "approved", "denied", "done"
INPUTS = ("tool-input-start", "tool-input-available", "tool-input-error")
COMPLETE = ("tool-input-available", "tool-input-error")
FINAL = ("tool-output-available", "tool-output-error", "tool-output-denied")
STATES = {
    "input-streaming": STREAMING, "input-available": READY, "approval-requested": ASKED,
    "output-available": DONE, "output-error": DONE, "output-denied": DONE,
}  # fmt: skip
"""What a part of a message that is being continued says of its call."""


@dataclass(slots=True, eq=False)
class UiCall:
    """One card. The same id in a later step is another card."""

    id: str
    name: str = ""
    step: int = 0
    """The number of its step; -1: of an earlier message, which this one goes on with."""
    dynamic: bool = False
    provider: bool = False
    state: str = STREAMING
    shown: bool = False
    """The client has its card."""
    text: list[str] = field(default_factory=list)
    """The pieces of its arguments."""
    approval: str | None = None
    progress: list[object] = field(default_factory=list)
    """Its newest preliminary output, if there was one."""
    finals: list[tuple[int, Dict]] = field(default_factory=list)
    """Where its results stand in the recording."""
    complete_at: int = -1
    """Where its arguments are complete; -1: nowhere."""
    told_at: int = -1
    """Where its arguments are told or asked about for the last time."""
    held: list[tuple[int, Dict]] = field(default_factory=list)
    """What came before its arguments were complete."""
    gone: bool = False
    """A step that was begun anew has taken the card away."""
    shadowed: bool = False
    """Another card has its id now: no part can reach it any more."""
    handed: bool = False
    """Its step was finished without its result: the AI SDK runs a host's tools before, so it is another's."""
    went_on: bool = False
    """The model went on without its result."""

    result_at: int = -1
    """Where the result that counts stands: the first real one, else the first; -1: nowhere."""
    result: object = None
    """What it says."""

    def decide(self) -> None:
        """All results are known: one of them counts."""
        real = (one for one in self.finals if not placeholder(said(one[1])))
        found = next(real, self.finals[0] if self.finals else None)
        if found is not None:
            self.result_at, self.result = found[0], said(found[1])

    @property
    def open(self) -> bool:
        return self.shown and not self.gone and self.state != DONE


def said(part: Dict) -> object:
    """What a result says."""
    if part["type"] == "tool-output-denied":
        return "denied"
    return part.get("output", part.get("errorText"))


class Plan:
    """Which card each part of a message speaks of."""

    def __init__(self, known: list[UiCall]) -> None:
        self.calls = list(known)
        """In the order they were announced, those of a message that is continued first."""
        self.of: dict[int, UiCall] = {}
        """Index of a part -> its card; a part that is not here speaks of none."""
        self.last_use: dict[tuple[str, str], int] = {}
        """(text or reasoning, its id) -> where it is last continued or ended."""
        self._newest: dict[str, list[UiCall]] = {}
        self._open: set[tuple[str, str]] = set()
        self._here: dict[str, UiCall] = {}
        self._early: dict[str, tuple[int, Dict]] = {}
        self.approvals: dict[str, UiCall] = {}
        """Approval id -> the first card it was asked for."""
        self._step = 0
        for call in known:
            call.step = -1
            self._newest.setdefault(call.id, []).append(call)
            if call.approval is not None:
                self.approvals[call.approval] = call

    def read(self, parts: list[tuple[int, Dict]]) -> None:
        for index, part in parts:
            self._take(index, part)
        for call in self.calls:
            call.decide()

    def _take(self, index: int, part: Dict) -> None:
        kind = part["type"]
        if kind == "start-step":
            self._step += 1
            self._here = {}
        elif kind == "reset-step":
            for call in self._here.values():
                self._newest[call.id].remove(call)
            self._here = {}
            self._open.clear()
        elif kind in INPUTS:
            self.of[index] = self._announced(index, part)
        elif kind == "tool-input-delta":
            if part["toolCallId"] in self._here:
                self.of[index] = self._here[part["toolCallId"]]
        elif kind == "tool-approval-response":
            if part["approvalId"] in self.approvals:
                self.of[index] = self.approvals[part["approvalId"]]
        elif kind.startswith("tool-"):
            self._about(index, part)
        elif kind.startswith(("text-", "reasoning-")) and "id" in part:
            lane, _, what = kind.partition("-")
            self._text(index, lane, what, part["id"])

    def _text(self, index: int, kind: str, what: str, name: str) -> None:
        if (kind, name) in self._open and what != "start":
            self.last_use[kind, name] = index
        if what == "end":
            self._open.discard((kind, name))
        else:
            self._open.add((kind, name))

    def _announced(self, index: int, part: Dict) -> UiCall:
        call = self._here.get(part["toolCallId"])
        if call is None:
            call = UiCall(part["toolCallId"], part["toolName"], self._step, part.get("dynamic") is True)
            self._here[call.id] = call
            self.calls.append(call)
            self._newest.setdefault(call.id, []).append(call)
            if early := self._early.pop(call.id, None):
                call.finals.append(early)
                self.of[early[0]] = call
        call.provider = call.provider or part.get("providerExecuted") is True
        if call.complete_at < 0 or part["type"] == "tool-input-error":
            call.told_at = index
        if call.complete_at < 0 and part["type"] == "tool-input-available":
            call.complete_at = index
        return call

    def _about(self, index: int, part: Dict) -> None:
        kind, name = part["type"], part["toolCallId"]
        found = self._here.get(name) or next(iter(self._newest.get(name, [])[-1:]), None)
        final = kind in FINAL and part.get("preliminary") is not True
        if found is None:
            if final:
                self._early[name] = (index, part)
            return
        self.of[index] = found
        if final:
            found.finals.append((index, part))
        elif kind == "tool-approval-request":
            if self.approvals.setdefault(part["approvalId"], found) is found:
                found.told_at = index


def continued(message: Dict | None) -> list[UiCall]:
    """The cards of a message that the stream goes on with."""
    parts = message.get("parts") if isinstance(message, dict) else None
    found = []
    for part in parts if isinstance(parts, list) else []:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str) or not isinstance(part.get("toolCallId"), str):
            continue
        name = str(part.get("toolName", "")) if kind == "dynamic-tool" else kind.removeprefix("tool-")
        call = UiCall(
            part["toolCallId"], name, 0, kind == "dynamic-tool", part.get("providerExecuted") is True
        )
        approval = part.get("approval")
        approval = approval if isinstance(approval, dict) else {}
        call.shown = True
        call.state = STATES.get(str(part.get("state")), READY)
        if isinstance(approval.get("id"), str):
            call.approval = approval["id"]
        if part.get("state") == "approval-responded":
            call.state = APPROVED if approval.get("approved") is True else DENIED
        found.append(call)
    return found
