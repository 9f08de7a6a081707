"""The description of the programs' door says what the door does."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from turnscope.urls import urlpatterns
from turnscope.web import openapi


def routed() -> set[str]:
    """The routes for programs, as OpenAPI spells them."""
    found = {"/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(one.pattern)) for one in urlpatterns}
    return {path for path in found if path.startswith("/api/") or path == "/healthz"}


def test_what_is_routed_for_programs_is_described_and_nothing_else():
    described = set(openapi.described()["paths"])
    assert {path for path in described if not path.startswith("/import")} == routed()


def test_every_path_names_its_parameters_and_every_operation_is_its_own():
    document = openapi.described()
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids))
    for path, methods in document["paths"].items():
        for one in methods.values():
            named = {p["name"] for p in one["parameters"] if p["in"] == "path"}
            assert named == set(re.findall(r"\{(\w+)\}", path))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "way", [way for way in openapi.WAYS if way.method == "get"], ids=lambda way: way.path
)
def test_what_is_described_answers_as_described(client: Client, way: openapi.Way):
    """Of nothing: each answers, with what it says or in the one shape of errors."""
    answer = client.get(way.path.replace("{slug}", "nothing").replace("{pk}", "1"))
    assert answer["Content-Type"].split(";")[0] in (way.kind, "application/json")
    described = openapi.described()["paths"][way.path]["get"]["responses"]
    assert str(answer.status_code) in described
    if answer.status_code >= 400:
        assert set(answer.json()["error"]) == {"code", "message", "detail"}
