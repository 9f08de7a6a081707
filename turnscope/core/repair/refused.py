"""What becomes of ids and names that a target refuses: told; by explicit choice written as text, or mapped.

No repair changes an id by itself: whoever keeps the other half (a log, an approval, a client) would not find
it again. `ids="flatten"` gives up the pair and keeps what it said; `ids="map"` sends it under an id the
target takes, and `Repaired.ids` says which it stands for.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from types import ModuleType

from turnscope.core.repair.targets import Target
from turnscope.core.repair.transcript import ASSISTANT, CALL, RESULT, TEXT, Json, Message, Part, compact
from turnscope.core.repair.work import ADDED, Work, named, own_calls, own_results

ID_KEYS = ("id", "call_id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
"""The fields in which shapes spell the id of a call."""
HOLDERS = ("data", "kwargs", "functionCall", "function_call", "functionResponse", "function_response",
           "toolUse", "toolResult")  # fmt: skip
"""The fields inside which they may do so."""


def refused_pairs_are_texts(work: Work) -> None:
    """By choice, a call whose id or name is refused is told in words, with its result; no id is left."""
    if work.options.ids != "flatten" or work.shape.CONTAINER == "inline":
        return
    homes = {id(part): message for message in work.messages for part in message.parts}
    pairs = {id(pair.call): pair for pair in work.pairs}
    told: dict[int, Part] = {}
    before: set[str | None] = set()
    waiting = {id(pair.message) for pair in work.pairs if pair.kept}
    for message in list(work.messages):
        if id(message) in waiting:
            break  # What is told as text behind a call that waits would end its wait.
        for part in own_calls(message):
            code, rule = next(refusals(work, part, again=part.id in before), ("", ""))
            before.add(part.id)
            pair = pairs.get(id(part))
            if not code or (pair is not None and (pair.kept or not pair.results)):
                continue
            told[id(part)] = _tell(work, message, part, code, rule)
            for _, result in pair.results if pair is not None else ():
                title = f"Result of {part.name or 'a tool call'}"
                text = work.quote(homes[id(result)], result, code, rule, title, lossy=True)
                told[id(result)] = text
    work.place_quotes()
    _once(work, told)
    work.pairs = [pair for pair in work.pairs if id(pair.call) not in told]


def _once(work: Work, told: dict[int, Part]) -> None:
    """What was done before to a thing that is told in words is part of that, and no change of its own; and
    a result that was added here was never there to be quoted."""
    added = {id(told[one]) for one in work.added if one in told}
    left = []
    for change, made in work.changes:
        texts = [told[id(thing)] for thing in made if id(thing) in told]
        if texts and change.action not in ADDED:
            continue
        if change.action == "quoted" and id(made[0]) in added:
            continue
        left.append((change, (*texts,) if texts else made))
    work.changes = left


def _tell(work: Work, message: Message, call: Part, code: str, rule: str) -> Part:
    said = call.value if isinstance(call.value, str) else compact(call.value)
    text = Part(TEXT, None, text=f"[Called {call.name or 'a tool'}: {said}]", src=call.src, seqs=call.seqs)
    text.form = call.form
    if work.shape.SPREAD:
        message.parts.remove(call)
        where = work.messages.index(message)
        work.messages[where : where + (not message.parts)] = [Message(ASSISTANT, [text], seqs=call.seqs)]
    else:
        message.parts[message.parts.index(call)] = text
    message.changed = True
    work.record(
        code,
        "quoted",
        f"{named(call)} is told as text, because it cannot be sent under its {_what(rule)}",
        rule=rule,
        parts=[call],
        made=[text],
        call=call.id,
        lossy=True,
        review=True,
    )
    return text


def ids_are_left_alone(work: Work) -> None:
    """No id or name is changed: one the target refuses is a blocker, with what remains to be done."""
    told: set[tuple[str, str | None]] = set()
    seen = Counter(part.id for message in work.messages for part in own_calls(message))
    under: dict[str | None, list[Part]] | None = None
    before: set[str | None] = set()
    for message in work.messages:
        for part in own_calls(message):
            for code, rule in refusals(work, part, again=seen[part.id] > 1):
                if work.options.ids == "map" and part.id and rule != "name_pattern":
                    if code != "id_reused" or part.id in before:
                        work.renamed.append((message, part, code, rule))
                    continue
                if (code, part.id) in told:
                    continue
                told.add((code, part.id))
                under = under or _by_id(work)
                fact = f"{work.target.title} insists that {work.target.rule(rule).says}"
                work.block(
                    code,
                    part.id,
                    f"{named(part)} cannot be sent under its {_what(rule)}: {fact}.",
                    under[part.id],
                    "other_target",
                    "flatten_pair",
                    *(["id_map"] if _what(rule) == "id" and part.id else []),
                )
            before.add(part.id)
    _rename(work)


def _what(rule: str) -> str:
    return "name" if rule == "name_pattern" else "id"


def refusals(work: Work, part: Part, *, again: bool) -> Iterator[tuple[str, str]]:
    """What the target refuses about the id and the name of a call, each with its rule."""
    # A number of ours is no id: where one is asked for, there is none.
    code = "id_format" if part.unnamed and part.raw is None else work.target.id_problem(part.id)
    if code is not None:
        yield code, "id_max" if code == "id_too_long" else "id_pattern"
    elif again and work.target.id_scope.value == "request":
        yield "id_reused", "id_scope"
    if code := work.target.name_problem(part.name):
        yield code, "name_pattern"


def _by_id(work: Work) -> dict[str | None, list[Part]]:
    """The calls and results under each id."""
    found: dict[str | None, list[Part]] = {}
    for message in work.messages:
        for part in own_calls(message) + own_results(message):
            found.setdefault(part.id, []).append(part)
    return found


# ---------------------------------------------------------------- the map


def _rename(work: Work) -> None:
    """Finds an id for every call that is sent under another, and says so."""
    taken = {part.id for message in work.messages for part in (*own_calls(message), *own_results(message))}
    results = {id(pair.call): [part for _, part in pair.results] for pair in work.pairs}
    for _, call, code, rule in work.renamed:
        new = _free(work.target, call.id or "", taken)
        taken.add(new)
        work.ids[new] = call.id or ""
        parts = [call, *results.get(id(call), [])]
        work.sent_as.update({id(part): new for part in parts})
        work.record(
            code,
            "relabelled",
            f"{named(call)} is sent as {new}, as you chose: the id map says what it stands for",
            rule=rule,
            parts=parts,
            made=parts,
            call=call.id,
        )


def _free(target: Target, old: str, taken: set[str | None]) -> str:
    """An id that the target takes and nobody has: the old one without what is refused, or a digest."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", old)[:64]
    number = 0
    while not plain or plain in taken or target.id_problem(plain) is not None:
        plain = hashlib.sha256(f"{old}\0{number}".encode("utf-8", "surrogatepass")).hexdigest()[:9]
        number += 1
    return plain


def mapped(work: Work, messages: list[Json]) -> list[Json]:
    """The list as it is sent under the map: ids replaced where shapes spell them, and nowhere else."""
    if not work.sent_as:
        return messages
    news: dict[str | None, list[str | None]] = {}
    for message in work.messages:
        for part in own_calls(message):
            news.setdefault(part.id, []).append(work.sent_as.get(id(part)))
    now: dict[str | None, str | None] = {}
    return [_sent(work.shape, raw, news, now) for raw in messages]


def _sent(
    shape: ModuleType, raw: Json, news: dict[str | None, list[str | None]], now: dict[str | None, str | None]
) -> Json:
    swaps: dict[int, Json] = {}
    own: list[Message] = shape.read([raw])
    for part in (part for message in own for part in message.parts):
        if part.kind == CALL and news.get(part.id):
            now[part.id] = news[part.id].pop(0)
        new = None if part.unnamed else now.get(part.id)
        for told in (part.raw, *part.also) if new is not None else ():
            if isinstance(told, dict):
                swaps[id(told)] = _named(told, part, new)
    return _swapped(raw, swaps) if swaps else raw


def _swapped(value: Json, swaps: dict[int, Json], depth: int = 6) -> Json:
    """The value with some objects in it exchanged; parts stand no deeper in a message, and arguments may."""
    if id(value) in swaps:
        return swaps[id(value)]
    if depth and isinstance(value, dict):
        return {key: _swapped(inner, swaps, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, list):
        return [_swapped(inner, swaps, depth - 1) for inner in value]
    return value


def _named(told: dict[str, Json], part: Part, new: str | None, *, inside: bool = False) -> dict[str, Json]:
    """One telling of a call or a result under the new id. A message's own id is another thing."""
    out = dict(told)
    for key in ID_KEYS:
        if told.get(key) == part.id and (key != "id" or inside or part.kind != RESULT):
            out[key] = new
    for key in HOLDERS:
        if isinstance(told.get(key), dict):
            out[key] = _named(told[key], part, new, inside=key not in ("data", "kwargs"))
    return out
