"""Mends SQL by rule before anyone is asked: names, literals, and what another dialect would say.

Decides only what is clearly meant: a name with one near neighbour, a column that one table in
reach has, a text that one stored value resembles. Whether the mended SQL is better is seen when
it runs; a statement that worked is never touched, and one that returned nothing has only its
texts looked at. Edits are made in the text, so that everything else stays as it was written.
"""

from __future__ import annotations

from sqlagent.makers.repair.ambiguity import ambiguity_edits
from sqlagent.makers.repair.edits import Mended, apply
from sqlagent.makers.repair.literals import Index, literal_edits
from sqlagent.makers.repair.naming import name_edits
from sqlagent.makers.repair.spelling import respell
from sqlagent.makers.repair.translating import translated
from sqlagent.sql.literals import ODD
from sqlagent.values import Catalog, Failure, FailureKind, Refusal

__all__ = ["Index", "Mended", "mend"]

PASSES = 4
"""A mended table shows its columns, which may need mending in turn."""


def mend(
    sql: str, catalog: Catalog, index: Index | None = None, problem: Refusal | Failure | None = None
) -> Mended | None:
    """Mend a statement that was refused, failed or returned nothing; None when nothing is clear.

    `problem` is what came of it, or None when it ran and returned nothing: then only texts that
    match no stored value are rebound. Never raises.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> shop = Catalog("sqlite", (Table("customers", (Column("name"), Column("city"))),))
        >>> problem = Failure(FailureKind.ERROR, "no such column: nmae")
        >>> mend("SELECT nmae FROM customers", shop, None, problem).sql
        'SELECT name FROM customers'
    """
    if isinstance(problem, Failure) and problem.kind in (
        FailureKind.TIMEOUT,
        FailureKind.CANCELLED,
        FailureKind.LOST,
    ):
        return None
    try:
        return _mended(sql, catalog, index, problem)
    except ODD:
        return None


def _mended(
    sql: str, catalog: Catalog, index: Index | None, problem: Refusal | Failure | None
) -> Mended | None:
    text = sql
    notes: list[str] = []
    if problem is not None:
        said = problem.message if isinstance(problem, Failure) else f"{problem.what} {problem.why}"
        text, notes = respell(text, catalog)
        for _ in range(PASSES):
            edits = name_edits(text, catalog)
            if not edits:
                break
            text = apply(text, edits)
            notes += [e.note for e in edits]
        edits = ambiguity_edits(text, catalog, said)
        text = apply(text, edits)
        notes += [e.note for e in edits]
        foreign = (
            translated(text, catalog.dialect, said) if text == sql or "function" in said.lower() else None
        )
        if foreign is not None:
            text = foreign.sql
            notes += foreign.notes
    if index is not None:
        edits = literal_edits(text, catalog, index)
        text = apply(text, edits)
        notes += [e.note for e in edits]
    return Mended(text, tuple(dict.fromkeys(notes))) if text != sql else None
