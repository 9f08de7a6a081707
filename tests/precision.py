"""`python -m tests.precision`: precision and recall of errors on the corpus, as a table.

What counts is a root whose group is an error, as the pair (code, subject): each found one that is expected is
right, each found one that is not is false, each expected one that is not found is missed. What is expected
stands in corpus/errors.json, from expected.json beside the streams and from reading each stream. `--readme`
prints the block of the README, which a test holds to these numbers.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TypeAlias

from tests import corpora
from turnscope.core.rules.causes import groups
from turnscope.core.rules.finding import ERROR

FOLDERS = ("stories", "agui")
BEGIN, END = "<!-- precision -->", "<!-- /precision -->"

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """What one stream, or several, come to."""

    name: str
    streams: int
    expected: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """How much of what is found is right; 1 where nothing is found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """How much of what is expected is found; 1 where nothing is expected."""
        return self.right / self.expected if self.expected else 1.0


def expected() -> dict[str, set[Pair]]:
    """Stream -> the errors it has."""
    table = json.loads((corpora.CORPUS / "errors.json").read_text())
    return {name: {(code, subject) for code, subject in pairs} for name, pairs in table.items()}


def found(name: str) -> set[Pair]:
    """The errors that are found in a stream."""
    return {
        (group.root.code, group.root.subject)
        for thread in corpora.threads_of(name)
        for group in groups(thread.picture.judge.findings)
        if group.severity == ERROR
    }


def scores() -> list[Score]:
    """One per folder, and one for all."""
    table, out = expected(), []
    for folder in FOLDERS:
        names = [corpora.name_of(path) for path in corpora.streams(folder)]
        pairs = [(table[name], found(name)) for name in names]
        out.append(
            Score(
                folder,
                len(names),
                sum(len(wanted) for wanted, _ in pairs),
                sum(len(seen) for _, seen in pairs),
                sum(len(wanted & seen) for wanted, seen in pairs),
            )
        )
    sums = [sum(getattr(one, field) for one in out) for field in ("streams", "expected", "found", "right")]
    return [*out, Score("all", *sums)]


def table(rows: list[Score]) -> str:
    """As Markdown, which reads well in a terminal too."""
    lines = [
        "| streams of | streams | real errors | found | right | precision | recall |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.name} | {one.streams} | {one.expected} | {one.found} | {one.right} "
        f"| {one.precision:.3f} | {one.recall:.3f} |"
        for one in rows
    ]
    return "\n".join(lines)


def block(rows: list[Score]) -> str:
    """What the README says of it."""
    return f"{BEGIN}\n{table(rows)}\n{END}"


def wrong() -> list[str]:
    """Every pair that is false or missed, in words."""
    out = []
    for name, wanted in expected().items():
        seen = found(name)
        out += [f"{name}: {code} {subject} is false" for code, subject in sorted(seen - wanted)]
        out += [f"{name}: {code} {subject} is missed" for code, subject in sorted(wanted - seen)]
    return out


def main(arguments: list[str]) -> int:
    rows = scores()
    print(block(rows) if "--readme" in arguments else table(rows))
    for line in wrong():
        print(line)
    return 1 if wrong() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
