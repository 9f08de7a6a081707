"""Characters that hide: in names and ids any that is not seen, in texts those that nobody writes by accident.

Held to `tests/vectors/hidden.json`, as `web/hidden.py` is, which shows what this finds. Free text may have
joiners (Persian, Hindi, emoji), direction marks (Hebrew, Arabic) and soft hyphens; names may not. JSON text
may spell a character (`\\u202e`): that counts as the character.
"""

from __future__ import annotations

import re
import unicodedata

BIDI, TAG, ZERO_WIDTH, UNSEEN, MIXED = (
    "direction override", "tag character", "zero-width character", "unseen character", "mixed scripts",
)  # fmt: skip

_FLAG = "\U0001f3f4"
"""A black flag: tags behind it spell a region's flag, and hide nothing."""
_BURIED = re.compile("[\u202a-\u202e\u2066-\u2069]|[\U000e0000-\U000e007f]|[\u200b\u2060\ufeff]")
_SPELLED = re.compile(r"\\u(?:(202[a-e]|206[6-9])|(db40\\udc[0-7][0-9a-f])|(200b|2060|feff))", re.IGNORECASE)
_IN_NAMES = re.compile(
    "[\u202a-\u202e\u2066-\u2069]|[\U000e0000-\U000e007f]|[\u200b-\u200f\u2060-\u2065\ufeff\u00ad]|"
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u3164\u115f\u1160\uffa0\ufe00-\ufe0f\ue000-\uf8ff]"
)
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")
"""Scripts with letters that look like another's."""
LOOKED_AT = 200_000
"""How many characters of a text are searched."""


def in_name(text: str) -> tuple[str, str]:
    """(kind, the character as `U+202E`) of what hides in a name or an id; ("", "") if nothing does."""
    for found in _IN_NAMES.finditer(text):
        if not _of_an_emoji(text, found.start()):
            return _kind(found.group()), _label(found.group())
    for word in () if text.isascii() else _WORD.findall(text[:LOOKED_AT]):
        scripts = {script for char in word if (script := _script(char))}
        if len(scripts) > 1:
            return MIXED, " and ".join(sorted(scripts)).title()
    return "", ""


def in_text(text: str) -> tuple[str, str]:
    """The same of free text, which may be JSON."""
    if text.isascii():
        spelled = _SPELLED.search(text, 0, LOOKED_AT) if "\\u" in text else None
        if spelled is None:
            return "", ""
        kind = (BIDI, TAG, ZERO_WIDTH)[next(n for n, group in enumerate(spelled.groups()) if group)]
        return kind, spelled.group()
    for found in _BURIED.finditer(text, 0, LOOKED_AT):
        at = found.start()
        if found.group() == "\ufeff" and at == 0:
            continue  # a byte order mark begins many files
        if _kind(found.group()) == TAG and _of_a_flag(text, at):
            continue
        return _kind(found.group()), _label(found.group())
    return "", ""


def _of_an_emoji(text: str, at: int) -> bool:
    """Whether a selector or joiner stands behind a picture, a keycap or a selector: then it hides nothing."""
    before, joins = text[at - 1 : at], text[at] == "\u200d"
    if not before or not (joins or "\ufe00" <= text[at] <= "\ufe0f"):
        return False
    if joins and not text[at + 1 :]:
        return False
    return before in "0123456789#*\ufe0f" or unicodedata.category(before) in ("So", "Sk")


def _of_a_flag(text: str, at: int) -> bool:
    while at and "\U000e0000" <= text[at - 1] <= "\U000e007f":
        at -= 1
    return text[at - 1 : at] == _FLAG


def _kind(char: str) -> str:
    if "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069":
        return BIDI
    if "\U000e0000" <= char <= "\U000e007f":
        return TAG
    return ZERO_WIDTH if char in "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff" else UNSEEN


def _label(char: str) -> str:
    return f"U+{ord(char):04X}"


def _script(char: str) -> str:
    name = unicodedata.name(char, "").partition(" ")[0]
    return name if name in _SCRIPTS else ""


# ---------------------------------------------------------------- damage

_DAMAGED = re.compile("\ufffd|[\ud800-\udfff]")


def damaged(text: str) -> str:
    """`replacement character` or `half a character` where a text lost bytes on its way; else ""."""
    if text.isascii():
        return ""
    found = _DAMAGED.search(text, 0, LOOKED_AT)
    if found is None:
        return ""
    return "replacement character" if found.group() == "\ufffd" else "half a character"
