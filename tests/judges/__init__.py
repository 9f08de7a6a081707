"""Judges no one here wrote, in Python: the vendors' own packages, in an environment of their own.

`requirements.txt` pins them; they are installed once into `.venvs/judges`, and again when it changes. They
stay out of `.venv`, so that no one needs them to run Turnscope or its quick tests. Where they cannot be
installed a test is skipped with the reason, and fails where CI=true.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
INSTALLED = HERE.parent.parent / ".venvs" / "judges"
STAMP = "installed.txt"
SECONDS = 600

MISTRAL = ("mistral_v7", "mistral_v11", "mistral_v13", "mistral_v15")
OF = {
    "openai_chat": ("openai_chat", "turnsafe_openai", "toolrepair_openai"),
    "openai_responses": ("openai_responses",),
    "openai_responses_strict": ("openai_responses",),
    "anthropic": ("anthropic", "turnsafe_anthropic", "toolrepair_anthropic"),
    "gemini": ("gemini",),
    "mistral": (*MISTRAL, "turnsafe_openai", "toolrepair_openai"),
    "bedrock": ("bedrock",),
    "vllm": ("openai_chat", "turnsafe_openai", "toolrepair_openai"),
    "langchain": ("langchain",),
    "langgraph": ("langgraph",),
    "pydantic_ai": ("pydantic_ai", "pydantic_ai_sent"),
}
"""Target -> who judges its lists. Of `ai_sdk` and `ag_ui`, packages for Node do, in test_interop.py."""


def verdicts(judge: str, lists: Sequence[list[Any]]) -> list[str | None]:
    """What the judge refuses about each list; None where nothing."""
    return _asked("judge.py", [{"judge": judge, "messages": messages} for messages in lists])


def mended(peer: str, lists: Sequence[list[Any]]) -> list[dict[str, Any]]:
    """What another repairer makes of each list: `messages`, or `raised`. See peer.py."""
    return _asked("peer.py", [{"peer": peer, "messages": messages} for messages in lists])


def versions(*packages: str) -> dict[str, str]:
    """The versions that judge."""
    [found] = _asked("peer.py", [{"versions": packages}])
    return dict(found)


def _asked(script: str, cases: Sequence[Any]) -> list[Any]:
    """One answer of the script for each case, in their order."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = _run([str(_python()), str(HERE / script)], lines)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(cases)
    return found


def _run(command: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=SECONDS, check=False)


def _python() -> Path:
    """The judges' Python, with everything they need; installs it if need be."""
    wanted = (HERE / "requirements.txt").read_text()
    python, stamp = INSTALLED / "bin" / "python", INSTALLED / STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    for command in (
        [sys.executable, "-m", "venv", str(INSTALLED)],
        [str(python), "-m", "pip", "install", "-q", "-r", str(HERE / "requirements.txt")],
    ):
        done = _run(command)
        if done.returncode != 0:
            why = f"the judges cannot be installed: {done.stderr.strip()[-400:]}"
            if os.environ.get("CI") == "true":
                pytest.fail(why)
            pytest.skip(why)
    stamp.write_text(wanted)
    return python
