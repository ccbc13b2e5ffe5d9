"""Axes of categories and of times."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time

from sqlagent.rows.columns import Profile, Role, number_of, wall_clock
from sqlagent.telling.charting.labels import shortened
from sqlagent.telling.charting.markup import Json
from sqlagent.values import Cell, Kind

MANY_BARS = 12
FEW_TIMES = 8
"""Months or days up to which each is named on its axis; more are left to the drawing library, none between two of them."""


def categories(xs: Sequence[str | None], texts: Sequence[str], lying: bool, most: int = MANY_BARS) -> Json:
    """An axis of categories in our order. Along x so many are named as can be read lying."""
    every = 1 if lying else max(1, math.ceil(len(xs) / most))
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(xs),
        "tickmode": "array",
        "tickvals": list(xs[::every]),
        "ticktext": [shortened(text) for text in texts[::every]],
    }


def is_year(column: Profile) -> bool:
    """Say whether a column holds years as numbers."""
    return column.role == Role.TIME and column.kind in (Kind.INTEGER, Kind.NUMBER)


def moment_of(cell: Cell, column: Profile) -> str | None:
    """Write a time as Plotly reads it: a year, or ISO 8601."""
    if cell is None:
        return None
    if is_year(column):
        year = number_of(cell)
        return None if year is None else f"{int(year):04d}"
    if isinstance(cell, datetime):
        return wall_clock(cell).isoformat()
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def year_format(column: Profile) -> Json:
    """Have an axis write years without months."""
    if is_year(column):
        return {"tickformat": "%Y", "hoverformat": "%Y"}
    return {}


def months_said(xs: Sequence[str | None]) -> Json:
    """Say a month as a month in a point's tip, not as its first day."""
    known = [x for x in xs if x is not None]
    # A single first of a month may be a day.
    form = r"\d{4}-\d{2}(-01)?" if len(set(known)) > 2 else r"\d{4}-\d{2}"
    are_months = bool(known) and all(re.fullmatch(form, x) for x in known)
    return {"hoverformat": "%b %Y"} if are_months else {}


def time_steps(xs: Sequence[str | None]) -> Json:
    """Name no time between two months, or two days, where there is nothing: not "Jan 12" on an axis of months."""
    known = [x for x in xs if x is not None]
    for form, step in ((r"\d{4}-\d{2}(-01)?", "M1"), (r"\d{4}-\d{2}-\d{2}", 86_400_000)):
        if len(known) == len(xs) <= FEW_TIMES and all(re.fullmatch(form, x) for x in known):
            # Few times that lie far apart have none of their own at most of the steps between.
            if _steps(min(known, default=""), max(known, default=""), step) > 2 * FEW_TIMES:
                return {}
            return {"dtick": step, "tickformat": "%b %Y" if step == "M1" else "%-d %b %Y"}
    return {}


def _steps(first: str, last: str, step: str | int) -> int:
    """How many months, or days, are between two times."""
    if not first:
        return 0
    if step == "M1":
        return (int(last[:4]) - int(first[:4])) * 12 + int(last[5:7]) - int(first[5:7])
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        return 0
