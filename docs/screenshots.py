"""The pictures of the README, taken anew from the demo: `make screenshots`.

A server of its own on a free port with data of its own, a real Chromium, and WebP as Chromium writes it, so
that nothing else is needed. The channel is taken while a call of the live conversation hangs.
"""

from __future__ import annotations

import base64
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests import chromium
from tests.serving import served

HERE = Path(__file__).resolve().parent
SIZE = {"width": 1440, "height": 900}
QUALITY = 82
LARGEST = 250_000
"""Bytes of one picture at most: the README is read on telephones too."""
PATIENCE = 90_000
"""ms until the live conversation hangs: some twenty seconds on a quiet machine."""
BROKEN = "Find the three threads about the November workshop"


def take(page: Page, name: str) -> None:
    """One picture of what the page shows. ValueError when it is too large."""
    page.evaluate("document.fonts.ready.then(() => true)")
    with_it = page.context.new_cdp_session(page)
    shot = with_it.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    picture = base64.b64decode(shot["data"])
    if len(picture) > LARGEST:
        raise ValueError(f"{name} has {len(picture)} bytes; {LARGEST} is the most")
    (HERE / name).write_bytes(picture)
    print(f"docs/{name}: {len(picture) / 1000:.0f} kB")


def main() -> None:
    path = chromium.find()
    if path is None:
        raise SystemExit(chromium.NO_CHROMIUM)
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home), "--demo") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(
            base_url=server.url, viewport=SIZE, color_scheme="light", reduced_motion="reduce"
        )
        page.set_default_timeout(PATIENCE)
        page.goto("/channels/demo/")
        expect(page.locator("ts-channel .rows").get_by_text("Hanging").first).to_be_visible(timeout=PATIENCE)
        take(page, "channel.webp")
        page.get_by_role("link", name=re.compile(BROKEN)).first.click()
        # The comparison is fetched last; reaching it, everything is drawn.
        expect(page.locator(".dl.add").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        take(page, "turn.webp")
        browser.close()


if __name__ == "__main__":
    main()
