"""Sentences of figures over time: a series, two periods side by side, and one figure since an earlier moment."""

from __future__ import annotations

from decimal import Decimal

from sqlagent.language.saying import all_of, begun_large, in_a_row, in_commas, name, worded
from sqlagent.rows.columns import Profile, number_of, order_key
from sqlagent.rows.percents import is_percent
from sqlagent.telling.summarizing.phrases import (
    cell_said,
    change_of,
    column_said,
    cut_said,
    figure_said,
    listed,
    number_said,
    percent_change,
    points_change,
    size_of,
    up_or_down,
    within,
)
from sqlagent.values import Cell, Rows


def series_told(rows: Rows, when: Profile, measure: Profile, percents: frozenset[str]) -> str:
    """Say where a series began, ended and peaked."""
    points = [
        (row[when.index], row[measure.index])
        for row in sorted(rows.rows, key=lambda r: order_key(r[when.index]))
        if row[when.index] is not None and number_of(row[measure.index]) is not None
    ]
    if len(points) < 2:
        return listed(rows, (when, measure))
    (first_at, begun), (last_at, last) = points[0], points[-1]
    change = change_of(last, begun)
    of, unit = begun_large(within(measure)), measure.name in percents
    at = {"first": cell_said(first_at, when), "last": cell_said(last_at, when)}
    if change == 0:
        text = worded(
            "{name} began and ended at {value} ({first} to {last})",
            name=of,
            value=figure_said(begun, unit),
            **at,
        )
    else:
        by = points_change(change) if unit else percent_change(begun, last)
        told = {"name": of, "start": figure_said(begun, unit), "end": figure_said(last, unit), **at}
        text = in_a_row(
            worded("{name} rose from {start} in {first} to {end} in {last}", **told)
            if change > 0
            else worded("{name} fell from {start} in {first} to {end} in {last}", **told),
            worded(", {change}", change=by) if by else "",
        )
    peak_at, peak = max(points, key=lambda p: size_of(p[1]))
    low_at, low = min(points, key=lambda p: size_of(p[1]))
    extra = []
    if len(points) > 2 and peak_at not in (first_at, last_at):
        extra.append(
            worded(
                "it peaked at {value} in {time}", value=figure_said(peak, unit), time=cell_said(peak_at, when)
            )
        )
    if len(points) > 2 and low_at not in (first_at, last_at) and low != peak:
        extra.append(
            worded(
                "its lowest was {value} in {time}", value=figure_said(low, unit), time=cell_said(low_at, when)
            )
        )
    return in_a_row(text, *(("; ", all_of(extra)) if extra else ()), ".", cut_said(rows))


def compared_told(
    rows: Rows, when: Profile, label: Profile, measure: Profile, percents: frozenset[str]
) -> str:
    """Say how each value of a label changed between two times, the largest changes first; "" where one stands twice."""
    found: dict[Cell, dict[Cell, Cell]] = {}
    for row in rows.rows:
        of = found.setdefault(row[label.index], {})
        if row[when.index] is None or row[when.index] in of:
            return ""
        of[row[when.index]] = row[measure.index]
    first, last = sorted({time for of in found.values() for time in of}, key=order_key)
    both = [
        (name, of[first], of[last])
        for name, of in found.items()
        if name is not None and number_of(of.get(first)) is not None and number_of(of.get(last)) is not None
    ]
    if not both or rows.truncated:
        return ""
    times = (cell_said(first, when), cell_said(last, when))
    return _changes(both, label, within(measure), measure.name in percents, times)


def between_told(
    rows: Rows, label: Profile, of: tuple[tuple[str, Profile], tuple[str, Profile]], percents: frozenset[str]
) -> str:
    """The same of a figure that stands in a column for each of two periods."""
    (first, before), (last, now) = of
    both = [
        (row[label.index], row[before.index], row[now.index])
        for row in rows.rows
        if row[label.index] is not None
        and number_of(row[before.index]) is not None
        and number_of(row[now.index]) is not None
    ]
    if not both or rows.truncated:
        return ""
    measure = column_said(now)
    measure = measure[: -len(last)].strip() if measure.lower().endswith(last.lower()) else measure
    return _changes(both, label, name(measure), now.name in percents, (first, last))


def _changes(
    both: list[tuple[Cell, Cell, Cell]], label: Profile, measure: str, unit: bool, times: tuple[str, str]
) -> str:
    """Say the three largest changes; the first of them names the times."""
    both = sorted(both, key=lambda one: -abs(change_of(one[2], one[1])))
    said = [
        _moved(cell_said(called, label), a, b, unit, times if n == 0 else None)
        for n, (called, a, b) in enumerate(both[:3])
    ]
    told = {"name": begun_large(measure), "label": within(label), "changes": in_commas(said, "; ")}
    if len(both) > 3:
        return worded("{name} by {label} changed most: {changes}.", **told)
    return worded("{name} by {label}: {changes}.", **told)


def _moved(called: str, first: Cell, last: Cell, unit: bool, times: tuple[str, str] | None) -> str:
    """How one value went: web rose from 1.03 M in 2025 to 1.22 M in 2026, up 18 %."""
    change = change_of(last, first)
    told = {"name": called, "start": figure_said(first, unit), "end": figure_said(last, unit)}
    at = {"first": times[0], "last": times[1]} if times else {}
    if change == 0:
        if times:
            return worded("{name} stayed at {end} from {first} to {last}", **told, **at)
        return worded("{name} stayed at {end}", **told)
    by = points_change(change) if unit else percent_change(first, last)
    if times and change > 0:
        text = worded("{name} rose from {start} in {first} to {end} in {last}", **told, **at)
    elif times:
        text = worded("{name} fell from {start} in {first} to {end} in {last}", **told, **at)
    elif change > 0:
        text = worded("{name} rose from {start} to {end}", **told)
    else:
        text = worded("{name} fell from {start} to {end}", **told)
    return in_a_row(text, worded(", {change}", change=by) if by else "")


def changed_since(name: str, before: Cell, now: Cell, when: str, *, sql: str = "") -> str:
    """Say how one figure changed since an earlier moment, `when` in words; empty where one of the two is no number.

    Example:
        >>> changed_since("revenue", 698423, 720523.17, "on 2 November 2026")
        'up 3.2 % from 698,423 on 2 November 2026'
        >>> changed_since("orders", 5, 5, "on 2 November 2026"), changed_since("profit", -5, 3, "in May")
        ('the same as on 2 November 2026', 'up 8 from -5 in May')
    """
    if number_of(before) is None or number_of(now) is None:
        return ""
    change = Decimal(str(now)) - Decimal(str(before))
    if not change:
        return worded("the same as {when}", when=when)
    in_percent = is_percent(name, sql)
    share = points_change(float(change)) if in_percent else percent_change(before, now)
    # A change of less than a thousandth is told as it is: "up 0.0 %" tells none.
    is_told = in_percent or abs(change) * 2_000 >= abs(Decimal(str(before)))
    by = share if share and is_told else up_or_down(change, number_said(abs(change)))
    return worded(
        "{change} from {before} {when}", change=by, before=figure_said(before, in_percent), when=when
    )
