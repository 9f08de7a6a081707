"""What a thread's target would refuse of the history as it would be sent now. What T01 and T03 share.

The picture holds no payload, so it is judged from facts: calls without a result where one counts, results
that come too late or twice or answer nothing, arguments nothing can read, ids of a form that is refused or
used twice, and messages without a word. Other contents are the export's to check
(`core/repair/validate.py`). Kept up call by call, so that a thread of any length stays linear. A call that
something may still answer, and is waited for, is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from ..arguments import UNUSABLE
from ..events import Event, InputSeen, Opened, RunFailed, RunStarted, SettingsInForce
from ..repair.targets import TARGETS, Target
from ..thread import BACKGROUND, ORPHAN, PROVIDER, Call, Ref, Thread
from ..walk import Held
from . import finding as f
from . import sentences

IDS = ("id_format", "id_too_long", "id_reused", "name_format")
"""Kinds that no repair can mend, since no id and no name is ever changed."""
LATE_ARGUMENTS = "fragment after the end"
LOOKED_AT = 64
"""How many results without a call are looked at: one is enough to be refused."""
TURNS = 8
"""How often the errors of one thread may name another target: each time every call is asked anew."""
CONFIGURED, SENT_TO, OWN = "the channel's settings name it", "an error of its own says so", "its own shape"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing the target refuses about one call."""

    kind: str
    """As `core/repair/validate.py` codes it."""
    rule: str
    """The field of the target's row."""
    what: str


@dataclass(slots=True)
class Refusals:
    """The refusals of one thread, and whose they are. The judge feeds it every event and what it touched."""

    name: str = ""
    """The target; "" while nobody knows where the history goes: then nothing is refused."""
    why: str = ""
    """How the target is known."""
    of: dict[int, tuple[Refusal, ...]] = field(default_factory=dict)
    """Call number -> what is refused about it."""
    said: bool = False
    """The last run was refused in the target's own words, and they alone name the target: R05 says it."""
    _held: int = 0
    _resting: bool = False
    _sent_to: str = ""
    _turns: int = 0
    _own: str = ""

    @property
    def target(self) -> Target:
        return TARGETS[self.name]

    def hear(self, thread: Thread, event: Event, touched: Iterable[Ref], *, resting: bool) -> bool:
        """Take one event; whether T01 and T03 are to be asked. `resting`: no run is open."""
        kind_ = type(event)
        if kind_ is RunStarted or kind_ is InputSeen:
            self.said = False
        chosen = kind_ in (SettingsInForce, RunFailed, Opened) and self._choose(thread, event)
        if not self.name and not chosen:
            return False
        held = thread.held
        if chosen:
            moved = self._anew(thread, range(len(thread.calls)))
        elif held is not None and held.seq != self._held:
            moved = self._anew(thread, _carried(thread, held))
        else:
            moved = False
            for kind, number in touched:
                moved = (kind == "call" and self._one(thread, thread.calls[number - 1])) or moved
        turned, self._resting = resting != self._resting, resting
        return turned or (moved and resting)

    def _choose(self, thread: Thread, event: Event) -> bool:
        """Which target it is, strongest word first. Whether that changed."""
        spoke = ""
        if isinstance(event, RunFailed):
            known = sentences.match(event.message, event.code or "")
            if known is not None and known.target in TARGETS and self._turns < TURNS:
                self._turns += known.target != self._sent_to
                self._sent_to = spoke = known.target
        elif isinstance(event, Opened):
            # An AG-UI stream is on its way to some model, and does not say to which.
            self._own = event.dialect if event.dialect in TARGETS and event.dialect != "ag_ui" else ""
        configured = thread.settings.get("target")
        if not isinstance(configured, str) or configured not in TARGETS:
            configured = ""
        before = self.name
        words = ((configured, CONFIGURED), (self._sent_to, SENT_TO), (self._own, OWN))
        self.name, self.why = next(((name, why) for name, why in words if name), ("", ""))
        self.said = isinstance(event, RunFailed) and self.why == SENT_TO and bool(spoke)
        return self.name != before

    def _anew(self, thread: Thread, indices: Iterable[int]) -> bool:
        """A history replaced what was known, or the target changed: these calls are all there are."""
        before, self.of = self.of, {}
        self._held = thread.held.seq if thread.held is not None else 0
        if self.name:
            for index in indices:
                self._one(thread, thread.calls[index])
        return bool(before or self.of)

    def _one(self, thread: Thread, call: Call) -> bool:
        refused = refusals(thread, call, self.target)
        if refused == self.of.get(call.number, ()):
            return False
        if refused:
            self.of[call.number] = refused
        else:
            del self.of[call.number]
        return True


def _carried(thread: Thread, held: Held) -> Iterable[int]:
    """Indices of the calls a history speaks of, in its order."""
    for id_ in (*held.calls, *held.unannounced):
        numbers = thread.by_id.get(id_)
        if numbers:
            yield numbers[-1] - 1


def refusals(thread: Thread, call: Call, target: Target) -> tuple[Refusal, ...]:
    """What the target refuses about the call as the history has it now; () if it is not in there."""
    held = thread.held
    since = held.seq if held is not None else 0
    carried = held is not None and call.id in held.calls and _newest_at(thread, call, since)
    streamed = call.start_seq > since
    if not carried and not streamed:
        return _orphan(thread, call, target, since) if call.state == ORPHAN else ()
    if call.owner == PROVIDER:
        return ()
    found = []
    code = target.id_problem(call.id)
    if code is not None:
        rule = "id_max" if code == "id_too_long" else "id_pattern"
        found.append(Refusal(code, rule, f"the id {f.shown(call.id)!r} of {f.named(call)} is not accepted"))
    elif target.id_scope.value == "request" and _reused(thread, call, since, carried=carried):
        found.append(Refusal("id_reused", "id_scope", f"the id of {f.named(call)} stands there twice"))
    if code := target.name_problem(call.name):
        found.append(Refusal(code, "name_pattern", f"the name of {f.named(call)} is not accepted"))
    # A job's call does not hold the conversation up: what is said behind it is sent with it.
    if not call.open or (call.owner == BACKGROUND and call.followed_seq):
        found += _answers(thread, call, target, since, carried=carried)
        found += _arguments(call, target)
    return tuple(found)


def _newest_at(thread: Thread, call: Call, seq: int) -> bool:
    """Whether this was the newest call of its id when the history at `seq` came."""
    numbers = thread.by_id[call.id]
    if call.occurrence == len(numbers):
        return call.start_seq <= seq
    return call.start_seq <= seq < thread.calls[numbers[call.occurrence] - 1].start_seq


def _orphan(thread: Thread, call: Call, target: Target, since: int) -> tuple[Refusal, ...]:
    held = thread.held
    streamed = any(one.plane == "stream" and one.seq > since and not one.preliminary for one in call.answers)
    if not target.orphans.value or not (streamed or (held is not None and call.id in held.unannounced)):
        return ()
    return (Refusal("orphan_result", "orphans", f"a result for {f.named(call)} answers no call"),)


def _reused(thread: Thread, call: Call, since: int, *, carried: bool) -> bool:
    held = thread.held
    if carried:
        return held is not None and call.id in held.again
    if held is not None and call.id in held.calls:
        return True
    numbers = thread.by_id[call.id]
    return call.occurrence > 1 and thread.calls[numbers[call.occurrence - 2] - 1].start_seq > since


def _answers(thread: Thread, call: Call, target: Target, since: int, *, carried: bool) -> Iterable[Refusal]:
    """Whether exactly one result stands where the target looks for it."""
    held = thread.held
    between = held.between.get(call.id) if carried and held is not None else None
    streamed = [
        one for one in call.answers if one.plane == "stream" and one.seq > since and not one.preliminary
    ]
    if between is not None:
        told = {one.message for one in call.answers if one.plane == "history"}
        streamed = [one for one in streamed if one.message not in told]
    results = len(streamed) + (between is not None)
    if not results:
        if target.answered.value:
            yield Refusal("unanswered_call", "answered", f"{f.named(call)} has no result")
        return
    parted = next((role for role in between or () if role in target.boundary.value), None)
    if parted is not None:
        what = f"the result of {f.named(call)} stands behind a message of the {parted}'s"
        yield Refusal("unanswered_call", "adjacency", what)
    twice = results > 1 or (carried and held is not None and call.id in held.twice)
    if twice and target.duplicates.value:
        yield Refusal("duplicate_result", "duplicates", f"{f.named(call)} has more than one result")


def _arguments(call: Call, target: Target) -> Iterable[Refusal]:
    if target.arguments.value in ("text", "either") or call.args_verdict not in (*UNUSABLE, LATE_ARGUMENTS):
        return
    if call.history_digest and call.history_digest != call.args_digest:
        return  # the history tells other arguments than the stream did
    yield Refusal("malformed_arguments", "arguments", f"the arguments of {f.named(call)} are no JSON object")


def loose(thread: Thread, target: Target) -> list[tuple[str, str, str]]:
    """(what, where, rule) of what the target refuses about no call of the thread: results in the history
    whose calls nobody knows, and messages without a word, there or streamed since."""
    held = thread.held
    found: list[tuple[str, str, str]] = []
    if held is not None and target.orphans.value and not held.refers_back:
        found += [
            (f"a result for {f.shown(id_)} answers no call", f"messages[{index}]", "orphans")
            for id_, index in islice(held.unannounced.items(), LOOKED_AT)
            if id_ not in thread.by_id
        ]
    blanks = held.blanks if held is not None else ()
    silent = [(f"messages[{index}]", role, kind) for index, role, kind in blanks]
    silent += [(f"event {seq}", "assistant", "empty") for seq in thread.silent.values()]
    ruled = ((where, _silence(target, role, kind)) for where, role, kind in silent)
    return found + [("a message has no text", where, rule) for where, rule in ruled if rule]


def _silence(target: Target, role: str, kind: str) -> str:
    """The rule that refuses a message which says nothing in this way; "" if none does."""
    if kind == "none":
        return "empty_message" if target.empty_message.value else ""
    wanted = target.empty_text.value
    if wanted == "forbidden_alone" and role != "assistant":
        return ""
    return "empty_text" if wanted != "ok" and (kind == "empty" or wanted == "forbidden_blank") else ""


# ---------------------------------------------------------------- what the two rules say


def of_thread(
    rule: tuple[str, str], thread: Thread, calls: list[Call], message: str, repair: str
) -> f.Finding:
    """A finding about the thread as it stands now, with the calls it is about."""
    run = thread.runs[-1] if thread.runs else None
    held = thread.held.seq if thread.held is not None else 0
    seqs = (*(seq for call in calls[:6] for seq in (call.start_seq or call.history_seq,)), held)
    return f.Finding(
        rule[0],
        rule[1],
        f.ERROR,
        thread.name or "#1",
        1,
        f.evidence((*seqs, run.end_seq or run.last_seq) if run is not None else seqs),
        f.UNKNOWN,
        "whoever sends the history next sends it as it stands",
        message,
        repair,
        thread.turns[-1].number if thread.turns else 0,
        run.number if run is not None else 0,
        calls[0].number if calls else 0,
    )


def place(thread: Thread, call: Call) -> str:
    """Where in the history: the message of the last one that carries it, else the event it came by."""
    held = thread.held
    if held is not None and call.start_seq <= held.seq and call.id in held.calls:
        return f"messages[{held.calls[call.id]}]"
    if held is not None and call.state == ORPHAN and call.id in held.unannounced:
        return f"messages[{held.unannounced[call.id]}]"
    return f"event {call.start_seq or call.answers[0].seq}" if call.start_seq or call.answers else "nowhere"
