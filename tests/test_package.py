"""What people install: the wheel, in an environment of its own, far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

from tests.services import free_port

ROOT = Path(__file__).parent.parent
STORY = ROOT / "tests" / "corpus" / "stories"

pytestmark = [pytest.mark.prove, pytest.mark.timeout(600)]


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run to the end. The checkout is not on its path."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TURNSCOPE_"))
    }
    return subprocess.run(command, cwd=cwd, env={**clean, **environment}, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    assert done.returncode == 0, done.stderr
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin/ of an environment that holds the wheel, what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    done = run(folder / "bin" / "python", "-m", "pip", "install", "-q", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def test_the_wheel_holds_every_template_and_static_file_and_no_test(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "static"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        assert files, f"{folder}/ is empty"
        assert {f"turnscope/{path.relative_to(ROOT)}" for path in files} <= names
    assert not [name for name in names if name.startswith(("tests/", "bench/", "templates/", "static/"))]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_says_its_version_anywhere(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "turnscope", "--version", cwd=tmp_path)
    assert done.stdout.startswith("turnscope 0."), done.stderr


def test_it_reads_a_file_with_no_server_and_leaves_no_trace(installed: Path, tmp_path: Path) -> None:
    stream = sorted(STORY.glob("*.jsonl"))[0]
    home = tmp_path / "home"
    done = run(
        installed / "turnscope",
        "findings",
        stream,
        "--format",
        "json",
        cwd=tmp_path,
        TURNSCOPE_HOME=str(home),
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.lstrip().startswith("[")
    assert not home.exists()


def test_it_serves_the_demo_with_its_styles(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    environment = {**os.environ, "TURNSCOPE_HOME": str(tmp_path / "home")}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [installed / "turnscope", "serve", "--demo", "--port", str(port)],
            cwd=tmp_path,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        page = fetch(f"http://127.0.0.1:{port}/", server, tmp_path / "log")
        assert "Turnscope" in page
        style = page.split('rel="stylesheet"')[1].split('href="')[1].split('"')[0]
        assert "{" in fetch(f"http://127.0.0.1:{port}{style}", server, tmp_path / "log")
    finally:
        server.terminate()
        server.wait(timeout=20)


def fetch(url: str, server: subprocess.Popen[bytes], log: Path, *, within: float = 60) -> str:
    """The body of a page, waited for until the server answers."""
    deadline = time.monotonic() + within
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.read().decode()
        except ConnectionError:
            reason = "it stopped"
        except urllib.error.URLError as error:
            reason = str(error.reason)
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"{url}: {reason}\n{log.read_text()}")
        time.sleep(0.2)
