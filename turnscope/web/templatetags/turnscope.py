"""What templates need beyond Django's own: icons, hostile text made visible, and how numbers read."""

from __future__ import annotations

import time
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from turnscope.web import hidden, words

register = template.Library()


@register.simple_tag
def icon(name: str, more: str = "") -> SafeString:
    """`{% icon "check" %}`: one symbol of static/vendor/icons.svg, hidden from assistive technology."""
    return format_html(
        '<svg class="i{}" viewBox="0 0 24 24" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" {more}" if more else "", static("vendor/icons.svg"), name,
    )  # fmt: skip


@register.simple_tag
def look_icon(name: str) -> SafeString:
    """A state's icon; the one of `running` turns."""
    return icon(name, "spin" if name == "loader-circle" else "")


@register.filter
def shown(text: Any) -> SafeString:
    """Hostile text for a page: isolated, hidden characters as chips, the rest escaped."""
    parts = hidden.pieces(str(text))
    if len(parts) == 1 and not parts[0][0]:
        return format_html('<bdi dir="ltr">{}</bdi>', parts[0][1])
    inner = format_html_join("", "{}", ((_chip(piece) if odd else piece,) for odd, piece in parts))
    return format_html('<bdi dir="ltr">{}</bdi>', inner)


def _chip(char: str) -> SafeString:
    name = hidden.label(char)
    return format_html('<span class="u" title="{}" data-char="{}">{}</span>', hidden.title(char), name, name)


@register.filter
def visible(text: Any) -> str:
    """Hostile text for an attribute: hidden characters spelled."""
    return hidden.visible(str(text))


@register.filter
def cause(headline: str) -> str:
    """A turn's sentence without its outcome, for where the outcome stands beside it."""
    return words.cause(headline)


@register.filter
def duration(ms: Any) -> str:
    return words.duration(ms) if isinstance(ms, int | float) else ""


@register.filter
def short(ms: Any) -> str:
    return words.short(ms) if isinstance(ms, int | float) else ""


@register.filter
def clock(ms: Any) -> str:
    return words.clock(ms) if isinstance(ms, int | float) else ""


@register.filter
def count(number: Any) -> str:
    return words.count(number) if isinstance(number, int) else str(number)


@register.filter
def size(length: Any) -> str:
    return words.size(length) if isinstance(length, int) else ""


@register.filter
def minus(value: Any, other: Any) -> Any:
    return value - other if isinstance(value, int | float) and isinstance(other, int | float) else ""


@register.filter
def share(part: Any, whole: Any) -> str:
    """A part of a whole as an SVG length: `8.333%`."""
    return f"{round(part / whole * 100, 3):g}%" if whole else "0%"


@register.simple_tag
def slot(index: int, number: int, most: int) -> str:
    """Where the `index`-th of `number` slots begins (with 1: how wide one is); at most `most` are drawn."""
    return share(index, max(min(number, most), 1))


@register.simple_tag
def when(ms: Any) -> str:
    """How long ago a moment in ms since 1970 was, and the exact one for a hand that hovers or an ear.

    `static/js/times.js` spells that in the reader's zone, and lets it tick.
    """
    if not isinstance(ms, int) or not ms:
        return ""
    try:
        told, exact = words.ago(ms, time.time() * 1000), time.gmtime(ms / 1000)
        if ms < words.DATED:
            return told
        attribute = time.strftime("%Y-%m-%dT%H:%M:%SZ", exact)
        spelled = time.strftime("%Y-%m-%d %H:%M:%S UTC", exact)
        return format_html(
            '<time datetime="{}" title="{}"><span>{}</span><span class="vh">, {}</span></time>',
            attribute, spelled, told, spelled,
        )  # fmt: skip
    except (ValueError, OverflowError, OSError):
        return ""


@register.filter
def kind_head(kind: str) -> str:
    """The quiet part of an event's name: `TOOL_CALL_` of `TOOL_CALL_END`."""
    return kind[: kind.rfind("_") + 1]


@register.filter
def kind_tail(kind: str) -> str:
    return kind[kind.rfind("_") + 1 :]


@register.filter
def look_of(key: str) -> words.Look:
    """A look's word, icon and meaning."""
    return words.STATES.get(key, words.STATES["wait"])
