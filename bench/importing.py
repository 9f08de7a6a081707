"""Import of a file into an empty database, rules on: its pace, memory, disk, and pages of the result."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from bench import data
from bench.process import child, peak_mib, ready
from bench.rows import Row

PAGES, PAGE = 500, 200


def measure(folder: Path, count: int) -> list[Row]:
    source = data.file(count, folder)
    home = folder / "import"
    took = child("importing", source, home=home)
    rate = count / took["seconds"]
    per_byte = took["disk_bytes"] / source.stat().st_size
    page = f"of {PAGE} events anywhere in {count:,}"
    share = count / 1_000_000
    return [
        Row(
            "import, rules on",
            rate,
            "R",
            1.0,
            1.5,
            higher=True,
            note=f"{rate:,.0f} events/s",
            per_cpu=count / took["cpu"],
        ),  # fmt: skip
        Row("import, memory", took["peak_mib"], "MiB", 200, 120, note="the most the process held"),
        Row("disk per raw byte", per_byte, "", 0.35, 0.15, note=f"{took['disk_bytes'] / 1e6:,.1f} MB"),
        Row(f"page {page}, p99", took["page_p99_ms"], "ms", 5, 1, note=f"p50 {took['page_p50_ms']:.2f} ms"),
        Row("filter all by kind, none match", took["kind_ms"], "ms", 60 * share, 30 * share),
        Row("filter all by text, none match", took["text_ms"], "ms", 600 * share, 150 * share),
    ]


def import_file(source: Path) -> dict[str, float]:
    """Import the file as `turnscope ingest` does without a server, and look at pages of it."""
    from turnscope.store.files import recordings
    from turnscope.store.imports import bring_in
    from turnscope.store.journal import get_journal
    from turnscope.store.reading import threads_of

    # A few events first, as before any figure: what is loaded at its first use is loaded.
    bring_in(get_journal(), "bench", iter([b"".join(data.lines(100, thread="bench-warm"))]), name="warm")
    (recording,) = recordings([str(source)])
    began, worked = time.perf_counter(), time.process_time()
    told = bring_in(get_journal(), "bench", recording.pieces(), name=recording.name)
    seconds, work = time.perf_counter() - began, time.process_time() - worked
    peak = peak_mib()
    (thread,) = threads_of(told.stream)
    return {"seconds": seconds, "cpu": work, "peak_mib": peak, "disk_bytes": _disk(), **_pages(thread)}


def _pages(thread: int) -> dict[str, float]:
    from turnscope.core.kinds import KINDS
    from turnscope.store import reading

    last = reading.count(thread)
    pick = random.Random(1)
    took = []
    for _ in range(PAGES):
        after = pick.randrange(last - PAGE)
        began = time.perf_counter()
        frames = list(reading.read(thread, after, after + PAGE))
        took.append(time.perf_counter() - began)
        assert len(frames) == PAGE
    took.sort()
    began = time.perf_counter()
    assert not list(reading.read(thread, kinds=[KINDS["RUN_ERROR"]]))
    by_kind = time.perf_counter()
    assert not list(reading.containing(thread, "no such words"))
    by_text = time.perf_counter()
    return {
        "kind_ms": (by_kind - began) * 1000,
        "text_ms": (by_text - by_kind) * 1000,
        "page_p50_ms": took[PAGES // 2] * 1000,
        "page_p99_ms": took[int(PAGES * 0.99)] * 1000,
    }


def _disk() -> int:
    """Bytes of the whole database, its log emptied into it."""
    from django.conf import settings
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(settings.DATABASES["default"]["NAME"]).stat().st_size


if __name__ == "__main__":
    ready()
    print(json.dumps(import_file(Path(sys.argv[1]))))
