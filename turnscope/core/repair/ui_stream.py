"""The live plane of the AI SDK: a UI message stream its client reads to the end, every card in an end state.

What is sound passes as it came. Before the terminal everything open is closed and what the host owes is
answered (with what it captured, else honestly); what the client would refuse is dropped or put right.
Never an answer for a client or a person: their calls stay `pending`, and `offers` cancels them for whoever
goes on without them. A stream names no owners: a call whose step was finished without its result counts as
the client's unless settings say otherwise, since the AI SDK runs a host's tools before that. What is added
says so in `providerMetadata.turnscope` or in a transient `data-turnscope` in front of it. Counterpart:
`stream.py`, the same for AG-UI.

    repaired = repair_ui_stream(ui_parts.read(data), settings)
    ui_parts.written(repaired.parts)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from turnscope.core import tools
from turnscope.core.repair import ui_parts as p
from turnscope.core.repair.owing import EARLY
from turnscope.core.repair.transcript import Change, Json, Recorded, canonical
from turnscope.core.repair.ui_calls import (
    APPROVED,
    ASKED,
    COMPLETE,
    DENIED,
    DONE,
    FINAL,
    READY,
    STREAMING,
    Plan,
    UiCall,
    continued,
    said,
)
from turnscope.core.repair.ui_sending import Sender, cancelled
from turnscope.core.repair.ui_texts import Lanes
from turnscope.core.thread import BACKGROUND, CLIENT, PROVIDER, UNKNOWN

Dict = dict[str, Json]

CUT_OFF = "The stream ended before the message did."
TAIL = (*p.ENDS, "finish-step", "error", "message-metadata")
"""What may stand behind everything else. An application's own parts may too."""
CONTENT = ("text-", "reasoning-", "tool-", "start-step", "finish-step", "reset-step")
"""What belongs in front of the terminal."""
TALK = (
    "start-step", "text-start", "text-delta", "reasoning-start", "reasoning-delta", "tool-input-start",
    "tool-input-available",
)  # fmt: skip
"""What shows that the model went on."""


@dataclass(slots=True)
class UiRepaired:
    """A UI message stream as its client accepts it."""

    parts: list[Dict]
    changes: list[Change]
    pending: list[str] = field(default_factory=list)
    """Calls that somebody outside may still answer: a client, a person, a provider, a job."""
    offers: list[Dict] = field(default_factory=list)
    """Parts that cancel those of them which nobody will answer: for whoever goes on without an answer."""
    begun: set[str] = field(default_factory=set)
    """Calls left without the answer they are owed, though they may have been run: with `answers=False`."""


def repair_ui_stream(
    parts: Iterable[Json],
    settings: Dict | None = None,
    *,
    message: Dict | None = None,
    captured: Mapping[str, Recorded] | None = None,
    started: Collection[str] = (),
    answers: bool = True,
) -> UiRepaired:
    """A recorded stream, repaired. Values that are no parts are dropped and told; nothing raises.

    `settings` name who owns a tool. `message` is the UIMessage that the stream goes on with, if it does.
    `captured` is what a host saw its tools return, by call id; `started` names calls known to have begun.
    Without `answers` no call is answered: that is for a reader who goes on to repair the history.
    """
    policy = tools.compile_settings(settings or {})
    done = UiRepaired([], [])
    sender = Sender(policy, captured or {}, frozenset(started), done, answers=answers)
    cards, gone = continued(message), []
    name = message.get("id") if message is not None else None
    for some, followed in p.messages(sender.readable(parts)):
        begins = [part["messageId"] for _, part in some if part["type"] == "start" and "messageId" in part]
        if begins and begins[0] != name:
            gone += cards
            cards = []
        name = begins[-1] if begins else name
        one = _Message(sender, cards, some)
        one.repair(followed=followed)
        cards = one.plan.calls
    left = [call for call in [*gone, *cards] if call.open and call.state != STREAMING]
    done.pending = [call.id for call in left]
    done.offers = [part for call in left for part in cancelled(call)]
    return done


class _Message:
    """One message: its parts in order, then what it owes, then its terminal."""

    def __init__(self, sender: Sender, cards: list[UiCall], parts: list[p.Placed]) -> None:
        self.out = sender
        parts, self.ends, self.behind = self._ordered(parts)
        begin = len(parts)
        while begin and _is_tail(parts[begin - 1][1]):
            begin -= 1
        self.parts, self.tail = parts[:begin], parts[begin:]
        self.cut = self.ends is None and not any(part["type"] == "error" for _, part in self.tail)
        self.plan = Plan(cards)
        self.plan.read([*parts, *self.behind])
        self.cards: dict[str, list[UiCall]] = {}
        """The cards of an id, the one it reaches last."""
        for call in cards:
            self.cards.setdefault(call.id, []).append(call)
        self.here: list[UiCall] = []
        """The cards of the current step."""
        self.lanes = Lanes(sender, self.plan.last_use)
        self.talks = max((at for at, part in parts if part["type"] in TALK), default=-1)
        """Where the model or its runtime last did something by itself."""
        self.step = 0
        self.step_open = False
        self.index = 0

    def _ordered(self, parts: list[p.Placed]) -> tuple[list[p.Placed], p.Placed | None, list[p.Placed]]:
        """(the parts in front of the terminal, the terminal, what may stay behind it)."""
        parts = self._begun(parts)
        ends = [one for one in parts if one[1]["type"] in p.ENDS]
        if not ends:
            return parts, None, []
        end = ends[0] if ends[0][1]["type"] == "abort" else [e for e in ends if e[1]["type"] == "finish"][-1]
        before: list[p.Placed] = []
        behind: list[p.Placed] = []
        for index, part in parts:
            if (index, part) == end:
                continue
            if part["type"] in p.ENDS:
                self.out.drop(index, part, "event_after_terminal", "the message has one end")
                more = part.get("messageMetadata")
                if more is not None and more != end[1].get("messageMetadata"):
                    self.out.odd[index] = "event_after_terminal"
                    before.append((index, {"type": "message-metadata", "messageMetadata": more}))
            elif index > end[0] and not part["type"].startswith(CONTENT):
                behind.append((index, part))
            else:
                if index > end[0]:
                    self.out.tell(
                        "event_after_terminal", "relocated", f"{part['type']} came behind the end", index,
                        call=part.get("toolCallId"),
                    )  # fmt: skip
                before.append((index, part))
        return before, end, behind

    def _begun(self, parts: list[p.Placed]) -> list[p.Placed]:
        """A client that meets the start behind content forgets that content: the start goes first."""
        at = next((n for n, (_, part) in enumerate(parts) if part["type"] == "start"), 0)
        if not any(part["type"].startswith(CONTENT) for _, part in parts[:at]):
            return parts
        index = parts[at][0]
        self.out.tell("event_before_run", "relocated", "the message had content before its start", index)
        return [parts[at], *parts[:at], *parts[at + 1 :]]

    def repair(self, *, followed: bool) -> None:
        for index, part in self.parts:
            self.index = index
            self._take(index, part)
        failed = self.cut or any(
            part["type"] in ("abort", "error") or part.get("finishReason") == "error"
            for _, part in [*self.parts, *self.tail, *([self.ends] if self.ends else [])]
        )
        self._wind_up(failed=failed)
        for index, part in self.tail:
            self._take(index, part)
        if self.ends is not None:
            if self.ends[1]["type"] == "finish":
                self._close_step()
            self._stranded()
            self.out.noted(*self.ends)
            self.out.send(self.ends[1])
        elif self.cut and not followed:
            self._close_step()
            self.out.add(
                {"type": "error", "errorText": CUT_OFF},
                self.index,
                "truncated_run",
                "the message never ended",
            )
        for index, part in self.behind:
            self.out.noted(index, part)
            self.out.send(part)

    # ------------------------------------------------------------ parts

    def _take(self, index: int, part: Dict) -> None:
        kind = part["type"]
        self.out.noted(index, part)
        if kind in ("start-step", "finish-step"):
            self._step(index, part)
        elif kind == "reset-step":
            self._reset(index, part)
        elif kind.startswith(("text-", "reasoning-")) and kind != "reasoning-file":
            self.lanes.take(index, part, self.step)
        elif kind.startswith("tool-"):
            self._tool(index, part, self.plan.of.get(index))
        else:
            self.out.send(part)

    def _step(self, index: int, part: Dict) -> None:
        """Where a step ends, what it left open ends too if the model went on without it."""
        begins = part["type"] == "start-step"
        if not begins:
            self._hand_over()
        if begins or index < self.talks:
            self._leave_step(index)
        if begins and self.step_open:
            self.out.add({"type": "finish-step"}, index, "unclosed_part", "its step was still open")
        if begins:
            self.here = []
        self.step += begins
        self.step_open = begins
        self.out.send(part)

    def _hand_over(self) -> None:
        for call in self.here:
            call.handed = call.handed or (call.open and call.state == READY)

    def _leave_step(self, index: int) -> None:
        self.lanes.leave(index)
        for call in self.here:
            if not call.open or max(call.result_at, call.told_at) > index:
                continue
            call.went_on = True
            if self._over(call) or self._due(call, failed=False):
                self._settle(call, index)

    def _reset(self, index: int, part: Dict) -> None:
        """The client forgets what the step has brought, and which texts are open."""
        self.lanes.forget(index, self.step)
        for call in self.here:
            call.gone = True
            self._unshadow(call.id)
        self.here = []
        self.out.send(part)

    # ------------------------------------------------------------ calls

    def _tool(self, index: int, part: Dict, call: UiCall | None) -> None:
        kind = part["type"]
        if call is None or call.gone:
            lost = kind in FINAL
            self.out.drop(
                index, part, "orphan_result" if lost else "out_of_order",
                "no part of this message announces its call", lossy=lost,
            )  # fmt: skip
        elif kind in ("tool-input-start", *COMPLETE):
            self._input(index, part, call)
        elif kind == "tool-input-delta":
            self._delta(index, part, call)
        elif kind == "tool-approval-response":
            self._answered(index, part, call)
        elif not call.shown or (call.state == STREAMING and call.complete_at > index):
            self.out.tell(
                "result_out_of_order", "relocated", f"{kind} waits for its call", index, call=call.id
            )
            call.held.append((index, part))
        elif kind == "tool-approval-request":
            self._asked(index, part, call)
        else:
            self._output(index, part, call)

    def _input(self, index: int, part: Dict, call: UiCall) -> None:
        starts = part["type"] == "tool-input-start"
        again = call.shown and call.state != STREAMING
        if again and not (part["type"] == "tool-input-error" and call.state == READY):
            self.out.drop(index, part, "duplicate_call", "its card is there already")
            return
        if call.shown and (part.get("dynamic") is True) != call.dynamic:
            part = {**part, "dynamic": call.dynamic}
            what = "it would be a second card of the same call"
            part = self.out.altered(part, index, "duplicate_call", what, call=call.id)
        if not call.shown:
            self._shadow(call, index)
        call.shown, call.name, call.text = True, part["toolName"], []
        if not starts:
            call.state = READY if part["type"] == "tool-input-available" else DONE
        self.out.send(part)
        if starts and call.complete_at > index:
            return
        held, call.held = call.held, []
        for at, one in held:
            self.out.noted(at, one)
            self._tool(at, one, call)

    def _shadow(self, new: UiCall, index: int) -> None:
        """A card whose id another one takes can be reached no more: it is settled while it can be."""
        some = self.cards.setdefault(new.id, [])
        if some and some[-1].open:
            some[-1].went_on = True
            if self._over(some[-1]) or self._due(some[-1], failed=False):
                self._settle(some[-1], index)
            some[-1].shadowed = True
        some.append(new)
        self.here.append(new)

    def _unshadow(self, name: str) -> None:
        """The card that took an id is gone: the one before it has the id again."""
        some = self.cards[name]
        while some and some[-1].gone:
            some.pop()
        if some:
            some[-1].shadowed = False

    def _delta(self, index: int, part: Dict, call: UiCall) -> None:
        if not call.shown or call.state != STREAMING:
            self.out.drop(index, part, "out_of_order", "its arguments are not being told")
            return
        call.text.append(part["inputTextDelta"])
        self.out.send(part)

    def _asked(self, index: int, part: Dict, call: UiCall) -> None:
        if call.state == DONE:
            self.out.drop(index, part, "out_of_order", "its call has a result already")
            return
        if self.plan.approvals.get(part["approvalId"]) is not call:
            self.out.drop(index, part, "out_of_order", "the same question asks about another call")
            return
        call.state, call.approval = ASKED, part["approvalId"]
        self.out.send(part)

    def _answered(self, index: int, part: Dict, call: UiCall) -> None:
        """Of two answers to one question the first counts."""
        if call.state != ASKED or call.approval != part["approvalId"]:
            self.out.drop(index, part, "duplicate_result", "nobody asks that any more", lossy=True)
            return
        call.state = APPROVED if part["approved"] else DENIED
        self.out.send(part)

    def _output(self, index: int, part: Dict, call: UiCall) -> None:
        final = part.get("preliminary") is not True
        if final and index != call.result_at and call.result_at >= 0:
            differs = canonical(said(part)) != canonical(call.result)
            self.out.drop(index, part, "duplicate_result", "its call has one that counts", lossy=differs)
        elif call.state == DONE:
            self.out.drop(index, part, "duplicate_result", "its call has a result already", lossy=final)
        elif not final and call.state in (ASKED, DENIED) and call.result_at < index:
            self.out.drop(index, part, "out_of_order", "its call waits for a person")
        else:
            call.state = DONE if final else call.state
            call.progress = call.progress if final else [part.get("output")]
            self.out.send(part)

    # ------------------------------------------------------------ the end

    def _wind_up(self, *, failed: bool) -> None:
        self.lanes.close(self.index)
        if any(part["type"] == "finish-step" for _, part in self.tail):
            self._hand_over()
        for call in self.plan.calls:
            earlier = call.step < 0 and call.state == READY
            if call.open and (self._over(call) or (not earlier and self._due(call, failed=failed))):
                self._settle(call, self.index)

    def _over(self, call: UiCall) -> bool:
        """Whether it ends whoever owes it: it is no call yet, or it was declined."""
        return call.state in (STREAMING, DENIED) and not call.shadowed

    def _due(self, call: UiCall, *, failed: bool) -> bool:
        """Whether the call is the host's to answer, now that nobody will answer it any more."""
        owner = self.out.owner(call)
        if call.state == ASKED or call.shadowed or owner in (CLIENT, BACKGROUND, PROVIDER):
            return False
        known = owner != UNKNOWN or call.went_on or call.progress or call.state == APPROVED
        return bool(known or (failed and not call.handed) or call.id in self.out.captured)

    def _settle(self, call: UiCall, index: int) -> None:
        self.out.answer(call, index, here=call.step == self.step)
        call.state = DONE

    def _close_step(self) -> None:
        if self.step_open:
            self.out.add({"type": "finish-step"}, self.index, "unclosed_part", "its step was still open")
            self.step_open = False

    def _stranded(self) -> None:
        """A message that ended on the harness's own calls stopped early, and says so."""
        if self.out.stranded and not any(call.open for call in self.plan.calls):
            why = "it ended on the harness's own call"
            self.out.add({"type": "error", "errorText": EARLY}, self.index, "ended_on_harness_call", why)
        self.out.stranded = False


def _is_tail(part: Dict) -> bool:
    return part["type"] in TAIL or part["type"].startswith(p.DATA)
