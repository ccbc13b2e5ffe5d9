"""Decimals that the floats of a column are shown with in a spreadsheet, which keeps every digit: those of pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mirror.results.cells import decimals_shown, most_decimals


def column_decimals(rows: Sequence[Sequence[Any]], place: int) -> int | None:
    """Count the most decimals that floats of a column are shown with; None where it has none, others beside them, or an exponent.

    Example:
        >>> column_decimals([(376696.520000001,), (12.5,), (None,)], 0), column_decimals([(1e-7,), (2.5,)], 0)
        (2, None)
    """
    values = [row[place] for row in rows if row[place] is not None]
    if not any(isinstance(value, float) for value in values) or not all(
        type(value) in (int, float) for value in values
    ):
        return None
    found = [decimals_shown(value) for value in values]
    return None if None in found else max((n for n in found if n is not None), default=None)


def is_told(value: float, decimals: int | None) -> bool:
    """Whether so many decimals show as much of a number as a page does.

    Example:
        >>> is_told(376696.520000001, 2), is_told(0.0625, 1), is_told(float("inf"), 2), is_told(1e-7, 2), is_told(1.5, None)
        (True, False, False, False, False)
        >>> is_told(86021576354672.19, 1), is_told(86021576354672.19, 2)
        (False, True)
    """
    usual = most_decimals(value)
    if decimals is None or usual is None:
        return False
    return decimals >= usual or round(value, usual) == round(value, decimals)
