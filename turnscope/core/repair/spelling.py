"""Passes that look at spelling: contents a target cannot read, thinking bound to its prefix, ids of items."""

from __future__ import annotations

from turnscope.core.repair.placing import IN_PLACE, where
from turnscope.core.repair.shapes import ag_ui, bedrock, openai_responses
from turnscope.core.repair.texts import ABORTS
from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    OTHER,
    REASONING,
    RESULT,
    TEXT,
    Message,
    Part,
    as_text,
    canonical,
)
from turnscope.core.repair.work import Work, named


def contents_are_spelled(work: Work) -> None:
    """A content is spelled as its shape demands, and a result that says it was aborted is no success."""
    for message in work.messages:
        _texts_are_plain(work, message)
        for part in message.of(RESULT):
            if part.raw is None or part.provider or work.is_doomed(part):
                continue
            if not work.shape.well_spelled(part):
                part.value = as_text(part.value)
                _record(work, part, "malformed_content", "wrapped", "is written as text")
            elif work.target.denial.value and not part.error and _aborted(part):
                part.error = True
                _record(
                    work, part, "failure_as_success", "relabelled", "says it was aborted, so it is an error"
                )
            else:
                continue
            part.changed = message.changed = True


def _texts_are_plain(work: Work, message: Message) -> None:
    """No text is spelled as only another API reads it; of most shapes nothing is known that they refuse."""
    for part in message.of(TEXT) if work.shape in (ag_ui, bedrock, openai_responses) else ():
        if not (work.is_doomed(part) or work.shape.plain(part, message.role)):
            part.changed = message.changed = True
            reason = "a text was spelled as another API spells it"
            work.record(
                "malformed_content", "wrapped", reason, rule="empty_message", parts=[part], made=[part]
            )


def _aborted(part: Part) -> bool:
    return isinstance(part.value, str) and part.value.strip().lower() in ABORTS


def _record(work: Work, part: Part, code: str, action: str, what: str) -> None:
    work.record(
        code,
        action,
        f"the result of {named(part)} {what}",
        rule="answered",
        parts=[part],
        made=[part],
        call=part.id,
    )


def thinking_is_bound(work: Work) -> None:
    """Signed thinking behind the first change is reported, or by choice taken out.

    Its signature covers what stands before it, so that it holds no longer.
    """
    if work.target.reasoning.value != "prefix_bound" or not any(c.action != "kept" for c, _ in work.changes):
        return
    bound = _behind_the_first_change(work)
    if work.options.thinking == "strip_after_first_change":
        _strip(work, bound)
    elif bound:
        wish = (
            "was left as it is, as you chose"
            if work.options.thinking == "keep"
            else "was left as it is: the request has to say what becomes of it"
        )
        work.record(
            "thinking_invalidated",
            "kept",
            f"a signed thinking block stands behind a change and {wish}",
            rule="reasoning",
            parts=[bound[0][1]],
            made=[bound[0][1]],
            review=True,
        )


def _behind_the_first_change(work: Work) -> list[tuple[Message, Part]]:
    """The signed thinking of messages that were changed, or stand behind one that was, or behind a gap."""
    found: list[tuple[Message, Part]] = []
    expected, altered = 0, False
    for message in work.messages:
        altered = altered or message.changed or message.raw is None or message.src != expected
        expected = message.src + 1
        if altered:
            found += [(message, part) for part in message.of(REASONING) if part.signed]
    return found


def _strip(work: Work, bound: list[tuple[Message, Part]]) -> None:
    for message, part in bound:
        message.parts.remove(part)
        message.changed = True
        work.record(
            "thinking_invalidated",
            "dropped",
            "a signed thinking block stood behind a change and is gone, as you chose",
            rule="reasoning",
            parts=[part],
            lossy=True,
        )
    empty = [message for message, _ in bound if not any(part.kind != REASONING for part in message.parts)]
    for message in dict.fromkeys(empty):
        work.record(
            "reasoning_only_message",
            "dropped",
            "only reasoning was in a message, which says nothing without what it led to",
            rule="empty_message",
            parts=message.parts,
            src=((message.src, 0),),
        )
    work.messages = [message for message in work.messages if message not in empty]


def reasoning_is_echoed(work: Work) -> None:
    """By choice, every message with calls carries reasoning_content, if only an empty one (DeepSeek)."""
    if work.options.thinking != "echo" or work.shape.NAME != "openai_chat":
        return
    for message in work.messages:
        if not message.of(CALL) or message.of(REASONING):
            continue
        # What came in another shape has no object of this one yet.
        raw = message.raw if isinstance(message.raw, dict) else {"role": message.role, "content": None}
        message.raw = {**raw, "reasoning_content": ""}
        message.changed = True
        work.record(
            "reasoning_missing",
            "filler_added",
            "a message with calls had no reasoning_content and carries an empty one, as you chose",
            rule="reasoning",
            src=((message.src, 0),),
            made=[message],
        )


def reasoning_has_its_item(work: Work) -> None:
    """An item of reasoning is followed by an item of the model's, which it led to; else it goes."""
    if work.target.reasoning.value != "item_pairs":
        return
    places = where(work)
    led = alive = False
    for message in reversed(work.messages):
        if message.of(RESULT):
            stays = (p for p in message.of(RESULT) if places.get(id(p)) == IN_PLACE)
            alive = alive and not any(stays)
            led = led and alive
        elif message.role == ASSISTANT and message.of(REASONING) == message.parts:
            if not alive:
                _drop_reasoning(work, message.parts, led=led)
        else:
            led = message.role == ASSISTANT
            alive = led and any(not work.is_doomed(part) for part in message.parts)


def _drop_reasoning(work: Work, parts: list[Part], *, led: bool) -> None:
    for part in parts:
        work.doom(part)
        work.record(
            "reasoning_of_dropped_call" if led else "reasoning_only_message",
            "dropped",
            "what this reasoning led to is gone" if led else "nothing of the model's follows this reasoning",
            rule="reasoning",
            parts=[part],
            lossy=True,
        )


def no_item_stands_twice(work: Work) -> None:
    """An item under an id, other than a message or a call, is there once; the same again goes."""
    if not work.target.item_ids.value:
        return
    seen: set[str] = set()
    for message in work.messages:
        for part in message.of(REASONING, OTHER):
            raw = part.raw
            if raw is not message.raw or not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
                continue
            twin = canonical(raw)
            if twin in seen:
                work.doom(part)
                work.record(
                    "duplicate_item",
                    "dropped",
                    f"item {raw['id'][:80]} stood there before",
                    rule="item_ids",
                    parts=[part],
                )
            seen.add(twin)


def item_ids_are_spelled(work: Work) -> None:
    """No item has an id of its own that the target refuses: it is left out. No call's id is touched."""
    wanted = dict(work.target.item_ids.value)
    seen: set[str] = set()
    for message in work.messages if wanted else ():
        for part in message.of(CALL) or message.parts[:1]:
            raw = part.raw if part.kind == CALL else message.raw
            own = raw.get("id") if isinstance(raw, dict) else None
            if not isinstance(own, str):
                continue
            prefix = wanted.get(str(raw.get("type", "message")))
            if own not in seen and own.startswith(prefix or ""):
                seen.add(own)
                continue
            why = "stood there before" if own in seen else f"does not begin with {prefix}"
            if prefix is None:
                fact = f"{work.target.title} insists that {work.target.item_ids.says}."
                work.block(
                    "item_id_refused", part.id, f"item {own[:80]} {why}: {fact}", [part], "other_target"
                )
                continue
            part.nameless = part.changed = message.changed = True
            work.record(
                "item_id_refused",
                "relabelled",
                f"the item's own id {own[:80]} {why} and is left out",
                rule="item_ids",
                review=part.kind == REASONING,
                parts=[part],
                made=[part],
            )
