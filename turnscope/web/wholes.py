"""What calls were given and what they gave, whole, as digests: for two that look the same in what rows keep.

One reading of a run's tool frames for all of them, and of the few frames elsewhere that hold an answer.
Counterparts: `callpage.py`, which shows one call whole; `comparepage.py`, which asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from turnscope.core import framing

from . import callpage, log

Dict = dict[str, Any]

LOOKED = 200_000
"""Tool frames of one run that are read."""


def digests(thread: int, calls: Sequence[Dict]) -> dict[int, tuple[bytes, bytes]]:
    """(of the arguments, of the first answer) by the call's number; none for a call that was not reached."""
    begun = {call["start_seq"]: call for call in calls if call["start_seq"]}
    answered = {one["seq"]: call for call in calls for one in call["answers"][:1]}
    if not begun:
        return {}
    args, said = _read(thread, begun, answered)
    return {
        call["number"]: (args[call["number"]].digest(), said.get(call["number"], b""))
        for call in begun.values()
        if call["number"] in args
    }


def _read(thread: int, begun: dict[int, Dict], answered: dict[int, Dict]) -> tuple[Dict, dict[int, bytes]]:
    last = max(max(call["end_seq"] or call["closed_seq"] or seq for seq, call in begun.items()), *answered, 0)
    open_: dict[Any, Any] = {}
    args: Dict = {}
    said: dict[int, bytes] = {}
    left = dict(answered)
    current: Any = None
    for looked, frame in enumerate(log.read(thread, min(begun) - 1, last, callpage.TOOLS)):
        if looked >= LOOKED:
            # Of those that are still open not all was read.
            reached = {call["number"] for call in begun.values() if call["end_seq"] <= frame.seq}
            args = {number: held for number, held in args.items() if number in reached}
            break
        value = framing.decode(frame.raw).value
        told = callpage.told_id(value)
        if frame.kind == callpage.CHUNK:
            told = current = told if told is not None else current
        if frame.seq in begun:
            open_[told] = args[begun[frame.seq]["number"]] = blake2b(digest_size=16)
        delta = value.get("delta") if isinstance(value, dict) else None
        if told in open_ and isinstance(delta, str) and frame.kind in (callpage.ARGS, callpage.CHUNK):
            open_[told].update(delta.encode("utf-8", "surrogatepass"))
        if frame.seq in left:
            _answer(said, left.pop(frame.seq), value)
    for seq, call in left.items():
        for frame in log.read(thread, seq - 1, seq):
            _answer(said, call, framing.decode(frame.raw).value)
    return args, said


def _answer(said: dict[int, bytes], call: Dict, value: Any) -> None:
    text = callpage.content_of(value, call["call_id"])
    if text is not None:
        said[call["number"]] = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
