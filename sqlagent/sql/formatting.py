"""SQL laid out for reading: one clause a line, names and literals as they were. Meaning is never touched."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from sqlagent.sql.literals import ODD

# A longer line is broken; about the width of the editor beside a result.
WIDTH = 64


def formatted(sql: str, dialect: str) -> str | None:
    """Lay out one statement; comments stay. None when it cannot be read with certainty.

    A parser that would print another statement than it read counts as not able to read it.

    Example:
        >>> print(formatted("select a, count(*) from t where b = 'X' group by a", "sqlite"))
        SELECT a, COUNT(*)
        FROM t
        WHERE b = 'X'
        GROUP BY a
        >>> formatted("SELEC 1", "sqlite") is None
        True
    """
    try:
        trees = sqlglot.parse(sql, read=dialect)
        if len(trees) != 1 or not isinstance(trees[0], exp.Query):
            return None
        text = _joined(trees[0].sql(dialect=dialect, pretty=True, max_text_width=WIDTH - 8))
        again = sqlglot.parse_one(text, read=dialect)
    except ODD:
        return None
    return text if again == trees[0] else None


def _joined(text: str) -> str:
    """Put what follows a clause's word on its line where it is short: `SELECT a, b`, `FROM t`."""
    lines = text.split("\n")
    made: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        inner = at + 1
        while inner < len(lines) and len(lines[inner]) - len(lines[inner].lstrip()) == indent + 2:
            inner += 1
        body = [part.strip() for part in lines[at + 1 : inner]]
        deeper = inner < len(lines) and len(lines[inner]) - len(lines[inner].lstrip()) > indent
        short = f"{line} {' '.join(body)}"
        bare = line.strip().isupper() and line.strip().replace(" ", "").isalpha()
        tied = len(body) == 1 and body[0].startswith("ON ")
        if (bare or tied) and body and not deeper and len(short) <= WIDTH and "--" not in short:
            made.append(short)
            at = inner
        else:
            made.append(line)
            at += 1
    return "\n".join(made)
