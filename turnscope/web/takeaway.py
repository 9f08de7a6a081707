"""What leaves with a person: a turn's stream, its conversation to read, or all of it in one archive.

Each file is there with its values, or without them (`core/redact.py`). The page to read is one file without a
script, and says so to the browser: whatever an agent emitted is text in it. Counterparts: `export.py`, whose
page lists them, and `turnscope export`, which writes the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from django.db.models import Sum
from django.db.models.functions import Length
from django.template.loader import render_to_string

from turnscope import __version__
from turnscope.core.redact import Redactor
from turnscope.core.repair.transcript import CALL, REASONING, RESULT, TEXT, Message
from turnscope.store import reading
from turnscope.store.files import STREAM
from turnscope.store.models import Finding, Segment, Turn

from . import hidden, mended, words
from .choices import Chosen

Dict = dict[str, Any]

FILES: dict[str, tuple[str, str, str]] = {
    "frames.jsonl": ("jsonl", "application/x-ndjson", "This turn's frames, one a line"),
    "bundle.zip": ("zip", "application/zip", "All of it: stream, transcript, findings, to read"),
    "turn.md": ("md", "text/markdown; charset=utf-8", "To read, as Markdown"),
    "turn.html": ("html", "text/html; charset=utf-8", "To read, as one page without scripts"),
}
"""What a turn can be taken away as: the end of its name, its type, what it is."""
SETTINGS = ("owners", "limits", "preset", "target", "policy", "client")
"""Of a channel's settings, those by which a stream is judged."""


def name(turn: Turn, what: str, *, redact: bool) -> str:
    return f"turn-{turn.pk}{'-redacted' if redact else ''}.{FILES[what][0]}"


def file(turn: Turn, what: str, chosen: Chosen) -> tuple[str, str, bytes]:
    """(file name, content type, bytes)."""
    if what == "frames.jsonl":
        body = b"\n".join([*lines(turn, redact=chosen.redact), b""])
    elif what == "bundle.zip":
        body = bundle(turn, chosen)
    else:
        text = markdown(turn, chosen) if what == "turn.md" else page(turn, chosen)
        body = text.encode("utf-8", "backslashreplace")
    return name(turn, what, redact=chosen.redact), FILES[what][1], body


# ---------------------------------------------------------------- what is in it


def about(turn: Turn) -> Dict:
    """How much there is, without unpacking any of it."""
    rows = Segment.objects.filter(thread_id=turn.thread_id, first_seq__lte=turn.last_seq)
    inside = rows.filter(last_seq__gte=turn.first_seq)
    found = inside.aggregate(raw=Sum("raw_bytes"), packed=Sum(Length("body")))
    edges = inside.order_by("first_seq").values_list("first_seq", flat=True).first() or turn.first_seq
    ends = inside.order_by("-last_seq").values_list("last_seq", flat=True).first() or turn.last_seq
    events = turn.last_seq - turn.first_seq + 1
    part = min(events / max(ends - edges + 1, 1), 1.0)  # segments may hold neighbours' frames, too
    # Beside the stream a bundle holds the conversation, several times: packed about as large as its frames.
    whole = Segment.objects.filter(thread_id=turn.thread_id).aggregate(packed=Sum(Length("body")))["packed"]
    return {
        "events": events,
        "calls": turn.started,
        "findings": _findings(turn).count(),
        "bytes": round((found["raw"] or 0) * part),
        "packed": round((found["packed"] or 0) * part + (whole or 0)) + 2_000,
        "conversation": turn.thread.last_seq,
    }


def listed(turn: Turn, chosen: Chosen) -> list[Dict]:
    """The files with what each is, about how large, and where."""
    told = about(turn)
    most = {"frames.jsonl": told["bytes"], "bundle.zip": told["packed"]}
    return [
        {"name": what, "says": says, "size": most.get(what, 0),
         "url": f"/turns/{turn.pk}/download/{what}?{chosen.query()}"}
        for what, (_, _, says) in FILES.items()
    ]  # fmt: skip


def lines(turn: Turn, *, redact: bool = False) -> Iterator[bytes]:
    """The turn's frames as they arrived, one a line; or each as JSON without its values."""
    redactors: dict[int, Redactor] = {}
    for frame in reading.read(turn.thread_id, turn.first_seq - 1, turn.last_seq):
        if not frame.n:
            continue
        line = frame.raw.strip(b"\r\n")
        if redact:
            line = redactors.setdefault(frame.stream, Redactor()).frame(frame.raw)
        if line or not redact:
            yield line


def _findings(turn: Turn) -> Any:
    rows = Finding.objects.filter(thread_id=turn.thread_id, turn=turn.number, closed_seq=0)
    return rows.order_by("opened_seq", "pk")


def findings(turn: Turn, *, redact: bool = False) -> list[Dict]:
    """The findings that stand. Their sentences may quote what was said: without values they are left out."""
    out = []
    for row in _findings(turn):
        said = {} if redact else {"message": row.message, "culprit_reason": row.culprit_reason}
        out.append({
            "code": row.code, "name": row.name, "severity": row.severity, "subject": row.subject,
            "occurrence": row.occurrence, "seqs": row.seqs, "culprit": row.culprit, **said,
            "because_of": row.because_of, "muted": bool(row.muted) if redact else row.muted,
        })  # fmt: skip
    return out


def model(turn: Turn, chosen: Chosen) -> Dict:
    """What the files to read say."""
    redact = chosen.redact
    read = mended.transcript(mended.of_turn(turn, redact=redact))
    became = "" if redact else turn.headline
    return {
        "title": f"Turn {turn.number}" if redact else turn.title or f"Turn {turn.number}",
        "number": turn.number, "channel": turn.thread.channel.slug, "thread": turn.thread.name,
        "headline": became or turn.state, "redacted": redact, "version": __version__,
        "took": words.duration(turn.last_at - turn.started_at) if turn.started_at and turn.last_at else "",
        "counts": [(one, getattr(turn, one)) for one in ("started", "ended", "answered", "open")],
        "findings": findings(turn, redact=redact),
        "messages": [_message(message) for message in read.messages],
    }  # fmt: skip


def _message(message: Message) -> Dict:
    parts = []
    for part in message.parts:
        value = part.text if part.kind in (TEXT, REASONING) or part.value is None else part.value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        said = {CALL: f"calls {part.name}", RESULT: "result"}.get(part.kind, part.kind)
        parts.append({"said": said, "id": part.id or "", "text": text, "error": part.error})
    return {"role": message.role or "unknown", "parts": parts}


# ---------------------------------------------------------------- to read


def page(turn: Turn, chosen: Chosen) -> str:
    """One HTML file that loads nothing and runs nothing."""
    return render_to_string("takeaway.html", model(turn, chosen))


def markdown(turn: Turn, chosen: Chosen) -> str:
    """The same as Markdown: whatever an agent emitted stands in code, so that none of it is markup."""
    said = model(turn, chosen)
    ledger = " · ".join(f"{count} {what}" for what, count in said["counts"])
    took = f" · took {said['took']}" if said["took"] else ""
    out = [f"# Turn {said['number']}", "", _block(said["title"]), ""]
    out += [f"{_code(said['channel'])} · {_code(said['thread'])} · {ledger}{took}", ""]
    out += [_block(said["headline"]), ""]
    if said["redacted"]:
        out += ["Without its values: each text is as many x.", ""]
    out += ["## Findings", ""] if said["findings"] else []
    for one in said["findings"]:
        seqs = " ".join(f"#{seq}" for seq in one["seqs"])
        out += [f"- **{one['code']} {one['name']}** ({one['severity']}): {_code(one['subject'])} {seqs}"]
        out += [f"  {_code(one['message'])}"] if "message" in one else []
    out += ["", "## Conversation", ""]
    for message in said["messages"]:
        out += [f"### {message['role']}", ""]
        for part in message["parts"]:
            if part["said"] != TEXT:
                error = " **error**" if part["error"] else ""
                out += [
                    " ".join(filter(None, (_code(part["said"]), part["id"] and _code(part["id"])))) + error,
                    "",
                ]
            out += [_block(part["text"]), ""] if part["text"] else []
    return "\n".join(out)


def _fence(text: str, least: int) -> str:
    return "`" * max(least, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def _block(text: str) -> str:
    text = hidden.visible(str(text))
    fence = _fence(text, 3)
    return f"{fence}text\n{text}\n{fence}"


def _code(text: str) -> str:
    text = " ".join(hidden.visible(str(text)).split()) or " "
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}"


# ---------------------------------------------------------------- all of it


def bundle(turn: Turn, chosen: Chosen) -> bytes:
    """A zip that says the same twice; `turnscope ingest` and the import page read its stream."""
    where = mended.of_turn(turn, redact=chosen.redact)
    done = mended.repaired(where, chosen)
    settings = turn.thread.settings or {}
    about_it = {
        "turnscope": __version__, "turn": turn.number, "thread": turn.thread.name,
        "channel": turn.thread.channel.slug, "redacted": chosen.redact, "target": chosen.target,
        "policy": chosen.policy, "settings": {key: settings[key] for key in SETTINGS if key in settings},
    }  # fmt: skip
    files = {
        "turnscope.json": _json(about_it),
        STREAM: b"\n".join([*lines(turn, redact=chosen.redact), b""]),
        f"transcript-{chosen.target}.json": _json(done.messages),
        "repair.json": _json(done.as_json()),
        "findings.json": _json(findings(turn, redact=chosen.redact)),
        "turn.md": markdown(turn, chosen).encode("utf-8", "backslashreplace"),
        "turn.html": page(turn, chosen).encode("utf-8", "backslashreplace"),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
