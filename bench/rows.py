"""One figure of the bench, how it is judged, and the table of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple


class Rate(NamedTuple):
    """Events per second, of time and of processor time."""

    wall: float
    cpu: float


@dataclass(slots=True)
class Row:
    """One line of the table."""

    name: str
    value: float | None
    """None: it could not be measured, `note` says why."""
    unit: str
    """`R` is the ratio to the bare script of the same run."""
    must: float | None = None
    aim: float | None = None
    higher: bool = field(default=False, kw_only=True)
    """Whether more is better."""
    note: str = field(default="", kw_only=True)
    per_cpu: float | None = field(default=None, kw_only=True)
    """Of a row in R, events per second of processor time: what others do on the machine counts less in it."""

    def in_units_of(self, bare: Rate) -> Row:
        """Events per second as a ratio to R."""
        if self.value is None:
            return self
        beside = f"; {self.per_cpu / bare.cpu:.2f} R by processor time" if self.per_cpu else ""
        return replace(self, value=self.value / bare.wall, note=self.note + beside)

    def verdict(self) -> str:
        """How it stands against the bar: nothing to hold, the aim, the must, or short of it by how much."""
        if self.value is None:
            return "not there yet"
        if self.must is None:
            return ""
        if self.aim is not None and self._reaches(self.aim):
            return "aim"
        if self._reaches(self.must):
            return "must"
        by = abs(self.value - self.must)
        return f"SHORT by {by / self.must:.0%}" if self.must else f"SHORT by {_short(by)}"

    def _reaches(self, bar: float) -> bool:
        assert self.value is not None
        return self.value >= bar if self.higher else self.value <= bar


HEADINGS = ("what", "measured", "", "must", "aim", "verdict", "note")


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text, 'must' and 'aim' with the direction they bind in."""
    cells = [HEADINGS]
    for row in rows:
        sign = "≥ " if row.higher else "≤ "
        cells.append(
            (
                row.name,
                "-" if row.value is None else _short(row.value),
                row.unit,
                "" if row.must is None else sign + _short(row.must),
                "" if row.aim is None else sign + _short(row.aim),
                row.verdict(),
                row.note,
            )
        )
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    right = (1, 3, 4)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def keep(rows: Sequence[Row], about: dict[str, object], folder: Path) -> Path:
    """One JSON line for this run, to compare with later ones."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.jsonl"
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps({**about, "rows": [asdict(row) for row in rows]}) + "\n")
    return path


def _short(value: float) -> str:
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
