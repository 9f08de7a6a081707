"""Entities of the picture as rows. What a column holds is decided here and nowhere else.

Every column is a pure function of the entities, so that a rebuild gives the same rows: nothing here may
depend on when, or in how many batches, the frames were appended.
"""

from __future__ import annotations

from typing import Any

from turnscope.core import calls
from turnscope.core import thread as core
from turnscope.core.ledger import Ledger
from turnscope.core.picture import Picture
from turnscope.core.rules.finding import Finding, Key

from .tables import Row
from .text import LONG, digest, packed, shown

ANSWERS = 8
"""How many answers of a call its row keeps."""


def turn_row(
    thread: int, turn: core.Turn, *, state: str, headline: str, severity: str, book: Ledger,
    errors: int, warnings: int, changed: int,
) -> Row:  # fmt: skip
    return {
        "thread_id": thread,
        "number": turn.number,
        "changed_at_seq": changed,
        "title": shown(turn.title),
        "inferred": turn.inferred,
        "state": state,
        "headline": shown(headline, LONG),
        "severity": severity,
        "first_seq": turn.start_seq,
        "last_seq": turn.last_seq,
        "started_at": turn.start_at,
        "last_at": turn.last_at,
        "started": book.started,
        "ended": book.ended,
        "answered": book.answered,
        "open": book.open,
        "waiting": book.waiting,
        "failed": book.failed,
        "oldest_at": book.oldest_at,
        "errors": errors,
        "warnings": warnings,
    }


def run_row(thread: int, run: core.Run) -> Row:
    return {
        "thread_id": thread,
        "number": run.number,
        "changed_at_seq": run.changed,
        "turn": run.turn,
        "stream": run.stream,
        "run_id": shown(run.id),
        "run_key": digest(run.id),
        "state": run.state,
        "outcome": shown(run.outcome, 64),
        "error": shown(run.error, LONG),
        "error_code": shown(run.error_code),
        "inferred": run.inferred,
        "start_seq": run.start_seq,
        "end_seq": run.end_seq,
        "last_seq": run.last_seq,
        "start_at": run.start_at,
        "end_at": run.end_at,
        "last_at": run.last_at,
        "started": run.started,
        "ended": run.ended,
        "results": run.results,
    }


def call_row(thread: int, call: core.Call) -> Row:
    return {
        "thread_id": thread,
        "number": call.number,
        "changed_at_seq": call.changed,
        "turn": call.turn,
        "run": call.run,
        "call_id": shown(call.id),
        "call_key": digest(call.id),
        "occurrence": call.occurrence,
        "name": shown(call.name),
        "plane": call.plane,
        "state": call.state,
        "reason": shown(call.reason),
        "owner": call.owner,
        "owner_source": call.owner_source,
        "owner_reason": shown(call.owner_reason),
        "limit_ms": call.limit,
        "start_seq": call.start_seq,
        "end_seq": call.end_seq,
        "closed_seq": call.closed_seq,
        "start_at": call.start_at,
        "end_at": call.end_at,
        "closed_at": call.closed_at,
        "args_length": call.args_length,
        "args_verdict": shown(call.args_verdict, 32),
        "args_excerpt": shown(calls.tail(call), LONG),
        "answers": packed([answer_value(answer) for answer in call.answers[:ANSWERS]]),
    }


def answer_value(answer: core.Answer) -> dict[str, Any]:
    return {
        "plane": answer.plane,
        "source": answer.source,
        "seq": answer.seq,
        "at": answer.at,
        "length": answer.length,
        "error": answer.error,
        "excerpt": shown(answer.excerpt),
        "late": answer.late,
    }


def finding_row(thread: int, picture: Picture, finding: Finding) -> Row:
    """A finding as the channel is told of it, by the settings in force."""
    muting, seen = picture.judge.muting, picture.thread
    mute = muting.of(seen, finding)
    return {
        "thread_id": thread,
        "key": finding_key(finding.key),
        "code": finding.code,
        "name": finding.name,
        "severity": muting.severity(finding.code, finding.severity),
        "muted": shown(f"{mute.reason} ({mute.date})") if mute is not None else "",
        "heads": muting.heads(seen, picture.judge.findings, finding),
        "subject": shown(finding.subject),
        "occurrence": finding.occurrence,
        "culprit": finding.culprit,
        "culprit_reason": shown(finding.culprit_reason),
        "message": shown(finding.message, LONG),
        "repair": shown(finding.repair),
        "seqs": packed(list(finding.seqs)),
        "because_of": packed([key_value(key) for key in finding.because_of]),
        "turn": finding.turn,
        "run": finding.run,
        "call": finding.call,
        "count": finding.count,
        "opened_seq": finding.opened_seq,
        "closed_seq": finding.closed_seq,
        "changed_at_seq": finding.changed,
    }


def key_value(key: Key) -> dict[str, Any]:
    code, subject, occurrence = key
    return {"code": code, "subject": shown(subject), "occurrence": occurrence}


def finding_key(key: Key) -> str:
    code, subject, occurrence = key
    return digest(code, subject, str(occurrence))
