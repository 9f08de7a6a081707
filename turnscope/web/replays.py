"""A run again, as a stream: `/replay/<run>/ag_ui/`, which a real client can be pointed at.

`/replay/turn/<turn>/ag_ui/` has all runs of a turn, one behind the other: a client takes several in one
answer. `?speed=` is a factor of the pace it came at (1; 0 is at once), `?repaired=1` the repaired stream,
`?from=` and `?until=` seqs. Comments keep a quiet line open. Counterpart: `runs.py`, which has what is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from turnscope.store.models import Run

from . import runs
from .answers import api, drawn, error, number

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent."""
LONGEST = 3600.0
"""Seconds that one pause may last, whatever the recording says."""
BEAT = b": still here\n\n"

Timed = tuple[int, bytes]
"""When it came (ms, 0 unknown), and the SSE block to send."""


@api("GET", "POST")
def replay(request: HttpRequest, pk: int, dialect: str, turn: bool = False) -> HttpResponseBase:  # noqa: FBT001, FBT002
    """The run or turn as Server-Sent Events. A POST's body (a client's RunAgentInput) is not looked at."""
    rows = runs.of_turn(pk) if turn else [runs.row(pk)]
    try:
        speed = float(request.GET.get("speed", "1"))
    except ValueError:
        speed = -1.0
    if not 0 <= speed <= 1000:
        return error(400, "speed", "`speed` is a factor from 0 (at once) to 1000.")
    if dialect != "ag_ui":
        return error(404, "dialect", f"A replay speaks ag_ui, not {dialect[:40]!r}.")
    repaired = request.GET.get("repaired") == "1"
    first, last = number(request, "from"), number(request, "until")
    blocks = drawn(lambda: _all(rows, first, last, repaired=repaired))
    response = StreamingHttpResponse(paced(blocks, speed), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy in front would hold the events back
    return response


def _all(rows: list[Run], first: int, last: int, *, repaired: bool) -> Iterator[Timed]:
    if repaired:
        yield from ((at, runs.block(data)) for _, at, data in runs.repaired_all(rows))
    else:
        for row in rows:
            yield from _originals(row, first, last)


def _originals(row: Run, first: int, last: int) -> Iterator[Timed]:
    return ((frame.at, runs.sse(frame)) for frame in runs.frames(row, first, last))


async def paced(blocks: AsyncIterator[Timed], speed: float) -> AsyncIterator[bytes]:
    """The blocks, each when its time has come; what has no time comes at once."""
    before = 0
    async for at, block in blocks:
        wait = (at - before) / 1000 / speed if speed and before and at > before else 0.0
        before = max(before, at)
        wait = min(wait, LONGEST)
        while wait > 0:
            await asyncio.sleep(min(wait, HEARTBEAT))
            if wait > HEARTBEAT:
                yield BEAT
            wait -= HEARTBEAT
        yield block
