"""The strict client, without a client: its verdicts as the corpus records them, and what a Verifier promises.

The index beside the AG-UI streams says what `@ag-ui/client` 1.0.0 was measured to say of each.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from random import Random

import pytest

from tests.mutants import RICH, mutants
from tests.streams import event, finished, run_started, text
from turnscope.core.dialects import ag_ui
from turnscope.core.events import Refused
from turnscope.core.framing import Decoded
from turnscope.core.verify import Refusal, Verifier

CORPUS = Path(__file__).parent.parent / "corpus" / "agui"
MEASURED = re.compile(r"^## (\S+)\.jsonl$.*?^- client 1\.0: (.*?)$", re.MULTILINE | re.DOTALL)


def recorded() -> dict[str, str]:
    found = dict(MEASURED.findall((CORPUS / "INDEX.md").read_text()))
    assert len(found) >= 30
    return found


def events(name: str) -> list[dict]:
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text().splitlines() if line]


def first(stream: list) -> Refusal | None:
    verifier = Verifier()
    return next((bad for n, one in enumerate(stream) if (bad := verifier.see(one, n)) is not None), None)


@pytest.mark.parametrize("name", sorted(recorded()))
def test_it_says_what_the_client_was_measured_to_say(name: str) -> None:
    said, bad = recorded()[name], first(events(name))
    if said.startswith("ok"):
        assert bad is None
    else:
        assert bad is not None
        assert bad.sentence == said


def test_streams_that_use_everything_are_taken() -> None:
    assert {name: first(stream) for name, stream in RICH.items()} == dict.fromkeys(RICH)


def test_it_goes_on_after_a_refusal_and_finds_the_next() -> None:
    stream = (
        run_started()
        + event("TEXT_MESSAGE_END", messageId="m9")
        + text()
        + finished()
        + event("STEP_STARTED", stepName="late")
    )
    verifier = Verifier()
    kinds = [bad.kind for one in stream if (bad := verifier.see(one)) is not None]
    assert kinds == ["not open", "after the end"]


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, {"type": None}, {"type": ""}, {"type": ["RUN_STARTED"]}]
)
def test_what_is_no_event_is_refused(value: object) -> None:
    bad = Verifier().see(value)
    assert bad is not None
    assert bad.kind == "no event"


def test_an_unknown_type_is_dropped_and_not_even_the_first_event() -> None:
    assert first(event("HEARTBEAT") + run_started() + text() + finished()) is None


def test_events_of_old_carry_no_id_and_keep_their_order() -> None:
    refused = first(run_started() + event("THINKING_TEXT_MESSAGE_CONTENT", delta="x"))
    assert refused is not None
    assert refused.kind == "not open"
    assert refused.type == "THINKING_TEXT_MESSAGE_CONTENT"


def test_it_never_raises_and_leaves_every_event_as_it_was() -> None:
    verifier, random = Verifier(), Random(3)
    for stream in mutants(2, 500, list(RICH.values())):
        for one in stream:
            before = copy.deepcopy(one)
            verifier.see(one)
            assert one == before
        if random.random() < 0.3:
            verifier = Verifier()


# ---------------------------------------------------------------- the reader that watches it


def by_reader(stream: list[dict]) -> list[tuple[int, str]]:
    """(frame, sentence) of each refusal, as the strict reader tells them, on its short ways too."""
    reader, found = ag_ui.strict_reader(), []
    for n, value in enumerate(stream):
        for one in reader.read(Decoded(value)):
            if isinstance(one, Refused):
                found.append((n, one.sentence))
    return found


def by_hand(stream: list[dict]) -> list[tuple[int, str]]:
    """The first refusal of each run, asked of a Verifier frame by frame."""
    verifier: Verifier | None = Verifier()
    found = []
    for n, value in enumerate(stream):
        if not isinstance(value.get("type"), str) or not value["type"]:
            continue  # no event: S01 says so
        if verifier is None and value["type"] == "RUN_STARTED":
            verifier = Verifier()
        bad = verifier.see(value) if verifier is not None else None
        if bad is not None:
            found.append((n, bad.sentence))
            verifier = None
    return found


def test_the_strict_reader_tells_the_first_refusal_of_each_run_and_nothing_else() -> None:
    streams = [events(name) for name in recorded()] + list(RICH.values()) * 4
    told = 0
    for stream in mutants(7, 1_500, streams):
        stamped = [{**one, "timestamp": 1_796_000_000_000 + n} for n, one in enumerate(stream)]
        for damaged in (stream, stamped):
            expected = by_hand(damaged)
            assert by_reader(damaged) == expected
            told += bool(expected)
    assert told > 1_000
