"""Sentences from rows without an LLM: what is worth saying about their shape."""

from __future__ import annotations

import math
import re
from calendar import month_name
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from sqlagent.language.saying import (
    Saying,
    all_of,
    begun_large,
    day,
    in_a_row,
    in_commas,
    lower_first,
    name,
    number,
    worded,
    worded_count,
)
from sqlagent.rows.columns import Profile, Role, is_additive, number_of, order_key, profiles, wall_clock
from sqlagent.rows.percents import is_percent
from sqlagent.rows.sorting import Sorting, is_part, sorting_of
from sqlagent.rows.subject import in_two_periods, keys_known, measures_first, ranked_by, times_along
from sqlagent.telling.summarizing.aggregates import averages_in, counts_in
from sqlagent.values import Cell, Chart, Kind, Rows

_TOP = re.compile(
    r"\b(?:top|best|first|last|bottom|worst|(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+\w*(?:est|most|least))\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|\d{1,3})\b|\b\w{3,}est\b|\bmost\b|\bleast\b|\bfewest\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:limit|fetch|top|qualify)\b", re.IGNORECASE)
_LIMITS = frozenset((5, 10, 15, 20, 25, 50, 100, 200, 500, 1_000))
_PERCENT = re.compile(r"percent|pct|share|ratio|rate|proportion", re.IGNORECASE)
_COUNTED = re.compile(r"^(?:number of )?(?:\w+[^\Ws]s|people|staff|children|men|women)$", re.IGNORECASE)
_SIGNS = re.compile(r"[/*+=()<>|\[\]{}?:]|\s-\s|\bcase\b", re.IGNORECASE)
"""Signs of expressions that stand in no name that people read."""
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:\.0)?")
_CONDITION = re.compile(r"\b(?:where|having|join|qualify)\b", re.IGNORECASE)
_NO_NOUN = re.compile(r"^(?:best|top|most|least|worst|highest|lowest)\b", re.IGNORECASE)
"""A figure that is named as what comes first in it: nothing has "the highest best sellers"."""
_DONE = re.compile(r"\w{3,}ed|sold|bought|lent|sent|paid|won|lost", re.IGNORECASE)
"""A figure that is named as what was done: there is the most returned, and no highest."""
_OF_EACH = re.compile(r"\b(?:each|every|per)\s+(?!of\b|one\b|the\b)([a-z]{3,}(?:-[a-z]+)*)\b", re.IGNORECASE)
_AVERAGED = re.compile(
    r"average|median|\bavg\b|\bmean\b|\bper\b|rate|ratio|share|percent|typical", re.IGNORECASE
)
"""Names that say of themselves how a figure is reckoned."""
_MANY_DIGITS = 10_000

NAMED_TOGETHER = 3
"""Rows that share the first place and are still named."""


def summarize(
    question: str,
    rows: Rows,
    chart: Chart | None = None,
    *,
    sql: str = "",
    meant: Collection[str] = (),
    only_notable: bool = False,
) -> str:
    """Say in one or two plain sentences what the rows answer.

    Every number said is in the rows or computed from them (`verify` of the result finds
    nothing). Never claims a share of the whole when the rows are cut or only the top of it: as
    the question or the SQL says, or, without SQL, when sorted rows are as many as limits are. Speaks of the
    measure that is drawn, else of the one that `sqlagent.rows.subject.measures_first` gives. With `only_notable` rows
    of which nothing stands out give no sentence: lists, and figures that are the same everywhere or at the top.

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
    percents = frozenset(c.name for c in columns if c.role == Role.MEASURE and is_percent(c.name, sql))
    sorting, counts = sorting_of(sql), counts_in(sql)
    if len(rows.rows) == 1:
        return _first(rows, columns, percents, sorting, counts) or _one(rows, columns, percents)
    measures = list(measures_first(question, measures, sql=sql, meant=meant)) or measures
    if only_notable and not _stands_out(question, rows, measures, [*labels, *times], chart):
        return ""
    ranked = ranked_by(sql, measures)
    along = next((t for t in times if t.distinct == len(rows.rows)), None)
    if along is not None and measures and ranked is None:
        return _series(rows, along, _measure(measures, chart), percents)
    if (
        len(times) == len(labels) == 1
        and measures
        and times[0].distinct == 2
        and (told := _compared(rows, times[0], labels[0], _measure(measures, chart), percents))
    ):
        return told
    if len(labels) == 1 and labels[0].distinct == len(rows.rows) and (both := in_two_periods(measures)):
        return _between(rows, labels[0], both, percents) or _listed(rows, columns)
    if told := _of_each(question, rows, columns, percents, sorting):
        return told
    single = [c for c in labels if c.distinct == len(rows.rows)]
    named = [*(single or [*labels, *times]), *(c for c in columns if c.role == Role.KEY)]
    if measures and named:
        measure = _measure(measures, chart)
        adds_up = is_additive(measure.name) and measure.name not in averages and measure.name not in percents
        whole = _is_whole(question, rows, sql, measure)
        low = _way(question, rows, measure, sorting)
        of_shown = _of_shown(rows, measure, low, sorting, sql)
        return _ranked(low, whole, rows, measure, named, percents, adds_up, counts, of_shown)
    numbers = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    if numbers and len(numbers) == len(columns):
        return _numbers(rows, numbers)
    return _listed(rows, columns)


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
    is_low = numbers == sorted(numbers) and _asks_low(question)
    first = min(numbers) if is_low else max(numbers)
    return any(c.role == Role.TIME for c in named) or numbers.count(first) <= NAMED_TOGETHER


def _said(column: Profile) -> str:
    """A column's name in words; of an expression its value, as nobody reads "the highest n/cid"."""
    return "value" if _SIGNS.search(column.words) else column.words


def _within(column: Profile) -> Saying:
    """The same, as it stands within a sentence."""
    if _SIGNS.search(column.words):
        return worded("value")
    average = column.words.removeprefix("Average ")
    if column.called and average != column.words and column.called == column.words:
        return worded("average {figure}", figure=name(average))
    return name(column.words)


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


# ---------------------------------------------------------------- shapes of rows


def _one(rows: Rows, columns: Sequence[Profile], percents: frozenset[str]) -> str:
    row = rows.rows[0]
    if all(cell is None for cell in row):
        return worded("There is no value: the one row found is empty (NULL).")
    if len(columns) == 1:
        words, value = _said(columns[0]), _with_unit(_cell(row[0], columns[0]), columns[0], percents)
        heads = words, words.partition(" per ")[0]
        if any(_COUNTED.search(head.rpartition(" ")[2]) for head in heads):
            return worded("{name}: {value}.", name=_upper(words), value=value)
        return worded("The {name} is {value}.", name=_within(columns[0]), value=value)
    said = [(c, row[c.index]) for c in columns if row[c.index] is not None and c.kind != Kind.BINARY][:4]
    label = next((pair for pair in said if pair[0].role in (Role.CATEGORY, Role.TIME)), None)
    rest = [pair for pair in said if pair is not label and (pair[0].role != Role.KEY or label is None)]
    facts = all_of(
        [
            worded("{name} {value}", name=_within(c), value=_with_unit(_cell(cell, c), c, percents))
            for c, cell in rest
        ]
    )
    keys = [pair for pair in said if pair[0].role == Role.KEY]
    if label is None and len(keys) == 1 < len(said):  # a number that tells rows apart is a name
        ((key, number_of_it),) = keys
        figures = all_of(
            [
                worded("{name} {value}", name=_within(c), value=_with_unit(_cell(cell, c), c, percents))
                for c, cell in rest
                if c is not key
            ]
        )
        called = worded("{name} {value}", name=_within(key), value=_cell(number_of_it, key))
        return in_a_row(begun_large(called), ": ", figures, ".")
    if label is None:
        return worded("One row: {facts}.", facts=facts)
    named = begun_large(_cell(label[1], label[0]))
    return in_a_row(named, ": ", facts, ".") if facts else in_a_row(named, ".")


def _series(rows: Rows, when: Profile, measure: Profile, percents: frozenset[str]) -> str:
    """Say where a series began, ended and peaked."""
    points = [
        (row[when.index], row[measure.index])
        for row in sorted(rows.rows, key=lambda r: order_key(r[when.index]))
        if row[when.index] is not None and number_of(row[measure.index]) is not None
    ]
    if len(points) < 2:
        return _listed(rows, (when, measure))
    (first_at, begun), (last_at, last) = points[0], points[-1]
    change = _sub(last, begun)
    of, unit = begun_large(_within(measure)), measure.name in percents
    at = {"first": _cell(first_at, when), "last": _cell(last_at, when)}
    if change == 0:
        text = worded(
            "{name} began and ended at {value} ({first} to {last})",
            name=of,
            value=_figure(begun, unit),
            **at,
        )
    else:
        by = _points(change) if unit else _percent_change(begun, last)
        told = {"name": of, "start": _figure(begun, unit), "end": _figure(last, unit), **at}
        text = in_a_row(
            worded("{name} rose from {start} in {first} to {end} in {last}", **told)
            if change > 0
            else worded("{name} fell from {start} in {first} to {end} in {last}", **told),
            worded(", {change}", change=by) if by else "",
        )
    peak_at, peak = max(points, key=lambda p: _size(p[1]))
    low_at, low = min(points, key=lambda p: _size(p[1]))
    extra = []
    if len(points) > 2 and peak_at not in (first_at, last_at):
        extra.append(
            worded("it peaked at {value} in {time}", value=_figure(peak, unit), time=_cell(peak_at, when))
        )
    if len(points) > 2 and low_at not in (first_at, last_at) and low != peak:
        extra.append(
            worded("its lowest was {value} in {time}", value=_figure(low, unit), time=_cell(low_at, when))
        )
    return in_a_row(text, *(("; ", all_of(extra)) if extra else ()), ".", _cut(rows))


def _compared(rows: Rows, when: Profile, label: Profile, measure: Profile, percents: frozenset[str]) -> str:
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
    times = (_cell(first, when), _cell(last, when))
    return _changes(both, label, _within(measure), measure.name in percents, times)


def _between(
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
    measure = _said(now)
    measure = measure[: -len(last)].strip() if measure.lower().endswith(last.lower()) else measure
    return _changes(both, label, name(measure), now.name in percents, (first, last))


def _changes(
    both: list[tuple[Cell, Cell, Cell]], label: Profile, measure: str, unit: bool, times: tuple[str, str]
) -> str:
    both = sorted(both, key=lambda one: -abs(_sub(one[2], one[1])))
    said = [
        _moved(_cell(called, label), a, b, unit, times if n == 0 else None)
        for n, (called, a, b) in enumerate(both[:3])
    ]
    told = {"name": begun_large(measure), "label": _within(label), "changes": in_commas(said, "; ")}
    if len(both) > 3:
        return worded("{name} by {label} changed most: {changes}.", **told)
    return worded("{name} by {label}: {changes}.", **told)


def _moved(called: str, first: Cell, last: Cell, unit: bool, times: tuple[str, str] | None) -> str:
    """How one value went: web rose from 1.03 M in 2025 to 1.22 M in 2026, up 18 %."""
    change = _sub(last, first)
    told = {"name": called, "start": _figure(first, unit), "end": _figure(last, unit)}
    at = {"first": times[0], "last": times[1]} if times else {}
    if change == 0:
        if times:
            return worded("{name} stayed at {end} from {first} to {last}", **told, **at)
        return worded("{name} stayed at {end}", **told)
    by = _points(change) if unit else _percent_change(first, last)
    if times and change > 0:
        text = worded("{name} rose from {start} in {first} to {end} in {last}", **told, **at)
    elif times:
        text = worded("{name} fell from {start} in {first} to {end} in {last}", **told, **at)
    elif change > 0:
        text = worded("{name} rose from {start} to {end}", **told)
    else:
        text = worded("{name} fell from {start} to {end}", **told)
    return in_a_row(text, worded(", {change}", change=by) if by else "")


def _first(
    rows: Rows,
    columns: Sequence[Profile],
    percents: frozenset[str],
    sorting: Sorting | None,
    counts: frozenset[str],
) -> str:
    """Say that the one row comes first by its figure, where it was kept of others for that; "" of any other row."""
    if sorting is None or sorting.limit != 1 or sorting.skipped or sorting.groups or len(columns) != 2:
        return ""
    measure = next((c for c in columns if c.role == Role.MEASURE and c.name.lower() == sorting.by), None)
    label = next((c for c in columns if c.role in (Role.CATEGORY, Role.TIME)), None)
    row = rows.rows[0]
    if measure is None or label is None or row[label.index] is None or number_of(row[measure.index]) is None:
        return ""
    value = _figure(row[measure.index], measure.name in percents)
    return in_a_row(
        begun_large(_leads(_name(row, [label]), measure, value, not sorting.falling, counts)), "."
    )


def _of_each(
    question: str,
    rows: Rows,
    columns: Sequence[Profile],
    percents: frozenset[str],
    sorting: Sorting | None,
) -> str:
    """Say how far the first figures of groups reach, where only the first of each group is kept; "" of other rows."""
    if sorting is None or sorting.limit != 1 or sorting.skipped or len(sorting.groups) != 1 or rows.truncated:
        return ""
    measure = next((c for c in columns if c.role == Role.MEASURE and c.name.lower() == sorting.by), None)
    group = next((c for c in columns if c.name.lower() == sorting.groups[0]), None)
    if measure is None or group is None:
        return ""
    entries = sorted(
        (row for row in rows.rows if number_of(row[measure.index]) is not None),
        key=lambda row: _size(row[measure.index]),
    )
    if len(entries) < 2 or number_of(entries[0][measure.index]) == number_of(entries[-1][measure.index]):
        return ""
    named = [group, *(c for c in columns if c.role in (Role.CATEGORY, Role.KEY) and c is not group)]
    unit = measure.name in percents
    low, high = (
        worded("{value} ({name})", value=_figure(row[measure.index], unit), name=_both(row, named))
        for row in (entries[0], entries[-1])
    )
    asked = _OF_EACH.search(question)
    each = (
        asked[1].lower()
        if asked
        else worded("group")
        if group.words.lower() in ("name", "title")
        else _within(group)
    )
    told = {"name": _within(measure), "group": each, "low": low, "high": high}
    if sorting.falling:
        return worded("The highest {name} of each {group} goes from {low} to {high}.", **told)
    return worded("The lowest {name} of each {group} goes from {low} to {high}.", **told)


def _both(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    """A group and who is first in it: Books, Learn to Draw."""
    found = [_cell(row[c.index], c) for c in named if row[c.index] is not None][:2]
    return in_commas(found) if found else worded("without a name")


def _way(question: str, rows: Rows, measure: Profile, sorting: Sorting | None) -> bool:
    """Whether the lowest figures were asked for: the statement sorts by them so, else the question says so of rising rows."""
    if sorting is not None and sorting.by == measure.name.lower():
        return not sorting.falling
    cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
    rising = all(_size(a) <= _size(b) for a, b in zip(cells, cells[1:], strict=False))
    return rising and _asks_low(question)


def _leads(called: str, measure: Profile, value: str, low: bool, counts: frozenset[str]) -> Saying:
    """Who comes first, by which figure: "Oslo has the fewest orders, 5"."""
    of = lower_first(_said(measure))
    told = {"name": called, "value": value}
    if _NO_NOUN.search(of):
        if low:
            return worded("{name} comes last with {value}", **told)
        return worded("{name} leads with {value}", **told)
    if measure.name in counts or _COUNTED.search(of) or _DONE.fullmatch(of):
        bare = name(of.removeprefix("number of ")) if of.startswith("number of ") else _within(measure)
        if low:
            return worded("{name} has the fewest {figure}, {value}", figure=bare, **told)
        return worded("{name} has the most {figure}, {value}", figure=bare, **told)
    if low:
        return worded("{name} has the lowest {figure}, {value}", figure=_within(measure), **told)
    return worded("{name} has the highest {figure}, {value}", figure=_within(measure), **told)


def _ranked(
    low: bool,
    whole: bool,
    rows: Rows,
    measure: Profile,
    named: Sequence[Profile],
    percents: frozenset[str],
    adds_up: bool,
    counts: frozenset[str],
    of_shown: bool = False,
) -> str:
    """Say who leads `of_shown` rows, with what share where the rows are the whole and their figures add up, and who follows."""
    entries = [(row, row[measure.index]) for row in rows.rows if number_of(row[measure.index]) is not None]
    if len(entries) < 2:
        return _listed(rows, (*named, measure))
    entries.sort(key=lambda e: _size(e[1]), reverse=not low)
    lead, second = entries[0], entries[1]
    ties = [e for e in entries if number_of(e[1]) == number_of(lead[1])]
    of, unit = lower_first(_said(measure)), measure.name in percents
    shown = (
        worded_count(
            "Of the {count} row shown, ",
            "Of the {count} rows shown, ",
            len(rows.rows),
            count=number(f"{len(rows.rows):,}"),
        )
        if of_shown
        else ""
    )
    value = _figure(lead[1], unit)
    if len(ties) == len(entries):
        same = worded(
            "All {count} rows have the same {figure}, {value}.",
            count=number(f"{len(entries):,}"),
            figure=_within(measure),
            value=value,
        )
        return in_a_row(same, _cut(rows))
    if len(ties) > 1:
        names = (
            all_of([_name(e[0], named) for e in ties])
            if len(ties) <= NAMED_TOGETHER
            else worded_count("{count} row", "{count} rows", len(ties), count=number(f"{len(ties):,}"))
        )
        told = {"names": names if of_shown else begun_large(names), "value": value}
        if _NO_NOUN.search(of) or _DONE.fullmatch(of):
            shared = (
                worded("{names} share the last place with {value}.", **told)
                if low
                else worded("{names} share the first place with {value}.", **told)
            )
        elif low:
            shared = worded("{names} share the lowest {figure}, {value}.", figure=_within(measure), **told)
        else:
            shared = worded("{names} share the highest {figure}, {value}.", figure=_within(measure), **told)
        return in_a_row(shown, shared, _cut(rows))
    share = _share(whole and adds_up, measure, [e[1] for e in entries], lead[1])
    leads = _leads(_name(lead[0], named), measure, value, low, counts)
    follows = worded(
        "; {name} follows with {value}", name=_name(second[0], named), value=_figure(second[1], unit)
    )
    total = _together(whole or not adds_up, rows, [e[1] for e in entries])
    return in_a_row(shown, leads if of_shown else begun_large(leads), share, follows, total, ".", _cut(rows))


def _of_shown(rows: Rows, measure: Profile, low: bool, sorting: Sorting | None, sql: str) -> bool:
    """Whether a LIMIT took some rows and not those at this end of the figure: the sentence then says so."""
    is_end = sorting is not None and sorting.by == measure.name.lower() and sorting.falling is not low
    return not (is_end and sorting is not None and not sorting.skipped) and is_part(sql, len(rows.rows))


def _numbers(rows: Rows, measures: Sequence[Profile]) -> str:
    """Say how far numbers without names reach."""
    spans = []
    for measure in measures[:3]:
        cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
        if not cells:
            continue
        low = min(cells, key=lambda c: _size(c))
        high = max(cells, key=lambda c: _size(c))
        of = {"name": _within(measure), "low": _number(low)}
        spans.append(
            worded("{name} from {low} to {high}", **of, high=_number(high))
            if low != high
            else worded("{name} always {low}", **of)
        )
    return in_a_row(_count(rows), ": ", all_of(spans), ".", _cut(rows))


def _listed(rows: Rows, columns: Sequence[Profile]) -> str:
    """Say how many rows there are and name a few of them."""
    label = next((c for c in columns if c.role == Role.CATEGORY), columns[0])
    cells = list(
        dict.fromkeys(_cell(r[label.index], label) for r in rows.rows[:200] if r[label.index] is not None)
    )
    count = _count(rows)
    if not cells:
        return in_a_row(count, ".")
    if len(cells) == 1 and len(rows.rows) > 1:
        return worded("{count}, all with {name} {value}.", count=count, name=_within(label), value=cells[0])
    shown = all_of(cells[:3])
    if len(cells) <= 3 and len(rows.rows) == len(cells):
        return in_a_row(count, ": ", shown, ".")
    return worded("{count}, beginning with {values}.", count=count, values=shown)


# ---------------------------------------------------------------- parts of sentences


def _share(whole: bool, measure: Profile, cells: Sequence[Cell], lead: Cell) -> str:
    """Say the leader's share of the total, only where the rows are the whole and can be added up."""
    numbers = [_size(c) for c in cells]
    total = math.fsum(numbers)
    if not whole or _SIGNS.search(measure.words) or min(numbers) < 0 or total <= 0:
        return ""
    if _PERCENT.search(measure.name):
        return ""
    return worded(", {share} of the total", share=_percent(_size(lead) / total))


def _together(whole: bool, rows: Rows, cells: Sequence[Cell]) -> str:
    """Say what some rows of a whole make together."""
    if whole or rows.truncated or len(cells) > 20:
        return ""
    total = sum((Decimal(str(c)) for c in cells), Decimal(0))
    return worded_count(
        ". The {count} together make {total}",
        ". The {count} together make {total}",
        len(cells),
        count=str(len(cells)),
        total=_number(total),
    )


def _is_whole(question: str, rows: Rows, sql: str, measure: Profile) -> bool:
    if rows.truncated or _TOP.search(question) or _LIMIT.search(sql):
        return False
    sizes = [_size(row[measure.index]) for row in rows.rows]
    is_sorted = sizes in (sorted(sizes), sorted(sizes, reverse=True))
    return bool(sql) or not (is_sorted and len(rows.rows) in _LIMITS)


def _asks_low(question: str) -> bool:
    return bool(
        re.search(
            r"\b(?:lowest|least|fewest|smallest|worst|bottom|cheapest|shortest|youngest|lightest)\b",
            question,
            re.I,
        )
    )


def _name(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    full = [c for c in named if row[c.index] is not None and row[c.index] != ""]
    parts = [_cell(row[c.index], c) for c in full if c.role != Role.KEY][:2]
    if len(parts) > 1:
        return in_a_row(parts[0], " (", parts[1], ")")
    if parts:
        return parts[0]
    if full:
        return worded("{name} {value}", name=_within(full[0]), value=_cell(row[full[0].index], full[0]))
    return worded("the row without a name")


def _cell(cell: Cell, column: Profile) -> str:
    if cell is None:
        return worded("none")
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and number_of(cell) is None:
        return worded("a number too large to say")
    if isinstance(cell, int) and 1 <= cell <= 12 and lower_first(column.words) == "month of year":
        return worded(month_name[cell])
    if column.role == Role.TIME or column.role == Role.KEY or column.ordered:
        if isinstance(cell, datetime):
            at = wall_clock(cell)
            return day(at.date() if at.time().isoformat() == "00:00:00" else at)
        if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
            return str(int(cell))
        return day(cell if isinstance(cell, date) else str(cell))
    if isinstance(cell, bool):
        return worded("yes") if cell else worded("no")
    if isinstance(cell, (int, float, Decimal)):
        return _number(cell)
    text = " ".join(str(cell).split())
    return text if len(text) <= 60 else text[:59].rstrip() + "…"


def _number(cell: Cell) -> Saying:
    """Say a number for reading: grouped; large ones in M or billions with two decimals."""
    if number_of(cell) is None:
        return worded("a number too large to say")
    exact = Decimal(str(cell)) if not isinstance(cell, Decimal) else cell
    size = abs(exact)
    if Decimal(10) ** 9 <= size < Decimal(10) ** 13:
        return worded("{number} billion", number=_in(exact, 9))
    if Decimal(10) ** 6 <= size < Decimal(10) ** 13:
        return worded("{number} M", number=_in(exact, 6))
    if exact == exact.to_integral_value():
        return number(f"{int(exact):,}")
    if size >= _MANY_DIGITS:
        return number(f"{_round(exact, 0):,f}")
    digits = 2 if size >= 1 else min(10, 2 - exact.adjusted())
    return number(_trim(f"{_round(exact, digits):,f}"))


def _in(exact: Decimal, power: int) -> Saying:
    """A large number in millions, or billions."""
    return number(_trim(f"{_round(exact / Decimal(10) ** power, 2):,f}"))


def _round(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(part: float) -> Saying:
    percent = part * 100
    written = f"{percent:.0f}" if percent >= 10 or percent == round(percent) else f"{percent:.1f}"
    return worded("{number} %", number=number(written))


def _percent_change(first: Cell, last: Cell) -> str:
    start, end = number_of(first), number_of(last)
    if start is None or end is None or start <= 0 or end < 0:
        return ""
    change = (end - start) / start
    if abs(change) >= 9.995:
        return ""
    return _by(change, _percent(abs(change)))


def _by(change: float | Decimal, size: str) -> Saying:
    return worded("up {size}", size=size) if change > 0 else worded("down {size}", size=size)


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
    share = _points(float(change)) if in_percent else _percent_change(before, now)
    # A change of less than a thousandth is told as it is: "up 0.0 %" tells none.
    is_told = in_percent or abs(change) * 2_000 >= abs(Decimal(str(before)))
    by = share if share and is_told else _by(change, _number(abs(change)))
    return worded("{change} from {before} {when}", change=by, before=_figure(before, in_percent), when=when)


def _figure(cell: Cell, in_percent: bool) -> Saying:
    """A number, with the sign of a percentage."""
    return in_a_row(_number(cell), " %" if in_percent else "")


def _with_unit(value: str, column: Profile, percents: frozenset[str]) -> str:
    return in_a_row(value, " %") if column.name in percents else value


def _points(change: float) -> str:
    """A change of a percentage: a difference in points, as percent of percent misleads."""
    points = _number(round(abs(change), 2) or abs(change))
    return _by(
        change, worded_count("{points} point", "{points} points", 1 if points == "1" else 2, points=points)
    )


def _size(cell: Cell) -> float:
    return number_of(cell) or 0.0


def _sub(last: Cell, first: Cell) -> float:
    return _size(last) - _size(first)


def _count(rows: Rows) -> Saying:
    count = len(rows.rows)
    told = number(f"{count:,}")
    if rows.truncated:
        return worded_count("More than {count} rows", "More than {count} rows", count, count=told)
    return worded_count("{count} rows", "{count} rows", count, count=told)


def _cut(rows: Rows) -> str:
    if not rows.truncated:
        return ""
    count = len(rows.rows)
    return worded_count(
        " Only the first {count} rows were read.",
        " Only the first {count} rows were read.",
        count,
        count=number(f"{count:,}"),
    )


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
