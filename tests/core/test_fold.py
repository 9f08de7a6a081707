"""The fold: what the picture says of ordinary events. Its laws are in test_fold_laws.py."""

from __future__ import annotations

import pytest

from turnscope.core import events as e
from turnscope.core.fold import apply
from turnscope.core.inputs import HistoryCall, HistoryMessage, Interrupt, Resume, RunInput, Tool
from turnscope.core.ledger import ledger
from turnscope.core.thread import Thread


def fold(*events: e.Event) -> Thread:
    thread = Thread()
    for seq, event in enumerate(events, 1):
        event.seq, event.at, event.stream = seq, 1_000 + seq * 10, 1
        apply(thread, event)
    return thread


def message(
    role: str, id_: str, content: object = "", calls: tuple[HistoryCall, ...] = (), answers: str | None = None
):
    digest = f"{role}{id_}{content}{answers}"
    return HistoryMessage(id_, role, content, calls, answers, error=False, digest=digest, raw={})


def run_input(
    *messages: HistoryMessage, tools: tuple[str, ...] | None = None, resume: tuple[Resume, ...] = ()
):
    offered = None if tools is None else tuple(Tool(name, name) for name in tools)
    return RunInput(messages, offered, resume, {})


def started(*messages: HistoryMessage, run: str = "r1", tools: tuple[str, ...] | None = None, **more: object):
    return e.RunStarted("t", run, input=run_input(*messages, tools=tools, **more))  # type: ignore[arg-type]


def call(id_: str, name: str, text: str = "{}") -> list[e.Event]:
    return [e.CallStart(id_, name), e.CallArgs(id_, text), e.CallEnd(id_)]


HELLO = message("user", "u1", "hello there")


# ---------------------------------------------------------------- calls


def test_a_call_goes_from_streaming_to_running_to_ok() -> None:
    states = []
    thread = Thread()
    events = [
        started(HELLO),
        e.CallStart("c", "search"),
        e.CallArgs("c", '{"q":1}'),
        e.CallEnd("c"),
        e.CallResult("c", "x"),
    ]
    for seq, event in enumerate(events, 1):
        event.seq, event.at, event.stream = seq, seq, 1
        apply(thread, event)
        states.append(thread.calls[0].state if thread.calls else None)
    assert states == [None, "streaming", "streaming", "running", "ok"]


def test_a_tool_the_run_offers_is_the_clients_and_waits() -> None:
    thread = fold(
        started(HELLO, tools=("open_page",)), *call("c", "open_page"), e.RunFinished("t", "r1", "success")
    )
    only = thread.calls[0]
    assert (only.state, only.owner, only.owner_source) == ("waiting", "client", "declared")


def test_a_pending_list_that_does_not_name_a_call_makes_it_the_servers_and_unanswered() -> None:
    thread = fold(
        started(HELLO, tools=("view",)),
        *call("server-1", "disable"),
        *call("view-1", "view"),
        e.RunFinished("t", "r1", "success", pending=("view-1",)),
    )
    server, view = thread.calls
    assert (server.owner, server.owner_source, server.state) == ("server", "excluded", "unanswered")
    assert (view.owner, view.state) == ("client", "waiting")


def test_text_after_a_call_shows_that_the_server_owed_it() -> None:
    thread = fold(
        started(HELLO),
        *call("c", "search"),
        e.TextStart("m2"),
        e.TextEnd("m2"),
        e.RunFinished("t", "r1", "success"),
    )
    assert (thread.calls[0].owner, thread.calls[0].state) == ("server", "unanswered")


def test_a_call_nobody_is_known_to_owe_waits_at_a_clean_end() -> None:
    thread = fold(started(HELLO), *call("c", "search"), e.RunFinished("t", "r1", "success"))
    assert (thread.calls[0].owner, thread.calls[0].state) == ("unknown", "waiting")


def test_the_harness_call_beside_a_client_call_waits_for_the_next_run_only() -> None:
    harness = e.SettingsInForce({"owners": {"harness": ["ToolSearch"]}})
    first = [
        harness,
        started(HELLO, tools=("view",)),
        *call("v", "view"),
        *call("h", "ToolSearch"),
        e.RunFinished("t", "r1", "success"),
    ]
    thread = fold(*first)
    assert [c.state for c in thread.calls] == ["waiting", "waiting"]
    history = (
        HELLO,
        message(
            "assistant", "m1", calls=(HistoryCall("v", "view", "{}"), HistoryCall("h", "ToolSearch", "{}"))
        ),
    )
    thread = fold(
        *first,
        started(*history, message("tool", "t1", "done", answers="v"), run="r2", tools=("view",)),
        e.RunFinished("t", "r2", "success"),
    )
    assert [c.state for c in thread.calls] == ["ok", "unanswered"]
    assert thread.runs[1].input_dangling == ()


def test_an_interrupt_makes_the_call_a_persons_and_a_resume_gives_it_back() -> None:
    ask = [
        started(HELLO),
        *call("c", "refund"),
        e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i", "approval", "c"),)),
    ]
    thread = fold(*ask)
    assert (thread.calls[0].state, thread.calls[0].owner) == ("waiting", "person")
    resumed = started(HELLO, run="r2", resume=(Resume("i", "resolved", {"approved": True}),))
    thread = fold(*ask, resumed)
    assert (thread.calls[0].state, thread.calls[0].owner) == ("running", "server")
    thread = fold(*ask, resumed, e.CallResult("c", "done"), e.RunFinished("t", "r2", "success"))
    assert thread.calls[0].state == "ok"
    assert len(thread.turns) == 1


def test_a_refused_call_is_denied() -> None:
    thread = fold(
        started(HELLO),
        *call("c", "refund"),
        e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i", "approval", "c"),)),
        started(HELLO, run="r2", resume=(Resume("i", "resolved", {"approved": False}),)),
        e.RunFinished("t", "r2", "success"),
    )
    assert thread.calls[0].state == "denied"


def test_a_client_call_is_left_behind_when_the_next_message_comes_without_its_answer() -> None:
    history = (
        HELLO,
        message("assistant", "m1", calls=(HistoryCall("v", "view", "{}"),)),
        message("user", "u2", "hm?"),
    )
    thread = fold(
        started(HELLO, tools=("view",)),
        *call("v", "view"),
        e.RunFinished("t", "r1", "success"),
        started(*history, run="r2", tools=("view",)),
    )
    assert (thread.calls[0].state, thread.calls[0].moved_on_run) == ("unanswered", 2)
    assert thread.runs[1].input_dangling == ("v",)
    assert [turn.title for turn in thread.turns] == ["hello there", "hm?"]


def test_a_result_after_the_next_user_message_is_late_and_answers_nothing() -> None:
    history = (
        HELLO,
        message("assistant", "m1", calls=(HistoryCall("v", "view", "{}"),)),
        message("user", "u2", "never mind"),
        message("tool", "t1", "late", answers="v"),
    )
    thread = fold(
        started(HELLO, tools=("view",)),
        *call("v", "view"),
        e.RunFinished("t", "r1", "success"),
        started(*history, run="r2", tools=("view",)),
    )
    assert thread.runs[1].input_late == ("v",)
    assert thread.runs[1].input_dangling == ()
    assert not thread.calls[0].answered


@pytest.mark.parametrize("empty", [None, False, 0, ""])
def test_presence_counts_not_truth(empty: object) -> None:
    thread = fold(started(HELLO), *call("c", "search"), e.CallResult("c", empty))
    assert thread.calls[0].answered


def test_a_result_for_an_unknown_call_is_an_orphan() -> None:
    thread = fold(started(HELLO), e.CallResult("c9", "done"))
    assert thread.calls[0].state == "orphan"
    assert ledger(thread.calls).started == 0


def test_an_answered_id_that_starts_again_is_a_new_occurrence() -> None:
    thread = fold(started(HELLO), *call("c", "search"), e.CallResult("c", "1"), *call("c", "search"))
    assert [(c.occurrence, c.state) for c in thread.calls] == [(1, "ok"), (2, "running")]


def test_an_unanswered_call_announced_again_is_one_card_and_its_arguments_count_once() -> None:
    thread = fold(started(HELLO), *call("c", "search", '{"a": 1}'), *call("c", "search", '{"a":1}'))
    assert len(thread.calls) == 1
    assert thread.calls[0].restarts == [(5, "same")]
    assert thread.calls[0].args_length == len('{"a": 1}')


def test_another_call_under_an_unanswered_id_leaves_the_first_open() -> None:
    thread = fold(started(HELLO), *call("c", "search", '{"a":1}'), *call("c", "search", '{"a":2}'))
    assert [(c.occurrence, c.restarts) for c in thread.calls] == [(1, [(5, "other")]), (2, [])]


def test_a_failed_run_aborts_what_was_open() -> None:
    thread = fold(started(HELLO), *call("c", "search"), e.RunFailed("boom"))
    assert thread.calls[0].state == "aborted"


def test_a_snapshot_that_keeps_a_call_and_lacks_its_streamed_result_is_noted() -> None:
    snapshot = e.MessagesSnapshot(
        (HELLO, message("assistant", "m1", calls=(HistoryCall("c", "search", "{}"),)))
    )
    thread = fold(started(HELLO), *call("c", "search"), e.CallResult("c", "x"), snapshot)
    assert thread.calls[0].snapshot_lost_seq == 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        ("{}", "object"),
        ('{"a": 1, "b": [2]}', "object"),
        ('{"q": "plans", "since": ', "cut"),
        ('{"q": "pla', "cut"),
        ('{"a":1}{"b":2}', "two documents"),
        ("[1]", "not an object"),
        ("null", "not an object"),
        ("{a: 1}", "not JSON"),
    ],
)
def test_argument_texts_are_judged_at_their_end(text: str, expected: str) -> None:
    thread = fold(started(HELLO), *call("c", "search", text))
    assert thread.calls[0].args_verdict == expected


def test_a_lost_live_stream_keeps_its_run_until_the_grace_is_over() -> None:
    thread = fold(e.Opened("ag_ui", recording=False), started(HELLO), *call("c", "search"), e.Closed("lost"))
    assert thread.runs[0].state == "open"
    for seq, at in ((7, 1_060 + 29_000), (8, 1_060 + 31_000)):
        tick = e.Tick(seq=seq, at=at, stream=1)
        apply(thread, tick)
    assert (thread.runs[0].state, thread.calls[0].state) == ("truncated", "aborted")


def test_the_end_of_a_file_cuts_its_run_at_once() -> None:
    thread = fold(e.Opened("ag_ui", recording=True), started(HELLO), e.TextStart("m"), e.Closed("end"))
    assert thread.runs[0].state == "truncated"


def test_a_call_nobody_can_run_does_not_wait_at_a_clean_end() -> None:
    thread = fold(
        e.RunStarted("t", "r1"), *call("c1", "lookup", '{"q": '), e.RunFinished("t", "r1", "success")
    )
    assert (thread.calls[0].state, thread.calls[0].reason) == (
        "unanswered",
        "nothing can run on its arguments",
    )


def test_the_harness_call_waits_beside_a_call_that_may_be_the_clients() -> None:
    thread = fold(
        e.SettingsInForce({"owners": {"harness": ["ToolSearch"]}}),
        e.RunStarted("t", "r1"),
        *call("c1", "draw_chart"),
        *call("c2", "ToolSearch"),
        e.RunFinished("t", "r1", "success"),
    )
    assert [(one.state, one.owner) for one in thread.calls] == [
        ("waiting", "unknown"),
        ("waiting", "harness"),
    ]
    assert thread.calls[1].waits_behind == "hand-over"


def test_an_approved_call_of_the_clients_waits_for_the_client_after_the_resumed_run() -> None:
    thread = fold(
        started(HELLO, tools=("open_page",)),
        *call("c1", "open_page"),
        e.RunFinished("t", "r1", "interrupt", interrupts=(Interrupt("i1", "approval", "c1"),)),
        started(run="r2", tools=("open_page",), resume=(Resume("i1", "resolved", {"approved": True}),)),
        e.RunFinished("t", "r2", "success"),
    )
    assert (thread.calls[0].state, thread.calls[0].owner) == ("waiting", "client")


def test_a_snapshot_with_new_text_was_something_to_see() -> None:
    old = fold(e.RunStarted("t", "r1"), e.MessagesSnapshot((HELLO,)))
    new = fold(e.RunStarted("t", "r1"), e.MessagesSnapshot((HELLO, message("assistant", "m1", "Here."))))
    assert (old.runs[0].activity_seq, new.runs[0].activity_seq) == (0, 2)


def test_runs_that_fail_alike_on_the_same_history_are_a_row() -> None:
    again = message("user", "u2", "are you there?")
    thread = fold(
        started(HELLO, run="r1"),
        e.RunFailed("No answer for call c1 (request 81)."),
        started(HELLO, again, run="r2"),
        e.RunFailed("No answer for call c1 (request 97)."),
        started(HELLO, again, run="r3"),
        e.RunFailed("The model is offline."),
    )
    assert [run.failing_since for run in thread.runs] == [0, 1, 0]


def test_a_run_id_that_comes_again_is_the_second_run_of_that_id() -> None:
    thread = fold(e.RunStarted("t", "r1"), e.RunFinished("t", "r1", "success"), e.RunStarted("t", "r1"))
    assert [(run.id, run.occurrence) for run in thread.runs] == [("r1", 1), ("r1", 2)]


def test_two_results_for_one_call_in_one_history_are_both_kept() -> None:
    held = message("assistant", "m1", "", (HistoryCall("c1", "lookup", "{}"),))
    first = message("tool", "t1", "aborted", answers="c1")
    second = message("tool", "t2", "real", answers="c1")
    later = started(HELLO, held, first, second, run="r2")
    thread = fold(e.RunStarted("t", "r1"), *call("c1", "lookup"), later)
    assert [(a.message, a.seq) for a in thread.calls[0].answers] == [("t1", 5), ("t2", 5)]


def test_a_streamed_result_that_the_next_input_lacks_is_noted() -> None:
    held = message("assistant", "m1", "", (HistoryCall("c1", "lookup", "{}"),))
    thread = fold(
        e.RunStarted("t", "r1"),
        *call("c1", "lookup"),
        e.CallResult("c1", "found"),
        e.RunFinished("t", "r1", "success"),
        started(HELLO, held, run="r2"),
    )
    assert thread.calls[0].input_lost_seq == 7
