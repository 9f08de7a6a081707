"""Static files as pages get them: few, small, kept for a year, and never an old one."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
import zstandard
from django.test import Client

from tests.test_show import in_node
from turnscope.web import assets, joining
from turnscope.web.squeezing import squeezed

KB = 1000


def get(name: str, accept: str = "gzip, deflate, br, zstd", version: str = ""):
    return Client().get(f"/assets/{version or assets.version()}/{name}", headers={"accept-encoding": accept})


def zipped(name: str) -> int:
    found = assets.asset(name)
    assert found is not None
    return len(found.packed["gzip"])


def test_the_turn_page_stays_within_its_weights():
    assert zipped("js/turn-page.js") <= 35 * KB
    assert zipped("css/turn-page.css") <= 10 * KB
    fonts = [
        len((assets.ROOT / "vendor" / f"{name}.woff2").read_bytes()) for name in ("inter", "jetbrains-mono")
    ]
    assert sum(fonts) <= 90 * KB


@pytest.mark.parametrize("name", [*assets.JOINED, "vendor/icons.svg", "js/text.js"])
def test_a_file_is_the_same_whatever_it_was_packed_as(name: str):
    plain, zip_, zst = get(name, ""), get(name, "gzip"), get(name, "gzip, zstd")
    assert "Content-Encoding" not in plain
    assert (zip_["Content-Encoding"], zst["Content-Encoding"]) == ("gzip", "zstd")
    unpacked = zstandard.ZstdDecompressor().decompress(zst.content)
    assert plain.content == gzip.decompress(zip_.content) == unpacked
    assert {r["Vary"] for r in (plain, zip_, zst)} == {"Accept-Encoding"}


def test_a_file_of_this_version_is_kept_for_a_year_and_of_another_not_at_all():
    assert "max-age=31536000" in get("icon.svg")["Cache-Control"]
    assert get("icon.svg", version="0123456789ab")["Cache-Control"] == "no-cache"


def test_a_change_of_any_file_changes_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(assets, "ROOT", tmp_path)
    seen = set()
    for name, text in (("a.css", "a"), ("a.css", "b"), ("b.css", "b"), ("js/a.js", "")):
        (tmp_path / "js").mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        seen.add(assets._version.__wrapped__())
    assert len(seen) == 4


@pytest.mark.parametrize("name", ["none.js", "../pyproject.toml", "..%2f..%2fetc/passwd", "js", "js/", "%00"])
def test_what_is_no_file_there_is_not_found(name: str):
    assert get(name).status_code == 404


def test_pages_name_this_version(db: None):
    text = Client().get("/").content.decode()
    named = set(re.findall(r"/assets/(\w+)/", text))
    assert named == {assets.version()}
    for path in set(re.findall(r'"(/assets/[^"#]+)', text)):
        assert Client().get(path).status_code == 200


# ---------------------------------------------------------------- joining


def test_every_script_joins():
    for name in assets.JOINED:
        text = assets.JOINED[name]().decode() if name.endswith(".js") else ""
        assert not re.search(r"^(import\b(?!\()|export\b)", text, re.M)


def test_a_joined_script_does_what_its_modules_do(tmp_path: Path):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "lib.js").write_text("/** licence */\nconst t=2;export{t as two,t};\n")
    (tmp_path / "a.js").write_text(
        'import { two as twice } from "./vendor/lib.js";\nimport * as b from "./b.js";\n'
        "/* gone */\nexport const at = () => b.add(twice, 1);\n// gone too\nexport async function late() {\n"
        '  return (await import("./c.js")).name;\n}\n'
    )
    (tmp_path / "b.js").write_text("const at = 40;\nexport function add(a, b) {\n  return a + b + at;\n}\n")
    (tmp_path / "c.js").write_text('export const name = "c";\n')
    (tmp_path / "z.js").write_text(
        'import "./b.js";\nimport {\n  at,\n  late,\n} from "./a.js";\n'
        "const said = [at(), await_()];\nfunction await_() { return 1; }\n"
        "late().then((name) => console.log(JSON.stringify([...said, name])));\n"
    )
    text = joining.joined(tmp_path, "z.js").decode()
    assert "licence" in text
    assert "gone" not in text
    assert in_node(text) == [43, 1, "c"]


@pytest.mark.parametrize(
    ("script", "less"),
    [
        ("const a = { b: 1, c: [2, 3] };", "const a={b:1,c:[2,3]};"),
        ("if (a && b) return x ? y : z;", "if(a&&b)return x?y:z;"),
        ("a = b + +c - -d / e;", "a=b + +c - -d / e;"),
        ('say("a = b", \'c , d\', "e \\" = f");', 'say("a = b",\'c , d\',"e \\" = f");'),
        ("h`<p a = ${b ? `x = ${ { c : 1 }.c } = y` : d} > e`;",
         "h`<p a = ${b?`x = ${{c:1}.c } = y`:d} > e`;"),
        ("const w = /[/ = ]+(?: = )? \\/ = /g.test(a) , b = c / d , e = f / g;",
         "const w=/[/ = ]+(?: = )? \\/ = /g.test(a),b=c / d,e=f / g;"),
        ("return / = /.t(a) // b = c\nlet d = `\\` = `;", "return / = /.t(a)// b = c\nlet d=`\\` = `;"),
        ("/* a = b */ c = d;\n\ne = f;", "/* a = b */ c=d;\n\ne=f;"),
    ],
)  # fmt: skip
def test_spaces_are_lost_around_signs_alone(script: str, less: str):
    assert squeezed(script) == less


@pytest.mark.parametrize("name", sorted(p.name for p in (assets.ROOT / "js").glob("*.js")))
def test_a_squeezed_module_has_lost_nothing_but_spaces(name: str):
    text = (assets.ROOT / "js" / name).read_text("utf-8")
    less = squeezed(text)
    assert [line.replace(" ", "") for line in less.splitlines()] == [
        line.replace(" ", "") for line in text.splitlines()
    ]


def test_a_part_is_asked_for_and_brings_only_what_is_not_there(tmp_path: Path):
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "shared.js").write_text("export const state = { n: 0 };\n")
    (tmp_path / "js" / "late.js").write_text(
        'import { state } from "./shared.js";\nimport { one } from "./own.js";\n'
        "export const count = () => (state.n += one);\n"
    )
    (tmp_path / "js" / "own.js").write_text("export const one = 1;\n")
    (tmp_path / "js" / "a.js").write_text(
        'import { state } from "./shared.js";\nstate.n = 40;\n'
        'import("./late.js").then(({ count }) => console.log(JSON.stringify([count(), state.n])));\n'
    )
    parts = ("js/late.js",)
    main = joining.joined(tmp_path, "js/a.js", parts=parts).decode()
    late = joining.part(tmp_path, "js/late.js", "js/a.js", parts).decode()
    assert "own.js" not in main
    assert late.count('": () => {\n') == 2
    (tmp_path / "late.part.js").write_text(late)
    main = main.replace("./late.part.js", (tmp_path / "late.part.js").as_uri())
    assert in_node(main) == [41, 41]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("export let a = 1;\n", "export let"), ("export default 1;\n", "export default"),
        ('import a from "./b.js";\n', "import a"), ('import "./a.js";\n', "a.js -> a.js"),
    ],
)  # fmt: skip
def test_a_form_that_is_not_known_is_refused_by_name(tmp_path: Path, text: str, why: str):
    (tmp_path / "a.js").write_text(text)
    (tmp_path / "b.js").write_text("")
    with pytest.raises(joining.Unjoinable, match=re.escape(why)):
        joining.joined(tmp_path, "a.js")
