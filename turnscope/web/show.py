"""View-models: the plain dicts that pages, their `.json` twins and live patches are made of.

One function per thing; each takes a row (or a Frame) and asks the database nothing, so that a patch of a
thousand calls costs no query. What needs several rows (a call's look needs the thread's standing findings) is
added by `dressed`, here for the page and in `static/js/model.js` for the browser, which holds the rows.
Everything that came from an agent stays raw text in these dicts; it is made harmless where it is drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from turnscope.core import kinds
from turnscope.core.events import Frame
from turnscope.core.thread import ORPHAN, SKIPPED, WAITING
from turnscope.store import models
from turnscope.store.notes import Note, chosen, fingerprint, habitual

from . import words
from .excerpts import excerpt
from .words import STATES

__all__ = ["STATES", "call", "dressed", "finding", "frame", "grouped", "outcome", "run", "thread", "turn"]

PAYLOAD = 300
"""Characters of a frame that one row of the event list shows."""

Dict = dict[str, Any]

_ORDER = {"error": 0, "warning": 1, "info": 2}

# ---------------------------------------------------------------- calls


def call(row: models.Call) -> Dict:
    """One tool call as its row knows it; `dressed` adds what findings say of it."""
    answer = next((a for a in row.answers if not a.get("late")), row.answers[0] if row.answers else None)
    shown = {
        "id": row.pk,
        "number": row.number,
        "call_id": row.call_id,
        "occurrence": row.occurrence,
        "name": row.name,
        "turn": row.turn,
        "run": row.run,
        "plane": row.plane,
        "state": row.state,
        "reason": row.reason,
        "owner": row.owner,
        "owner_source": row.owner_source,
        "owner_reason": row.owner_reason,
        "limit_ms": row.limit_ms,
        "start_seq": row.start_seq,
        "end_seq": row.end_seq,
        "closed_seq": row.closed_seq,
        "start_at": row.start_at,
        "end_at": row.end_at,
        "closed_at": row.closed_at,
        "args": row.args_excerpt,
        "args_length": row.args_length,
        "args_verdict": row.args_verdict,
        "answers": row.answers,
        "answer_seq": answer["seq"] if answer else 0,
        "answer_at": answer["at"] if answer else 0,
        "changed": row.changed_at_seq,
    }
    return dressed(shown, ())


def dressed(shown: Dict, mine: Sequence[Dict]) -> Dict:
    """The call with its look, note and codes, given its own findings: of what explains what, the causes.

    As it stands: how it stood at an earlier seq is worked out where it is replayed (`static/js/model.js`).
    """
    standing = [f for f in mine if not f["closed_seq"]]
    look = words.look(shown["state"], shown["owner"], hanging=any(f["code"] == "C01" for f in standing))
    codes = sorted({(_ORDER.get(f["severity"], 3), f["code"]) for f in standing})
    roots = {f["code"] for f in standing if not f["because_of"]}
    return {
        **shown,
        "look": look,
        "word": STATES[look].word,
        "icon": STATES[look].icon,
        "owner_icon": words.OWNERS.get(shown["owner"], "circle-question-mark"),
        "owner_line": look in ("hanging", "unanswered", "orphan", "wait"),
        "codes": [code for _, code in codes if code in roots][:3] or [code for _, code in codes][:1],
        "seqs": _seqs(shown),
        "note": _note(shown, look),
    }


def dressed_all(calls: Iterable[Dict], findings: Iterable[Dict]) -> list[Dict]:
    """Calls of a thread, each dressed with its findings."""
    of: dict[int, list[Dict]] = {}
    for found in findings:
        of.setdefault(found["call"], []).append(found)
    return [dressed(call, of.get(call["number"], ())) for call in calls]


def _seqs(shown: Dict) -> list[int]:
    """Where to look: its start, the end of its arguments when nothing answered, else the answer."""
    last = shown["answer_seq"] or shown["closed_seq"] or shown["end_seq"]
    return list(dict.fromkeys(seq for seq in (shown["start_seq"], last) if seq))


_BAD_ARGS = ("cut", "two documents", "not an object", "not JSON", "fragment after the end")


def _note(shown: Dict, look: str) -> str:
    """A few words beside the duration: what decides about this call."""
    answer = next((a for a in shown["answers"] if a["seq"] == shown["answer_seq"]), None)
    if shown["args_verdict"] in _BAD_ARGS:
        return f"arguments: {shown['args_verdict']}"
    if look == "streaming":
        return words.plural(shown["args_length"], "character")
    if look in ("running", "hanging", "client", "job"):
        return f"limit {words.short(shown['limit_ms'])}" if shown["limit_ms"] else "no limit"
    if look == "failed" and answer:
        return words.said(answer["excerpt"])
    if look in ("ok", "settled") and answer:
        plane = "" if answer["plane"] == "stream" else f", by {answer['source']}"
        return words.size(answer["length"]) + plane
    if look == ORPHAN:
        return "result only"
    if look == "unanswered" and shown["end_at"] and shown["closed_at"] > shown["end_at"]:
        return f"no answer for {words.short(shown['closed_at'] - shown['end_at'])}"
    return shown["reason"]


# ---------------------------------------------------------------- runs, turns, threads


def outcome(state: str, *, codes: Iterable[str] = (), unanswered: int = 0, headline: str = "") -> Dict:
    """What became of a turn or run, in one word; findings make a clean finish less clean.

    A turn's headline knows them: what it begins with is the word in lists, on the page and in patches.
    """
    if told := words.told(headline):
        state = told
    elif state == "finished":
        found = set(codes)
        better = "unanswered" if unanswered else state
        state = "early" if "C03" in found else "silent" if "R04" in found else better
    word, look, icon = words.OUTCOMES.get(state, (state.capitalize() or "Unknown", "wait", "circle-dot"))
    return {"word": word, "look": look, "icon": icon}


def grave(findings: Iterable[Dict]) -> list[str]:
    """Codes of errors that stand: what an outcome is judged by."""
    return [f["code"] for f in findings if f["severity"] == "error" and not f["closed_seq"]]


def run(row: models.Run) -> Dict:
    return {
        "id": row.pk,
        "number": row.number,
        "turn": row.turn,
        "run_id": row.run_id,
        "state": row.state,
        "outcome": outcome(row.state),
        "said": row.outcome,
        "error": row.error,
        "error_code": row.error_code,
        "inferred": row.inferred,
        "start_seq": row.start_seq,
        "end_seq": row.end_seq,
        "last_seq": row.last_seq,
        "start_at": row.start_at,
        "end_at": row.end_at,
        "last_at": row.last_at,
        "started": row.started,
        "ended": row.ended,
        "results": row.results,
        "changed": row.changed_at_seq,
    }


def turn(row: models.Turn) -> Dict:
    """One turn, with its ledger. `thread` is the thread's id, for links and for sorting patches."""
    live = row.state in ("open", "hanging")
    became = outcome(row.state, unanswered=row.open - row.waiting, headline=row.headline)
    return {
        "id": row.pk,
        "thread": row.thread_id,
        "number": row.number,
        "title": row.title,
        "inferred": row.inferred,
        "state": row.state,
        "outcome": became,
        "live": live,
        "headline": row.headline,
        "severity": row.severity,
        "errors": row.errors,
        "warnings": row.warnings,
        "started": row.started,
        "ended": row.ended,
        "answered": row.answered,
        "open": row.open,
        "open_look": words.open_look(became["look"], waits=row.waiting >= row.open, live=live),
        "waiting": row.waiting,
        "failed": row.failed,
        "oldest_at": row.oldest_at,
        "first_seq": row.first_seq,
        "last_seq": row.last_seq,
        "events": max(row.last_seq - row.first_seq + 1, 0),
        "started_at": row.started_at,
        "last_at": row.last_at,
        "elapsed": words.duration(row.last_at - row.started_at) if row.started_at and row.last_at else "",
        "changed": row.changed_at_seq,
    }


def thread(row: models.Thread) -> Dict:
    return {
        "id": row.pk,
        "name": row.name,
        "title": row.title or row.name or f"Thread {row.pk}",
        "last_seq": row.last_seq,
        "started_at": row.started_at,
        "last_at": row.last_at,
        "live": row.live,
        "change": row.change,
    }


# ---------------------------------------------------------------- findings


def finding(row: models.Finding) -> Dict:
    return {
        "id": row.pk,
        "code": row.code,
        "name": row.name,
        "title": row.name.replace("-", " ").capitalize(),
        "severity": row.severity,
        "icon": words.SEVERITIES.get(row.severity, "info"),
        "subject": row.subject,
        "occurrence": row.occurrence,
        "culprit": row.culprit,
        "culprit_reason": row.culprit_reason,
        "message": row.message,
        "repair": row.repair,
        "seqs": row.seqs,
        "because_of": row.because_of,
        "turn": row.turn,
        "run": row.run,
        "call": row.call,
        "count": row.count,
        "opened_seq": row.opened_seq,
        "closed_seq": row.closed_seq,
        "changed": row.changed_at_seq,
        "muted": row.muted,
        "habit": False,
    }


def findings(
    rows: Iterable[models.Finding], settings: Dict, habits: Mapping[str, Note] = MappingProxyType({})
) -> list[Dict]:
    """Findings as their channel takes them, by its settings: its severities, and why one is muted.

    `habits`, by fingerprint: what its producer does in run after run is told on the channel, and not counted.
    """
    rows = list(rows)
    choice = chosen(settings, rows)
    shown = [finding(row) for row in rows]
    for row, item in zip(rows, shown, strict=True):
        note = habits.get(fingerprint(row)) if habits and habitual(row) else None
        if note is not None:
            item["muted"], item["habit"] = f"{note.runs} of the last {note.of} runs of its channel", True
        if item["id"] in choice:
            # What a person chose of it counts more than how often it comes.
            item["severity"], item["muted"], item["habit"] = *choice[item["id"]], False
            item["icon"] = words.SEVERITIES.get(item["severity"], "info")
    return shown


def _key(shown: Dict) -> tuple[str, str, int]:
    return (shown["code"], shown["subject"], shown["occurrence"])


def grouped(findings: Sequence[Dict]) -> list[Dict]:
    """Roots, worst first, each with `explains`: what would not be there without it. Closed ones come last.

    `worst` is of what counts: what is muted does not, and a group of which nothing counts has "".
    """
    by_key = {_key(f): f for f in findings}
    groups: dict[tuple[str, str, int], Dict] = {}

    def root(shown: Dict) -> Dict:
        seen: set[tuple[str, str, int]] = set()
        while shown["because_of"] and _key(shown) not in seen:
            seen.add(_key(shown))
            above = next((by_key[k] for cause in shown["because_of"] if (k := _key(cause)) in by_key), None)
            if above is None:
                break
            shown = above
        return shown

    for shown in findings:
        top = root(shown)
        worst = "" if top.get("muted") else top["severity"]
        group = groups.setdefault(_key(top), {**top, "explains": [], "worst": worst})
        if shown is not top:
            group["explains"].append(shown)
            if not shown.get("muted") and _ORDER.get(shown["severity"], 3) < _ORDER.get(group["worst"], 3):
                group["worst"] = shown["severity"]

    def order(group: Dict) -> tuple[bool, int, bool, int]:
        late = group["code"] in ("R04", "T01")
        return (bool(group["closed_seq"]), _ORDER.get(group["worst"], 3), late, group["opened_seq"])

    return sorted(groups.values(), key=order)


def worst_first(calls: Iterable[Dict]) -> list[Dict]:
    """Cards in the order a person should read them; within a state the newest first."""
    return sorted(calls, key=lambda c: (STATES[c["look"]].rank, -c["start_seq"], -c["number"]))


def answered(shown: Dict) -> bool:
    return any(not a.get("late") for a in shown["answers"])


def ledger(calls: Sequence[Dict]) -> Dict:
    """The ledger bar: counts, and one slot per call in start order."""
    known = [c for c in calls if c["plane"] == "stream" and c["look"] != ORPHAN]
    done = [c for c in known if answered(c)]
    opened = [c for c in known if not answered(c)]
    failed = sum(1 for c in done if c["look"] == "failed")
    denied = sum(1 for c in done if c["look"] == "denied")
    parts = [f"{failed} failed" if failed else "", f"{denied} denied" if denied else ""]
    worst = worst_first(opened)
    waits = [c for c in opened if c["state"] in (WAITING, "running", "streaming")]
    return {
        "started": len(known),
        "ended": sum(1 for c in known if c["end_seq"]),
        "answered": len(done),
        "open": len(opened),
        "detail": " · ".join(part for part in parts if part),
        "oldest_at": min((c["start_at"] for c in opened if c["start_at"]), default=0),
        "nobody": bool(opened) and not waits,
        "look": worst[0]["look"] if worst else SKIPPED,
        "slots": [{"look": c["look"] if answered(c) else "no", "number": c["number"]} for c in known],
        "open_slots": [c["look"] for c in worst],
    }


# ---------------------------------------------------------------- frames

_ICONS = (
    ("TOOL_CALL_START", "play"), ("TOOL_CALL_ARGS", "pen-line"), ("TOOL_CALL_CHUNK", "pen-line"),
    ("TOOL_CALL_END", "check"), ("TOOL_CALL_RESULT", "check-check"), ("RUN_", "flag"), ("STEP_", "activity"),
    ("TEXT_", "message-square-text"), ("REASONING_", "brain"), ("THINKING_", "brain"), ("STATE_", "braces"),
    ("MESSAGES_", "history"), ("ACTIVITY_", "activity"), ("SUBAGENT_", "bot"), ("CUSTOM", "radio"),
    ("RAW", "file-text"), ("INPUT", "inbox"), ("UNREADABLE", "octagon-x"),
    ("UNKNOWN", "circle-question-mark"),
)  # fmt: skip

_CALL_ID = re.compile(r'"(?:toolCallId|tool_call_id)"\s*:\s*("(?:[^"\\]|\\.){1,300}")')


def frame(row: Frame) -> Dict:
    """One line of the event list. The payload is a piece of the raw text (`excerpts.py`)."""
    kind = kinds.NAMES.get(row.kind, "UNKNOWN")
    mark = row.kind >= kinds.MARK or kind == "BLANK"
    text = row.raw[: PAYLOAD * 4].decode("utf-8", "replace").strip()
    return {
        "seq": row.seq,
        "at": row.at,
        "kind": kind,
        "mark": mark,
        "icon": "bookmark" if mark else next((i for k, i in _ICONS if kind.startswith(k)), "circle-dot"),
        "call": "" if mark else call_id(row),
        "payload": text[:PAYLOAD] if mark else excerpt(text)[:PAYLOAD],
        "bytes": len(row.raw),
    }


def call_id(row: Frame) -> str:
    """The id of the call that a frame names; "" for none. Of a large frame only its ends are read."""
    found = _CALL_ID.search(row.raw[: PAYLOAD * 4].decode("utf-8", "replace"))
    if found is None and len(row.raw) > PAYLOAD * 4:
        found = _CALL_ID.search(row.raw[-PAYLOAD * 2 :].decode("utf-8", "replace"))
    return _unquoted(found[1]) if found else ""


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text.strip('"')
