"""Reading, folding and judging grow with the events, whatever the events are; and a long thread stays small.

Time is counted in function calls, which are the same on every machine: ten times the events take ten times
the calls. Memory is the peak of a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.streams import (
    Event,
    assistant,
    call,
    call_started,
    event,
    failed,
    finished,
    interrupt,
    ndjson,
    result,
    resume,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)
from turnscope.core.picture import read_file

pytestmark = [pytest.mark.prove, pytest.mark.timeout(600)]

FEW, TIMES, SLACK = 150, 10, 1.15
MOST_MIB, CALLS = 300, 100_000
TARGET = {"target": "anthropic", "preset": "claude_code"}


def _runs(n: int, make: Callable[[str], list[Event]]) -> list[Event]:
    return [one for i in range(n) for one in make(str(i))]


def _in_one_run(n: int, make: Callable[[str], list[Event]]) -> list[Event]:
    return run_started() + _runs(n, make) + text() + finished()


def _run(i: str, *inner: Event) -> list[Event]:
    return [*run_started(f"r{i}"), *inner, *finished(f"r{i}")]


def _approved(i: str) -> list[Event]:
    return (
        _asked(i)
        + run_with_input(run=f"s{i}", resume=[resume(f"i{i}")])
        + result(f"c{i}")
        + finished(f"s{i}")
    )


def _asked(i: str) -> list[Event]:
    return run_started(f"r{i}") + call(f"c{i}") + finished(f"r{i}", interrupts=[interrupt(f"i{i}", f"c{i}")])


def _handed_over(i: str) -> list[Event]:
    both = call(f"c{i}", "pick") + call(f"h{i}", "ToolSearch")
    return run_with_input(user(f"Say {i}.", f"u{i}"), run=f"r{i}", tools=["pick"]) + both + finished(f"r{i}")


def _delta_input(i: str) -> list[Event]:
    held = assistant((f"c{i}", "lookup", "{}"), id=f"m{i}")
    return run_with_input(user(f"Say {i}.", f"u{i}"), held, run=f"r{i}") + finished(f"r{i}")


def _twice(i: str) -> list[Event]:
    return call(f"c{i}") + result(f"c{i}") + result(f"c{i}", "other")


def _snapshot(i: str) -> list[Event]:
    told = [user(), assistant((f"c{i}", "lookup", "{}")), tool(f"c{i}")]
    return event("MESSAGES_SNAPSHOT", messages=told)


def _patch(i: str) -> list[Event]:
    return event("STATE_DELTA", delta=[{"op": "remove", "path": f"/{i}"}])


def _echoed(i: str) -> list[Event]:
    at = 1_796_000_000_000 + int(i) * 1000
    told = [(at, call(f"c{i}", args={"q": i})), (at + 500, result(f"c{i}", i))]
    told += [(at + 600, call(f"e{i}", args={"q": i}) + result(f"e{i}", i))]
    return [{**one, "timestamp": when} for when, frames in told for one in frames]


def _nothing_said(i: str) -> list[Event]:
    return text("", f"m{i}")


def _snake(i: str) -> list[Event]:
    started = {"type": "RUN_STARTED", "thread_id": "thread-1", "run_id": f"r{i}"}
    return [started, *text(id=f"m{i}"), *finished(f"r{i}")]


def _told_later(i: str) -> list[Event]:
    """What the run before streamed, a call that it did not, and a new message."""
    before = int(i) - 1
    held = [
        user(f"Say {before}.", f"u{before}"),
        assistant((f"c{i}", "lookup", "{}"), id=f"a{i}"),
        tool(f"c{i}"),
    ]
    held += [assistant(content="Hello there.", id=f"m{before}"), user(f"Say {i}.", f"u{i}")]
    return run_with_input(*held, run=f"r{i}") + text(id=f"m{i}") + finished(f"r{i}")


def _refused(i: str) -> list[Event]:
    return run_started(f"r{i}") + failed("Tool result is missing for tool call c1.")


STREAMS: dict[str, Callable[[int], list[Event]]] = {
    "calls, answered": lambda n: _in_one_run(n, lambda i: call(f"c{i}") + result(f"c{i}", i)),
    "calls, answered alike": lambda n: _in_one_run(n, lambda i: call(f"c{i}") + result(f"c{i}")),
    "calls, never answered": lambda n: _in_one_run(n, lambda i: call(f"c{i}", args={"q": i})),
    "calls, never ended": lambda n: _in_one_run(n, lambda i: call_started(f"c{i}")),
    "calls of ids nobody takes": lambda n: _in_one_run(n, lambda i: call(f"c.{i}") + result(f"c.{i}")),
    "one id again and again": lambda n: _in_one_run(n, lambda i: call(args={"q": i})),
    "results of nothing": lambda n: _in_one_run(n, lambda i: result(f"c{i}")),
    "results, twice": lambda n: _in_one_run(n, _twice),
    "texts": lambda n: _in_one_run(n, lambda i: text("Hello there.", f"m{i}")),
    "ends without a start": lambda n: _in_one_run(n, lambda i: event("TEXT_MESSAGE_END", messageId=f"m{i}")),
    "types of their own": lambda n: _in_one_run(n, lambda i: event(f"TYPE_{i}")),
    "patches": lambda n: _in_one_run(n, _patch),
    "small snapshots": lambda n: _in_one_run(n, _snapshot),
    "runs": lambda n: _runs(n, lambda i: _run(i, *text(id=f"m{i}"))),
    "runs, each with an open call": lambda n: _runs(n, lambda i: _run(i, *call(f"c{i}"), *text(id=f"m{i}"))),
    "runs, each silent": lambda n: _runs(n, lambda i: _run(i)),
    "runs, never finished": lambda n: _runs(n, lambda i: run_started(f"r{i}") + call(f"c{i}")),
    "runs that fail alike": lambda n: _runs(n, _refused),
    "runs of small inputs": lambda n: _runs(n, _delta_input),
    "echoes": lambda n: _in_one_run(n, _echoed),
    "texts with nothing in them": lambda n: _in_one_run(n, _nothing_said),
    "runs in snake case": lambda n: _runs(n, _snake),
    "runs whose input tells of the run before": lambda n: _runs(n, _told_later),
    "runs behind a history of nothing but results": lambda n: (
        run_with_input(*(tool(f"c{i}") for i in range(n)))
        + finished()
        + _runs(n, lambda i: run_with_input(user("And?", f"u{i}"), run=f"s{i}") + finished(f"s{i}"))
    ),
    "approvals": lambda n: _runs(n, _approved),
    "questions nobody answers": lambda n: _runs(n, _asked),
    "hand-overs": lambda n: _runs(n, _handed_over),
}


def calls_made(data: bytes, judged_by: dict[str, Any] | None) -> int:
    """How many functions are called while it is read and judged."""
    count = 0

    def heard(frame: Any, what: str, arg: Any) -> None:
        nonlocal count
        if what in ("call", "c_call"):
            count += 1

    sys.setprofile(heard)
    try:
        read_file(data, settings=judged_by, dialect="ag_ui", keep_frames=False)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("judged_by", [None, TARGET], ids=["", "for a target"])
@pytest.mark.parametrize("what", STREAMS)
def test_ten_times_the_events_take_ten_times_the_work(what: str, judged_by: dict[str, Any] | None) -> None:
    few, many = (calls_made(ndjson(STREAMS[what](n)), judged_by) for n in (FEW, FEW * TIMES))
    assert many / few <= TIMES * SLACK, f"{few:,} calls grew to {many:,}"


LONG = """
import sys
from turnscope.core import events as e
from turnscope.core.picture import Picture

picture, seq = Picture(), 0

def say(*events):
    global seq
    seq += 1
    picture.add(seq, 1_796_000_000_000 + seq, 1, list(events))

say(e.Opened("ag_ui", recording=True))
say(e.SettingsInForce({"target": "anthropic"}))
for n in range(%d):
    if n %% 100 == 0:
        say(e.RunStarted("thread", f"run-{n}"))
    say(e.CallStart(f"call-{n:08}", "find_sailings", f"message-{n:08}"))
    say(e.CallArgs(f"call-{n:08}", '{"from": "Norrhamn", "day": ' + str(n) + "}"))
    say(e.CallEnd(f"call-{n:08}"))
    if n %% 50:
        say(e.CallResult(f"call-{n:08}", "There is one sailing, at nine in the morning." * 4))
    if n %% 100 == 99:
        say(e.TextStart(f"m-{n}"), e.TextDelta(f"m-{n}", "Done."), e.TextEnd(f"m-{n}"))
        say(e.RunFinished("thread", f"run-{n - 99}", "success"))
standing = picture.findings
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(len(picture.thread.calls), len(standing), int(peak.split()[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_a_thread_of_a_hundred_thousand_calls_stays_small() -> None:
    done = subprocess.run([sys.executable, "-c", LONG % CALLS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    calls, findings, mebibytes = map(int, done.stdout.split())
    assert calls == CALLS and findings > 1000
    assert mebibytes < MOST_MIB, f"{mebibytes} MiB"
