"""What may follow what: verifyEvents of `@ag-ui/client` 1.0.0, in its own words. Part of `verify`.

Its events are valid ones (`schema.py`), chunks expanded (`lanes.py`). A refusal changes nothing, so that the
books can be kept on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from turnscope.core.verify.books import Books, Owners, Refused, Values, alien, named

Rule: TypeAlias = "Callable[[Books, Values], Refused | None]"


def take(books: Books, event: Values) -> Refused | None:
    """The next event: None, or why the client would throw at it."""
    bad = _gate(books, event["type"])
    if bad is not None:
        return bad
    rule = _RULES.get(event["type"])
    return rule(books, event) if rule is not None else None


def force(books: Books, type_: str) -> None:
    """What a refused event of this type ends or begins all the same, so that the rest can be read."""
    books.begun = True
    if type_ == "RUN_STARTED":
        books.reset()
    elif type_ == "RUN_FINISHED":
        books.reset()
        books.finished = True
    elif type_ == "RUN_ERROR":
        books.fail()


def _gate(books: Books, type_: str) -> Refused | None:
    """Where the run stands."""
    starts = type_ == "RUN_STARTED"
    if not starts and books.errored:
        return (
            "after the error",
            type_,
            f"Cannot send event type '{type_}': The run has already errored with 'RUN_ERROR'. No further"
            " events can be sent.",
        )
    if not starts and books.finished and type_ != "RUN_ERROR":
        return (
            "after the end",
            type_,
            f"Cannot send event type '{type_}': The run has already finished with 'RUN_FINISHED'. Start a new"
            " run with 'RUN_STARTED'.",
        )
    if not books.begun:
        books.begun = True
        if not starts and type_ != "RUN_ERROR":
            return ("before the start", type_, "First event must be 'RUN_STARTED'")
    elif starts:
        if books.started and not books.finished and not books.errored:
            return (
                "run in a run",
                "",
                "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished"
                " with 'RUN_FINISHED' before starting a new run.",
            )
        if books.finished or books.errored:
            books.reset()
    return None


# ---------------------------------------------------------------- what opens, goes on and closes


def _opens(book: str, owners: str, key: str, noun: str, kind: str, end: str) -> Rule:
    def rule(books: Books, event: Values) -> Refused | None:
        id_ = event[key]
        opened: dict[str, None] = getattr(books, book)
        if id_ in opened:
            return (
                "already open",
                id_,
                f"Cannot send '{event['type']}' event: A {noun} with ID '{id_}' is already in progress."
                f" Complete it with '{end}' first.",
            )
        owned: Owners = getattr(books, owners)
        bad = alien(event, owned, kind, id_)
        if bad is None:
            opened[id_] = None
            owned.setdefault(id_, event.get("subagentRunId"))
        return bad

    return rule


def _goes_on(book: str, owners: str, key: str, noun: str, kind: str, advice: str, *, closes: bool) -> Rule:
    def rule(books: Books, event: Values) -> Refused | None:
        id_ = event[key]
        opened: dict[str, None] = getattr(books, book)
        if id_ not in opened:
            return (
                "not open",
                id_,
                f"Cannot send '{event['type']}' event: No active {noun} found with ID '{id_}'. {advice}",
            )
        bad = alien(event, getattr(books, owners), kind, id_)
        if closes and bad is None:
            del opened[id_]
        return bad

    return rule


def _start(what: str, opener: str) -> str:
    return f"Start a {what} with '{opener}' first."


def _sent(opener: str) -> str:
    return f"A '{opener}' event must be sent first."


_TEXT = ("texts", "message_owners", "messageId", "text message", "message")
_CALL = ("calls", "call_owners", "toolCallId", "tool call", "tool call")
_SPAN = ("spans", "thought_owners", "messageId", "reasoning span", "reasoning message")
_THOUGHT = ("thoughts", "thought_owners", "messageId", "reasoning message", "reasoning message")


def _call_started(books: Books, event: Values) -> Refused | None:
    id_, agent = event["toolCallId"], event.get("subagentRunId")
    parent: str | None = event.get("parentMessageId")
    if id_ in books.calls:
        return (
            "already open",
            id_,
            f"Cannot send 'TOOL_CALL_START' event: A tool call with ID '{id_}' is already in progress."
            " Complete it with 'TOOL_CALL_END' first.",
        )
    inherits = parent is not None and parent in books.message_owners
    holder = books.message_owners[parent] if parent is not None and inherits else None
    if inherits and agent is not None and agent != holder:
        return (
            "another owner",
            id_,
            f"Cannot send 'TOOL_CALL_START': subagentRunId '{agent}' does not match its parent message"
            f" '{parent}' owner '{named(holder)}'. A tool call belongs to the message that carries it.",
        )
    if id_ in books.call_owners:
        bad = alien(event, books.call_owners, "tool call", id_)
        if bad is not None:
            return bad
        owner = books.call_owners[id_]
        if agent is None and inherits and holder != owner:
            return (
                "another owner",
                id_,
                f"Cannot send 'TOOL_CALL_START': tool call '{id_}' is owned by '{named(owner)}' but its"
                f" parent message '{parent}' is owned by '{named(holder)}'. A tool call belongs to the"
                " message that carries it.",
            )
    books.calls[id_] = None
    books.call_owners.setdefault(id_, agent if agent is not None else holder)
    return None


# ---------------------------------------------------------------- steps, subagents


def _step_started(books: Books, event: Values) -> Refused | None:
    name, agent = event["stepName"], event.get("subagentRunId")
    names = books.steps.setdefault(agent, {})
    if name in names:
        where = "" if agent is None else f" in subagent '{agent}'"
        return ("already open", name, f"Step \"{name}\" is already active for 'STEP_STARTED'{where}")
    names[name] = None
    return None


def _step_finished(books: Books, event: Values) -> Refused | None:
    name, agent = event["stepName"], event.get("subagentRunId")
    names = books.steps.setdefault(agent, {})
    if name in names:
        del names[name]
        return None
    for other, theirs in books.steps.items():
        if name in theirs:
            return (
                "another owner",
                name,
                f"Cannot send 'STEP_FINISHED' for step \"{name}\" attributed to {_agent(agent)}: that step is"
                f" open under {_agent(other)}. A step must be finished by whoever started it.",
            )
    return ("not open", name, f"Cannot send 'STEP_FINISHED' for step \"{name}\" that was not started")


def _agent(agent: str | None) -> str:
    return "the parent agent" if agent is None else f"subagent '{agent}'"


def _agent_started(books: Books, event: Values) -> Refused | None:
    id_, parent = event["subagentRunId"], event.get("parentSubagentRunId")
    begin = f"Cannot send 'SUBAGENT_STARTED': subagent '{id_}'"
    if id_ in books.agents:
        return ("already open", id_, f"{begin} is already active. Finish it with 'SUBAGENT_FINISHED' first.")
    if id_ in books.gone:
        return (
            "used again",
            id_,
            f"{begin} has already finished in this run. Subagent IDs are per-invocation and cannot be"
            " reused.",
        )
    if parent is not None and parent not in books.agents and parent not in books.gone:
        return (
            "unknown parent",
            parent,
            f"Cannot send 'SUBAGENT_STARTED': parentSubagentRunId '{parent}' has not been started in this"
            " run.",
        )
    books.agents[id_] = None
    return None


def _agent_ended(books: Books, event: Values) -> Refused | None:
    id_ = event["subagentRunId"]
    if id_ not in books.agents:
        return (
            "not open",
            id_,
            f"Cannot send '{event['type']}': no active subagent found with ID '{id_}'."
            " A 'SUBAGENT_STARTED' event must be sent first.",
        )
    del books.agents[id_]
    books.gone.add(id_)
    return None


# ---------------------------------------------------------------- runs, and who owns what


def _run_started(books: Books, event: Values) -> Refused | None:
    books.started = True
    input_ = event.get("input")
    if input_ is not None:
        books.seed(input_.get("messages"), overrule=False)
    return None


def _run_finished(books: Books, event: Values) -> Refused | None:
    steps = [
        name if agent is None else f"{name} (subagent '{agent}')"
        for agent, names in books.steps.items()
        for name in names
    ]
    for open_, what in (
        (steps, "steps"),
        (books.texts, "text messages"),
        (books.thoughts, "reasoning messages"),
        (books.spans, "reasoning spans"),
        (books.calls, "tool calls"),
        (books.agents, "subagents"),
    ):
        if open_:
            names = ", ".join(open_)
            return ("left open", names, f"Cannot send 'RUN_FINISHED' while {what} are still active: {names}")
    books.finished = True
    return None


def _run_failed(books: Books, event: Values) -> Refused | None:
    books.fail()
    return None


def _snapshot(books: Books, event: Values) -> Refused | None:
    books.seed(event["messages"], overrule=True)
    return None


def _result(books: Books, event: Values) -> Refused | None:
    books.message_owners[event["messageId"]] = event.get("subagentRunId")
    return None


def _encrypted(books: Books, event: Values) -> Refused | None:
    id_ = event["entityId"]
    if event["subtype"] == "tool-call":
        return alien(event, books.call_owners, "tool call", id_)
    owners = books.message_owners if id_ in books.message_owners else books.thought_owners
    return alien(event, owners, "message", id_)


def _activity(books: Books, event: Values) -> Refused | None:
    id_ = event["messageId"]
    if id_ not in books.activities or event.get("replace") is not False:
        books.activities[id_] = event.get("subagentRunId")
    return None


def _activity_delta(books: Books, event: Values) -> Refused | None:
    return alien(event, books.activities, "activity", event["messageId"])


_MORE_TEXT = _start("text message", "TEXT_MESSAGE_START")
_MORE_ARGS = _start("tool call", "TOOL_CALL_START")
_MORE_THOUGHT = _start("reasoning message", "REASONING_MESSAGE_START")

_RULES: dict[str, Rule] = {
    "TEXT_MESSAGE_START": _opens(*_TEXT, "TEXT_MESSAGE_END"),
    "TEXT_MESSAGE_CONTENT": _goes_on(*_TEXT, _MORE_TEXT, closes=False),
    "TEXT_MESSAGE_END": _goes_on(*_TEXT, _sent("TEXT_MESSAGE_START"), closes=True),
    "TOOL_CALL_START": _call_started,
    "TOOL_CALL_ARGS": _goes_on(*_CALL, _MORE_ARGS, closes=False),
    "TOOL_CALL_END": _goes_on(*_CALL, _sent("TOOL_CALL_START"), closes=True),
    "TOOL_CALL_RESULT": _result,
    "REASONING_START": _opens(*_SPAN, "REASONING_END"),
    "REASONING_END": _goes_on(*_SPAN, _sent("REASONING_START"), closes=True),
    "REASONING_MESSAGE_START": _opens(*_THOUGHT, "REASONING_MESSAGE_END"),
    "REASONING_MESSAGE_CONTENT": _goes_on(*_THOUGHT, _MORE_THOUGHT, closes=False),
    "REASONING_MESSAGE_END": _goes_on(*_THOUGHT, _MORE_THOUGHT, closes=True),
    "REASONING_ENCRYPTED_VALUE": _encrypted,
    "STEP_STARTED": _step_started,
    "STEP_FINISHED": _step_finished,
    "SUBAGENT_STARTED": _agent_started,
    "SUBAGENT_FINISHED": _agent_ended,
    "SUBAGENT_ERROR": _agent_ended,
    "ACTIVITY_SNAPSHOT": _activity,
    "ACTIVITY_DELTA": _activity_delta,
    "MESSAGES_SNAPSHOT": _snapshot,
    "RUN_STARTED": _run_started,
    "RUN_FINISHED": _run_finished,
    "RUN_ERROR": _run_failed,
}
