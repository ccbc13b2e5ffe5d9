"""Which columns of a part come first where there is not room for all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlagent.rows.columns import Profile, Role, profiles
from sqlagent.rows.subject import MANY_OF_ALL, keys_known
from sqlagent.values import Kind, Rows

_RANKS = {Role.MEASURE: 2, Role.CATEGORY: 3, Role.TIME: 3, Role.OTHER: 5, Role.KEY: 6}
_REACHED = re.compile(r"mail|phone|fax|url|link|web_?site|address|street", re.IGNORECASE)


def columns_first(
    chart: Mapping[str, Any],
    columns: tuple[str, ...],
    kinds: tuple[str, ...],
    rows: tuple[tuple[Any, ...], ...],
    sql: str = "",
) -> tuple[int, ...]:
    """Give the places of columns, the most important first.

    First what names a row, then what is drawn, other figures, other names and times; last ways to reach somebody, and keys.

    Example:
        >>> columns_first({"y": ["revenue"]}, ("id", "mail", "name", "orders", "revenue"), (), ((7, "a@b.example", "Ann", 3, 9.5),))
        (2, 4, 3, 1, 0)
    """
    found = keys_known(
        profiles(Rows(columns, rows, kinds=tuple(map(Kind, kinds)) if kinds and all(kinds) else ())), sql
    )
    names = [one for one in found if one.role == Role.CATEGORY and not _REACHED.search(one.name)]
    most = max((one.distinct for one in names), default=0)
    times = [one.name for one in found if one.role == Role.TIME]
    # Readings of four devices along a time are told apart by the time, and begin with it.
    leads = chart.get("x") not in times or most >= len(rows) * MANY_OF_ALL
    lead = next((one.index for one in names if one.distinct == most and leads), -1)
    drawn = (chart.get("x"), chart.get("series"), *chart.get("y", ()))

    def rank(one: Profile) -> tuple[int, int]:
        if one.index == lead or one.name == chart.get("x") and one.role in (Role.TIME, Role.KEY):
            return 0, one.index
        if one.name in drawn:
            return 1, one.index
        is_reached = one.role == Role.CATEGORY and _REACHED.search(one.name)
        return (4 if is_reached else _RANKS[one.role]), one.index

    return tuple(one.index for one in sorted(found, key=rank))
