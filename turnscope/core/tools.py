"""Who owes an answer, for how long, and why we think so: settings, presets, ranks.

Owners, strongest source first: configured (the channel says so), declared (the stream says so),
excluded (the pending list, or the next input, speaks of its siblings and not of it), observed
(its earlier answers in this thread), inferred (the model went on after it), else unknown.
A tool's absence from a run's list proves nothing: hosts inject tools after that point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import translate
from typing import Any

from .thread import BACKGROUND, CLIENT, HARNESS, OWNERS, PERSON, PROVIDER, SERVER, UNKNOWN, Call

RANK: dict[str, int] = {
    "": 0, "inferred": 1, "observed": 2, "excluded": 3, "declared": 4, "configured": 5,
}  # fmt: skip

SECOND = 1000
LIMITS: dict[str, int | None] = {
    SERVER: 30 * SECOND, HARNESS: 30 * SECOND, PROVIDER: 120 * SECOND, UNKNOWN: 60 * SECOND,
    CLIENT: 300 * SECOND, PERSON: None, BACKGROUND: None,
}  # fmt: skip
"""How long each owner may take, in ms, where the channel says nothing. None: as long as it likes."""
SILENCE = 60 * SECOND
"""How long an open run may be silent (R01)."""
GRACE = 30 * SECOND
"""How long a lost live stream may take to come back before its run is cut (R02)."""
RESULT = 256 * 1024
"""How large a result may be, in bytes (C27)."""

_SET = {owner: f"set for {owner}" for owner in OWNERS}
_DEFAULT = {owner: f"the default for {owner}" for owner in OWNERS}
EARLIER = {owner: f"the {owner} answered it earlier in this thread" for owner in OWNERS}
"""Reasons that a hundred thousand calls share: one text each."""

CONFIGURABLE = (SERVER, CLIENT, HARNESS, BACKGROUND)
"""Owners a channel can name tools for, in the order they are asked."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The tools a harness runs itself when it is driven through one adapter."""

    name: str
    harness: tuple[str, ...]
    source: str


PRESETS: tuple[Preset, ...] = (
    Preset(
        "claude_code",
        ("ToolSearch", "Read"),
        "the built-in tools its AG-UI adapter keeps on; everything else is offered by the host",
    ),
)


def preset(name: str | None) -> Preset | None:
    return next((one for one in PRESETS if one.name == name), None)


@dataclass(slots=True)
class Policy:
    """The settings in force, compiled.

    The shape, each part optional:
    `{"owners": {"server" | "client" | "harness" | "background": [glob, ...]},
      "limits": {"tools": {glob: ms}, "owners": {owner: ms or null}, "default": ms, "silence": ms,
                 "grace": ms, "result": bytes},
      "preset": name, "target": name of a row of `repair/targets/`, "mutes": [...], "severities": {...}}`
    (the last two: `muting.py`). What has another shape is ignored, never an error: settings may be a
    stranger's file (`problems` says what is wrong with them).
    """

    owners: list[tuple[str, str, re.Pattern[str]]] = field(default_factory=list)
    """(owner, the glob or preset as it reads, compiled)."""
    tool_limits: list[tuple[str, re.Pattern[str], int]] = field(default_factory=list)
    owner_limits: dict[str, int | None] = field(default_factory=lambda: dict(LIMITS))
    owner_limit_set: set[str] = field(default_factory=set)
    silence: int = SILENCE
    grace: int = GRACE
    result: int = RESULT
    _owner_memo: dict[str, tuple[str, str] | None] = field(default_factory=dict)

    def owner(self, tool: str) -> tuple[str, str] | None:
        """(owner, reason) the channel's settings give this tool; None if they say nothing."""
        if not self.owners:
            return None
        if tool in self._owner_memo:
            return self._owner_memo[tool]
        found = next(((owner, why) for owner, why, glob in self.owners if glob.match(tool)), None)
        if len(self._owner_memo) < 10_000:
            self._owner_memo[tool] = found
        return found

    def limit(self, tool: str, owner: str) -> tuple[int | None, str]:
        """(ms or None, where it comes from) for a call of this tool while this owner owes it."""
        for text, glob, ms in self.tool_limits:
            if glob.match(tool):
                return ms, f"set for {text}"
        limit = self.owner_limits.get(owner)
        return limit, _SET[owner] if owner in self.owner_limit_set else _DEFAULT[owner]


def compile_settings(settings: dict[str, Any]) -> Policy:
    """The policy of a settings value; ignores what it does not understand."""
    policy = Policy()
    owners = settings.get("owners")
    owners = owners if isinstance(owners, dict) else {}
    for owner in CONFIGURABLE:
        globs = owners.get(owner)
        for glob in globs if isinstance(globs, list) else []:
            if isinstance(glob, str):
                policy.owners.append(
                    (owner, f"the channel's settings name {glob}", re.compile(translate(glob)))
                )
    chosen = preset(settings.get("preset") if isinstance(settings.get("preset"), str) else None)
    for name in chosen.harness if chosen else ():
        why = f"preset {chosen.name} names it" if chosen else ""
        policy.owners.append((HARNESS, why, re.compile(re.escape(name) + r"\Z")))
    _compile_limits(policy, settings.get("limits"))
    return policy


def _compile_limits(policy: Policy, limits: Any) -> None:
    if not isinstance(limits, dict):
        return
    tools = limits.get("tools")
    for glob, ms in tools.items() if isinstance(tools, dict) else ():
        if _is_ms(ms):
            policy.tool_limits.append((glob, re.compile(translate(glob)), ms))
    default = limits.get("default")
    if _is_ms(default):
        for owner in (SERVER, HARNESS, PROVIDER, UNKNOWN):
            policy.owner_limits[owner] = default
            policy.owner_limit_set.add(owner)
    owners = limits.get("owners")
    for owner, ms in owners.items() if isinstance(owners, dict) else ():
        if owner in OWNERS and (ms is None or _is_ms(ms)):
            policy.owner_limits[owner] = ms
            policy.owner_limit_set.add(owner)
    if _is_ms(limits.get("silence")):
        policy.silence = limits["silence"]
    if _is_ms(limits.get("grace")):
        policy.grace = limits["grace"]
    if _is_ms(limits.get("result")):
        policy.result = limits["result"]


def _is_ms(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def problems(settings: Any) -> list[str]:
    """What is wrong with a settings value, in sentences with their path; [] if all of it is understood."""
    from . import shape  # imported when asked: it stands on the rules, and those on this

    return shape.problems(settings)


def assign(call: Call, owner: str, source: str, reason: str, policy: Policy) -> bool:
    """Give the call this owner unless a stronger source has spoken. Whether anything changed.

    Between equal sources the later word wins: an interrupt that names a client's call makes it the person's.
    """
    if RANK[source] < RANK[call.owner_source] or (owner, source, reason) == (
        call.owner, call.owner_source, call.owner_reason,
    ):  # fmt: skip
        return False
    call.owner, call.owner_source, call.owner_reason = owner, source, reason
    call.limit, call.limit_source = policy.limit(call.name, owner)
    return True
