"""The direction between the rooms: core <- store <- web. ruff says it at the import; this holds it.

Reads the imports of every file, also those inside functions, and imports core where nothing it must not know
can be imported.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "turnscope"

MAY_IMPORT = {
    # room: the rooms of turnscope it may import
    "core": {"core"},
    "store": {"core", "store"},
    "demo": {"core", "store", "demo"},
    "web": {"core", "store", "demo", "web", "settings", "asgi"},
    "client": {"client"},
    "testing": {"testing", "core"},
    "settings": set(),
    "urls": {"web"},
    "asgi": {"web", "settings"},
    "cli": set(),
    "__main__": {"cli"},
    "__init__": set(),
}

WITHOUT_DJANGO = ("core", "client", "testing")
"""Rooms that a program without Django, or without a server at all, imports."""

CORE_LIBRARIES = {"orjson", "pydantic", "jsonpatch", "zstandard"}
"""What core may import from outside the standard library: each computes, and touches nothing."""

SERVERS = ("django", "channels", "daphne", "twisted", "autobahn", "psycopg", "redis", "httpx", "websockets")
CORE_MUST_NOT = {"os", "time", "random", "secrets", "socket", "asyncio", "threading", "subprocess", "pathlib"}
"""Of the standard library: a clock, a network, chance, files, processes."""


def files(room: str) -> list[Path]:
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{room}.py"]


def modules(room: str) -> list[str]:
    """The room's dotted module names."""
    names = []
    for path in files(room):
        parts = ["turnscope", *path.relative_to(PACKAGE).with_suffix("").parts]
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def imports(source: str, package: str) -> Iterator[str]:
    """Dotted names that a file imports, wherever in it; relative ones are made absolute from its package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, base]) if base else ".".join(above)
            # `from turnscope import store` imports a room as well.
            yield from ([f"{base}.{alias.name}" for alias in node.names] if base == "turnscope" else [base])


def imports_of(path: Path) -> list[str]:
    package = ".".join(["turnscope", *path.relative_to(PACKAGE).parent.parts])
    return list(imports(path.read_text(encoding="utf-8"), package))


def room_of(name: str) -> str | None:
    """The room of turnscope that a dotted name lies in; None for anything else."""
    parts = name.split(".")
    return parts[1] if parts[0] == "turnscope" and len(parts) > 1 and parts[1] in MAY_IMPORT else None


def present(*rooms: str) -> list[str]:
    return [room for room in rooms if any(path.exists() for path in files(room))]


def test_every_file_lies_in_a_room_that_is_written_down() -> None:
    rooms = {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in PACKAGE.rglob("*.py")}
    assert rooms <= set(MAY_IMPORT), "a new room needs its line in MAY_IMPORT"


@pytest.mark.parametrize("room", present(*MAY_IMPORT))
def test_an_import_only_points_left(room: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in files(room)
        for name in imports_of(path)
        if (other := room_of(name)) is not None and other not in MAY_IMPORT[room]
    ]
    assert not wrong


def test_core_uses_no_clock_no_network_no_chance_and_few_libraries() -> None:
    wrong = []
    for path in files("core"):
        for name in imports_of(path):
            top = name.split(".")[0]
            outside = top not in sys.stdlib_module_names and top not in CORE_LIBRARIES | {"turnscope"}
            if outside or top in CORE_MUST_NOT:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("room", present(*WITHOUT_DJANGO))
def test_a_room_imports_where_no_server_is_installed(room: str) -> None:
    allowed = {"websockets"} if room == "client" else set()
    program = (
        "import importlib, sys\n"
        f"sys.modules.update(dict.fromkeys({sorted(set(SERVERS) - allowed)!r}))\n"
        f"for name in {modules(room)!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import turnscope.store.journal", "store"),
        ("from turnscope.store import journal", "store"),
        ("from turnscope import store", "store"),
        ("def late():\n    from turnscope.store.models import Run", "store"),
        ("from ..store import journal", "store"),
        ("from ...web.live import hint", "web"),
        ("from . import fold", "core"),
    ],
)
def test_no_spelling_of_an_import_goes_unseen(source: str, found: str) -> None:
    package = "turnscope.core.rules" if "..." in source else "turnscope.core"
    assert {room_of(name) for name in imports(source, package)} == {found}
