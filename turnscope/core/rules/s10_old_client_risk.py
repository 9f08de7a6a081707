"""S10 old-client-risk: legal at 1.0, and refused by clients of before.

## What it sees
A call that starts while another's arguments arrive or while a text is open, and a text that opens inside a
call: verifiers took one thing at a time until 0.0.36. An empty piece of text: schemas asked for one character
(Python 0.1.8 to 0.1.15, TypeScript of then). What a subagent does aside: such clients know none. Told
once per thread and kind.

## Why it matters
Nothing is wrong. It is the first place to look when an older client shows an error and a newer one does not.

## Seen in
- agui/12-parallel-interleaved-ok.jsonl (ag-ui-protocol/ag-ui#87, agno-agi/agno#5244)
- agui/13-tool-inside-open-text-ok.jsonl (agno-agi/agno#4378)
- agui/40-empty-delta-ok.jsonl (ag-ui-protocol/ag-ui#734, pydantic/pydantic-ai#2779)
- rules/s10-old-client-risk.jsonl

## Repair
None needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Run, Thread
from . import finding as f

CODE, NAME, SEVERITY = "S10", "old-client-risk", f.INFO
SUBJECT, ASKED = "run", "touched"
REPAIRED_BY: tuple[str, ...] = ()

TOLD = {
    "calls at once": "A call started while the arguments of another were arriving",
    "call in a text": "A call started inside an open text",
    "text in a call": "A text opened while the arguments of a call were arriving",
    "empty text": "An empty piece of text came",
}


def check(thread: Thread, run: Run, now: int) -> Iterable[f.Finding]:
    if not run.risks:
        return ()
    return [
        f.Finding(
            CODE,
            NAME,
            SEVERITY,
            f"#{seq}",
            1,
            (seq,),
            f.PRODUCER,
            "it does what only newer clients take",
            f"{TOLD.get(risk, risk)}: legal, and refused by older clients.",
            "None needed.",
            run.turn,
            run.number,
            fold=risk,
        )
        for risk, seq in run.risks.items()
        if seq == thread.last_seq
    ]
