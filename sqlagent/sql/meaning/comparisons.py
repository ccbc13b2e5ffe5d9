"""Checks of comparisons and sums: those that are never true, that leave rows out, or that compare what does not compare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from sqlagent.sql.meaning.doubt import Doubt, doubt_at
from sqlagent.sql.meaning.reading import Reading, Stored
from sqlagent.values import Kind

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
# Dialects in which two whole numbers divide to a whole one, and which read a text as a number where one is wanted.
_WHOLE = ("sqlite", "postgres", "tsql", "redshift", "presto", "trino")


def null(reading: Reading) -> Iterator[Doubt]:
    """A comparison with NULL, which is never true."""
    for node in reading.tree.find_all(exp.EQ, exp.NEQ):
        if isinstance(node.find_ancestor(exp.Update, exp.Select), exp.Update):
            continue
        if isinstance(node.this, exp.Null) or isinstance(node.expression, exp.Null):
            word = "IS NULL" if isinstance(node, exp.EQ) else "IS NOT NULL"
            yield doubt_at("null", f"A comparison with NULL is never true. Write {word}.", node)


def not_in(reading: Reading) -> Iterator[Doubt]:
    """NOT IN over a column that holds NULLs, which lets no row pass."""
    for scope in reading.scopes:
        query = scope.expression
        if not isinstance(query, exp.Select) or len(query.selects) != 1:
            continue
        inside = query.parent
        node = inside.parent if isinstance(inside, exp.Subquery) else inside
        if not isinstance(node, exp.In) or not isinstance(node.parent, exp.Not):
            continue
        stored = reading.stored(query.selects[0].unalias(), scope)
        if stored is None or not _holds_nulls(reading, stored) or _is_filtered(reading, query, scope, stored):
            continue
        words = (
            f"{stored.table.name}.{stored.column.name} holds NULLs: then NOT IN lets no row pass. "
            f"Add WHERE {stored.column.name} IS NOT NULL inside, or write NOT EXISTS."
        )
        yield doubt_at("not in", words, node)


def _holds_nulls(reading: Reading, stored: Stored) -> bool:
    """NULLs were seen in a column that may hold them; where nothing was looked at, it may."""
    if not stored.column.nullable or stored.column.name in stored.table.primary_key:
        return False
    seen = reading.facts_of(stored)
    return seen is None or seen[0].filled < seen[1]


def _is_filtered(reading: Reading, query: exp.Select, scope: Scope, stored: Stored) -> bool:
    """A condition on the column leaves no NULL of it."""
    where = query.args.get("where")
    if where is None:
        return False
    for column in where.find_all(exp.Column):
        found = reading.stored(column, scope)
        if (
            found is not None
            and found.column is stored.column
            and not isinstance(column.parent, exp.Coalesce)
        ):
            is_null = isinstance(column.parent, exp.Is) and not isinstance(column.parent.parent, exp.Not)
            return not is_null
    return False


def between(reading: Reading) -> Iterator[Doubt]:
    """BETWEEN on times with a bare day as its end, which leaves that day out but for midnight."""
    for scope in reading.scopes:
        for node in scope.find_all(exp.Between):
            stored = reading.stored(node.this, scope)
            high = node.args["high"].this if isinstance(node.args["high"], exp.Cast) else node.args["high"]
            if stored is None or stored.column.kind is not Kind.DATETIME or not _is_day(high):
                continue
            seen = reading.facts_of(stored)
            if seen is not None and len(seen[0].high) <= 10:  # noqa: PLR2004 - a day has ten characters
                continue
            name = stored.column.name
            words = (
                f"{name} has a time of day, so that {high.name} as the end leaves that day out but for midnight. "
                f"Write {name} >= the first day AND {name} < the day after the last."
            )
            yield doubt_at("between", words, node)


def _is_day(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and bool(_DAY.fullmatch(node.this))


def division(reading: Reading) -> Iterator[Doubt]:
    """A division of whole numbers, which drops what is behind the point."""
    if reading.catalog.dialect not in _WHOLE:
        return
    for scope in reading.scopes:
        for node in scope.find_all(exp.Div):
            whole = reading.is_whole_number(node.this, scope) and reading.is_whole_number(
                node.expression, scope
            )
            is_plain = isinstance(node.this, exp.Literal) and isinstance(node.expression, exp.Literal)
            if not whole or is_plain or isinstance(node.parent, (exp.Cast, exp.Mod)):
                continue
            words = "Both sides are whole numbers, so that the result drops what is behind the point: 3 / 2 is 1. Write 1.0 * before it."
            yield doubt_at("division", words, node)


def text_and_number(reading: Reading) -> Iterator[Doubt]:
    """A text compared with a number by size, or a number with a text that is none."""
    for scope in reading.scopes:
        for node in scope.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
            for side, other in ((node.this, node.expression), (node.expression, node.this)):
                stored = reading.stored(side, scope)
                if stored is None or not isinstance(other, exp.Literal):
                    continue
                yield from _compared(reading, node, stored, other)


def _compared(reading: Reading, node: exp.Expr, stored: Stored, literal: exp.Literal) -> Iterator[Doubt]:
    kind, name = stored.column.kind, f"{stored.table.name}.{stored.column.name}"
    seen = reading.facts_of(stored)
    if kind is Kind.TEXT and not literal.is_string and not isinstance(node, (exp.EQ, exp.NEQ)):
        if seen is not None and _sorts_alike(seen[0].low, seen[0].high, literal.this):
            return
        words = f"{name} holds texts, which are compared letter by letter: '9' comes after '10'. Cast it to a number."
        yield doubt_at("text and number", words, node)
    elif kind in (Kind.INTEGER, Kind.NUMBER) and literal.is_string and not _NUMBER.fullmatch(literal.this):
        if seen is not None and not (_NUMBER.fullmatch(seen[0].low) and _NUMBER.fullmatch(seen[0].high)):
            return  # SQLite keeps texts in a column of numbers
        yield doubt_at("text and number", f"{name} holds numbers; '{literal.this}' is none.", node)


def _sorts_alike(*texts: str) -> bool:
    """Whole numbers of one length sort as texts as they do as numbers: years do.

    Example:
        >>> _sorts_alike("1959", "2011", "1961"), _sorts_alike("10", "9")
        (True, False)
    """
    return all(text.isdigit() for text in texts) and len({len(text) for text in texts}) == 1
