"""The AI SDK's client as far as it refuses: a reader of UI streams that shares no code with the repair.

`read` is what it would throw and what it holds; `tests/test_ui_stream_client.py` holds both to the package.
"""

from __future__ import annotations

import random
from typing import Any

Part = dict[str, Any]

NEEDS = {
    "text-start": {"id": str}, "text-delta": {"id": str, "delta": str}, "text-end": {"id": str},
    "reasoning-start": {"id": str}, "reasoning-delta": {"id": str, "delta": str},
    "reasoning-end": {"id": str},
    "error": {"errorText": str}, "start": {}, "finish": {}, "abort": {}, "start-step": {}, "finish-step": {},
    "reset-step": {}, "message-metadata": {},
    "tool-input-start": {"toolCallId": str, "toolName": str},
    "tool-input-delta": {"toolCallId": str, "inputTextDelta": str},
    "tool-input-available": {"toolCallId": str, "toolName": str},
    "tool-input-error": {"toolCallId": str, "toolName": str, "errorText": str},
    "tool-approval-request": {"approvalId": str, "toolCallId": str},
    "tool-approval-response": {"approvalId": str, "approved": bool},
    "tool-output-available": {"toolCallId": str}, "tool-output-error": {"toolCallId": str, "errorText": str},
    "tool-output-denied": {"toolCallId": str},
}  # fmt: skip
MAY = {
    "preliminary": bool, "dynamic": bool, "providerExecuted": bool,
    "providerMetadata": dict, "title": str, "transient": bool,
}  # fmt: skip


KEYS = {
    "tool-input-available": "input", "tool-input-error": "input", "tool-output-available": "output",
    "message-metadata": "messageMetadata",
}  # fmt: skip
"""What may be anything, and has to be there."""
PLAIN = (
    "start", "finish", "abort", "error", "start-step", "finish-step", "reset-step", "message-metadata",
    "tool-input-delta", "tool-approval-request", "tool-output-denied",
)  # fmt: skip
"""Types of which nobody looks at these."""


class Refused(Exception):
    pass


class Client:
    """Reads one message; what it holds when the stream is over."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.parts: list[Part] = []
        self.open: dict[str, dict[str, Part]] = {"text": {}, "reasoning": {}}
        self.partial: dict[str, bool] = {}

    def take(self, part: Any) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str) or (kind not in NEEDS and not kind.startswith("data-")):
            raise Refused(f"type {kind!r}")
        for name, want in NEEDS.get(kind, {}).items():
            if not isinstance(part.get(name), want):
                raise Refused(f"{kind}.{name}")
        key = "data" if kind.startswith("data-") else KEYS.get(kind)
        if key is not None and key not in part:
            raise Refused(f"{kind}.{key}")
        for name, want in MAY.items():
            looked_at = name == "transient" or kind not in PLAIN and not kind.startswith("data-")
            if name in part and looked_at and not isinstance(part[name], want):
                raise Refused(f"{kind}.{name}")
        if kind == "start" and part.get("messageId", self.name) != self.name:
            self.__init__(part["messageId"])  # type: ignore[misc]
        elif kind.startswith(("text-", "reasoning-")):
            self._text(part, *kind.split("-"))
        elif kind == "start-step":
            self.parts.append({"type": "step-start"})
        elif kind == "reset-step":
            del self.parts[len(self.parts) - len(self._step()) :]
            self.open, self.partial = {"text": {}, "reasoning": {}}, {}
        elif kind.startswith("tool-"):
            self._tool(part, kind)

    def _text(self, part: Part, kind: str, what: str) -> None:
        if what == "start":
            made = {"type": kind, "text": "", "state": "streaming"}
            self.open[kind][part["id"]] = made
            self.parts.append(made)
        elif part["id"] not in self.open[kind]:
            raise Refused(f"{part['type']} of none")
        elif what == "delta":
            self.open[kind][part["id"]]["text"] += part["delta"]
        else:
            self.open[kind].pop(part["id"])["state"] = "done"

    def _step(self) -> list[Part]:
        at = max((n for n, one in enumerate(self.parts) if one["type"] == "step-start"), default=-1)
        return self.parts[at + 1 :]

    def _card(self, call: str) -> Part:
        here = [one for one in self._step() if one.get("call") == call]
        everywhere = [one for one in reversed(self.parts) if one.get("call") == call]
        if not everywhere:
            raise Refused("no tool invocation")
        return (here or everywhere)[0]

    def _tool(self, part: Part, kind: str) -> None:
        if kind.startswith("tool-input"):
            self._input(part, kind)
            return
        if kind == "tool-approval-response":
            asked = [one for one in self.parts if one.get("approval") == part["approvalId"]]
            if not asked:
                raise Refused("no approval")
            asked[0]["state"] = "approval-responded"
            asked[0]["approved"] = part["approved"]
            return
        card = self._card(part["toolCallId"])
        if kind == "tool-approval-request":
            card |= {"state": "approval-requested", "approval": part["approvalId"]}
            return
        card["state"] = kind.removeprefix("tool-")
        card["output"] = part.get("output", part.get("errorText"))
        card["preliminary"] = part.get("preliminary")

    def _input(self, part: Part, kind: str) -> None:
        call = part["toolCallId"]
        if kind == "tool-input-delta":
            if call not in self.partial:
                raise Refused("delta of none")
            dynamic = self.partial[call]
        else:
            dynamic = part.get("dynamic") is True
        if kind == "tool-input-start":
            self.partial[call] = dynamic
        same = [one for one in self._step() if one.get("call") == call]
        if kind == "tool-input-error" and same:
            dynamic = same[0]["dynamic"]
        found = next((one for one in same if one["dynamic"] == dynamic), None)
        if found is None:
            found = {"type": "tool", "call": call, "dynamic": dynamic}
            self.parts.append(found)
        states = {"tool-input-available": "input-available", "tool-input-error": "output-error"}
        found |= {
            "state": states.get(kind, "input-streaming"),
            "output": part.get("errorText"),
            "preliminary": None,
        }


def read(parts: list[Any]) -> tuple[str | None, list[Part]]:
    """(what the client throws, the parts of the message it holds)."""
    client = Client()
    try:
        for part in parts:
            client.take(part)
    except Refused as why:
        return str(why), client.parts
    return None, client.parts


# ---------------------------------------------------------------- streams that no producer would send


def soup(chance: random.Random) -> list[Any]:
    """Parts in any order with few ids, so that they collide; now and then one that is no part."""
    parts: list[Any] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
    parts += [_any(chance) for _ in range(chance.randint(2, 24))]
    reason = chance.choice(["stop", "tool-calls", "error"])
    ends = [
        {"type": "finish", "finishReason": reason},
        {"type": "abort"},
        {"type": "error", "errorText": "it broke"},
    ]
    for end in chance.sample(ends, chance.choice([0, 1, 1, 1, 2])):
        parts.insert(chance.randint(len(parts) - 2, len(parts)), end)
    return parts


def _any(chance: random.Random) -> Any:
    kind = chance.choice([*NEEDS, "data-own", *[one for one in NEEDS if one.startswith("tool")] * 2])
    if kind == "start":
        kind = "start-step"
    part: Part = {"type": kind}
    for name in NEEDS.get(kind, {}):
        part[name] = {
            "id": lambda: chance.choice("xy"), "toolCallId": lambda: chance.choice(["a", "b", "c"]),
            "toolName": lambda: chance.choice(["lookup", "pick"]), "approvalId": lambda: chance.choice("pq"),
            "approved": lambda: chance.random() < 0.5,
        }.get(name, lambda: chance.choice(['{"n":', "1}", "said", ""]))()  # fmt: skip
    if kind == "tool-output-available":
        part["output"] = chance.choice(["done", {"n": 1}, None, "aborted"])
        if chance.random() < 0.3:
            part["preliminary"] = True
    if kind in ("tool-input-available", "tool-input-error"):
        part["input"] = {"n": 1}
    if kind.startswith("tool-input") and chance.random() < 0.15:
        part["dynamic"] = True
    if kind == "message-metadata":
        part["messageMetadata"] = {"n": 1}
    if chance.random() < 0.04:
        return chance.choice(
            [None, 3, {"type": "tool-ended"}, {**part, "providerMetadata": None}, {"no": "type"}]
        )
    if chance.random() < 0.03 and len(part) > 1 and kind != "message-metadata":
        part[chance.choice([one for one in part if one != "type"])] = 7
    return part


def damaged(chance: random.Random, parts: list[Any]) -> list[Any]:
    """A recording as adapters and networks leave it: parts lost, doubled, moved, the end cut off."""
    out = list(parts)
    for _ in range(chance.randint(1, 3)):
        at, to = chance.randrange(len(out)), chance.randrange(len(out))
        kind = chance.choice(["lost", "doubled", "moved", "cut"])
        if kind == "lost" and len(out) > 1:
            del out[at]
        elif kind == "doubled":
            out.insert(to, out[at])
        elif kind == "moved":
            out.insert(to, out.pop(at))
        else:
            out = out[: max(at, 1)]
    return out
