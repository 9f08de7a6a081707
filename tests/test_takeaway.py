"""What leaves with a person: each file says what it should, is inert, and without its values says none."""

from __future__ import annotations

import html.parser
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.streams import call, finished, result, run_started, run_with_input, text, user
from tests.test_pages import of, page, story, words
from turnscope import cli
from turnscope.core.repair import TARGETS
from turnscope.store import models
from turnscope.web import mended

pytestmark = pytest.mark.django_db
SECRET = "Jane Doe 4242"
HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e```\n# no heading\n[x](javascript:alert(1))'
)
FILES = ("frames.jsonl", "bundle.zip", "turn.md", "turn.html")


def said() -> models.Turn:
    events = run_with_input(user(SECRET)) + call("c1", "look_up", json.dumps({"who": SECRET, "age": 42}))
    return of(events + result("c1", SECRET) + call("c2", "pick") + text(SECRET) + finished())


def taken(client: Client, turn: models.Turn, what: str, query: str = "") -> Any:
    answer = client.get(f"/turns/{turn.pk}/download/{what}{query}")
    assert answer.status_code == 200, what
    return answer


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Tags(html.parser.HTMLParser):
    """The elements and attributes that a browser would see."""

    def __init__(self, text_: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text_)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


# ---------------------------------------------------------------- the page


def test_the_page_says_what_is_in_it_about_how_large_each_file_is_and_links_them(client: Client) -> None:
    turn = said()
    text_ = page(client, f"/turns/{turn.pk}/export/")
    raw = len(taken(client, turn, "frames.jsonl").content)
    about = client.get(f"/turns/{turn.pk}/export.json").json()["about"]
    assert abs(about["bytes"] - raw) < raw / 4
    assert 1 / 3 < about["packed"] / len(taken(client, turn, "bundle.zip").content) < 3
    assert about["events"] == turn.last_seq - turn.first_seq + 1 and about["calls"] == 2
    assert about["findings"] == models.Finding.objects.filter(turn=turn.number, closed_seq=0).count() > 0
    for what in FILES:
        assert f"/turns/{turn.pk}/download/{what}?" in text_
    assert "secrets included" in words(text_)


def test_the_bundle_of_a_short_turn_of_a_long_conversation_is_not_told_to_be_small(client: Client) -> None:
    events = []
    for n in range(40):
        events += run_with_input(user(f"question {n}", id=f"u{n}"), run=f"r{n}")
        events += text(f"{n} " * 300, id=f"t{n}") + finished(f"r{n}")
    turn = of(events)
    about = client.get(f"/turns/{turn.pk}/export.json").json()["about"]
    assert about["bytes"] < about["packed"]
    assert 1 / 3 < about["packed"] / len(taken(client, turn, "bundle.zip").content) < 3


def test_the_switch_replaces_the_values_on_the_page_and_in_every_file(client: Client) -> None:
    turn = said()
    text_ = page(client, f"/turns/{turn.pk}/export/?target=openai_chat")
    [switch] = re.findall(r'href="(\?[^"]*redact=1)"', text_)
    shown = page(client, f"/turns/{turn.pk}/export/{switch.replace('&amp;', '&')}")
    assert SECRET in text_ and "Jane" not in shown.split('id="messages"')[1]
    links = re.findall(r'href="(/turns/[^"]*/download/[^"]*)"', shown)
    assert len(links) >= len(FILES) + 1
    for link in links:
        answer = client.get(link.replace("&amp;", "&"))
        assert "redacted" in answer["Content-Disposition"]
        files = unpacked(answer.content) if "bundle" in link else {"": answer.content}
        for name, data in files.items():
            assert b"Jane" not in data and b"4242" not in data, (link, name)
            if b"look_up" in answer.content:
                assert b"c1" in answer.content  # names and ids stay
    for target in TARGETS:
        address = f"/turns/{turn.pk}/download/repair.json?target={target}&redact=1"
        assert b"Jane" not in client.get(address).content


# ---------------------------------------------------------------- the files


def test_a_bundle_holds_the_stream_the_transcript_and_the_findings_and_is_read_again(
    client: Client, tmp_path: Path
) -> None:
    turn = story("1b")
    files = unpacked(taken(client, turn, "bundle.zip", "?target=anthropic").content)
    assert files["stream.jsonl"] == taken(client, turn, "frames.jsonl").content
    want = taken(client, turn, "transcript.json", "?target=anthropic").content
    assert json.loads(files["transcript-anthropic.json"]) == json.loads(want)
    codes = [one["code"] for one in json.loads(files["findings.json"])]
    rows = models.Finding.objects.filter(turn=turn.number, closed_seq=0)
    assert sorted(codes) == sorted(rows.values_list("code", flat=True)) and codes
    assert json.loads(files["turnscope.json"])["target"] == "anthropic"
    again = taken(client, turn, "bundle.zip", "?target=anthropic").content
    assert again == taken(client, turn, "bundle.zip", "?target=anthropic").content
    (tmp_path / "turn.zip").write_bytes(again)
    assert cli.run(["findings", str(tmp_path / "turn.zip"), "--fail-on", "never"]) in (0, 1, 2)
    from turnscope.store.files import recordings

    assert [getattr(one, "member", one) for one in recordings([str(tmp_path / "turn.zip")])] == [
        "stream.jsonl"
    ]


@pytest.mark.parametrize("redact", ["", "?redact=1"])
def test_the_single_page_is_inert_whatever_an_agent_emitted(client: Client, redact: str) -> None:
    turn = of(
        run_started(run=HOSTILE, thread=HOSTILE) + call(HOSTILE, HOSTILE, HOSTILE) + result(HOSTILE, HOSTILE)
        + text(HOSTILE) + finished(HOSTILE, HOSTILE)
    )  # fmt: skip
    answer = taken(client, turn, "turn.html", redact)
    text_ = answer.content.decode()
    assert "attachment" in answer["Content-Disposition"]
    for tag, attributes in Tags(text_).seen:
        assert tag not in ("script", "img", "link", "iframe", "object", "embed", "form", "base", "svg", "a")
        assert not {one for one in attributes if one.startswith("on") or one in ("src", "href", "style")}
    assert "default-src 'none'" in text_ and "\u202e" not in text_
    assert redact or "&lt;script&gt;alert(1)" in text_


def test_no_text_of_an_agent_is_markup_in_markdown(client: Client) -> None:
    turn = of(run_started(thread="t`t") + call("c`1", HOSTILE) + text(HOSTILE) + finished(thread="t`t"))
    inside, out = "", []
    for line in taken(client, turn, "turn.md").content.decode().splitlines():
        fence = re.match(r"`{3,}", line)
        if inside:
            inside = "" if line == inside else inside
        elif fence:
            inside = fence[0]
        else:
            out.append(re.sub(r"(`+) .*? \1(?!`)", "", line))
    assert not inside
    left = "\n".join(out)
    assert "alert" not in left and "no heading" not in left and "\u202e" not in left
    assert "## Conversation" in left and "### assistant" in left


# ---------------------------------------------------------------- the command


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    def run_(*arguments: object) -> tuple[int, bytes, str]:
        code = cli.run([str(argument) for argument in arguments])
        told = capsysbinary.readouterr()
        return code, told.out, told.err.decode()

    return run_


@pytest.mark.django_db(transaction=True)
def test_the_command_writes_the_bytes_of_the_page(client: Client, run: Any) -> None:
    turn = said()
    for how, what in (("bundle", "bundle.zip"), ("markdown", "turn.md"), ("html", "turn.html")):
        for redact in ((), ("--redact",)):
            query = "?redact=1" if redact else ""
            code, out, _ = run("export", turn.pk, "--format", how, *redact)
            assert (code, out) == (0, taken(client, turn, what, query).content), (how, redact)
    assert run("export", turn.pk, "--bundle")[1] == run("export", turn.pk, "--format", "bundle")[1]
    last = models.Run.objects.get()
    assert run("export", f"run:{last.pk}", "--format", "markdown")[1].startswith(b"# Turn 1")
    code, out, _ = run("export", turn.pk, "--frames", "--redact")
    assert code == 0 and b"Jane" not in out and out.count(b"look_up") == 1
    assert out == taken(client, turn, "frames.jsonl", "?redact=1").content


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_made_of_it_is_said_in_a_line(run: Any) -> None:
    turn = said()
    code, out, err = run("export", turn.pk, "--raw", "--redact")
    assert (code, out) == (2, b"") and "--redact goes with" in err
    stream = models.Stream.objects.get().pk
    code, out, err = run("export", f"stream:{stream}", "--bundle")
    assert (code, out) == (2, b"") and "of a turn" in err


# ---------------------------------------------------------------- a long conversation


def test_a_long_conversation_is_not_read_for_the_first_byte(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = story("2a")
    monkeypatch.setattr(mended, "LONG", 5)
    read: list[Any] = []
    real = mended.runs.events
    monkeypatch.setattr(mended.runs, "events", lambda *where: read.append(where) or real(*where))
    text_ = page(client, f"/turns/{turn.pk}/export/?target=anthropic")
    assert read == [] and "Not read yet" in words(text_)
    assert text_.count("not yet worked out") == len(TARGETS)
    for what in FILES:
        assert f"/turns/{turn.pk}/download/{what}?" in text_
    link = re.search(r'href="(\?[^"]*whole=1)"', text_)
    assert link, "without scripts a link works it out"
    whole = page(client, f"/turns/{turn.pk}/export/{link[1].replace('&amp;', '&')}")
    assert "tool_use" in whole and len(read) == 1
    # Once it is read every address of it is whole, until the conversation goes on.
    assert "tool_use" in page(client, f"/turns/{turn.pk}/export/?target=anthropic") and len(read) == 1


def test_the_comparison_of_a_long_conversation_is_not_made_for_the_first_byte_either(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = story("2a")
    monkeypatch.setattr(mended, "LONG", 5)
    text_ = page(client, f"/turns/{turn.pk}/diff/?target=anthropic&change=1")
    assert "Not read yet" in words(text_)
    link = re.search(r'href="(\?[^"]*read=1)"', text_)
    asked = re.search(r'data-whole="([^"]*)"', text_)
    assert link and asked and "change=1" in link[1] and "target=anthropic" in asked[1]
    assert "Not read yet" not in words(page(client, f"/turns/{turn.pk}/diff/{link[1].replace('&amp;', '&')}"))
    assert "Not read yet" not in words(page(client, f"/turns/{turn.pk}/diff/?target=anthropic"))
    assert client.get(f"/turns/{turn.pk}/diff.json?target=gemini").json()["blocks"]


def test_the_script_asks_for_what_the_link_shows(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = of(run_started() + text() + finished())
    monkeypatch.setattr(mended, "LONG", 1)
    text_ = page(client, f"/turns/{turn.pk}/export/")
    asked = re.search(r'data-whole="([^"]*)"', text_)
    assert asked and client.get(asked[1].replace("&amp;", "&")).json()["known"]
    assert "Not read yet" not in words(page(client, f"/turns/{turn.pk}/export/"))


def test_the_transcript_of_now_is_read_once_for_its_tab_and_the_export(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = story("2a")
    read: list[Any] = []
    real = mended.runs.events
    monkeypatch.setattr(mended.runs, "events", lambda *where: read.append(where) or real(*where))
    first = client.get(f"/turns/{turn.pk}/transcript.json").json()
    assert first["messages"] and client.get(f"/turns/{turn.pk}/transcript.json").json() == first
    page(client, f"/turns/{turn.pk}/export/")
    assert [where for where in read if where] == [(turn.thread_id, turn.thread.last_seq)]
