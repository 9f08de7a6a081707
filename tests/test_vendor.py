"""What others wrote stands under static/vendor as its manifest says, and only what is used stands there."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from turnscope.web import vendor

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(vendor.HERE, tmp_path / "vendor"))


def test_every_vendored_file_is_what_the_manifest_says():
    assert vendor.check() == []


def test_a_changed_file_is_told(copy: Path):
    (copy / "lit-html.js").write_bytes((copy / "lit-html.js").read_bytes() + b" ")
    told = vendor.check(copy)
    assert "lit-html.js is not what the manifest says" in told
    assert any("bytes, the manifest says" in sentence for sentence in told)


def test_a_file_without_an_entry_is_told(copy: Path):
    (copy / "extra.js").write_text("")
    assert vendor.check(copy) == ["extra.js is in no manifest"]


def test_a_missing_licence_is_told(copy: Path):
    (copy / "licenses" / "lit-html.txt").unlink()
    assert vendor.check(copy) == ["licenses/lit-html.txt is missing"]


def test_every_entry_names_its_source_version_and_licence():
    for entry in json.loads((vendor.HERE / vendor.MANIFEST).read_text())["files"]:
        assert entry["source"] == f"npm:{entry['name']}@{entry['version']}"
        assert entry["licence"] and entry["integrity"].startswith("sha512-")


@pytest.mark.parametrize("text", ["x = process.env.NODE_ENV", "eval('1')", "new Function('a')"])
def test_a_script_that_our_policy_would_stop_is_refused(tmp_path: Path, text: str):
    (tmp_path / "bad.js").write_text(text)
    with pytest.raises(SystemExit):
        vendor.script("bad.js")(tmp_path)


def test_a_script_that_imports_a_bare_name_is_refused(tmp_path: Path):
    (tmp_path / "bad.js").write_text('import {html} from "lit-html";')
    with pytest.raises(SystemExit, match="bare name"):
        vendor.script("bad.js")(tmp_path)


def test_a_source_map_comment_goes(tmp_path: Path):
    (tmp_path / "a.js").write_text("export{a};\n//# sourceMappingURL=a.js.map\n")
    assert vendor.script("a.js")(tmp_path) == b"export{a};\n"


def test_the_sprite_holds_the_icons_that_are_used_and_no_other():
    sprite = set(re.findall(r'<symbol id="([a-z-]+)"', (vendor.HERE / "icons.svg").read_text()))
    assert sprite == set(vendor.ICONS)
    sources = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static" / "js").glob("*.js")]
    sources += (ROOT / "turnscope" / "web").rglob("*.py")
    words: set[str] = set()
    for path in sources:
        if path.name != "vendor.py":
            words |= set(re.findall(r"""["']([a-z]+(?:-[a-z]+)*)["']""", path.read_text("utf-8")))
    assert sorted(sprite - words) == []


def test_every_icon_a_template_asks_for_is_in_the_sprite():
    asked: set[str] = set()
    for path in (ROOT / "templates").rglob("*.html"):
        asked |= set(re.findall(r"""{% icon ["']([a-z-]+)["']""", path.read_text("utf-8")))
    for path in (ROOT / "static" / "js").glob("*.js"):
        asked |= set(re.findall(r"""\bicon\(["']([a-z-]+)["']""", path.read_text("utf-8")))
    assert asked - set(vendor.ICONS) == set()
