"""The laws of repair, as checks of one case: what went in, what came out, what was said about it.

Judged with `tests/oracles.py`, which shares no code with the passes.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import replace
from typing import Any

from tests import oracles
from turnscope.core.repair import Change, Repaired, repair, shapes

GONE = ("dropped", "quoted", "wrapped", "relabelled")
CAME = ("answered", "recovered", "quoted", "wrapped", "relabelled", "filler_added")
MOVED = ("relocated", "reordered")
SAID = ("first_user", "bridges", "alternate")
"""Rules for which something is said that nobody said."""
RESPELLED = ("foreign_block", "name_missing", "id_missing")
IDS = ("id_format", "id_too_long", "id_reused")


def lawful(shape: str, target: str, messages: list[Any], **choices: Any) -> Repaired:
    """Repairs one list and holds the result to every law; the repaired list, for what else a test wants."""
    before = copy.deepcopy(messages)
    done = repair(shapes.read(messages, shape), target, **choices)
    assert messages == before, "the input was touched"
    again = repair(shapes.read(messages, shape), target, **choices)
    assert again.as_json() == done.as_json(), "not deterministic"
    accepted_or_says_why(target, done)
    idempotent(shape, target, done, **choices)
    plain = done
    if choices.get("ids") == "map":
        plain = unmapped(messages, done)
    else:
        assert not done.ids, "an id was given to a call, and nobody chose that"
    nothing_invented(messages, plain)
    texts_in_order(messages, plain)
    unchanged_is_identical(messages, plain)
    each_difference_has_one_change(messages, plain)
    return done


def unmapped(messages: list[Any], done: Repaired) -> Repaired:
    """The repair without its map, for which every other law holds as ever; what was mapped is told."""
    told = [c for c in done.changes if c.action == "relabelled" and c.code in IDS]
    assert Counter(c.call_id for c in told) == Counter(done.ids.values()), "the map and the changes differ"
    spelled = [json.dumps(message, sort_keys=True) for message in messages]

    def as_it_was(message: Any) -> Any:
        if not done.ids:
            return message
        before = _renamed(message, done.ids)
        text = json.dumps(before, sort_keys=True)
        if before == message:
            return message
        return messages[spelled.index(text)] if text in spelled else before

    rest = [c for c in done.changes if c not in told]
    return replace(done, messages=[as_it_was(message) for message in done.messages], changes=rest, ids={})


def _renamed(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, ids) for inner in value]
    return ids.get(value, value) if isinstance(value, str) else value


def accepted_or_says_why(target: str, done: Repaired) -> None:
    refused = oracles.refusals(target, done.messages, tuple(done.pending))
    assert not refused or done.blockers, f"refused without a blocker: {refused}"
    assert all(not blocker.message.startswith("not mended") for blocker in done.blockers), done.blockers
    assert done.sendable == (not done.blockers and not done.pending)


def idempotent(shape: str, target: str, done: Repaired, **choices: Any) -> None:
    if done.ids:
        # Who is about to answer knows the ids that were sent.
        choices = {**choices, "pending": done.pending}
    twice = repair(shapes.read(done.messages, shape), target, **choices)
    assert twice.messages == done.messages
    assert [c for c in twice.changes if c.action != "kept"] == []


def nothing_invented(messages: list[Any], done: Repaired) -> None:
    ins, outs = oracles.atoms(messages), oracles.atoms(done.messages)
    calls_in = Counter(atom.call for atom in ins if atom.kind == "call")
    calls_out = Counter(atom.call for atom in outs if atom.kind == "call")
    assert calls_out <= calls_in, "a call was made up"
    assert {a.call for a in outs if a.call} <= {a.call for a in ins}, "an id was made up"


def texts_in_order(messages: list[Any], done: Repaired) -> None:
    """Nobody's words move or go or come, but what is quoted (in brackets), or the system's if told."""

    def texts(found: list[oracles.Atom], *roles: str) -> list[tuple[str, str]]:
        return [
            (a.kind, a.said)
            for a in found
            if a.kind[8:] in roles and a.kind[:8] == "text of " and a.said.strip()
        ]

    fillers = {
        index for c in done.changes if c.action == "filler_added" and c.rule in SAID for index, _ in c.dst
    }
    after = [atom for atom in oracles.atoms(done.messages) if atom.message not in fillers]
    before = oracles.atoms(messages)
    quotes = [a for a in after if a.kind.startswith("text of") and a.said.startswith("[")]
    told = [
        c for c in done.changes if c.action == "quoted" or (c.action in ("answered", "recovered") and quotes)
    ]
    assert len(quotes) <= len(told), "words came that no change speaks of"
    said = [atom for atom in after if atom not in quotes]
    moved = any(change.code == "system_not_first" for change in done.changes)
    for roles in (
        (("user", "assistant"), ("system", "developer")) if moved else (("user", "assistant", "system"),)
    ):
        assert texts(said, *roles) == texts(before, *roles)


def unchanged_is_identical(messages: list[Any], done: Repaired) -> None:
    """A message no change speaks of is the very object that came in."""
    identities = {id(message) for message in messages}
    touched = {index for change in done.changes for index, _ in change.dst}
    sources = {index for change in done.changes if change.action in GONE + MOVED for index, _ in change.src}
    mentioned = [set(_plain(oracles.atoms([messages[index]]))) for index in sources]
    for index, message in enumerate(done.messages):
        if id(message) in identities or index in touched:
            continue
        said = set(_plain(oracles.atoms([message])))
        assert any(said <= atoms for atoms in mentioned), f"message {index} differs and no change says so"


def _plain(atoms: list[oracles.Atom]) -> list[tuple[str, str | None, str]]:
    return [(atom.kind, atom.call, atom.said) for atom in atoms]


def each_difference_has_one_change(messages: list[Any], done: Repaired) -> None:
    before, after = _plain(oracles.atoms(messages)), _plain(oracles.atoms(done.messages))
    gone, came = Counter(before) - Counter(after), Counter(after) - Counter(before)
    emptied = [c for c in done.changes if c.code in ("empty_message", "reasoning_only_message")]
    with_message = {index for change in emptied for index, _ in change.src}
    fallen = Counter(_plain([a for a in oracles.atoms(messages) if a.message in with_message]))
    changes = [c for c in done.changes if c not in emptied and c.action != "kept"]
    # What is spelled in another way says the same, and had an id or a name before or not.
    spelled = [c for c in changes if c.code in RESPELLED]
    slack = Counter(c.call_id for c in spelled) + Counter({None: len(spelled)})
    changes = [c for c in changes if c not in spelled]
    lost = _by_call(gone) - _by_call(fallen)
    told = Counter(_said_of(c, messages) for c in changes if c.action in GONE)
    assert Counter({call: n for call, n in lost.items() if call}) <= told + slack, (
        gone,
        done.as_json()["changes"],
    )
    quiet = ("text of", "item id")
    silent = sum(
        n for atom, n in (gone - fallen).items() if atom[1] is None and not atom[0].startswith(quiet)
    )
    assert silent <= told[None] + slack[None], ("went without a word", gone, told)
    assert +(told - _by_call(gone) - slack) == Counter() or _twins(told, gone, before), (gone, told)
    new = Counter(c.call_id for c in changes if c.action in CAME) + slack
    assert _by_call(came) <= new + Counter({None: sum(came.values())}), (came, new)
    same = {id(message) for message in messages}
    for change in spelled:
        assert all(id(done.messages[index]) not in same for index, _ in change.dst), (
            change,
            "nothing differs",
        )
    _moves_are_told(messages, done)


def _said_of(change: Change, messages: list[Any]) -> str | None:
    """The call id that a change speaks of, as its source has it: a result may have had none."""
    there = {atom.call for index, _ in change.src for atom in oracles.atoms([messages[index]])}
    return None if change.call_id not in there and None in there else change.call_id


def _by_call(atoms: Counter[tuple[str, str | None, str]]) -> Counter[str | None]:
    found: Counter[str | None] = Counter()
    for (_, call, said), n in atoms.items():
        if call is not None or said.strip():
            found[call] += n
    return found


def _twins(told: Counter[str | None], gone: Counter[Any], before: list[Any]) -> bool:
    """A change that leaves no trace is a lie, unless it is about something that is no atom (a blank text,
    or an approval)."""
    extra = told - _by_call(gone)
    return set(extra) <= {None}


def _moves_are_told(messages: list[Any], done: Repaired) -> None:
    """Compared by what is said once only in both lists: of two equal things nobody knows which is which."""
    ins, outs = oracles.atoms(messages), oracles.atoms(done.messages)
    before, after = _plain(ins), _plain(outs)
    moved = {change.call_id for change in done.changes if change.action in MOVED}
    system = any(change.code == "system_not_first" for change in done.changes)
    once = {atom for atom, n in Counter(before).items() if n == 1}
    once &= {atom for atom, n in Counter(after).items() if n == 1}
    # What lacked an id or a name may now read as another did that went.
    lacked = {change.call_id for change in done.changes if change.code in RESPELLED}
    once = {atom for atom in once if atom[1] is None or atom[1] not in lacked}
    left, right = [a for a in before if a in once], [a for a in after if a in once]

    def stays(atom: Any) -> bool:
        if system and atom[0] in ("text of system", "text of developer"):
            return False
        return not (atom[0] == "result" and atom[1] in moved)

    assert list(filter(stays, left)) == list(filter(stays, right)), "something moved and no change says so"
    for call in moved - ({None} if system else set()):
        results = [atom for atom in left if atom[0] == "result" and atom[1] == call]
        twice = any(atom[1] == call and atom not in once for atom in [*before, *after])
        twice = twice or any(set(_beside(ins, atom)) - once for atom in results)
        told = any(_ahead(before, atom, after) != _ahead(after, atom, before) for atom in results)
        told = told or any(_beside(ins, atom) != _beside(outs, atom) for atom in results)
        assert twice or told, f"nothing moved for {call}"


def _beside(atoms: list[oracles.Atom], atom: Any) -> Counter[Any]:
    """What stands in one message with an atom."""
    [at] = {one.message for one in atoms if (one.kind, one.call, one.said) == atom}
    return Counter(_plain([one for one in atoms if one.message == at]))


def _ahead(atoms: list[Any], atom: Any, others: list[Any]) -> Counter[Any]:
    """What stands before an atom, of what the other list says too; a call counts whatever its arguments."""
    there = {_spot(other) for other in others}
    return Counter(_spot(a) for a in atoms[: atoms.index(atom)] if _spot(a) in there)


def _spot(atom: Any) -> Any:
    return atom[:2] if atom[0] == "call" else atom


def shown(messages: list[Any]) -> str:
    """For a failing case."""
    return "\n".join(json.dumps(message) for message in messages)
