"""Passes that decide which result answers which call, and let go of what answers nothing."""

from __future__ import annotations

from collections.abc import Container, Iterator

from turnscope.core.repair.texts import ours, placeholder
from turnscope.core.repair.transcript import (
    APPROVAL,
    CALL,
    RESPONSE,
    RESULT,
    STEP,
    USER,
    Message,
    Part,
    canonical,
    parsed,
)
from turnscope.core.repair.work import Pair, Work, named


def one_call_per_id(work: Work) -> None:
    """Within one message an id names one call, and a call that nobody answered is not announced twice.

    The same call again (name and arguments equal) goes; so does another call under the same id, with the
    second result of that id, because no id may be changed to tell them apart.
    """
    unanswered: dict[str, Part] = {}
    for message in work.messages:
        for group in _groups(message):
            _within(work, group, message)
        if work.shape.CONTAINER == "inline":
            continue
        if message.role == USER and message.says:
            unanswered.clear()
        for part in message.parts:
            if not part.id or work.is_doomed(part) or part.provider:
                continue
            if part.kind == RESULT:
                unanswered.pop(part.id, None)
            elif part.kind == CALL:
                first = unanswered.setdefault(part.id, part)
                if first is not part and _same(first, part):
                    _drop_twin(work, first, part)
                else:
                    unanswered[part.id] = part


def _groups(message: Message) -> Iterator[list[Part]]:
    """The calls made together: a message's, or in a message of several steps a step's."""
    group: list[Part] = []
    for part in message.parts:
        if part.kind == STEP and group:
            yield group
            group = []
        if part.kind == CALL and part.id and not part.provider:
            group.append(part)
    if group:
        yield group


def _within(work: Work, group: list[Part], message: Message) -> None:
    kept: dict[str, Part] = {}
    inline = work.shape.CONTAINER == "inline"
    results = {id(part.raw): part for part in message.of(RESULT)} if inline else {}
    for part in group:
        first = kept.setdefault(part.id or "", part)
        if first is part:
            continue
        if _stage(part, results) > _stage(first, results):
            first, part = part, first
            kept[first.id or ""] = first
        _drop_twin(work, first, part)
        if id(part.raw) in results:
            stays = results.get(id(first.raw))
            gone = results[id(part.raw)]
            equal = stays is not None and canonical(stays.value) == canonical(gone.value)
            drop_result(work, Pair(message, first), gone, "duplicate_result", lossy=not equal)


def _stage(part: Part, results: dict[int, Part]) -> tuple[bool, bool]:
    """How far a call has come: of one call in two states the further one stays."""
    return id(part.raw) in results, part.complete


def _drop_twin(work: Work, kept: Part, gone: Part) -> None:
    same = _same(kept, gone) or not gone.complete
    if not same:
        work.twins[id(kept)] = work.twins.get(id(kept), 0) + 1
    work.doom(gone)
    work.record(
        "duplicate_call" if same else "conflicting_call",
        "dropped",
        f"{named(gone)} was announced twice"
        + ("; the second is gone" if same else " with different arguments; the first stays"),
        rule="duplicates",
        parts=[gone],
        call=gone.id,
        lossy=not same,
        review=not same,
    )


def _same(one: Part, other: Part) -> bool:
    if one.name and other.name and one.name != other.name:
        return False
    left, right = parsed(one.value), parsed(other.value)
    if left is None or right is None:
        return bool(one.value == other.value)
    return canonical(left) == canonical(right)


def bind_results(work: Work) -> None:
    """Every result answers the newest call before it that has its id; one that came first answers the next.

    An older call whose id was taken again while it was open stays unanswered. A result that came before
    its call counts only if no user text stands between and nothing came after the call.
    """
    newest: dict[str, Pair] = {}
    early: dict[str, list[tuple[Message, Part, int]]] = {}
    users = 0
    for message in work.messages:
        users += message.role == USER and message.says
        for part in message.parts:
            if part.provider or work.is_doomed(part):
                continue
            if part.kind == CALL and part.id:
                pair = Pair(message, part, unparsed=not part.free and parsed(part.value) is None)
                if part.id in newest:
                    # An answer of ours is none: a list that was repaired before reads as it did then.
                    newest[part.id].shadowed = all(ours(p.value) for _, p in newest[part.id].results)
                newest[part.id] = pair
                work.pairs.append(pair)
                _claim(pair, early, users, work)
            elif part.kind == RESULT:
                found = newest.get(part.id or "")
                if found is None:
                    early.setdefault(part.id or "", []).append((message, part, users))
                else:
                    _answer(found, message, part, work)
    for waiting in early.values():
        work.unbound.extend((message, part) for message, part, _ in waiting)
    _name_results(work)


def _claim(pair: Pair, early: dict[str, list[tuple[Message, Part, int]]], users: int, work: Work) -> None:
    waiting = early.pop(pair.id, [])
    for message, part, before in waiting:
        if before == users:
            pair.results.append((message, part))
            pair.early = True
        else:
            work.unbound.append((message, part))


def _answer(pair: Pair, message: Message, part: Part, work: Work) -> None:
    if pair.early:
        work.unbound.extend(pair.results)
        pair.results.clear()
        pair.early = False
    pair.results.append((message, part))


def _name_results(work: Work) -> None:
    for pair in work.pairs:
        for _, part in pair.results:
            part.name = part.name or pair.call.name
            part.form = part.form or pair.call.form


def one_result_per_call(work: Work) -> None:
    """A call has one result: a real one rather than a placeholder, of real ones the first (or the last)."""
    for pair in work.pairs:
        for _ in range(work.twins.get(id(pair.call), 0)):
            if len(pair.results) > 1:
                _, part = pair.results.pop(1)
                drop_result(work, pair, part, "conflicting_call", lossy=True)
        if len(pair.results) < 2:
            continue
        real = [item for item in pair.results if not placeholder(item[1].value)]
        last = work.options.duplicates == "last" or pair.id in work.evidence.extra
        keep = (real or pair.results)[-1 if last else 0]
        for message, part in pair.results:
            if part is not keep[1]:
                lossy = bool(real) and (message, part) in real
                lossy = lossy and canonical(part.value) != canonical(keep[1].value)
                drop_result(work, pair, part, "duplicate_result", lossy=lossy)
        pair.results = [keep]


def drop_result(work: Work, pair: Pair, part: Part, code: str, *, lossy: bool) -> None:
    """Lets go of a result that another one of the same call makes superfluous."""
    work.doom(part)
    if code == "conflicting_call":
        reason = f"this result belonged to the other {named(pair)}, which is gone"
    elif lossy:
        reason = f"{named(pair)} had several results that differ; one stays"
    else:
        reason = f"{named(pair)} had its result more than once; one stays"
    # A result that came without an id goes without one: nobody will look for it under another.
    call = None if any(part is given for given, _, _ in work.given) else pair.id
    work.record(
        code, "dropped", reason, rule="duplicates", parts=[part], call=call, lossy=lossy, review=lossy
    )


def one_answer_per_approval(work: Work) -> None:
    """An approval is answered once, by the first answer, and only if it was asked for."""
    asked = {p.approval: p.id for m in work.messages for p in m.of(APPROVAL)}
    answered: dict[str | None, bool | None] = {}
    for message in work.messages:
        for part in message.of(RESPONSE):
            if part.approval not in asked:
                work.doom(part)
                work.record(
                    "orphan_result",
                    "dropped",
                    "an answer to an approval nobody asked for is gone",
                    rule="orphans",
                    parts=[part],
                    lossy=True,
                )
            elif part.approval in answered:
                conflict = answered[part.approval] != part.approved
                work.doom(part)
                work.record(
                    "duplicate_result",
                    "dropped",
                    "an approval was answered twice; the first answer stays",
                    rule="duplicates",
                    parts=[part],
                    call=part.id,
                    lossy=conflict,
                    review=conflict,
                )
            else:
                answered[part.approval] = part.approved


def no_result_without_call(work: Work) -> None:
    """Every result that is left answers a call that is there. None is ever given a call to answer."""
    called = {pair.id for pair in work.pairs}
    for message, part in work.unbound:
        early = part.id in called
        if work.options.orphans == "quote":
            title = f"Result of a tool call that is not in this history: {part.id}"
            work.quote(message, part, "orphan_result", "orphans", title)
            continue
        work.doom(part)
        work.record(
            "early_result_dropped" if early else "orphan_result",
            "dropped",
            f"a result for {named(part)} stood before its call and answers nothing"
            if early
            else f"a result came for {named(part)}, which is not in this history",
            rule="orphans",
            parts=[part],
            call=part.id,
            lossy=True,
        )
    work.place_quotes()


def provider_pairs_are_whole(work: Work) -> None:
    """What the provider ran itself is a whole pair, call first, or still open at the end, or not there."""
    pairs = whole_pairs(work.messages, near=work.shape.CONTAINER == "shared", gone=work.doomed)
    moved_on = False
    for message in reversed(work.messages):
        for part in reversed(message.parts):
            if not part.provider or id(part) in pairs or (part.kind == CALL and not moved_on):
                continue
            work.doom(part)
            work.record(
                "server_pair_split",
                "dropped",
                f"half of the provider's own {named(part)} is missing, so the other half is gone",
                rule="answered",
                parts=[part],
                call=part.id,
                lossy=True,
            )
        moved_on = moved_on or (not message.only_results and work.closes(message))


def whole_pairs(messages: list[Message], *, near: bool, gone: Container[int] = ()) -> set[int]:
    """Calls that the provider ran and their results (by identity); `near`: both in one message."""
    whole: set[int] = set()
    asked: dict[str | None, Part] = {}
    for message in messages:
        asked = {} if near else asked
        for part in message.parts:
            if not part.provider or id(part) in gone:
                continue
            if part.kind == CALL:
                asked[part.id] = part
            elif part.id in asked:
                whole |= {id(asked.pop(part.id)), id(part)}
    return whole
