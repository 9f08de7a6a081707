"""Run by the judges' own Python: a line `{"peer": ..., "messages": [...]}` in, what the peer makes of it out.

Peers mend histories as Turnscope does; `docs/peers.py` compares. A line out is `{"messages": [...]}` or, of
a peer that raised, `{"raised": ...}`. `{"versions": [...]}` asks for the versions of packages.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

warnings.simplefilter("ignore")


def turnsafe(provider: str, messages: list[Any], **choices: Any) -> list[Any]:
    import turnsafe as package

    mended: list[Any] = package.repair(messages, provider, **choices)
    return mended


def toolrepair(form: str, messages: list[Any], **choices: Any) -> list[Any]:
    import toolrepair as package

    mended: list[Any] = package.repair(messages, format=form, **choices)
    return mended


def pydantic_ai(messages: list[Any]) -> list[Any]:
    from pydantic_ai.messages import ModelMessagesTypeAdapter, repair_messages

    mended = repair_messages(ModelMessagesTypeAdapter.validate_python(messages))
    found: list[Any] = ModelMessagesTypeAdapter.dump_python(mended, mode="json")
    return found


PEERS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "turnsafe openai": partial(turnsafe, "openai"),
    "turnsafe openai strip": partial(turnsafe, "openai", on_missing="strip"),
    "turnsafe anthropic": partial(turnsafe, "anthropic"),
    "turnsafe anthropic strip": partial(turnsafe, "anthropic", on_missing="strip"),
    "toolrepair openai": partial(toolrepair, "openai"),
    "toolrepair openai synthesize": partial(toolrepair, "openai", strategy="synthesize"),
    "toolrepair anthropic": partial(toolrepair, "anthropic"),
    "toolrepair anthropic synthesize": partial(toolrepair, "anthropic", strategy="synthesize"),
    "pydantic_ai": pydantic_ai,
}


def answer(case: dict[str, Any]) -> Any:
    if "versions" in case:
        return {name: version(name) for name in case["versions"]}
    try:
        return {"messages": PEERS[case["peer"]](case["messages"])}
    except Exception as raised:
        return {"raised": f"{type(raised).__name__}: {raised}"[:500]}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
