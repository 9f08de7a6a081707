"""The page that sets repairs side by side says what its script counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import peers

PAGE = Path(peers.__file__).parent / "peers.md"


def test_the_page_has_every_section_and_every_repairer() -> None:
    said = PAGE.read_text()
    for title, _, _, rows in peers.SECTIONS:
        assert f"### {title}\n" in said
        assert all(said.count(f"\n| {name} |") >= 2 for name, _ in rows)


def test_a_result_is_lost_where_it_is_nowhere_and_only_there() -> None:
    told = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    call = {"role": "assistant", "content": None, "tool_calls": [told]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "word 1"}
    quote = {"role": "user", "content": "[Late result]\nword 1"}
    for after, lost in (
        ([call, answer], 0),
        ([call, quote], 0),
        ([call], 1),
        ([call, {**answer, "content": "word 12"}], 1),
    ):
        row = peers.Row()
        peers.count(row, [call, answer], after)
        assert (row.lost_results, row.invented, row.gone, row.changed_ids) == (lost, 0, 0, 0)


@pytest.mark.prove
@pytest.mark.timeout(1200)
def test_the_page_is_what_the_script_says() -> None:
    assert peers.block(PAGE.read_text()) == peers.figures(), (
        "`make peers` writes it; read the difference first"
    )
