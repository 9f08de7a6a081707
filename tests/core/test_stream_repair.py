"""The live plane: what is sound passes, what is owed is paid before one terminal, no more than that."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.core.mended import STREAMS, loaded, mended, settings_for, soup, types
from tests.streams import (
    ndjson,
)
from turnscope.core.picture import read_file
from turnscope.core.rules import RULES
from turnscope.core.verify import Refusal, Verifier

HARNESS = {"owners": {"harness": ["ToolSearch"]}}

SOUND = {
    "1c-runtime-settles-itself",
    "2c-legal-hand-over",
    "2e-hand-over-continued",
    "3c-real-approval-pending",
    "4a-torn-down-tab-three-refusals",
    "4b-late-result-after-user",
    "4c-resume-is-about-to-answer",
    "4d-relay-stripped-every-result",
    "02-frontend-tool-pending-ok",
    "12-parallel-interleaved-ok",
    "13-tool-inside-open-text-ok",
    "17-args-missing",
    "28-result-after-later-text",
    "31-state-delta-missing-path",
    "39-chunks-ok",
    "40-empty-delta-ok",
    "42-repeated-identical-calls",
    "46-healthy-control",
    "48-gated-frontend-tool",
}
"""Streams whose live plane is in order, whatever else is wrong with them."""

STAYS = {
    "R05": "a run that failed has failed, and one that ended early or was cut off is made to say so",
    "C11": "cut arguments stay cut; their call is closed and answered",
}
"""Rules that name the stream's repair and may be left as roots, each with its reason."""


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_stream_in_order_passes_as_it_came(path: Path) -> None:
    stream = loaded(path)
    before = copy.deepcopy(stream)
    done = mended(stream, settings_for(path))
    assert stream == before
    assert (done.events == stream) == (path.stem in SOUND), [c.reason for c in done.changes]
    assert bool(done.changes) == (path.stem not in SOUND)


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_repaired_stream_has_nothing_left_to_repair(path: Path) -> None:
    done = mended(loaded(path), settings_for(path))
    again = mended(done.events, settings_for(path))
    assert again.events == done.events and again.changes == []


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_no_root_finding_is_left_that_names_the_streams_repair(path: Path) -> None:
    done = mended(loaded(path), settings_for(path))
    by_code = {rule.CODE: rule for rule in RULES}
    findings = read_file(ndjson(done.events), settings=settings_for(path)).findings
    left = {f.code for f in findings if not f.because_of and "stream" in by_code[f.code].REPAIRED_BY}
    assert left <= set(STAYS)


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_whatever_is_not_as_it_came_says_so(path: Path) -> None:
    stream = loaded(path)
    done = mended(stream, settings_for(path))
    came = [json.dumps(one) for one in stream]
    for sent in done.events:
        marked = "turnscope" in sent.get("metadata", {})
        assert marked != (json.dumps(sent) in came)
    assert {index for change in done.changes for index, _ in change.dst} == {
        index for index, sent in enumerate(done.events) if "turnscope" in sent.get("metadata", {})
    }


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_card_is_in_an_end_state_or_waits_for_somebody_outside(path: Path) -> None:
    done = mended(loaded(path), settings_for(path))
    [thread] = read_file(ndjson(done.events), settings=settings_for(path)).threads
    for one in thread.picture.thread.calls:
        outside = one.owner in ("client", "person", "background", "unknown") or one.waits_behind
        assert one.answered or outside or one.plane == "history", (one.id, one.state, one.owner)


# ---------------------------------------------------------------- anything at all


def test_any_events_in_any_order_are_survived_and_end_in_one_terminal() -> None:
    for seed in range(300):
        stream = soup(Random(seed))
        before = copy.deepcopy(stream)
        done = mended(stream, HARNESS)
        assert stream == before
        if done.events:
            assert done.events[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR"), seed
        for terminal, following in zip(types(done.events), types(done.events)[1:], strict=False):
            if terminal in ("RUN_FINISHED", "RUN_ERROR"):
                assert following in ("RUN_STARTED", "RUN_ERROR"), seed
        told = {index for change in done.changes for index, _ in change.dst}
        assert all("turnscope" in done.events[index]["metadata"] for index in told), seed


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_prefix_of_a_stream_can_be_repaired(path: Path) -> None:
    """A connection may break anywhere."""
    stream = loaded(path)
    cuts = range(1, len(stream)) if len(stream) < 40 else range(1, len(stream), 9)
    for cut in cuts:
        done = mended(stream[:cut], settings_for(path))
        assert done.events[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR")
        again = mended(done.events, settings_for(path))
        assert again.events == done.events, cut


# ---------------------------------------------------------------- the other judge of a strict client


def refused(events: list[Any]) -> Refusal | None:
    judge = Verifier()
    return next((found for seq, one in enumerate(events) if (found := judge.see(one, seq))), None)


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_the_verifier_refuses_nothing_that_was_sent(path: Path) -> None:
    """It shares nothing with the repair's own books but the client they are both about."""
    stream = loaded(path)
    for cut in range(1, len(stream) + 1, 1 if len(stream) < 40 else 9):
        assert refused(mended(stream[:cut], settings_for(path)).events) is None, cut


def test_the_verifier_refuses_nothing_of_any_events_in_any_order() -> None:
    for seed in range(400):
        assert refused(mended(soup(Random(f"verified {seed}")), HARNESS).events) is None, seed
