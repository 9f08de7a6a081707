"""The tables of README.md and CONTRIBUTING.md that are made from the code, so that they cannot drift.

Each stands between `<!-- name -->` and `<!-- /name -->`. `pytest tests/test_readme.py --accept` writes them
anew. The block `precision` is measured: `tests/precision.py` makes it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from turnscope import cli, settings
from turnscope.core import tools
from turnscope.core.dialects import DIALECTS
from turnscope.core.repair import TARGETS
from turnscope.core.rules import RULES, page
from turnscope.core.rules.finding import STREAM, TRANSCRIPT
from turnscope.core.states import OWNERS
from turnscope.web import words

ROOT = Path(__file__).resolve().parents[1]
README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"

OWES = {
    "server": "the agent's own tools, run where the agent runs",
    "client": "the page: a tool that the browser runs",
    "person": "a person, who is to approve or refuse",
    "harness": "the harness that drives the model, for tools it brings itself",
    "provider": "the model's provider, for tools it runs on its side",
    "background": "a job that reports later",
    "unknown": "nothing says so yet",
}
"""Who an owner is, for a reader. Held to `OWNERS` by a test."""

MEANING = {
    "TURNSCOPE_SECRET_KEY": "a new one each start",
    "TURNSCOPE_HOME": "the user's data directory",
    "TURNSCOPE_DATABASE_URL": "SQLite in TURNSCOPE_HOME",
    "TURNSCOPE_REDIS_URL": "none: in memory",
    "TURNSCOPE_ORIGINS": "none",
    "TURNSCOPE_CHROMIUM": "the first one found",
}
"""What an empty default comes to."""

ROOMS = ("core", "store", "web")


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Markdown. A cell's own `|` is escaped."""
    names = head.split(" | ")
    lines = [f"| {head} |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def code(text: str) -> str:
    return f"`{text}`"


def settings_table() -> str:
    rows = []
    for one in settings.SETTINGS:
        default = code(one.default) if one.default else MEANING[one.name]
        rows.append((code(one.name), default, one.reason))
    return table("variable | default | what it decides", rows)


def commands_table() -> str:
    rows = []
    for name in cli.COMMANDS:
        command = cli._load(name)
        if command is not None:
            rows.append((code(f"turnscope {name}"), (command.help or "").strip().splitlines()[0]))
    return table("command | what it does", rows)


def states_table() -> str:
    stored = dict.fromkeys(("client", "person", "job", "wait"), "waiting")
    rows = []
    for key, look in sorted(words.STATES.items(), key=lambda item: item[1].rank):
        state = (
            "`running` or `waiting`, and `data-hanging`" if key == "hanging" else code(stored.get(key, key))
        )
        rows.append((look.word, state, look.means))
    return table("the card says | `data-state` | meaning", rows)


def owners_table() -> str:
    rows = []
    for owner in OWNERS:
        limit = tools.LIMITS[owner]
        named = "yes" if owner in tools.CONFIGURABLE else ""
        rows.append((code(owner), OWES[owner], words.short(limit) if limit else "none", named))
    return table("owner | who that is | default limit | a channel can name its tools", rows)


def presets_table() -> str:
    rows = ((code(one.name), ", ".join(map(code, one.harness)), one.source) for one in tools.PRESETS)
    return table("preset | the harness runs itself | where that is from", rows)


def targets_table() -> str:
    rows = (
        (code(one.name), one.title, ", ".join(map(code, one.shapes)), one.adjacency.says)
        for one in TARGETS.values()
    )
    return table("target | consumer | spellings | where a result counts", rows)


def dialects_table() -> str:
    rows = ((code(one.NAME), first_sentence(one.__doc__ or "")) for one in DIALECTS)
    return table("dialect | what it is", rows)


def rules_table() -> str:
    rows = []
    for rule in sorted(RULES, key=lambda one: ("CRST".find(one.CODE[0]), one.CODE)):
        mended = ", ".join(plane for plane in (STREAM, TRANSCRIPT) if plane in rule.REPAIRED_BY)
        says = " ".join(page(rule)[0].split())
        says = says[:1].upper() + says[1:]
        rows.append((f"{rule.CODE} {rule.NAME}", rule.SEVERITY, says, mended or "no"))
    return table("rule | at worst | what it sees | mended in", rows)


def map_table() -> str:
    """One line per module of the rooms, from its docstring. Rules have their own table."""
    rows = []
    for room in ROOMS:
        for path in sorted((ROOT / "turnscope" / room).rglob("*.py")):
            within = path.relative_to(ROOT / "turnscope")
            said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
            if said and not re.match(r"[a-z]\d\d_", path.name):
                rows.append((code(str(within).removesuffix("__init__.py")), first_sentence(said)))
    return table("file | what it is", rows)


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends one, on one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    found = re.match(r".+?\.(?=\s|$)", paragraph)
    return (found[0] if found else paragraph).rstrip(":.") + "."


BLOCKS: dict[Path, dict[str, Callable[[], str]]] = {
    README: {
        "commands": commands_table,
        "settings": settings_table,
        "states": states_table,
        "owners": owners_table,
        "presets": presets_table,
        "targets": targets_table,
        "dialects": dialects_table,
        "rules": rules_table,
    },
    CONTRIBUTING: {"map": map_table},
}


def written(text: str, name: str, inside: str) -> str:
    """The text with the block's inside replaced. ValueError when it has no such block."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    start, stop = text.index(begin) + len(begin), text.index(end)
    return text[:start] + inside + text[stop:]
