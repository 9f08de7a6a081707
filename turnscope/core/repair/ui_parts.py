"""The parts of an AI SDK UI message stream: their fields as its client reads them, their reading and writing.

A part is what one `data:` of the stream holds. Its client refuses a known type with a wrong or missing
field, and a type it does not know, and then reads nothing more. Nothing here knows what a part means to
others; that is `ui_stream.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from turnscope.core import framing
from turnscope.core.events import Unread
from turnscope.core.repair.transcript import Json

Dict = dict[str, Json]
Placed = tuple[int, Dict]
"""A part and where it stood in the recording."""

TEXT, YES_NO, OBJECT, NESTED, LIST, ANY = "a text", "yes or no", "an object", "objects", "a list", "any"
"""Kinds of fields. NESTED: an object of objects, as provider metadata is."""

_PROVIDER: dict[str, str] = {"providerMetadata": NESTED}
_TOOL: dict[str, str] = {
    **_PROVIDER, "providerExecuted": YES_NO, "toolMetadata": OBJECT, "dynamic": YES_NO, "title": TEXT,
}  # fmt: skip
_OUTPUT: dict[str, str] = {
    **_PROVIDER, "providerExecuted": YES_NO, "toolMetadata": OBJECT, "dynamic": YES_NO,
}  # fmt: skip

FIELDS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "start": ({}, {"messageId": TEXT, "messageMetadata": ANY}),
    "message-metadata": ({"messageMetadata": ANY}, {}),
    "start-step": ({}, {}),
    "finish-step": ({}, {}),
    "reset-step": ({}, {}),
    "text-start": ({"id": TEXT}, _PROVIDER),
    "text-delta": ({"id": TEXT, "delta": TEXT}, _PROVIDER),
    "text-end": ({"id": TEXT}, {**_PROVIDER, "citations": LIST}),
    "reasoning-start": ({"id": TEXT}, _PROVIDER),
    "reasoning-delta": ({"id": TEXT, "delta": TEXT}, _PROVIDER),
    "reasoning-end": ({"id": TEXT}, _PROVIDER),
    "tool-input-start": ({"toolCallId": TEXT, "toolName": TEXT}, {**_TOOL, "inputEncoding": TEXT}),
    "tool-input-delta": ({"toolCallId": TEXT, "inputTextDelta": TEXT}, {}),
    "tool-input-available": ({"toolCallId": TEXT, "toolName": TEXT, "input": ANY}, _TOOL),
    "tool-input-error": ({"toolCallId": TEXT, "toolName": TEXT, "input": ANY, "errorText": TEXT}, _TOOL),
    "tool-approval-request": (
        {"approvalId": TEXT, "toolCallId": TEXT},
        {"approvalDescriptor": ANY, "inputSchemaInput": ANY, "reason": TEXT, "isAutomatic": YES_NO,
         "signature": TEXT},
    ),
    "tool-approval-response": (
        {"approvalId": TEXT, "approved": YES_NO}, {**_PROVIDER, "reason": TEXT, "providerExecuted": YES_NO},
    ),
    "tool-output-available": (
        {"toolCallId": TEXT, "output": ANY}, {**_OUTPUT, "preliminary": YES_NO},
    ),
    "tool-output-error": ({"toolCallId": TEXT, "errorText": TEXT}, _OUTPUT),
    "tool-output-denied": ({"toolCallId": TEXT}, {}),
    "source-url": ({"sourceId": TEXT, "url": TEXT}, {**_PROVIDER, "title": TEXT}),
    "source-document": (
        {"sourceId": TEXT, "mediaType": TEXT, "title": TEXT}, {**_PROVIDER, "filename": TEXT},
    ),
    "file": ({"url": TEXT, "mediaType": TEXT}, _PROVIDER),
    "reasoning-file": ({"url": TEXT, "mediaType": TEXT}, _PROVIDER),
    "custom": ({"kind": TEXT}, _PROVIDER),
    "steering-message": ({"id": TEXT, "parts": LIST}, {}),
    "error": ({"errorText": TEXT}, {}),
    "abort": ({}, {"reason": TEXT}),
    "finish": ({}, {"finishReason": TEXT, "messageMetadata": ANY}),
}  # fmt: skip
"""Type -> its required and its optional fields. Fields beside them pass."""

DATA = "data-"
"""How the types of an application's own parts begin."""
OWN: tuple[dict[str, str], dict[str, str]] = ({"data": ANY}, {"id": TEXT, "transient": YES_NO})

ENDS = ("finish", "abort")
REASONS = ("stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other")
ENCODINGS = ("json", "text")

MARK = "data-turnscope"
"""The transient part in front of a part of ours whose type has no place for a mark of its own."""


def read(data: bytes) -> list[Json]:
    """The parts of a recorded stream: SSE, JSON lines or a JSON array. What cannot be read is an `Unread`."""
    found: list[Json] = []
    for raw in framing.split(data):
        decoded = framing.decode(raw)
        if decoded.reason:
            found.append(Unread(decoded.reason))
        elif not decoded.blank:
            found.append(decoded.value)
    return found


def telling(parts: Iterable[Json]) -> bool:
    """Whether this is such a stream: other protocols share some types, and not their fields."""
    known = told = 0
    for part in parts:
        known += put_right(part)[0] is not None
        told += 1
    return known > told / 2


def written(parts: Iterable[Json]) -> bytes:
    """The stream as Server-Sent Events, ended as its client expects."""
    blocks = [f"data: {_json(part)}\n\n" for part in parts]
    return "".join([*blocks, "data: [DONE]\n\n"]).encode("ascii")


def _json(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))


def put_right(part: Json) -> tuple[Dict | None, str, list[str]]:
    """(the part as its client takes it, or None with the reason, and what was put right in it)."""
    if isinstance(part, Unread):
        return None, part.reason or "it cannot be read", []
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return None, "it has no type", []
    if kind.startswith(DATA):
        required, optional = OWN
    elif kind in FIELDS:
        required, optional = FIELDS[kind]
    else:
        return None, f"no client knows the type {kind[:60]}", []
    wrong = [name for name, want in optional.items() if name in part and not _fits(name, part[name], want)]
    missing = [
        name for name, want in required.items() if name not in part or not _fits(name, part[name], want)
    ]
    filled: Dict = {name: None for name in missing if required[name] == ANY}
    if len(filled) < len(missing):
        return None, f"{', '.join(name for name in missing if name not in filled)} is missing or wrong", []
    if not wrong and not filled:
        return part, "", []
    return {**{key: one for key, one in part.items() if key not in wrong}, **filled}, "", wrong + missing


def _fits(name: str, value: Json, want: str) -> bool:
    if want == ANY:
        return True
    if want == NESTED:
        return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
    if name == "finishReason":
        return value in REASONS
    if name == "inputEncoding":
        return value in ENCODINGS
    return isinstance(value, {TEXT: str, YES_NO: bool, OBJECT: dict, LIST: list}[want])


def mark(action: str, code: str) -> Dict:
    """What says that a part is ours, or was put right."""
    return {"turnscope": {"synthetic": action, "code": code}}


def marked(kind: str, action: str, code: str, call: str | None) -> Dict:
    """The transient part that says the same of the part behind it. A client hands it on and keeps it not."""
    about: Dict = {"of": kind, "synthetic": action, "code": code}
    if call is not None:
        about["toolCallId"] = call
    return {"type": MARK, "data": about, "transient": True}


def messages(parts: list[Placed]) -> list[tuple[list[Placed], bool]]:
    """The parts of each message, and whether another one begins before it has ended."""
    found: list[tuple[list[Placed], bool]] = []
    own: list[Placed] = []
    name, last, ended = None, "", False
    for index, part in parts:
        kind = part["type"]
        if kind == "start" and own:
            over = ended or last == "error"
            if over or (name is not None and part.get("messageId", name) != name):
                found.append((own, not over))
                own, name, ended = [], None, False
        own.append((index, part))
        ended = ended or kind in ENDS
        name = part.get("messageId", name) if kind == "start" else name
        last = last if kind.startswith(DATA) else kind
    return [*found, (own, False)] if own else found
