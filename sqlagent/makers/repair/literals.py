"""Texts that are stored nowhere in the column they are compared with, rebound to what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from sqlagent.makers.repair.edits import Edit, parse
from sqlagent.sql.literals import ODD
from sqlagent.sql.names import Resolver
from sqlagent.values import Catalog, ColumnRef, ValueMatch

LITERAL_SCORE = 0.8
"""Score of the value index from which a stored value may stand for a text."""
LITERAL_MARGIN = 0.05


class Index(Protocol):
    """The part of the value index that is needed here."""

    def search(self, words: str, *, limit: int = 10) -> Sequence[ValueMatch]:
        """Find what words may mean, best first."""
        ...

    def holds(self, column: ColumnRef, text: str) -> bool:
        """Whether exactly this text is stored in that column."""
        ...

    def columns(self) -> Sequence[ColumnRef]:
        """The columns that were read."""
        ...


def literal_edits(sql: str, catalog: Catalog, index: Index) -> list[Edit]:
    """Rebind texts that are stored nowhere in their column to the value they resemble."""
    root = parse(sql, catalog.dialect)
    if root is None:
        return []
    resolver = Resolver(catalog, lambda unknown: None)
    try:
        resolver.statement(root)
        tokens = Dialect.get_or_raise(catalog.dialect).tokenize(sql)
    except ODD:
        return []
    wanted: dict[str, set[str]] = {}
    for column, text in _compared(root):
        table = resolver.bindings.get(id(column))
        known = table.column(column.name) if table is not None else None
        if table is None or known is None:
            continue
        value = _stored(text, ColumnRef(table.key, known.name), index)
        wanted.setdefault(text, set()).add(value if value else text)
    edits = []
    for token in tokens:
        values = wanted.get(token.text, set())
        is_text = sql[token.start] in "'\"" and sql[token.end] == sql[token.start]
        if is_text and len(values) == 1 and (value := next(iter(values))) != token.text:
            quoted = "'" + value.replace("'", "''") + "'"
            note = f"'{token.text}' is not stored there: took '{value}'"
            edits.append(Edit(token.start, token.end + 1, quoted, note))
    return edits


def _compared(root: exp.Expr) -> Iterable[tuple[exp.Column, str]]:
    """List the columns that are compared with a text by = or IN."""
    for node in root.find_all(exp.EQ, exp.In):
        sides = [node.this, *([node.expression] if isinstance(node, exp.EQ) else node.expressions)]
        columns = [s for s in sides if isinstance(s, exp.Column) and not _is_text(s)]
        texts = [s.name for s in sides if _is_text(s)]
        if len(columns) == 1:
            yield from ((columns[0], text) for text in texts)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _stored(text: str, column: ColumnRef, index: Index) -> str:
    """Find the stored value of a column that a text clearly stands for, or ""."""
    if column not in index.columns() or index.holds(column, text):
        return ""
    found: dict[str, float] = {}
    for match in index.search(text, limit=20):
        if match.column == column and match.score >= LITERAL_SCORE:
            found[match.value] = max(found.get(match.value, 0.0), match.score)
    best = sorted(found.items(), key=lambda item: -item[1])
    if not best or (len(best) > 1 and best[0][1] - best[1][1] < LITERAL_MARGIN):
        return ""
    return best[0][0]
