"""Passes that read what was spelled for somebody else, and find what a part has lost: the id of an answer,
the name of a tool. What the list itself does not tell is never made up.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    OTHER,
    RESULT,
    TEXT,
    TOOL,
    USER,
    Json,
    Message,
    Part,
    compact,
    parsed,
)
from turnscope.core.repair.work import Pair, Work, named

CALLING = ("tool_use", "tool-call", "tool_call", "function_call")
ANSWERING = ("tool_result", "tool-result", "function_call_output")
"""Types under which somebody spells a call or a result as a block of content."""
WHOLE = ("langchain", "ai_sdk_ui")
"""Shapes that read such blocks themselves, or name their own parts after tools."""
IDS = {
    "openai_chat": ("tool_call_id",),
    "openai_responses": ("call_id",),
    "anthropic": ("tool_use_id",),
    "bedrock": ("toolResult", "toolUseId"),
    "ai_sdk": ("toolCallId",),
    "ag_ui": ("toolCallId",),
    "pydantic_ai": ("tool_call_id",),
    "langchain": ("tool_call_id",),
}
"""Where a result holds the id of its call, in the shapes that need one."""
HELD = {"data": ("data",), "constructor": ("kwargs",)}
"""What is around that in LangChain's spellings."""


def foreign(raw: Json) -> Part | None:
    """The call or result that a block of content is in another shape than its list's; None for any other."""
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return None
    found = [
        raw[key] for key in ("id", "call_id", "toolCallId", "tool_use_id") if isinstance(raw.get(key), str)
    ]
    name = raw.get("name", raw.get("toolName"))
    part = Part(CALL, None, found[0] if found else None, name if isinstance(name, str) else "")
    if raw["type"] in CALLING:
        part.value = next((raw[key] for key in ("input", "args", "arguments") if key in raw), None)
        return part
    if raw["type"] not in ANSWERING:
        return None
    part.kind, part.error = RESULT, raw.get("is_error") is True or raw.get("isError") is True
    part.value = next((raw[key] for key in ("content", "output", "result") if key in raw), "")
    if isinstance(part.value, dict) and set(part.value) == {"type", "value"}:
        part.error = part.error or str(part.value["type"]).startswith("error")
        part.value = part.value["value"]
    return part


def foreign_blocks_are_read(work: Work) -> None:
    """A call or a result that stands in the content as others spell it is spelled as its list is."""
    if work.shape.NAME in WHOLE:
        return
    out: list[Message] = []
    for message in work.messages:
        twins = {id(part): twin for part in message.of(OTHER) if (twin := _twin(work, message, part))}
        out.extend(_spelled(work, message, twins) if twins else [message])
    work.messages = out


def _twin(work: Work, message: Message, part: Part) -> Part | None:
    twin = foreign(part.raw)
    if twin is None or (twin.kind == CALL and message.role != ASSISTANT):
        return None
    twin.src, twin.seqs = part.src, part.seqs
    if twin.kind == CALL:
        value = parsed(twin.value)
        twin.value = twin.value if value is None else value
        if work.shape.ARGUMENTS == "text" and not isinstance(twin.value, str):
            twin.value = compact(twin.value)
    work.record(
        "foreign_block",
        "relabelled",
        f"the {'call' if twin.kind == CALL else 'result'} of {named(twin)} was a block of another maker's "
        "spelling, and is spelled as its list is",
        rule="answered",
        parts=[part],
        made=[twin],
        call=twin.id,
    )
    return twin


def _spelled(work: Work, message: Message, twins: dict[int, Part]) -> Iterator[Message]:
    """The message with its calls in their place, and its results in messages of their own where those are."""
    inside = work.shape.CONTAINER == "shared" and message.role == USER
    parts: list[Part] = []
    calls: list[Part] = []
    results: list[Part] = []
    for part in message.parts:
        twin = twins.get(id(part))
        if twin is None or (twin.kind == RESULT and inside):
            parts.append(twin or part)
        elif twin.kind == RESULT:
            results.append(twin)
        else:
            (calls if work.shape.SPREAD else parts).append(twin)
    message.parts, message.changed = parts, True
    if isinstance(message.raw, dict) and isinstance(message.raw.get("content"), list):
        # Not every shape writes content anew of a message that was read.
        content = [part.raw for part in parts if part.kind in (TEXT, OTHER) and part.raw is not None]
        message.raw = {**message.raw, "content": content}
    said = [message] if parts else []
    said += [Message(ASSISTANT, calls, seqs=message.seqs)] if calls else []
    answers = _answers(work, message, results)
    yield from [*answers, *said] if message.role == USER else [*said, *answers]


def _answers(work: Work, message: Message, results: list[Part]) -> list[Message]:
    if not results:
        return []
    if work.shape.CONTAINER == "own":
        return [Message(TOOL, [part], None, work.new_id(f"{part.id}-result"), seqs=message.seqs)
                for part in results]  # fmt: skip
    return [Message(USER if work.shape.CONTAINER == "shared" else TOOL, results, seqs=message.seqs)]


def foreign_blocks_are_told(work: Work) -> None:
    """Any other block of another shape's is a blocker: nobody knows what it would mean here."""
    for message in work.messages if work.shape.NAME not in WHOLE else ():
        for part in message.of(OTHER):
            twin = foreign(part.raw)
            if twin is not None:
                text = (
                    f"{named(twin)} stands in the content of a message that is not the assistant's: "
                    f"{work.target.title} knows no such block."
                )
                work.block("foreign_block", twin.id, text, [part], "other_target")


def answers_have_an_id(work: Work) -> None:
    """A result without an id is for the one call it can answer; if there are several, nobody guesses."""
    path = IDS.get(work.shape.NAME)
    if path is None or not any(_lost(part) for message in work.messages for part in message.parts):
        return
    window: list[tuple[Message, Part]] = []
    for message in work.messages:
        if message.role == USER and message.says and not message.of(RESULT):
            _find_calls(work, window, path)
            window = []
        window += [(message, part) for part in message.of(CALL, RESULT) if not part.provider]
    _find_calls(work, window, path)


def _lost(part: Part) -> bool:
    return part.kind == RESULT and not part.id and not part.provider and not part.unnamed


def _find_calls(work: Work, window: list[tuple[Message, Part]], path: tuple[str, ...]) -> None:
    """Between two words of the user's: answers without an id, and the calls before them without another."""
    answered = _answered(window)
    free: list[Part] = []
    for message, part in window:
        if part.kind == CALL and part.id and id(part) not in answered:
            free.append(part)
        elif _lost(part):
            mine = [call for call in free if not part.name or part.name == call.name]
            if len(mine) == 1:
                free.remove(mine[0])
                _give(work, message, part, mine[0], path)
            else:
                # One of them has run: none may be told that it did not.
                work.evidence.started.update(call.id or "" for call in mine)


def _answered(window: list[tuple[Message, Part]]) -> set[int]:
    """The calls (by identity) that results name: each the newest before it, or the next behind it."""
    found: set[int] = set()
    newest: dict[str | None, Part] = {}
    early: set[str | None] = set()
    for _, part in window:
        if part.kind == CALL:
            newest[part.id] = part
            found |= {id(part)} if part.id in early else set()
        elif part.id in newest:
            found.add(id(newest[part.id]))
        elif part.id:
            early.add(part.id)
    return found


def _give(work: Work, message: Message, part: Part, call: Part, path: tuple[str, ...]) -> None:
    gone = Part(RESULT, part.raw, src=part.src, seqs=part.seqs)
    if part.raw is not None:
        raw = _with(part.raw, (*HELD.get(part.form, ()), *path), call.id)
        if message.raw is part.raw:
            message.raw = raw
        part.raw = raw
    part.id, message.changed = call.id, True
    work.given.append((part, gone, call))


def found_ids_are_told(work: Work) -> None:
    """Every result that has found its call, and stays, says so."""
    for part, gone, call in work.given:
        if work.is_doomed(part):
            continue
        work.record(
            "id_missing",
            "relabelled",
            f"a result had no id, and {named(call)} is the only one it can answer",
            rule="orphans",
            parts=[gone],
            made=[part],
            call=call.id,
            review=True,
        )


def _with(raw: Json, path: tuple[str, ...], value: str | None) -> Json:
    base = raw if isinstance(raw, dict) else {}
    return {**base, path[0]: _with(base.get(path[0]), path[1:], value) if path[1:] else value}


def names_are_known(work: Work) -> None:
    """A call and its result name the tool, where the target asks for it: one lends its name to the other."""
    if not work.target.result_names.value:
        return
    for pair in work.pairs:
        name = pair.call.name or next((part.name for _, part in pair.results if part.name), "")
        for message, part in [(pair.message, pair.call), *pair.results]:
            if name and isinstance(part.raw, dict) and not work.is_doomed(part) and not _told(part):
                _name(work, pair, message, part, name)


def _told(part: Part) -> bool:
    held = next((value for value in part.raw.values() if isinstance(value, dict)), {})
    return bool(held.get("name"))


def _name(work: Work, pair: Pair, message: Message, part: Part, name: str) -> None:
    key = next(key for key, value in part.raw.items() if isinstance(value, dict))
    before = Part(part.kind, part.raw, part.id, src=part.src, seqs=part.seqs, unnamed=part.unnamed)
    part.raw, part.name, message.changed = _with(part.raw, (key, "name"), name), name, True
    work.record(
        "name_missing",
        "relabelled",
        f"the {'call' if part is pair.call else 'result'} of {named(pair)} had no name and has the other's",
        rule="result_names",
        parts=[before],
        made=[part],
        call=pair.id,
    )
