"""Names behind the deed of a role: "jobs reviewed by Ada" are those whose reviewer she is, whatever nearer way leads to people.

Decides it before anything else is made of the items: the name knows the way (`owning`), and the deed asks for nothing. Leaves deeds
of which no column tells who did them, and deeds of several tables of which none is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_LIKELY = 0.2
"""Cost up to which a word likely means a role."""


def done_by(reading: Reading, source: Source) -> Reading:
    """Give a reading in which names behind "reviewed by", "translated and reviewed by" and "whose reviewer is" know in which role."""
    items = list(reading.items)
    at = 0
    while at < len(items):
        if items[at].op == "by" and items[at].text.lower() == "by":
            at = _by(items, at, source)
        elif at and items[at - 1].op == "rel":
            _is(items, at, source)
        at += 1
    return replace(reading, items=tuple(items)) if tuple(items) != reading.items else reading


def _by(items: list[Item], by: int, source: Source) -> int:
    """Take the deeds before a "by" into the names behind it; the place from which to look on."""
    first = by - 1
    while first > 1 and items[first - 1].op == "and" and _roles(items[first - 2], items, source):
        first -= 2
    deeds = [_roles(items[at], items, source) for at in range(first, by, 2)] if first > 0 else []
    names = _names(items, by + 1)
    tables = {t.table for one in names for t in one.targets if t.kind == "value"}
    own = [tuple(t for t in roles if _target(t) in tables) for roles in deeds]
    is_told = bool(names and own and all(own))
    if not is_told or not any(_is_role(items[at]) or _is_denied(items, at) for at in range(first, by, 2)):
        return _any_deed(items, by)
    count = len(names) * 2 - 1
    joined = [replace(one, owner=roles) for roles in own for one in items[by + 1 : by + 1 + count]]
    items[first : by + 1 + count] = joined
    if first > 1 and items[first - 1].op == "and" and items[first - 2].owner:
        del items[first - 1]
        first -= 1
    return first + len(joined) - 1


def _is_denied(items: Sequence[Item], at: int) -> bool:
    """Whether a deed is denied, of which somebody's name behind it is: "jobs not translated by Alice" are translated by others."""
    return at > 0 and items[at - 1].op in ("not", "except") and items[at].text.lower().endswith("ed")


def _any_deed(items: list[Item], by: int) -> int:
    """Leave the verb of "not done by Ada" out, which says no more than "not by Ada"; the place from which to look on."""
    is_bare = by > 1 and items[by - 1].kind == "verb" and items[by - 2].op in ("not", "except")
    if is_bare and items[by - 1].detail != "unknown" and _names(items, by + 1):
        del items[by - 1 : by + 1]
        return by - 2
    return by


def _is(items: list[Item], at: int, source: Source) -> None:
    """Take a role between "whose" and a name into the name."""
    role = items[at]
    if role.kind != "mention" or at + 1 >= len(items):
        return
    name = items[at + 1]
    own = tuple(
        t
        for t in _roles(role, items, source)
        if any(v.kind == "value" and v.table == _target(t) for v in name.targets[:1])
    )
    if own and not name.owner and name.start - role.end <= 1:
        items[at : at + 2] = [replace(name, owner=own)]


def _names(items: Sequence[Item], at: int) -> list[Item]:
    """The stored names that begin there: Ada, "Ada and Bo", "Ada or Bo"."""
    found: list[Item] = []
    while at < len(items) and items[at].kind == "mention" and items[at].targets[0].kind == "value":
        found.append(items[at])
        if at + 1 >= len(items) or items[at + 1].op not in ("and", "or"):
            break
        at += 2
    return found


def _is_role(item: Item) -> bool:
    return item.targets[0].kind == "relation"


def _roles(item: Item, items: Sequence[Item], source: Source) -> tuple[Target, ...]:
    """The columns of a table that is named by which its rows point at who did something."""
    if item.kind != "mention" or item.targets[0].kind not in ("relation", "thing"):
        return ()
    named = {
        t.table
        for one in items
        if one is not item and one.kind == "mention"
        for t in one.targets[:1]
        if t.kind in ("thing", "field")
    }
    found = [_role(t, source) for t in item.targets if t.cost <= _LIKELY and t.table in named]
    roles = {(t.table, t.column): t for t in found if t is not None and t.relation is not None}
    return tuple(roles.values()) if len(roles) == 1 else ()


def _role(target: Target, source: Source) -> Target | None:
    """A column that points at rows as the relation that it is."""
    if target.kind == "relation":
        return target
    columns = (target.column,)
    one = next((r for r in source.model.relations if (r.source, r.columns) == (target.table, columns)), None)
    return replace(target, kind="relation", relation=one) if target.kind == "field" and one else None


def _target(role: Target) -> str:
    """The table that a role's column points at."""
    return role.relation.target if role.relation is not None else ""
