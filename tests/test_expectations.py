"""Every stream of the corpus comes to the outline that stands beside it. `--accept` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import corpora, expectations

EACH = pytest.mark.parametrize("path", list(corpora.streams()), ids=corpora.name_of)


@EACH
def test_a_stream_comes_to_its_outline(path: Path, *, accept: bool) -> None:
    kept, made = expectations.beside(path), expectations.outline(path)
    if accept:
        kept.write_text(made, encoding="utf-8")
    assert kept.exists(), f"{kept.name} is missing: read the outline, then --accept it\n{made}"
    assert made == kept.read_text(encoding="utf-8")


def test_no_outline_is_left_without_its_stream() -> None:
    kept = {path for folder in corpora.FOLDERS for path in (corpora.CORPUS / folder).glob("*.expect.txt")}
    assert kept == {expectations.beside(path) for path in corpora.streams()}


@pytest.mark.parametrize(
    "path",
    [path for path in corpora.streams("rules") if path.name.startswith("quiet-")],
    ids=lambda p: p.stem,
)
def test_a_quiet_stream_has_no_error_and_no_warning(path: Path) -> None:
    thread = corpora.threads_of(corpora.name_of(path))[0]
    loud = [one for one in thread.picture.judge.findings.values() if one.severity != "info"]
    assert [(one.code, one.message) for one in loud] == []
