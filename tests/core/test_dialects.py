"""The catalogue of dialects: all alike, and a stream is recognised from its first values."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnscope.core import dialects
from turnscope.core.dialects import DIALECTS, by_name, guess


def test_the_folder_is_the_catalogue():
    folder = Path(dialects.__file__).parent
    stems = {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    assert {dialect.__name__.rpartition(".")[2] for dialect in DIALECTS} == stems


def test_every_dialect_has_the_same_faces_and_a_name_of_its_own():
    for dialect in DIALECTS:
        assert dialect.__doc__
        assert all(callable(getattr(dialect, face)) for face in ("thread_of", "kind", "share", "Reader"))
        assert by_name(dialect.NAME) is dialect
    assert len({dialect.NAME for dialect in DIALECTS}) == len(DIALECTS)


def test_a_dialect_nobody_has_is_a_key_error():
    with pytest.raises(KeyError):
        by_name("morse")


def test_ag_ui_is_recognised_by_its_types_and_its_inputs():
    values = [{"type": "RUN_STARTED"}, {"type": "TEXT_MESSAGE_CHUNK"}, {"type": "NEW"}, {"type": "RAW"}]
    assert guess(values) == ("ag_ui", 0.75)
    assert guess([{"threadId": "t", "runId": "r", "messages": []}]) == ("ag_ui", 1.0)


def test_a_stream_that_is_nobodys_is_taken_for_ag_ui_without_confidence():
    for values in ([], [None, 1, "x", []], [{"type": "text-delta"}]):
        name, confidence = guess(values)
        assert name == "ag_ui"
        assert confidence < 0.5
