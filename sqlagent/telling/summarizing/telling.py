"""Sentences from rows without an LLM: what is worth saying about their shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlagent.language.saying import all_of, begun_large, in_a_row, lower_first, name, worded
from sqlagent.language.words import plural_of, singular
from sqlagent.rows.columns import Profile, Role, is_additive, number_of, profiles
from sqlagent.rows.percents import is_percent
from sqlagent.rows.sorting import sorting_of
from sqlagent.rows.subject import in_two_periods, keys_known, measures_first, ranked_by, times_along
from sqlagent.telling.summarizing.aggregates import averages_in, counts_in
from sqlagent.telling.summarizing.over_time import between_told, compared_told, series_told
from sqlagent.telling.summarizing.phrases import (
    COUNTED,
    cell_said,
    column_said,
    count_said,
    cut_said,
    listed,
    number_said,
    size_of,
    with_unit,
    within,
)
from sqlagent.telling.summarizing.ranked import (
    NAMED_TOGETHER,
    asks_low,
    each_told,
    first_told,
    is_of_shown,
    is_whole,
    ranked_told,
    wants_low,
)
from sqlagent.values import Chart, Kind, Rows

_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:\.0)?")
_CONDITION = re.compile(r"\b(?:where|having|join|qualify)\b", re.IGNORECASE)
_COUNTS = frozenset(
    {"count", "counts", "n", "cnt", "number", "numbers", "total", "totals", "rows", "results", "status"}
)
"""Names of counts that do not say of what."""

_AVERAGED = re.compile(
    r"average|median|\bavg\b|\bmean\b|\bper\b|rate|ratio|share|percent|typical", re.IGNORECASE
)
"""Names that say of themselves how a figure is reckoned."""


def summarize(
    question: str,
    rows: Rows,
    chart: Chart | None = None,
    *,
    sql: str = "",
    meant: Collection[str] = (),
    only_notable: bool = False,
    part: Collection[str] = (),
) -> str:
    """Say in one or two plain sentences what the rows answer.

    Every number said is in the rows or computed from them (`verify` of the result finds
    nothing). Never claims a share of the whole when the rows are cut or only the top of it: as
    the question or the SQL says, or, without SQL, when sorted rows are as many as limits are. Speaks of the
    measure that is drawn, else of the one that `sqlagent.rows.subject.measures_first` gives. With `only_notable` rows
    of which nothing stands out give no sentence: lists, and figures that are the same everywhere or at the top. `part` are
    labels of periods that the data do not cover whole: no change is told of them.

    Example:
        >>> summarize("revenue by country", Rows(("country", "revenue"), (("Germany", 6), ("France", 3), ("Spain", 1))))
        'Germany has the highest revenue, 6, 60 % of the total; France follows with 3.'
        >>> summarize("how many?", Rows(("count(*)",), ((1234,),)))
        'The count is 1,234.'
        >>> both = ((2025, "web", 100), (2025, "store", 60), (2026, "web", 118), (2026, "store", 54))
        >>> summarize("revenue by channel", Rows(("year", "channel", "revenue"), both))
        'Revenue by channel: web rose from 100 in 2025 to 118 in 2026, up 18 %; store fell from 60 to 54, down 10 %.'
    """
    if not rows.columns:
        return worded("The statement returned no columns.")
    if not rows.rows:
        if not sql or _CONDITION.search(sql):
            return worded("No rows: nothing matches these conditions.")
        return worded("No rows.")
    averages = averages_in(sql)
    columns = [_averaged(_timed(rows, c), averages) for c in keys_known(profiles(rows), sql)]
    measures = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    times = list(times_along(question, columns, len(rows.rows)))
    labels = [c for c in columns if c.role == Role.CATEGORY]
    percents = frozenset(
        c.name
        for c in columns
        if c.role == Role.MEASURE and is_percent(c.name, sql, (row[c.index] for row in rows.rows))
    )
    sorting, counts = sorting_of(sql), counts_in(sql)
    if len(rows.rows) == 1:
        told = first_told(rows, columns, percents, sorting, counts)
        return told or _counted(rows, columns, counts, sql) or _one(rows, columns, percents)
    measures = list(measures_first(question, measures, sql=sql, meant=meant)) or measures
    if only_notable and not _stands_out(question, rows, measures, [*labels, *times], chart):
        return ""
    ranked = ranked_by(sql, measures)
    along = next((t for t in times if t.distinct == len(rows.rows)), None)
    if along is not None and measures and ranked is None:
        return series_told(rows, along, _measure(measures, chart), percents, part)
    if (
        len(times) == len(labels) == 1
        and measures
        and times[0].distinct == 2
        and (told := compared_told(rows, times[0], labels[0], _measure(measures, chart), percents, part))
    ):
        return told
    if len(labels) == 1 and labels[0].distinct == len(rows.rows) and (both := in_two_periods(measures)):
        return between_told(rows, labels[0], both, percents, part) or listed(rows, columns)
    if told := each_told(question, rows, columns, percents, sorting):
        return told
    single = [c for c in labels if c.distinct == len(rows.rows)]
    named = [*(single or [*labels, *times]), *(c for c in columns if c.role == Role.KEY)]
    if measures and named:
        measure = _measure(measures, chart)
        adds_up = is_additive(measure.name) and measure.name not in averages and measure.name not in percents
        whole = is_whole(question, rows, sql, measure)
        low = wants_low(question, rows, measure, sorting)
        of_shown = is_of_shown(rows, measure, low, sorting, sql)
        return ranked_told(low, whole, rows, measure, named, percents, adds_up, counts, of_shown)
    numbers = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    if numbers and len(numbers) == len(columns):
        return _numbers(rows, numbers)
    return listed(rows, columns)


def _stands_out(
    question: str, rows: Rows, measures: Sequence[Profile], named: Sequence[Profile], chart: Chart | None
) -> bool:
    """Whether one row, or a few, can be told from the others: by a figure that is not the same for most, and a name."""
    if not measures or not named:
        return False
    place = _measure(measures, chart).index
    numbers = [number for row in rows.rows if (number := number_of(row[place])) is not None]
    if len(set(numbers)) < 2:
        return False
    # A series goes somewhere, whatever is at its top.
    is_low = numbers == sorted(numbers) and asks_low(question)
    first = min(numbers) if is_low else max(numbers)
    return any(c.role == Role.TIME for c in named) or numbers.count(first) <= NAMED_TOGETHER


def _timed(rows: Rows, column: Profile) -> Profile:
    """A column of years that are stored as text or number is a time where its name says so."""
    if column.role == Role.TIME or lower_first(column.words).split()[-1:] not in (["year"], ["years"]):
        return column
    cells = [row[column.index] for row in rows.rows if row[column.index] is not None]
    years = bool(cells) and all(_YEAR.fullmatch(str(cell)) for cell in cells)
    return replace(column, role=Role.TIME) if years else column


def _averaged(column: Profile, averages: Collection[str]) -> Profile:
    """A column that the SQL averages is called so, where its name does not say it: "The average age is 51.1"."""
    if column.name not in averages or column.role != Role.MEASURE or _AVERAGED.search(column.words):
        return column
    return replace(column, called=f"Average {lower_first(column.words)}")


def _measure(measures: Sequence[Profile], chart: Chart | None) -> Profile:
    """Take the measure that is drawn, so that chart and sentence speak of the same one."""
    drawn = [m for m in measures if chart is not None and m.name in chart.y]
    return drawn[0] if drawn else measures[0]


def _counted(rows: Rows, columns: Sequence[Profile], counts: frozenset[str], sql: str) -> str:
    """Say the one number that is a count of something: "1,623 orders."; empty where nothing says of what."""
    cell = rows.rows[0][0]
    if len(columns) > 1 or columns[0].name not in counts or cell is None:
        return ""
    words = lower_first(columns[0].words).removeprefix("number of ")
    last = words.rpartition(" ")[2]
    if last in _COUNTS or not re.fullmatch(r"[^\W\d_]+", last):
        return ""
    if not COUNTED.search(last):
        if not re.search(rf"\b(?:FROM|JOIN)\s+\S*{re.escape(last)}s?\b", sql, re.IGNORECASE):
            return ""
        words = plural_of(words)
    words = singular(words) if cell == 1 else words
    return worded("{number} {things}.", number=cell_said(cell, columns[0]), things=name(words))


def _one(rows: Rows, columns: Sequence[Profile], percents: frozenset[str]) -> str:
    """Say a single row: its one value, or the facts of what it is named by."""
    row = rows.rows[0]
    if all(cell is None for cell in row):
        return worded("There is no value: the one row found is empty (NULL).")
    if len(columns) == 1:
        words, value = column_said(columns[0]), with_unit(cell_said(row[0], columns[0]), columns[0], percents)
        heads = words, words.partition(" per ")[0]
        if any(COUNTED.search(head.rpartition(" ")[2]) for head in heads):
            return worded("{name}: {value}.", name=words[:1].upper() + words[1:], value=value)
        return worded("The {name} is {value}.", name=within(columns[0]), value=value)
    said = [(c, row[c.index]) for c in columns if row[c.index] is not None and c.kind != Kind.BINARY][:4]
    label = next((pair for pair in said if pair[0].role in (Role.CATEGORY, Role.TIME)), None)
    keys = [pair for pair in said if pair[0].role == Role.KEY]
    # A number that tells rows apart is a name where there is no other.
    key = keys[0] if label is None and len(keys) == 1 < len(said) else None
    rest = [
        pair
        for pair in said
        if pair is not label and pair is not key and (pair[0].role != Role.KEY or label is None)
    ]
    facts = all_of(
        [
            worded("{name} {value}", name=within(c), value=with_unit(cell_said(cell, c), c, percents))
            for c, cell in rest
        ]
    )
    if key is not None:
        called = worded("{name} {value}", name=within(key[0]), value=cell_said(key[1], key[0]))
        return in_a_row(begun_large(called), ": ", facts, ".")
    if label is None:
        return worded("One row: {facts}.", facts=facts)
    named = begun_large(cell_said(label[1], label[0]))
    return in_a_row(named, ": ", facts, ".") if facts else in_a_row(named, ".")


def _numbers(rows: Rows, measures: Sequence[Profile]) -> str:
    """Say how far numbers without names reach."""
    spans = []
    for measure in measures[:3]:
        cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
        if not cells:
            continue
        low = min(cells, key=lambda c: size_of(c))
        high = max(cells, key=lambda c: size_of(c))
        of = {"name": within(measure), "low": number_said(low)}
        spans.append(
            worded("{name} from {low} to {high}", **of, high=number_said(high))
            if low != high
            else worded("{name} always {low}", **of)
        )
    return in_a_row(count_said(rows), ": ", all_of(spans), ".", cut_said(rows))
