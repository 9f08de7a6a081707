"""Passes that take away what is to go, put every result where it counts, and mend what is then empty."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnscope.core.repair.transcript import (
    ASSISTANT,
    REASONING,
    RESPONSE,
    RESULT,
    STEP,
    TEXT,
    TOOL,
    USER,
    Message,
    Part,
)
from turnscope.core.repair.work import Pair, Work, invisible, named

IN_PLACE, LATE, EARLY, REORDER, MIXED = "in place", "late", "early", "reorder", "mixed"


@dataclass(slots=True)
class _Line:
    """The messages that will be left, with what is needed to say where a result stands."""

    at: dict[int, int] = field(default_factory=dict)
    """Message (by identity) -> its index among those that are left."""
    left: list[Message] = field(default_factory=list)
    shut: list[int] = field(default_factory=list)
    """For each message, the index of the next one that closes the window."""
    assistants: list[int] = field(default_factory=list)
    """For each message, how many assistant messages stand before it."""
    holders: dict[int, set[int]] = field(default_factory=dict)
    """Message with results (by identity) -> the messages whose calls they answer."""
    spots: dict[int, dict[int, int]] = field(default_factory=dict)
    """Message (by identity) -> part (by identity) -> its index, of the messages that were asked about."""
    heads: dict[int, int] = field(default_factory=dict)
    """Message (by identity) -> how many results it begins with, of the messages that were asked about."""

    def spot(self, message: Message, part: Part) -> int:
        """Where in its message a part stands."""
        spots = self.spots.get(id(message))
        if spots is None:
            spots = self.spots[id(message)] = {id(p): number for number, p in enumerate(message.parts)}
        return spots[id(part)]

    def head(self, work: Work, message: Message) -> int:
        """The index of the first part that stays and is no result."""
        if id(message) not in self.heads:
            others = (
                number
                for number, part in enumerate(message.parts)
                if part.kind != RESULT and not work.is_doomed(part)
            )
            self.heads[id(message)] = next(others, len(message.parts))
        return self.heads[id(message)]


def where(work: Work) -> dict[int, str]:
    """Where each call's result stands (by the result's identity), as if what is to go had gone."""
    return _places(work, _line(work))


def _places(work: Work, line: _Line) -> dict[int, str]:
    places: dict[int, str] = {}
    for pair in work.pairs:
        for message, part in pair.results:
            if id(part) not in work.added and not work.is_doomed(part):
                places[id(part)] = _place(work, line, pair, message, part)
    return places


def _line(work: Work) -> _Line:
    line = _Line()
    count = 0
    for pair in work.pairs:
        for message, part in pair.results:
            if not work.is_doomed(part):
                line.holders.setdefault(id(message), set()).add(id(pair.message))
    for message in work.messages:
        if vanishes(work, message):
            continue
        line.at[id(message)] = len(line.left)
        line.left.append(message)
        line.assistants.append(count)
        count += message.role == ASSISTANT
    shut = len(line.left)
    line.shut = [0] * shut
    for index in range(shut - 1, -1, -1):
        line.shut[index] = shut
        if _shuts(work, line.left[index]):
            shut = index
    return line


def _shuts(work: Work, message: Message) -> bool:
    """Whether no result behind this message counts for a call before it."""
    if invisible(message) or _alive_only_results(work, message):
        return False
    return work.target.adjacency.value == "immediate" or message.role in work.target.boundary.value


def _alive_only_results(work: Work, message: Message) -> bool:
    found = False
    for part in message.parts:
        if id(part) in work.doomed:
            continue
        if part.kind not in (RESULT, RESPONSE):
            return False
        found = True
    return found


def vanishes(work: Work, message: Message) -> bool:
    """Whether a message goes because of what goes out of it."""
    goes = False
    for part in message.parts:
        if id(part) in work.doomed:
            goes = True
        elif part.kind not in (REASONING, STEP) and (part.kind != TEXT or part.text.strip()):
            return False
    return goes


def _place(work: Work, line: _Line, pair: Pair, message: Message, part: Part) -> str:
    if work.shape.CONTAINER == "inline":
        return IN_PLACE
    here, there = line.at[id(pair.message)], line.at.get(id(message), -1)
    if there < here:
        return EARLY
    if there == here:
        return EARLY if line.spot(message, part) < line.spot(message, pair.call) else LATE
    if work.shape.CONTAINER == "shared":
        return _place_shared(work, line, pair, message, part)
    if work.target.adjacency.value == "after":
        return IN_PLACE
    if message.role == TOOL:
        return IN_PLACE if there < line.shut[here] else LATE
    mixed = work.target.results_first.value and message.role == USER and there == line.shut[here]
    return MIXED if mixed else LATE


def _place_shared(work: Work, line: _Line, pair: Pair, message: Message, part: Part) -> str:
    """Results stand in the next message, or anywhere before the window shuts; messages with nothing but
    results from elsewhere will be gone."""
    index = line.at[id(pair.message)] + 1
    if work.target.adjacency.value == "until" and message.role == USER:
        index = min(line.at[id(message)], line.shut[index - 1])
    while index < len(line.left):
        following = line.left[index]
        if id(pair.message) in line.holders.get(id(following), ()) and following.role == USER:
            break
        if not _alive_only_results(work, following):
            return LATE
        index += 1
    if index >= len(line.left) or line.left[index] is not message:
        return LATE
    first = line.spot(message, part) < line.head(work, message)
    return IN_PLACE if first or not work.target.results_first.value else REORDER


def dropped_parts_are_gone(work: Work) -> None:
    """What a pass let go is not there any more, nor a message that had nothing else to say."""
    left: list[Message] = []
    for message in work.messages:
        if not any(work.is_doomed(part) for part in message.parts):
            left.append(message)
            continue
        empty = vanishes(work, message)
        held_results = all(part.kind in (RESULT, RESPONSE) for part in message.parts)
        alive = [part for part in message.parts if not work.is_doomed(part)]
        if empty and not held_results and not work.shape.SPREAD:
            _record_empty(work, message, alive)
        if not empty:
            message.parts = alive
            message.changed = True
            left.append(message)
    work.messages = left


def _record_empty(work: Work, message: Message, alive: list[Part]) -> None:
    reasoning = any(part.kind == REASONING for part in alive)
    work.record(
        "reasoning_only_message" if reasoning else "empty_message",
        "dropped",
        "only reasoning was left of a message, which says nothing without what it led to"
        if reasoning
        else "nothing was left of a message",
        rule="empty_message",
        parts=alive,
        src=tuple(sorted({(part.src[0], 0) for part in alive if part.src[0] >= 0} | {(message.src, 0)})),
    )


def results_are_in_place(work: Work) -> None:
    """Every result stands where the target looks for it: those in place first, then moved, then new ones."""
    line = _line(work)
    places = _places(work, line)
    moved, added = _moves(work, line, places)
    if work.shape.CONTAINER == "inline":
        _place_inline(work)
        return
    for message in work.messages:
        _results_first(work, message, places)
    whole = _take_out(work, moved)
    out: list[Message] = []
    messages = [m for m in work.messages if id(m) not in whole]
    index = 0
    while index < len(messages):
        message = messages[index]
        out.append(message)
        index += 1
        come = [(m, p) for _, _, m, p in sorted(moved.get(id(message), []), key=lambda spot: spot[:2])]
        new = added.get(id(message), [])
        if not come and not new:
            continue
        if work.shape.CONTAINER == "shared":
            home = messages[index] if index < len(messages) else None
            turns = work.target.alternate.value
            _into_shared(out, home, [p for _, p in come] + new, come, whole, turns=turns)
            continue
        behind = work.target.adjacency.value != "after"
        while behind and index < len(messages) and messages[index].only_results:
            out.append(messages[index])
            index += 1
        if work.target.alternate.value:
            _into_one(out, come, new, whole)
        else:
            out.extend(_own_messages(work, come, new, whole))
    work.messages = out


def _moves(
    work: Work, line: _Line, places: dict[int, str]
) -> tuple[dict[int, list[tuple[int, int, Message, Part]]], dict[int, list[Part]]]:
    """Results that have to move and results without a place yet, by the message (identity) they answer."""
    moved: dict[int, list[tuple[int, int, Message, Part]]] = {}
    added: dict[int, list[Part]] = {}
    for pair in work.pairs:
        for message, part in pair.results:
            if id(part) in work.added:
                added.setdefault(id(pair.message), []).append(part)
                continue
            place = places.get(id(part), IN_PLACE)
            if place == REORDER:
                _record_move(work, pair, part, place, crossed=False)
            elif place != IN_PLACE:
                here, there = line.at[id(pair.message)], line.at[id(message)]
                crossed = line.assistants[max(there, here)] - line.assistants[here] > 1
                _record_move(work, pair, part, place, crossed=crossed and place == LATE)
                spot = (there, line.spot(message, part), message, part)
                moved.setdefault(id(pair.message), []).append(spot)
    return moved, added


def _record_move(work: Work, pair: Pair, part: Part, place: str, *, crossed: bool) -> None:
    code, action, rule, what = {
        REORDER: ("results_not_first", "reordered", "results_first", "stood behind text in its message"),
        EARLY: ("result_before_call", "relocated", "adjacency", "stood before its call"),
        LATE: ("late_result", "relocated", "adjacency", "came where it no longer counts"),
        MIXED: ("results_not_first", "relocated", "results_first", "stood among other things"),
    }[place]
    work.record(
        code,
        action,
        f"the result of {named(pair)} {what}, so it was moved behind it",
        rule=rule,
        parts=[part],
        made=[part],
        call=pair.id,
        review=crossed,
        crossed=crossed,
    )


def _results_first(work: Work, message: Message, places: dict[int, str]) -> None:
    if not any(places.get(id(part)) == REORDER for part in message.parts):
        return
    first = [p for p in message.parts if p.kind == RESULT and places.get(id(p)) in (IN_PLACE, REORDER)]
    message.parts = first + [p for p in message.parts if p not in first]
    message.changed = True


def _take_out(work: Work, moved: dict[int, list[tuple[int, int, Message, Part]]]) -> dict[int, Message]:
    """Detaches moved results; returns the messages that move as a whole (by identity)."""
    whole: dict[int, Message] = {}
    for spots in moved.values():
        going = {id(part) for *_, part in spots}
        for _, _, message, _ in spots:
            if message.only_results and all(id(p) in going for p in message.parts):
                whole[id(message)] = message
    for spots in moved.values():
        for _, _, message, part in spots:
            if id(message) not in whole:
                message.parts.remove(part)
                message.changed = True
    work.messages = [m for m in work.messages if m.parts or not m.changed or id(m) in whole]
    return whole


def _own_messages(
    work: Work, come: list[tuple[Message, Part]], new: list[Part], whole: dict[int, Message]
) -> list[Message]:
    """Tool messages for results that have no place of their own yet."""
    out: list[Message] = []
    for message, part in come:
        if id(message) in whole:
            if message not in out:
                out.append(message)
        else:
            out.append(Message(TOOL, [part], None, work.new_id(f"{part.id}-result"), seqs=part.seqs))
    if new and work.shape.CONTAINER == "parts":
        out.append(Message(TOOL, list(new), None))
        return out
    for part in new:
        identity = work.new_id(part.text or f"{part.id}-result")
        made = Message(TOOL, [part], None, identity, seqs=part.seqs)
        made.note = {"synthetic": "recovered" if part.seqs or part.text else "answered"}
        out.append(made)
    return out


def _into_one(
    out: list[Message], come: list[tuple[Message, Part]], new: list[Part], whole: dict[int, Message]
) -> None:
    """Puts results into the message that holds some already, else into one of their own."""
    parts = [part for _, part in come] + new
    if out[-1].only_results:
        out[-1].parts.extend(parts)
        out[-1].changed = True
    elif come and id(come[0][0]) in whole and come[0][0].parts == parts:
        out.append(come[0][0])
    else:
        out.append(Message(TOOL, parts))


def _into_shared(
    out: list[Message],
    following: Message | None,
    parts: list[Part],
    come: list[tuple[Message, Part]],
    whole: dict[int, Message],
    *,
    turns: bool,
) -> None:
    """Puts results into the user message that holds some already (or follows, where all of it is one turn),
    else into one of their own."""
    holds = following is not None and following.of(RESULT)[:1] == following.parts[:1] != []
    if following is not None and following.role == USER and (turns or holds):
        behind = next((n for n, p in enumerate(following.parts) if p.kind != RESULT), len(following.parts))
        following.parts[behind:behind] = parts
        following.changed = True
        return
    only = come[0][0] if come else None
    if only is not None and id(only) in whole and only.parts == parts:
        out.append(only)
    else:
        out.append(Message(USER, parts, None))


def _place_inline(work: Work) -> None:
    for pair in work.pairs:
        for _, part in pair.results:
            if id(part) in work.added:
                part.changed = pair.call.changed = pair.message.changed = True
                pair.message.parts.insert(pair.message.parts.index(pair.call) + 1, part)


def texts_are_not_empty(work: Work) -> None:
    """No text is blank where the target refuses blank texts."""
    wanted = work.target.empty_text.value
    if wanted == "ok":
        return
    for message in work.messages:
        if wanted == "forbidden_alone" and not message.only_text:
            continue
        for part in message.of(TEXT):
            if part.text == "" or (wanted == "forbidden_blank" and not part.text.strip()):
                work.doom(part)
                work.record(
                    "empty_text", "dropped", "a text without words is gone", rule="empty_text", parts=[part]
                )


def messages_are_not_empty(work: Work) -> None:
    """No message is without content where the target refuses that; the last one may be."""
    if not work.target.empty_message.value:
        return
    last = work.messages[-1] if work.messages else None
    for message in list(work.messages):
        exempt = message is last and message.role == ASSISTANT and work.shape.NAME == "anthropic"
        if message.parts or message.raw is None or not isinstance(message.raw, dict) or exempt:
            continue
        _record_empty(work, message, [])
        work.messages.remove(message)
