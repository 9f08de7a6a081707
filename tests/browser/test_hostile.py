"""What an agent says is text: never markup, an address, or invisible. Four hundred payloads, every page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import hostile, streams
from tests.browser.conftest import PATIENCE, REPORT_VIOLATIONS, WIDE, Watched
from tests.serving import Served

BAIT = "window.hits = []; window.hit = (n) => { window.hits.push(n); top.hits.push(n); };"
"""What each payload that runs would call."""

FOREIGN = """() => [...document.querySelectorAll(
  "img,iframe,frame,object,embed,video,audio,base,style,math,marquee,template,meta[http-equiv=refresh]," +
  "main form[action*=evil],[src*=evil],[href*=evil],a[href^='javascript:' i],a[href^='data:' i]," +
  "a[href^=file],a[ping]," +
  "[onerror],[onload],[onfocus],[ontoggle],[onclick],[style*=url]"
)].map((e) => e.outerHTML.slice(0, 120))"""
"""Elements that none of our pages has."""

UNSEEN = r"""() => {
  const hidden = new RegExp(
    "[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u200e\\u200f\\u2060\\ufeff\\u061c\\u2028\\u2029" +
    "\\u0000-\\u0008\\u001b\\u{e0000}-\\u{e007f}]", "u");
  const found = [];
  const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode()); ) {
    if (node.parentElement.closest("script,textarea")) continue;
    if (hidden.test(node.data))
      found.push(node.parentElement.tagName + ": " + JSON.stringify(node.data.slice(0, 80)));
  }
  for (const e of document.querySelectorAll("[title],[aria-label]"))
    for (const name of ["title", "aria-label"])
      if (hidden.test(e.getAttribute(name) || "")) found.push(name + ": " + e.outerHTML.slice(0, 80));
  if (hidden.test(document.title)) found.push("title");
  return found;
}"""
"""Texts in which a character hides or turns the writing round and is no chip."""

CHIPS = "() => [...new Set([...document.querySelectorAll('.u')].map((e) => e.textContent))]"


@pytest.fixture(scope="module")
def bait(browser: Browser, server: Served):
    """A page in which a payload that runs is noticed, and a list of all that went wrong."""
    context = browser.new_context(base_url=server.url, viewport=WIDE)
    context.set_default_timeout(PATIENCE * 2)
    context.add_init_script(BAIT)
    watched = Watched(context, scripts=True)
    assert REPORT_VIOLATIONS
    foreign: list[str] = []
    context.on(
        "request", lambda r: None if r.url.startswith((server.url, "ws", "blob:")) else foreign.append(r.url)
    )
    yield context.new_page(), watched.complaints, foreign
    context.close()


@pytest.fixture(scope="module")
def taken(bait: Any, server: Served) -> dict[str, Any]:
    """The conversation is in; where its pages are."""
    page = bait[0]
    body = streams.ndjson(hostile.conversation())
    answer = page.request.post(
        f"{server.url}/api/channels/hostile/frames?recording=1", data=body, timeout=60_000
    )
    assert answer.ok, answer.text()
    thread = answer.json()["threads"][0]
    turn = page.request.get(f"{server.url}/channels/hostile.json").json()["turns"][0]["id"]
    twin = page.request.get(f"{server.url}/turns/{turn}.json").json()
    return {"turn": turn, "thread": thread["id"], "twin": twin, "calls": [c["number"] for c in twin["calls"]]}


def test_there_are_four_hundred_and_no_two_alike():
    made = hostile.payloads()
    assert len(made) == hostile.COUNT
    assert len(set(made)) > 0.85 * hostile.COUNT


def test_every_payload_stands_somewhere_in_the_conversation():
    text = json.dumps(hostile.conversation())

    def spelled(one: str) -> list[str]:
        once = json.dumps(one)[1:-1]
        return [once, json.dumps(once)[1:-1], json.dumps(one.replace("/", "~1"))[1:-1]]

    lacks = [one for one in hostile.payloads() if not any(form in text for form in spelled(one))]
    assert lacks == []


PATHS = (
    "/", "/channels/", "/channels/hostile/", "/threads/", "/threads/{thread}/", "/turns/{turn}/",
    "/turns/{turn}/?tab=transcript", "/turns/{turn}/?tab=state", "/turns/{turn}/?panel=event&event=3",
    "/turns/{turn}/?panel=raw&event=4", "/turns/{turn}/?lanes=call",
    "/turns/{turn}/?q=hit+script", "/turns/{turn}/?panel=diff",
    "/turns/{turn}/?frames=repaired&tab=transcript", "/turns/{turn}/events/?event=3",
    "/turns/{turn}/diff/?mode=unified", "/rules/C02/", "/channels/hostile/?q=tool:*",
    "/turns/{turn}/events/", "/turns/{turn}/diff/", "/turns/{turn}/calls/{call}/", "/turns/{turn}/export/",
    "/findings/", "/findings/?show=all&q=channel:hostile", "/find/?q=hit", "/turns/", "/settings/hostile/",
    "/compare/?a={run}&b={run}",
    "/find/?q=%3Cscript%3Ehit%280%29%3C%2Fscript%3E",
)  # fmt: skip


def checked(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.hits") == []
    assert page.evaluate(FOREIGN) == []
    assert page.evaluate(UNSEEN) == []
    assert page.evaluate("({}).polluted === undefined && !('polluted' in Object.prototype)")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_of_it_runs_is_fetched_or_hides(bait: Any, taken: dict[str, Any], path: str):
    page, complaints, foreign = bait
    complaints.clear()
    twin = taken["twin"]
    page.goto(path.format(**taken, call=twin["calls"][3]["number"], run=twin["runs"][0]["id"]))
    checked(page)
    assert complaints == []
    assert foreign == []


def test_the_hidden_characters_are_to_be_seen(bait: Any, taken: dict[str, Any]):
    page, _, _ = bait
    seen: set[str] = set()
    for path in (
        "/turns/{turn}/",
        "/turns/{turn}/?tab=transcript",
        "/turns/{turn}/export/",
        "/turns/{turn}/events/",
    ):
        page.goto(path.format(**taken))
        page.wait_for_load_state("networkidle")
        seen |= set(page.evaluate(CHIPS))
    expected = {f"U+{ord(sign):04X}" for sign in hostile.HIDING if sign not in "\x00\ufe0f"}
    assert expected - seen == set()


def test_a_turn_that_is_played_walked_and_copied_runs_nothing(bait: Any, taken: dict[str, Any]):
    page, complaints, foreign = bait
    complaints.clear()
    page.goto(f"/turns/{taken['turn']}/")
    expect(page.get_by_role("slider", name="Playhead")).to_be_visible()
    for _ in range(12):
        page.keyboard.press("n")
    for _ in range(6):
        page.keyboard.press("J")
    page.keyboard.press("G")
    page.keyboard.press("Enter")
    expect(page.locator("#event .ways")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Command").fill("script")
    page.keyboard.press("Escape")
    page.locator("#filter").fill('tool:*script* text:"<img"')
    page.locator("#filter").press("Enter")
    expect(page.locator("#matching")).to_have_text(re.compile(" of "))
    page.locator("#waterfall a.lane").first.hover()
    page.locator("[data-replay-repaired]").click()
    expect(page.locator("#take")).to_be_visible()
    checked(page)
    assert complaints == []
    assert foreign == []


def test_live_patches_of_it_run_nothing(bait: Any, producer: Any, taken: dict[str, Any]):
    page, complaints, foreign = bait
    complaints.clear()
    run = {"run": "hostile-live", "thread": "hostile-live"}
    with producer("hostile", "hostile-live") as agent:
        agent.send(streams.run_started(**run) + streams.call_started("live-0", hostile.TAGS[0]))
        page.goto("/find/?q=hostile-live")
        expect(page.locator("#cards [data-call]")).to_have_count(1)
        for number, text in enumerate(hostile.payloads()[:240:10]):
            agent.send(streams.call(f"live-{number}-{text[:20]}", text[:150], {"q": text}))
            agent.send(streams.result(f"live-{number}-{text[:20]}", text))
        expect(page.locator("#cards [data-call]")).to_have_count(25)
        checked(page)
    assert complaints == []
    assert foreign == []
