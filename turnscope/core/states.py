"""The words for states and owners, as in code, JSON, CSS and docs (design, section 3)."""

from __future__ import annotations

# States of a call (design: words). `hanging` is a live judgement, never a stored state.
STREAMING, RUNNING, WAITING = "streaming", "running", "waiting"
OK, FAILED, DENIED, SKIPPED = "ok", "failed", "denied", "skipped"
ABORTED, UNANSWERED, SETTLED = "aborted", "unanswered", "settled"
ORPHAN = "orphan"
CALL_STATES = (
    STREAMING, RUNNING, WAITING, OK, FAILED, DENIED, SKIPPED, ABORTED, UNANSWERED, SETTLED, ORPHAN,
)  # fmt: skip
ANSWERED_STATES = (OK, FAILED, DENIED, SKIPPED, SETTLED)

# Owners: who owes the answer.
SERVER, CLIENT, PERSON, HARNESS = "server", "client", "person", "harness"
PROVIDER, BACKGROUND, UNKNOWN = "provider", "background", "unknown"
OWNERS = (SERVER, CLIENT, PERSON, HARNESS, PROVIDER, BACKGROUND, UNKNOWN)

# States of a run.
RUN_OPEN, RUN_FINISHED, RUN_FAILED = "open", "finished", "failed"
RUN_INTERRUPTED, RUN_CANCELLED, RUN_TRUNCATED = "interrupted", "cancelled", "truncated"
RUN_STATES = (RUN_OPEN, RUN_FINISHED, RUN_FAILED, RUN_INTERRUPTED, RUN_CANCELLED, RUN_TRUNCATED)
