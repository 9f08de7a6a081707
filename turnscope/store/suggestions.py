"""What a channel's history suggests as settings: owners its tools have always had, limits its calls need.

Suggestions are offered, never applied by themselves: a verdict depends on a thread's own frames and recorded
settings alone. Each says what it was made of. Writes nothing; counterpart: `choices.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from turnscope.core.tools import CONFIGURABLE, PRESETS, Policy, compile_settings

from .models import Call

NEWEST = 5_000
"""Calls of a channel that are looked at."""
OFTEN = 3
"""Answered calls before an owner is a habit."""
ENOUGH = 8
"""Answered calls before their times say anything."""
NEAR, ROOM = 0.8, 1.5
"""A 95th percentile above this part of the limit is near it; what is suggested has so much room."""
LOOSE, SLOW = 3, 2_000
"""A limit more than so many times the 95th percentile tells late that a slow tool (this many ms) hangs."""
STEPS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800, 3600)
"""Seconds that a suggested limit may have."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One change of the settings, and the sentence that offers it."""

    key: str
    """What names it in a form: `owner:client:filter_table`."""
    path: str
    """Where in the settings: `owners.client`, `limits.tools.render`."""
    value: Any
    text: str
    why: str
    """What it was made of."""
    tool: str = ""

    def applied(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings with it."""
        part, _, name = self.path.partition(".")
        if part == "preset":
            return {**settings, "preset": self.value}
        kept = settings.get(part)
        kept = dict(kept) if isinstance(kept, dict) else {}
        if part == "owners":
            globs = kept.get(name)
            globs = [one for one in globs if one != self.value] if isinstance(globs, list) else []
            return {**settings, "owners": {**kept, name: [*globs, self.value]}}
        limits = kept.get("tools")
        limits = dict(limits) if isinstance(limits, dict) else {}
        # First: the first pattern that fits counts.
        return {**settings, "limits": {**kept, "tools": {self.tool: self.value, **limits}}}


@dataclass(slots=True)
class _Tool:
    owners: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    times: list[int] = field(default_factory=list)
    limits: Counter[int] = field(default_factory=Counter)


def suggestions(channel: int, settings: dict[str, Any]) -> list[Suggestion]:
    """What the channel's newest calls suggest beyond its settings, the surest first."""
    policy = compile_settings(settings)
    tools = _tools(
        Call.objects.filter(thread__channel=channel)
        .order_by("-pk")
        .values_list(
            "name", "owner", "owner_source", "answers", "start_at", "end_at", "closed_at", "limit_ms"
        )[:NEWEST]
    )
    found = [_preset(tools, settings, policy)]
    for name, seen in tools.items():
        if not name or any(letter in name for letter in "*?["):
            continue  # a name of an agent's that would be a pattern
        if policy.owner(name) is None:
            found.append(_owner(name, seen))
        if not any(glob.match(name) for _, glob, _ in policy.tool_limits):
            found.append(_limit(name, seen))
    return sorted((one for one in found if one is not None), key=lambda one: (one.path, one.tool))


def _tools(rows: Iterable[Any]) -> dict[str, _Tool]:
    tools: dict[str, _Tool] = {}
    for name, owner, source, answers, start, end, closed, limit in rows:
        in_time = [one for one in answers if not one.get("late")]
        if not in_time:
            continue
        seen = tools.setdefault(name, _Tool())
        seen.owners[owner] += 1
        seen.sources[source] += 1
        if limit:
            seen.limits[limit] += 1
        began = end or start
        if began and closed >= began:
            seen.times.append(closed - began)
    return tools


def _owner(name: str, seen: _Tool) -> Suggestion | None:
    """Its calls were always answered by the same."""
    owner, often = seen.owners.most_common(1)[0]
    if len(seen.owners) > 1 or often < OFTEN or owner not in CONFIGURABLE:
        return None
    who = {"client": "the browser", "background": "a background job"}.get(owner, f"the {owner}")
    source = seen.sources.most_common(1)[0][0] or "unknown"
    return Suggestion(
        f"owner:{owner}:{name}", f"owners.{owner}", name,
        f"{name} was always answered by {who}", f"{often} answered calls; {source}", name,
    )  # fmt: skip


def _limit(name: str, seen: _Tool) -> Suggestion | None:
    """Its calls take so long that its limit is too short, or so short that it waits for nothing."""
    if len(seen.times) < ENOUGH or not seen.limits:
        return None
    p95 = percentile(seen.times, 0.95)
    limit = seen.limits.most_common(1)[0][0]
    ms = _round(p95 * ROOM)
    short, loose = p95 > limit * NEAR, p95 >= SLOW and limit > p95 * LOOSE
    if ms == limit or not (short or loose):
        return None
    return Suggestion(
        f"limit:{name}", f"limits.tools.{name}", ms,
        f"{name} takes {_spelled(p95)} at p95; its limit is {_spelled(limit)}",
        f"{len(seen.times)} answered calls, the longest {_spelled(max(seen.times))}", name,
    )  # fmt: skip


def _preset(tools: dict[str, _Tool], settings: dict[str, Any], policy: Policy) -> Suggestion | None:
    """The tools of a known harness are called here."""
    if settings.get("preset"):
        return None
    for one in PRESETS:
        # A name as plain as Read proves nothing alone: all of the preset's must have been seen.
        if all(name in tools for name in one.harness) and not all(map(policy.owner, one.harness)):
            told = " and ".join(one.harness)
            return Suggestion(
                f"preset:{one.name}", "preset", one.name, f"This looks like {one.name}: it calls {told}",
                one.source,
            )  # fmt: skip
    return None


def percentile(values: list[int], share: float) -> int:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def _round(ms: float) -> int:
    return next((step * 1000 for step in STEPS if step * 1000 >= ms), int(ms))


def _spelled(ms: int) -> str:
    if ms < 1000:
        return f"{ms} ms"
    return f"{ms / 1000:.1f} s".replace(".0 s", " s")
