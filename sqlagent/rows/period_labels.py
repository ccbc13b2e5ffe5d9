"""Labels of periods read as what they stand for: 2025-01, January 2025, Jan and 1 (of a month) are one month.

Decides only what a label says. A label without its year stays without one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlagent.language.lexicon import MONTHS
from sqlagent.values import Cell

_UNITS = {"year": (1_000, 2_999), "quarter": (1, 4), "month": (1, 12)}
"""Units of bare numbers, with the numbers that there are; which unit it is says the name of the column."""

_MONTH = re.compile(r"(\d{4})-(\d\d)(?:-01(?:[ T]00:00(?::00(?:\.0+)?)?)?)?")
_QUARTER = re.compile(r"(?:(\d{4})[- ]?)?Q([1-4])(?:[- ](\d{4}))?", re.IGNORECASE)
_NAMED = re.compile(r"([a-z]{3,9})\.?(?:[ -]+(\d{4}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """One period: `number` of a `unit`, in `year` where the label says one."""

    unit: str
    number: int
    year: int | None = None


def periods(name: str, cells: Sequence[Cell]) -> tuple[Period, ...] | None:
    """Read a column's labels as periods of one unit; None where one of them is no such label.

    Days are no periods here: they have one label each. A bare number needs a column named after its unit.

    Example:
        >>> periods("m", ["January 2025", "Feb 2025"]) == periods("period", ["2025-01", "2025-02"])
        True
        >>> periods("month", [1, "02"]), periods("n", [1, 2])
        ((Period(unit='month', number=1, year=None), Period(unit='month', number=2, year=None)), None)
    """
    found: list[Period] = []
    for cell in cells:
        period = _period(name.lower(), cell)
        if period is None or (found and found[0].unit != period.unit):
            return None
        found.append(period)
    return tuple(found) or None


def _period(name: str, cell: Cell) -> Period | None:
    if isinstance(cell, date):
        return Period("month", cell.month, cell.year) if cell.day == 1 and "month" in name else None
    text = str(cell).strip()
    if re.fullmatch(r"\d{1,4}(?:\.0)?", text) and not isinstance(cell, bool):
        number = int(float(text))
        unit = next(
            (unit for unit, (low, high) in _UNITS.items() if unit in name and low <= number <= high), ""
        )
        return Period(unit, number) if unit else None
    if not isinstance(cell, str):
        return None
    if (month := _MONTH.fullmatch(text)) and 1 <= int(month[2]) <= 12:
        is_day = len(text) > len("2025-01")
        return Period("month", int(month[2]), int(month[1])) if not is_day or "month" in name else None
    if (quarter := _QUARTER.fullmatch(text)) and not (quarter[1] and quarter[3]):
        year = quarter[1] or quarter[3]
        return Period("quarter", int(quarter[2]), int(year) if year else None)
    named = _NAMED.fullmatch(text)
    if named is None:
        return None
    month_number = MONTHS.get(named[1].lower())
    if month_number is None:
        return None
    return Period("month", month_number, int(named[2]) if named[2] else None)


def same(one: Sequence[Period], other: Sequence[Period]) -> tuple[list[str], list[str]] | None:
    """Give keys under which two columns of periods can be compared; None where they cannot mean the same ones.

    Where only one of them says years, it has to be one single year.

    Example:
        >>> same([Period("month", 1, 2025)], [Period("month", 1)])
        (['1'], ['1'])
        >>> same([Period("month", 1, 2024), Period("month", 1, 2025)], [Period("month", 1)] * 2) is None
        True
    """
    if one[0].unit != other[0].unit:
        return None
    years = [{period.year for period in side} for side in (one, other)]
    if years[0] == years[1]:
        return [f"{p.year}-{p.number}" for p in one], [f"{p.year}-{p.number}" for p in other]
    if {None} not in years or any(len(side) > 1 for side in years):
        return None
    return [str(p.number) for p in one], [str(p.number) for p in other]
