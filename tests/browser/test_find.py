"""Whatever a person can paste leads to the call."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import told

TAB = "dashboard-torn-tab"


def paste(page, text: str) -> None:
    box = page.get_by_role("searchbox").first
    box.fill(text)
    box.press("Enter")


@pytest.mark.parametrize("path", ["/", "/channels/demo/", "/findings/"])
def test_a_pasted_providers_error_leads_to_the_call_it_quotes(opened, path):
    page = opened(path)
    paste(page, told.refusal(TAB))
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    (call, tool), *_ = told.unanswered(TAB)
    card = page.locator(f'#cards [data-call="{call}"]')
    expect(card).to_contain_text(tool)
    expect(card).to_have_attribute("aria-current", "true")


def test_a_run_id_leads_to_its_turn(opened):
    run = next(event["runId"] for event in told.events("desk-healthy") if event["type"] == "RUN_STARTED")
    page = opened("/")
    paste(page, run)
    expect(page).to_have_url(re.compile(r"/turns/\d+/"))
    expect(page.locator("header")).to_contain_text(run)


def test_what_is_nowhere_is_said_to_be_nowhere(opened):
    page = opened("/")
    paste(page, "call_that_never_was")
    expect(page).to_have_url(re.compile(r"/find/"))
    expect(page.get_by_role("main").get_by_role("heading")).to_have_text("Nothing here goes by that")
    expect(page.get_by_role("main").get_by_role("textbox")).to_have_value("call_that_never_was")
