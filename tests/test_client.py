"""The producer's SDK against a real server: everything arrives once, and the host never notices."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import streams
from tests.services import free_port
from tests.serving import ROOT, Served, served
from tests.test_faults_server import events, get
from turnscope import client
from turnscope.client import Recorder

RUN = streams.run_started() + streams.call("c1") + streams.result("c1") + streams.finished()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("client")) as running:
        yield running


def recorded(server: Served, channel: str) -> list[Any]:
    """The events of the channel's runs, as they came."""
    found = []
    for turn in get(server, f"/api/channels/{channel}/")["turns"]:
        for run in get(server, f"/api/turns/{turn['id']}/")["runs"]:
            with urllib.request.urlopen(f"{server.url}/api/runs/{run['id']}/events") as answer:
                found += [json.loads(line) for line in answer]
    return found


def marks(server: Served, channel: str, kind: str) -> list[str]:
    """Payloads of the marks of a kind in the channel's one thread."""
    (turn,) = get(server, f"/api/channels/{channel}/")["turns"]
    frames = get(server, f"/api/threads/{turn['thread']}/frames?kind={kind}")["frames"]
    return [frame["payload"] for frame in frames]


# ---------------------------------------------------------------- what arrives


def test_what_is_sent_is_stored_in_order(server: Served) -> None:
    with Recorder(server.url, "plain") as recorder:
        for event in RUN:
            recorder.send(event)
        assert recorder.flush()
    assert recorded(server, "plain") == RUN
    assert recorder.lost == 0


def test_an_event_may_be_a_model_text_bytes_or_an_sse_block(server: Served) -> None:
    core = pytest.importorskip("ag_ui.core")
    encoder = pytest.importorskip("ag_ui.encoder")
    started = core.RunStartedEvent(thread_id="t", run_id="r")
    with Recorder(server.url, "spellings") as recorder:
        recorder.send(started)
        recorder.send('{"type":"STEP_STARTED", "stepName":"a"}')
        recorder.send(b'{"type":"STEP_FINISHED","stepName":"a"}')
        recorder.send(encoder.EventEncoder().encode(core.RunFinishedEvent(thread_id="t", run_id="r")))
    found = recorded(server, "spellings")
    assert [event["type"] for event in found] == [
        "RUN_STARTED",
        "STEP_STARTED",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert found[0]["threadId"] == "t"


def test_several_threads_may_share_a_recorder(server: Served) -> None:
    with Recorder(server.url, "shared") as recorder:
        for thread in ("a", "b"):
            recorder.send(streams.run_started(thread=thread, run=f"run-{thread}")[0])
        for thread in ("a", "b"):
            for event in streams.text(id=f"m-{thread}"):
                recorder.send(event, thread=thread)
    channel = get(server, "/api/channels/shared/")
    assert sorted(turn["thread_name"] for turn in channel["turns"]) == ["a", "b"]
    assert all(turn["events"] == 5 for turn in channel["turns"])


def test_twenty_thousand_events_arrive_once(server: Served) -> None:
    many = streams.run_started(thread="many") + [streams.arguments("c1", str(n))[0] for n in range(20_000)]
    with Recorder(server.url, "many") as recorder:
        for event in many:
            recorder.send(event)
        assert recorder.flush(60)
    assert recorded(server, "many") == many


def test_one_clock_measures_a_live_turn_on_every_page_whatever_the_producers_says(server: Served) -> None:
    """What a producer stamps an hour apart and sends at once took no hour; as a recording it did."""
    events = [{**event, "timestamp": 1_790_000_000_000 + n * 3_600_000} for n, event in enumerate(RUN)]
    with Recorder(server.url, "clock") as recorder:
        for event in events:
            recorder.send(event)
            assert recorder.flush()
            time.sleep(0.005)
    body = streams.ndjson(events)
    address = f"{server.url}/api/channels/clock-file/frames?recording=1"
    urllib.request.urlopen(urllib.request.Request(address, data=body, method="POST")).close()
    for channel, hours in (("clock", 0), ("clock-file", len(RUN) - 1)):
        (turn,) = get(server, f"/api/channels/{channel}/")["turns"]
        took = turn["last_at"] - turn["started_at"]
        assert took // 3_600_000 == hours
        page = get(server, f"/turns/{turn['id']}.json")
        pages = [turn, page["turn"], *get(server, f"/threads/{turn['thread']}.json")["turns"]]
        assert len({one["elapsed"] for one in pages}) == 1
        assert page["pace"]["end"] - page["pace"]["start"] == took


async def test_asynchronous_code_waits_without_blocking(server: Served) -> None:
    recorder = Recorder(server.url, "async")
    for event in RUN:
        recorder.send(event)
    assert await recorder.flushed()
    await asyncio.to_thread(recorder.close)
    assert recorded(server, "async") == RUN


def test_the_same_stream_id_goes_on_in_a_later_process(server: Served) -> None:
    for part in (RUN[:3], RUN[3:]):
        with Recorder(server.url, "resumed", stream="mine") as recorder:
            for event in part:
                recorder.send(event)
    assert recorded(server, "resumed") == RUN


def test_a_server_that_is_killed_and_comes_back_has_everything_once(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    body = [streams.event("CUSTOM", name="n", value=n)[0] for n in range(3_000)]
    sent = streams.run_started() + body + streams.finished()
    recorder = Recorder(f"http://127.0.0.1:{port}", "acme")
    feeding = threading.Thread(target=lambda: [(recorder.send(event), time.sleep(0.0003)) for event in sent])
    feeding.start()
    for _ in range(2):
        with served(home, port=port) as server:
            time.sleep(0.2)
            server.process.kill()
            server.process.wait()
    with served(home, port=port) as server:
        feeding.join()
        assert recorder.close(30)
        assert events(server) == sent
    assert recorder.lost == 0


# ---------------------------------------------------------------- tools of the host's own


def test_a_captured_tool_leaves_its_start_and_its_result(server: Served) -> None:
    with Recorder(server.url, "tools") as recorder:
        for event in streams.run_started() + streams.call("c1", "add"):
            recorder.send(event)
        add = recorder.capture(lambda a, b: a + b)
        assert add(2, b=3, tool_call_id="c1") == 5
    found = [json.loads(text)["event"]["evidence"] for text in marks(server, "tools", "EVIDENCE")]
    assert [(seen["toolCallId"], seen["phase"]) for seen in found] == [("c1", "start"), ("c1", "result")]
    assert found[1]["content"] == 5


def test_a_captured_tool_that_fails_leaves_its_error_and_raises_it(server: Served) -> None:
    with Recorder(server.url, "failing") as recorder:
        for event in streams.run_started() + streams.call("c1"):
            recorder.send(event)

        @recorder.capture
        async def broken(tool_call_id: str) -> None:
            raise ValueError(f"no such thing as {tool_call_id}")

        with pytest.raises(ValueError, match="no such thing as c1"):
            asyncio.run(broken(tool_call_id="c1"))
    found = [json.loads(text)["event"]["evidence"] for text in marks(server, "failing", "EVIDENCE")]
    assert [seen["phase"] for seen in found] == ["start", "error"]
    assert found[1]["content"] == "ValueError: no such thing as c1"


def test_a_call_without_an_id_is_left_alone() -> None:
    recorder = Recorder("http://127.0.0.1:9", "none")
    seen: list[Any] = []
    recorder.send = lambda *event, **_: seen.append(event)  # type: ignore[method-assign, assignment]
    assert recorder.capture(lambda x: x)(7) == 7
    assert seen == []
    recorder.close(0)


# ---------------------------------------------------------------- what may go wrong


@pytest.fixture
def away() -> Iterator[Recorder]:
    """A recorder whose server is not there."""
    recorder = Recorder(f"http://127.0.0.1:{free_port()}", "acme", buffer=10_000)
    yield recorder
    recorder.close(0)


def test_without_a_server_sending_neither_waits_nor_raises(away: Recorder) -> None:
    began = time.monotonic()
    for event in RUN * 500:
        away.send(event)
    assert time.monotonic() - began < 2
    assert not away.flush(0.05)
    assert away.lost > 0


def test_what_cannot_be_spelled_is_lost_and_counted(away: Recorder, caplog: pytest.LogCaptureFixture) -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    away.send(circle)
    assert away.lost == 1
    assert "cannot" in caplog.text or "could not" in caplog.text


def test_a_closed_recorder_says_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    """Its thread may find the server gone after the host has shut down, and taken its log handlers along."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        recorder = Recorder(f"http://127.0.0.1:{listening.getsockname()[1]}", "acme")
        recorder.send(RUN[0])
        connection, _ = listening.accept()  # the recorder waits for an answer now
        assert not recorder.close(0)
        connection.close()
        recorder._thread.join(10)
    assert not recorder._thread.is_alive()
    assert [one for one in caplog.records if one.name == "turnscope.client"] == []


def test_one_whose_server_is_away_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(f"http://127.0.0.1:{free_port()}", "acme")
    recorder.send(RUN[0])
    assert not recorder.flush(2)
    recorder.close(0)
    [told] = [one for one in caplog.records if one.name == "turnscope.client"]
    assert "cannot be reached" in told.getMessage()


def test_an_event_of_any_kind_is_one_object_on_one_line() -> None:
    for hostile in (
        "not json",
        "[1]",
        "",
        "\ud800",
        '{"a":\n1}',
        b"\xff",
        7,
        None,
        {"a": object()},
        "data: x",
    ):
        line = client.spell(hostile)
        assert "\n" not in line
        assert isinstance(json.loads(line), dict)


def test_what_was_lost_leaves_a_hole_that_the_server_sees(server: Served) -> None:
    with Recorder(server.url, "holes", stream="holey") as recorder:
        recorder.send(RUN[0])
        assert recorder.flush()
        recorder.send({"type": "CUSTOM", "name": "n", "value": "x" * client.LARGEST})
        for event in RUN[1:]:
            recorder.send(event)
        assert recorder.flush()
        assert recorder.lost == 1
    assert recorded(server, "holes") == RUN
    assert len(marks(server, "holes", "GAP")) == 1


def test_a_wrong_token_is_given_up_on(server: Served) -> None:
    recorder = Recorder(server.url, "acme", token="wrong")
    recorder.send(RUN[0])
    assert not recorder.flush(10)
    assert "4401" in recorder.refused
    recorder.send(RUN[1])
    assert recorder.lost == 2
    recorder.close(1)


def test_one_that_is_taken_over_does_not_fight_back(server: Served) -> None:
    first = Recorder(server.url, "fight", stream="mine")
    first.send(RUN[0])
    assert first.flush()
    with Recorder(server.url, "fight", stream="mine") as second:
        for event in RUN[1:]:
            second.send(event)
        assert second.flush()
        time.sleep(0.5)
        assert "4410" in first.refused
    assert recorded(server, "fight") == RUN
    first.close(1)


def test_it_imports_nothing_else_of_turnscope() -> None:
    script = (
        "import sys, turnscope.client\n"
        "own = [name for name in sys.modules if name.startswith('turnscope')]\n"
        "assert own == ['turnscope', 'turnscope.client'] and 'django' not in sys.modules, own\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
