"""Recordings of other people's agents: what is found in them is what is wrong with them, and nothing else."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.real_findings import REAL, Root
from turnscope.core.picture import read_file
from turnscope.core.rules.causes import groups

SHARED = Path(os.environ.get("TURNSCOPE_SHARED") or Path(__file__).parents[2] / "shared")
FOLDER = SHARED / "corpus" / "real" / "ag-ui"
RECORDINGS = sorted(path for path in FOLDER.rglob("*") if path.is_file()) if FOLDER.is_dir() else []

needs_them = pytest.mark.skipif(not RECORDINGS, reason="the real recordings are not here (TURNSCOPE_SHARED)")


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:16]


def roots(path: Path) -> set[Root]:
    return {
        (one.root.code, one.severity, one.root.seqs[0], one.root.fold)
        for thread in read_file(path.read_bytes()).threads
        for one in groups(thread.picture.judge.findings)
    }


@needs_them
@pytest.mark.parametrize("path", RECORDINGS, ids=digest)
def test_what_is_found_is_true_and_what_is_true_is_found(path: Path) -> None:
    assert roots(path) == set(REAL[digest(path)])


@needs_them
def test_every_recording_of_the_list_is_there() -> None:
    assert {digest(path) for path in RECORDINGS} == set(REAL)


def test_every_finding_has_its_reason_and_none_names_a_recording() -> None:
    for found in REAL.values():
        assert all(reason and not reason.endswith(".") for reason in found.values())
    text = (Path(__file__).parent / "real_findings.py").read_text(encoding="utf-8")
    names = {part for path in RECORDINGS for part in path.stem.replace("-", "_").split("__") if len(part) > 6}
    assert not [name for name in names if name in text]
