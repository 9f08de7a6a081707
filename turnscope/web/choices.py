"""What a person chose of a repair, read from an address: for the export page, its files and the API alike.

A page reads over what means nothing; a program is told. Counterpart: `core/repair`, whose CHOICES these are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from turnscope.core.repair import CHOICES, TARGETS

Dict = dict[str, Any]

DEFAULT = "ag_ui"
"""The target of a thread whose channel names none: the list its own client would send."""
ROLES = ("user", "system", "developer", "assistant", "tool")
REST = tuple(name for name in CHOICES if name != "policy")
"""The choices beside the policy."""
ALL = "all"
"""`cancel=all`: whatever waits."""
MOST = 200
"""Ids that an address may name."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One repair that was asked for. Hashable, so that what it came to can be remembered."""

    target: str
    policy: str = "answer"
    rest: tuple[tuple[str, str], ...] = ()
    """(name, word) of each other choice that is not the first of its list."""
    boundary: tuple[str, ...] | None = None
    pending: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    cancel: tuple[str, ...] = ()
    redact: bool = False
    """Of the conversation without its values (`core/redact.py`)."""

    def arguments(self) -> Dict:
        """For `repair`, but for the target and what is cancelled."""
        return {
            "policy": self.policy, **dict(self.rest), "boundary": self.boundary, "pending": self.pending,
            "started": self.started,
        }  # fmt: skip

    def word(self, name: str) -> str:
        return self.policy if name == "policy" else dict(self.rest).get(name, CHOICES[name][0])

    def query(self, **other: str | bool) -> str:
        """The address' part that asks for this, with another target or policy."""
        said = replace(self, **other) if other else self  # type: ignore[arg-type]
        lists = (("boundary", said.boundary or ()), ("pending", said.pending), ("started", said.started),
                 ("cancel", said.cancel))  # fmt: skip
        named = [(name, word) for name, words in lists for word in words]
        named += [("redact", "1")] if said.redact else []
        return urlencode([("target", said.target), ("policy", said.policy), *said.rest, *named])


def problem(query: QueryDict) -> tuple[str, str, Dict] | None:
    """(code, sentence, detail) of what is asked for and is none; None where all of it is understood."""
    target = query.get("target")
    if target and target not in TARGETS:
        return "target", f"There is no target {target[:60]!r}.", {"targets": sorted(TARGETS)}
    for name, allowed in CHOICES.items():
        word = query.get(name)
        if word and word not in allowed:
            key = "policies" if name == "policy" else "choices"
            return name, f"There is no {name} {word[:60]!r}.", {key: list(allowed)}
    for role in query.getlist("boundary"):
        if role not in ROLES:
            return "boundary", f"There is no role {role[:60]!r}.", {"choices": list(ROLES)}
    return None


def asked(query: QueryDict, settings: Dict | None, default: str = DEFAULT) -> Chosen:
    """What an address asks for; where it says nothing, the channel's settings, else ours."""
    own = settings or {}
    target = _first((query.get("target"), own.get("target"), default), TARGETS) or "openai_chat"
    policy = _first((query.get("policy"), own.get("policy")), CHOICES["policy"]) or "answer"
    rest = []
    for name in REST:
        word = query.get(name)
        if word in CHOICES[name][1:]:
            rest.append((name, str(word)))
    roles = tuple(role for role in ROLES if role in query.getlist("boundary"))
    lists = {name: _ids(query, name) for name in ("pending", "started", "cancel")}
    redact = query.get("redact") == "1"
    return Chosen(target, policy, tuple(rest), roles or None, **lists, redact=redact)


def named(target: str, policy: str, settings: Dict | None) -> Chosen:
    """The same from two words, which may be empty."""
    query = QueryDict(mutable=True)
    query.update({"target": target, "policy": policy})
    return asked(query, settings)


def _first(words: tuple[Any, ...], allowed: Any) -> str:
    return next((word for word in words if isinstance(word, str) and word in allowed), "")


def _ids(query: QueryDict, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one[:500] for one in query.getlist(name)[:MOST] if one))


HINTS = {
    "policy": "A call that nobody answered",
    "purpose": "What follows",
    "late": "A result behind its window",
    "orphans": "A result without its call",
    "duplicates": "Of two real results",
    "thinking": "Signed thinking behind a change",
    "ids": "An id that the target refuses",
}
WORDS = {
    "continue": "a new message", "resume": "the answers that are waited for", "relocate": "move to its call",
    "quote": "quote as the user's words", "drop": "drop", "first": "keep the first", "last": "keep the last",
    "request_drop_block": "leave, and let the request drop it", "strip_after_first_change": "strip",
    "keep": "keep", "echo": "echo, if only as empty", "block": "block", "flatten": "tell the call as text",
    "map": "send under another id",
}  # fmt: skip


def fields(chosen: Chosen) -> list[Dict]:
    """The choices beside the policy as a form shows them."""
    return [
        {
            "name": name,
            "label": HINTS[name],
            "options": [
                {"value": word, "label": WORDS.get(word, word), "on": chosen.word(name) == word}
                for word in CHOICES[name]
            ],
        }
        for name in REST
    ]
