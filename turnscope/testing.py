"""For other people's tests: an agent's stream is clean, or the test says what is wrong with it.

    from turnscope.testing import assert_clean

    def test_the_agent_answers_every_call():
        events = [event for event in my_agent.run("Two seats to Sandholm")]
        assert_clean(events)

Takes a recording on disk, its bytes, or the events themselves as they are made or sent. Imports `core` alone:
no server, no database, no Django. Counterpart: `turnscope findings`, which says the same of files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from pathlib import Path
from typing import Any, TypeAlias

from .core import tools
from .core.muting import Mute, Muting, Told, compile_muting, fails
from .core.picture import read_file
from .core.reports import Heard, Report, report, text
from .core.rules import rule
from .core.rules.finding import ERROR, SEVERITIES, Finding

Events: TypeAlias = "str | os.PathLike[str] | bytes | Iterable[Any]"
"""A path; a recording's bytes; or events: mappings, JSON texts, or objects of `ag_ui.core` (anything that has
`model_dump_json`)."""

__all__ = ["Events", "assert_clean", "findings"]


def assert_clean(
    events_or_path: Events,
    allow: Iterable[str] = (),
    settings: Mapping[str, Any] | None = None,
    *,
    fail_on: str = ERROR,
) -> None:
    """Raise AssertionError unless nothing at or above `fail_on` (`error`, `warning`, `info`) is wrong.

    `allow` names what is known and accepted: a code, `"C18"`, or a code and what it is about, `"C02:save_*"`
    (the call's id or its tool, the run's or the thread's id). What an allowed finding explains is not allowed
    by that. `settings` judge as a channel's do, for example `{"owners": {"client": ["show_*"]}}`.
    ValueError for an argument that is none.
    """
    __tracebackhide__ = True
    if fail_on not in SEVERITIES:
        raise ValueError(f"fail_on is one of {', '.join(SEVERITIES)}, not {fail_on!r}")
    muting = _allowed(allow, settings or {})
    told = _reported(events_or_path, settings or {}, muting)
    if not told.frames:
        raise AssertionError(f"{told.file}: there is not one event in it")
    if any(fails(one.severity, fail_on) for _, one in told.told):
        raise AssertionError(_message(told, fail_on))


def findings(events_or_path: Events, settings: Mapping[str, Any] | None = None) -> list[Finding]:
    """Every finding that stands, those that others explain (`because_of`) too: for asserts of your own."""
    told = _reported(events_or_path, settings or {}, Muting())
    return [found for heard in told.threads for found in heard.findings.values()]


# ---------------------------------------------------------------- what is judged


def _reported(events_or_path: Events, settings: Mapping[str, Any], muting: Muting) -> Report:
    wrong = tools.problems(dict(settings))
    if wrong:
        raise ValueError("; ".join(wrong))
    name, data = _data(events_or_path)
    reading = read_file(data, settings=dict(settings), name=name, keep_frames=False)
    return report(name, reading, muting)


def _data(events_or_path: Events) -> tuple[str, bytes]:
    """A name to speak of, and the recording."""
    if isinstance(events_or_path, bytes):
        return "the recording", events_or_path
    if isinstance(events_or_path, str | os.PathLike):
        path = Path(events_or_path)
        return str(events_or_path), path.read_bytes()
    return "the events", b"\n".join(_line(event) for event in events_or_path)


def _line(event: Any) -> bytes:
    dump = getattr(event, "model_dump_json", None)
    if callable(dump):
        event = dump(by_alias=True, exclude_none=True)
    if isinstance(event, bytes | str):
        return event.encode("utf-8", "surrogatepass") if isinstance(event, str) else event
    if isinstance(event, Mapping):
        return json.dumps(dict(event)).encode()
    raise ValueError(f"an event is a mapping, a JSON text or an ag_ui.core event, not {type(event).__name__}")


def _allowed(allow: Iterable[str], settings: Mapping[str, Any]) -> Muting:
    if isinstance(allow, str):
        raise ValueError(f"allow is a list, as in [{allow!r}]")
    muting = compile_muting(settings)
    for one in allow:
        code, _, glob = one.partition(":")
        if rule(code) is None:
            raise ValueError(f"allow names {code!r}: there is no such rule")
        subject = re.compile(translate(glob)) if glob else None
        muting.mutes.setdefault(code, []).append(Mute(code, subject, "allowed by the test", ""))
    return muting


# ---------------------------------------------------------------- what is said


def _message(told: Report, fail_on: str) -> str:
    failing = (one for one in told.told if fails(one[1].severity, fail_on))
    hint = ", ".join(dict.fromkeys(entry for heard, one in failing for entry in _entries(told, heard, one)))
    return (
        "\n".join(text.block(told))
        + f"\n\nNothing at or above {fail_on!r} was to be wrong. `turnscope findings --explain CODE` tells"
        + f"\nmore of a rule. What is known and accepted can be let through: allow=[{hint}]."
    )


def _entries(told: Report, heard: Heard, group: Told) -> Iterator[str]:
    """What `allow` would take for the root of this group, or for its effects if the root is let through."""
    thread = heard.thread.picture.thread
    roots = [group.group.root] if group.muted is None else group.group.effects
    for found in roots:
        if told.muting.of(thread, found) is None:
            call = thread.call(found.call) if found.call else None
            tool = call.name if call is not None and call.id == found.subject else ""
            yield repr(f"{found.code}:{tool}" if tool else found.code)
