"""Patches as we try them and as `@ag-ui/client` 1.0.0 applies them: the same fail, the same state is left.

Left out, where the client goes its own way against RFC 6902: a scalar as the state, the whole state removed,
and an empty name, which is the first place of a list to it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests import interop
from tests.streams import Event, event, finished, run_started
from turnscope.core.patches import STATE, Documents

KEYS = ("a", "b", "c", "0", "1", "-", "a~1b", "x y")
EACH = 800


def value(random: Random, depth: int = 0) -> Any:
    pick = random.random()
    if depth < 3 and pick < 0.3:
        return {
            random.choice(("a", "b", "c", "a/b", "")): value(random, depth + 1)
            for _ in range(random.randint(0, 3))
        }
    if depth < 3 and pick < 0.5:
        return [value(random, depth + 1) for _ in range(random.randint(0, 3))]
    return random.choice([None, True, False, 0, 1, 1.5, "", "s", [], {}])


def pointer(random: Random) -> str:
    return "".join("/" + random.choice(KEYS) for _ in range(random.choice((1, 1, 1, 2, 2, 3))))


def operation(random: Random) -> dict[str, Any]:
    word = random.choice(("add", "add", "add", "remove", "replace", "move", "copy", "test"))
    made = {"op": word, "path": pointer(random)}
    if word in ("add", "replace", "test"):
        made["value"] = value(random)
    if word in ("move", "copy"):
        made["from"] = pointer(random)
    return made


def stream(random: Random) -> list[Event]:
    """Patches on an object, or on nothing."""
    made = run_started()
    if random.random() < 0.8:
        made += event(
            "STATE_SNAPSHOT", snapshot={"a": {"b": [1, 2]}, "b": [0, 1, {"c": 2}], "c": value(random)}
        )
    for _ in range(random.randint(1, 4)):
        made += event("STATE_DELTA", delta=[operation(random) for _ in range(random.randint(1, 3))])
    return made + finished()


def ours(events: list[Event]) -> tuple[int, Any]:
    documents, failed = Documents(), 0
    for one in events:
        if one["type"] == "STATE_SNAPSHOT":
            documents.put(STATE, one["snapshot"])
        elif one["type"] == "STATE_DELTA":
            failed += documents.patch(STATE, one["delta"]) is not None
    return failed, documents.known.get(STATE, {})


@pytest.mark.prove
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_real_client_fails_on_the_same_patches_and_is_left_with_the_same_state(seed: int) -> None:
    random = Random(seed)
    streams = [stream(random) for _ in range(EACH)]
    theirs = [(one["failed"], one["state"]) for one in interop.told("agui_patches.mjs", streams)]
    differing = [
        (told, mine, events)
        for told, mine, events in zip(theirs, map(ours, streams), streams, strict=True)
        if told != mine
    ]
    assert not differing[:3]
    assert 0 < sum(failed for failed, _ in theirs)
