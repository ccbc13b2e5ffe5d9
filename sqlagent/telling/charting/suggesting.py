"""Which chart suits some rows, and whether a person's edits of it fit them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from sqlagent.language.saying import in_commas, in_quotes, lower_first, spaced, worded, worded_count
from sqlagent.rows.columns import (
    Profile,
    Role,
    in_words,
    is_additive,
    is_aggregate,
    number_of,
    profile,
    profiles,
)
from sqlagent.rows.subject import keys_known, measures_first, ranked_by, times_along
from sqlagent.telling.charting.captions import note_of, title_of
from sqlagent.telling.charting.levels import is_reckoned, level_of
from sqlagent.telling.charting.maps import check_map, map_note, on_map
from sqlagent.telling.charting.marks import whiskers_note
from sqlagent.telling.charting.panels import panels_of
from sqlagent.telling.charting.points import (
    AGGREGATES,
    MARKS,
    MAX_CATEGORIES,
    MAX_LABELS,
    SCALES,
    SMALL_MARKS,
    SORTS,
    STACKS,
    Points,
    hashable,
    is_small,
    points_of,
)
from sqlagent.values import Chart, Kind, Rows

MOST_FIGURES = 3
"""Figures of one chart."""

MANY_SERIES = 6
"""Series of one chart up to which each is followed by its colour."""

_LINED = frozenset({"bar", "line", "area", "scatter"})
"""Charts whose values have an average that is seen as a line."""

PART_WORDS = frozenset(["share", "percent", "percentage", "pct", "rate", "ratio", "proportion", "margin"])
"""Words in the name of a figure that is no part of a whole unless all of them come to 1 or 100."""


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
    elif len(measures) >= 2 and (groups := _grouped(rows, measures)) is not None:
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
        if category.distinct > 1 and _unique(rows, when, category):
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
    return _comes_to_all(cells, measure)


def _comes_to_all(cells: Sequence[float], measure: Profile) -> bool:
    """Whether figures that are shares or rates by their name come to 1 or 100; true of other figures.

    A pie writes its own percentages beside its slices, which contradict shares of anything but one whole.
    """
    if not PART_WORDS & set(measure.words.lower().split()):
        return True
    total = sum(cells)
    return abs(total - 100) < 1 or abs(total - 1) < 0.01


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
            if series is not x and _unique(rows, x, series):
                x, series = (
                    (x, series) if series.distinct <= x.distinct and not series.ordered else (series, x)
                )
                return Chart("bar", x.name, chosen[:1], series.name)
    smallest = by_size[-1]
    if smallest.distinct < count / 1.5:
        return Chart("bar", smallest.name, chosen[:1], aggregate="sum" if is_additive(chosen[0]) else "mean")
    return Chart("bar", by_size[0].name, chosen[:1], aggregate="mean")


def _grouped(rows: Rows, measures: Sequence[Profile]) -> Profile | None:
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


def _unique(rows: Rows, first: Profile, second: Profile) -> bool:
    pairs = {(hashable(r[first.index]), hashable(r[second.index])) for r in rows.rows}
    return len(pairs) == len(rows.rows)


def _asks(question: str, *words: str) -> bool:
    low = f" {question.lower()} "
    return any(word in low for word in words)


def drawn_as(mark: str, rows: Rows, like: Chart | None = None) -> Chart | None:
    """A chart of these rows with this mark, its columns chosen by what they hold; None where it does not suit them.

    A map has the figure of the chart that it is `like`.

    Example:
        >>> drawn_as("number", Rows(("month", "sales"), (("2024-01", 3), ("2024-02", 5)))).x
        'month'
        >>> drawn_as("line", Rows(("city",), (("Oslo",),))) is None
        True
    """
    columns = profiles(rows)
    measures = [c.name for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    times = [c.name for c in columns if c.role == Role.TIME]
    categories = sorted(
        (c for c in columns if c.role in (Role.CATEGORY, Role.KEY)), key=lambda c: -c.distinct
    )
    along = [*times, *(c.name for c in categories)]
    if not measures or not (along or mark in ("number", "scatter", "histogram", "box")):
        return None
    x, y = (along or [""])[0], measures[0]
    repeats = bool(x) and len({hashable(row[rows.columns.index(x)]) for row in rows.rows}) < len(rows.rows)
    aggregate = ("sum" if is_additive(y) else "mean") if repeats else "none"
    few = [c.name for c in categories if c.name != x and 1 < c.distinct <= MAX_CATEGORIES]
    fewest = next((c.name for c in reversed(categories) if 1 < c.distinct * 2 <= len(rows.rows)), "")
    made: dict[str, Callable[[], Chart | None]] = {
        "number": lambda: Chart("number", y=(y,), x=times[0] if times and not repeats else ""),
        "scatter": lambda: Chart("scatter", measures[0], (measures[1],)) if len(measures) > 1 else None,
        "histogram": lambda: Chart("histogram", y),
        "box": lambda: Chart("box", fewest, (y,)),
        "map": lambda: on_map(like or Chart("map"), rows),
        "heatmap": lambda: (
            Chart("heatmap", x, (y,), few[0], "sum" if is_additive(y) else "mean") if few else None
        ),
        "combo": lambda: (
            Chart("combo", x, tuple(measures[:3]), aggregate=aggregate) if len(measures) > 1 else None
        ),
        "line": lambda: Chart("line", x, (y,), aggregate=aggregate) if times else None,
        "area": lambda: Chart("area", x, (y,), aggregate=aggregate) if times else None,
        "pie": lambda: Chart("pie", categories[0].name, (y,), aggregate=aggregate) if categories else None,
        "bar": lambda: Chart("bar", x, (y,), aggregate=aggregate),
    }
    try:
        chart = made[mark]() if mark in made else None
        return None if chart is None else check(chart, rows)
    except ValueError:
        return None


def makes_sense(chart: Chart, rows: Rows) -> bool:
    """Whether what a chart is drawn along are places, not the values of another figure: no slices named after amounts, no boxes of one row.

    Example:
        >>> rows = Rows(("month", "orders", "revenue"), tuple((f"2024-{n:02d}", 70 + n, 900.5 * n) for n in range(1, 13)))
        >>> [makes_sense(Chart("pie", along, ("revenue",)), rows) for along in ("month", "orders")]
        [True, False]
    """
    if chart.mark in ("scatter", "histogram", "number", "map", "none") or not chart.x:
        return True
    along = profile(rows, chart.x)
    if chart.mark == "box":
        return along.distinct * 2 <= len(rows.rows)
    measures = [c for c in profiles(rows) if c.role == Role.MEASURE]
    groups = _grouped(rows, measures)
    return along.role != Role.MEASURE or (groups is not None and groups.name == chart.x)


def others(chart: Chart, rows: Rows) -> tuple[Chart, ...]:
    """Other charts that suit these rows, the fittest first, three at most.

    Example:
        >>> rows = Rows(("month", "sales"), tuple((f"2024-{n:02d}", n * n) for n in range(1, 13)))
        >>> [other.mark for other in others(suggest(rows), rows)]
        ['bar', 'area', 'number']
    """
    if len(rows.rows) < 2:
        return ()
    columns = profiles(rows)
    timed = any(c.role == Role.TIME for c in columns)
    cells = [number_of(row[c.index]) for c in columns if c.role == Role.MEASURE for row in rows.rows][
        : len(rows.rows)
    ]
    whole = len(rows.rows) <= MAX_LABELS // 2 and all(cell is not None and cell >= 0 for cell in cells)
    many = len(rows.rows) >= 20
    found = [one for one in (_apart_or_together(chart, rows),) if one is not None]
    order = ["map", "heatmap", "line", "bar", "combo"]
    order += ["area", "number"] if timed else ["pie"] if whole else []
    order += ["scatter", *(["box", "histogram"] if many else [])]
    for mark in order:
        other = drawn_as(mark, rows, chart) if mark != chart.mark else None
        if other is not None:
            found.append(other)
    return tuple(found[:3])


def _apart_or_together(chart: Chart, rows: Rows) -> Chart | None:
    """A chart in small charts where its series are too many, or lines that cross too often, to be followed; small charts in one."""
    if is_small(chart):
        return check(replace(chart, stack="", title=""), rows)
    if chart.mark not in SMALL_MARKS or not chart.series:
        return None
    points = points_of(chart, rows)
    is_tangled = (
        chart.mark == "line" and len(points.values) > 2 and _crossings(points) >= 3 * len(points.values)
    )
    if points.series <= MANY_SERIES and not is_tangled:
        return None
    return check(replace(chart, stack="small", title=""), rows)


def _crossings(points: Points) -> int:
    """How often lines of a chart cross each other."""
    found = 0
    lines = list(points.values.values())
    for place, one in enumerate(lines):
        for other in lines[place + 1 :]:
            above = [
                a > b for a, b in zip(one, other, strict=True) if a is not None and b is not None and a != b
            ]
            found += sum(a != b for a, b in zip(above, above[1:], strict=False))
    return found


def split_small(chart: Chart, rows: Rows) -> Chart:
    """A chart in small charts by the column that suits best, the one of its columns that has fewest values; the chart as it is where none does.

    Example:
        >>> rows = Rows(("day", "city", "sales"), (("Mon", "Oslo", 3), ("Tue", "Oslo", 5), ("Mon", "Rome", 4), ("Tue", "Rome", 1)))
        >>> split_small(Chart("bar", "day", ("sales",)), rows).series
        'city'
    """
    columns = profiles(rows)
    by = [c for c in columns if c.role in (Role.CATEGORY, Role.KEY, Role.TIME) and c.distinct > 1]
    fitting = [c for c in by if c.name not in (chart.x, *chart.y) and c.distinct < len(rows.rows)]
    if not fitting or chart.mark not in SMALL_MARKS:
        return chart
    series = min(fitting, key=lambda c: c.distinct)
    along = next((c for c in columns if c.name == chart.x), None)
    aggregate = chart.aggregate
    if aggregate == "none" and along is not None and chart.y and not _unique(rows, along, series):
        aggregate = "sum" if is_additive(chart.y[0]) else "mean"
    return replace(chart, series=series.name, y=chart.y[:1], aggregate=aggregate, stack="small")


def check(chart: Chart, rows: Rows) -> Chart:
    """Check a person's edits against the rows and bring the note up to date.

    Raises: ValueError, in words fit to be shown beside the form.

    Example:
        >>> check(Chart("bar", "town", ("sales",)), Rows(("city", "sales"), (("Oslo", 3),)))
        Traceback (most recent call last):
        ValueError: There is no column "town". The columns are: city, sales.
    """
    if chart.mark not in MARKS:
        raise ValueError(f'There is no chart type "{chart.mark}". Choose one of: {", ".join(MARKS)}.')
    if chart.aggregate not in AGGREGATES:
        raise ValueError(
            f'There is no aggregate "{chart.aggregate}". Choose one of: {", ".join(AGGREGATES)}.'
        )
    for word, known in ((chart.stack, STACKS), (chart.sort, SORTS), (chart.scale, SCALES)):
        if word not in known:
            raise ValueError(f'A chart has no setting "{word}".')
    if is_reckoned(chart.line):
        if len(chart.y) != 1 or chart.series or chart.aggregate != "none" or chart.mark not in _LINED:
            raise ValueError(
                f"A line at the {chart.line.strip().lower()} needs bars, lines or points of one figure, with one value each."
            )
    elif chart.line and level_of(chart.line) is None:
        raise ValueError(f'"{chart.line}" is not a number, average or median to draw a line at.')
    if chart.mark == "none":
        return Chart("none", title=chart.title, note=chart.note, chosen=chart.chosen, formats=chart.formats)
    if chart.mark == "number":
        chart = _one_number(chart, rows)
    if chart.mark in ("box", "histogram"):
        chart = replace(chart, series="")
    if chart.stack == "small" and chart.mark not in SMALL_MARKS:
        chart = replace(chart, stack="")
    for name in (chart.x, *chart.y, chart.series):
        if name and name not in rows.columns:
            raise ValueError(f'There is no column "{name}". The columns are: {", ".join(rows.columns)}.')
    if chart.mark == "map":
        chart = check_map(chart, rows)
    _check_shape(chart)
    by_name = {p.name: p for p in reversed(profiles(rows))}
    needs_numbers = [*chart.y] if chart.aggregate != "count" else []
    if chart.mark in ("histogram", "scatter"):
        needs_numbers.append(chart.x)
    for name in needs_numbers:
        if chart.mark == "scatter" and name == chart.x and by_name[name].role == Role.TIME:
            continue
        if by_name[name].kind not in (Kind.INTEGER, Kind.NUMBER):
            raise ValueError(f'"{name}" does not hold numbers, which a {chart.mark} chart needs there.')
    if chart.mark == "pie":
        _check_pie(chart, rows)
    own = {"map": map_note, "box": whiskers_note}.get(chart.mark)
    return replace(chart, note=spaced(own(chart, rows) if own else "", note_of(chart, rows)))


def _one_number(chart: Chart, rows: Rows) -> Chart:
    """Say which number of several rows is meant: the last in time, or what they come to."""
    if len(rows.rows) < 2 or not chart.y or chart.y[0] not in rows.columns:
        return replace(chart, x="", series="")
    times = [p for p in profiles(rows) if p.role == Role.TIME and p.distinct == len(rows.rows)]
    if chart.aggregate == "none" and times:
        return replace(chart, x=times[0].name, y=chart.y[:1], series="")
    aggregate = chart.aggregate
    if aggregate == "none":
        aggregate = "sum" if is_additive(chart.y[0]) else "mean"
    return replace(chart, x="", series="", aggregate=aggregate)


def _check_shape(chart: Chart) -> None:
    if chart.mark == "number":
        if not chart.y:
            raise ValueError("Choose the column whose number is shown.")
        return
    if not chart.x and chart.mark != "box":
        raise ValueError("Choose a column for the x axis.")
    if chart.mark == "histogram":
        return
    if not chart.y and chart.aggregate != "count":
        raise ValueError("Choose a column for the height or size, or count the rows.")
    if chart.mark in ("box", "heatmap") and not chart.y:
        raise ValueError("Choose a column of numbers.")
    if chart.mark == "heatmap" and not chart.series:
        raise ValueError("A heatmap needs a second category: choose a column to split by.")
    if chart.mark == "combo" and (len(chart.y) < 2 or chart.series):
        raise ValueError("Bars with lines take the height of two or more columns, and are not split.")
    if chart.mark in ("pie", "scatter", "box", "heatmap") and len(chart.y) > 1:
        raise ValueError(f"A {chart.mark} chart takes the height or size of one column.")
    if chart.mark == "pie" and chart.series:
        raise ValueError("A pie has no series; choose bars to compare two categories.")
    if chart.stack == "small" and not chart.series:
        raise ValueError("Small charts need a column to split by: choose one under Split by.")
    if chart.series and chart.series in (chart.x, *chart.y):
        raise ValueError("The series must be another column than those on the axes.")
    if chart.series and len(chart.y) > 1:
        raise ValueError(
            "Choose either the height of one column and another to split by, or of several columns and none."
        )


def _check_pie(chart: Chart, rows: Rows) -> None:
    points = points_of(chart, rows)
    cells = [value for values in points.values.values() for value in values if value is not None]
    if any(value < 0 for value in cells):
        raise ValueError("A pie cannot show negative numbers; choose bars.")
    measure = next((p for p in profiles(rows) if chart.y and p.name == chart.y[0]), None)
    if chart.aggregate != "count" and measure is not None and not _comes_to_all(cells, measure):
        raise ValueError(
            f'A pie shows the parts of one whole, and "{measure.name}" does not come to 100 %; choose bars.'
        )
