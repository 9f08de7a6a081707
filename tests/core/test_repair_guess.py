"""In whose shape a list without a single call is written: its parts tell."""

from __future__ import annotations

from typing import Any

import pytest

from turnscope.core.repair import repair, shapes

PICTURE = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
LISTS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "an image with a source": (
        "anthropic",
        [
            {"role": "user", "content": [{"type": "image", "source": PICTURE}]},
            {"role": "assistant", "content": "a cat"},
        ],
    ),
    "a document by its address": (
        "anthropic",
        [
            {
                "role": "user",
                "content": [{"type": "document", "source": {"type": "url", "url": "https://a.b/c"}}],
            }
        ],
    ),
    "input_text and output_text": (
        "openai_responses",
        [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "yo"}]},
        ],
    ),
    "items that are messages": (
        "openai_responses",
        [{"type": "message", "role": "user", "content": "hi"}],
    ),
    "an answer of the Messages API as it came": (
        "anthropic",
        [
            {"role": "user", "content": "go"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "n", "input": {}}],
            },
        ],
    ),
    "an image of Chat Completions": (
        "openai_chat",
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.b/c"}}]}],
    ),
    "an image of AG-UI": (
        "openai_chat",
        [
            {
                "id": "u",
                "role": "user",
                "content": [{"type": "image", "source": {"type": "url", "value": "x"}}],
            }
        ],
    ),
    "words alone": ("openai_chat", [{"role": "user", "content": "hi"}]),
}


@pytest.mark.parametrize(("name", "messages"), LISTS.values(), ids=LISTS)
def test_a_list_is_read_in_the_shape_whose_parts_it_has(name: str, messages: list[dict[str, Any]]) -> None:
    assert shapes.guess(messages) == name


def test_no_part_of_another_api_is_sent_to_one_that_refuses_it() -> None:
    """Chat Completions knows text, image_url, input_audio, file and refusal, and nothing else."""
    known = {"text", "image_url", "input_audio", "file", "refusal"}
    for _, messages in LISTS.values():
        done = repair(shapes.read(messages), "openai_chat")
        if done.shape != shapes.guess(messages):
            parts = [
                p for m in done.messages for p in (m["content"] if isinstance(m["content"], list) else [])
            ]
            assert {part["type"] for part in parts} <= known
            assert done.changes or not parts
