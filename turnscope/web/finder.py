"""The find box: any id, or a pasted error, leads to the call, run or thread it speaks of.

Look-ups go by digest, so that they are exact, quick and indifferent to what an id looks like. A text that
holds no known id is looked for in titles, tool names and findings.
"""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q

from turnscope.store.models import Call, Finding, Run, Thread, Turn
from turnscope.store.text import digest, shown

from . import show, words

Dict = dict[str, Any]

MOST = 50
"""Results of a kind."""
TOKENS = 300
"""Words of a pasted text that are tried as ids."""

_QUOTED = re.compile(r"""["'`“‘]([^"'`”’\n]{2,300})["'`”’]""")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:|/+=\-]{2,299}")


def tokens(text: str) -> list[str]:
    """What in a text may be an id, most likely first: all of it, what is quoted, its words."""
    found = [text.strip(), *(_QUOTED.findall(text)), *(word.rstrip(".:,") for word in _WORD.findall(text))]
    return [token for token in dict.fromkeys(found) if token][:TOKENS]


def find(query: str) -> Dict:
    """`{query, calls, runs, threads, turns, findings, only}`; `only` is the one place it can mean, or ""."""
    model: Dict = {
        "query": query, "calls": [], "runs": [], "threads": [], "turns": [], "findings": [], "only": ""
    }  # fmt: skip
    query = query.replace("\0", "")  # no text of a database holds one
    tried = tokens(query)
    if not tried:
        return model
    keys = [digest(word) for word in tried]
    calls = Call.objects.filter(call_key__in=keys).select_related("thread__channel").order_by("-pk")[:MOST]
    model["calls"] = [_call(row) for row in calls]
    runs = Run.objects.filter(run_key__in=keys).select_related("thread__channel").order_by("-pk")[:MOST]
    model["runs"] = [_run(row) for row in runs]
    named = [shown(word) for word in tried]
    threads = Thread.objects.filter(name__in=named).select_related("channel").order_by("-pk")[:MOST]
    model["threads"] = [_thread(row) for row in threads]
    for kind in ("calls", "runs", "threads"):
        if len(model[kind]) == 1:
            model["only"] = model[kind][0]["url"]
        if model[kind]:
            return model
    _by_words(query.strip(), model)
    return model


def _by_words(text: str, model: Dict) -> None:
    if not 2 <= len(text) <= 200:
        return
    turns = Turn.objects.filter(Q(title__icontains=text) | Q(headline__icontains=text))
    model["turns"] = [_turn(row) for row in turns.select_related("thread__channel").order_by("-pk")[:MOST]]
    calls = Call.objects.filter(Q(name__icontains=text) | Q(call_id__icontains=text))
    model["calls"] = [_call(row) for row in calls.select_related("thread__channel").order_by("-pk")[:MOST]]
    found = Finding.objects.filter(Q(message__icontains=text) | Q(code__iexact=text), because_of=[])
    model["findings"] = [
        {"code": row.code, "message": row.message, "severity": row.severity, "where": _where(row.thread),
         "url": _turn_url(row.thread_id, row.turn, f"?event={row.seqs[0]}" if row.seqs else "")}
        for row in found.select_related("thread__channel").order_by("-pk")[:MOST]
    ]  # fmt: skip


def _where(thread: Thread) -> str:
    return f"{thread.channel.slug} · {thread.title or thread.name}"


def _turn_url(thread: int, number: int, more: str = "") -> str:
    pk = Turn.objects.filter(thread_id=thread, number=number).values_list("pk", flat=True).first()
    return f"/turns/{pk}/{more}" if pk else f"/threads/{thread}/"


def _call(row: Call) -> Dict:
    answered = row.answers[0]["seq"] if row.answers else 0
    seq = row.start_seq or answered
    more = f"?call={row.number}&event={seq}" if seq else f"?call={row.number}"
    look = words.look(row.state, row.owner)
    about = words.STATES[look]
    return {
        "name": row.name, "id": row.call_id, "state": row.state, "owner": row.owner, "look": look,
        "word": about.word, "icon": about.icon,
        "where": _where(row.thread), "url": _turn_url(row.thread_id, row.turn, more),
    }  # fmt: skip


def _run(row: Run) -> Dict:
    return {"id": row.run_id, "state": row.state, "outcome": show.outcome(row.state),
            "where": _where(row.thread),
            "url": _turn_url(row.thread_id, row.turn, f"?event={row.start_seq}")}  # fmt: skip


def _thread(row: Thread) -> Dict:
    return {"id": row.name, "where": _where(row), "url": f"/threads/{row.pk}/"}


def _turn(row: Turn) -> Dict:
    return {"title": row.title, "headline": show.turn(row)["headline"], "number": row.number,
            "where": _where(row.thread), "url": f"/turns/{row.pk}/"}  # fmt: skip
