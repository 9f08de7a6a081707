"""R10 unclosed-part: text, reasoning, a step or a subagent was still open when the run finished.

## What it sees
Once, when a run finishes: every text, reasoning, step and subagent without its end; and a step that was
closed under another owner than the one that opened it. A call without its END is C14.

## Why it matters
The official client throws at RUN_FINISHED, at the very last event of an otherwise good run.

## Seen in
- agui/32-step-open-at-finish.jsonl (LibreChat-AI/agents#417)
- agui/37-subagent-never-finished.jsonl
- rules/r10-unclosed-part.jsonl

## Repair
Stream: each is closed, innermost first, before the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..thread import RUN_FINISHED, RUN_INTERRUPTED, Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "R10", "unclosed-part", f.ERROR
SUBJECT, ASKED = "run", "ended"
REPAIRED_BY = (f.STREAM,)
LOOKED_AT = 1000
"""How many troubles are searched for a wrong owner."""


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if run.state not in (RUN_FINISHED, RUN_INTERRUPTED):
        return ()
    parts = [f"{kind} {f.shown(name.removeprefix('span:'))}".rstrip() for kind, name, _ in run.left_open]
    troubles = islice(run.troubles.values(), LOOKED_AT)
    other = next((one for one in troubles if one.kind == "closed-by-other"), None)
    told, seqs = "", [seq for _, _, seq in run.left_open[:6]]
    if parts:
        told = f"Run {f.run_subject(run)} finished with {f.listed(parts)} still open. "
    if other is not None:
        told += f"Step {f.shown(other.about)} was closed under another owner than the one that opened it."
        seqs.append(other.seq)
    return (_found(run, told.rstrip(), (*seqs, run.end_seq)),) if told else ()


def _found(run: Run, told: str, seqs: Iterable[int]) -> f.Finding:
    return f.of_run(
        (CODE, NAME),
        run,
        SEVERITY,
        told,
        seqs=seqs,
        culprit=(f.PRODUCER, "it finished the run without closing what it had opened"),
        repair="Each is closed before the terminal.",
    )
