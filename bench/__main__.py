"""`python -m bench`: measure, print ratios, keep a JSON line to compare with later."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from bench import (
    bare,
    cards,
    data,
    diff,
    flood,
    importing,
    judging,
    lanes,
    live,
    repairing,
    resume,
    screen,
    slow,
    start,
    viewers,
    watching,
)
from bench.data import FULL, QUICK
from bench.process import Absent
from bench.rows import Rate, Row, keep, table

Measure = Callable[[Path, int], list[Row]]
"""Its rows in R give events per second; what R was is known only afterwards."""

BENCHES: dict[str, Measure] = {
    "import": importing.measure,
    "live": live.measure,
    "watching": watching.measure,
    "viewers": viewers.measure,
    "slow": slow.measure,
    "findings": judging.measure,
    "repair": repairing.measure,
    "start": start.measure,
    "flood": flood.measure,
    "screen": screen.measure,
    "lanes": lanes.measure,
    "cards": cards.measure,
    "diff": diff.measure,
    "resume": resume.measure,
}
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="BENCH", help=f"of {', '.join(BENCHES)}; all by default")
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} events instead of {QUICK:,}")
    options = parser.parse_args()
    unknown = sorted(set(options.only) - set(BENCHES))
    if unknown:
        parser.error(f"there is no bench {unknown[0]!r}")
    count = FULL if options.full else QUICK
    with tempfile.TemporaryDirectory(prefix="turnscope-bench-") as name:
        rows = run(Path(name), count, options.only or list(BENCHES))
    print(table(rows))
    about: dict[str, object] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "events": count,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
    }
    print(f"\nKept in {keep(rows, about, RESULTS)}")
    return 0


def run(folder: Path, count: int, chosen: list[str]) -> list[Row]:
    """Each chosen bench between two measurements of R: a machine that others use changes its pace."""
    source = data.file(count, folder)
    measured = [bare.measure(source, folder)]
    rows: list[Row] = []
    for name in chosen:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            found = BENCHES[name](folder, count)
        except Exception as lack:  # whatever it is, the others' figures are kept
            if not isinstance(lack, Absent):
                traceback.print_exc()
            said = str(lack).strip().splitlines() or [repr(lack)]
            found = [Row(name, None, "", note=said[-1][:100])]
        measured.append(bare.measure(source, folder))
        before, after = measured[-2:]
        beside = Rate((before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2)
        rows += [row.in_units_of(beside) if row.unit == "R" else row for row in found]
    walls = [rate.wall for rate in measured]
    spread = f"between {min(walls):,.0f} and {max(walls):,.0f} in this run"
    return [Row("R, the bare script", statistics.median(walls), "events/s", note=spread), *rows]


if __name__ == "__main__":
    sys.exit(main())
