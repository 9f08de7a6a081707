"""Whether a target would accept a message list as it stands. It reads and reports; it mends nothing.

Shares the table and the reading of shapes with the repair, and none of its decisions: one walk with a
set of open calls, as the consumers themselves do it. Counterpart: `tests/oracles.py`, which shares nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from turnscope.core.repair import shapes
from turnscope.core.repair.filling import WHOLE, foreign
from turnscope.core.repair.pairing import whole_pairs
from turnscope.core.repair.shapes import ag_ui, bedrock, openai_responses
from turnscope.core.repair.targets import TARGETS, Target
from turnscope.core.repair.transcript import (
    ASSISTANT,
    CALL,
    DEVELOPER,
    OTHER,
    REASONING,
    RESPONSE,
    RESULT,
    SYSTEM,
    TEXT,
    UNKNOWN_ROLE,
    Json,
    Message,
    Part,
    object_text,
)
from turnscope.core.repair.turns import apart, one_turn, unsigned
from turnscope.core.repair.work import invisible


@dataclass(slots=True)
class Problem:
    """One thing the target refuses, and where."""

    code: str
    index: int
    """Of the message."""
    call_id: str | None
    rule: str
    """The field of the target's row."""
    message: str
    """The sentence a person reads; it quotes the target's rule."""


@dataclass(slots=True)
class _Walk:
    target: Target
    shape: str
    pending: frozenset[str]
    open_end: bool
    messages: list[Message]
    problems: list[Problem] = field(default_factory=list)
    open: dict[str, int] = field(default_factory=dict)
    """Call id -> index of its message."""
    closed: set[str] = field(default_factory=set)
    """Calls of the current window that have their result."""
    seen: set[str] = field(default_factory=set)
    numbers: set[str | None] = field(default_factory=set)
    """Ids that are ours, of calls that have none: no problem names one."""
    frontier: int = 0
    """From here on nobody says anything: a pending call may stay open."""
    behind_text: bool = False
    """Something other than a result stands before in this user turn."""

    def say(self, code: str, index: int, call: str | None, rule: str, what: str) -> None:
        says = self.target.rule(rule).says
        message = self.messages[index]
        index = next((part.src[0] for part in message.of(CALL) if call and part.id == call), message.src)
        shown = None if call in self.numbers else call
        self.problems.append(
            Problem(code, index, shown, rule, f"messages[{index}]: {what} ({self.target.title}: {says}).")
        )

    @property
    def shared(self) -> bool:
        """Whether results stand inside user messages."""
        return bool(shapes.by_name(self.shape).CONTAINER == "shared")

    def waits(self, call: str | None) -> bool:
        """Whether a call at the end may stay open."""
        return self.open_end or call in self.pending

    def shut(self) -> None:
        """Nothing more may answer what is open."""
        for call, at in self.open.items():
            if at < self.frontier or not self.waits(call):
                self.say(
                    "unanswered_call",
                    at,
                    call,
                    "answered",
                    f"call {call[:80]} has no result where one counts",
                )
        self.open.clear()
        self.closed.clear()


def validate(
    target: str,
    messages: Json,
    pending: Iterable[str] = (),
    shape: str | None = None,
    *,
    open_end: bool = False,
) -> list[Problem]:
    """What the target would refuse about a message list; [] if nothing. KeyError for a target that is none.

    Calls in `pending` may be open at the end; with `open_end` any call may, because a list at rest does
    not say that nobody will answer. `shape` is guessed if it is not given.
    """
    return check(TARGETS[target], messages, pending, shape, open_end=open_end)


def check(
    profile: Target,
    messages: Json,
    pending: Iterable[str] = (),
    shape: str | None = None,
    *,
    open_end: bool = False,
) -> list[Problem]:
    """The same for a row that is not, or not quite, one of the table."""
    name = shape or shapes.guess(messages)
    if name not in profile.shapes:
        name = profile.shapes[0]
    transcript = shapes.read(messages, name)
    walk = _Walk(profile, name, frozenset(pending), open_end, transcript.messages)
    parts = [part for message in transcript.messages for part in message.parts]
    if any(part.unnamed for part in parts):
        walk.numbers = {p.id for p in parts if p.unnamed} - {p.id for p in parts if not p.unnamed}
    for index, message in enumerate(transcript.messages):
        ran = any(part.provider for part in message.of(CALL))
        if not invisible(message) and (message.says or ran or not message.of(CALL, RESULT, RESPONSE)):
            walk.frontier = index + (not message.of(CALL))
    for index, message in enumerate(transcript.messages):
        if message.role == UNKNOWN_ROLE:
            walk.say("unknown_role", index, None, "empty_message", "this is no message the target knows")
        elif message.role == DEVELOPER and not profile.developer.value:
            walk.say("unknown_role", index, None, "developer", "this role is not known")
        elif not invisible(message):
            _message(walk, index, message, last=index == len(transcript.messages) - 1)
    walk.shut()
    _provider(walk)
    _items(walk)
    _turns(walk)
    return walk.problems


def _turns(walk: _Walk) -> None:
    """What a target of turns asks beside: that they alternate, that the user begins, signatures."""
    messages = walk.messages
    if walk.target.alternate.value:
        for index in range(1, len(messages)):
            if one_turn(messages[index - 1], messages[index], shapes.by_name(walk.shape)):
                walk.say("consecutive_role", index, None, "alternate", "the one before it has the same role")
    if walk.target.first_user.value and messages and messages[0].role == ASSISTANT:
        walk.say("first_not_user", 0, None, "first_user", "the assistant begins")
    for index, message in enumerate(messages if walk.target.system_first.value else ()):
        if index and message.role in (SYSTEM, DEVELOPER):
            walk.say("system_not_first", index, None, "system_first", "a system message behind another")
    for index, _ in apart(walk.target.bridges.value, messages):
        what = f"it may not follow a message of the {messages[index - 1].role}'s"
        walk.say("role_order", index, None, "bridges", what)
    signed = any(part.signed for message in messages for part in message.of(CALL))
    if walk.target.reasoning.value == "first_call_signature" and signed:
        for message, part in unsigned(messages):
            index = messages.index(message)
            walk.say("signature_missing", index, part.id, "reasoning", "its first call has no signature")


def _provider(walk: _Walk) -> None:
    """What the provider ran itself, where both halves stand in one message."""
    pairs = whole_pairs(walk.messages, near=True) if walk.shared else set()
    last = max((at for at, message in enumerate(walk.messages) if not message.only_results), default=0)
    for index, message in enumerate(walk.messages if walk.shared else ()):
        for part in message.parts:
            if part.provider and id(part) not in pairs and (part.kind != CALL or index < last):
                walk.say("server_pair_split", index, part.id, "answered", "half of the provider's own pair")


def _items(walk: _Walk) -> None:
    """What a target of items asks beside: reasoning before what it led to, ids of the items' own."""
    if walk.target.reasoning.value == "item_pairs":
        led = False
        for index in range(len(walk.messages) - 1, -1, -1):
            message = walk.messages[index]
            if message.role != ASSISTANT or message.of(REASONING) != message.parts:
                led = message.role == ASSISTANT
            elif not led:
                code = "reasoning_only_message"
                walk.say(code, index, None, "reasoning", "nothing of the model's follows this reasoning")
    prefixes = dict(walk.target.item_ids.value)
    seen: set[str] = set()
    for index, message in enumerate(walk.messages if prefixes else ()):
        for raw in message.raw if isinstance(message.raw, list) else [message.raw]:
            own = raw.get("id") if isinstance(raw, dict) else None
            if not isinstance(own, str):
                continue
            prefix = prefixes.get(str(raw.get("type", "message")))
            if prefix is not None and not own.startswith(prefix):
                walk.say("item_id_refused", index, None, "item_ids", f"the id {own[:80]!r} is refused")
            elif own in seen:
                walk.say("item_id_refused", index, None, "item_ids", f"the id {own[:80]!r} stands twice")
            seen.add(own)


def _message(walk: _Walk, index: int, message: Message, *, last: bool) -> None:
    if walk.shape == "ai_sdk_ui":
        _inline(walk, index, message, last=last)
        return
    own = message.of(RESULT, RESPONSE)
    if not own or len(own) != len(message.parts):
        _closing(walk, message)
    joined = walk.target.adjacency.value == "immediate"
    walk.behind_text = walk.behind_text and message.role != ASSISTANT and joined
    for part in message.parts:
        _part(walk, index, message, part)
    exempt = last and message.role == ASSISTANT and walk.shape == "anthropic"
    if not message.parts and walk.target.empty_message.value and not exempt:
        walk.say("empty_message", index, None, "empty_message", "it has no content")


def _closing(walk: _Walk, message: Message) -> None:
    """Shuts the window if this message does so before anything in it is read."""
    first_are_results = bool(message.parts) and message.parts[0].kind == RESULT
    if walk.shared and message.role != ASSISTANT and first_are_results:
        return
    if walk.target.adjacency.value == "immediate" or message.role in walk.target.boundary.value:
        walk.shut()


def _part(walk: _Walk, index: int, message: Message, part: Part) -> None:
    if part.kind == RESULT and not part.provider:
        _result(walk, index, message, part)
        return
    if message.role != ASSISTANT:
        walk.behind_text = True
        if walk.open and walk.shared and walk.target.adjacency.value == "immediate":
            walk.shut()
    if part.kind == CALL and part.provider and walk.shared:
        _arguments(walk, index, part)
    elif part.kind == CALL and not part.provider:
        _call(walk, index, part)
    elif part.kind == OTHER and walk.shape not in WHOLE and (alien := foreign(part.raw)) is not None:
        walk.say("foreign_block", index, alien.id, "answered", "a block in it is spelled as elsewhere")
    elif part.kind == TEXT:
        shape = shapes.by_name(walk.shape)
        if shape in (ag_ui, bedrock, openai_responses) and not shape.plain(part, message.role):
            walk.say("malformed_content", index, None, "empty_message", "a text in it is spelled otherwise")
        wanted = walk.target.empty_text.value
        blank = part.text == "" or (wanted == "forbidden_blank" and not part.text.strip())
        if wanted == "forbidden_alone" and not message.only_text:
            return
        if wanted != "ok" and blank:
            walk.say("empty_text", index, None, "empty_text", "a text in it is empty")


def _call(walk: _Walk, index: int, part: Part) -> None:
    code = walk.target.id_problem(part.id)
    if code:
        rule = "id_max" if code == "id_too_long" else "id_pattern"
        walk.say(code, index, part.id, rule, f"the id {(part.id or '')[:80]!r} is refused")
    if code := walk.target.name_problem(part.name):
        walk.say(code, index, part.id, "name_pattern", f"the name {part.name[:80]!r} is refused")
    call = part.id or ""
    if call in walk.open and walk.open[call] == index:
        walk.say("duplicate_call", index, call, "duplicates", f"call {call[:80]} stands twice in it")
    elif call in walk.open:
        walk.say(
            "unanswered_call", walk.open[call], call, "answered", f"call {call[:80]} is made again while open"
        )
    if walk.target.id_scope.value == "request" and call in walk.seen:
        walk.say("id_reused", index, call, "id_scope", f"call {call[:80]} was made before under this id")
    _arguments(walk, index, part)
    walk.seen.add(call)
    walk.closed.discard(call)
    walk.open[call] = index


def _arguments(walk: _Walk, index: int, part: Part) -> None:
    wanted, value = walk.target.arguments.value, part.value
    if part.free or part.broken:
        return
    if wanted == "either":
        right = value is None or isinstance(value, str | dict)
    else:
        right = isinstance(value, dict) if wanted == "object" else isinstance(value, str)
    if wanted == "object_text" and right:
        right = object_text(value)
    if not right:
        walk.say(
            "malformed_arguments",
            index,
            part.id,
            "arguments",
            f"the arguments of call {(part.id or '')[:80]} are not "
            f"{'an object' if wanted == 'object' else 'a text that fits'}",
        )


def _result(walk: _Walk, index: int, message: Message, part: Part) -> None:
    call = part.id or ""
    if not shapes.by_name(walk.shape).well_spelled(part):
        walk.say("malformed_content", index, part.id, "answered", f"the result of {call[:80]} cannot be read")
    if walk.target.result_names.value and not part.name:
        walk.say("name_missing", index, part.id, "result_names", f"the result of {call[:80]} names no tool")
    if walk.target.results_first.value and walk.behind_text:
        walk.say(
            "results_not_first", index, call, "results_first", f"the result of {call[:80]} stands behind text"
        )
        walk.closed.add(call)
        walk.open.pop(call, None)
    elif message.role == ASSISTANT:
        walk.say(
            "orphan_result",
            index,
            call,
            "orphans",
            f"the result of {call[:80]} stands in an assistant message",
        )
    elif call in walk.open:
        del walk.open[call]
        walk.closed.add(call)
    elif call in walk.closed:
        walk.say("duplicate_result", index, call, "duplicates", f"call {call[:80]} is answered a second time")
    else:
        walk.say(
            "orphan_result", index, call, "orphans", f"no open call {call[:80]} stands before this result"
        )


def _inline(walk: _Walk, index: int, message: Message, *, last: bool) -> None:
    """A UI message: an open state is refused unless it is the last word, and pending."""
    for number, part in enumerate(message.parts):
        if part.kind != CALL or part.provider:
            continue
        _arguments(walk, index, part)
        after = message.parts[number + 1] if number + 1 < len(message.parts) else None
        answered = after is not None and after.kind == RESULT and after.id == part.id
        if not answered and not (last and walk.waits(part.id)):
            walk.say(
                "unanswered_call", index, part.id, "answered", f"call {(part.id or '')[:80]} has no result"
            )
