"""For test reports: JUnit XML, a suite per recording, a case per root; what is not failed on has passed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as xml

from ..muting import Told, fails
from . import Heard, Report, members, plain, where

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(reports: Iterable[Report], *, fail_on: str = "error") -> str:
    """One `testsuites` element. A muted root is skipped, an unreadable recording is an error."""
    top = xml.Element("testsuites", name="turnscope")
    totals = [_suite(top, one, fail_on) for one in reports]
    for place, name in enumerate(("tests", "failures", "errors", "skipped")):
        top.set(name, str(sum(total[place] for total in totals)))
    xml.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(top, encoding="unicode")


def _suite(top: xml.Element, report: Report, fail_on: str) -> tuple[int, int, int, int]:
    """Write one recording; how many tests, failures, errors and skipped ones that is."""
    suite = xml.SubElement(top, "testsuite", name=_text(report.file))
    failures = skipped = 0
    told = list(report.told)
    if report.unreadable:
        case = xml.SubElement(suite, "testcase", classname=_text(report.file), name="can be read")
        xml.SubElement(case, "error", type="unreadable", message=_text(report.unreadable))
    elif not told:
        xml.SubElement(suite, "testcase", classname=_text(report.file), name="nothing is wrong")
    for heard, one in told:
        root = one.group.root
        name = f"{root.code} {root.name}: {root.subject}" + (
            f" #{root.occurrence}" if root.occurrence > 1 else ""
        )
        case = xml.SubElement(suite, "testcase", classname=_text(report.file), name=_text(name))
        if not one.severity and one.muted is not None:
            skipped += 1
            xml.SubElement(case, "skipped", message=_text(f"{one.muted.reason} ({one.muted.date})"))
        elif fails(one.severity, fail_on):
            failures += 1
            failure = xml.SubElement(case, "failure", type=root.code, message=_text(root.message))
            failure.text = _text("\n".join(_lines(heard, one)))
        else:
            xml.SubElement(case, "system-out").text = _text("\n".join(_lines(heard, one)))
    counts = (max(1, len(told)), failures, int(bool(report.unreadable)), skipped)
    for key, count in zip(("tests", "failures", "errors", "skipped"), counts, strict=True):
        suite.set(key, str(count))
    return counts


def _lines(heard: Heard, told: Told) -> Iterable[str]:
    for found in members(told):
        yield f"{found.severity} {found.code} {found.name}: {found.message}"
        yield f"  events {', '.join(map(str, found.seqs))}; lines {', '.join(map(str, where(heard, found)))}"
        yield f"  culprit: {found.culprit}, {found.culprit_reason}"
        yield f"  repair: {found.repair}"


def _text(text: str) -> str:
    """What XML 1.0 can hold: anything else is spelled out, and so are escapes that a viewer might obey."""
    lines = (plain(line) for line in text.split("\n"))
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", "\n".join(lines))
