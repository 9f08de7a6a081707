"""Passes that decide what becomes of a call nobody answered: found, kept, answered, dropped, or blocked."""

from __future__ import annotations

import json

from turnscope.core.repair.pairing import drop_result
from turnscope.core.repair.placing import IN_PLACE, LATE, vanishes, where
from turnscope.core.repair.texts import TEXTS, ours, placeholder, stands_in
from turnscope.core.repair.transcript import (
    APPROVAL,
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    USER,
    Json,
    Message,
    Part,
    Recorded,
    as_text,
    canonical,
    compact,
    object_text,
    parsed,
)
from turnscope.core.repair.turns import carries_a_signature
from turnscope.core.repair.work import Pair, Work, invisible, named

PROGRESS = 2000
"""Characters of a last progress report that go into a synthetic text."""


def recover_results(work: Work) -> None:
    """A result that is on record anywhere is used before any is made up."""
    told = _told(work) if work.evidence.results else set()
    for pair in reversed(work.pairs):
        if pair.shadowed or (pair.results and not _gives_way(work, pair.results[0][1].value)):
            continue
        found = _recorded(work, pair, told)
        if found is None:
            continue
        for _, stand_in in pair.results:
            drop_result(work, pair, stand_in, "duplicate_result", lossy=False)
        part = Part(
            RESULT, None, pair.id, pair.call.name, value=found.content, error=found.error, seqs=found.seqs
        )
        part.text = found.message or ""
        work.add(pair, part)
        work.record(
            "result_recovered",
            "recovered",
            f"{named(pair)} had no result here, but the record holds one ({found.source})",
            rule="answered",
            parts=[pair.call],
            made=[part],
            call=pair.id,
            seqs=found.seqs,
        )


def _told(work: Work) -> set[str]:
    """What results said that were quoted as text, by this repair or an earlier one."""
    texts = (part.text for message in work.messages for part in message.of(TEXT) if message.role == USER)
    return {text.partition("]\n")[2] for text in texts if text.startswith("[")}


def _recorded(work: Work, pair: Pair, told: set[str]) -> Recorded | None:
    """The result on record, unless another call of the same id has it or it is told as text: a record knows
    ids and no places."""
    records = [
        r
        for r in work.evidence.results.get(pair.id, [])
        if not placeholder(r.content) and as_text(r.content) not in told
    ]
    if not records:
        return None
    taken = {
        canonical(part.value)
        for other in work.with_id(pair.id)
        if other is not pair
        for _, part in other.results
    }
    return next((record for record in records if canonical(record.content) not in taken), None)


def _gives_way(work: Work, content: Json) -> bool:
    """Whether a result only stands for one that never came. Ours stays where results become text of the list
    or calls go: the record's may be there under no id, or be that of another call of that id, now gone."""
    choice = work.options
    settled = choice.late != "relocate" or choice.policy == "drop" or choice.ids == "flatten"
    return stands_in(content) and not (settled and ours(content))


def keep_what_is_pending(work: Work) -> None:
    """A call at the end that something is about to answer stays open, and the list is not sendable yet."""
    frontier = _frontier(work)
    for pair in work.pairs:
        if pair.results or pair.shadowed or not pair.call.complete or id(pair.message) not in frontier:
            continue
        if pair.id in work.evidence.cancelled:
            continue
        answer = _approval(work, pair)
        asked = pair.id in work.evidence.pending or pair.call.approval or answer is not None
        resumed = work.options.purpose == "resume" and id(pair.message) == frontier[0]
        if answer is False or not (asked or resumed):
            continue
        if work.shape.CONTAINER == "inline" and _followed_in_message(pair):
            continue
        pair.kept = True
        work.record(
            "pending_call",
            "kept",
            f"{named(pair)} may still be answered, so it stays open",
            rule="answered",
            parts=[pair.call],
            made=[pair.call],
            call=pair.id,
        )


def _frontier(work: Work) -> list[int]:
    """The messages with calls behind the last text of anybody, last first: those may still be answered."""
    found: list[int] = []
    for message in reversed(work.messages):
        calls = [p for p in message.of(CALL) if not work.is_doomed(p)]
        if calls and message.role == ASSISTANT:
            found.append(id(message))
            if work.shape.CONTAINER == "inline":
                break
        # What the provider ran in it is a word of the model's too: it went on from the calls before.
        speaks = message.says or not calls or any(part.provider for part in calls)
        if invisible(message) or message.only_results or not speaks:
            continue
        if message.parts and not all(work.is_doomed(part) for part in message.parts):
            break
    return found


def _followed_in_message(pair: Pair) -> bool:
    """Text or another step stands behind the call in its own message."""
    parts = pair.message.parts
    behind = parts[parts.index(pair.call) + 1 :]
    return any(part.kind == TEXT and part.text.strip() for part in behind)


def _approval(work: Work, pair: Pair) -> bool | None:
    """What a person said of the call: yes, no, or nothing on record. A request still open counts as yes here,
    because it is a wait; a declined call is False."""
    if pair.id in work.evidence.denied or pair.call.approved is False:
        return False
    requests = {p.approval for p in pair.message.of(APPROVAL) if p.id == pair.id}
    if not requests:
        return True if pair.call.approved else None
    answers = work.responses(requests)
    return answers[0].approved if answers else True


def settle_unanswered(work: Work) -> None:
    """No call is left without a result, by the chosen policy: answered honestly, dropped, or blocked.

    A call whose arguments never completed is not yet a call and goes under every policy. A late result
    follows the choice for late results; when it is dropped, its call goes with it.
    """
    late_choice = work.options.late
    if work.options.policy == "drop" and late_choice == "relocate":
        late_choice = "drop"
    places = where(work) if late_choice != "relocate" else {}
    followers = _followers(work)
    behind = _behind_a_wait(work) if late_choice == "quote" else set()
    for pair in work.pairs:
        if pair.kept:
            continue
        if pair.results:
            # Quoted behind a call that waits it would end the wait: there it is moved, as ever.
            choice = "relocate" if id(pair.results[0][0]) in behind else late_choice
            _late(work, pair, places.get(id(pair.results[0][1]), IN_PLACE), choice)
        if pair.results or work.is_doomed(pair.call):
            continue
        if not pair.call.complete:
            _drop_call(work, pair, "its arguments never completed, so it was not yet a call")
        elif work.options.policy == "drop" and not carries_a_signature(work, pair.message, pair.call):
            _drop_call(work, pair, "nobody answered it")
        elif work.options.policy == "block" or pair.call.wordless:
            _block(work, pair)
        else:
            _answer(work, pair, followers)
    work.place_quotes()


def _behind_a_wait(work: Work) -> set[int]:
    """The messages behind the first that holds a call which may still be answered."""
    waiting = {id(pair.message) for pair in work.pairs if pair.kept}
    first = next((at for at, message in enumerate(work.messages) if id(message) in waiting), None)
    return set() if first is None else {id(message) for message in work.messages[first + 1 :]}


def _late(work: Work, pair: Pair, place: str, choice: str) -> None:
    if choice == "relocate" or place != LATE:
        return
    message, part = pair.results[0]
    if id(part) in work.added or (choice == "drop" and carries_a_signature(work, pair.message, pair.call)):
        return
    if choice == "quote":
        work.quote(message, part, "late_result", "adjacency", f"Late result of tool call: {part.id}")
        pair.results = []
        work.evidence.started.add(pair.id)
        return
    work.doom(part)
    work.record(
        "late_result",
        "dropped",
        f"the result of {named(pair)} came too late to answer it and goes with it",
        rule="adjacency",
        parts=[part],
        call=pair.id,
        lossy=True,
    )
    pair.results = []
    _drop_call(work, pair, "its only result came too late")


def _drop_call(work: Work, pair: Pair, why: str) -> None:
    requests = {p.approval for p in pair.message.of(APPROVAL) if p.id == pair.id}
    gone = [pair.call]
    gone += [p for p in pair.message.of(APPROVAL) if p.id == pair.id]
    gone += work.responses(requests)
    for part in gone:
        if work.is_doomed(part):
            continue
        work.doom(part)
        work.record(
            "unanswered_call",
            "dropped",
            f"{named(pair)} is gone: {why}",
            rule="answered",
            parts=[part],
            call=pair.id,
            lossy=True,
        )


def _block(work: Work, pair: Pair) -> None:
    why = "no text can stand in for one" if pair.call.wordless else "the policy leaves the choice to you"
    work.block(
        "unanswered_call",
        pair.id,
        f"{named(pair)} has no result, and {why}: "
        f"{work.target.title} insists that {work.target.answered.says}.",
        [pair.call],
        "policy_answer",
        "policy_drop",
    )


def _answer(work: Work, pair: Pair, followers: dict[int, Message | None]) -> None:
    text, denied = _text(work, pair, followers[id(pair.message)])
    part = Part(RESULT, None, pair.id, pair.call.name, value=text, error=True)
    part.approved = False if denied else None
    work.add(pair, part)
    work.record(
        "unanswered_call",
        "answered",
        f"{named(pair)} had no result; one was added that says so",
        rule="answered",
        parts=[pair.call],
        made=[part],
        call=pair.id,
        text=text,
    )


def _text(work: Work, pair: Pair, follower: Message | None) -> tuple[str, bool]:
    """The honest text, and whether it is a refusal."""
    if _approval(work, pair) is False:
        return TEXTS["denied"], True
    if pair.id in work.evidence.cancelled:
        asked = _approval(work, pair) is not None
        return TEXTS["unapproved" if asked else "cancelled"], asked
    if pair.unparsed:
        return TEXTS["unparsed"], False
    if pair.id in work.evidence.started or pair.call.started or _went_on(work, pair, follower):
        text = TEXTS["unknown"]
        raw = pair.call.raw
        if pair.call.started and isinstance(raw, dict) and "output" in raw:
            text += f"\nlast progress: {as_text(raw['output'])[:PROGRESS]}"
        return text, False
    return TEXTS["not_executed"], False


def _went_on(work: Work, pair: Pair, follower: Message | None) -> bool:
    """An assistant message of the same agent directly follows: the model read something in its place."""
    if work.shape.CONTAINER == "inline" and _followed_in_message(pair):
        return True
    return follower is not None and follower.role == ASSISTANT and _agent(follower) == _agent(pair.message)


def _followers(work: Work) -> dict[int, Message | None]:
    """Behind each message, the next that says or does something (by identity)."""
    found: dict[int, Message | None] = {}
    following: Message | None = None
    for message in reversed(work.messages):
        found[id(message)] = following
        if not invisible(message) and not message.only_results and not vanishes(work, message):
            following = message
    return found


def _agent(message: Message) -> object:
    return message.raw.get("subagentRunId") if isinstance(message.raw, dict) else None


def arguments_fit(work: Work) -> None:
    """A call's arguments are spelled as the target reads them; unparsable ones are wrapped, never emptied."""
    wanted = work.target.arguments.value
    for message in work.messages:
        for part in message.of(CALL):
            if (
                (part.provider and work.shape.CONTAINER != "shared")
                or part.free
                or part.broken
                or not part.id
                or work.is_doomed(part)
                or _fits(part, wanted)
            ):
                continue
            value = parsed(part.value)
            was_text = isinstance(part.value, str)
            if wanted in ("text", "either"):
                part.value = "{}" if part.value is None else compact(part.value)
            else:
                fixed = {"__unparsed_arguments": part.value} if value is None else value
                part.value = fixed if wanted == "object" else _wrapped(fixed, text=value is None and was_text)
            part.changed = message.changed = True
            work.record(
                "malformed_arguments",
                "wrapped",
                f"the arguments of {named(part)} did not parse and are kept as text inside an object"
                if value is None and was_text
                else f"the arguments of {named(part)} are spelled as {work.shape.ARGUMENTS}",
                rule="arguments",
                parts=[part],
                made=[part],
                call=part.id,
            )


def _wrapped(fixed: Json, *, text: bool) -> str:
    """An object as text; around a text, spelled as Python's json spells it, so that it reads as usual."""
    return json.dumps(fixed, ensure_ascii=False) if text else compact(fixed)


def _fits(part: Part, wanted: str) -> bool:
    if wanted == "text":
        return isinstance(part.value, str)
    if wanted == "object":
        return isinstance(part.value, dict)
    if wanted == "either":
        return part.value is None or isinstance(part.value, str | dict)
    return isinstance(part.value, str) and object_text(part.value)
