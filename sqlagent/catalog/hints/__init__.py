"""Hints: knowledge given with a question, read into definitions of its phrases against a catalog.

Decides what a hint says here, and tells what of it says nothing. Which words of the question a definition explains is for
`placing`; makers decide how to use them.

Example:
    >>> from sqlagent.values import Catalog, Column, Table
    >>> catalog = Catalog("sqlite", (Table("guest", (Column("height_cm"), Column("name"))),))
    >>> hint = read("tall means height_cm > 180; nice refers to charm > 3", catalog)
    >>> hint.definitions[0].meanings[0].tests[0][0].op, hint.unread
    ('>', ('nice refers to charm > 3',))
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

from sqlagent.catalog.hints.accounting import LeftOut, computes, covered, left_out
from sqlagent.catalog.hints.clauses import Clause, clauses
from sqlagent.catalog.hints.naming import Names
from sqlagent.catalog.hints.parsing import meanings
from sqlagent.catalog.hints.placing import narrowed
from sqlagent.catalog.hints.terms import Definition, Formula, Hint, Lost, Meaning, Test, Total
from sqlagent.catalog.keys import catalog_key
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import Catalog

__all__ = [
    "Definition",
    "Formula",
    "Hint",
    "LeftOut",
    "Lost",
    "Meaning",
    "Test",
    "Total",
    "computes",
    "covered",
    "left_out",
    "read",
]

KEPT = 16

_read: OrderedDict[Hashable, tuple[ValueIndex | None, Hint]] = OrderedDict()
_lock = Lock()


def read(hint: str, catalog: Catalog, index: ValueIndex | None = None) -> Hint:
    """Read a hint. Never raises, for any text; broken, too long or nameless parts are `unread`."""
    if not hint.strip():
        return Hint()
    key = (hint, catalog_key(catalog), id(index))
    with _lock:
        if key in _read:
            _read.move_to_end(key)
            return _read[key][1]
    made = _hint(hint, Names(catalog, index))
    with _lock:
        _read[key] = (index, made)
        while len(_read) > KEPT:
            _read.popitem(last=False)
    return made


def _hint(hint: str, names: Names) -> Hint:
    found, unread = clauses(hint)
    made: list[Definition] = []
    lost: list[Lost] = []
    for clause in found:
        one = _definition(clause, names)
        if one is None:
            unread.append(clause.text)
            lost.append(Lost(clause.phrase, clause.body, clause.text))
        else:
            made.append(one)
    kept = _agreed(made)
    others = [one for one in made if one not in kept]
    unread += [one.text for one in others]
    lost += [Lost(one.phrase, "", one.text) for one in others]
    return Hint(tuple(kept), tuple(unread), tuple(one for one in lost if one.phrase))


def _definition(clause: Clause, names: Names) -> Definition | None:
    found: tuple[Meaning, ...] = ()
    if clause.form == "equals" and (whole := meanings(clause.text, names)) and whole[0].tests:
        return Definition("", clause.text, narrowed(clause.text, whole))  # a bare condition: size = 3
    if clause.form == "is":
        found = _called(clause, names)
    if not found:
        found = meanings(clause.body, names)
    if not clause.phrase:
        found = tuple(one for one in found if one.tests and not one.shown)
    return Definition(clause.phrase, clause.text, narrowed(clause.phrase, found)) if found else None


def _called(clause: Clause, names: Names) -> tuple[Meaning, ...]:
    """ "Ann is the name": a text that is stored in the column named, rather than another word for the column."""
    text = clause.phrase.strip("'\"`")
    out = []
    for ref in names.said(clause.body):
        if ref.column and (stored := names.stored(ref, text)) is not None:
            out.append(Meaning(tests=((Test(ref, "=", (stored,)),),)))
    return tuple(out)


def _agreed(made: list[Definition]) -> list[Definition]:
    """Those whose phrase has one definition: of two that differ neither is believed."""
    by_phrase: dict[str, set[tuple[Meaning, ...]]] = {}
    for one in made:
        if one.phrase:
            by_phrase.setdefault(one.phrase.casefold(), set()).add(one.meanings)
    once: dict[Definition, None] = {}
    for one in made:
        if not one.phrase or len(by_phrase[one.phrase.casefold()]) == 1:
            once.setdefault(one)
    return list(once)
