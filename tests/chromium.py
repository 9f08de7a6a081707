"""The browser that the browser tests drive: where it is, and how to get one.

`python -m tests.chromium` finds one or installs one: Debian's package where we are root and have apt, else
Playwright's own. Where neither can be had it says so and the browser tests are skipped in plain sight; where
CI=true it fails. Tests bring a profile of their own, so that whatever browser a person uses stays as it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services import missing
from turnscope import settings

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

NO_CHROMIUM = "no Chromium on this machine (TURNSCOPE_CHROMIUM names one; `make browser` installs one)"


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; skips where there is none."""
    return find() or missing(NO_CHROMIUM)


def find() -> str | None:
    """TURNSCOPE_CHROMIUM, else the first on PATH, else Playwright's own."""
    if settings.CHROMIUM:
        return shutil.which(settings.CHROMIUM)
    for name in NAMES:
        if path := shutil.which(name):
            return path
    return _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            path = Path(playwright.chromium.executable_path)
    except Error:
        return None
    return str(path) if path.exists() else None


def install() -> str | None:
    """Install a Chromium by the first way that works; its path."""
    ways = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        ways.insert(0, ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
        subprocess.run(["apt-get", "update", "-qq"], stdout=subprocess.DEVNULL)
    for way in ways:
        print(f"No Chromium yet. Installing one: {' '.join(way)}", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(way, env=environment, stdout=subprocess.DEVNULL)
        if path := find():
            return path
    return None


def main() -> int:
    if settings.CHROMIUM and not find():
        print(f"TURNSCOPE_CHROMIUM names {settings.CHROMIUM}, which is no program.", file=sys.stderr)
        return 2
    path = find() or install()
    print(f"Browser tests drive {path}." if path else f"Browser tests will be skipped: {NO_CHROMIUM}.")
    return 1 if path is None and os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
