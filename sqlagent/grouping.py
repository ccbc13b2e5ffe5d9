"""Decides which executions gave the same answer; the only place that does.

Ranking, caching and evaluation all compare rows by `fingerprint`. Column order counts and column
names do not. What a group is worth is decided elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from uuid import UUID

from sqlagent import wording
from sqlagent.values import Cell, Execution, ExecutionGroup, Question, Rows

_SIX_DIGITS = Context(prec=6)
"""Non-integral numbers are compared to 6 significant digits (r3-sql, section 3: grouping key)."""

_SIMILARITY_ROWS = 500
"""Rows of each side that the loose similarity looks at: it only supports, so a prefix is enough."""


def asks_order(question: Question | str) -> bool:
    """Decide once per question, before any candidate is seen, whether the order of rows counts.

    Example:
        >>> asks_order("Top 5 countries by revenue"), asks_order("How many customers?")
        (True, False)
    """
    return wording.asks_order(question.text if isinstance(question, Question) else question)


def cell_key(cell: Cell) -> str:
    """Give the key that is equal when two cells are the same value.

    NULL and NaN are one value; booleans are integers; integral numbers are exact; others are
    rounded to 6 significant digits; dates and times are their ISO text, instants in UTC; bytes are
    hashed; text is untouched.

    Example:
        >>> cell_key(True) == cell_key(1.0) == cell_key(Decimal("1.00")), cell_key("1") == cell_key(1)
        (True, False)
    """
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return "s" + cell
    if isinstance(cell, int):
        return f"n{int(cell)}"
    if isinstance(cell, float):
        return _float_key(cell)
    if isinstance(cell, Decimal):
        return _decimal_key(cell)
    return _other_key(cell)


def _float_key(value: float) -> str:
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "ninf" if value > 0 else "n-inf"
    if value.is_integer():
        return f"n{int(value)}"
    rounded = float(f"{value:.6g}")
    return f"n{int(rounded)}" if rounded.is_integer() else f"n{rounded!r}"


def _decimal_key(value: Decimal) -> str:
    if value.is_nan():
        return "-"
    if value.is_infinite():
        return "ninf" if value > 0 else "n-inf"
    if value == value.to_integral_value():
        return f"n{int(value)}"
    near = float(value)
    if near != 0.0 and not math.isinf(near):
        return _float_key(float(f"{near:.6g}"))
    return f"n{value.normalize(_SIX_DIGITS)}"


def _other_key(cell: Cell) -> str:
    if isinstance(cell, datetime):
        return "s" + (cell.astimezone(UTC) if cell.tzinfo else cell).isoformat()
    if isinstance(cell, date | time):
        return "s" + cell.isoformat()
    if isinstance(cell, timedelta):
        return "d" + _float_key(cell.total_seconds())
    if isinstance(cell, bytes | bytearray | memoryview):
        return "b" + hashlib.sha256(bytes(cell)).hexdigest()
    if isinstance(cell, UUID):
        return "s" + str(cell)
    if isinstance(cell, Mapping):
        pairs = sorted((str(key), cell_key(value)) for key, value in cell.items())
        return "{" + ",".join(f"{len(k)}:{k}={len(v)}:{v}" for k, v in pairs) + "}"
    if isinstance(cell, set | frozenset):
        keys = sorted(cell_key(item) for item in cell)
        return "<" + ",".join(f"{len(key)}:{key}" for key in keys) + ">"
    if isinstance(cell, Iterable):
        return "[" + ",".join(f"{len(key)}:{key}" for key in map(cell_key, cell)) + "]"
    return "s" + str(cell)


def row_key(row: Sequence[Cell]) -> str:
    """Give the key that is equal when two rows hold the same values in the same order."""
    keys = [cell_key(cell) for cell in row]
    return "|".join([f"{len(key)}:{key}" for key in keys])


def fingerprint(rows: Rows, ordered: bool) -> str:
    """Give the key that is equal when two results are the same answer.

    Rows are a bag, or a list when `ordered`; the key says which. A result that was cut never
    equals one that was not.

    Example:
        >>> a, b = Rows(("n",), ((1,), (2,))), Rows(("m",), ((2.0,), (1.0,)))
        >>> fingerprint(a, False) == fingerprint(b, False), fingerprint(a, True) == fingerprint(b, True)
        (True, False)
    """
    keys = [row_key(row) for row in rows.rows]
    if not ordered:
        keys.sort()
    digest = hashlib.sha256()
    for key in keys:
        data = key.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    cut = "+" if rows.truncated else ""
    return f"{'list' if ordered else 'bag'}{cut}:{len(keys)}:{digest.hexdigest()[:40]}"


def same_answer_bird(rows: Rows, other: Rows) -> bool:
    """Compare two results as the BIRD benchmark does: as sets of rows. For its figures only."""
    return {row_key(row) for row in rows.rows} == {row_key(row) for row in other.rows}


def group_by_execution(executions: Iterable[Execution], ordered: bool) -> tuple[ExecutionGroup, ...]:
    """Gather executions that returned the same rows into execution groups.

    Groups come largest first; ties keep sampling order, so the same pool always gives the same
    groups. A failed execution joins no group; it stays in the pool for the auditor.
    """
    found: dict[str, list[Execution]] = {}
    known: dict[int, str] = {}
    for execution in executions:
        rows = execution.rows
        if rows is None:
            continue
        if id(rows) not in known:
            known[id(rows)] = fingerprint(rows, ordered)
        found.setdefault(known[id(rows)], []).append(execution)
    groups = [ExecutionGroup(key, tuple(members)) for key, members in found.items()]
    return tuple(sorted(groups, key=lambda group: -group.size))


def similarity(rows: Rows, other: Rows) -> float:
    """Measure how alike two results are, 0 to 1, whatever the order of rows and columns.

    Each column is a bag of values; columns are paired best first; the result is the sum of the
    minima over the sum of the maxima. It supports, and never makes two results equal.

    Example:
        >>> similarity(Rows(("a",), ((1,), (2,))), Rows(("a", "b"), ((1, 7), (2, 8))))
        0.5
    """
    mine, theirs = _column_bags(rows), _column_bags(other)
    if not mine and not theirs:
        return 1.0
    shared = sorted(
        ((_common(a, b), -i, -j) for i, a in enumerate(mine) for j, b in enumerate(theirs)), reverse=True
    )
    total = sum(map(_size, mine)) + sum(map(_size, theirs))
    used_mine: set[int] = set()
    used_theirs: set[int] = set()
    common = 0
    for count, i, j in shared:
        if -i not in used_mine and -j not in used_theirs:
            used_mine.add(-i)
            used_theirs.add(-j)
            common += count
    return common / (total - common) if total else 1.0


def _column_bags(rows: Rows) -> list[Counter[str]]:
    if not rows.rows:
        return []
    kept = rows.rows[:_SIMILARITY_ROWS]
    return [Counter(cell_key(row[i]) for row in kept) for i in range(len(kept[0]))]


def _common(a: Counter[str], b: Counter[str]) -> int:
    if len(b) < len(a):
        a, b = b, a
    return sum(min(count, b[key]) for key, count in a.items() if key in b)


def _size(bag: Counter[str]) -> int:
    return bag.total()
