"""Our strict client and the real one: the same verdict on every stream, at the same event, in the same words.

The real one is `@ag-ui/client` 1.0.0 in Node, fed by tests/interop/agui_verdicts.mjs, one HttpAgent a stream.
Every file of the corpus in the quick tests; thousands of damaged streams in `make prove`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests import corpora, interop
from tests.mutants import RICH, mutants
from turnscope.core.framing import decode, split
from turnscope.core.verify import INVALID, Refusal, Verifier

MINTED = re.compile(r"\(minted \d+\)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLACES = re.compile(r"\[\d+\]|[.\d]")
"""What tells nothing in a path: the client counts places after it has removed what it does not know."""
SEEDS, EACH = (1, 2, 3), 2_000

Stream = list[dict[str, Any]]


def corpus() -> dict[str, Stream]:
    """Every stream of the corpus, its readable events alone."""
    return {corpora.name_of(path): list(events_of(path.read_bytes())) for path in corpora.streams()}


def events_of(data: bytes) -> Iterator[dict[str, Any]]:
    for decoded in map(decode, split(data)):
        if (
            not decoded.blank
            and not decoded.reason
            and isinstance(decoded.value, dict)
            and "type" in decoded.value
        ):
            yield decoded.value


def ours(stream: Stream) -> Refusal | None:
    verifier = Verifier()
    return next((bad for n, one in enumerate(stream) if (bad := verifier.see(one, n)) is not None), None)


def same(bad: Refusal | None, verdict: dict[str, Any] | None) -> bool:
    if bad is None or verdict is None:
        return bad is None and verdict is None
    if bad.seq != verdict["passed"]:
        return False
    if verdict["stage"] == "schema":
        # Of a union the client tells where the union stands, not what is wrong in it.
        where = PLACES.sub("", bad.about)
        told = (PLACES.sub("", "".join(str(part) for part in path)) for path in verdict["paths"])
        return bad.kind == INVALID and any(where.startswith(path) for path in told)
    if verdict["stage"] == "TypeError":
        return bad.kind == INVALID  # the client trips over a null before its validators see it
    return MINTED.sub("*", verdict["message"]) == MINTED.sub("*", bad.sentence)


def differences(streams: list[Stream], verdicts: list[dict[str, Any] | None]) -> list[Any]:
    pairs = zip(streams, map(ours, streams), verdicts, strict=True)
    return [(bad, verdict, stream) for stream, bad, verdict in pairs if not same(bad, verdict)][:3]


def test_the_real_client_says_the_same_of_every_stream_of_the_corpus() -> None:
    streams = [*corpus().values(), *RICH.values()]
    verdicts = interop.verdicts(streams, install=False)
    assert not differences(streams, verdicts)
    assert 0 < sum(verdict is None for verdict in verdicts) < len(verdicts)


@pytest.mark.prove
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_real_client_says_the_same_of_damaged_streams(seed: int) -> None:
    whole = [*corpus().values(), *(stream for stream in RICH.values() for _ in range(6))]
    streams = list(mutants(seed, EACH, whole))
    verdicts = interop.verdicts(streams)
    assert not differences(streams, verdicts)
    kinds = Counter(bad.kind if bad is not None else "taken" for bad in map(ours, streams))
    assert len(kinds) >= 10, kinds
    assert kinds["taken"] > EACH / 10
