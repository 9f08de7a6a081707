"""A payload as a tree: cut out of its own text, whatever that is, and never parsed and printed again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.test_show import BROWSER, in_node


def parsed(*texts: str) -> list[Any]:
    """Each text as nodes: a leaf is its own token, an object a list of [key token, node]."""
    told: list[Any] = in_node(f"""{BROWSER}
        const {{ parse }} = await import("./payload.js");
        const items = (node) => node.items.map(([key, value]) => [key, plain(value)]);
        const plain = (node) => node && (node.items ? {{ [node.kind]: items(node) }} : node.text);
        console.log(JSON.stringify({json.dumps(texts)}.map((text) => plain(parse(text)))));""")
    return told


def test_numbers_keep_their_digits_and_keys_may_come_twice():
    [node] = parsed('{"big": 12345678901234567890.10, "a": 1, "a": 2}')
    assert node == {
        "object": [['"big"', "12345678901234567890.10"], ['"a"', "1"], ['"a"', "2"]]
    }  # fmt: skip


def test_every_kind_of_value_has_its_place():
    [node] = parsed('[null, true, -1e9, "a\\"b", [], {}, {"x": [1]}]')
    values = [value for _, value in node["array"]]
    assert values == [
        "null",
        "true",
        "-1e9",
        '"a\\"b"',
        {"array": []},
        {"object": []},
        {"object": [['"x"', {"array": [[None, "1"]]}]]},
    ]


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[1", "]", "{]", '{"a"', "[1] 2", '"open', "{1: 2}", "[1]]", '{"a": x}']
)
def test_what_is_no_json_is_no_tree(text: str):
    assert parsed(text) == [None]


def test_depth_and_length_are_anybodys():
    told = in_node(f"""{BROWSER}
        const {{ parse }} = await import("./payload.js");
        const deep = parse("[".repeat(200000) + "]".repeat(200000));
        const wide = parse("[" + "1,".repeat(200000) + "1]");
        console.log(JSON.stringify([deep.kind, wide.items.length]));""")
    assert told == ["array", 200_001]


def test_names_of_objects_own_methods_are_keys_like_any():
    [node] = parsed('{"__proto__": {"polluted": 1}, "constructor": 2}')
    assert [key for key, _ in node["object"]] == ['"__proto__"', '"constructor"']


def test_a_fixture_is_python_that_says_the_same():
    texts = ['plain "quoted" \\ back', "tab\tline\nend", "\u202egnp\u200b", "😀 \U000e0041", "é"]
    told = in_node(f"""{BROWSER}
        const {{ fixture }} = await import("./payload.js");
        const of = (text) => fixture({{ seq: 3, kind: "RAW", text }}, "/turns/1/events/3/");
        console.log(JSON.stringify({json.dumps(texts)}.map(of)));""")
    for text, code in zip(texts, told, strict=True):
        scope: dict[str, str] = {}
        exec(code, scope)
        assert scope["FRAME"] == text
        assert code.isascii()
