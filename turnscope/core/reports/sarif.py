"""For code scanning: SARIF 2.1.0, one run of one tool. A root is a result; what it explains are its places.

Required structure: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ . A muted root is a suppressed result, so
that whoever reads the file sees the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from ... import __version__
from ..muting import Told
from ..rules import RULES, page
from ..rules.finding import ERROR, INFO, WARNING, Finding
from . import Heard, Report, harmless, where

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}
PLACES = 8
"""Most places of one result."""


def write(reports: Iterable[Report]) -> str:
    """One log with one run."""
    codes = {rule.CODE: index for index, rule in enumerate(RULES)}
    artifacts: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    notices: list[dict[str, Any]] = []
    for one in reports:
        artifacts.append({"location": {"uri": _uri(one.file)}})
        results += [_result(one, heard, told, codes) for heard, told in one.told]
        if one.unreadable:
            notices.append({"level": "error", "message": {"text": harmless(one.unreadable)}})
    invocation: dict[str, Any] = {"executionSuccessful": not notices}
    if notices:
        invocation["toolExecutionNotifications"] = notices
    driver = {
        "name": "Turnscope",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "artifacts": artifacts,
        "columnKind": "utf16CodeUnits",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _rule(rule: Any) -> dict[str, Any]:
    line, sections = page(rule)
    return {
        "id": rule.CODE,
        "name": rule.NAME,
        "shortDescription": {"text": line},
        "fullDescription": {"text": " ".join(sections["What it sees"].split())},
        "help": {"text": " ".join(sections["Why it matters"].split())},
        "defaultConfiguration": {"level": LEVELS[rule.SEVERITY]},
    }


def _result(report: Report, heard: Heard, told: Told, codes: dict[str, int]) -> dict[str, Any]:
    root = told.group.root
    text = harmless(root.message)
    if told.group.effects:
        text += " It explains " + ", ".join(sorted({one.code for one in told.group.effects})) + "."
    result: dict[str, Any] = {
        "ruleId": root.code,
        "level": LEVELS[told.severity or report.muting.severity(root.code, root.severity)],
        "message": {"text": text},
        "locations": _locations(report, heard, root),
        "partialFingerprints": {"turnscope/v1": _fingerprint(report, heard, root)},
        "properties": {
            "subject": harmless(root.subject),
            "occurrence": root.occurrence,
            "thread": harmless(heard.thread.name or ""),
            "seqs": list(root.seqs),
            "culprit": root.culprit,
            "repair": harmless(root.repair),
            "explains": [f"{one.code} {harmless(one.subject)}" for one in told.group.effects],
        },
    }
    if root.code in codes:
        result["ruleIndex"] = codes[root.code]
    if told.muted is not None:
        result["suppressions"] = [
            {"kind": "external", "justification": f"{told.muted.reason} ({told.muted.date})"}
        ]
    return result


def _locations(report: Report, heard: Heard, found: Finding) -> list[dict[str, Any]]:
    """The frame that shows it best, the last one, first; at least the file."""
    place = {"artifactLocation": {"uri": _uri(report.file)}}
    lines = where(heard, found)[:PLACES]
    if not lines:
        return [{"physicalLocation": place}]
    return [{"physicalLocation": {**place, "region": {"startLine": line}}} for line in reversed(lines)]


def _fingerprint(report: Report, heard: Heard, found: Finding) -> str:
    """What stays the same when the recording is made longer, or the sentence is worded anew."""
    parts = (report.file, heard.thread.name or "", found.code, found.subject, str(found.occurrence))
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _uri(file: str) -> str:
    """A relative reference; a path keeps its slashes, and nothing in it is taken for a scheme."""
    return quote(harmless(file.replace("\\", "/")), safe="/") if file != "-" else "stdin"
