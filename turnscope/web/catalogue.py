"""Standing pages' contents: the rules from their modules, snippets to copy, the keys."""

from __future__ import annotations

import re
from typing import Any

from turnscope.core import rules as package
from turnscope.store.models import Finding

Dict = dict[str, Any]

FAMILIES = {"C": "Calls", "R": "Runs", "S": "Streams", "T": "Transcripts"}


def rules() -> list[Dict]:
    """Every rule, in the order of its code, with how often it stands."""
    counts: dict[str, int] = {}
    for code in Finding.objects.filter(closed_seq=0).values_list("code", flat=True):
        counts[code] = counts.get(code, 0) + 1
    found = [_about(module) for module in package.RULES]
    for item in found:
        item["standing"] = counts.get(item["code"], 0)
    return sorted(found, key=lambda item: ("CRST".find(item["code"][0]), item["code"]))


def rule(code: str) -> Dict | None:
    """One rule's page: its docstring in sections. None: no such rule."""
    for module in package.RULES:
        if module.CODE == code.upper():
            return {"rule": _about(module), "sections": sections(module.__doc__ or "")}
    return None


def _about(module: Any) -> Dict:
    first = (module.__doc__ or "").strip().split("\n", 1)[0]
    says = first.split(":", 1)[1].strip() if ":" in first else first
    return {
        "code": module.CODE,
        "name": module.NAME,
        "title": module.NAME.replace("-", " ").capitalize(),
        "severity": module.SEVERITY,
        "family": FAMILIES.get(module.CODE[0], "Other"),
        "says": says[:1].upper() + says[1:],
        "repaired_by": list(getattr(module, "REPAIRED_BY", ())),
    }


def sections(doc: str) -> list[Dict]:
    """A docstring's `## Heading` sections as {title, blocks}; a block is a paragraph or a list of lines."""
    out: list[Dict] = []
    for part in re.split(r"^## ", doc.strip(), flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        blocks: list[Dict] = []
        for chunk in re.split(r"\n\s*\n", body.strip()):
            items = re.findall(r"^- (.*(?:\n(?!- ).*)*)", chunk, re.M)
            if chunk.lstrip().startswith("- ") and items:
                blocks.append({"lines": [inline(" ".join(item.split())) for item in items]})
            elif chunk.strip():
                blocks.append({"text": inline(" ".join(chunk.split()))})
        out.append({"title": title.strip(), "blocks": blocks})
    return out


_INLINE = re.compile(r"`([^`]+)`|\b([CRST]\d\d)\b")


def inline(text: str) -> list[Dict]:
    """A sentence of a docstring in pieces: `text`, `code` (between backticks), or another `rule`."""
    pieces: list[Dict] = []
    at = 0
    known = {module.CODE for module in package.RULES}
    for found in _INLINE.finditer(text):
        if found[2] and found[2] not in known:
            continue
        pieces.append({"kind": "text", "text": text[at : found.start()]})
        pieces.append({"kind": "code" if found[1] else "rule", "text": found[1] or found[2]})
        at = found.end()
    pieces.append({"kind": "text", "text": text[at:]})
    return [piece for piece in pieces if piece["text"]]


def snippets(base: str, channel: str) -> list[Dict]:
    """Ways to point an agent here. `base` ends with a slash; the channel's slug is ours."""
    socket = re.sub(r"^http", "ws", base)
    return [
        {
            "title": "A file you already have",
            "text": "Any recording: JSON lines, an SSE body, a JSON array. The dialect is guessed.",
            "code": f"turnscope ingest run.jsonl --channel {channel}",
        },
        {
            "title": "Over HTTP",
            "text": "Post what your agent streamed, as it is. The answer names what could not be read.",
            "code": f"curl --data-binary @run.jsonl {base}api/channels/{channel}/frames",
        },
        {
            "title": "Live, from Python",
            "text": "The SDK numbers and batches frames, waits for acks and resumes after a lost line.",
            "code": (
                "# pip install 'turnscope[client]'\n"
                "from turnscope.client import Recorder\n\n"
                f'recorder = Recorder("{base.rstrip("/")}", "{channel}")\n'
                "for event in agent.run(question):\n"
                "    recorder.send(event)"
            ),
        },
        {
            "title": "Live, from anything that speaks websockets",
            "text": "One message is one event, or a batch of JSON lines. No hello needed.",
            "code": f"{socket}ws/ingest/{channel}/",
        },
        {
            "title": "Live, from JavaScript",
            "text": "Beside whatever handles the events; where Turnscope is away, nobody notices.",
            "code": (
                f'const scope = new WebSocket("{socket}ws/ingest/{channel}/");\n'
                "scope.onerror = () => {};\n"
                "const seen = (event) => scope.readyState === 1 && scope.send(JSON.stringify(event));\n\n"
                "agent.subscribe({ onEvent: ({ event }) => seen(event) });  // @ag-ui/client"
            ),
        },
        {
            "title": "From another machine",
            "text": "Programs elsewhere show a token of the channel; the channel's settings page makes one.",
            "code": (
                f"turnscope channel {channel} --create --token ci\n"
                f'curl -H "Authorization: Bearer $TOKEN" --data-binary @run.jsonl '
                f"{base}api/channels/{channel}/frames"
            ),
        },
    ]


KEYS: list[Dict] = [
    {"title": "Everywhere", "combos": [
        ["/", "find an id, or paste an error"], ["t", "light or dark"], ["y", "copy a link to what you see"],
        ["g o", "overview"], ["g c", "channels"], ["g t", "threads"], ["g u", "turns"], ["g f", "findings"],
        [":", "everything that can be done here (Ctrl K too); in a turn `: 731` goes to event #731"],
        ["?", "this page"],
    ]},
    {"title": "A list", "combos": [
        ["j k", "next, previous row"], ["g g", "first row"], ["G", "last row"], ["enter", "open it"],
        ["f", "hold new rows back, let them in"],
    ]},
    {"title": "A turn", "combos": [
        ["j k", "next, previous event"], ["J K", "next, previous finding"], ["n p", "next, previous call"],
        ["[ ]", "previous, next turn"], ["enter", "inspect the event"], ["esc", "back"],
        ["g g", "first event"], ["G", "last event"], ["f", "follow the newest"], ["e", "export"],
        ["c", "copy the event"], ["g d", "original and repaired"], ["+ -", "timeline nearer, farther"],
        ["0", "the whole timeline"],
    ]},
    {"title": "Replay", "combos": [
        ["space", "play, pause"], [", .", "one event back, forward"], ["< >", "slower, faster"],
    ]},
]  # fmt: skip
