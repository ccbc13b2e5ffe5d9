"""Suggest a chart that suits some rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlagent.language.saying import in_commas, in_quotes, lower_first, spaced, worded, worded_count
from sqlagent.rows.columns import (
    Profile,
    Role,
    in_words,
    is_additive,
    is_aggregate,
    number_of,
    profiles,
)
from sqlagent.rows.subject import keys_known, measures_first, ranked_by, times_along
from sqlagent.telling.charting.captions import note_of, title_of
from sqlagent.telling.charting.checking import comes_to_all
from sqlagent.telling.charting.panels import panels_of
from sqlagent.telling.charting.points import MAX_CATEGORIES, MAX_LABELS, hashable
from sqlagent.values import Chart, Kind, Rows

MOST_FIGURES = 3
"""Figures of one chart."""


def suggest(rows: Rows, question: str = "", *, sql: str = "", meant: Collection[str] = ()) -> Chart:
    """Suggest a chart from what the columns hold and the shape of the rows.

    Never fails: rows that nothing can be drawn from give the mark `none`. `question` decides
    between marks that both fit (it asks for a share, a distribution, a relation), and with `sql` and
    `meant` which measures are drawn (`sqlagent.rows.subject.measures_first`). The note of the
    chart says what it leaves out.

    Example:
        >>> suggest(Rows(("city", "sales"), (("Oslo", 3), ("Rome", 5)))).mark
        'bar'
        >>> suggest(Rows(("n",), ((42,),))).mark
        'number'
    """
    if not rows.rows:
        return Chart("none", note=worded("There are no rows to draw."))
    columns = keys_known(profiles(rows), sql)
    measures = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    times = [c for c in columns if c.role == Role.TIME]
    categories = [c for c in columns if c.role == Role.CATEGORY]
    if len(rows.rows) > 1:
        times = list(times_along(question, columns, len(rows.rows)))
        if times or categories:
            measures = list(measures_first(question, measures, sql=sql, meant=meant))
    if len(rows.rows) == 1:
        chart = _single(measures, times, categories, columns)
    elif (
        measures
        and len(times) == 1
        and times[0].distinct == len(rows.rows)
        and (by := ranked_by(sql, measures))
    ):
        order = "" if len(rows.rows) > MAX_CATEGORIES else "value" if _rises(rows, by) else "-value"
        chart = Chart("bar", times[0].name, (by.name,), sort=order)
    elif measures and times:
        chart = _over_time(rows, times[0], measures, categories)
    elif measures and categories:
        chart = _by_category(rows, measures, categories, question)
    elif len(measures) >= 2 and (groups := grouped_by(rows, measures)) is not None:
        chart = Chart("bar", groups.name, _same_scale(rows, [m for m in measures if m is not groups]))
    elif len(measures) >= 2:
        chart = _pair(rows, measures)
    elif measures:
        chart = _distribution(rows, measures[0], columns)
    else:
        chart = _counted(rows, [*categories, *times])
    if chart.mark == "none":
        return chart
    notes = [note_of(chart, rows), _undrawn(chart, measures)]
    return replace(chart, title=chart.title or title_of(chart), note=spaced(*notes))


def _undrawn(chart: Chart, measures: Sequence[Profile]) -> str:
    """Say which of a few figures the chart leaves to the table."""
    left = [
        in_quotes(lower_first(in_words(one.name)))
        for one in measures
        if one.name not in (*chart.y, chart.x, chart.series)
    ]
    if not chart.y or not 0 < len(left) < MOST_FIGURES or chart.mark not in ("bar", "line"):
        return ""
    return worded_count(
        "“{name}” is drawn; {others} is in the table.",
        "“{name}” is drawn; {others} are in the table.",
        len(left),
        name=in_words(chart.y[0]),
        others=in_commas(left, worded(" and ")),
    )


def _single(
    measures: Sequence[Profile],
    times: Sequence[Profile],
    categories: Sequence[Profile],
    columns: Sequence[Profile],
) -> Chart:
    if not measures:
        years = [c for c in times if c.kind in (Kind.INTEGER, Kind.NUMBER)]
        if len(columns) == 1 and years:
            return Chart("number", y=(years[0].name,))
        return Chart("none", note=worded("One row without a number is best read as a table."))
    return Chart("number", y=tuple(m.name for m in measures[:4]))


def _over_time(
    rows: Rows, when: Profile, measures: Sequence[Profile], categories: Sequence[Profile]
) -> Chart:
    chosen = _same_scale(rows, measures)
    repeats = when.distinct + when.nulls < len(rows.rows)
    mark = "line" if when.distinct > 2 else "bar"
    if not repeats:
        return Chart(mark, when.name, tuple(m.name for m in measures[:MOST_FIGURES]))
    for category in sorted(categories, key=lambda c: c.distinct):
        if category.distinct > 1 and is_unique(rows, when, category):
            return Chart(mark, when.name, chosen[:1], category.name)
    if when.distinct < 3:
        return Chart("none", note=worded("Many rows share a date; the table shows them all."))
    return Chart(mark, when.name, chosen[:1], aggregate="sum" if is_additive(chosen[0]) else "mean")


def _rises(rows: Rows, measure: Profile) -> bool:
    cells = [number_of(row[measure.index]) or 0.0 for row in rows.rows]
    return cells == sorted(cells)


def _is_whole(cells: Sequence[float], count: int, measure: Profile) -> bool:
    """Whether figures are the parts of one whole, as a pie shows them: none is missing or negative, shares come to all."""
    if len(cells) < count or any(cell < 0 for cell in cells):
        return False
    return comes_to_all(cells, measure)


def _by_category(
    rows: Rows, measures: Sequence[Profile], categories: Sequence[Profile], question: str
) -> Chart:
    chosen = _same_scale(rows, measures)
    by_size = sorted(categories, key=lambda c: -c.distinct)
    count = len(rows.rows)
    single = next((c for c in by_size if c.distinct + c.nulls >= count), None)
    if single is not None:
        label = next((c for c in categories if c.distinct + c.nulls >= count), single)
        if len(chosen) == 1 and _asks(question, "share", "proportion", "percentage", "breakdown", "split"):
            cells = [number_of(row[measures[0].index]) for row in rows.rows]
            if count <= 6 and _is_whole([c for c in cells if c is not None], count, measures[0]):
                return Chart("pie", label.name, chosen)
        if (
            len(measures) >= 2
            and count > MAX_CATEGORIES
            and _asks(question, "relation", "correlat", "versus", " vs ")
        ):
            return Chart("scatter", measures[0].name, (measures[1].name,))
        return Chart("bar", label.name, chosen)
    for x in by_size:
        for series in reversed(by_size):
            if series is not x and is_unique(rows, x, series):
                x, series = (
                    (x, series) if series.distinct <= x.distinct and not series.ordered else (series, x)
                )
                return Chart("bar", x.name, chosen[:1], series.name)
    smallest = by_size[-1]
    if smallest.distinct < count / 1.5:
        return Chart("bar", smallest.name, chosen[:1], aggregate="sum" if is_additive(chosen[0]) else "mean")
    return Chart("bar", by_size[0].name, chosen[:1], aggregate="mean")


def grouped_by(rows: Rows, measures: Sequence[Profile]) -> Profile | None:
    """Find the one number that the others are grouped by: whole, once each, and no aggregate itself."""
    plain = [m for m in measures if not is_aggregate(m.name)]
    if len(plain) != 1 or plain[0].kind != Kind.INTEGER or len(rows.rows) > MAX_CATEGORIES:
        return None
    return plain[0] if plain[0].distinct == len(rows.rows) else None


def _pair(rows: Rows, measures: Sequence[Profile]) -> Chart:
    if len(rows.rows) < 3:
        return Chart("none", note=worded("Two rows of numbers are best read as a table."))
    return Chart("scatter", measures[0].name, (measures[1].name,))


def _distribution(rows: Rows, measure: Profile, columns: Sequence[Profile]) -> Chart:
    keys = [c for c in columns if c.role == Role.KEY and c.distinct == len(rows.rows)]
    if keys and len(rows.rows) <= MAX_LABELS:
        return Chart("bar", keys[0].name, (measure.name,))
    if len(rows.rows) >= 20 and measure.distinct > 5:
        return Chart("histogram", measure.name)
    return Chart("none", note=worded("A short list of numbers is best read as a table."))


def _counted(rows: Rows, categories: Sequence[Profile]) -> Chart:
    for category in categories:
        if 2 <= category.distinct <= MAX_CATEGORIES and category.distinct * 3 <= len(rows.rows):
            return Chart("bar", category.name, aggregate="count")
    return Chart("none", note=worded("There is no number to draw."))


def _same_scale(rows: Rows, measures: Sequence[Profile]) -> tuple[str, ...]:
    """Keep the measures that can share an axis with the first, three at most."""
    return panels_of(rows, [m.name for m in measures])[0][:MOST_FIGURES]


def is_unique(rows: Rows, first: Profile, second: Profile) -> bool:
    """Whether no two rows have the same values in two columns."""
    pairs = {(hashable(r[first.index]), hashable(r[second.index])) for r in rows.rows}
    return len(pairs) == len(rows.rows)


def _asks(question: str, *words: str) -> bool:
    low = f" {question.lower()} "
    return any(word in low for word in words)
