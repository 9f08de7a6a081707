"""What a person takes away: the history as each target accepts it, beside the original, and the events.

The page is drawn from one reading of the conversation and one repair; what other targets make of it is
worked out while there is time, and asked for afterwards. Counterparts: `mended.py`, which remembers;
`diffpage.py`, which lays the two beside each other.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from django.http import Http404, QueryDict

from turnscope.core import repair
from turnscope.core.repair import Repaired
from turnscope.core.repair.targets import TARGETS, Target
from turnscope.store.models import Finding, Run, Turn

from . import choices, comparing, diffpage, mended, played, show, takeaway
from .choices import Chosen

Dict = dict[str, Any]

BUDGET = 0.3
"""Seconds from its beginning after which a page works out no more verdicts that were not asked for."""
COMPARING = 0.5
"""Seconds it gives to comparing lines."""
SHOWN = 200_000
"""Characters of the messages that a page shows; its files and its copying have all."""
CHANGES = 500
"""Changes that a page lists."""
LINES = 400
"""Lines of the comparison that a page shows; it has a page of its own."""
LINKS = 4
"""Events that one change leads to."""

told, targets = mended.told, mended.targets
_compared: mended.Kept[Dict] = mended.Kept(4)


def settings_of(turn: Turn) -> Dict:
    found: Dict = turn.thread.settings or turn.thread.channel.settings or {}
    return found


def run_of(turn: Turn) -> Run | None:
    """The run to replay: the one that the worst cause is about, else the turn's last."""
    found = Run.objects.filter(thread_id=turn.thread_id, turn=turn.number).order_by("-number")
    rows = Finding.objects.filter(thread_id=turn.thread_id, turn=turn.number, closed_seq=0)
    causes = show.grouped([show.finding(row) for row in rows.order_by("opened_seq", "pk")])
    named = found.filter(number=causes[0]["run"]).first() if causes else None
    return named or found.first()


# ---------------------------------------------------------------- the repaired turn


def repaired(turn: Turn, query: QueryDict) -> Dict:
    """Transcript side, with the comparison, and the stream side as the page plays it."""
    chosen = choices.asked(query, settings_of(turn))
    where = mended.of_turn(turn)
    done = mended.repaired(where, chosen)
    stream = played.played(turn)
    run = stream.get("mended") or getattr(run_of(turn), "pk", 0)
    several = len(replays(turn, "")["runs"]) > 1
    return {
        "target": chosen.target,
        "title": TARGETS[chosen.target].title,
        "policy": chosen.policy,
        "targets": targets(),
        "url": f"/replay/{run}/ag_ui/?repaired=1" if run else "",
        "turn_url": f"/replay/turn/{turn.pk}/ag_ui/?repaired=1" if several else "",
        **told(done, stream),
        "messages": len(done.messages),
        "diff": comparing.compare(mended.transcript(where), done),
        **stream,
    }


# ---------------------------------------------------------------- the page


def head(turn: Turn, chosen: Chosen, base: str) -> Dict:
    """What the page says without reading the conversation: what is in it, its files, its replays."""
    other = {"target": chosen.target, "title": TARGETS[chosen.target].title, "policy": chosen.policy}
    return {
        **other, "query": chosen.query(), "redact": chosen.redact,
        "other_redact": chosen.query(redact=not chosen.redact),
        "about": takeaway.about(turn), "files": takeaway.listed(turn, chosen),
        **replays(turn, base),
        "turn": {"id": turn.pk, "number": turn.number, "title": turn.title},
        "thread": {"id": turn.thread_id, "title": turn.thread.title or turn.thread.name},
        "channel": {"slug": turn.thread.channel.slug},
        "policies": [[name, chosen.query(policy=name)] for name in repair.POLICIES],
        "fields": choices.fields(chosen),
        "roles": [[role, role in (chosen.boundary or ())] for role in choices.ROLES],
        "chosen": bool(chosen.rest or chosen.boundary),
    }  # fmt: skip


def brief(turn: Turn, query: QueryDict, base: str) -> Dict | None:
    """The page without its repair, of a long conversation that was not read yet; None for all others."""
    chosen = choices.asked(query, settings_of(turn))
    where = mended.of_turn(turn, redact=chosen.redact)
    if mended.known(where, chosen):
        return None
    rows = [{**_unknown(name), "known": False, "query": replace(chosen, target=name).query(),
             "current": name == chosen.target} for name in TARGETS]  # fmt: skip
    return {**head(turn, chosen, base), "targets": rows, "unread": turn.thread.last_seq}


def page(turn: Turn, query: QueryDict, base: str) -> Dict:
    """One target in full, and every target's verdict as far as there is time."""
    until = time.monotonic() + BUDGET
    chosen = choices.asked(query, settings_of(turn))
    where = mended.of_turn(turn, redact=chosen.redact)
    done = mended.repaired(where, chosen)
    target = TARGETS[chosen.target]
    text = json.dumps(done.messages, indent=2, ensure_ascii=False, default=str)
    compared = _compared.make((where, chosen), lambda: _beside(where, done))
    blocks, more = _bounded(*diffpage.shown(compared["blocks"], 0, whole=False))
    return {
        **head(turn, chosen, base),
        **told(done, {}),
        "unread": 0,
        "changes": _changes(turn, done, target),
        "blocked": _blocked(done),
        "more_changes": max(len(done.changes) - CHANGES, 0),
        "notes": done.notes,
        "system": done.system,
        "ids": done.ids,
        "asks": {"cancel": bool(done.pending), "cancelled": bool(chosen.cancel)},
        "targets": verdicts(where, chosen, until),
        "messages": text[:SHOWN],
        "size": len(text),
        "cut": len(text) > SHOWN,
        "count": len(done.messages),
        "counts": compared["counts"],
        "blocks": blocks,
        "more": more,
    }


def _bounded(blocks: list[Dict], more: int) -> tuple[list[Dict], int]:
    """The first LINES of them: whatever one message holds, the page stays one."""
    out: list[Dict] = []
    left = LINES
    for block in blocks:
        rows = block.get("rows", [])
        if left <= 0:
            break
        out.append({**block, "rows": rows[:left], "rest": max(len(rows) - left, 0)} if rows else block)
        left -= len(rows)
    return out, more + len(blocks) - len(out)


def _beside(where: mended.Where, done: Repaired) -> Dict:
    return diffpage.compared(mended.transcript(where), done, time.monotonic() + COMPARING)


def verdicts(where: mended.Where, chosen: Chosen, until: float) -> list[Dict]:
    """A row for each target; those that there was no time for say so, and where to ask."""
    rows = []
    for name in TARGETS:
        asked = replace(chosen, target=name)
        own = name == chosen.target
        found = mended.verdict(where, asked, work=own or time.monotonic() < until)
        known = found is not None
        rows.append({**(found or _unknown(name)), "known": known, "query": asked.query(), "current": own})
    return rows


def _unknown(name: str) -> Dict:
    return {
        "name": name, "title": TARGETS[name].title, "sendable": False, "blocked": 0, "pending": 0,
        "changes": 0, "lossy": 0, "word": "not yet worked out", "look": "", "icon": "circle-dot",
        "why": "",
    }  # fmt: skip


def verdict(turn: Turn, query: QueryDict) -> Dict:
    """One row of the table, worked out."""
    chosen = choices.asked(query, settings_of(turn))
    found = mended.verdict(mended.of_turn(turn, redact=chosen.redact), chosen)
    return {**(found or {}), "known": True, "query": chosen.query()}


def _blocked(done: Repaired) -> list[Dict]:
    """What stands in the way, each kind once, with how many more are like it."""
    found: dict[tuple[Any, ...], Dict] = {}
    for blocker in done.blockers:
        kind = (blocker.code, blocker.offers)
        if kind in found:
            found[kind]["more"] += 1
        else:
            found[kind] = {**blocker.as_json(), "more": 0}
    return list(found.values())


def _changes(turn: Turn, done: Repaired, target: Target) -> list[Dict]:
    """Each with its sentence, the rule that asked for it, and links to the events it rests on."""
    some = done.changes[:CHANGES]
    seqs = {seq for change in some for seq in change.seqs[:LINKS]}
    turns = mended.turns_of(turn.thread, seqs)
    out = []
    for number, change in enumerate(some, 1):
        fact = getattr(target, change.rule, None)
        out.append({
            "n": number, **change.as_json(), "kept": change.action == "kept",
            "links": [[seq, turns[seq]] for seq in change.seqs[:LINKS] if seq in turns],
            "source": getattr(fact, "source", ""), "verified": getattr(fact, "verified", "") or "",
        })  # fmt: skip
    return out


def replays(turn: Turn, base: str) -> Dict:
    """The addresses a real client can be pointed at: of each run, and of the turn whole."""
    best = getattr(run_of(turn), "pk", 0)
    rows = Run.objects.filter(thread_id=turn.thread_id, turn=turn.number).order_by("number")
    runs = [
        {"id": pk, "number": number, "name": name, "best": pk == best,
         "url": f"{base}replay/{pk}/ag_ui/?repaired=1"}
        for pk, number, name in rows.values_list("pk", "number", "run_id")
    ]  # fmt: skip
    whole = f"{base}replay/turn/{turn.pk}/ag_ui/?repaired=1" if len(runs) > 1 else ""
    return {"runs": runs, "replay": whole or (runs[0]["url"] if runs else "")}


# ---------------------------------------------------------------- files


def download(turn: Turn, what: str, query: QueryDict) -> tuple[str, str, bytes]:
    """(file name, content type, bytes) of one file of the export page."""
    chosen = choices.asked(query, settings_of(turn))
    if what in takeaway.FILES:
        return takeaway.file(turn, what, chosen)
    if what == "repaired.jsonl":
        lined = [data for _, _, data in played.repaired_events(turn)]
        return f"turn-{turn.pk}-repaired.jsonl", "application/x-ndjson", b"\n".join([*lined, b""])
    if what not in ("transcript.json", "repair.json"):
        raise Http404("There is no such file of a turn.")
    done = mended.repaired(mended.of_turn(turn, redact=chosen.redact), chosen)
    record = what == "repair.json"
    text = json.dumps(done.as_json() if record else done.messages, indent=2, ensure_ascii=False, default=str)
    more = f"{'-repair' if record else ''}{'-redacted' if chosen.redact else ''}"
    name = f"turn-{turn.pk}-{chosen.target}{more}.json"
    return name, "application/json", text.encode("utf-8", "replace")
