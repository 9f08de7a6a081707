"""What a row of the table of targets holds. A `Fact` is a rule of a consumer with its sentence and source.

`says` is the sentence a change record quotes. `verified` is the day the source was last read; None means
that nobody has seen the consumer enforce it, and then the sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

T = TypeVar("T")

READ = "2026-11-30"
YES, NO = True, False


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One thing a target insists on (or does not)."""

    value: T
    says: str
    source: str
    verified: str | None


NO_ITEM_IDS: Fact[tuple[tuple[str, str], ...]] = Fact(
    (), "ids of messages and parts are free here (not verified)", "no report of a refusal found", None
)
NEIGHBOURS: Fact[bool] = Fact(
    NO, "neighbours of one role pass (not verified)", "no report of a refusal found", None
)
AS_IT_IS: Fact[str] = Fact("", "a list is sent as it is, whole", "it is part of the request", READ)
ANY_FIRST: Fact[bool] = Fact(
    NO, "any role may come first (not verified)", "no report of a refusal found", None
)
ANY_ORDER: Fact[tuple[tuple[str, str, tuple[str, ...]], ...]] = Fact(
    (), "roles may follow one another as they like (not verified)", "no report of a refusal found", None
)
ANY_NAME: Fact[str] = Fact(
    "", "a tool may have any name (not verified)", "no report of a refusal found", None
)
DEVELOPERS: Fact[bool] = Fact(
    YES, "the role developer is known, or not part of this spelling (not verified)", "none found", None
)
NOTHING_BESIDE: Fact[str] = Fact(
    "", "the messages need nothing beside them (not verified)", "none found", None
)
NAMELESS: Fact[bool] = Fact(
    NO, "a result need not name its tool (not verified)", "no report of a refusal found", None
)
ANYWHERE: Fact[bool] = Fact(
    NO, "a system message may stand anywhere (not verified)", "no report of a refusal found", None
)


@dataclass(frozen=True, slots=True)
class Target:
    """The profile of a consumer. Fields are rules; a change's `rule` is the name of one."""

    name: str
    title: str
    shapes: tuple[str, ...]
    """Spellings it takes; a transcript in one of them keeps it, any other is written in the first."""
    answered: Fact[bool]
    """Every call needs a result."""
    adjacency: Fact[str]
    """Where a result counts: `immediate` (directly behind the message with the call); `until` (anywhere
    before a message whose role is in `boundary`) or `after` (anywhere behind the call)."""
    boundary: Fact[tuple[str, ...]]
    orphans: Fact[bool]
    """A result without its call is refused, or at best useless."""
    duplicates: Fact[bool]
    """Two results for one call, or two calls with one id in one message, are refused."""
    results_first: Fact[bool]
    arguments: Fact[str]
    """`text` (any), `object_text` (a text that parses to an object), `object`, or `either` (any of them)."""
    id_scope: Fact[str]
    """Within what an id must be unique: `group` or `request`."""
    id_pattern: Fact[str]
    id_max: Fact[int]
    """0: no limit known."""
    empty_text: Fact[str]
    """`ok`, `forbidden`, `forbidden_blank`, or `forbidden_alone` (as all that an assistant says)."""
    empty_message: Fact[bool]
    """A message without content and calls is refused."""
    reasoning: Fact[str]
    """`none`, or what the target ties reasoning to: `prefix_bound` (a signature binds what stands before it),
    `item_pairs` (an item is followed by what it led to), `first_call_signature` (of a turn's first call)."""
    denial: Fact[bool]
    """It has a word of its own for a call that was declined."""
    item_ids: Fact[tuple[tuple[str, str], ...]] = NO_ITEM_IDS
    """How the id of an item itself must begin, by the item's type. An id of another form is left out."""

    alternate: Fact[bool] = NEIGHBOURS
    """Neighbours of one role are refused; a message of results alone is a role of its own."""
    first_user: Fact[bool] = ANY_FIRST
    """The first message is the user's."""
    bridges: Fact[tuple[tuple[str, str, tuple[str, ...]], ...]] = ANY_ORDER
    """Two roles of which the second may not follow the first, and the roles of what is put between."""
    name_pattern: Fact[str] = ANY_NAME
    """What the name of a called tool looks like, whole."""
    developer: Fact[bool] = DEVELOPERS
    """The role developer is known; else such a message is the system's."""
    beside: Fact[str] = NOTHING_BESIDE
    """The field of the request that a history with calls needs beside its messages."""
    result_names: Fact[bool] = NAMELESS
    """A result names its tool, and so does a call."""
    system_first: Fact[bool] = ANYWHERE
    """System texts stand in one message, before all others."""
    replaces: Fact[str] = AS_IT_IS
    """The id of the removal that stands before the messages in an update of a state the consumer keeps."""

    def bounded(self, roles: Iterable[str]) -> Target:
        """The same consumer behind a host for whom these roles close the window for results."""
        chosen = tuple(roles)
        says = f"what closes the window for results was chosen: {', '.join(chosen) or 'nothing'}"
        fact = Fact(chosen, says, "the caller's choice", None)
        adjacency = self.adjacency
        if chosen and adjacency.value == "after":
            adjacency = Fact("until", f"{adjacency.says}; {says}", "the caller's choice", None)
        return replace(self, boundary=fact, adjacency=adjacency)

    def rule(self, name: str) -> Fact[object]:
        """The fact behind a change's `rule`."""
        fact: Fact[object] = getattr(self, name)
        return fact

    def name_problem(self, name: str) -> str | None:
        """The code of what is wrong with a tool's name, or None."""
        fits = not self.name_pattern.value or re.fullmatch(self.name_pattern.value, name)
        return None if fits else "name_format"

    def id_problem(self, call_id: str | None) -> str | None:
        """The code of what is wrong with an id in itself, or None."""
        if not call_id:
            return "id_format"
        if self.id_pattern.value and not re.fullmatch(self.id_pattern.value, call_id):
            return "id_format"
        if self.id_max.value and len(call_id) > self.id_max.value:
            return "id_too_long"
        return None
