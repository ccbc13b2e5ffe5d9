"""When two stored values are the same, and how alike two results are.

The one rule for cells behind every comparison: grouping, caching, evaluation. Which results are
the same answer is `grouping`'s decision.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from uuid import UUID

from sqlagent.values import Cell, Rows

_SIX_DIGITS = Context(prec=6)
"""Non-integral numbers are compared to 6 significant digits (docs/method.md, Sameness)."""

_SIMILARITY_ROWS = 200
"""Rows of each side that the loose similarity looks at: it only supports, so a prefix is enough."""


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


Bags = Sequence[Counter[str]]
"""The columns of a result, each as a bag of cell keys."""


def column_bags(rows: Rows) -> Bags:
    """Gather each column's cells, of the first rows."""
    kept = rows.rows[:_SIMILARITY_ROWS]
    return [Counter(map(cell_key, column)) for column in zip(*kept, strict=True)]


def alike(mine: Bags, theirs: Bags) -> float:
    """Measure how alike two results are, 0 to 1, whatever the order of rows and columns.

    Columns are paired best first; the result is the sum of the minima over the sum of the maxima. It
    supports, and never makes two results equal.

    Example:
        >>> one, other = Rows(("a",), ((1,), (2,))), Rows(("a", "b"), ((1, 7), (2, 8)))
        >>> alike(column_bags(one), column_bags(other))
        0.5
    """
    if not mine and not theirs:
        return 1.0
    shared = sorted(
        ((_common(a, b), -i, -j) for i, a in enumerate(mine) for j, b in enumerate(theirs)), reverse=True
    )
    total = sum(bag.total() for bag in mine) + sum(bag.total() for bag in theirs)
    used_mine: set[int] = set()
    used_theirs: set[int] = set()
    common = 0
    for count, i, j in shared:
        if i not in used_mine and j not in used_theirs:
            used_mine.add(i)
            used_theirs.add(j)
            common += count
    return common / (total - common) if total else 1.0


def _common(a: Counter[str], b: Counter[str]) -> int:
    if len(b) < len(a):
        a, b = b, a
    return sum(min(count, b[key]) for key, count in a.items() if key in b)
