"""One repair: the messages a target accepts, each difference with its reason, and what could not be mended.

    transcript = shapes.read(messages)            # or from_events(events)
    repaired = repair(transcript, "anthropic")
    repaired.messages, repaired.changes, repaired.blockers, repaired.pending, repaired.sendable

The input is never touched. The live plane has its own repair, `stream.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from turnscope.core.repair import shapes
from turnscope.core.repair.convert import converted
from turnscope.core.repair.history import Reducer, from_events
from turnscope.core.repair.hosts import Settled, StepCall, settle
from turnscope.core.repair.passes import PASSES
from turnscope.core.repair.refused import mapped
from turnscope.core.repair.targets import TARGETS, Fact, Target
from turnscope.core.repair.transcript import (
    ACTIVITY,
    CALL,
    TEXT,
    Blocker,
    Change,
    Evidence,
    Json,
    Message,
    Part,
    Recorded,
    Repaired,
    Transcript,
    copied,
    uncollected,
)
from turnscope.core.repair.validate import Problem, check, validate
from turnscope.core.repair.work import Options, Work

__all__ = [
    "CHOICES",
    "PASSES",
    "TARGETS",
    "Blocker",
    "Change",
    "Evidence",
    "Fact",
    "Message",
    "Part",
    "Problem",
    "Recorded",
    "Reducer",
    "Repaired",
    "Settled",
    "StepCall",
    "Target",
    "Transcript",
    "from_events",
    "repair",
    "settle",
    "shapes",
    "validate",
]

POLICIES = ("answer", "drop", "block")
CHOICES: dict[str, tuple[str, ...]] = {
    "policy": POLICIES,
    "purpose": ("continue", "resume"),
    "late": ("relocate", "quote", "drop"),
    "orphans": ("drop", "quote"),
    "duplicates": ("first", "last"),
    "thinking": ("request_drop_block", "strip_after_first_change", "keep", "echo"),
    "ids": ("block", "flatten", "map"),
}
"""What a person may choose, by the name of the argument; the first is what happens unless they do."""

DROP_BLOCK = (
    "The request needs thinking.block_binding.prefix_mismatch_behavior = drop_block (beta "
    "thinking-binding-controls-2026-08-01): a signed thinking block stands behind a change."
)
"""The note beside a list whose thinking is bound to what stood there before."""


def repair(
    transcript: Transcript,
    target: str,
    policy: str = "answer",
    evidence: Evidence | None = None,
    *,
    purpose: str = "continue",
    pending: Iterable[str] = (),
    started: Iterable[str] = (),
    cancel: Iterable[str] = (),
    late: str = "relocate",
    orphans: str = "drop",
    duplicates: str = "first",
    thinking: str = "request_drop_block",
    ids: str = "block",
    boundary: Iterable[str] | None = None,
) -> Repaired:
    """The transcript as the target accepts it. KeyError for a target that is none, ValueError for a choice.

    `pending` and `started` name calls that something is about to answer, and calls known to have begun,
    beside what the transcript's own evidence says; `cancel` names those that whoever goes on gives up waiting
    for: they are answered as cancelled, which no repair does by itself. The other choices are in `CHOICES`,
    and what they mean in `work.Options`. Two of them change what no repair changes by itself:
    `ids="flatten"` tells a call whose id the target refuses as text, and `ids="map"` sends it under another,
    which `Repaired.ids` explains.

    `boundary` names the roles that close the window for results in place of the target's own, for a host
    that strips some before it converts. It widens nothing where results stand directly behind their calls.
    """
    options = Options(policy, purpose, late, orphans, duplicates, thinking, ids)
    for name, allowed in CHOICES.items():
        if getattr(options, name) not in allowed:
            raise ValueError(f"{name} is one of {', '.join(allowed)}, not {getattr(options, name)!r}")
    profile = TARGETS[target] if boundary is None else TARGETS[target].bounded(boundary)
    known = transcript.evidence.merged(evidence)
    known.pending |= set(pending)
    known.started |= set(started)
    known.cancelled |= set(cancel)
    own = transcript.shape in profile.shapes
    shape = shapes.by_name(transcript.shape if own else profile.shapes[0])
    work = Work(
        target=profile,
        shape=shape,
        options=options,
        evidence=known,
        messages=copied(transcript.messages),
    )
    system = [] if own else _convert(work)
    with uncollected():
        for establish in PASSES:
            establish(work)
        changes = work.finished()
        messages = [raw for message in work.messages for raw in shapes.written(work.shape, message)]
        messages = mapped(work, messages)
        kept = [work.sent_as.get(id(pair.call), pair.id) for pair in work.pairs if pair.kept]
        blockers = work.blockers + _refusals(work, messages, _waiting(work, messages, changes, kept))
    done = Repaired(target, policy, messages, changes, blockers, kept, system, shape.NAME, ids=work.ids)
    if profile.beside.value and any(message.of(CALL) for message in work.messages):
        done.notes.append(
            f"The request needs {profile.beside.value} beside the messages: {profile.beside.says}."
        )
    if options.thinking in ("request_drop_block", "echo") and any(
        c.code == "thinking_invalidated" for c in changes
    ):
        done.notes.append(DROP_BLOCK)
    if profile.replaces.value:
        done.before = [shape.removal(profile.replaces.value)]
    return done


def _convert(work: Work) -> list[str]:
    messages, system, lost = converted(work.messages, work.shape)
    work.messages = messages
    for part in lost:
        work.record(
            "not_carried",
            "dropped",
            f"{part.kind} stays behind: this shape has no place for it",
            rule="reasoning",
            parts=[part],
            lossy=not (isinstance(part.raw, dict) and part.raw.get("role") == ACTIVITY),
        )
    return ["\n".join(part.text for part in message.of(TEXT)) for message in system]


def _waiting(work: Work, messages: list[Json], changes: list[Change], kept: list[str]) -> list[str]:
    """The ids of calls kept open as a reader of the output numbers them, where calls need no id."""
    if not any(pair.call.unnamed for pair in work.pairs if pair.kept):
        return kept
    again = work.shape.read(messages)
    places = [place for change in changes if change.code == "pending_call" for place in change.dst]
    return [again[index].parts[number].id or "" for index, number in places]


def _refusals(work: Work, messages: list[Json], pending: list[str]) -> list[Blocker]:
    """What an independent look still finds. Anything not blocked already is our own fault, and says so."""
    told = {(blocker.code, blocker.call_id) for blocker in work.blockers}
    nameless = Counter(blocker.code for blocker in work.blockers if blocker.call_id is None)
    # A call without a name has an answer without one: that is one thing to be mended, not two.
    told |= {("name_missing", call) for code, call in told if code == "name_format"}
    nameless["name_missing"] += nameless["name_format"]
    out = []
    for problem in check(work.target, messages, pending, work.shape.NAME):
        if problem.call_id is None:
            # Of two calls without an id nobody can tell which is meant; how many there are can be told.
            nameless[problem.code] -= 1
            unforeseen = nameless[problem.code] < 0
        else:
            # Blockers name the ids of the list that came, also where a map sends others.
            unforeseen = (problem.code, work.ids.get(problem.call_id, problem.call_id)) not in told
        if unforeseen:
            out.append(
                Blocker(
                    problem.code, problem.call_id, f"not mended: {problem.message}", (), ("other_target",)
                )
            )
    return out
