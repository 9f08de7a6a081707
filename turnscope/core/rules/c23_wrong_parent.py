"""C23 wrong-parent: a call names a parent message that is not an assistant's, or that nobody sent.

## What it sees
A `parentMessageId` of a message with another role; or of an unknown one, although the run already has an
assistant message. An id that a call uses first opens its own message: that is normal. Told once per thread.

## Why it matters
The official client makes an empty assistant message of it, and the call is shown apart from its text.

## Seen in
- agui/49-phantom-parent.jsonl (datarobot-oss/datarobot-genai#335)
- rules/c23-wrong-parent.jsonl

## Repair
Stream: the call is hung on the run's own assistant message.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..thread import Call, Thread
from . import finding as f

CODE, NAME, SEVERITY = "C23", "wrong-parent", f.INFO
SUBJECT, ASKED = "call", "touched"
REPAIRED_BY = (f.STREAM,)


def check(thread: Thread, call: Call, now: int) -> Iterable[f.Finding]:
    if not call.wrong_parent:
        return ()
    unknown = call.wrong_parent == "unknown"
    what = "which nobody sent" if unknown else f"a message of the {f.shown(call.wrong_parent)}'s"
    return (
        f.of_call(
            (CODE, NAME),
            call,
            SEVERITY,
            f"{f.named(call)} names a parent message, {f.shown(call.parent or '')}, {what}.",
            seqs=(call.start_seq,),
            culprit=(f.ADAPTER, "it names the messages of its calls in a way of its own"),
            repair="The call is hung on the run's own assistant message.",
            fold="unknown" if unknown else "role",
        ),
    )
