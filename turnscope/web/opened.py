"""What an address opens on the turn page before scripts run: an event, a finding, a range of events.

Counterpart: `static/js/address.js`, which opens the same, and writes it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from . import log
from .pages import turn_row

Dict = dict[str, Any]

PANELS = ("event", "raw")


def of(request: HttpRequest, pk: int, model: Dict, panel: str = "") -> Dict:
    """`{opened, panel, marked, range, keep}`; `panel` where the page has but one.

    In order: `log.whole` of the event that is open or None, `event` or `raw`, the id of the finding that is
    named, the first and last seq of a range, and what links to other rows keep of the address.
    """
    asked = request.GET
    panel = panel or asked.get("panel", "")
    found = None
    # Of the repaired turn events have other numbers, and scripts show it.
    if panel in PANELS and model["selected"] and asked.get("frames") != "repaired":
        thread, seq = turn_row(pk).thread_id, model["selected"]
        found = next((log.whole(frame) for frame in log.read(thread, seq - 1, seq)), None)
    kept = [(name, asked[name][:1001]) for name in ("kind", "q") if asked.get(name)]
    return {
        "opened": found,
        "panel": panel,
        "marked": named(model.get("findings", []), asked.get("finding", "")),
        "range": span(asked.get("event", "")),
        "keep": f"&{urlencode(kept)}" if kept else "",
    }


def named(findings: list[Dict], name: str) -> int:
    """The id of the finding that an address calls `C02-1`: the first of its code in the turn; 0 for none."""
    code, _, place = name.rpartition("-")
    of_code = sorted(one["id"] for one in findings if one["code"] == code)
    at = int(place) if place.isascii() and place.isdigit() and len(place) < 7 else 0
    return of_code[at - 1] if 0 < at <= len(of_code) else 0


def span(text: str) -> tuple[int, int]:
    """`1289..1290` as its first and last seq; nothing lies in (0, 0), which anything else is."""
    low, dots, high = text.partition("..")
    if not (dots and low.isascii() and low.isdigit() and high.isascii() and high.isdigit()):
        return 0, 0
    return (int(low), int(high)) if len(high) < 16 and int(low) < int(high) else (0, 0)
