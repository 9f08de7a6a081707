"""One script out of a module and all that it imports, for browsers that would else ask for each.

No bundler and no build: our modules keep to a few forms of `import` and `export` (below), so that joining
them is putting each into a function that returns what it exports. Names keep their module's scope; nothing
is renamed, and only indents, empty lines, comments on lines of their own and spaces around signs
(`squeezing.py`) are left out. A form that is not known, a cycle, or an export that changes is refused: the
test of this module says which file.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path, PurePosixPath

from .squeezing import squeezed

_IMPORT = re.compile(r'^import\s+(?:([^;"]+?)\s+from\s+)?"(\.[^"]+)";\s*?$', re.M)
_LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|const|class)\s+([\w$]+)", re.M)
_LIST = re.compile(r"(?:^|;)export\s*\{([^}]*)\};?[ \t]*$", re.M)
_COMMENT = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)[ \t]*\n", re.M | re.S)
_INDENT = re.compile(r"^[ \t]+", re.M)
"""Spaces that begin a line. In a template of HTML they stand between tags, where one is as good as none."""
_BLANK = re.compile(r"\n\n+")
_LEFT = re.compile(r"^(?:import\b(?!\()|export\b).*$", re.M)


class Unjoinable(ValueError):
    """A module in a form that is not joined; the text says which, and what."""


Parts = tuple[str, ...]
"""Modules that are not joined but asked for when they are needed, with what only they need."""


def joined(root: Path, entry: str, *, parts: Parts = ()) -> bytes:
    """The script that begins with one module; file names are relative to `root`."""
    done: dict[str, str] = {}
    _visit(root, entry, done, (), parts)
    return (
        f"const modules_ = (globalThis.modules_ = {{\n{_bodies(done)}}});\n"
        "const made_ = {};\n"
        "const need_ = (globalThis.need_ = (name) => (made_[name] ??= modules_[name]()));\n"
        f"need_({_quoted(entry)});\n"
    ).encode()


def parts_of(root: Path, entry: str) -> Parts:
    """Every module that a script asks for later, or that one of those does."""
    found: dict[str, None] = {}
    todo = [entry]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        text, beside = (root / name).read_text("utf-8"), PurePosixPath(name).parent
        later = [_resolved(beside, one[1]) for one in _LATER.finditer(text)]
        found.update(dict.fromkeys(later))
        todo += [*later, *(_resolved(beside, one[2]) for one in _IMPORT.finditer(text))]
    return tuple(sorted(found))


def part(root: Path, name: str, entry: str, parts: Parts) -> bytes:
    """What one of the parts needs beyond the script that asks for it, to be added there."""
    there: dict[str, str] = {}
    _visit(root, entry, there, (), parts)
    done: dict[str, str] = {}
    _visit(root, name, done, (), parts)
    more = _bodies({one: body for one, body in done.items() if one not in there})
    return f"Object.assign(modules_, {{\n{more}}});\n".encode()


def part_name(name: str) -> str:
    """Under which name a part is served: `js/lanes.js` as `js/lanes.part.js`."""
    return f"{name.removesuffix('.js')}.part.js"


def _bodies(done: dict[str, str]) -> str:
    return "".join(f"{_quoted(name)}: () => {{\n{body}}},\n" for name, body in done.items())


def _quoted(name: str) -> str:
    return f'"{name}"'


def _visit(root: Path, name: str, done: dict[str, str], above: tuple[str, ...], parts: Parts) -> None:
    if name in above:
        raise Unjoinable(f"{' -> '.join((*above, name))}: modules that need each other")
    if name in done:
        return
    text = (root / name).read_text("utf-8")
    beside = PurePosixPath(name).parent
    at_once = [_resolved(beside, found[2]) for found in _IMPORT.finditer(text)]
    later = [_resolved(beside, found[1]) for found in _LATER.finditer(text)]
    for needed in (*at_once, *(one for one in later if one not in parts)):
        _visit(root, needed, done, (*above, name), parts)
    if name not in done:
        done[name] = _body(text, name, beside, parts)


def _resolved(beside: PurePosixPath, target: str) -> str:
    parts: list[str] = []
    for part in (beside / target).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _body(text: str, name: str, beside: PurePosixPath, parts: Parts) -> str:
    """A module as the inside of a function."""

    def later(found: re.Match[str]) -> str:
        needed = _resolved(beside, found[1])
        asked = (
            f'import("./{PurePosixPath(part_name(needed)).name}")' if needed in parts else "Promise.resolve()"
        )
        return f"{asked}.then(() => need_({_quoted(needed)}))"

    if "vendor/" not in name:  # A licence stays where it is.
        text = _BLANK.sub("\n", _INDENT.sub("", _COMMENT.sub("", text)))
    text = _IMPORT.sub(lambda found: _imported(found, name, beside), text)
    exported: dict[str, str] = {}
    text = _LIST.sub(partial(_listed, exported), _EXPORT.sub(partial(_declared, exported), text))
    text = _LATER.sub(later, text)
    if left := _LEFT.search(text):
        raise Unjoinable(f"{name}: {left[0][:80]}")
    out = ", ".join(own if own == told else f"{told}: {own}" for told, own in exported.items())
    whole = f"{text.rstrip()}\nreturn {{ {out} }};\n"
    return whole if "vendor/" in name else squeezed(whole)


def _imported(found: re.Match[str], name: str, beside: PurePosixPath) -> str:
    needed = f"need_({_quoted(_resolved(beside, found[2]))})"
    what = found[1]
    if not what:
        return f"{needed};"
    if star := re.fullmatch(r"\*\s+as\s+([\w$]+)", what):
        return f"const {star[1]} = {needed};"
    if not re.fullmatch(r"\{[\s\w$,]*\}", what):
        raise Unjoinable(f"{name}: import {what}")
    renamed = re.sub(r"([\w$]+)\s+as\s+", r"\1: ", what)
    return f"const {renamed} = {needed};"


def _declared(exported: dict[str, str], found: re.Match[str]) -> str:
    exported[found[2]] = found[2]
    return f"{found[1]} {found[2]}"


def _listed(exported: dict[str, str], found: re.Match[str]) -> str:
    for pair in found[1].split(","):
        own, _, told = pair.strip().partition(" as ")
        if own:
            exported[(told or own).strip()] = own.strip()
    return ";" if found[0].startswith(";") else ""
