"""Event soup: any canonical events in any order, from a small stock of ids so that they collide."""

from __future__ import annotations

from hypothesis import strategies as st

from turnscope.core import events as e
from turnscope.core.inputs import HistoryCall, HistoryMessage, Interrupt, Resume, RunInput, Tool
from turnscope.core.reasons import FinishReason

IDS = st.sampled_from(["a", "b", "c", "call-1", ""])
NAMES = st.sampled_from(["search", "ToolSearch", "open_page", ""])
TEXTS = st.sampled_from(["", "{", "}", '{"a":1}', '"', "words", "\ud800", "null"])
AGENTS = st.sampled_from([None, "sub"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", '{"error":"no"}']),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["error", "k"]), inner, max_size=2)
    ),
    max_leaves=4,
)
_calls = st.builds(HistoryCall, IDS, NAMES, TEXTS)
_messages = st.builds(
    lambda id_, role, content, calls, answers, *, error: HistoryMessage(
        id_,
        role,
        content,
        tuple(calls) if role == "assistant" else (),
        answers if role == "tool" else None,
        error,
        f"{id_}{role}{content!r}",
        {"role": role},
    ),
    st.none() | IDS,
    st.sampled_from(["user", "assistant", "tool", "system", "developer", "reasoning"]),
    JSON,
    st.lists(_calls, max_size=3),
    IDS,
    error=st.booleans(),
)
_tools = st.none() | st.lists(st.builds(Tool, NAMES, st.sampled_from(["d1", "d2"])), max_size=2).map(tuple)
_inputs = st.builds(
    lambda messages, tools, resume: RunInput(tuple(messages), tools, tuple(resume), {}),
    st.lists(_messages, max_size=6),
    _tools,
    st.lists(st.builds(Resume, IDS, st.sampled_from(["resolved", "cancelled", "?"]), JSON), max_size=2),
)
_interrupts = st.lists(st.builds(Interrupt, IDS, TEXTS, st.none() | IDS), max_size=2).map(tuple)

_paths = st.sampled_from(["", "/", "/k", "/error", "/k/0", "/k/-", "no pointer"])
_patches = st.lists(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "zap"]), "path": _paths},
        optional={"value": JSON, "from": _paths},
    ),
    max_size=3,
)

EVENTS: st.SearchStrategy[e.Event] = st.one_of(
    st.builds(e.RunStarted, st.none() | IDS, st.none() | IDS, st.none(), st.none() | _inputs),
    st.builds(e.InputSeen, st.none() | IDS, st.none() | IDS, _inputs),
    st.builds(
        e.RunFinished,
        st.none() | IDS,
        st.none() | IDS,
        st.sampled_from(["success", "interrupt", "cancelled", "odd"]),
        st.none() | st.lists(IDS, max_size=3).map(tuple),
        _interrupts,
    ),
    st.builds(
        e.RunFailed,
        st.sampled_from(
            ["boom", "Tool result is missing for tool call call-1.", "Duplicate tool call id call-1"]
        ),
        st.none() | TEXTS,
    ),
    st.builds(e.StepStarted, NAMES, AGENTS),
    st.builds(e.StepFinished, NAMES, AGENTS),
    st.builds(e.TextStart, IDS, st.sampled_from(["assistant", "user"])),
    st.builds(e.TextDelta, IDS, TEXTS),
    st.builds(e.TextEnd, IDS),
    st.builds(e.ReasoningStart, IDS),
    st.builds(e.ReasoningEnd, IDS),
    st.builds(e.ReasoningMessageStart, IDS),
    st.builds(e.ReasoningDelta, IDS, TEXTS),
    st.builds(e.ReasoningMessageEnd, IDS),
    st.builds(e.CallStart, IDS, NAMES, st.none() | IDS, AGENTS, st.booleans()),
    st.builds(e.CallArgs, IDS, TEXTS),
    st.builds(e.CallEnd, IDS),
    st.builds(e.CallResult, IDS, JSON, st.none() | IDS, st.none() | st.booleans(), AGENTS, st.booleans()),
    st.builds(e.MessagesSnapshot, st.lists(_messages, max_size=6).map(tuple)),
    st.builds(e.StateSnapshot, JSON),
    st.builds(e.StatePatch, JSON | _patches),
    st.builds(e.ActivitySnapshot, IDS, NAMES, JSON, st.booleans()),
    st.builds(e.ActivityPatch, IDS, NAMES, JSON | _patches),
    st.builds(e.Custom, NAMES, JSON),
    st.builds(e.SubagentStarted, IDS, NAMES),
    st.builds(e.SubagentFinished, IDS),
    st.builds(e.SubagentFailed, IDS),
    st.builds(e.Unread, TEXTS),
    st.builds(e.Unknown, NAMES, st.booleans()),
    st.builds(e.Odd, NAMES, TEXTS, TEXTS),
    st.builds(e.Refused, NAMES, st.sampled_from(["invalid", "not open"]), TEXTS, TEXTS),
    st.builds(e.Gap, st.integers(1, 5), st.integers(1, 5)),
    st.builds(FinishReason, st.sampled_from(["stop", "tool-calls", "length", ""])),
    st.builds(e.Opened, st.just("ag_ui"), st.booleans()),
    st.builds(e.Closed, st.sampled_from(["end", "lost", "replaced"])),
    st.builds(
        e.SettingsInForce,
        st.sampled_from(
            [
                {},
                {"owners": {"harness": ["ToolSearch"], "server": ["search"]}},
                {"owners": 3, "limits": []},
                {"mutes": [{"code": "C02", "reason": "known", "date": "2026-11-30"}]},
                {"target": "openai_chat", "severities": {"C09": "info"}},
            ]
        ),
    ),
    st.builds(e.Evidence, IDS, st.sampled_from(["start", "result", "error"]), JSON),
    st.builds(e.Tick),
    st.builds(e.Guarded, TEXTS),
)


@st.composite
def streams(draw: st.DrawFn, *, most: int = 40) -> list[e.Event]:
    """Events as they would be stamped: seq and time grow, two streams share the thread."""
    found = draw(st.lists(EVENTS, max_size=most))
    at = 1_000_000
    for seq, event in enumerate(found, 1):
        at += draw(st.sampled_from([0, 5, 40_000]))
        event.seq, event.at, event.stream = seq, at, draw(st.sampled_from([1, 1, 1, 2]))
    return found
