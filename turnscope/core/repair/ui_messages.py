"""The UIMessages that a UI message stream adds up to, as the AI SDK's client builds them.

Of a repaired stream: what its client would refuse is not looked for. Counterpart: `ui_stream.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from turnscope.core.repair import ui_parts as p
from turnscope.core.repair.transcript import Json, parsed

Dict = dict[str, Json]

_KEPT = ("source-url", "source-document", "file", "reasoning-file", "custom", "steering-message")
_NAMED = ("tool-input-start", "tool-input-available", "tool-input-error")
_STATES = {
    "tool-input-start": "input-streaming", "tool-input-available": "input-available",
    "tool-input-error": "output-error", "tool-output-available": "output-available",
    "tool-output-error": "output-error", "tool-output-denied": "output-denied",
    "tool-approval-request": "approval-requested", "tool-approval-response": "approval-responded",
}  # fmt: skip


def messages_of(parts: Iterable[Dict]) -> list[Dict]:
    """One message for each that begins with a new id."""
    made: list[_Message] = []
    for part in parts:
        name = part.get("messageId") if part["type"] == "start" else None
        if not made or (name is not None and made[-1].value["id"] not in ("", name)):
            made.append(_Message())
        if name is not None:
            made[-1].value["id"] = name
        made[-1].take(part)
    return [one.value for one in made]


class _Message:
    def __init__(self) -> None:
        self.parts: list[Dict] = []
        self.value: Dict = {"id": "", "role": "assistant", "parts": self.parts}
        self.open: dict[tuple[str, str], Dict] = {}
        self.written: dict[int, list[str]] = {}
        """Pieces of arguments, by the identity of their card."""
        self.begin = 0
        """Where the current step begins."""

    def take(self, part: Dict) -> None:
        kind = part["type"]
        if kind in ("start", "finish", "message-metadata") and isinstance(part.get("messageMetadata"), dict):
            self.value["metadata"] = {**self.value.get("metadata", {}), **part["messageMetadata"]}
        elif kind == "start-step":
            self.parts.append({"type": "step-start"})
            self.begin = len(self.parts)
        elif kind == "reset-step":
            del self.parts[self.begin :]
            self.open = {}
        elif kind in _KEPT or (kind.startswith(p.DATA) and part.get("transient") is not True):
            self._keep(part)
        elif kind.startswith(("text-", "reasoning-")):
            self._text(part, *kind.split("-"))
        elif kind.startswith("tool-"):
            self._tool(part, kind)

    def _keep(self, part: Dict) -> None:
        same = (p for p in self.parts if (p["type"], p.get("id", "")) == (part["type"], part.get("id")))
        there = next(same, None) if part["type"].startswith(p.DATA) else None
        if there is not None:
            there["data"] = part["data"]
        else:
            self.parts.append(dict(part))

    def _text(self, part: Dict, lane: str, what: str) -> None:
        if what == "start":
            made: Dict = {"type": lane, "text": "", "state": "streaming"}
            self.open[lane, part["id"]] = made
            self.parts.append(made)
        made = self.open[lane, part["id"]]
        if "providerMetadata" in part:
            made["providerMetadata"] = part["providerMetadata"]
        if what == "delta":
            made["text"] += part["delta"]
        elif what == "end":
            made["state"] = "done"

    def _tool(self, part: Dict, kind: str) -> None:
        if kind == "tool-input-delta":
            self._delta(part)
            return
        card = self._card(part, kind)
        card["state"] = _STATES[kind]
        if kind != "tool-output-denied" and not kind.startswith("tool-approval"):
            for name in ("output", "errorText", "preliminary"):
                card.pop(name, None)
        if kind in ("tool-input-available", "tool-input-error"):
            card["input"] = part.get("input")
        if kind == "tool-output-available":
            card["output"] = part.get("output")
        if "errorText" in part:
            card["errorText"] = part["errorText"]
        for name in ("preliminary", "providerExecuted", "title"):
            if name in part:
                card[name] = part[name]
        if "providerMetadata" in part:
            done = card["state"].startswith("output")
            card["resultProviderMetadata" if done else "callProviderMetadata"] = part["providerMetadata"]
        if kind == "tool-approval-request":
            card["approval"] = {"id": part["approvalId"]}
        elif kind == "tool-approval-response":
            said = {"approved": part["approved"], **({"reason": part["reason"]} if "reason" in part else {})}
            card["approval"] = {**card.get("approval", {}), **said}

    def _card(self, part: Dict, kind: str) -> Dict:
        if kind == "tool-approval-response":
            asked = part["approvalId"]
            return next(one for one in self.parts if one.get("approval", {}).get("id") == asked)
        call = part["toolCallId"]
        here = [one for one in self.parts[self.begin :] if one.get("toolCallId") == call]
        if kind in _NAMED:
            dynamic = here[0]["type"] == "dynamic-tool" if here else part.get("dynamic") is True
            name = part["toolName"]
            card = {"type": "dynamic-tool", "toolName": name} if dynamic else {"type": f"tool-{name}"}
            if not here:
                self.parts.append({**card, "toolCallId": call})
                return self.parts[-1]
            here[-1].update(card)
        return (here or [one for one in self.parts if one.get("toolCallId") == call])[-1]

    def _delta(self, part: Dict) -> None:
        card = self._card(part, "tool-input-delta")
        written = self.written.setdefault(id(card), [])
        written.append(part["inputTextDelta"])
        found = parsed("".join(written))
        if found is not None:
            card["input"] = found
