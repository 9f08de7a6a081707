"""For scripts: one JSON array of findings. Its fields are fixed; new ones come last."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..rules.finding import Finding
from . import Heard, Report, harmless


def write(reports: Iterable[Report]) -> str:
    """Every finding that stands, those that others explain as well, as its rule has it."""
    rows = [
        as_json(report, heard, found)
        for report in reports
        for heard in report.threads
        for found in heard.findings.values()
    ]
    return json.dumps(rows, indent=1)


def as_json(report: Report, heard: Heard, found: Finding) -> dict[str, Any]:
    """One finding. `muted` and `counts_as` are there only where the settings say so."""
    seen = heard.thread.picture.thread
    row: dict[str, Any] = {
        "file": harmless(report.file),
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "subject": harmless(found.subject),
        "occurrence": found.occurrence,
        "thread": harmless(heard.thread.name) if heard.thread.name is not None else None,
        "run": harmless(seen.run(found.run).id) or None if found.run else None,
        "call": harmless(seen.call(found.call).id) if found.call else None,
        "seqs": list(found.seqs),
        "culprit": found.culprit,
        "message": harmless(found.message),
        "repair": harmless(found.repair),
        "because_of": [
            {"code": code, "subject": harmless(subject), "occurrence": occurrence}
            for code, subject, occurrence in found.because_of
        ],
    }
    mute = report.muting.of(seen, found)
    if mute is not None:
        row["muted"] = {"reason": mute.reason, "date": mute.date}
    severity = report.muting.severity(found.code, found.severity)
    if severity != found.severity:
        row["counts_as"] = severity
    return row
