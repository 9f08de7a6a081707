"""Which events of a turn a line of the filter language lets through, as seqs, the first ones early.

Cheapest first: bounds and kinds from segment headers, then evidence of findings, then times, then texts in
whole unpacked segments, and only in what is left one frame at a time. A text that came in pieces is found at
the piece that ends it (`spread.py`). An event is of a call by the call's id in it. Seqs travel packed
(`blocks`): little-endian uint32, as numbers or as ranges, whichever is less.
"""

from __future__ import annotations

import json
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from sys import byteorder
from typing import Any, NamedTuple

import orjson

from turnscope.core import kinds
from turnscope.core.events import Frame
from turnscope.store import models, reading, segments
from turnscope.store.models import Turn

from . import log, show
from .filters import Query, Term
from .spread import PIECES, REACH, Spread

Dict = dict[str, Any]

OF_CALL = ("tool", "call", "status", "owner", "dur")
"""Words about the call that an event is of."""
OF_FINDING = ("rule", "severity")
NAMING = frozenset(
    number for number, name in kinds.NAMES.items()
    if name.startswith(("TOOL_", "CUSTOM", "RAW", "ACTIVITY_", "UNKNOWN"))
)  # fmt: skip
"""Kinds of events that may name a call."""
NEAR = 2048
"""Seqs between two calls that are looked through rather than asked about anew."""
BLOCK = 16_384
"""Seqs in one block of an answer."""
EARLY_S = 0.05
"""Seconds after which what was found is sent, however little."""
RANGES = 1 << 31
"""Flag in a block's length: it holds ranges (first, last) instead of seqs."""


class Known(NamedTuple):
    """What there is to ask about a turn: its dressed calls and findings, and when it began (0: no times)."""

    calls: Sequence[Dict]
    findings: Sequence[Dict]
    start: int
    now: int


Packed = Callable[..., Iterable[tuple[int, int, bytes, bytes]]]
"""Called with (after, until, bodies=): the segments to look through, as `reading.packed` gives them."""


class Sieve:
    """A query made ready for one turn; `packed` where its frames are not in the thread."""

    def __init__(self, row: Turn, query: Query, known: Known, packed: Packed | None = None) -> None:
        self.packed = packed or partial(reading.packed, row.thread_id)
        self.row, self.query, self.known = row, query, known
        self.low, self.high = row.first_seq, row.last_seq
        self.only: frozenset[int] | None = None
        self.seqs_in: set[int] | None = None
        self.seqs_out: set[int] = set()
        self.times: list[tuple[bool, float, bool]] = []
        """(later, ms since 1970, negated)"""
        self.needles: list[tuple[list[list[bytes]], bool]] = []
        """For each text term its alternatives, each in all its spellings; negated."""
        self.of_call = query.of(*OF_CALL)
        for term in query.terms:
            self._take(term)
        self.by_id: dict[str, list[Dict]] = {}
        for call in known.calls:
            self.by_id.setdefault(call["call_id"], []).append(call)
        self.spans: list[tuple[int, int]] | None = None
        """Seqs between which events of a call that fits may stand; None: anywhere."""
        if any(not term.negated for term in self.of_call):
            self.let(NAMING)
            if not any(term.field == "call" and not term.negated for term in self.of_call):
                self.spans = self._spans()

    def _take(self, term: Term) -> None:
        if term.field == "type":
            self.let(frozenset(number for number, name in kinds.NAMES.items() if term.holds(name)))
        elif term.field in OF_FINDING:
            key = "code" if term.field == "rule" else "severity"
            found = {seq for f in self.known.findings if term.hits(f[key]) for seq in f["seqs"]}
            if term.negated:
                self.seqs_out |= found
            else:
                self.seqs_in = found if self.seqs_in is None else self.seqs_in & found
        elif term.field in ("after", "before"):
            self._bound(term)
        elif term.field == "text":
            spelled = [spellings(value) for value in term.values if isinstance(value, str)]
            self.needles.append((spelled, term.negated))

    def _spans(self) -> list[tuple[int, int]]:
        """From the start of each call that fits to the last that changed it, those that meet made one."""
        fits = [c for c in self.known.calls if all(self._of_call(term, c) for term in self.of_call)]
        merged: list[tuple[int, int]] = []
        for low, high in sorted((c["start_seq"] or c["answer_seq"], c["changed"]) for c in fits):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], high))
            else:
                merged.append((low, high))
        return merged

    def _reached(self, first: int, last: int) -> bool:
        """Whether an event of a call that fits may stand among these seqs."""
        if self.spans is None:
            return True
        place = bisect_right(self.spans, (last, 1 << 62))
        return place > 0 and self.spans[place - 1][1] >= first

    def let(self, only: frozenset[int] | None) -> None:
        """Let only these kinds through, beside what else there is; None for all."""
        if only is not None:
            self.only = only if self.only is None else self.only & only

    def _bound(self, term: Term) -> None:
        later = (term.field == "after") is not term.negated
        for value in term.points():
            if value.kind == "seq":
                if later:
                    self.low = max(self.low, int(value.value) + (not term.negated))
                else:
                    self.high = min(self.high, int(value.value) - (not term.negated))
            else:
                at = value.value + (self.known.start if value.kind == "span" else 0)
                self.times.append((term.field == "after", at, term.negated))

    # ------------------------------------------------------------ looking

    def seqs(self, after: int = 0, until: int | None = None) -> Iterator[list[int]]:
        """Lists of seqs that match, in order, one for each segment looked at (often empty)."""
        low, high = max(self.low, after + 1), self.high if until is None else min(self.high, until)
        if low > high or (self.seqs_in is not None and not self.seqs_in):
            return
        inside = bool(self.needles or self.of_call)
        spread = self._spread()
        for begin, end in self._parts(low, high):
            # What a text ends with here, it may have begun with before.
            reach = max(begin - REACH, self.row.first_seq) if spread else begin
            for first, last, header, body in self.packed(reach - 1, end, bodies=inside):
                ends: list[set[int]] = []
                data = b""
                if self.needles:
                    data = segments.open_body(header, body).lower()
                    ends = spread.feed(first, header, body, data) if spread else []
                if last < begin or not self._reached(max(first, begin), min(last, end)):
                    continue
                found = self._in_header(first, min(last, end), header, begin)
                yield self._in_body(first, header, body, found, data, ends) if inside and found else found

    def _spread(self) -> Spread | None:
        """Who puts pieces together; None where no piece can be let through."""
        if not self.needles or not (self.only is None or self.only & PIECES):
            return None
        return Spread([spelled for spelled, _ in self.needles])

    def _parts(self, low: int, high: int) -> list[tuple[int, int]]:
        """The stretches to look through: all of it, or those that a call that fits reaches."""
        if self.spans is None:
            return [(low, high)]
        parts: list[tuple[int, int]] = []
        for begin, end in self.spans:
            begin, end = max(begin, low), min(end, high)
            if begin > end:
                continue
            if parts and begin - parts[-1][1] < NEAR:
                parts[-1] = (parts[-1][0], end)
            else:
                parts.append((begin, end))
        return parts

    def _in_header(self, first: int, last: int, header: bytes, low: int) -> list[int]:
        names = segments.kinds_of(header)
        span = range(max(first, low), min(last, first + len(names) - 1) + 1)
        only, wanted = self.only, self.seqs_in
        found = [seq for seq in span if names[seq - first] in only] if only is not None else list(span)
        if wanted is not None:
            found = [seq for seq in found if seq in wanted]
        if self.seqs_out:
            found = [seq for seq in found if seq not in self.seqs_out]
        if self.times and found:
            ats = segments.arrivals_of(header)
            for later, at, negated in self.times:
                found = [
                    seq for seq in found
                    if ((ats[seq - first] > at) if later else (0 < ats[seq - first] < at)) is not negated
                ]  # fmt: skip
        return found

    def _in_body(
        self, first: int, header: bytes, body: bytes, found: list[int], data: bytes, ends: list[set[int]]
    ) -> list[int]:
        for place, (spelled, negated) in enumerate(self.needles):
            spread = bool(ends and ends[place])
            if not (negated or spread or any(one in data for among in spelled for one in among)):
                return []
        after, until = found[0] - 1, found[-1]
        wanted = frozenset(found)
        frames = segments.frames_of(first, header, body, after=after, until=until)
        return [frame.seq for frame in frames if frame.seq in wanted and self._holds(frame, ends)]

    def _holds(self, frame: Frame, ends: list[set[int]]) -> bool:
        if self.needles:
            data = frame.raw.lower()
            for place, (spelled, negated) in enumerate(self.needles):
                here = any(one in data for among in spelled for one in among)
                if (here or bool(ends and frame.seq in ends[place])) is negated:
                    return False
        if self.of_call:
            call = self._call(frame)
            return all(self._of_call(term, call) for term in self.of_call)
        return True

    def _call(self, frame: Frame) -> Dict | None:
        """The call an event is of: of one id, the latest that had begun."""
        if frame.kind >= kinds.MARK:
            return None
        id_ = show.call_id(frame)
        known = self.by_id.get(id_) if id_ else None
        if not known:
            return {"call_id": id_, "name": "", "look": "", "owner": "", "answers": ()} if id_ else None
        begun = [c for c in known if (c["start_seq"] or c["answer_seq"]) <= frame.seq]
        return begun[-1] if begun else known[0]

    def _of_call(self, term: Term, call: Dict | None) -> bool:
        if call is None:
            return term.negated
        return term.holds(*ASKED[term.field](call, self.known.now))

    def window(self, *, after: int | None = None, before: int | None = None, limit: int) -> list[int]:
        """Up to `limit` matching seqs following `after`, or preceding `before`."""
        if before is None:
            return list(islice((seq for some in self.seqs(after or 0) for seq in some), limit))
        found: list[int] = []
        high, size = before - 1, 512
        while high >= self.low and len(found) < limit:
            low = max(self.low - 1, high - size)
            found = [seq for some in self.seqs(low, high) for seq in some] + found
            high, size = low, size * 4
        return found[-limit:]


def _took(call: Dict, now: int) -> list[float]:
    if not call.get("start_at"):
        return []
    return [(call["closed_at"] or call["answer_at"] or now) - call["start_at"]]


def _stands(call: Dict, now: int) -> list[str]:
    """What `status:` may say of a call: its look, its state, whether it was answered."""
    groups = ["answered"] if show.answered(call) else ["open"]
    return [call["look"], call.get("state", ""), *groups]


ASKED: dict[str, Callable[[Dict, int], Iterable[Any]]] = {
    "tool": lambda call, now: [call["name"]],
    "call": lambda call, now: [call["call_id"]],
    "owner": lambda call, now: [call["owner"]],
    "status": _stands,
    "dur": _took,
}
"""What each word about a call is asked of."""


def spellings(text: str) -> list[bytes]:
    """A text as frames may hold it, in lower case: as it is, as JSON spells it, and that as JSON in JSON."""
    found: dict[str, None] = {}
    for form in (text, text.lower(), text.upper()):
        once = [json.dumps(form, ensure_ascii=ascii_)[1:-1] for ascii_ in (False, True)]
        twice = [json.dumps(one, ensure_ascii=ascii_)[1:-1] for one in once for ascii_ in (False, True)]
        found.update(dict.fromkeys((form, *once, *twice)))
    return list(dict.fromkeys(form.encode("utf-8", "surrogatepass").lower() for form in found))


# ---------------------------------------------------------------- on the way to a page


def known_of(calls: Sequence[Dict], findings: Sequence[Dict], measured: Dict, now: int) -> Known:
    return Known(calls, findings, measured["start"] if measured["unit"] == "ms" else 0, now)


def blocks(query: Query, sieve: Sieve, after: int = 0) -> Iterator[bytes]:
    """The answer to a filter: the query as understood (JSON, its length before it), then blocks of seqs.

    The first matches leave as soon as there are any, later ones when a block is full or some time has passed.
    """
    head = orjson.dumps(query.told())
    head += b" " * (-len(head) % 4)
    yield len(head).to_bytes(4, "little") + head
    held: list[int] = []
    sent = 0.0
    for some in sieve.seqs(after):
        held += some
        if held and (len(held) >= BLOCK or time.monotonic() - sent > EARLY_S):
            yield block(held)
            held, sent = [], time.monotonic()
    if held:
        yield block(held)


def block(seqs: list[int]) -> bytes:
    """One block: its length in numbers, then the seqs, or where they mostly follow one another ranges."""
    ranges: list[int] = []
    for seq in seqs:
        if ranges and seq == ranges[-1] + 1:
            ranges[-1] = seq
        else:
            ranges += (seq, seq)
    packed = len(ranges) < len(seqs)
    numbers = ranges if packed else seqs
    out = array("I", [len(numbers) | (RANGES if packed else 0), *numbers])
    if byteorder == "big":
        out.byteswap()
    return out.tobytes()


def picked(thread: int, seqs: Sequence[int]) -> list[Dict]:
    """The rows of these seqs and no others, in order."""
    wanted = sorted(set(seqs))[: log.MOST]
    if not wanted:
        return []
    held = list(
        models.Segment.objects.filter(thread_id=thread, first_seq__lte=wanted[-1], first_seq__gte=(
            models.Segment.objects.filter(thread_id=thread, first_seq__lte=wanted[0])
            .order_by("-first_seq").values("first_seq")[:1]
        )).order_by("first_seq").values_list("first_seq", flat=True)
    )  # fmt: skip
    rows: list[Dict] = []
    for begin, some in _by_segment(held, wanted):
        among = frozenset(some)
        rows += [
            show.frame(frame)
            for frame in reading.read(thread, max(begin, some[0]) - 1, some[-1])
            if frame.seq in among
        ]
    return rows


def _by_segment(firsts: list[int], wanted: list[int]) -> Iterator[tuple[int, list[int]]]:
    """(first seq of a segment, the wanted seqs in it)."""
    place = 0
    for index, begin in enumerate(firsts):
        end = firsts[index + 1] if index + 1 < len(firsts) else wanted[-1] + 1
        some = []
        while place < len(wanted) and wanted[place] < end:
            some.append(wanted[place])
            place += 1
        if some:
            yield begin, some
