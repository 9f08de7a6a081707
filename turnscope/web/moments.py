"""What a conversation was at one seq: its messages and its state, folded anew up to there.

Cards, timeline and ledger need none of this, since their rows know their seqs; messages and state are folded
on the server, so that there is one fold. For the state only the frames that touch it are unpacked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from turnscope.core import events as e
from turnscope.core import kinds, repair
from turnscope.core.events import Frame
from turnscope.core.fold import apply
from turnscope.core.patches import LIMIT, STATE, Documents, activity
from turnscope.core.repair.transcript import REASONING, TEXT, Message
from turnscope.core.thread import Thread
from turnscope.store.models import Turn

from . import mended, runs, words

Dict = dict[str, Any]
Frames = Iterable[tuple[Frame, Any, list[e.Event]]]
"""As `runs.events` gives them."""

MESSAGES = 200
"""Messages shown, the latest; a long conversation is read whole on its export page."""
LONG = 8000
"""Characters of one part."""
SHOWN = 64_000
"""Characters of a document."""
TOUCHING = frozenset(
    kinds.KINDS[name]
    for name in (
        "STATE_SNAPSHOT", "STATE_DELTA", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA",
        "RUN_STARTED", "INPUT", "OPENED",
    )
)  # fmt: skip
"""Kinds of frames that a state or an activity may change with."""


def transcript_at(turn: Turn, seq: int) -> Dict:
    """The messages up to a seq, as a model would be given them, the latest MESSAGES."""
    upto = min(seq, turn.thread.last_seq) if seq else turn.thread.last_seq
    if upto == turn.thread.last_seq:  # what the export page reads, too, and what is remembered
        read = mended.transcript(mended.of_turn(turn))
    else:
        past = runs.events(turn.thread_id, upto)
        read = repair.from_events(event for _, _, found in past for event in found)
    return _told(read.messages, upto)


def transcript_of(frames: Frames, upto: int) -> Dict:
    """The same of any frames that were read."""
    read = repair.from_events(event for _, _, found in frames for event in found)
    return _told(read.messages, upto)


def _told(messages: Sequence[Message], upto: int) -> Dict:
    shown = [_message(message) for message in messages]
    return {"seq": upto, "earlier": max(len(shown) - MESSAGES, 0), "messages": shown[-MESSAGES:]}


def _message(message: Message) -> Dict:
    parts = []
    for part in message.parts:
        text = part.text if part.kind in (TEXT, REASONING) else _spelled(part.value, part.text)
        parts.append({
            "kind": part.kind, "title": part.name or part.kind,
            "text": text[:LONG], "more": max(len(text) - LONG, 0),
        })  # fmt: skip
    seqs = sorted({*message.seqs, *(seq for part in message.parts for seq in part.seqs)})
    return {"role": message.role or "unknown", "parts": parts, "seqs": seqs, "made": False}


def _spelled(value: Any, text: str) -> str:
    if value is None:
        return text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def state_at(turn: Turn, seq: int) -> Dict:
    """The state and the activities up to a seq: each as text, when it last changed, and by what."""
    upto = min(seq, turn.thread.last_seq) if seq else turn.thread.last_seq
    return state_of(runs.events(turn.thread_id, upto, TOUCHING), upto)


def state_of(frames: Frames, upto: int) -> Dict:
    """The same of any frames that were read."""
    picture, told = Thread(), dict[str, Dict]()
    held = picture.documents
    for _, _, found in frames:
        for event in found:
            before = held.failures
            apply(picture, event)
            key = _key(event)
            if key is not None:
                about = told.setdefault(key, {"changes": 0, "refused": []})
                about |= {"seq": event.seq, "by": _by(event), "changes": about["changes"] + 1}
                if held.failures > before:
                    about["refused"].append(event.seq)
    return {"seq": upto, "documents": [_document(held, key, about) for key, about in told.items()]}


def _key(event: e.Event) -> str | None:
    """The document that an event is about."""
    if isinstance(event, e.StateSnapshot | e.StatePatch):
        return STATE
    if isinstance(event, e.ActivitySnapshot | e.ActivityPatch):
        return activity(event.id)
    given = getattr(event, "input", None)
    return STATE if given is not None and given.raw.get("state") is not None else None


def _by(event: e.Event) -> str:
    operations = getattr(event, "operations", None)
    if operations is None:
        return "given with the run" if hasattr(event, "input") else "sent whole"
    if not isinstance(operations, list):
        return "a patch"
    named = [f"{one.get('op')} {one.get('path')}" for one in operations[:3] if isinstance(one, dict)]
    return ", ".join(named)[:200] or "a patch"


def _document(held: Documents, key: str, about: Dict) -> Dict:
    title = "State" if key == STATE else f"Activity {key.removeprefix('activity ')}"
    if key in held.forgotten or held.over:
        note = f"It grew past {words.size(LIMIT)} and is not held."
        return {"title": title, "text": "", "cut": False, "note": note, **about}
    text = orjson.dumps(held.known.get(key, {}), option=orjson.OPT_INDENT_2).decode()
    return {"title": title, "text": text[:SHOWN], "cut": len(text) > SHOWN, "note": "", **about}
