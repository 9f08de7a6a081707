"""The list of threads, filtered in the language of turns."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.test_pages import page, words
from tests.test_pages_lists import three as three
from turnscope.store import models

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("status:failed", {"t-bad"}),
        ("-status:failed", {"t-left", "t-ok"}),
        ("tool:slack*", {"t-left", "t-ok"}),
        ("tool:slack* status:failed", set()),
        ("text:T-LEFT", {"t-left"}),
        ("dur:>100h", set()),
    ],
)
def test_threads_are_filtered_in_the_language_of_turns(
    client: Client, three: None, line: str, left: set[str]
):
    twin = client.get("/threads.json", {"q": line}).json()
    assert {row["name"] for row in twin["threads"]} == left


def test_a_thread_without_turns_is_found_by_its_name_only(client: Client):
    channel = models.Channel.objects.create(slug="bare")
    models.Thread.objects.create(channel=channel, name="only-a-name", title="Nothing came")
    for line, count in (("only-a-name", 1), ("nothing channel:bare", 1), ("tool:x", 0), ("status:live", 0)):
        assert len(client.get("/threads.json", {"q": line}).json()["threads"]) == count, line


def test_a_filter_that_leaves_few_threads_goes_on_where_it_stopped(client: Client):
    channel = models.Channel.objects.create(slug="many")
    models.Thread.objects.bulk_create(
        models.Thread(channel=channel, key=f"k{n}", name=f"{'odd' if n % 2 else 'even'}-{n}", last_at=n)
        for n in range(1, 261)
    )
    seen: list[str] = []
    before = 0
    while True:
        twin = client.get("/threads.json", {"q": "odd", "before": before}).json()
        seen += [row["name"] for row in twin["threads"]]
        before = twin["more"]
        if not before:
            break
    assert seen == [f"odd-{n}" for n in range(259, 0, -2)]


def test_what_is_not_understood_in_a_filter_of_threads_is_said(client: Client, three: None):
    assert "did you mean" in words(page(client, "/threads/?q=stauts:failed"))
