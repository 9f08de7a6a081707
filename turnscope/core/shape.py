"""The shape of a channel's settings, as pydantic models, and what is wrong with a value that should have it.

Settings are typed in by people: every problem is told, each with its path and what is expected there. What
judges (`tools.py`, `muting.py`) reads settings leniently and needs none of this. Only whoever takes settings
in imports it, since pydantic takes a while to load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from .muting import CODE, DATE
from .repair import POLICIES
from .repair.targets import TARGETS
from .rules import rule
from .rules.finding import RULE_FAILED, SEVERITIES
from .states import OWNERS
from .tools import CONFIGURABLE, PRESETS

ORIGIN = re.compile(r"https?://[^/\s?#@\\]+", re.IGNORECASE)
"""Scheme, host and port, as a browser sends them: no path."""
LONGEST = 60
"""Of a wrong value or name that is shown, in characters."""

Check = Callable[[Any], Any]
Error = Mapping[str, Any]
"""One of pydantic's."""


# ---------------------------------------------------------------- what one value must be


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _one_of(what: str, allowed: Iterable[str]) -> Check:
    names = tuple(allowed)

    def check(value: Any) -> Any:
        if value is not None and (not isinstance(value, str) or value not in names):
            raise ValueError(f"unknown {what} {_shown(value)}; one of {', '.join(names)}")
        return value

    return check


def _text(sentence: str, pattern: re.Pattern[str] | None = None) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, str) or not value.strip() or (pattern and not pattern.fullmatch(value)):
            raise ValueError(sentence)
        return value

    return check


def _whole(unit: str) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise ValueError(f"must be a whole number, in {unit}")
        return value

    return check


def _code(value: Any) -> Any:
    if not isinstance(value, str) or not CODE.fullmatch(value):
        raise ValueError(f"names {_shown(value)}, which is no code")
    if rule(value) is None and value != RULE_FAILED:
        raise ValueError(f"names {_shown(value)}, which is no rule's code")
    return value


def _severity(value: Any) -> Any:
    if not isinstance(value, str) or value not in SEVERITIES:
        raise ValueError(f"must be one of {', '.join(SEVERITIES)}")
    return value


def _object(value: Any) -> Any:
    """A severity by itself is one without a reason."""
    return value if isinstance(value, dict) else {"severity": value}


Glob = Annotated[Any, BeforeValidator(_text("must be a tool's name, as in lookup_*"))]
Origin = Annotated[Any, BeforeValidator(_text("must be an origin, as in https://app.example", ORIGIN))]
Ms = Annotated[Any, BeforeValidator(_whole("milliseconds"))]
Bytes = Annotated[Any, BeforeValidator(_whole("bytes"))]
Code = Annotated[str, BeforeValidator(_code)]
Owner = Annotated[str, BeforeValidator(_one_of("owner", OWNERS))]
Subject = Annotated[Any, BeforeValidator(_text("must name its subject by a pattern, as in call-*"))]
Reason = Annotated[Any, BeforeValidator(_text("must say the reason"))]
Date = Annotated[Any, BeforeValidator(_text("must say the date, as in 2026-11-30", DATE))]
Client = Annotated[Any, BeforeValidator(_text("must be a client's name, as in official"))]


# ---------------------------------------------------------------- the parts


class Part(BaseModel):
    """A part of the settings: nothing in it that nobody knows."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Owners(Part):
    """Who owes the answers of which tools."""

    server: list[Glob] = []
    client: list[Glob] = []
    harness: list[Glob] = []
    background: list[Glob] = []


class Limits(Part):
    """How long is too long, in milliseconds, and how large a result is too large, in bytes."""

    default: Ms | None = None
    silence: Ms | None = None
    grace: Ms | None = None
    result: Bytes | None = None
    tools: dict[str, Ms] = {}
    owners: dict[Owner, Ms | None] = {}


class Mute(Part):
    """Findings that a person does not want counted, with reason and date."""

    code: Code
    subject: Subject = "*"
    reason: Reason
    date: Date


class Chosen(Part):
    """How severe a channel takes a rule, with reason and date where somebody gave them."""

    severity: Annotated[Any, BeforeValidator(_severity)]
    reason: Reason | None = None
    date: Date | None = None


class Settings(Part):
    """A channel's settings, each part optional (README, "Settings of a channel")."""

    owners: Owners = Owners()
    limits: Limits = Limits()
    preset: Annotated[Any, BeforeValidator(_one_of("preset", (one.name for one in PRESETS)))] = None
    target: Annotated[Any, BeforeValidator(_one_of("target", TARGETS))] = None
    policy: Annotated[Any, BeforeValidator(_one_of("policy", POLICIES))] = None
    client: Client | None = None
    origins: list[Origin] = []
    mutes: list[Mute] = []
    severities: dict[Code, Annotated[Chosen, BeforeValidator(_object)]] = {}


# ---------------------------------------------------------------- what is wrong, in sentences

_EXPECTED = {
    "model_type": "must be an object",
    "dict_type": "must be an object",
    "list_type": "must be a list",
    "string_type": "must be a text",
}
_MISSING = {"code": "must name a code", "severity": f"must be one of {', '.join(SEVERITIES)}"}
_UNKNOWN = {"owners": "owner", "limits": "limit"}
"""What the keys of a part are called."""


def problems(settings: Any) -> list[str]:
    """What is wrong with a settings value, in sentences with their path; [] if all of it is understood."""
    if not isinstance(settings, dict):
        return ["settings must be one JSON object"]
    try:
        Settings.model_validate(settings)
    except ValidationError as wrong:
        errors: list[Error] = [dict(one) for one in wrong.errors(include_url=False)]
        return list(dict.fromkeys(map(_sentence, sorted(errors, key=_is_known))))
    return []


def _is_known(error: Error) -> bool:
    """Settings that are none come first: what else is wrong may be meant for them."""
    return not (error["type"] == "extra_forbidden" and len(error["loc"]) == 1)


def _sentence(error: Error) -> str:
    path, kind = list(error["loc"]), error["type"]
    if kind == "extra_forbidden":
        return _unknown(path)
    if kind == "missing":
        return f"{_spelled(path[:-1])} {_MISSING.get(path[-1], f'must say the {path[-1]}')}"
    if kind == "value_error":
        said = str(error["ctx"]["error"])
    elif kind == "list_type" and path[0] == "owners":
        said = "must be a list of tool names"
    else:
        said = _EXPECTED.get(kind, f"is not understood: {error['msg']}")
    if path[-1] == "[key]":
        path = path[:-2]
    elif path[0] in ("mutes", "severities") and len(path) > 2:
        path = path[:2]  # the sentence names the part itself
    if said.startswith("unknown "):
        return said if len(path) == 1 else f"{said} (in {_spelled(path)})"
    return f"{_spelled(path)} {said}"


def _unknown(path: list[int | str]) -> str:
    """A key that nothing knows."""
    what = _UNKNOWN.get(str(path[0]), "setting") if len(path) > 1 else "setting"
    told = f"unknown {what} {_shown(path[-1])}"
    if what == "owner":
        return f"{told}; one of {', '.join(CONFIGURABLE)}"
    return f"{told} in {_spelled(path[:-1])}" if len(path) > 2 else told


def _spelled(path: list[int | str]) -> str:
    """`mutes[0].reason`"""
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:LONGEST]}" for part in path)
    return words.removeprefix(".") or "settings"
