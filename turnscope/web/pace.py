"""The pace of a turn: when its frames came, from segment headers alone, without unpacking one.

It gives the scrubber its density, the waterfall its quiet gaps and the assistant's lane, and replay the
time of any seq. All sizes are bounded whatever the turn's length, and nothing is done per frame in Python
but for a few thousand sampled ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from operator import sub
from typing import Any, NamedTuple

from turnscope.core import kinds
from turnscope.store import models, segments

BUCKETS = 150
SAMPLES = 2000
"""Most (seq, time) pairs a page gets: between two of them time is taken to run evenly."""
COUNTED = 30_000
"""Frames the density is counted from; of a longer turn every n-th."""
QUIET_MS, QUIET_SHARE = 2000, 0.07
"""A gap is drawn when it is this long and this share of the turn."""
APART_MS = 5000
"""Text frames further apart than this are two spans."""

_TEXT = bytes(number for name, number in kinds.KINDS.items() if name.startswith("TEXT_MESSAGE"))
_WRITING = re.compile(b"[" + re.escape(_TEXT) + b"]+")
_START = kinds.KINDS["TEXT_MESSAGE_START"]


class Part(NamedTuple):
    """Frames that follow one another."""

    first: int
    kinds: bytes
    ats: list[int]


def parts(thread: int, first: int, last: int) -> Iterator[Part]:
    """The frames of a turn by segment, marks left out."""
    rows = models.Segment.objects.filter(thread_id=thread, last_seq__gte=first, first_seq__lte=last)
    found = rows.order_by("first_seq").values_list("first_seq", "header")
    for start, packed in found.iterator(chunk_size=256):
        header = bytes(packed)
        names, ats = segments.kinds_of(header), segments.arrivals_of(header)
        low, high = max(first - start, 0), max(last + 1 - start, 0)
        yield from _unmarked(Part(start + low, names[low:high], ats[low:high]))


def _unmarked(part: Part) -> Iterator[Part]:
    """A part without the journal's own lines: cut where one stands."""
    if not part.kinds:
        return
    if max(part.kinds) < kinds.MARK:
        yield part
        return
    begin = 0
    for index, kind in enumerate((*part.kinds, kinds.MARK)):
        if kind >= kinds.MARK:
            if index > begin:
                yield Part(part.first + begin, part.kinds[begin:index], part.ats[begin:index])
            begin = index + 1


def pace(thread: int, first: int, last: int) -> dict[str, Any]:
    """`{unit, start, end, density, gaps, gap_seqs, texts, samples}`; times are ms, or else seqs."""
    key = (thread, first, last)
    if key in _known:
        _known.move_to_end(key)
        return _known[key]
    found = measured(list(parts(thread, first, last)), first, last)
    if last - first >= LONG:
        _known[key] = found
        while len(_known) > KEPT:
            _known.popitem(last=False)
    return found


LONG, KEPT = 20_000, 8
"""Frames from which on a pace is remembered, since what has come does not change; and how many are."""
_known: OrderedDict[tuple[int, int, int], dict[str, Any]] = OrderedDict()


def measured(found: list[Part], first: int, last: int) -> dict[str, Any]:
    spans = [(min(part.ats), max(part.ats)) if part.ats else (0, 0) for part in found]
    start = min(
        (at for part, span in zip(found, spans, strict=True) if (at := _earliest(part, span))), default=0
    )
    end = max((high for _, high in spans), default=0)
    timed = 0 < start < end
    if timed:
        # A frame without a time stands where the turn begins.
        found = [
            part if low else part._replace(ats=[at or start for at in part.ats])
            for part, (low, _) in zip(found, spans, strict=True)
        ]
        spans = [(low or start, max(high, start)) for low, high in spans]
    else:
        start, end = first, last
        found = [p._replace(ats=list(range(p.first, p.first + len(p.ats)))) for p in found]
    total = sum(len(part.ats) for part in found)
    gaps = _gaps(found, spans, max(QUIET_MS, (end - start) * QUIET_SHARE)) if timed else []
    return {
        "unit": "ms" if timed else "seq",
        "start": start,
        "end": end,
        "first": first,
        "last": last,
        "density": _density(found, start, max(end - start, 1), max(1, total // COUNTED)),
        "gaps": [[before, after] for before, after, _ in gaps],
        "gap_seqs": [seq for _, _, seq in gaps],
        "texts": _texts(found),
        "samples": _samples(found, max(1, total // SAMPLES)),
    }


def _earliest(part: Part, span: tuple[int, int]) -> int:
    return span[0] or min((at for at in part.ats if at), default=0)


def _density(found: list[Part], start: int, span: int, every: int) -> list[int]:
    density = [0] * BUCKETS
    for part in found:
        for at in part.ats[::every]:
            density[min((at - start) * BUCKETS // span, BUCKETS - 1)] += every
    return density


def _samples(found: list[Part], every: int) -> list[list[int]]:
    samples = [
        [part.first + index, part.ats[index]] for part in found for index in range(0, len(part.ats), every)
    ]
    if found and samples[-1][0] != (last := found[-1].first + len(found[-1].ats) - 1):
        samples.append([last, found[-1].ats[-1]])
    return samples


def time_of(measured: dict[str, Any], seq: int) -> int:
    """When a seq came: from the samples, evenly between two of them."""
    samples = measured["samples"]
    index = bisect_right(samples, [seq, float("inf")])
    if not samples:
        return int(measured["start"])
    if index == 0 or index == len(samples):
        return int(samples[min(index, len(samples) - 1)][1])
    (a, at), (b, bt) = samples[index - 1], samples[index]
    return int(at + (bt - at) * (seq - a) / max(b - a, 1))


def _gaps(found: list[Part], spans: list[tuple[int, int]], least: float) -> list[list[int]]:
    """[from, to, the first seq after it] of each quiet time."""
    out: list[list[int]] = []
    before = None
    for part, (low, high) in zip(found, spans, strict=True):
        near = before is None or max(high, before) - min(low, before) < least
        if high - low < least and near:
            before = part.ats[-1]
            continue
        ats = part.ats if before is None else [before, *part.ats]
        before, second = ats[-1], part.first + (before is None)
        steps = list(map(sub, ats[1:], ats))
        if steps and max(steps) >= least:
            out += [[ats[i], ats[i + 1], second + i] for i, step in enumerate(steps) if step >= least]
    return out[:12]


def _texts(found: Iterable[Part]) -> list[list[int]]:
    """Spans in which the assistant was writing."""
    out: list[list[int]] = []
    for part in found:
        for run in _WRITING.finditer(part.kinds):
            begin, end = part.ats[run.start()], part.ats[run.end() - 1]
            if out and part.kinds[run.start()] != _START and begin - out[-1][1] < APART_MS:
                out[-1][1] = end
            else:
                out.append([begin, end])
    return _merged(out)


def _merged(spans: list[list[int]], most: int = 200) -> list[list[int]]:
    """At most `most` spans: the closest neighbours become one."""
    if len(spans) <= most:
        return spans
    gaps = sorted(b[0] - a[1] for a, b in zip(spans, spans[1:], strict=False))
    near = gaps[len(spans) - most]
    out = [spans[0]]
    for span in spans[1:]:
        if span[0] - out[-1][1] <= near:
            out[-1][1] = span[1]
        else:
            out.append(span)
    return out
