"""For hosts: what to answer before a run ends, and whether it may end. Pure; asks nobody and sends nothing.

A host calls it when a step of its model is over. Counterparts: `owing.py`, the same for recorded runs, and
`turnscope.client.Recorder.capture`, which is how a host learns what its tools returned.

    settled = settle(step.tool_calls, captured, {"switch_lights": "server", "ToolSearch": "harness"})
    for frame in settled.frames:
        send(frame)
    history += settled.messages
    if settled.may_end:
        send({**finished, "outcome": settled.outcome})
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from turnscope.core import tools
from turnscope.core.repair.owing import EARLY, EARLY_CODE
from turnscope.core.repair.texts import TEXTS, gone_text
from turnscope.core.repair.transcript import Change, Json, Recorded, as_text, parsed
from turnscope.core.thread import HARNESS, OWNERS, PERSON, SERVER, UNKNOWN

Dict = dict[str, Json]


@dataclass(frozen=True, slots=True)
class StepCall:
    """One call that the model made in the step that is over."""

    id: str
    name: str
    arguments: Json = "{}"
    """As the model wrote them, or already read."""
    complete: bool = True
    """False: the stream ended inside the arguments."""
    started: bool = False
    """Its tool was seen to begin."""
    denied: bool = False
    """A person said no."""


@dataclass(slots=True)
class Settled:
    """What a host does at the end of a step."""

    frames: list[Dict] = field(default_factory=list)
    """TOOL_CALL_RESULT events for the page, in the order of the calls, to be sent before the terminal."""
    messages: list[Dict] = field(default_factory=list)
    """The same as tool messages, for the history."""
    waiting: list[str] = field(default_factory=list)
    """Calls that the page or a job answers, or that nobody is known to own: `pendingToolCallIds`."""
    asked: list[str] = field(default_factory=list)
    """Calls that a person is to approve: the run ends as an interrupt."""
    carried: list[str] = field(default_factory=list)
    """The harness's own calls, which it runs once it is given the results."""
    may_end: bool = True
    """Whether the run may end for the caller. If not, the results go back to the model, which goes on."""
    error: Dict | None = None
    """RUN_ERROR, to be sent in place of RUN_FINISHED: the harness stopped on calls of its own."""
    changes: list[Change] = field(default_factory=list)
    """Each answer that was made here, with its reason."""

    @property
    def outcome(self) -> Dict | None:
        """The outcome of RUN_FINISHED; None where the run ends as an interrupt, an error, or not yet."""
        if not self.may_end or self.asked or self.error is not None:
            return None
        return {"type": "success", **({"pendingToolCallIds": list(self.waiting)} if self.waiting else {})}


def settle(
    calls: Iterable[StepCall | Mapping[str, Json]],
    results: Mapping[str, Json | Recorded] | None = None,
    owners: Mapping[str, str] | None = None,
    *,
    settings: Dict | None = None,
    answered: Collection[str] = (),
    gone: Mapping[str, str] | None = None,
    stopped: bool = False,
    taken: Collection[str] = (),
) -> Settled:
    """What is owed for the calls of a step, and whether the run may end.

    `calls` may be AG-UI's `toolCalls` as well. `results` is what the host captured, by call id: a value, or a
    `Recorded` for one that failed. `owners` says who owes the answer of a tool, by its name (`server`,
    `client`, `harness`, `person`, ...), and `settings`, as a channel has them, say it for the others. A tool
    nobody is named for is the caller's, since hosts add tools late.

    `answered` are calls whose result is in the stream already: they are left alone. `gone` names the server
    of each tool that is no longer there. `stopped` says that the harness has ended and will not go on.
    `taken` are message ids in use.

    Raises ValueError for an owner that is none.
    """
    known, names = results or {}, owners or {}
    wrong = sorted(set(names.values()) - set(OWNERS))
    if wrong:
        raise ValueError(f"unknown owner {wrong[0]!r}; one of {', '.join(OWNERS)}")
    out = Settled()
    used = set(taken)
    step = [call if isinstance(call, StepCall) else _read(call) for call in calls]
    policy = tools.compile_settings(settings or {})
    own = False
    for call in step:
        if call.id in answered:
            continue
        owner = names.get(call.name) or (policy.owner(call.name) or (UNKNOWN,))[0]
        own = own or owner == HARNESS
        if call.id in known:
            _recovered(out, call, known[call.id], used)
        elif (text := _text(call, owner, gone or {}, stopped=stopped)) is not None:
            _answer(out, call, text, used)
        elif owner == HARNESS:
            out.carried.append(call.id)
        else:
            (out.asked if owner == PERSON else out.waiting).append(call.id)
    left = bool(out.waiting or out.asked)
    out.may_end = stopped or left or not step
    if stopped and own and not left:
        out.error = {"type": "RUN_ERROR", "message": EARLY, "code": EARLY_CODE}
    return out


def _read(call: Mapping[str, Json]) -> StepCall:
    """A call as AG-UI's messages have it."""
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    return StepCall(str(call.get("id", "")), str(function.get("name", "")), function.get("arguments", "{}"))


def _text(call: StepCall, owner: str, gone: Mapping[str, str], *, stopped: bool) -> str | None:
    """What is honest to say in place of its result; None where somebody else still answers."""
    if call.denied:
        return TEXTS["denied"]
    if not call.complete:
        return TEXTS["unparsed"]
    if call.name in gone:
        return gone_text(gone[call.name])
    ours = owner == SERVER or (owner == HARNESS and stopped)
    if parsed(call.arguments) is None and (ours or owner == UNKNOWN):
        return TEXTS["unparsed"]
    if not ours:
        return None
    return TEXTS["unknown" if call.started else "not_executed"]


def _recovered(out: Settled, call: StepCall, result: Json | Recorded, used: set[str]) -> None:
    found = result if isinstance(result, Recorded) else Recorded(result)
    text = as_text(found.content)
    why = "its tool answered, and nothing of that is in the stream"
    _add(out, call, text, used, "result_recovered", "recovered", why, error=found.error)


def _answer(out: Settled, call: StepCall, text: str, used: set[str]) -> None:
    _add(out, call, text, used, "unanswered_call", "answered", "nobody will answer it", error=True)


def _add(
    out: Settled, call: StepCall, text: str, used: set[str], code: str, action: str, why: str, *, error: bool
) -> None:  # fmt: skip
    name, number = f"{call.id}-result", 1
    while name in used:
        number += 1
        name = f"{call.id}-result-{number}"
    used.add(name)
    about: Dict = {
        "toolCallId": call.id, "content": text,
        "metadata": {"turnscope": {"synthetic": action, "code": code}},
    }  # fmt: skip
    place = ((len(out.frames), 0),)
    out.frames.append({"type": "TOOL_CALL_RESULT", "messageId": name, "role": "tool", **about})
    out.messages.append({"id": name, "role": "tool", **about, **({"error": text} if error else {})})
    said = text if action == "answered" else ""
    reason = f"{call.name or 'a call'} was answered: {why}."
    out.changes.append(Change(code, action, (), place, call.id, reason, "strict_client", text=said))
