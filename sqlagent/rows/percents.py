"""Which columns hold percentages, by their names, by the SQL that made them and by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlagent.rows.columns import in_words, number_of

_PERCENT = r"(?:percent(?:age)?|pct)"
_IN_PERCENT = re.compile(rf"^{_PERCENT}\b|\b{_PERCENT}(?: (?:19|20)\d\d)?$", re.IGNORECASE)
# Counts, bounds and places: "n_above_10_percent", "percent_rank", "percentile_95_ms".
_NO_PERCENT = re.compile(
    rf"^(?:n|num|number|count|anzahl)\b|\d {_PERCENT}\b|\b(?:rank|percentiles?)\b", re.IGNORECASE
)
_RATE = re.compile(r"share|ratio|rate|proportion|growth|change|margin", re.IGNORECASE)
_FRACTION = re.compile(
    r"(?:^|[_\s])(?:share|ratio|rate|proportion|fraction|growth|margin)(?:$|[_\s])", re.IGNORECASE
)
_HUNDREDFOLD = re.compile(r"\b100(?:\.0+)?\s*\*|\*\s*100(?:\.0+)?(?![\d.])")
_HUNDREDTH = re.compile(r"/\s*100(?:\.0+)?(?![\d.])|\*\s*0?\.01(?!\d)")
_COUNT = re.compile(r"\s*(?:SELECT\s+)?(?:DISTINCT\s+)?COUNT\s*\([^/]*$", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:percent_rank|cume_dist|(?:dense_)?rank|row_number|ntile)\s*\([^()]*\)\s*OVER\b", re.IGNORECASE
)
_SELECT = re.compile(r"SELECT\b", re.IGNORECASE)


def is_fraction(name: str, value: float) -> bool:
    """Whether a number is a part of 1 in a column called a share or a rate: its first four decimals tell hundredths of a percent.

    Example:
        >>> is_fraction("return_rate", 0.123457), is_fraction("corporate", 0.123457), is_fraction("rate", 11.65432), is_fraction("rate", 0.000123)
        (True, False, False, False)
    """
    return 0.01 <= abs(value) < 1 and bool(_FRACTION.search(name))


def is_percent(name: str, sql: str, values: Iterable[Any] = ()) -> bool:
    """Whether a column's numbers are percentages.

    Its name says so at its start or end, or names a rate and the SQL multiplies it by a hundred. Counts and ranks are none.
    Numbers that are all within 1 are parts of 1, unless the SQL multiplies them.

    Example:
        >>> is_percent("return_rate", "SELECT 100.0 * SUM(r) / SUM(n) AS return_rate FROM t"), is_percent("return_rate", "SELECT return_rate FROM t")
        (True, False)
        >>> is_percent("pct", "SELECT a * 1.0 / b AS pct FROM t", [0.25]), is_percent("pct", "SELECT a * 100.0 / b AS pct FROM t", [0.25])
        (False, True)
    """
    words = in_words(name)
    if _NO_PERCENT.search(words):
        return False
    written = list(_written(name, sql))
    if any(_HUNDREDFOLD.search(one) and not _HUNDREDTH.search(one) for one in written):
        return bool(_IN_PERCENT.search(words) or _RATE.search(name))
    if not _IN_PERCENT.search(words) or any(_COUNT.match(one) or _PLACE.search(one) for one in written):
        return False
    return not _are_parts_of_one(values)


def _are_parts_of_one(values: Iterable[Any]) -> bool:
    numbers = [number for value in values if (number := number_of(value)) is not None]
    return bool(numbers) and all(-1 <= number <= 1 for number in numbers)


def _written(name: str, sql: str) -> Iterator[str]:
    """The expression before `AS name` in a statement, back to where its item begins."""
    for found in re.finditer(rf"\bAS\s+[\"`\[]?{re.escape(name)}\b", sql, re.IGNORECASE):
        depth, at = 0, found.start()
        while at > 0 and (depth > 0 or sql[at - 1] not in ",(" and not _SELECT.match(sql, at)):
            at -= 1
            depth += (sql[at] == ")") - (sql[at] == "(")
        yield sql[at : found.start()]
