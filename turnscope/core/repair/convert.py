"""A transcript in another shape: the same texts, calls and results, laid out as that shape holds them.

Not a repair: nothing is paired, moved past a text or dropped, except what the new spelling has no room
for, which is returned so that it can be told. Counterpart: `shapes/`, which does the spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from turnscope.core.repair.shapes import pydantic_ai
from turnscope.core.repair.transcript import (
    ACTIVITY,
    ASSISTANT,
    CALL,
    DEVELOPER,
    RESPONSE,
    RESULT,
    STEP,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    UNKNOWN_ROLE,
    USER,
    Message,
    Part,
    parsed,
)


def converted(messages: list[Message], shape: ModuleType) -> tuple[list[Message], list[Message], list[Part]]:
    """The messages laid out for a shape; system messages, if they stand beside; parts it has no room for."""
    out: list[Message] = []
    system: list[Message] = []
    lost: list[Part] = []
    beside = pydantic_ai.instructions(messages)
    told = [Message(SYSTEM, [Part(TEXT, None, text=beside)])] if beside else []
    for message in [*told, *messages]:
        for piece in _pieces(message):
            if piece.role in (SYSTEM, DEVELOPER) and shape.SYSTEM_TEXTS == "beside":
                system.append(piece)
                continue
            lost.extend(part for part in piece.parts if not _fits(part))
            parts = [_respelled(part, shape) for part in piece.parts if _fits(part)]
            if not parts and piece.parts:
                continue
            if piece.role not in shape.ROLES:
                piece.role = SYSTEM if piece.role == DEVELOPER else piece.role
            piece.parts = parts
            _append(out, piece, shape)
    _name_messages(out)
    return out, system, lost


def _name_messages(messages: list[Message]) -> None:
    """Every message has an id of its own, named by what it answers or where it stands. A shape without ids
    never shows them."""
    taken: set[str] = set()
    for index, message in enumerate(messages):
        results = message.of(RESULT)
        wanted = message.id or (f"{results[0].id}-result" if results else f"message-{index + 1}")
        number, found = 1, wanted
        while found in taken:
            number += 1
            found = f"{wanted}-{number}"
        message.id = found
        taken.add(found)


def _pieces(message: Message) -> Iterator[Message]:
    """A message taken apart where another shape would hold several: steps, results beside other things."""
    if message.role in (ACTIVITY, THINKING, UNKNOWN_ROLE) or not message.parts:
        yield replace(message, raw=None, parts=list(message.parts))
        return
    run: list[Part] = []
    results: list[Part] = []
    inline = message.role == ASSISTANT

    def flush() -> Iterator[Message]:
        if run:
            yield replace(message, raw=None, parts=list(run))
        if results:
            yield replace(message, raw=None, role=TOOL, id=None, parts=list(results))
        run.clear()
        results.clear()

    for part in message.parts:
        if part.kind == STEP:
            yield from flush()
        elif part.form == SYSTEM:
            yield from flush()
            yield replace(message, raw=None, role=SYSTEM, id=None, parts=[part])
        elif part.kind in (RESULT, RESPONSE):
            if not inline and run:
                yield from flush()
            results.append(part)
        else:
            if results and (not inline or part.kind == TEXT):
                yield from flush()
            run.append(part)
    yield from flush()


def _append(out: list[Message], piece: Message, shape: ModuleType) -> None:
    if piece.role != TOOL and shape.SPREAD:
        for item in shape.laid_out(piece):
            if out and out[-1].of(CALL) and item.of(CALL):
                out[-1].parts.extend(item.parts)
            else:
                out.append(item)
    elif piece.role != TOOL:
        out.append(piece)
    elif shape.CONTAINER == "shared":
        if out and out[-1].role == USER and out[-1].only_results:
            out[-1].parts.extend(piece.parts)
        else:
            piece.role = USER
            out.append(piece)
    elif shape.CONTAINER == "own":
        for part in piece.parts:
            out.append(replace(piece, parts=[part]))
    elif shape.NAME == "gemini" and out and out[-1].role == TOOL:
        out[-1].parts.extend(piece.parts)
    else:
        out.append(piece)


def _fits(part: Part) -> bool:
    """Whether every shape can spell it. Media and reasoning are spelled too differently to be carried."""
    return part.kind in (TEXT, CALL, RESULT) and not part.provider


def _respelled(part: Part, shape: ModuleType) -> Part:
    made = replace(part, raw=None, free=False, form="", wordless=False, broken=False, also=())
    if part.kind == CALL and shape.ARGUMENTS == "object":
        value = parsed(part.value)
        made.value = part.value if value is None else value
    return made
