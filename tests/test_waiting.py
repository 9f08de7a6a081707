"""Browser tests wait for what a page says: what reads too early passes here and fails on a slow machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parent / "browser").glob("test_*.py"))
AT_ONE_MOMENT = {
    "all_inner_texts", "all_text_contents", "bounding_box", "count", "get_attribute", "inner_text",
    "input_value", "is_hidden", "is_visible", "text_content", "url",
}  # fmt: skip
WAITING = {"address", "at_rest", "comes_to", "comes_true"}


def read_at_one_moment(source: str) -> Iterator[str]:
    """What an `assert` reads off a page without waiting for it."""
    for line in ast.walk(ast.parse(source)):
        if isinstance(line, ast.Assert):
            yield from _reads(line.test)


def _reads(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WAITING:
        return
    if isinstance(node, ast.Attribute) and node.attr in AT_ONE_MOMENT:
        yield ast.unparse(node)
    for child in ast.iter_child_nodes(node):
        yield from _reads(child)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_browser_test_asserts_what_is_so_at_one_moment_only(path: Path) -> None:
    assert list(read_at_one_moment(path.read_text())) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert page.url == 'x'", ["page.url"]),
        ("assert set(page.locator('a').all_inner_texts()) == {'b'}", ["page.locator('a').all_inner_texts"]),
        ("assert at_rest(page, lambda: page.url) == 'x'", []),
        ("expect(page).to_have_url('x')", []),
    ],
)
def test_what_waits_is_told_from_what_does_not(source: str, found: list[str]) -> None:
    assert list(read_at_one_moment(source)) == found
