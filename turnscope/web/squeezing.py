"""A script with fewer spaces: those around signs, where JavaScript reads the same without them.

Lines stay as they are, so that a stack names the same ones. Strings, templates, regular expressions and
comments are copied letter by letter, and `+`, `-`, `/` and `.` keep their spaces, since two of them may be
one sign. Counterpart: `joining.py`, which asks for this last of all.
"""

from __future__ import annotations

import re

_SIGNS = re.compile(r" ?([=<>!?:&|*,;{}()\[\]]+) ?")
_STRING = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\\n])*\1""", re.S)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/")
_BEFORE_REGEX = re.compile(r"(?:[=(,:\[!&|?{};]|\b(?:return|of|in|case|typeof))\s*$")
_PIECE = re.compile(r"(?:\\.|\$(?!\{)|[^\\`$])*(`|\$\{)", re.S)
"""A template's text up to its end, or to the expression that follows."""


def squeezed(script: str) -> str:
    """The same script; what is no JavaScript comes out as it may."""
    out: list[str] = []
    code: list[str] = []
    braces: list[int] = []
    """Braces open in each template's expression, the innermost last."""

    def copy(text: str) -> int:
        out.append(_SIGNS.sub(r"\1", "".join(code)))
        code.clear()
        out.append(text)
        return len(text)

    at = 0
    while at < len(script):
        char = script[at]
        found = None
        if char in "\"'":
            found = _STRING.match(script, at)
        elif char == "`" or (char == "}" and braces and not braces[-1]):
            if char == "}":
                braces.pop()
            piece = _PIECE.match(script, at + 1)
            if piece is None:
                break
            if piece[1] != "`":
                braces.append(0)
            at += copy(char + piece[0])
            continue
        elif char == "/":
            found = _COMMENT.match(script, at)
            if found is None and _BEFORE_REGEX.search("".join(code[-40:]) or "".join(out[-1:])[-2:]):
                found = _REGEX.match(script, at)
        if found is not None:
            at += copy(found[0])
            continue
        if braces and char in "{}":
            braces[-1] += 1 if char == "{" else -1
        code.append(char)
        at += 1
    copy(script[at:])
    return "".join(out)
