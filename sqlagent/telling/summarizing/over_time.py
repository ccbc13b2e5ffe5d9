"""Sentences of figures over time: a series, two periods side by side, and one figure since an earlier moment."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from sqlagent.language.saying import all_of, begun_large, in_a_row, in_commas, lower_first, name, worded
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

_CHANGES = frozenset({"growth", "change"})
"""Names of figures that hold each period against the one before."""


def series_told(
    rows: Rows, when: Profile, measure: Profile, percents: frozenset[str], part: Collection[str] = ()
) -> str:
    """Say where a series began, ended and peaked; of periods that are not whole (`part`, by their labels) it tells no change."""
    placed = sorted(rows.rows, key=lambda r: order_key(r[when.index]))
    every = [(row[when.index], row[measure.index]) for row in placed if row[when.index] is not None]
    points = [point for point in every if number_of(point[1]) is not None]
    if len(points) < 2:
        return listed(rows, (when, measure))
    whole = _whole(every, part, is_change=lower_first(measure.words) in _CHANGES)
    left = [cell_said(at, when) for at, _ in every if _is_labelled(at, part)]
    if left and len(whole) < 2:
        shown = points if len(points) == 2 else whole
        if not shown:
            return listed(rows, (when, measure))
        unit = measure.name in percents
        some = [
            worded("{value} in {time}", value=figure_said(cell, unit), time=cell_said(at, when))
            for at, cell in shown
        ]
        told = worded("{name} was {values}", name=begun_large(within(measure)), values=all_of(some))
        return in_a_row(told, "; ", _no_change(left), ".", cut_said(rows))
    text = _series(whole, when, measure, percents)
    return in_a_row(text, *(("; ", _left_out(left)) if left else ()), ".", cut_said(rows))


def _whole(
    points: list[tuple[Cell, Cell]], part: Collection[str], *, is_change: bool
) -> list[tuple[Cell, Cell]]:
    """The points of whole periods; of changes those alone that are held against a whole one."""
    out, before = [], False
    for at, cell in points:
        is_part = _is_labelled(at, part)
        if not is_part and not (is_change and before) and number_of(cell) is not None:
            out.append((at, cell))
        before = is_part
    return out


def _is_labelled(time: Cell | str, part: Collection[str]) -> bool:
    """Whether a time is one of those that are so labelled; years may be numbers, and first days moments.

    Example:
        >>> _is_labelled(2026.0, {"2026"}), _is_labelled("2026-1", {"2026-10"})
        (True, False)
    """
    text = str(time)
    return any(text.startswith(label) and not text[len(label) : len(label) + 1].isalnum() for label in part)


def _left_out(times: list[str]) -> str:
    """Say which times a comparison leaves out."""
    if len(times) == 1:
        return worded("{time}, which is not whole, is left out of the comparison", time=times[0])
    return worded("{times}, which are not whole, are left out of the comparison", times=all_of(times))


def _series(
    points: list[tuple[Cell, Cell]], when: Profile, measure: Profile, percents: frozenset[str]
) -> str:
    """Where points begin, end and peak, without a full stop."""
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
    return in_a_row(text, *(("; ", all_of(extra)) if extra else ()))


def compared_told(
    rows: Rows,
    when: Profile,
    label: Profile,
    measure: Profile,
    percents: frozenset[str],
    part: Collection[str] = (),
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
    left = [said for said, at in zip(times, (first, last), strict=True) if _is_labelled(at, part)]
    return _changes(both, label, within(measure), measure.name in percents, times, left)


def between_told(
    rows: Rows,
    label: Profile,
    of: tuple[tuple[str, Profile], tuple[str, Profile]],
    percents: frozenset[str],
    part: Collection[str] = (),
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
    left = [said for said in (first, last) if _is_labelled(said, part)]
    return _changes(both, label, name(measure), now.name in percents, (first, last), left)


def _changes(
    both: list[tuple[Cell, Cell, Cell]],
    label: Profile,
    measure: str,
    unit: bool,
    times: tuple[str, str],
    left: list[str],
) -> str:
    """Say the three largest changes; the first of them names the times. Where one of these is not whole (`left`), the largest figures."""
    if left:
        return _side_by_side(both, label, measure, unit, times, left)
    both = sorted(both, key=lambda one: -abs(change_of(one[2], one[1])))
    said = [
        _moved(cell_said(called, label), a, b, unit, times if n == 0 else None)
        for n, (called, a, b) in enumerate(both[:3])
    ]
    told = {"name": begun_large(measure), "label": within(label), "changes": in_commas(said, "; ")}
    if len(both) > 3:
        return worded("{name} by {label} changed most: {changes}.", **told)
    return worded("{name} by {label}: {changes}.", **told)


def _side_by_side(
    both: list[tuple[Cell, Cell, Cell]],
    label: Profile,
    measure: str,
    unit: bool,
    times: tuple[str, str],
    left: list[str],
) -> str:
    """Say the figures of two times of which one is not whole, the largest first, and no change."""
    both = sorted(both, key=lambda one: size_of(one[1]), reverse=True)
    said = [
        worded(
            "{name} {start} in {first} and {end} in {last}",
            name=cell_said(called, label),
            start=figure_said(a, unit),
            end=figure_said(b, unit),
            first=times[0],
            last=times[1],
        )
        for called, a, b in both[:3]
    ]
    told = {"name": begun_large(measure), "label": within(label), "figures": in_commas(said, "; ")}
    text = (
        worded("{name} by {label}, the largest first: {figures}", **told)
        if len(both) > 3
        else worded("{name} by {label}: {figures}", **told)
    )
    return in_a_row(text, "; ", _no_change(left), ".")


def _no_change(left: list[str]) -> str:
    """Say for which times no change is told."""
    if len(left) == 1:
        return worded("{time} is not whole, so no change is told", time=left[0])
    return worded("{times} are not whole, so no change is told", times=all_of(left))


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
    in_percent = is_percent(name, sql, (before, now))
    share = points_change(float(change)) if in_percent else percent_change(before, now)
    # A change of less than a thousandth is told as it is: "up 0.0 %" tells none.
    is_told = in_percent or abs(change) * 2_000 >= abs(Decimal(str(before)))
    by = share if share and is_told else up_or_down(change, number_said(abs(change)))
    return worded(
        "{change} from {before} {when}", change=by, before=figure_said(before, in_percent), when=when
    )
