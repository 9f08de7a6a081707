"""The filter language: what a line means, and what is said of a line that means nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnscope.web import filters
from turnscope.web.filters import Glob, Point, Query, Span, parse


def one(text: str, words: tuple[str, ...] = filters.EVENTS) -> filters.Term:
    query = parse(text, words)
    assert query.problems == ()
    [term] = query.terms
    return term


def told(text: str, words: tuple[str, ...] = filters.EVENTS) -> list[tuple[str, str]]:
    """(the part of the line that is meant, what is said of it) of each problem."""
    return [(text[p.start : p.end], p.message) for p in parse(text, words).problems]


def test_a_line_is_terms_and_each_must_hold():
    query = parse('tool:slack* status:hanging rule:C02 type:TOOL_* dur:>5s text:"not found" after:4.2s')
    assert [term.field for term in query.terms] == [
        "tool", "status", "rule", "type", "dur", "text", "after"
    ]  # fmt: skip
    assert query.problems == ()


@pytest.mark.parametrize(
    ("pattern", "value", "hit"),
    [
        ("slack*", "slack_send", True), ("slack*", "Slack_Send", True), ("slack*", "my_slack", False),
        ("*", "", True), ("a*b", "ab", True), ("a*b", "a-b-b", True), ("a*b", "aba", False),
        ("a*ba", "aba", True), ("ab*ba", "aba", False), ("*mid*", "amidst", True), ("x*y*z", "xzyz", True),
        ("x*y*z", "xz", False), ("C02", "c02", True), ("C02", "C021", False), ("a.b", "axb", False),
        ("STRASSE", "straße", True),
    ],
)  # fmt: skip
def test_a_star_stands_for_anything_and_case_for_nothing(pattern: str, value: str, *, hit: bool):
    assert Glob(pattern).hits(value) is hit


def test_a_hostile_pattern_costs_no_more_than_the_text_is_long():
    assert not one("tool:" + "*a" * 8).hits("a" * 7 + "b" * 200_000)
    assert told("tool:" + "*a" * 9) == [("*a" * 9, "More than 8 stars in one value.")]


def test_commas_are_alternatives_unless_quoted():
    term = one("type:TOOL_*,RUN_*")
    assert [term.hits(kind) for kind in ("TOOL_CALL_END", "RUN_ERROR", "RAW")] == [True, True, False]
    assert one('text:"a,b"').values == ("a,b",)
    assert one("hello,world").values == ("hello,world",)


def test_a_minus_turns_a_term_round():
    term = one("-type:*_ARGS")
    assert term.negated
    assert not term.holds("TOOL_CALL_ARGS")
    assert term.holds("TOOL_CALL_END")


def test_bare_words_and_phrases_are_text():
    assert one("not_found").values == ("not_found",)
    assert one('"Tool result is missing"').values == ("Tool result is missing",)
    assert one(r'text:"say \"no\""').values == ('say "no"',)
    query = parse("two words")
    assert [term.values for term in query.terms] == [("two",), ("words",)]
    assert all(term.holds("words of two") for term in query.terms)


def test_what_is_pasted_with_a_colon_is_text():
    assert one("AI_MissingToolResultsError:").values == ("AI_MissingToolResultsError:",)
    assert one("https://a.example/b").values == ("https://a.example/b",)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("dur:>5s", Span(5000, None)), ("dur:5s", Span(5000, None)), ("dur:>=1m30s", Span(90_000, None)),
        ("dur:<250ms", Span(None, 250)), ("dur:1s..5s", Span(1000, 5000)), ("dur:..2", Span(None, 2000)),
        ("dur:=2s", Span(2000, 2000)), ("dur:1h", Span(3_600_000, None)),
    ],
)  # fmt: skip
def test_a_length_of_time_has_bounds(text: str, span: Span):
    assert one(text).values == (span,)


def test_a_span_is_asked_with_milliseconds():
    term = one("dur:1s..5s")
    assert [term.hits(ms) for ms in (999, 1000, 5000, 5001)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("after:#731", Point("seq", 731)), ("before:1,289", Point("seq", 1289)),
        ("after:731", Point("seq", 731)),
        ("after:4.2s", Point("span", 4200)), ("before:2h", Point("span", 7_200_000)),
        ("after:1970-01-02", Point("at", 86_400_000)),
        ("after:1970-01-01T01:00+01:00", Point("at", 0)),
    ],
)  # fmt: skip
def test_a_place_is_an_event_a_time_or_a_date(text: str, point: Point):
    assert one(text).values == (point,)


def test_a_problem_names_its_place_and_what_would_do():
    assert told("stauts:hanging") == [("stauts", "There is no “stauts:”; did you mean “status:”?")]
    assert told("tool:a status:hangin") == [("hangin", "There is no status “hangin”; did you mean hanging?")]
    assert told("dur:soon") == [("soon", "“soon” is no length of time, as in >5s, <=250ms or 1s..5s")]
    assert told("tool:") == [("tool:", "“tool:” needs a value, as in tool:slack*")]
    assert told('text:"open end') == [('"open end', "The quotation mark is not closed.")]
    assert told("after:lunch")[0][0] == "lunch"


def test_a_word_of_another_page_is_said_to_mean_nothing_here():
    [(where, message)] = told("culprit:adapter")
    assert where == "culprit"
    assert message.startswith("“culprit:” means nothing here: type:, tool:")
    assert one("culprit:adapter", filters.FINDINGS).hits("adapter")


def test_the_rest_of_a_line_with_a_problem_holds():
    query = parse("tool:a nonsense:b type:RAW")
    assert [term.source for term in query.terms] == ["tool:a", "type:RAW"]
    assert len(query.problems) == 1


def test_a_chip_leads_to_the_line_without_it():
    query = parse("tool:a  -type:RAW   text:b")
    assert [query.without(term) for term in query.terms] == [
        "-type:RAW text:b",
        "tool:a text:b",
        "tool:a -type:RAW",
    ]
    assert query.told()["terms"][1] == {  # type: ignore[index]
        "field": "type", "source": "-type:RAW", "negated": True, "without": "tool:a text:b",
    }  # fmt: skip


def test_a_like_pattern_escapes_what_sql_would_read():
    assert Glob("50%_a*\\").like == "50\\%\\_a%\\\\"


def test_long_lines_and_many_terms_are_cut_and_said_so():
    assert told("a" * 1200) == [("a" * 200, "Only the first 1000 characters are read.")]
    assert parse("x " * 60).problems[0].message == "Only the first 40 terms are read."


def test_every_word_has_an_example_that_means_what_it_says():
    for name, about in filters.FIELDS.items():
        assert one(about.example, tuple(filters.FIELDS)).field == name


@given(st.text(max_size=120))
def test_any_line_is_answered_and_every_place_lies_in_it(text: str):
    query = parse(text)
    assert isinstance(query, Query)
    for start, end in [(t.start, t.end) for t in query.terms] + [(p.start, p.end) for p in query.problems]:
        assert 0 <= start <= end <= len(text)


@given(
    st.lists(st.sampled_from(['tool:"a', "a:b", "-", ":", '"', ",", "dur:", "type:*", "\\", "#", "..", "x"]))
)
def test_any_mixture_of_signs_is_answered(pieces: list[str]):
    for joint in ("", " "):
        parse(joint.join(pieces)).told()
