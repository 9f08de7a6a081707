"""The official client, `@ag-ui/client`'s HttpAgent, pointed at a replay of the real server."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

from tests import streams
from tests.interop import judge
from tests.serving import Served, served

SOUND = (
    streams.run_started() + streams.text() + streams.call("c1") + streams.result("c1") + streams.finished()
)
BROKEN = streams.run_started(thread="t2") + streams.call_started("c2") + streams.finished(thread="t2")


def run_of(server: Served, events: list[streams.Event]) -> int:
    address = f"{server.url}/api/channels/acme/frames"
    request = urllib.request.Request(address, data=streams.ndjson(events), method="POST")
    with urllib.request.urlopen(request) as answer:
        return int(json.load(answer)["threads"][0]["runs"][0]["id"])


def pointed(server: Served, folder: Path, run: int | str, query: str) -> dict[str, Any]:
    """What the client made of a replay: of a run, or of `turn/<number>`."""
    file = folder / "address"
    file.write_text(f"{server.url}/replay/{run}/ag_ui/?{query}")
    return judge("agui_replay.mjs", [file])[0]


def test_a_real_client_takes_a_replay_and_refuses_what_it_refused_before_the_repair(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server:
        sound, broken = run_of(server, SOUND), run_of(server, BROKEN)
        told = pointed(server, tmp_path, sound, "speed=0")
        assert told["verdict"] == "ok"
        assert [message["role"] for message in told["messages"]] == ["assistant", "assistant", "tool"]
        assert "c2" in pointed(server, tmp_path, broken, "speed=0")["verdict"]
        told = pointed(server, tmp_path, broken, "speed=0&repaired=1")
        assert told["verdict"] == "ok"
        (answer,) = (message for message in told["messages"] if message["role"] == "tool")
        assert answer["toolCallId"] == "c2"


def test_a_real_client_takes_a_turn_of_several_runs_in_one_answer(tmp_path: Path) -> None:
    """Its first run ends with a call open; the second goes on, in the same stream."""
    first = streams.run_with_input(streams.user("go")) + streams.call("c1") + streams.finished()
    again = (
        streams.run_with_input(streams.user("go"), run="run-2") + streams.text() + streams.finished("run-2")
    )
    with served(tmp_path / "home") as server:
        run_of(server, first + again)
        with urllib.request.urlopen(f"{server.url}/api/channels/acme/") as answer:
            turns = json.load(answer)["turns"]
        assert len(turns) == 1
        told = pointed(server, tmp_path, f"turn/{turns[0]['id']}", "speed=0&repaired=1")
        assert told["verdict"] == "ok"
        assert [message["role"] for message in told["messages"]][-1] == "assistant"
        assert any(message.get("toolCalls") for message in told["messages"])
