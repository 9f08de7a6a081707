"""Reports: what a person, a script, a code scanner and a test server are told of the same findings.

SARIF is checked against the structure that its specification requires (OASIS SARIF 2.1.0, sections 3.13 to
3.58), JUnit by a parser.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests import corpora
from tests.streams import assistant as held
from tests.streams import call, failed, finished, ndjson, run_started, run_with_input, text, tool, user
from turnscope.core import reports
from turnscope.core.muting import compile_muting
from turnscope.core.picture import read_file
from turnscope.core.reports import Report, junit, machine, sarif
from turnscope.core.reports import text as plain_text

WHY = {"reason": "Known, and being mended.", "date": "2026-11-30"}
MUTED = {"mutes": [{"code": "R09", **WHY}], "severities": {"C18": "error"}}
POISON = (
    run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"))
    + failed("Tool result is missing for tool call c1.")
)  # fmt: skip
HOSTILE = "\x1b]0;owned\x07<b>&\ud800\x00 ]]> \uffff"


def told(data: bytes, name: str = "runs/one.jsonl", **settings: Any) -> Report:
    return reports.report(name, read_file(data, settings=settings), compile_muting(settings))


def corpus() -> Iterable[Report]:
    for path in corpora.streams():
        settings = {**corpora.settings_of(path), **MUTED}
        yield told(path.read_bytes(), corpora.name_of(path), **settings)


UNREADABLE = Report("noise", "noise: no line of it can be read")


# ---------------------------------------------------------------- SARIF


def required(thing: Any, **fields: type) -> None:
    assert isinstance(thing, dict)
    for name, kind in fields.items():
        assert isinstance(thing.get(name), kind), f"{name} is no {kind.__name__} in {thing}"


def check_log(log: Any) -> None:
    """What SARIF 2.1.0 requires of everything that is there."""
    required(log, version=str, runs=list)
    assert log["version"] == "2.1.0"
    assert set(log) <= {"$schema", "version", "runs", "properties", "inlineExternalProperties"}
    for run in log["runs"]:
        required(run, tool=dict, results=list)
        required(run["tool"], driver=dict)
        driver = run["tool"]["driver"]
        required(driver, name=str, rules=list)
        for rule in driver["rules"]:
            required(rule, id=str, shortDescription=dict, fullDescription=dict, help=dict)
            assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
            assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
        for invocation in run["invocations"]:
            required(invocation, executionSuccessful=bool)
            for notice in invocation.get("toolExecutionNotifications", []):
                required(notice, message=dict)
                assert notice["message"]["text"]
        for artifact in run["artifacts"]:
            check_place(artifact["location"])
        for result in run["results"]:
            check_result(result, driver["rules"])


def check_result(result: Any, rules: list[Any]) -> None:
    required(result, message=dict, ruleId=str, locations=list, partialFingerprints=dict)
    assert result["message"]["text"]
    assert result["level"] in ("none", "note", "warning", "error")
    if "ruleIndex" in result:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for location in result["locations"]:
        check_place(location["physicalLocation"]["artifactLocation"])
        region = location["physicalLocation"].get("region")
        assert region is None or region["startLine"] >= 1
    assert all(isinstance(one, str) for one in result["partialFingerprints"].values())
    for suppression in result.get("suppressions", []):
        assert suppression["kind"] in ("inSource", "external")


def check_place(place: Any) -> None:
    required(place, uri=str)
    assert not urlsplit(place["uri"]).scheme and place["uri"].isascii() and " " not in place["uri"]


def test_sarif_has_the_structure_that_is_required_of_it() -> None:
    log = json.loads(sarif.write([*corpus(), UNREADABLE]))
    check_log(log)
    (run,) = log["runs"]
    assert len(run["results"]) > 50
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_of_nothing_is_a_log_without_results() -> None:
    log = json.loads(sarif.write([]))
    check_log(log)
    assert log["runs"][0]["results"] == [] and log["runs"][0]["invocations"][0]["executionSuccessful"]


def test_sarif_names_the_line_where_it_shows_and_a_fingerprint_that_stays() -> None:
    data = ndjson(run_started() + call("c1", "lookup") + text() + finished())
    (result,) = json.loads(sarif.write([told(data)]))["runs"][0]["results"]
    assert result["ruleId"] == "C02"
    lines = [one["physicalLocation"]["region"]["startLine"] for one in result["locations"]]
    assert lines == [9, 5, 4, 2]
    longer = data + ndjson(run_started("r2") + text(id="m7") + finished("r2"))
    (again,) = json.loads(sarif.write([told(longer)]))["runs"][0]["results"]
    assert again["partialFingerprints"] == result["partialFingerprints"]


def test_a_muted_root_is_a_suppressed_result_with_its_reason() -> None:
    data = ndjson(run_started() + text() + finished("graph-7"))
    (result,) = json.loads(sarif.write([told(data, **MUTED)]))["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "external", "justification": "Known, and being mended. (2026-11-30)"}
    ]


def test_sarif_tells_a_root_once_with_what_it_explains() -> None:
    (result,) = json.loads(sarif.write([told(ndjson(POISON))]))["runs"][0]["results"]
    assert result["ruleId"] == "T02"
    assert {one.split()[0] for one in result["properties"]["explains"]} == {"R05"}


# ---------------------------------------------------------------- JUnit


def test_junit_can_be_parsed_and_adds_up() -> None:
    top = ElementTree.fromstring(junit.write([*corpus(), UNREADABLE], fail_on="warning"))
    assert top.tag == "testsuites"
    for suite in [top, *top]:
        cases = list(suite.iter("testcase"))
        assert int(suite.get("tests", "")) == len(cases) > 0
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(key, "")) == len(list(suite.iter(tag)))
        assert all(case.get("name") and case.get("classname") for case in cases)
    assert int(top.get("errors", "")) == 1 and int(top.get("skipped", "")) == 2


def test_a_clean_recording_is_one_passed_case() -> None:
    report = told(ndjson(run_started() + text() + finished()))
    (case,) = ElementTree.fromstring(junit.write([report])).iter("testcase")
    assert (case.get("name"), len(case)) == ("nothing is wrong", 0)


def test_what_is_not_failed_on_is_a_passed_case_that_says_what_it_saw() -> None:
    report = told(ndjson(run_started() + text() + finished("graph-7")))
    (case,) = ElementTree.fromstring(junit.write([report], fail_on="error")).iter("testcase")
    (said,) = case
    assert said.tag == "system-out" and "R09 run-id-mismatch" in (said.text or "")
    (case,) = ElementTree.fromstring(junit.write([report], fail_on="warning")).iter("testcase")
    assert case[0].tag == "failure"


# ---------------------------------------------------------------- JSON


def test_a_row_says_what_the_settings_make_of_it() -> None:
    (row,) = json.loads(machine.write([told(ndjson(run_started() + text() + finished("graph-7")), **MUTED)]))
    assert row["severity"] == "warning" and row["muted"] == WHY
    louder = told(ndjson(run_started() + text() + finished("graph-7")), severities={"R09": "error"})
    (row,) = json.loads(machine.write([louder]))
    assert (row["severity"], row["counts_as"]) == ("warning", "error")


# ---------------------------------------------------------------- text


def test_a_person_reads_headline_ledger_findings_and_under_each_what_it_explains() -> None:
    report = told((corpora.CORPUS / "stories/4a-torn-down-tab-three-refusals.jsonl").read_bytes(), "4a.jsonl")
    lines = "\n".join(plain_text.block(report)).splitlines()
    assert lines[0] == "4a.jsonl"
    assert lines[1].startswith("  Stuck: ")
    assert lines[2] == "  1 started · 1 ended · 0 answered · 1 open"
    heads = [line.split()[:2] for line in lines if line.lstrip().startswith(("error ", "warning "))]
    assert heads[0] == ["error", "C04"] and len(heads) > 4
    indents = {len(line) - len(line.lstrip()) for line in lines if " C04 " in line or " T02 " in line}
    assert indents == {2, 6}
    assert any(line.startswith("      culprit  client: ") for line in lines)
    assert sum(line.lstrip().startswith("repair ") for line in lines) == 1


def test_a_muted_finding_is_shown_as_muted() -> None:
    said = "\n".join(plain_text.block(told(ndjson(run_started() + text() + finished("graph-7")), **MUTED)))
    assert "Finished; no calls" in said
    assert "muted    Known, and being mended. (2026-11-30)" in said


def test_several_recordings_end_with_what_they_come_to() -> None:
    data = ndjson(run_started() + text() + finished("graph-7"))
    several = [told(data, "a"), told(data, "b", **MUTED), told(ndjson(POISON), "c"), UNREADABLE]
    *_, last = plain_text.write(several)
    assert last.strip() == "4 recordings: 1 clean, 1 unreadable, 1 error and 1 warning, 1 muted"


def test_lines_are_wrapped_for_a_terminal_and_not_for_a_file() -> None:
    report = told(ndjson(POISON))
    assert max(map(len, plain_text.block(report))) > 100
    assert max(len(line) for line in plain_text.block(report, width=80)) <= 80


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("format", ["text", "json", "sarif", "junit"])
def test_hostile_text_stays_text(format: str) -> None:
    report = told(ndjson(run_started() + call("c\x00", HOSTILE) + text() + finished()), name=f"<{HOSTILE}>")
    write = {"json": machine.write, "sarif": sarif.write, "junit": junit.write}.get(format)
    said = write([report]) if write is not None else "\n".join(plain_text.write([report]))
    said.encode("utf-8")
    assert not {"\x1b", "\x07", "\x00"} & set(said)
    if format in ("json", "sarif"):
        json.dumps(json.loads(said), ensure_ascii=False).encode("utf-8")
    if format == "junit":
        ElementTree.fromstring(said)


def test_a_line_that_cannot_be_read_is_told_with_its_number() -> None:
    data = ndjson(run_started()) + b"nonsense\n" * 9 + ndjson(text() + finished())
    said = "\n".join(plain_text.block(told(data)))
    assert "line 2 could not be read" in said and "and 4 more lines" in said


def test_every_format_is_a_module_of_the_catalogue() -> None:
    folder = Path(reports.__file__).parent
    names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert names == {{"json": "machine"}.get(one, one) for one in reports.FORMATS}


def test_a_late_result_is_told_where_it_stands_in_the_file() -> None:
    frames = (
        run_with_input(user(), held(("c1", "lookup", "{}")), user("And?", "u2"), tool()) + text() + finished()
    )
    said = "\n".join(plain_text.block(told(ndjson(frames))))
    assert "seen     event 2 (line 1)" in said
