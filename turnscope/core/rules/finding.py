"""A finding: one place where something is wrong, with its evidence, its culprit and its sentence.

Rules make them (one module each beside this one), `judge.py` opens, changes and closes them, and
`causes.py` says which explain which. Values for every face: pages, JSON, commands, tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .. import states
from ..thread import Call, Run

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""Worst first."""
WEIGHT = {severity: weight for weight, severity in enumerate(SEVERITIES)}

# Culprits: whose doing it is, as far as the evidence goes.
MODEL, SERVER_TOOL, CLIENT, PERSON = "model", "server tool", "client", "person"
HARNESS, ADAPTER, NETWORK, PRODUCER, UNKNOWN = "harness", "adapter", "network", "producer", "unknown"
CULPRITS = (MODEL, SERVER_TOOL, CLIENT, PERSON, HARNESS, ADAPTER, NETWORK, PRODUCER, UNKNOWN)

STREAM, TRANSCRIPT = "stream", "transcript"
"""What a repair can mend: the live plane, the history (`REPAIRED_BY` of a rule)."""

RULE_FAILED = "S99"
"""The code of a finding about a rule that raised: a turn must never look fine because we failed to look."""

SHOWN = 60
"""Longest name in a sentence, in characters."""

Key: TypeAlias = tuple[str, str, int]
"""(code, subject, occurrence)"""


@dataclass(slots=True)
class Finding:
    """One place where a rule sees something wrong."""

    code: str
    name: str
    severity: str
    subject: str
    """The producer's call id, else run id, else thread id, else `#seq`."""
    occurrence: int
    seqs: tuple[int, ...]
    """The evidence, oldest first; at most eight."""
    culprit: str
    culprit_reason: str
    message: str
    """One plain sentence with names and numbers (a second one where a reader needs it)."""
    repair: str
    """What mends it, or why nothing can."""
    turn: int = 0
    run: int = 0
    call: int = 0
    """Numbers in the picture; 0: none."""
    because_of: tuple[Key, ...] = ()
    """The standing findings that explain it; () for a root."""
    count: int = 1
    """How many places a folded finding stands for."""
    opened_seq: int = 0
    closed_seq: int = 0
    """0: it stands."""
    changed: int = 0
    """The seq at which it last changed."""
    fold: str = ""
    """Findings of a code with the same `fold` are told once per thread, with a count; "": each by itself."""

    @property
    def key(self) -> Key:
        return (self.code, self.subject, self.occurrence)

    @property
    def stands(self) -> bool:
        return not self.closed_seq

    @property
    def root(self) -> bool:
        """Whether nothing explains it: badges, verdicts, alerts and exit codes count these."""
        return not self.because_of


def worst(severities: Iterable[str]) -> str:
    """The worst of some severities; "" for none."""
    return min(severities, key=lambda severity: WEIGHT.get(severity, len(WEIGHT)), default="")


# ---------------------------------------------------------------- who a finding is about


def of_call(
    rule: tuple[str, str],
    call: Call,
    severity: str,
    message: str,
    *,
    seqs: Iterable[int],
    culprit: tuple[str, str],
    repair: str,
    run: int = 0,
    fold: str = "",
) -> Finding:
    """A finding about a call. `rule` is (CODE, NAME), `culprit` is (who, why)."""
    return Finding(
        rule[0],
        rule[1],
        severity,
        call.id,
        call.occurrence,
        evidence(seqs),
        culprit[0],
        culprit[1],
        message,
        repair,
        call.turn,
        run or call.run,
        call.number,
        fold=fold,
    )


def of_run(
    rule: tuple[str, str],
    run: Run,
    severity: str,
    message: str,
    *,
    seqs: Iterable[int],
    culprit: tuple[str, str],
    repair: str,
    call: int = 0,
    fold: str = "",
) -> Finding:
    """A finding about a run."""
    return Finding(
        rule[0],
        rule[1],
        severity,
        run_subject(run),
        run.occurrence,
        evidence(seqs),
        culprit[0],
        culprit[1],
        message,
        repair,
        run.turn,
        run.number,
        call,
        fold=fold,
    )


def of_rule(code: str, error: Exception, seq: int, turn: int) -> Finding:
    """A finding about a rule of ours that raised."""
    told = f"Rule {code} raised {type(error).__name__}. Its verdicts are missing; please report it."
    return Finding(
        RULE_FAILED,
        "rule-failed",
        WARNING,
        code,
        1,
        (seq,),
        UNKNOWN,
        "a rule of Turnscope's own raised",
        told,
        "None: the fault is ours.",
        turn,
    )


def differs(known: Finding, told: Finding) -> bool:
    """Whether a verdict says something else than the one before it."""
    return (
        known.severity != told.severity
        or known.message != told.message
        or known.seqs != told.seqs
        or known.culprit != told.culprit
        or known.count != told.count
        or known.call != told.call
        or known.culprit_reason != told.culprit_reason
        or known.turn != told.turn
    )


def run_subject(run: Run) -> str:
    """The producer's run id; for a run nobody named, its number."""
    return run.id or f"run {run.number}"


def evidence(seqs: Iterable[int]) -> tuple[int, ...]:
    """Seqs in order, each once, the unknown ones (0) left out, at most eight."""
    return tuple(sorted({seq for seq in seqs if seq > 0})[:8])


# ---------------------------------------------------------------- words of sentences


def shown(text: str, limit: int = SHOWN) -> str:
    """A producer's text for a sentence: one line, cut. It stays hostile: escape it where it is shown."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def named(call: Call) -> str:
    """How a sentence calls a call: its tool's name, else its id."""
    return shown(call.name) or shown(call.id) or "a call without a name"


def seconds(ms: int) -> str:
    """A span for a person: 0.8 s, 10.71 s, 5 s, 3 min 20 s, 2 h 5 min."""
    if ms < 60_000:
        return f"{ms / 1000:.2f}".rstrip("0").rstrip(".") + " s"
    minutes, rest = divmod(ms // 1000, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def size(count: int) -> str:
    """Bytes for a person: 300 bytes, 12 KiB, 3.4 MiB."""
    if count < 1024:
        return many(count, "byte")
    if count < 1024 * 1024:
        return f"{count / 1024:.0f} KiB"
    return f"{count / (1024 * 1024):.1f} MiB"


def many(count: int, one: str, more: str = "") -> str:
    """1 call, 3 calls."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def tally(names: Iterable[str]) -> str:
    """Names, each once, with how often: save (2 times) and load."""
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return listed(name if count == 1 else f"{name} ({count} times)" for name, count in found.items())


def listed(names: Iterable[str], limit: int = 4) -> str:
    """Names in a sentence: a, b and c; a, b, c, d and 9 more."""
    all_ = list(names)
    head = all_[:limit] if len(all_) > limit + 1 else all_
    if len(head) < len(all_):
        return ", ".join(head) + f" and {len(all_) - len(head)} more"
    return " and ".join([", ".join(head[:-1]), head[-1]]) if len(head) > 1 else "".join(head)


OWED = {
    states.SERVER: "the server", states.HARNESS: "the harness", states.PROVIDER: "the model's provider",
    states.CLIENT: "the browser", states.PERSON: "a person", states.BACKGROUND: "a job",
}  # fmt: skip
"""Who owed an answer, in a sentence; nobody is named whose owner is unknown."""


def owed(calls: Sequence[Call]) -> str:
    """Calls in a sentence with who owed their answers, where something says it."""
    owners = {OWED.get(call.owner) for call in calls}
    if len(owners) == 1:
        (who,) = owners
        return listed(map(named, calls)) + (f", which {who} owed" if who else "")
    return listed(
        named(call) + (f" ({OWED[call.owner]} owed it)" if call.owner in OWED else "") for call in calls
    )
