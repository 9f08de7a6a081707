"""The errors found on the corpus are the errors that are there, and the README says the same numbers."""

from __future__ import annotations

from pathlib import Path

from tests import corpora, precision

README = Path(__file__).parent.parent / "README.md"


def test_every_stream_has_its_expectation_and_nothing_else_has() -> None:
    names = {corpora.name_of(path) for path in corpora.streams(*precision.FOLDERS)}
    assert set(precision.expected()) == names


def test_what_is_expected_is_what_the_folders_own_tables_ask_for() -> None:
    """Each expected code fires there by expected.json, and no stream that must be silent has an error."""
    for name, pairs in precision.expected().items():
        folder, _, file = name.partition("/")
        said = corpora.expected(folder)[file.removesuffix(".jsonl")]
        codes = {code for code, _ in pairs}
        effects = set(said.get("because_of", {}))
        assert codes <= set(said["fire"]) - effects, name
        errors = {code for code, severity in said["fire"].items() if severity == "error"} - effects
        assert not codes or codes & (errors | {"R07"}), name
        assert bool(codes) == ("error" in said["fire"].values()), name


def test_no_error_is_false_and_none_is_missed() -> None:
    assert precision.wrong() == []
    *_, whole = precision.scores()
    assert (whole.precision, whole.recall) == (1.0, 1.0)


def test_the_readme_says_these_numbers() -> None:
    assert precision.block(precision.scores()) in README.read_text(encoding="utf-8")


def test_the_command_prints_the_table_and_succeeds(capsys) -> None:
    assert precision.main([]) == 0
    assert "| all | 47 |" in capsys.readouterr().out
