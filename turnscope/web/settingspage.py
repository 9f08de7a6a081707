"""The settings of a channel as a page: read from a form, spelled for one, with what its history suggests.

Values are shown with their units (`30 s`), and read with them: what is no length of time goes on as it is,
so that the judge of settings says what is wrong with it, by its path. Counterpart: `store/choices.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings as server

from turnscope import settings as table
from turnscope.core.repair import POLICIES, TARGETS
from turnscope.core.thread import OWNERS
from turnscope.core.tools import CONFIGURABLE, GRACE, LIMITS, PRESETS, RESULT, SILENCE
from turnscope.store import choices
from turnscope.store.models import Channel
from turnscope.store.suggestions import Suggestion, suggestions

from . import filters, words
from .catalogue import inline
from .pages import channel_row

Dict = dict[str, Any]

NONE = ("none", "never", "null", "-")
_PATH = re.compile(r"(owners|limits|mutes|severities|origins)\b[\w.*\[\]?-]*")
_QUOTED = re.compile(r"unknown (?:setting )?(\w+)")


def spelled(ms: Any) -> str:
    """`30 s` for 30000; anything that is no number as it is."""
    if isinstance(ms, bool) or not isinstance(ms, int):
        return "none" if ms is None else str(ms)
    for unit, length in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if ms and ms % length == 0:
            return f"{ms // length} {unit}"
    return f"{ms} ms"


def milliseconds(text: str) -> Any:
    """30000 for `30 s`; None for `none`; what is no length of time as it was written."""
    folded = text.strip().casefold()
    if folded in NONE:
        return None
    if folded.isascii() and folded.isdigit():
        return text.strip()  # a bare number says no unit
    ms = filters.length(folded.replace(" ", ""))
    return text.strip() if ms is None else round(ms)


def page(slug: str) -> Dict:
    """A channel's settings, and what can be said about them."""
    row = channel_row(slug)
    settings = row.settings if isinstance(row.settings, dict) else {}
    offered = suggestions(row.pk, settings)
    return {
        "channel": {"slug": row.slug, "id": row.pk},
        "settings": settings,
        "seal": choices.seal(settings),
        "problems": told(choices.problems(settings)),
        "suggestions": [_offer(one) for one in offered],
        "mutes": [one for one in settings.get("mutes", []) if isinstance(one, dict)]
        if isinstance(settings.get("mutes"), list)
        else [],
        "tokens": [{"id": one.pk, "label": one.label} for one in row.tokens.order_by("pk")],
    }


def _offer(one: Suggestion) -> Dict:
    value = spelled(one.value) if isinstance(one.value, int) else one.value
    return {"key": one.key, "path": one.path, "value": value, "text": one.text, "why": one.why}


def accepted(row: Channel, key: str, seen: str) -> Suggestion | None:
    """Apply a suggestion that still stands; None if it does not. Raises Moved, Wrong."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    one = next((one for one in suggestions(row.pk, settings) if one.key == key), None)
    if one is not None:
        choices.change(row.pk, one.applied, seen)
    return one


# ---------------------------------------------------------------- the form


def form(settings: Mapping[str, Any]) -> Dict:
    """What the fields of the form hold, for settings."""
    owners, limits = _dict(settings.get("owners")), _dict(settings.get("limits"))
    by_owner = _dict(limits.get("owners"))
    return {
        "owners": [
            {"name": name, "icon": words.OWNERS.get(name, ""), "text": _column(owners.get(name))}
            for name in CONFIGURABLE
        ],
        "parts": [
            {"name": name, "text": spelled(limits[name]) if name in limits else "", "default": usual}
            for name, usual in USUAL.items()
        ],
        "result": str(limits.get("result", "")),
        "result_default": words.size(RESULT),
        "owner_limits": [
            {"name": name, "icon": words.OWNERS.get(name, ""), "default": spelled(LIMITS[name]),
             "text": spelled(by_owner[name]) if name in by_owner else ""}
            for name in OWNERS
        ],
        "tool_limits": "\n".join(
            f"{glob} = {spelled(ms)}" for glob, ms in _dict(limits.get("tools")).items()
        ),
        "preset": settings.get("preset") or "",
        "target": settings.get("target") or "",
        "policy": settings.get("policy") or "",
        "client": settings.get("client") or "",
        "origins": _column(settings.get("origins")),
        "severities": "\n".join(
            f"{code} = {one.get('severity') if isinstance(one, dict) else one}"
            for code, one in _dict(settings.get("severities")).items()
        ),
        "json": json.dumps(settings, indent=2, ensure_ascii=False),
    }  # fmt: skip


USUAL = {"default": "by owner", "silence": spelled(SILENCE), "grace": spelled(GRACE)}
"""Limits of the form that are neither a tool's nor an owner's, with what holds where nothing is set."""

CHOICES: Dict = {
    "presets": [
        {"name": one.name, "harness": ", ".join(one.harness), "source": one.source} for one in PRESETS
    ],
    "targets": [{"name": name, "title": target.title} for name, target in TARGETS.items()],
    "policies": list(POLICIES),
}
"""What the menus of the form offer."""


def read(post: Mapping[str, str], before: Mapping[str, Any]) -> Dict:
    """Settings out of a filled form. What the form has no field for stays as it was."""
    after = dict(before)
    owners = {name: _lines(post.get(f"owners.{name}", "")) for name in CONFIGURABLE}
    _put(after, "owners", {name: globs for name, globs in owners.items() if globs})
    limits: Dict = {name: milliseconds(post[name]) for name in USUAL if post.get(name, "").strip()}
    if text := post.get("result", "").strip():
        limits["result"] = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text
    tools = _pairs(post.get("tool_limits", ""))
    by_owner = {
        name: milliseconds(text) for name in OWNERS if (text := post.get(f"limits.{name}", "").strip())
    }
    if tools:
        limits["tools"] = {glob: milliseconds(text) for glob, text in tools.items()}
    if by_owner:
        limits["owners"] = by_owner
    _put(after, "limits", limits)
    for name in ("preset", "target", "policy", "client"):
        _put(after, name, post.get(name, "").strip())
    _put(after, "origins", _lines(post.get("origins", "")))
    told = _dict(before.get("severities"))
    chosen = _pairs(post.get("severities", ""))
    same = {
        code: one
        for code, one in told.items()
        if isinstance(one, dict) and chosen.get(code) == one.get("severity")
    }
    _put(after, "severities", {code: same.get(code, word) for code, word in chosen.items()})
    return after


def _put(settings: Dict, name: str, value: Any) -> None:
    if value:
        settings[name] = value
    else:
        settings.pop(name, None)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace(",", "\n").splitlines() if line.strip()]


def _pairs(text: str) -> dict[str, str]:
    """`glob = 5 s` lines; a line without a sign says nothing, and is told as such by its empty value."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.rpartition("=") if "=" in line else (line, "", "")
        if name.strip():
            found[name.strip()] = value.strip()
    return found


def _dict(value: Any) -> Dict:
    return value if isinstance(value, dict) else {}


def _column(value: Any) -> str:
    """A list as lines."""
    return "\n".join(map(str, value)) if isinstance(value, list) else ""


def told(problems: list[str]) -> list[Dict]:
    """Problems with the field of the form that each is about."""
    out = []
    for problem in problems:
        found = _PATH.match(problem) or _QUOTED.match(problem)
        path = found[0] if found and found.re is _PATH else found[1] if found else ""
        field = path.split(".")[0].split("[")[0]
        hint = " Write it with its unit, as in 30 s or 250 ms." if "in milliseconds" in problem else ""
        out.append({"path": path, "field": field, "message": problem + hint})
    return out


# ---------------------------------------------------------------- the server's


def server_page() -> Dict:
    """Every channel with what is set there, and the server's own settings; secrets are not shown."""
    values = {"TURNSCOPE_HOME": server.HOME, "TURNSCOPE_HOST": server.HOST, "TURNSCOPE_PORT": server.PORT,
              "TURNSCOPE_HOSTS": ", ".join(server.ALLOWED_HOSTS),
              "TURNSCOPE_ORIGINS": ", ".join(server.ORIGINS),
              "TURNSCOPE_FRAME_LIMIT": words.size(server.FRAME_LIMIT),
              "TURNSCOPE_BODY_LIMIT": words.size(server.BODY_LIMIT)}  # fmt: skip
    rows = []
    for row in Channel.objects.order_by("slug"):
        settings = row.settings if isinstance(row.settings, dict) else {}
        rows.append({
            "slug": row.slug, "parts": list(settings), "suggestions": len(suggestions(row.pk, settings)),
            "problems": len(choices.problems(settings)), "tokens": row.tokens.count(),
        })  # fmt: skip
    return {
        "channels": rows,
        "server": [
            {"name": one.name, "value": str(values.get(one.name, "")), "reason": one.reason,
             "pieces": inline(one.reason)}
            for one in table.SETTINGS
            if one.name != "TURNSCOPE_CHROMIUM"
        ],
    }  # fmt: skip
