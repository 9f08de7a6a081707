"""What Turnscope must not cry about: one legal stream for each line of the quiet list.

S10 aside, which says of what is legal that older clients refuse it.
"""

from __future__ import annotations

from typing import Any

import pytest
from judged import HARNESS, read

from tests.streams import (
    arguments,
    assistant,
    call,
    call_ended,
    call_started,
    event,
    finished,
    interrupt,
    result,
    resume,
    run_started,
    run_with_input,
    text,
    tool,
    user,
)

HELD = assistant(("c1", "lookup", "{}"))
GATED = run_started() + call(parentMessageId="m1") + finished(interrupts=[interrupt(call="c1")])

QUIET: dict[str, Any] = {
    "a client's tool pending at a successful end, with a list": (
        run_with_input(user(), tools=["lookup"]) + call() + finished(pending=["c1"])
    ),
    "a client's tool pending at a successful end, without a list": (
        run_with_input(user(), tools=["lookup"]) + call() + finished()
    ),
    "a client's tool answered by the next input": (
        run_with_input(user(), tools=["lookup"])
        + call(parentMessageId="m1")
        + finished(pending=["c1"])
        + run_with_input(user(), HELD, tool(), run="run-2", tools=["lookup"])
        + text("Found.", "m2")
        + finished("run-2")
    ),
    "an approval that is open and last": GATED,
    "an interrupt without a call that is open and last": (
        run_started() + text() + finished(interrupts=[interrupt()])
    ),
    "a result whose start stands in an earlier run, after a resume": (
        GATED
        + run_with_input(run="run-2", resume=[resume()])
        + result()
        + text("Done.", "m2")
        + finished("run-2")
    ),
    "an approved call carried by the resuming run's input": (
        GATED
        + run_with_input(user(), HELD, run="run-2", resume=[resume()])
        + result()
        + text("Done.", "m2")
        + finished("run-2")
    ),
    "other open calls that wait behind an interrupt": (
        run_started() + call() + call("c2", "save") + finished(interrupts=[interrupt(call="c1")])
    ),
    "an old call inside a snapshot": (
        run_started()
        + event("MESSAGES_SNAPSHOT", messages=[user(), HELD, tool(), assistant(content="Found.", id="m2")])
        + text("Hello.", "m3")
        + finished()
    ),
    "an old unanswered call inside a snapshot": (
        run_started()
        + event("MESSAGES_SNAPSHOT", messages=[user(), HELD])
        + text("Hello.", "m3")
        + finished()
    ),
    "old answered calls inside an input": (
        run_with_input(user(), HELD, tool(), assistant(content="Found.", id="m2"), user("And?", "u2"))
        + text("Well.", "m3")
        + finished()
    ),
    "the same history told again by every input": (
        run_with_input(user(), HELD, tool(), user("One", "u2"))
        + text("1.", "m3")
        + finished()
        + run_with_input(
            user(),
            HELD,
            tool(),
            user("One", "u2"),
            assistant(content="1.", id="m3"),
            user("Two", "u3"),
            run="run-2",
        )
        + text("2.", "m4")
        + finished("run-2")
    ),
    "interleaved parallel calls, results in any order": (
        run_started()
        + call_started("a")
        + call_started("b")
        + arguments("b")
        + arguments("a")
        + call_ended("b")
        + call_ended("a")
        + result("b")
        + result("a")
        + text()
        + finished()
    ),
    "a tool inside open text": (
        run_started()
        + event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
        + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="Let me ")
        + call(parentMessageId="m1")
        + result()
        + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="see.")
        + event("TEXT_MESSAGE_END", messageId="m1")
        + finished()
    ),
    "empty deltas": (
        run_started()
        + event("TEXT_MESSAGE_START", messageId="m1")
        + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="")
        + event("TEXT_MESSAGE_CONTENT", messageId="m1", delta="hi")
        + event("TEXT_MESSAGE_END", messageId="m1")
        + finished()
    ),
    "empty argument text": run_started() + call_started() + call_ended() + result() + text() + finished(),
    "an id used again after its answer": (
        run_started() + call() + result() + call(args={"q": 2}) + result(message="t2") + text() + finished()
    ),
    "an answered id used again by another tool": (
        run_started() + call() + result() + call(name="save") + result(message="t2") + text() + finished()
    ),
    "an input with none of the earlier messages": (
        run_with_input(user())
        + call(parentMessageId="m1")
        + result()
        + text("Found.", "m2")
        + finished()
        + run_with_input(user("And?", "u2"), run="run-2")
        + text("Well.", "m3")
        + finished("run-2")
    ),
    "a client call and a harness call open together": (
        run_with_input(user(), tools=["lookup"]) + call() + call("c2", "ToolSearch") + finished()
    ),
    "results that are null, false, zero or empty": (
        run_started()
        + call("a")
        + call("b")
        + call("c")
        + call("d")
        + result("a", "null")
        + result("b", "false")
        + result("c", "0")
        + result("d", "")
        + text()
        + finished()
    ),
    "a run that was cancelled with a call complete and open": (
        run_started() + text() + call() + finished(outcome={"type": "cancelled"})
    ),
    "a tool that the run's input does not offer, answered": (
        run_with_input(user(), tools=["other"]) + call() + result() + text() + finished()
    ),
    "chunks instead of starts and ends": (
        run_started()
        + event("TEXT_MESSAGE_CHUNK", messageId="m1", role="assistant", delta="Let me see.")
        + event("TOOL_CALL_CHUNK", toolCallId="c1", toolCallName="lookup", parentMessageId="m1", delta="{}")
        + result()
        + event("TEXT_MESSAGE_CHUNK", messageId="m2", delta="Found.")
        + finished()
    ),
    "a user message that comes while a result is still due in the same run": (
        run_started()
        + text()
        + call()
        + text("While that runs, hello.", "m2")
        + result()
        + text("Found.", "m3")
        + finished()
    ),
}


@pytest.mark.parametrize("line", QUIET)
def test_it_stays_quiet_about(line: str) -> None:
    findings = read(QUIET[line], HARNESS).picture.findings
    assert [(one.code, one.message) for one in findings if one.code != "S10"] == []
