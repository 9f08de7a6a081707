"""Turnscope's repair beside others' on the same damaged lists: `make peers` writes the figures of `peers.md`.

Each list goes to each repairer; what comes out is judged by the vendors' validators, and counted against
what went in: real results, texts, calls, ids. Nothing here decides anything: it runs, counts and prints.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tests import interop, judges, oracles
from tests.core.broken import battered, conversation
from turnscope.core.repair import repair, shapes
from turnscope.core.repair.convert import converted
from turnscope.core.repair.transcript import copied

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parent / "tests" / "corpus" / "transcripts"
DRAWN = 200
NOTHING = (
    *("", "aborted", "tool execution aborted", "null"),
    *("text", "json", "output", "errortext", "true", "false", "success", "failed"),
)
"""Results that only stand for one, and words about results: nobody loses anything with them."""

Lists = list[list[Any]]


@dataclass
class Outcome:
    """What one repairer made of one list: None where it raised or blocked."""

    messages: list[Any] | None
    blocked: bool = False
    waits: bool = False
    refused: str | None = None


@dataclass
class Row:
    """One repairer over many lists, counted."""

    accepted: int = 0
    refused: int = 0
    blocked: int = 0
    waits: int = 0
    raised: int = 0
    lost_results: int = 0
    lost_texts: int = 0
    gone: int = 0
    invented: int = 0
    changed_ids: int = 0
    wrong: list[int] = field(default_factory=list)
    """Which lists were refused, for whoever looks into it."""


# ---------------------------------------------------------------- what went in and what came out


def leaves(said: Any) -> set[str]:
    """Every text inside a value, so that what is said is found whatever it is wrapped in."""
    if isinstance(said, str):
        try:
            inner = json.loads(said)
        except ValueError:
            return {said}
        return leaves(inner) if isinstance(inner, dict | list) else {said}
    if isinstance(said, dict):
        return set().union(*map(leaves, said.values())) if said else set()
    return set().union(*map(leaves, said)) if isinstance(said, list) and said else {str(said)}


def answers(messages: list[Any]) -> dict[str | None, list[str]]:
    """Call id -> its real results."""
    found: dict[str | None, list[str]] = {}
    for atom in oracles.atoms(messages):
        real = [one for one in leaves(atom.said) if one.strip().lower() not in NOTHING]
        if atom.kind == "result" and real:
            found.setdefault(atom.call, []).append(max(real, key=len))
    return found


def count(row: Row, before: list[Any], after: list[Any]) -> None:
    ins, outs = oracles.atoms(before), oracles.atoms(after)
    there = "\n".join(text for atom in outs for text in sorted(leaves(atom.said)))
    called = Counter(atom.call for atom in ins if atom.kind == "call")
    real = answers(before)
    row.lost_results += sum(id_ in called and not any(said(one, there) for one in real[id_]) for id_ in real)
    texts = Counter(atom.said for atom in ins if atom.kind.startswith("text of") and atom.said.strip())
    row.lost_texts += sum((texts - Counter(a.said for a in outs if a.kind.startswith("text of"))).values())
    ids = Counter(atom.call for atom in outs if atom.kind == "call")
    row.changed_ids += len(set(ids) - set(called))
    row.invented += max(0, sum(ids.values()) - sum(called.values()))
    row.gone += max(0, sum(called.values()) - sum(ids.values()))


def said(text: str, there: str) -> bool:
    """Whether a text stands somewhere, whatever stands around it; "word 1" is not in "word 12"."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", there) is not None


# ---------------------------------------------------------------- repairers


def ours(shape: str, target: str, lists: Lists, **choices: Any) -> list[Outcome]:
    done = [repair(shapes.read(messages, shape), target, **choices) for messages in lists]
    return [Outcome(one.messages, bool(one.blockers), bool(one.pending)) for one in done]


def peer(name: str, lists: Lists) -> list[Outcome]:
    found = judges.mended(name, lists)
    return [Outcome(one.get("messages")) for one in found]


def as_it_came(lists: Lists) -> list[Outcome]:
    return [Outcome(messages) for messages in lists]


def judged(names: tuple[str, ...], found: list[Outcome]) -> list[Outcome]:
    """With what the first of the judges to refuse it says."""
    asked = [one for one in found if one.messages is not None and not one.blocked and not one.waits]
    for name in names:
        verdicts = judges.verdicts(name, [one.messages or [] for one in asked])
        for one, verdict in zip(asked, verdicts, strict=True):
            one.refused = one.refused or verdict
    return found


def through_the_sdk(mend: Callable[[Lists], list[Outcome]] | None, lists: Lists) -> list[Outcome]:
    """UI messages as `ai` converts them and asks a model; without `mend`, cleaned by itself."""
    found = mend(lists) if mend is not None else as_it_came(lists)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate(found):
            paths.append(Path(folder) / f"{number}.json")
            paths[-1].write_text(json.dumps(one.messages))
        verdicts = interop.judge("ai_sdk_clean.mjs", paths, CLEAN="" if mend is not None else "1")
    return [
        Outcome(
            verdict["messages"],
            one.blocked,
            one.waits,
            None if verdict["verdict"] == "ok" else verdict["verdict"],
        )
        for one, verdict in zip(found, verdicts, strict=True)
    ]


def counted(lists: Lists, found: list[Outcome]) -> Row:
    row = Row()
    for number, (before, one) in enumerate(zip(lists, found, strict=True)):
        if one.blocked:
            row.blocked += 1
        elif one.waits:
            row.waits += 1
        elif one.messages is None:
            row.raised += 1
        elif one.refused:
            row.refused += 1
            row.wrong.append(number)
        else:
            row.accepted += 1
        if one.messages is not None:
            count(row, before, one.messages)
    return row


# ---------------------------------------------------------------- the lists


def drawn(shape: str) -> Lists:
    randoms = [Random(f"peers {shape} {seed}") for seed in range(DRAWN)]
    lists = [battered(random, shape, conversation(random, shape)) for random in randoms]
    return [messages for messages in lists if messages]


def corpus(shape: str) -> Lists:
    """The malformed lists of the corpus that are spelled this way, or can be."""
    found = []
    if shape == "ai_sdk_ui":
        paths = sorted((CORPUS.parent / "dialects").glob("*[a-z].json"))
        told = [json.loads(path.read_text()) for path in paths if not path.stem.endswith(".repaired")]
        return [messages for messages in told if shapes.guess(messages) == shape]
    for path in sorted(CORPUS.glob("[0-9]*.json")):
        case = json.loads(path.read_text())
        if path.stem.endswith(".expected") or case["target"] not in ("openai_chat", "anthropic"):
            continue
        read = shapes.read(case)
        if read.shape == shape:
            found.append(case["messages"])
        elif shape not in ("openai_chat", "anthropic"):
            into = shapes.by_name(shape)
            messages, _, _ = converted(copied(read.messages), into)
            found.append([raw for message in messages for raw in shapes.written(into, message)])
    return found


# ---------------------------------------------------------------- the page

CHAT = ("openai_chat", "turnsafe_openai", "toolrepair_openai")
CLAUDE = ("anthropic", "turnsafe_anthropic", "toolrepair_anthropic")
PYDANTIC = ("pydantic_ai", "pydantic_ai_sent")

Repairer = tuple[str, Callable[[Lists], list[Outcome]]]


def by(judges_: tuple[str, ...], rows: list[Repairer]) -> list[Repairer]:
    return [(name, lambda lists, mend=mend: judged(judges_, mend(lists))) for name, mend in rows]


SECTIONS: tuple[tuple[str, str, str, list[Repairer]], ...] = (
    (
        "OpenAI chat messages",
        "openai_chat",
        "OpenAI's request types, turnsafe's and tool-call-repair's validators",
        by(CHAT, [
            ("as they came", as_it_came),
            ("Turnscope, answer", partial(ours, "openai_chat", "openai_chat")),
            ("Turnscope, drop", partial(ours, "openai_chat", "openai_chat", policy="drop")),
            ("turnsafe", partial(peer, "turnsafe openai")),
            ("turnsafe, strip", partial(peer, "turnsafe openai strip")),
            ("tool-call-repair", partial(peer, "toolrepair openai")),
            ("tool-call-repair, synthesize", partial(peer, "toolrepair openai synthesize")),
        ]),
    ),
    (
        "Anthropic messages",
        "anthropic",
        "Anthropic's request types, turnsafe's and tool-call-repair's validators",
        by(CLAUDE, [
            ("as they came", as_it_came),
            ("Turnscope, answer", partial(ours, "anthropic", "anthropic")),
            ("Turnscope, answer, ids mapped", partial(ours, "anthropic", "anthropic", ids="map")),
            ("Turnscope, drop", partial(ours, "anthropic", "anthropic", policy="drop")),
            ("turnsafe", partial(peer, "turnsafe anthropic")),
            ("turnsafe, strip", partial(peer, "turnsafe anthropic strip")),
            ("tool-call-repair", partial(peer, "toolrepair anthropic")),
            ("tool-call-repair, synthesize", partial(peer, "toolrepair anthropic synthesize")),
        ]),
    ),
    (
        "PydanticAI messages",
        "pydantic_ai",
        "PydanticAI's types and agent, and turnsafe on what the agent sends to OpenAI",
        by(PYDANTIC, [
            ("as they came", as_it_came),
            ("Turnscope, answer", partial(ours, "pydantic_ai", "pydantic_ai")),
            ("Turnscope, drop", partial(ours, "pydantic_ai", "pydantic_ai", policy="drop")),
            ("pydantic-ai repair_messages", partial(peer, "pydantic_ai")),
        ]),
    ),
    (
        "AI SDK UI messages",
        "ai_sdk_ui",
        "`ai`: validateUIMessages, convertToModelMessages, generateText with a mock model",
        [
            ("as they came", partial(through_the_sdk, as_it_came)),
            ("Turnscope, answer", partial(through_the_sdk, partial(ours, "ai_sdk_ui", "ai_sdk"))),
            (
                "Turnscope, drop",
                partial(through_the_sdk, partial(ours, "ai_sdk_ui", "ai_sdk", policy="drop")),
            ),
            ("ai, ignoreIncompleteToolCalls", partial(through_the_sdk, None)),
        ],
    ),
)  # fmt: skip


MARKS = ("<!-- figures -->", "<!-- /figures -->")
COLUMNS = (
    ("accepted", "accepted"),
    ("refused", "refused"),
    ("blocked", "blocked"),
    ("waits", "waits"),
    ("raised", "raised"),
    ("lost_results", "results lost"),
    ("lost_texts", "texts lost"),
    ("gone", "calls gone"),
    ("invented", "calls invented"),
    ("changed_ids", "ids changed"),
)


def tables() -> Iterator[tuple[str, str, str, int, dict[str, Row]]]:
    """Each section's title, whose lists and how many, judges, and rows."""
    for title, shape, who, rows in SECTIONS:
        for whose, lists in (("the corpus", corpus(shape)), ("drawn", drawn(shape))):
            yield title, whose, who, len(lists), {name: counted(lists, mend(lists)) for name, mend in rows}


def figures() -> str:
    """What stands between the marks in `peers.md`: versions, and a table for each section and its lists."""
    packages = judges.versions("openai", "anthropic", "pydantic-ai-slim", "turnsafe", "tool-call-repair")
    told = ", ".join(f"`{name}` {version}" for name, version in packages.items())
    parts = [f"{MARKS[0]}\nVersions: {told}, `ai` 7.\n"]
    before = ""
    for title, whose, who, size, rows in tables():
        if title != before:
            parts.append(f"### {title}\n\nJudged by {who}.\n")
        before = title
        parts.append(f"{whose[:1].upper()}{whose[1:]}, {size} lists:\n\n{_table(rows)}\n")
    return "\n".join([*parts, MARKS[1]])


def block(page: str) -> str:
    """The part of the page that the script writes."""
    return page[page.index(MARKS[0]) : page.index(MARKS[1]) + len(MARKS[1])]


def _table(rows: dict[str, Row]) -> str:
    head = ["repairer", *(title for _, title in COLUMNS)]
    lines = [head, ["---", *("---:" for _ in COLUMNS)]]
    lines += [[name, *(str(getattr(row, key)) for key, _ in COLUMNS)] for name, row in rows.items()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def main() -> None:
    page = (HERE / "peers.md").read_text(encoding="utf-8")
    (HERE / "peers.md").write_text(page.replace(block(page), figures()), encoding="utf-8")


if __name__ == "__main__":
    main()
