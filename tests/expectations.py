"""What reading, folding and judging make of one stream, as an outline that a reviewer reads.

One `.expect.txt` stands beside each stream of the corpus. A change that makes another outline is a change of
behaviour: the diff says which. `pytest tests/test_expectations.py --accept` writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests import corpora
from turnscope.core.ledger import ledger
from turnscope.core.picture import ReadThread
from turnscope.core.rules.finding import Finding
from turnscope.core.rules.headline import headline
from turnscope.core.thread import Call, Run


def beside(path: Path) -> Path:
    return path.with_suffix(".expect.txt")


def outline(path: Path) -> str:
    """The outline of a stream."""
    return (
        "\n".join(line for thread in corpora.threads_of(corpora.name_of(path)) for line in of_thread(thread))
        + "\n"
    )


def of_thread(thread: ReadThread) -> Iterator[str]:
    seen = thread.picture.thread
    findings = thread.picture.judge.findings
    yield f"thread {thread.name or '(no name)'}"
    yield f"  {headline(seen, None, findings).text}"
    book = ledger(seen.calls)
    yield (
        f"  ledger: {book.started} started, {book.ended} ended, {book.answered} answered, "
        f"{book.open} open, {book.waiting} waiting"
    )
    for turn in seen.turns:
        yield f"turn {turn.number}{' (inferred)' if turn.inferred else ''}: {turn.title or '-'}"
        for number in turn.runs:
            yield from of_run(seen.run(number))
            yield from (of_call(call) for call in seen.calls if call.run == number)
        for call in seen.calls:
            if call.turn == turn.number and not call.run:
                yield of_call(call)
    for found in findings.values():
        yield from of_finding(found)


def of_run(run: Run) -> Iterator[str]:
    end = f" to #{run.end_seq}" if run.end_seq else ""
    yield f"  run {run.id or '-'} {run.state}, from #{run.start_seq}{end}"
    if run.resume:
        yield f"    resumes {', '.join(run.resume)}"
    if run.pending is not None:
        yield f"    pending list: {', '.join(run.pending) or 'empty'}"
    if run.error:
        yield f"    error: {run.error}"


def of_call(call: Call) -> str:
    again = f" #{call.occurrence}" if call.occurrence > 1 else ""
    answers = ", ".join(
        f"{a.source} #{a.seq}{' late' if a.late else ''}{' error' if a.error else ''}" for a in call.answers
    )
    where = f"#{call.start_seq}" if call.start_seq else "in a history"
    return (
        f"    call {call.id}{again} {call.name or '-'}: {call.state} ({call.reason}); "
        f"{call.owner} ({call.owner_reason}); {where}; {answers or 'no result'}"
    )


def of_finding(found: Finding) -> Iterator[str]:
    stands = "" if found.stands else f", closed at #{found.closed_seq}"
    times = f" x{found.count}" if found.count > 1 else ""
    at = " ".join(f"#{seq}" for seq in found.seqs)
    yield f"{found.severity} {found.code} {found.subject}{times} at {at}{stands}: {found.message}"
    for code, subject, _ in found.because_of:
        yield f"  because of {code} {subject}"
