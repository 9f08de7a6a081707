"""Characters a person would not see, made visible: the one function every page puts hostile text through.

`pieces` cuts a text into runs of plain text and hidden characters. A template shows the latter as a chip
(`{% load turnscope %}{{ text|shown }}`), and `static/js/text.js` does the same in the browser; both are held
to `tests/vectors/hidden.json`. Copying gives the raw text.

Hidden are: control characters (less newline and tab), format characters (bidi controls, zero-width, tags),
line and paragraph separators, lone surrogates, private use, and variation selectors and joiners that
stand outside an emoji.
"""

from __future__ import annotations

import re
import unicodedata

_MAYBE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\ue000-\uf8ff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_VARIATION = re.compile("[\ufe00-\ufe0f]")
_MARKS = ("So", "Sk")
_JOINER = "\u200d"


def _emoji(char: str) -> bool:
    """Whether a variation selector or joiner may follow this character without hiding anything."""
    return char != "" and (char in "0123456789#*\u203c\u2049\ufe0f" or unicodedata.category(char) in _MARKS)


def _plain(text: str, at: int) -> bool:
    char, before = text[at], text[at - 1] if at else ""
    if _VARIATION.match(char):
        return _emoji(before)
    if char == _JOINER:
        return _emoji(before) and _emoji(text[at + 1 : at + 2])
    return False


def label(char: str) -> str:
    """`U+202E`"""
    return f"U+{ord(char):04X}"


def title(char: str) -> str:
    """What a pointer over the chip says: the character's name, where it has one."""
    return unicodedata.name(char, "control character" if ord(char) < 0xA0 else "unnamed character")


def pieces(text: str) -> list[tuple[bool, str]]:
    """The text as (hidden, piece) in order; hidden pieces are one character each."""
    out: list[tuple[bool, str]] = []
    last = 0
    for found in _MAYBE.finditer(text):
        at = found.start()
        if _plain(text, at):
            continue
        if at > last:
            out.append((False, text[last:at]))
        out.append((True, text[at]))
        last = at + 1
    if last < len(text):
        out.append((False, text[last:]))
    return out


def visible(text: str) -> str:
    """The text with each hidden character spelled: for titles, labels and terminals."""
    return "".join(f"[{label(piece)}]" if hidden else piece for hidden, piece in pieces(text))
