"""Other people's files under static/vendor: what they are, and that they are what they were.

    python -m turnscope.web.vendor check      # no network: hashes, sizes, no unlisted file
    python -m turnscope.web.vendor refresh    # a maintainer's: `npm pack`, rewrite, new manifest

There is no build step, so what the browser gets is what stands here. A vendored script is changed in
one way only: its source-map comment goes (its map is not shipped, and hashed static storage would look
for it). One that needs a bundler (`process.env`), makes code from text (`eval(`, `new Function(`) or
imports a bare name is refused: our Content-Security-Policy would stop it in the browser.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[2] / "static" / "vendor"
MANIFEST = "manifest.json"

ICONS = """
activity arrow-down bookmark book-open bot braces brain check check-check chevron-left chevron-right
circle-dot circle-pause circle-question-mark circle-stop circle-x cloud copy download eye-off file-text
flag git-compare hand history hourglass inbox info keyboard layers link list-filter loader-circle
message-circle-question message-square-text messages-square monitor-smartphone octagon-x pause pen-line
play plug radio scissors search server settings shield-x skip-back skip-forward stamp step-back
step-forward sun-moon timer triangle-alert unlink user-round wrench x
""".split()
"""The lucide icons in use; `tests/test_vendor.py` holds this list to the templates and scripts."""

Make = Callable[[Path], bytes]


@dataclass(frozen=True)
class Piece:
    """One vendored file and where it comes from."""

    file: str
    package: str
    version: str
    licence: str
    make: Make
    """Makes the file's bytes from the unpacked package."""
    licence_source: str = "LICENSE"

    @property
    def licence_file(self) -> str:
        return f"licenses/{self.package.strip('@').replace('/', '-')}.txt"


def script(path: str) -> Make:
    """A script without its source-map comment, refused if it could not run under our policy."""

    def make(package: Path) -> bytes:
        text = (package / path).read_text("utf-8")
        for banned in ("process.env", "eval(", "new Function("):
            if banned in text:
                raise SystemExit(f"{path} has `{banned}`: it cannot be vendored")
        if bare := re.search(r"""(?:from|import)\s*["'](?![./])([^"']+)["']""", text):
            raise SystemExit(f"{path} imports {bare[1]!r} by a bare name: it cannot be vendored")
        return re.sub(r"\n?//# sourceMappingURL=\S*\s*$", "\n", text).encode()

    return make


def copied(path: str) -> Make:
    return lambda package: (package / path).read_bytes()


def sprite(package: Path) -> bytes:
    """One SVG with a symbol per icon of ICONS: the whole set is sixty times larger."""
    parts = ['<svg xmlns="http://www.w3.org/2000/svg">']
    for name in ICONS:
        text = (package / "icons" / f"{name}.svg").read_text("utf-8")
        found = re.search(r"<svg[^>]*>(.*)</svg>", text, re.S)
        if not found:
            raise SystemExit(f"{name}.svg is no SVG")
        inner = re.sub(r"\s*\n\s*", "", found[1]).replace(" />", "/>")
        parts.append(f'<symbol id="{name}" viewBox="0 0 24 24">{inner}</symbol>')
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()


PIECES: tuple[Piece, ...] = (
    Piece("lit-html.js", "lit-html", "3.3.3", "BSD-3-Clause", script("lit-html.js")),
    Piece("icons.svg", "lucide-static", "1.62.0", "ISC AND MIT", sprite),
    Piece(
        "inter.woff2", "@fontsource-variable/inter", "5.3.0", "OFL-1.1",
        copied("files/inter-latin-wght-normal.woff2"),
    ),
    Piece(
        "jetbrains-mono.woff2", "@fontsource-variable/jetbrains-mono", "5.3.0", "OFL-1.1",
        copied("files/jetbrains-mono-latin-wght-normal.woff2"),
    ),
)  # fmt: skip


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def check(root: Path = HERE) -> list[str]:
    """What differs between the folder and its manifest, as sentences; [] when nothing does."""
    listed = json.loads((root / MANIFEST).read_text("utf-8"))["files"]
    wrong: list[str] = []
    expected = {MANIFEST}
    for entry in listed:
        expected |= {entry["file"], entry["licence_file"]}
        for name, sha in ((entry["file"], entry["sha256"]), (entry["licence_file"], entry["licence_sha256"])):
            path = root / name
            if not path.is_file():
                wrong.append(f"{name} is missing")
            elif digest(path.read_bytes()) != sha:
                wrong.append(f"{name} is not what the manifest says")
        path = root / entry["file"]
        if path.is_file() and (size := path.stat().st_size) != entry["bytes"]:
            wrong.append(f"{entry['file']} has {size} bytes, the manifest says {entry['bytes']}")
    found = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
    wrong += [f"{name} is in no manifest" for name in sorted(found - expected)]
    return wrong


def unpack(package: str, version: str, into: Path) -> tuple[Path, str]:
    """`npm pack` one package; its folder and the registry's integrity of the tarball."""
    argv = ["npm", "pack", f"{package}@{version}", "--json", "--silent"]
    done = subprocess.run(argv, cwd=into, check=True, capture_output=True)
    [about] = json.loads(done.stdout)
    target = into / about["filename"].removesuffix(".tgz")
    with tarfile.open(into / about["filename"]) as tar:
        tar.extractall(target, filter="data")
    return target / "package", about["integrity"]


def refresh(root: Path = HERE) -> None:
    """Fetch every piece anew and write the files, their licences and the manifest."""
    (root / "licenses").mkdir(parents=True, exist_ok=True)
    entries = []
    with tempfile.TemporaryDirectory() as temp:
        for piece in PIECES:
            package, integrity = unpack(piece.package, piece.version, Path(temp))
            data = piece.make(package)
            licence = (package / piece.licence_source).read_bytes()
            (root / piece.file).write_bytes(data)
            (root / piece.licence_file).write_bytes(licence)
            entries.append({
                "file": piece.file, "name": piece.package, "version": piece.version,
                "licence": piece.licence, "licence_file": piece.licence_file,
                "licence_sha256": digest(licence), "source": f"npm:{piece.package}@{piece.version}",
                "integrity": integrity, "sha256": digest(data), "bytes": len(data),
            })  # fmt: skip
    text = json.dumps({"files": entries}, indent=2, ensure_ascii=False)
    (root / MANIFEST).write_text(text + "\n", "utf-8")


def main(argv: list[str]) -> int:
    if argv == ["refresh"]:
        refresh()
    elif argv != ["check"]:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = check()
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
