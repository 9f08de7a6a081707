"""A call at an earlier seq, worked out in the browser from its row alone, is what the fold had said then."""

from __future__ import annotations

import json
from pathlib import Path

from tests.test_show import BROWSER, in_node
from turnscope.core.picture import Picture, read_file
from turnscope.web import pace, played, words

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted([*(CORPUS / "stories").glob("*.jsonl"), *(CORPUS / "agui").glob("*.jsonl")])
OPEN = ("running", "waiting")


def test_every_call_at_every_seq_is_what_the_fold_said():
    given, expected = [], []
    for path in FILES:
        for thread in read_file(path.read_bytes()).threads:
            picture, before = Picture(), []
            for frame in thread.frames:
                picture.add(frame.seq, frame.at, frame.stream, frame.events)
                before.append({str(call.number): call.state for call in picture.thread.calls})
            shown = played.drawn(picture, pace.measured([pace.Part(1, b"\n", [0])], 1, 1))
            given.append([shown["calls"], shown["findings"], [frame.seq for frame in thread.frames]])
            expected.append((path.name, before))
    assert len(expected) >= 47
    told = in_node(f"""{BROWSER}
        const {{ useLooks, callsAt }} = await import("./model.js");
        useLooks({json.dumps(words.states())});
        const states = (calls) => Object.fromEntries(calls.map((c) => [c.number, c.state]));
        const files = {json.dumps(given)};
        console.log(JSON.stringify(files.map(([calls, findings, seqs]) =>
            seqs.map((seq) => states(callsAt(calls, findings, seq))))));""")
    wrong = [
        (name, place, number, then, now)
        for (name, before), after in zip(expected, told, strict=True)
        for place, (states, shown) in enumerate(zip(before, after, strict=True))
        for number in states.keys() | shown.keys()
        if not alike(
            then := states.get(number, "absent"), now := shown.get(number, "absent"), before[-1].get(number)
        )
    ]
    assert wrong == []


def alike(then: str, now: str, in_the_end: str | None) -> bool:
    """Whose turn it was may be learned later; and "nobody will answer" may be taken back by an answer."""
    taken_back = then == "unanswered" and in_the_end != "unanswered"
    return then == now or (now in OPEN and (then in OPEN or taken_back))
