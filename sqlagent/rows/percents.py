"""Which columns hold percentages, by their names and by the SQL that made them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_IN_PERCENT = re.compile(r"percent|pct", re.IGNORECASE)
_RATE = re.compile(r"share|ratio|rate|proportion|growth|change|margin", re.IGNORECASE)
_FRACTION = re.compile(
    r"(?:^|[_\s])(?:share|ratio|rate|proportion|fraction|growth|margin)(?:$|[_\s])", re.IGNORECASE
)
_HUNDREDFOLD = re.compile(r"\b100(?:\.0+)?\s*\*|\*\s*100(?:\.0+)?(?![\d.])")


def is_fraction(name: str, value: float) -> bool:
    """Whether a number is a part of 1 in a column called a share or a rate: its first four decimals tell hundredths of a percent.

    Example:
        >>> is_fraction("return_rate", 0.123457), is_fraction("corporate", 0.123457), is_fraction("rate", 11.65432), is_fraction("rate", 0.000123)
        (True, False, False, False)
    """
    return 0.01 <= abs(value) < 1 and bool(_FRACTION.search(name))


def is_percent(name: str, sql: str) -> bool:
    """Whether a column's numbers are percentages: its name says so, or names a rate and the SQL multiplies it by a hundred.

    Example:
        >>> is_percent("return_rate", "SELECT 100.0 * SUM(r) / SUM(n) AS return_rate FROM t"), is_percent("return_rate", "SELECT return_rate FROM t")
        (True, False)
    """
    if _IN_PERCENT.search(name):
        return True
    return bool(_RATE.search(name)) and any(map(_HUNDREDFOLD.search, _written(name, sql)))


def _written(name: str, sql: str) -> Iterator[str]:
    """The expression before `AS name` in a statement, back to where its item begins."""
    for found in re.finditer(rf"\bAS\s+[\"`\[]?{re.escape(name)}\b", sql, re.IGNORECASE):
        depth, at = 0, found.start()
        while at > 0 and (depth > 0 or sql[at - 1] not in ",("):
            at -= 1
            depth += (sql[at] == ")") - (sql[at] == "(")
        yield sql[at : found.start()]
