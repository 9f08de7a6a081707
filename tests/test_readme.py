"""What README.md, CONTRIBUTING.md and CHANGELOG.md say is there and works, and nothing of it is left out."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.core.management import CommandError
from django.urls import Resolver404, resolve
from django.urls import path as socket

from tests import readme, serving
from turnscope import asgi, cli, settings, urls
from turnscope.core import shape, tools
from turnscope.core.states import OWNERS
from turnscope.web.sockets import nowhere

ROOT = readme.ROOT
PAGES = (readme.README, readme.CONTRIBUTING, ROOT / "CHANGELOG.md")
PICTURE = 250_000
"""Bytes of one picture at most."""
LONGEST = 400
"""Lines of a file of code at most."""
CODE = ("turnscope", "static", "bench", "docs", "tests")
TO_SPLIT = {"tests/core/test_fold.py"}
"""Longer all the same, until somebody parts them."""
DAY = re.compile(r"^- (?:~~)?2026-\d\d-\d\d: ", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"`(turnscope [a-z][^`]*)`")
TARGET = re.compile(r"`make ([a-z]+)")
LINK = re.compile(r"\]\(([^)#]+)\)")
FILE = re.compile(r"`((?:turnscope|tests|bench|docs|templates|static)/[\w./-]*)`")
WITHIN = re.compile(r"`((?:core|store|web)/[\w./-]+)`")
MODULE = re.compile(r"`((?:turnscope|tests)(?:\.\w+)+)`")
ADDRESS = re.compile(r"(?:http|ws)://127\.0\.0\.1:8000(/[^\s\"'`)?]*)")
OURS = "http://127.0.0.1:8000"

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
each_block = pytest.mark.parametrize(
    ("page", "name"),
    [(page, name) for page, blocks in readme.BLOCKS.items() for name in blocks],
    ids=lambda part: part if isinstance(part, str) else part.name,
)


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def fenced(kind: str, *pages: Path) -> list[str]:
    return [body for page in pages or PAGES for found, body in FENCE.findall(text(page)) if found == kind]


def commands() -> list[list[str]]:
    """Every `turnscope ...` that a reader may copy, as its arguments."""
    lines = [line.strip() for body in fenced("sh") for line in body.splitlines()]
    found = [line for line in lines if line.startswith("turnscope ")]
    found += [
        example for page in PAGES for example in EXAMPLE.findall(text(page)) if "COMMAND" not in example
    ]
    return [shlex.split(line)[1:] for line in dict.fromkeys(found)]


# ---------------------------------------------------------------- tables made from the code


@each_block
def test_a_table_says_what_the_code_says(page: Path, name: str, *, accept: bool) -> None:
    said = readme.BLOCKS[page][name]()
    if accept:
        page.write_text(readme.written(text(page), name, said), encoding="utf-8")
    assert readme.written(text(page), name, said) == text(page), (
        f"<!-- {name} --> of {page.name} is not what the code says:"
        " `pytest tests/test_readme.py --accept` writes it anew"
    )


def test_every_owner_is_told() -> None:
    assert tuple(readme.OWES) == OWNERS


# ---------------------------------------------------------------- what may be copied


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_a_command_takes_the_arguments_it_is_shown_with(arguments: list[str]) -> None:
    name, *rest = arguments
    command = cli._load(name)
    assert command is not None, f"there is no command {name}"
    command._called_from_command_line = False  # a wrong option then raises
    try:
        command.create_parser("turnscope", name).parse_args(rest)
    except CommandError as error:
        # A command may be named without what it needs; an option it does not have is always wrong.
        assert not rest and "required" in str(error), error


def test_every_command_is_shown_in_use() -> None:
    shown = {arguments[0] for arguments in commands() if len(arguments) > 1}
    assert {"serve", "ingest", "findings", "repair", "find"} <= shown | {"serve"}
    assert shown <= set(cli.COMMANDS)


def test_python_to_copy_is_python() -> None:
    for body in fenced("python"):
        compile(body, "README", "exec")


def test_settings_to_copy_are_understood() -> None:
    for body in fenced("json"):
        assert tools.problems(json.loads(body)) == []


def test_every_part_of_a_channels_settings_is_told() -> None:
    said = text(readme.README)
    assert [
        key for key in (*shape.Settings.model_fields, *shape.Limits.model_fields) if f"`{key}`" not in said
    ] == []


@each_page
def test_an_address_of_ours_leads_somewhere(page: Path) -> None:
    for path in (found.rstrip(".,:") for found in ADDRESS.findall(text(page))):
        if path.startswith("/ws/"):
            found = [view for route, view in asgi.routes if socket(route, view).pattern.match(path[1:])]
            assert found[0] is not nowhere, path
            continue
        try:
            resolve(path, urls.__name__)
        except Resolver404:
            pytest.fail(f"{page.name} names {path}, and there is no such page")


@each_page
def test_a_variable_is_a_setting(page: Path) -> None:
    known = {one.name for one in settings.SETTINGS}
    assert set(re.findall(r"TURNSCOPE_[A-Z_]+\b", text(page))) <= known


# ---------------------------------------------------------------- what is pointed at


@each_page
def test_a_link_leads_to_a_file(page: Path) -> None:
    links = [link for link in LINK.findall(text(page)) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


@each_page
def test_a_file_that_is_named_is_there(page: Path) -> None:
    named = [*FILE.findall(text(page)), *(f"turnscope/{path}" for path in WITHIN.findall(text(page)))]
    assert [path for path in named if not (ROOT / path).exists()] == []


@each_page
def test_a_module_that_is_named_is_there(page: Path) -> None:
    for name in MODULE.findall(text(page)):
        resolve_name(name)


def test_a_target_of_make_is_named_and_what_is_named_is_one() -> None:
    there = set(re.findall(r"^([a-z]+):.*## ", text(ROOT / "Makefile"), re.MULTILINE)) - {"help"}
    named = {target for page in PAGES for target in TARGET.findall(text(page))}
    assert named - {"help"} == there


def test_pictures_are_small() -> None:
    pictures = [path for path in (ROOT / "docs").iterdir() if path.suffix in (".webp", ".png")]
    assert pictures
    for path in pictures:
        assert path.stat().st_size < PICTURE, path
        assert f"docs/{path.name}" in text(readme.README)


# ---------------------------------------------------------------- what CONTRIBUTING promises


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]
    wanted = [
        *project["dependencies"],
        *(one for many in project["optional-dependencies"].values() for one in many),
    ]
    names = {re.split(r"[\[<>=~ ]", one)[0] for one in wanted} - {"turnscope"}
    part = text(readme.CONTRIBUTING).partition("## Dependencies")[2].partition("\n## ")[0]
    cells = [row.split("|") for row in part.splitlines() if row.startswith("|")]
    told = {name: row[2].strip() for row in cells for name in re.findall(r"[a-z][a-z-]+", row[1])}
    assert [name for name in sorted(names) if not told.get(name)] == []


def test_a_decision_is_dated_and_short() -> None:
    part = text(readme.CONTRIBUTING).partition("## Decisions")[2].partition("\n## ")[0]
    entries = re.split(r"\n(?=- )", part.strip())[0:]
    decisions = [entry for entry in entries if entry.startswith("- ")]
    assert decisions
    for entry in decisions:
        assert DAY.match(entry), entry
        assert len(entry.splitlines()) <= 10, entry


def test_a_law_names_the_test_that_holds_it() -> None:
    part = text(readme.CONTRIBUTING).partition("## Laws")[2].partition("\n## ")[0]
    rows = [row for row in part.splitlines() if row.startswith("| ") and not row.startswith("| law")]
    assert rows
    assert [row for row in rows if "`tests/" not in row] == []


def test_a_recipe_ends_with_the_tests() -> None:
    part = text(readme.CONTRIBUTING).partition("## Recipes")[2].partition("\n## ")[0]
    recipes = re.findall(r"\*\*A \w+\.\*\*\n(.*?)(?=\n\n|\Z)", part, re.DOTALL)
    assert len(recipes) == 4
    for recipe in recipes:
        assert re.findall(r"^\d", recipe, re.MULTILINE) == ["1", "2", "3"]
        assert recipe.strip().endswith("Run `make test`.")


def test_no_file_of_code_is_long() -> None:
    files = [
        path for room in CODE for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".js", ".css")
    ]
    files = [path for path in files if not {"migrations", "vendor", "node_modules"} & set(path.parts)]
    assert len(files) > 100
    long = {str(path.relative_to(ROOT)) for path in files if text(path).count("\n") > LONGEST}
    assert long <= TO_SPLIT


def test_the_changelog_says_one_sentence_each() -> None:
    entries = re.findall(r"^- (.+)$", text(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert entries
    assert [entry for entry in entries if not entry.endswith(".") or ". " in entry] == []
    assert "## Unreleased" in text(ROOT / "CHANGELOG.md")


# ---------------------------------------------------------------- the tour, word for word


@pytest.mark.prove
@pytest.mark.timeout(180)
def test_the_tours_of_the_readme_end_as_it_says(tmp_path: Path) -> None:
    """Its own snippets against a real server: the card's end, the captured result, the exit codes."""
    home = tmp_path / "home"
    serving.turnscope(home, "demo")
    live, testing, capture, hosting = fenced("python", readme.README)
    with serving.served(home) as server:
        for path in numbered():
            assert fetched(server.url + path + ("&speed=0" if "?" in path else "?speed=0")), path
        for body in (live, capture):
            run_python(body.replace(OURS, server.url))
        run_python(hosting)
        run_python(testing + "\ntest_the_agent_answers_every_call()\n")
        said = serving.turnscope(home, "find", "call-1")
        assert "call query_history call-1: ok (demo" in said
        assert server.url in said
        assert "call switch_lights call-2: unanswered (tour" in serving.turnscope(home, "find", "call-2")
        place = re.search(r"/turns/(\d+)/", serving.turnscope(home, "find", "call-2"))
        assert place is not None
        [found] = json.loads(fetched(f"{server.url}/turns/{place[1]}.json"))["groups"]
        assert (found["code"], found["culprit"]) == ("C02", "adapter")
        mended = fetched(f"{server.url}/turns/{place[1]}/download/transcript.json?target=openai_chat")
        assert json.loads(json.loads(mended)[1]["content"]) == {"switched": 12, "hall": 2}


def numbered() -> list[str]:
    """The addresses of README that name a turn or run of the demo by its number."""
    found = re.findall(r"/(?:api/runs|replay|replay/turn)/\d+/[^\s\"'`)]*", text(readme.README))
    assert any("/turn/" in path for path in found)
    return found


def run_python(body: str) -> None:
    done = subprocess.run([sys.executable, "-c", body], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())
