"""What a page says, once it says it. A test reads while the page still works, so it reads until it is right.

Playwright's `expect` waits by itself and comes first; this is for what `expect` has no word for.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from playwright.sync_api import Page

PATIENCE = 10_000
"""ms that anything on a page may take: what is measured here is what happens, not how fast."""

T = TypeVar("T")


def comes_to(page: Page, read: Callable[[], T], wanted: T) -> T:
    """Read until it is `wanted`; otherwise fail, with what was read last beside it."""
    return comes_true(page, read, lambda value: value == wanted, wanted)


def comes_true(page: Page, read: Callable[[], T], holds: Callable[[T], bool], wanted: object = None) -> T:
    """Read until `holds` says so of what was read, and give that."""
    until = monotonic() + PATIENCE / 1000
    while not holds(value := read()):
        if monotonic() > until:
            raise AssertionError(f"the page still says {value!r}" + (f", not {wanted!r}" if wanted else ""))
        page.wait_for_timeout(25)
    return value


def at_rest(page: Page, read: Callable[[], T], still: int = 500) -> T:
    """What is read once it has stayed for `still` ms: what must not change, or is compared with later."""
    value = read()
    for _ in range(PATIENCE // still):
        page.wait_for_timeout(still)
        before, value = value, read()
        if before == value:
            return value
    raise AssertionError(f"the page does not come to rest: {value!r}")


def address(page: Page) -> str:
    """The address once it changes no more: the page writes it a moment after what it tells."""
    return at_rest(page, lambda: page.url)
