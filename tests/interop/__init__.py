"""Judges no one here wrote: the vendors' own packages, run by Node over files.

`package.json` names them; they are installed once into `.venvs/interop` beside the checkout's other
environments, without a lock file, and again when `package.json` changes. Without Node a test that asks
for a judge is skipped with the reason, and fails where CI=true.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
INSTALLED = HERE.parent.parent / ".venvs" / "interop"
STAMP = "installed.json"
FILES_AT_ONCE = 200
SECONDS = 300


def judge(script: str, files: Sequence[Path], **environment: str) -> list[dict[str, Any]]:
    """One verdict per file, in their order: what the script prints, a JSON object a line."""
    node, modules = _node(), _modules()
    verdicts: list[dict[str, Any]] = []
    for start in range(0, len(files), FILES_AT_ONCE):
        batch = [str(path) for path in files[start : start + FILES_AT_ONCE]]
        done = subprocess.run(
            [node, str(HERE / script), str(modules), *batch],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        verdicts += [json.loads(line) for line in done.stdout.splitlines()]
    assert [verdict["file"] for verdict in verdicts] == [str(path) for path in files]
    return verdicts


def verdicts(streams: Iterable[Sequence[Any]], *, install: bool = True) -> list[dict[str, Any] | None]:
    """The official client's verdict on each stream of events: see agui_verdicts.mjs."""
    return told("agui_verdicts.mjs", streams, install=install)


def told(
    script: str, streams: Iterable[Sequence[Any]], *, install: bool = True, options: Sequence[str] = ()
) -> list[Any]:
    """What the script says of each stream, which it is given a line each.

    `options` go to the script. Without `install` nothing is fetched: where the packages are not there
    yet, the test is skipped.
    """
    if not install and not (INSTALLED / STAMP).exists():
        pytest.skip("the official client is not installed yet: `make prove` does it")
    done = subprocess.run(
        [_node(), str(HERE / script), str(_modules()), *options],
        input="".join(json.dumps(stream) + "\n" for stream in streams),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _missing(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"the interop judges cannot run: {why}")
    pytest.skip(f"the interop judges cannot run: {why}")


def _node() -> str:
    found = shutil.which("node")
    if found is None:
        _missing("no `node` on the path")
    return str(found)


def _modules() -> Path:
    """The directory the packages are installed in; installs them if need be."""
    wanted = (HERE / "package.json").read_text()
    INSTALLED.mkdir(parents=True, exist_ok=True)
    stamp = INSTALLED / STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return INSTALLED
    npm = shutil.which("npm")
    if npm is None:
        _missing("no `npm` on the path")
    (INSTALLED / "package.json").write_text(wanted)
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(
        [str(npm), "install", *quiet],
        cwd=INSTALLED,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        _missing(f"npm install failed: {done.stderr.strip()[-400:]}")
    stamp.write_text(wanted)
    return INSTALLED
