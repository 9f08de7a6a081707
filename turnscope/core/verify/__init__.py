"""A strict client: what the official `@ag-ui/client` 1.0.0 would throw at, event by event, as values.

In its own order: the compatibility boundary (what is of old becomes what it is now), the schemas, chunks
into what they stand for, what may follow what. A `Verifier` never raises, sees one stream, and goes on after
a refusal, although the client would not. tests/test_verifier_interop.py holds it to the real client.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from turnscope.core.inputs import Json
from turnscope.core.verify.books import Books, Owners, Refused, Values
from turnscope.core.verify.lanes import Lanes
from turnscope.core.verify.order import force, take
from turnscope.core.verify.schema import EVENTS

CLIENT = "@ag-ui/client 1.0.0"

FRAME, INVALID = "no event", "invalid"
"""Kinds of refusal beside those of `order.py` and `lanes.py`."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where the client would throw."""

    kind: str
    """A short fixed phrase: `invalid`, `not open`, `already open`, `left open`, `another owner` ..."""
    type: str
    """The event's type, as it came."""
    about: str
    """The id or name it is about; of an invalid event, the path of the field."""
    sentence: str
    """The client's own words, as near as they are of use."""
    seq: int


class Verifier:
    """One stream, as the client would take it."""

    __slots__ = ("_lanes", "_minted", "_span", "_thought", "books")

    def __init__(self) -> None:
        self.books = Books()
        self._lanes = Lanes()
        self._minted = count(1)
        self._span = self._thought = ""
        """Ids the boundary made for THINKING events, which carry none."""

    def see(self, event: Json, seq: int = 0) -> Refusal | None:
        """The next event, as decoded: None, or why the client would throw at it."""
        if type(event) is not dict:
            return Refusal(FRAME, "", "", "Invalid event: the frame is not a JSON object.", seq)
        type_ = event.get("type")
        if type(type_) is not str or not type_:
            return Refusal(FRAME, "", "type", "Invalid event: the frame carries no event type.", seq)
        if type_ in _OF_OLD:
            event = self._upgraded(event, type_)
        bad = self._bad(event)
        return None if bad is None else Refusal(bad[0], type_, bad[1], bad[2], seq)

    def plain(self, type_: str) -> tuple[dict[str, None], Owners]:
        """(ids that are open, owners) for this type of delta. The same objects for as long as this lives.

        A valid delta outside of chunks is taken if its id is open and its tag, if it has one, is the owner's.
        """
        books = self.books
        if type_ == "TEXT_MESSAGE_CONTENT":
            return books.texts, books.message_owners
        if type_ == "TOOL_CALL_ARGS":
            return books.calls, books.call_owners
        return books.thoughts, books.thought_owners

    def continues(self, type_: str, chunk: Values) -> bool:
        """Whether a valid chunk of an id, a delta and no more goes on in the parent's lane, and is taken."""
        books, id_ = self.books, self._lanes.continues(type_, chunk)
        opened = {"TEXT_MESSAGE_CHUNK": books.texts, "TOOL_CALL_CHUNK": books.calls}
        return id_ in opened.get(type_, books.thoughts)

    @property
    def lanes(self) -> object:
        """True while any chunk's stream is open. The same object for as long as this lives."""
        return self._lanes.open

    def _bad(self, event: Values) -> Refused | None:
        type_ = event["type"]
        check = EVENTS.get(type_)
        if check is None:
            return None  # dropped before anything looks at it
        wrong = check(event)
        if wrong is not None:
            force(self.books, type_)
            where, what = wrong
            return INVALID, where, f"Invalid input at '{where}': {what}"
        made = self._lanes.expand(event)
        if isinstance(made, tuple):
            return made
        for one in made:
            bad = take(self.books, one)
            if bad is not None:
                force(self.books, one["type"])
                return bad
        return None

    def _upgraded(self, event: Values, type_: str) -> Values:
        """A THINKING event as the REASONING event it is now."""
        if type_ == "THINKING_START":
            id_ = self._span = self._mint()
        elif type_ == "THINKING_TEXT_MESSAGE_START":
            id_ = self._thought = self._mint()
        elif type_ == "THINKING_END":
            id_, self._span = self._span or self._mint(), ""
        else:
            id_ = self._thought or self._mint()
            if type_ == "THINKING_TEXT_MESSAGE_END":
                self._thought = ""
        new = {**event, "type": _OF_OLD[type_], "messageId": id_}
        if type_ == "THINKING_TEXT_MESSAGE_START":
            new["role"] = "reasoning"
        return new

    def _mint(self) -> str:
        return f"(minted {next(self._minted)})"


_OF_OLD = {
    "THINKING_START": "REASONING_START",
    "THINKING_END": "REASONING_END",
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}
