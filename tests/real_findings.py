"""What is found in recordings of other people's agents, and why each of it is true.

The recordings are not part of this project. A digest of its content stands for each, so that the list speaks
of shapes and not of whose recording it is. Each was read by hand, event by event. A root finding is named by
its code, the severity of its group, its first event and what is told together (`Finding.fold`); what it
explains goes with it. `tests/test_real_findings.py` holds the list, where the recordings are.
"""

from __future__ import annotations

from typing import TypeAlias

Root: TypeAlias = tuple[str, str, int, str]

SNAKE = "every field is in snake case; a strict client finds no threadId and gives up at the first event"
INNER_ID = "RUN_FINISHED carries the id the framework gave the run inside, not the one of RUN_STARTED"
AGAIN = "STEP_STARTED comes for a step whose STEP_FINISHED has not come: the graph looks at it several times"
ENDED_OTHER = "STEP_FINISHED comes for `tools` before any STEP_STARTED for it, inside the text of `agent`"
PRIVATE = "USAGE_METADATA is an event of the adapter's own; the protocol's `usage` goes with RUN_FINISHED"
NOTHING = "the run ends as a success without one character of text, a call, a result or an activity"
OTHER_ID = "the snapshot at the end has the streamed text word for word, under an id nobody has seen"
PROMPT = "the SDK refused the prompt: its one message is an object where text or parts are due"
SECONDS = "1770363247 is a time in seconds; the protocol counts milliseconds"
KEPT_TYPES = "the transcript kept the types of the events and lost this field of theirs"

_TRANSCRIPT: dict[Root, str] = {
    (
        "S03",
        "error",
        2,
        "timestamp not an integer",
    ): "every timestamp is ISO text: refused at the first event",
    ("S03", "warning", 2, "fields one level down"): "the fields stand under `data`, not in the event",
    ("S03", "warning", 3, "TEXT_MESSAGE_START messageId missing"): KEPT_TYPES,
    ("S03", "warning", 4, "TEXT_MESSAGE_CONTENT messageId missing"): KEPT_TYPES,
    ("S03", "warning", 4, "TEXT_MESSAGE_CONTENT delta missing"): KEPT_TYPES,
    ("S03", "warning", 16, "TEXT_MESSAGE_END messageId missing"): KEPT_TYPES,
    ("R04", "error", 2, ""): "twelve pieces of text came without their text: nobody could have read a word",
}

REAL: dict[str, dict[Root, str]] = {
    "748b9cfb82bae935": {
        ("S03", "warning", 2, "RunAgentInput messages[0].id missing"): "a message of an input has an id",
    },
    "7a2ce726d522fbc5": {},
    "675740ec7f6f8b77": _TRANSCRIPT,
    "dd76f83102519a1c": _TRANSCRIPT,
    "beebc805b959d046": {
        ("S03", "error", 2, "snake case"): SNAKE,
        ("R05", "error", 3, ""): PROMPT,
    },
    "57cb6e3327f9a426": {
        ("S07", "error", 37, "end-without-start StepFinished"): ENDED_OTHER,
        ("S07", "warning", 38, "start-twice StepStarted"): AGAIN,
        (
            "C07",
            "warning",
            166,
            "",
        ): "the second call has a result and no START: the last snapshot has it",
        ("R09", "warning", 2, "terminal"): INNER_ID,
    },
    "c280c0558f214139": {
        ("S03", "error", 3, "named error"): "RUN_ERROR has its text under `error`: a client misses `message`",
        ("R05", "error", 3, ""): "the framework refused the content of the message it was sent",
    },
    "6f7dc7ffe0050cfc": {
        (
            "R04",
            "error",
            2,
            "",
        ): "a step, the user's own message in a snapshot and a state are all there is",
    },
    "82aa395926cfee6f": {},
    "637a45699e59d09d": {
        ("S07", "error", 33, "start-twice StepStarted"): AGAIN,
        ("R09", "warning", 2, "terminal"): INNER_ID,
    },
    "ead6add6aaff44e1": {("R04", "error", 2, ""): "a message was opened and closed with nothing in it"},
    "f3ad4e247bc699da": {
        ("S07", "error", 93, "start-twice StepStarted"): AGAIN,
        ("R09", "warning", 2, "terminal"): INNER_ID,
    },
    "1be4b84aa2daeff1": {
        ("S09", "info", 2, "in seconds"): SECONDS,
        ("C17", "warning", 4, "text"): OTHER_ID,
    },
    "3926e0895e2153fe": {("S02", "warning", 51, "USAGE_METADATA  unknown"): PRIVATE},
    "e7adcadc00234d86": {
        ("S09", "info", 2, "in seconds"): SECONDS,
        ("C17", "warning", 4, "text"): OTHER_ID,
    },
    "286c390db740e65b": {
        ("S03", "error", 2, "snake case"): SNAKE,
    },
    "11253b4e0cd08e81": {
        ("S03", "error", 2, "snake case"): SNAKE,
        ("R05", "error", 3, ""): PROMPT,
    },
    "8a28dcefe8f861bd": {},
    "d9b020f6141e6f2a": {},
    "66713e20a0067f6d": {("R04", "error", 2, ""): NOTHING},
    "c11a374d5428f519": {("S02", "warning", 39, "USAGE_METADATA  unknown"): PRIVATE},
    "c33b092f7647daee": {
        ("S07", "error", 49, "end-without-start StepFinished"): ENDED_OTHER,
        ("S07", "warning", 50, "start-twice StepStarted"): AGAIN,
        ("R09", "warning", 2, "terminal"): INNER_ID,
    },
}
"""Digest of a recording -> its root findings, each with the reason why it is true."""
